"""Zip archives (PKWARE's APPNOTE.TXT 6.3.10), one member at a time.

Not by `zipfile`: it holds the whole directory of an archive in memory, and believes it without a look at what stands before
the members themselves, by which other tools go.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from wrs_verify.inputs.members import Admitted, Members, member_records
from wrs_verify.inputs.shapes import Read, Stop
from wrs_verify.inputs.streams import BLOCK, Budget, Feed, Seekable, expand

__all__ = ["read_zip"]

_LOCAL, _CENTRAL, _END, _END64, _LOCATOR64 = b"PK\3\4", b"PK\1\2", b"PK\5\6", b"PK\6\6", b"PK\6\7"
_METHODS = {0: "", 8: "deflate", 12: "bz2", 93: "zst"}
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000
_LENGTHS_FOLLOW, _UTF8 = 0x0008, 0x0800
_FULL = 0xFFFFFFFF


class _Entry(NamedTuple):
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


def read_zip(archive: str, stream: Seekable, budget: Budget) -> Iterator[Read]:
    """The records of a zip archive, in the order of its directory. Raises `Stop` where it cannot be read any further.

    Args:
        archive: the archive's name.
        stream: the archive.
        budget: what its members may still expand to, all together, so that members that overlap gain nothing; with its limits.
    """
    members = Members(archive, budget.limits.max_members)
    for entry in _entries(stream):
        budget.spend(0)
        name = _name(entry)
        member = members.admit(name, folder=name.endswith("/"), obstacle=_obstacle(entry))
        if isinstance(member, Admitted):
            yield from member_records(member, _data(stream, entry, budget), budget)
        elif member is not None:
            yield member


def _damaged(what: str) -> Stop:
    return Stop("unreadable-input", f"the archive is damaged: {what}")


def _at(stream: Seekable, offset: int, size: int) -> Iterator[bytes]:
    """A stretch of the archive, as a stream. Others may read elsewhere between its blocks."""
    while size:
        try:
            stream.seek(offset)
            block = stream.read(min(BLOCK, size))
        except (OSError, OverflowError, ValueError) as error:
            raise Stop("unreadable-input", "reading at a place in the archive failed") from error
        if not block:
            raise _damaged("it is cut off, or a length or place in it is wrong")
        yield block
        offset, size = offset + len(block), size - len(block)


def _take(stream: Seekable, offset: int, size: int) -> bytes:
    return b"".join(_at(stream, offset, size))


def _directory(stream: Seekable) -> tuple[int, int, int]:
    """Where the central directory starts, its length, and how many entries it has (sections 4.3.14 to 4.3.16)."""
    try:
        length = stream.seek(0, 2)
    except (OSError, ValueError) as error:
        raise Stop("unreadable-input", "a zip archive is read from its end, which cannot be reached here") from error
    tail_start = max(0, length - 22 - 0xFFFF)
    tail = _take(stream, tail_start, length - tail_start)
    found = tail.rfind(_END)
    # Some tools take the last mark, some the first whose comment ends with the file: they must be the same.
    if _ends(tail) != [found]:
        raise _damaged("no zip directory ends where it does, or two do")
    disk, first_disk, here, count, size, start = struct.unpack_from("<4H2L", tail, found + 4)
    end = tail_start + found
    if found >= 20 and tail[found - 20 : found - 16] == _LOCATOR64:
        end -= 20 + 56
        record = _take(stream, end, 56) if end >= 0 else b""
        if record[:4] != _END64 or struct.unpack_from("<Q", tail, found - 20 + 8) != (end,):
            raise _damaged("its second directory end (Zip64) is not where it should be")
        narrow = disk, first_disk, here, count, size, start
        disk, first_disk, here, count, size, start = wide = struct.unpack_from("<2L4Q", record, 16)
        # Some tools use the wide numbers only in place of narrow ones that are all ones.
        if any(short not in (long, 0xFFFF, _FULL) for short, long in zip(narrow, wide, strict=True)):
            raise _damaged("the numbers in its two directory ends differ")
    if disk or first_disk or here != count:
        raise Stop("unreadable-input", "the archive is one part of several")
    if start + size != end:
        raise _damaged("its directory is not where it should be")
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


def _entries(stream: Seekable) -> Iterator[_Entry]:
    start, size, count = _directory(stream)
    feed = Feed(_at(stream, start, size))
    for _ in range(count):
        head = feed.take(46)
        if head[:4] != _CENTRAL:
            raise _damaged("an entry of its directory is")
        made_by, _needed, flags, method, _time, crc, packed, length, names, extras, comments, disk, _inner, attributes, offset = (
            struct.unpack("<4HL3L5H2L", head[4:])
        )
        name, extra = feed.take(names), feed.take(extras)
        feed.take(comments)
        length, packed, offset = _zip64(extra, length, packed, offset)
        if disk not in (0, 0xFFFF):
            raise Stop("unreadable-input", "the archive is one part of several")
        mode = attributes >> 16 if made_by >> 8 in (3, 19) else 0
        yield _Entry(name, flags, method, crc, packed, length, mode, offset, extra)
    if feed.next(1):
        raise _damaged("its directory has more entries than it says")


def _extra_fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """Extra fields (section 4.5): number and data. What is not a field is passed over, as every tool does."""
    start = 0
    while start + 4 <= len(extra):
        number, size = struct.unpack_from("<2H", extra, start)
        yield number, extra[start + 4 : start + 4 + size]
        start += 4 + size


def _zip64(extra: bytes, *values: int) -> list[int]:
    """Lengths and offset, those that do not fit into 32 bits from the Zip64 extra field (section 4.5.3)."""
    if _FULL not in values:
        return list(values)
    field = next((data for number, data in _extra_fields(extra) if number == 1), b"")
    wide = iter([value for (value,) in struct.iter_unpack("<Q", field[: len(field) // 8 * 8])])
    try:
        return [next(wide) if value == _FULL else value for value in values]
    except StopIteration:
        raise _damaged("a Zip64 length is missing") from None


def _name(entry: _Entry) -> str:
    """A member's name: UTF-8 where the entry says so, also in the Unicode path field (section 4.6.9); else code page 437."""
    if entry.flags & _UTF8:
        return entry.name.decode("utf-8", "surrogateescape")
    for number, data in _extra_fields(entry.extra):
        if number == 0x7075 and data[:1] == b"\1" and data[1:5] == zlib.crc32(entry.name).to_bytes(4, "little"):
            return data[5:].decode("utf-8", "surrogateescape")
    return entry.name.decode("cp437")


