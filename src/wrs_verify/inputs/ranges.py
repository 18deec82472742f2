"""A JSON Lines file in ranges of bytes that can be read apart: a range holds the lines that begin in it.

The number of a line depends on all that stands before it. So the line feeds of each range are counted first, also apart.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from wrs_verify.inputs.reading import open_source
from wrs_verify.inputs.shapes import InputLimits, Item, Refused, Source, Stop
from wrs_verify.inputs.streams import Budget, Seekable, blocks_of, records

__all__ = ["Range", "line_feeds", "read_range", "size_in_ranges"]


class Range(NamedTuple):
    """The lines of a file that begin at a byte from `start` on and before `end`; where that is None, all to the end of the file.

    `line` is the number of the first of them.
    """

    name: str
    source: Source
    start: int
    end: int | None
    line: int


def size_in_ranges(source: Source) -> int | None:
    """The size in bytes of a file that can be read in ranges; None for every other source."""
    if source.kind != "lines" or source.compression:
        return None
    if source.place == "remote":
        from wrs_verify.inputs.remote import size_in_parts

        return size_in_parts(source.path)
    try:
        status = os.stat(source.path)  # noqa: PTH116 - as in `listing`
    except OSError:
        return None  # Opening it will tell what is wrong.
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def line_feeds(source: Source, start: int, end: int) -> int | None:
    """How many line feeds end just before a byte from `start` on and before `end`: so many lines but the first begin there.

    None where the file cannot be read: who then reads it from `start` on will tell why.
    """
    left = end - max(start, 1)
    try:
        with open_source(source, seekable=True) as stream:
            stream.seek(max(start, 1) - 1)
            number = 0
            for block in blocks_of(stream):
                number += block[:left].count(b"\n")
                left -= len(block)
                if left <= 0:
                    break
            return number
    except (Stop, OSError):
        return None


def read_range(part: Range, limits: InputLimits) -> Iterator[Item | Refused]:
    """Yields the records of a range, as `read` would yield them among those of the whole file."""
    try:
        with open_source(part.source, seekable=True) as stream:
            yield from records(part.name, "lines", "", _lines(stream, part.start, part.end), Budget(limits), part.line)
    except Stop as stop:
        yield Refused(part.name, stop.rule, stop.message)


def _lines(stream: Seekable, start: int, end: int | None) -> Iterator[bytes]:
    """The lines that begin in a range, as a stream: from the first line feed that ends before it to the last that a line of it needs."""
    position = max(start - 1, 0)
    try:
        stream.seek(position)
    except OSError as error:
        raise Stop("unreadable-input", f"reading failed: {error.strerror or 'input/output error'}") from error
    begun = start == 0
    for block in blocks_of(stream):
        low, high = 0, len(block)
        if not begun:
            low = block.find(b"\n") + 1
            begun = low > 0
            if begun and end is not None and position + low >= end:
                return  # the first line that begins after the start begins after the end
        if begun:
            last = -1 if end is None or position + high < end else block.find(b"\n", max(low, end - 1 - position))
            if last >= 0:
                high = last + 1
            if low < high:
                yield block[low:high]
            if last >= 0:
                return
        position += len(block)
