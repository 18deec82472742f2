"""Finds the material that the tests share with other projects: real records, and the data of public conformance suites."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_PROJECT = Path(__file__).resolve().parent.parent


def shared(*parts: str) -> Path:
    """A path in the shared folder: the one that WRS_SHARED names, else `../shared` beside the project.

    Skips the test where there is no such folder; in CI that is a failure, since a skip there would go unseen.
    """
    folder = Path(os.environ.get("WRS_SHARED") or _PROJECT.parent / "shared")
    if not folder.is_dir():
        reason = "needs the shared folder with real records and conformance data: set WRS_SHARED"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder.joinpath(*parts)
