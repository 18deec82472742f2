"""Streams of blocks: decompressed within limits, divided into lines, taken apart by length.

A stream is an iterator of blocks that are not empty, each of `BLOCK` bytes at most. Whatever goes wrong is a `Stop`.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from wrs_verify.inputs.shapes import InputLimits, Item, Refused, Stop

__all__ = ["BLOCK", "RATIO_GRACE", "Budget", "Feed", "Seekable", "blocks_of", "expand", "records", "too_long"]

BLOCK = 128 * 1024

#: What expands to no more than this is not held to the ratio: so little is not a bomb, and short texts of one letter do shrink.
RATIO_GRACE = 64 * 1024 * 1024

#: Memory that a decompressor may ask for. `xz -9` needs 65 MiB, `zstd --ultra -22` 128 MiB.
_MEMORY = 128 * 1024 * 1024
_ZSTD_WINDOW_LOG = 27

_SPACE = b" \t\r\n"


class Seekable(Protocol):
    """A binary file, open for reading. Only zip archives are read at more than one place."""

    def read(self, size: int, /) -> bytes: ...
    def seek(self, offset: int, whence: int = 0, /) -> int: ...


class _Decoder(Protocol):
    """What bz2, lzma and zstd decompressors have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /, max_length: int = -1) -> bytes: ...


class _Inflate:
    """zlib's decompressor in the manner of the others. `wbits`: -15 for bare Deflate, 31 for gzip."""

    def __init__(self, wbits: int) -> None:
        self._zlib = zlib.decompressobj(wbits)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, /, max_length: int = -1) -> bytes:
        out = self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)
        # A full block may leave more inside zlib even when all input is used up.
        self.needs_input = not self._zlib.unconsumed_tail and len(out) < max_length
        return out


class Budget:
    """What one input may still expand to, over all its compressed parts."""

    def __init__(self, limits: InputLimits) -> None:
        self.limits = limits
        self._left = limits.max_expanded

    def spend(self, size: int) -> None:
        """Raises `Stop` once more than `--max-expanded` bytes have come out."""
        self._left -= size
        if self._left < 0:
            raise Stop("oversized-input", f"expands to more than {self.limits.max_expanded} bytes (--max-expanded)")


def too_long(limits: InputLimits) -> Stop:
    """The `Stop` for a record that is longer than allowed."""
    return Stop("oversized-input", f"the record is longer than {limits.max_size} bytes (--max-size)")


def blocks_of(stream: Seekable) -> Iterator[bytes]:
    """An open file as a stream."""
    try:
        while block := stream.read(BLOCK):
            yield block
    except OSError as error:
        raise Stop("unreadable-input", f"reading failed: {error.strerror or 'input/output error'}") from error


def _decoders(compression: str) -> tuple[Callable[[], _Decoder], type[Exception]]:
    """A maker of decompressors, and the error that they raise for bad data. Imported when needed: most runs need none."""
    if compression in ("gz", "deflate"):
        return (lambda: _Inflate(31 if compression == "gz" else -15)), zlib.error
    if compression == "bz2":
        import bz2

        return bz2.BZ2Decompressor, OSError
    if compression == "xz":
        import lzma

        return (lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)), lzma.LZMAError
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
    return (lambda: zstd.ZstdDecompressor(options=options)), zstd.ZstdError


def expand(blocks: Iterator[bytes], compression: str, budget: Budget, *, single: bool = False) -> Iterator[bytes]:
    """Decompresses a stream, and refuses what is damaged, cut off, followed by something else, or a bomb.

    Several compressed streams one after another are one text (RFC 1952 section 2.2 for gzip; the others likewise), unless
    `single`. Zero bytes may follow gzip (tapes) and xz (stream padding). `deflate` is RFC 1951 without a header.
    """
    make, errors = _decoders(compression)
    decoder: _Decoder | None = None
    begun, taken, given = False, 0, 0
    for block in blocks:
        taken += len(block)
        rest = block
        while rest:
            if decoder is None:
                if begun and compression in ("gz", "xz"):
                    rest = rest.lstrip(b"\0")
                    if not rest:
                        break
                if begun and single:
                    raise Stop("unreadable-input", "other data follows the compressed data")
                decoder, begun = make(), True
            for out in _drained(decoder, rest, compression, errors):
                given += len(out)
                budget.spend(len(out))
                if given > RATIO_GRACE and given > taken * budget.limits.max_ratio:
                    raise Stop("oversized-input", f"expands to more than {budget.limits.max_ratio} times its size (--max-ratio)")
                yield out
            rest = b""
            if decoder.eof:
                rest, decoder = decoder.unused_data, None
    if decoder is not None or not begun:
        raise Stop("unreadable-input", f"the compressed data ({compression}) is cut off")


