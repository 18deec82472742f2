"""A copy of the project as a clone would be, what is not committed yet included; and how to install it without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent

#: With these, pip takes what the project needs from the environment that the tests run in.
OFFLINE = {
    "PYTHONPATH": sysconfig.get_path("purelib"),
    "PIP_NO_INDEX": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # which turns it off: pip's own way
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}


def files() -> list[str]:
    """The project's files, ignored ones aside. Skips the test where the project is no checkout; in CI that is a failure."""
    if shutil.which("git") is None or not (PROJECT / ".git").exists():
        reason = "needs git, and a checkout of the project"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    command = ["git", "-c", f"safe.directory={PROJECT}", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=PROJECT, capture_output=True, encoding="utf-8", check=True).stdout
    return [name for name in listed.split("\0") if name and (PROJECT / name).is_file()]


def copied(folder: Path, names: list[str]) -> Path:
    """Copies these files of the project into a folder."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / name, folder / name)
    return folder


def needed(name: str) -> bool:
    """Whether the package is built from this file."""
    return name.startswith(("docs/man/", "schemas/", "src/")) or name in ("LICENSE", "README.md", "pyproject.toml")
