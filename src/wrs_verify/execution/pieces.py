"""Cuts a run into pieces that other machines read: some files, a range of a JSON Lines file, or one file that cannot be cut."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from wrs_verify.engine import Options
from wrs_verify.execution.work import Part, refusal
from wrs_verify.inputs import Found, MissingPath, Range, Refused, Source
from wrs_verify.inputs.ranges import line_feeds, size_in_ranges

__all__ = ["Ended", "Piece", "Sizes", "pieces", "refuse_streams"]

#: What one task checks. It is read on the machine that does.
Piece: TypeAlias = tuple[Part, ...]

#: Does tasks `line_feeds(source, start, end)` for many arguments, and gives their results in order.
_Counting: TypeAlias = Callable[[Callable[..., int | None], Iterable[tuple[Source, int, int]]], Iterator[int | None]]


class Ended(NamedTuple):
    """After the ranges of a file: if none of them held anything, the file holds no record."""

    name: str


class Sizes(NamedTuple):
    """How large pieces are: the files in one, and the bytes of a range."""

    files: int = 256
    range: int = 64 * 1024 * 1024


def refuse_streams(paths: Iterable[str]) -> None:
    """See that other machines can read what is given.

    Raises:
        MissingPath: a path is standard input, or a pipe, which only this process can read.
    """
    for path in paths:
        if path == "-":
            raise MissingPath("standard input cannot be read by the workers of a cluster: write it to a file that they can reach")
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116 - as in `listing`
        except (OSError, ValueError):
            continue  # a URL, or listing it will tell what is wrong
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise MissingPath(f"{path} is a pipe or a device, which the workers of a cluster cannot read")


def pieces(found: Iterator[Found], options: Options, counting: _Counting, sizes: Sizes) -> Iterator[Piece | Ended]:
    """The pieces of a run, in order.

    Args:
        found: what there is to read, with absolute paths.
        options: how findings are levelled.
        counting: does the counting that ranges need, wherever that is.
        sizes: how large pieces are.
    """
    files: list[Part] = []
    for each in found:
        if isinstance(each, Source) and not each.plain:
            if files:
                yield tuple(files)
                files = []
            yield from _cut(each, counting, sizes.range)
        else:
            files.append(refusal(each, options) if isinstance(each, Refused) else each)
            if len(files) == sizes.files:
                yield tuple(files)
                files = []
    if files:
        yield tuple(files)


def _cut(source: Source, counting: _Counting, size: int) -> Iterator[Piece | Ended]:
    whole = size_in_ranges(source)
    if whole is None or whole <= size:
        yield (source,)
        return
    begun = 0  # lines that begin before a range
    bounds = [(start, min(start + size, whole)) for start in range(0, whole, size)]
    counts = counting(line_feeds, ((source, start, end) for start, end in bounds))
    for (start, end), count in zip(bounds, counts, strict=True):
        if count is None:  # it cannot be read: reading it in one go tells why, and after which line
            yield (Range(source.name, source, start, None, begun + 1),) if start else (source,)
            return
        number = count + (start == 0)
        if number:
            # A file may have grown meanwhile: as when it is read in one go, what was added belongs to it.
            yield (Range(source.name, source, start, end if end < whole else None, begun + 1),)
        begun += number
    yield Ended(source.name)
