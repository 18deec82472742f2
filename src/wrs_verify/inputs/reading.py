"""From one source to its records."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from itertools import chain

from wrs_verify.inputs.shapes import InputLimits, Item, Read, Refused, Skipped, Source, Stop
from wrs_verify.inputs.streams import Budget, Seekable, blocks_of, expand, records, too_long

__all__ = ["open_source", "read"]

_ANY = os.O_RDONLY | getattr(os, "O_BINARY", 0)
#: What was found in a folder is opened only if it is what it was: no link put in its place, no pipe to wait for.
_FOUND = _ANY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_LIMITS = InputLimits()
_SPACE = b" \t\r\n"


def read(source: Source, limits: InputLimits = _LIMITS) -> Iterator[Read]:
    """Yields the records of one source as they are read, a line or a member at a time, and all that cannot be read of it.

    No part of an archive is written anywhere. Memory does not grow with the input: it holds one record's text at most, the
    blocks on the way to it, and for an archive a mark for each member. An archive's members come in the archive's order; what
    is hidden in it is passed over with the reason.

    Args:
        source: from `find`.
        limits: how much is read.

    Yields:
        `Item` for each record; `Skipped` for what holds none; `Refused` for what may hold records but cannot be read. At
        least one thing comes.
    """
    if source.plain:
        yield _plain(source, limits)
        return
    empty = True
    try:
        with open_source(source, seekable=source.kind == "zip") as stream:
            for part in _parts(source, stream, Budget(limits)):
                empty = False
                yield part
    except Stop as stop:
        yield Refused(source.name, stop.rule, stop.message)
        return
    if empty:
        yield Skipped(source.name, "holds no record")


def _plain(source: Source, limits: InputLimits) -> Item | Refused:
    """A file that is one record: the common case, with no layer between."""
    try:
        descriptor, size = _descriptor(source)
        try:
            if size > limits.max_size:
                raise too_long(limits)
            # The size is a hint: a file may grow meanwhile, and pipes and /proc have none.
            data = os.read(descriptor, size + 1)
            if len(data) != size or not size:
                data += _remainder(descriptor, limits.max_size + 1 - len(data))
        finally:
            os.close(descriptor)
        if len(data) > limits.max_size:
            raise too_long(limits)
    except Stop as stop:
        return Refused(source.name, stop.rule, stop.message)
    except OSError as error:
        return Refused(source.name, "unreadable-input", f"cannot be read: {error.strerror}")
    return Item(source.name, None, data)


def _remainder(descriptor: int, limit: int) -> bytes:
    parts = []
    while limit > 0 and (block := os.read(descriptor, min(limit, 1024 * 1024))):
        parts.append(block)
        limit -= len(block)
    return b"".join(parts)


def _descriptor(source: Source) -> tuple[int, int]:
    """Opens a local file; with its size."""
    descriptor = os.open(source.path, _FOUND if source.place == "found" else _ANY)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) and (source.place == "found" or stat.S_ISDIR(status.st_mode)):
        os.close(descriptor)
        raise Stop("unreadable-input", "no longer a regular file")
    return descriptor, status.st_size


def open_source(source: Source, *, seekable: bool) -> AbstractContextManager[Seekable]:
    """Opens a source, to be read from its start or, if it must be `seekable`, at any place.

    Raises:
        Stop: it cannot be opened.
    """
    if source.place == "stdin":
        # Python sets it to None where standard input is closed.
        if sys.stdin is None:
            raise Stop("unreadable-input", "standard input is closed")
        return nullcontext(sys.stdin.buffer)
    if source.place == "remote":
        from wrs_verify.inputs.remote import opened

        return closing(opened(source.path, seekable=seekable))
    try:
        return os.fdopen(_descriptor(source)[0], "rb")
    except OSError as error:
        raise Stop("unreadable-input", f"cannot be opened: {error.strerror}") from error


def _parts(source: Source, stream: Seekable, budget: Budget) -> Iterator[Read]:
    if source.kind == "zip":
        from wrs_verify.inputs.zips import read_zip

        return read_zip(source.name, stream, budget)
    blocks = blocks_of(stream)
    if source.kind == "tar":
        from wrs_verify.inputs.tars import read_tar

        return read_tar(source.name, expand(blocks, source.compression, budget) if source.compression else blocks, budget)
    if source.kind == "either":
        return _either(source.name, blocks, budget)
    return records(source.name, source.kind, source.compression, blocks, budget)


def _either(name: str, blocks: Iterator[bytes], budget: Budget) -> Iterator[Read]:
    """Standard input: one record, or one a line, as its first line that is not blank tells.

    If all brackets of that line are closed on it, and at least one is there, each line is a record, unless it is the only
    one. An indented record leaves its first bracket open there. What is neither is read as one record, and the parser
    refuses it.
    """
    head = bytearray()
    for block in blocks:
        head += block
        if len(head) > budget.limits.max_size or (b"\n" in block and b"\n" in head.lstrip(_SPACE)):
            break
    if not head.strip(_SPACE):
        # Blank so far: if there is no more, it holds no record; if there is, the limit has been reached.
        if len(head) > budget.limits.max_size:
            raise too_long(budget.limits)
        return
    first, newline, _ = bytes(head).lstrip(_SPACE).partition(b"\n")
    everything = chain((bytes(head),), blocks)
    if not newline or not _closed(first):
        yield from records(name, "json", "", everything, budget)
        return
    yield from _single_or_lines(name, everything, budget)


def _single_or_lines(name: str, blocks: Iterator[bytes], budget: Budget) -> Iterator[Read]:
    """A single line is a record like any other, of which no line number is told."""
    found = records(name, "lines", "", blocks, budget)
    first = next(found)
    second = next(found, None)
    if second is None:
        yield first._replace(line=None) if first.line == 1 else first
        return
    yield from chain((first, second), found)


def _closed(line: bytes) -> bool:
    """Tells whether brackets open on this line and all close again. Strings are not looked into."""
    outside = line.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2]
    opened = sum(part.count(b"{") + part.count(b"[") for part in outside)
    return opened > 0 and opened == sum(part.count(b"}") + part.count(b"]") for part in outside)