def _obstacle(entry: _Entry) -> str | None:
    if entry.flags & _ENCRYPTED:
        return "encrypted"
    kind = stat.S_IFMT(entry.mode)
    if kind not in (0, stat.S_IFREG):
        return "a symbolic link, not a regular file" if kind == stat.S_IFLNK else "not a regular file"
    return None if entry.method in _METHODS else f"compressed in a way that is not supported (method {entry.method})"


def _data(stream: Seekable, entry: _Entry, budget: Budget) -> Iterator[bytes]:
    """The text of a member, checked: what stands before it, its length, its CRC-32."""
    head = _take(stream, entry.offset, 30)
    flags, method, _time, crc, packed, size, names, extras = struct.unpack("<2HL3L2H", head[6:])
    rest = _take(stream, entry.offset + 30, names + extras)
    if head[:4] != _LOCAL or (rest[:names], method) != (entry.name, entry.method) or flags & _ENCRYPTED:
        raise _damaged("the directory and the member's own header differ")
    lengths = (crc, *_zip64(rest[names:], size, packed))
    if not flags & _LENGTHS_FOLLOW and lengths != (entry.crc, entry.size, entry.packed):
        raise _damaged("the directory and the member's own header differ in length or checksum")
    blocks = _at(stream, entry.offset + 30 + names + extras, entry.packed)
    if entry.method:
        blocks = expand(blocks, _METHODS[entry.method], budget, single=True)
    size = found = 0
    for block in blocks:
        size += len(block)
        found = zlib.crc32(block, found)
        if not entry.method:
            budget.spend(len(block))
        if size > entry.size:
            break
        yield block
    if size != entry.size or found != entry.crc:
        raise _damaged("the member's length or checksum does not match")
