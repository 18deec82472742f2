"""The central directory of a zip archive (PKWARE's APPNOTE.TXT 6.3.10), one entry at a time."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from wrs_verify.inputs.shapes import Stop
from wrs_verify.inputs.streams import BLOCK, Feed, Seekable

__all__ = ["ENCRYPTED", "METHODS", "Entry", "damaged", "directory", "entries", "extra_fields", "stretch", "take", "zip64"]

_CENTRAL, _END, _END64, _LOCATOR64 = b"PK\1\2", b"PK\5\6", b"PK\6\6", b"PK\6\7"
#: The methods of compression that are read, as `streams.expand` calls them, and the flags of the kinds of encryption (section 4.4.4).
METHODS = {0: "", 8: "deflate", 12: "bz2", 93: "zst"}
ENCRYPTED = 0x0001 | 0x0040 | 0x2000
_FULL = 0xFFFFFFFF
#: Hosts whose entries have a Unix mode: Unix, macOS, and MS-DOS, where tools disagree on whether it counts.
_UNIX = (0, 3, 19)


class Entry(NamedTuple):
    """A member, as the central directory has it (section 4.3.12). `packed` and `size` are its lengths in bytes."""

    name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    mode: int
    offset: int
    extra: bytes

    @property
    def readable(self) -> bool:
        """Whether its data can be expanded here."""
        return self.method in METHODS and not self.flags & ENCRYPTED


def damaged(what: str) -> Stop:
    """The end of an archive that is not what it says."""
    return Stop("unreadable-input", f"the archive is damaged: {what}")


def stretch(stream: Seekable, offset: int, size: int) -> Iterator[bytes]:
    """A stretch of the archive, in blocks. Others may read elsewhere between them. Raises `Stop` where it is not all there."""
    while size:
        try:
            stream.seek(offset)
            block = stream.read(min(BLOCK, size))
        except (OSError, OverflowError, ValueError) as error:
            raise Stop("unreadable-input", "reading at a place in the archive failed") from error
        if not block:
            raise damaged("it is cut off, or a length or place in it is wrong")
        yield block
        offset, size = offset + len(block), size - len(block)


def take(stream: Seekable, offset: int, size: int) -> bytes:
    """A stretch of the archive, which must be short: all of it is held. Raises `Stop` where it is not all there."""
    return b"".join(stretch(stream, offset, size))


def directory(stream: Seekable) -> tuple[int, int, int]:
    """Where the central directory starts, its length, and how many entries it has (sections 4.3.14 to 4.3.16).

    Raises `Stop` where there is none, or where tools would find different ones.
    """
    try:
        length = stream.seek(0, 2)
    except (OSError, ValueError) as error:
        raise Stop("unreadable-input", "a zip archive is read from its end, which cannot be reached here") from error
    tail_start = max(0, length - 22 - 0xFFFF)
    tail = take(stream, tail_start, length - tail_start)
    found = tail.rfind(_END)
    # Some tools take the last mark, some the first whose comment ends with the file: they must be the same.
    if _ends(tail) != [found]:
        raise damaged("no zip directory ends where it does, or two do")
    disk, first_disk, here, count, size, start = struct.unpack_from("<4H2L", tail, found + 4)
    end = tail_start + found
    if found >= 20 and tail[found - 20 : found - 16] == _LOCATOR64:
        end -= 20 + 56
        record = take(stream, end, 56) if end >= 0 else b""
        if record[:4] != _END64 or struct.unpack_from("<Q", tail, found - 20 + 8) != (end,):
            raise damaged("its second directory end (Zip64) is not where it should be")
        narrow = disk, first_disk, here, count, size, start
        disk, first_disk, here, count, size, start = wide = struct.unpack_from("<2L4Q", record, 16)
        # Some tools use the wide numbers only in place of narrow ones that are all ones.
        if any(short not in (long, 0xFFFF, _FULL) for short, long in zip(narrow, wide, strict=True)):
            raise damaged("the numbers in its two directory ends differ")
    if disk or first_disk or here != count:
        raise Stop("unreadable-input", "the archive is one part of several")
    if start + size != end:
        raise damaged("its directory is not where it should be")
    return start, size, count


def _ends(tail: bytes) -> list[int]:
    """Where directory ends start whose comments reach to the end of the file."""
    starts = []
    start = tail.find(_END)
    while 0 <= start <= len(tail) - 22:
        if start + 22 + int.from_bytes(tail[start + 20 : start + 22], "little") == len(tail):
            starts.append(start)
        start = tail.find(_END, start + 1)
    return starts


def entries(stream: Seekable, start: int, size: int, count: int) -> Iterator[Entry]:
    """The entries of the directory, given what `directory` says of it. Raises `Stop` where it is damaged, at the end too."""
    feed = Feed(stretch(stream, start, size))
    for _ in range(count):
        head = feed.take(46)
        if head[:4] != _CENTRAL:
            raise damaged("an entry of its directory is")
        made_by, _needed, flags, method, _time, crc, packed, length, names, extras, comments, disk, _inner, attributes, offset = (
            struct.unpack("<4HL3L5H2L", head[4:])
        )
        name, extra = feed.take(names), feed.take(extras)
        feed.take(comments)
        length, packed, offset = zip64(extra, length, packed, offset)
        if disk not in (0, 0xFFFF):
            raise Stop("unreadable-input", "the archive is one part of several")
        mode = attributes >> 16 if made_by >> 8 in _UNIX else 0
        yield Entry(name, flags, method, crc, packed, length, mode, offset, extra)
    if feed.next(1):
        raise damaged("its directory has more entries than it says")


def extra_fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """Extra fields (section 4.5): number and data. What is not a field is passed over, as every tool does."""
    start = 0
    while start + 4 <= len(extra):
        number, size = struct.unpack_from("<2H", extra, start)
        yield number, extra[start + 4 : start + 4 + size]
        start += 4 + size


def zip64(extra: bytes, *values: int) -> list[int]:
    """Lengths and offset: where one does not fit into 32 bits, from the Zip64 extra field (section 4.5.3). Raises `Stop` without it."""
    if _FULL not in values:
        return list(values)
    fields = [data for number, data in extra_fields(extra) if number == 1]
    field = fields[0] if len(fields) == 1 else b""
    wide = iter([value for (value,) in struct.iter_unpack("<Q", field[: len(field) // 8 * 8])])
    try:
        return [next(wide) if value == _FULL else value for value in values]
    except StopIteration:
        raise damaged("a Zip64 length is missing, or is there twice") from None
