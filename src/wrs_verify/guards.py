"""Sees before a run that none of its files takes the place of another: what is verified, what is remembered, what is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from wrs_verify.inputs import Selection, Source, find

__all__ = ["OneFile", "keep_apart"]


class OneFile(ValueError):
    """Two files that must be kept apart are one. The message is for users."""


def keep_apart(read: Iterable[Selection], kept: Sequence[str | None], reports: Sequence[str]) -> None:
    """Refuse to write a report over an input, a history, pins or a configuration, and to take one of the last three for another.

    Args:
        read: the inputs and the source versions.
        kept: the history, the pins and the configuration; None for each that there is not.
        reports: the files of the reports.

    Raises:
        OneFile: two of these are one file.
        wrs_verify.inputs.MissingPath: a path does not exist.
    """
    existing = {os.path.realpath(file) for file in reports if Path(file).exists()}
    found = chain.from_iterable(find(selection) for selection in read) if existing else ()
    if any(isinstance(one, Source) and os.path.realpath(one.path) in existing for one in found):
        raise OneFile("a report cannot be written over an input")
    named = [file for file in kept if file is not None]
    if named and len({os.path.realpath(file) for file in (*named, *reports)}) < len(named) + len(reports):
        raise OneFile("a history, a pin file, a configuration and a report cannot be one file")