def _drained(decoder: _Decoder, data: bytes, compression: str, errors: type[Exception]) -> Iterator[bytes]:
    """All that these bytes give, a block at a time."""
    while True:
        try:
            out = decoder.decompress(data, BLOCK)
        except errors as error:
            raise Stop("unreadable-input", f"the data is damaged, or is no {compression} that can be read here") from error
        if out:
            yield out
        if decoder.eof or decoder.needs_input:
            return
        data = b""


class Feed:
    """A stream to take exact lengths from. Once it has failed, it fails in the same way each time."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._block = b""
        self._start = 0
        self._failure: Stop | None = None
        self.position = 0

    def next(self, size: int) -> bytes:
        """From 1 to `size` bytes; none at the end."""
        if self._failure:
            raise self._failure
        if self._start == len(self._block):
            try:
                self._block, self._start = next(self._blocks, b""), 0
            except Stop as stop:
                self._failure = stop
                raise
        out = self._block[self._start : self._start + size]
        self._start += len(out)
        self.position += len(out)
        return out

    def blocks(self, size: int) -> Iterator[bytes]:
        """Exactly `size` bytes, as a stream."""
        while size:
            block = self.next(size)
            if not block:
                self._failure = Stop("unreadable-input", "the archive is cut off")
                raise self._failure
            size -= len(block)
            yield block

    def take(self, size: int) -> bytes:
        """Exactly `size` bytes, at once: for lengths that are known to be small."""
        return b"".join(self.blocks(size))

    def skip_to(self, position: int) -> None:
        """Goes on to a later position without keeping what is passed."""
        for _ in self.blocks(position - self.position):
            pass


def records(name: str, kind: str, compression: str, blocks: Iterator[bytes], budget: Budget, first: int = 1) -> Iterator[Item | Refused]:
    """The records in a stream: one (`json`), or one a line (`lines`), of which the first is the line of that number."""
    if compression:
        blocks = expand(blocks, compression, budget)
    if kind == "json":
        yield Item(name, None, whole(blocks, budget.limits))
        return
    number, most = 0, budget.limits.max_lines
    if first > most + 1:
        return  # whoever reads the line before it says that there are too many
    try:
        for number, line in lines(blocks, budget.limits.max_size, first, most):
            if number > most:
                break
            if line is None:
                stop = too_long(budget.limits)
                yield Refused(name, stop.rule, stop.message, number)
            else:
                yield Item(name, number, line)
    except Stop as stop:
        message = f"{stop.message}; the last record read is on line {number}" if number else stop.message
        raise Stop(stop.rule, message) from stop
    if number > most:
        raise Stop("oversized-input", f"has more than {most} lines (--max-lines); those beyond were not read")


def whole(blocks: Iterator[bytes], limits: InputLimits) -> bytes:
    """All of a stream, up to `--max-size`."""
    parts, size = [], 0
    for block in blocks:
        parts.append(block)
        size += len(block)
        if size > limits.max_size:
            raise too_long(limits)
    return b"".join(parts)


def lines(blocks: Iterator[bytes], max_size: int, first: int = 1, last: int = sys.maxsize) -> Iterator[tuple[int, bytes | None]]:
    """The lines that are not blank, each with its number; None for one longer than `max_size`, which is not kept.

    Ends with the first line beyond `last`, blank or not, of which no more than the number is given.

    A line ends at a line feed only (a carriage return before it is white space to JSON, and U+2028 is part of a string); the
    last one also at the end.
    """
    number, parts, size = first, list[bytes](), 0
    for block in blocks:
        *ended, rest = block.split(b"\n")
        for piece in ended:
            if number > last:
                yield number, None
                return
            line = b"".join((*parts, piece)) if parts else piece
            size += len(piece)
            if size > max_size:
                yield number, None
            elif not _blank(line):
                yield number, line
            number += 1
            size = 0
            parts.clear()
        size += len(rest)
        if size and number > last:
            yield number, None
            return
        if size > max_size:
            parts.clear()
        elif rest:
            parts.append(rest)
    line = b"".join(parts)
    if size > max_size:
        yield number, None
    elif not _blank(line):
        yield number, line


def _blank(line: bytes) -> bool:
    return not line or (line[0] in _SPACE and not line.strip(_SPACE))
