"""Tar archives (POSIX.1-2001 pax and ustar, GNU, V7), read as a stream.

Not by `tarfile`: as a stream reader that takes a damaged header, or a file cut between two members, for the end of the
archive, reads extended headers of any size into memory, and keeps every member. Here all of these are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from wrs_verify.inputs.members import Admitted, Members, member_records
from wrs_verify.inputs.shapes import Read, Stop
from wrs_verify.inputs.streams import BLOCK, Budget, Feed

__all__ = ["read_tar"]

_SECTOR = 512

#: Extended headers hold names and attributes. Paths end at 4,096 bytes on Linux; a megabyte leaves room for attributes.
_MAX_HEADER = 1024 * 1024

#: A number: what stands before its digits or after them is read in different ways.
_OCTAL = re.compile(rb" *([0-7]*)[ \0]*")

#: Lengths from here on do not fit into a header's octal digits.
_LONG = 8**11

#: How keywords of pax headers start that tell of a sparse file.
_SPARSE = (b"GNU.sparse.", b"SCHILY.realsize", b"SUN.holesdata")

_REGULAR = b"0\x007"
_LINKS = b"12"
_WITHOUT_DATA = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"5": "a folder",
    b"6": "a FIFO",
    b"V": "a volume's label",
}


class _Header(NamedTuple):
    """A member: its name, what it is, and how many bytes of data follow."""

    name: bytes
    type: bytes
    size: int
    sparse: bool = False


def read_tar(archive: str, blocks: Iterator[bytes], budget: Budget) -> Iterator[Read]:
    """The records of a tar archive, in its order. Raises `Stop` where the archive itself cannot be read any further.

    Args:
        archive: the archive's name.
        blocks: the archive, decompressed.
        budget: what its compressed members may still expand to; with its limits.
    """
    feed = Feed(blocks)
    members = Members(archive, budget.limits.max_members)
    while (header := _next_member(feed)) is not None:
        end = feed.position + _padded(header.size)
        name = header.name.decode("utf-8", "surrogateescape")
        # V7 tar has no type for folders: they are regular files whose name ends with a slash.
        folder = header.type == b"5" or (header.type in _REGULAR and name.endswith("/"))
        link = header.type in _LINKS
        member = members.admit(name, folder=folder, obstacle=_obstacle(header), flaw=_flaw(header), link=link)
        if isinstance(member, Admitted):
            yield from member_records(member, feed.blocks(header.size), budget)
        elif member is not None:
            yield member
        feed.skip_to(end)


def _obstacle(header: _Header) -> str | None:
    if header.type == b"S":
        return "a sparse file, which is not supported in an archive"
    if header.type in _REGULAR:
        return None
    return f"{_WITHOUT_DATA.get(header.type, 'a member of an unknown type')}, not a regular file"


def _flaw(header: _Header) -> Stop | None:
    """Why a member is refused, whatever its name: some tools unpack something else than others."""
    if header.sparse:
        return Stop("unreadable-input", "a sparse file: its name, its length and what it holds depend on the tool")
    # GNU's type D is a folder with a list of what was in it.
    if header.size and header.name.endswith(b"/") and header.type != b"D":
        return Stop("unreadable-input", "a folder that holds data: some tools unpack it as a file, or take the data for members")
    return None


def _damaged(what: str) -> Stop:
    return Stop("unreadable-input", f"the archive is damaged: {what}")


def _padded(size: int) -> int:
    return -(-size // _SECTOR) * _SECTOR


def _next_member(feed: Feed) -> _Header | None:
    """The next member, its extended headers taken into account; None after the archive's end."""
    name: bytes | None = None
    size: int | None = None
    sparse = False
    kinds = b""
    while True:
        header = _header(feed)
        if header is None:
            if kinds:
                raise _damaged("it ends after an extended header")
            return None
        if header.type not in b"xXgLK":
            break
        text = _extension(feed, header.size)
        kind = header.type.lower()
        if kind in kinds:
            raise _damaged("two extended headers of one kind belong to one member")
        kinds += kind if kind != b"g" else b""
        if kind == b"k":
            continue
        values = {b"path": text.rstrip(b"\0")} if kind == b"l" else _pax(text)
        changed = {key for key in values if key in (b"path", b"size") or key.startswith(_SPARSE)}
        if kind == b"g":
            if changed:
                raise _damaged("a global header changes the names or lengths of members")
            continue
        if b"path" in values:
            if name is not None:
                raise _damaged("two extended headers name one member")
            name = values[b"path"]
        if b"size" in values:
            size = _decimal(values[b"size"])
        sparse = sparse or any(key.startswith(_SPARSE) for key in changed)
    # Some tools take such a member of V7 tar for a folder without data, whatever name an extended header gives it.
    if name is not None and header.type == b"\0" and header.name.endswith(b"/") and header.size:
        raise _damaged("a folder that holds data has another name in an extended header")
    # Some tools take what an extended header says of a volume, or of what Solaris knows of access, for the next member's.
    if kinds and header.type in b"VA":
        raise _damaged("an extended header stands before what is no file")
    # Some tools take a length here as that of data, some do not: they would find different members after it.
    if header.type in _WITHOUT_DATA and (size or header.size):
        raise _damaged("a member that can have no data has a length")
    if size is not None and size < _LONG and size != header.size:
        # Tools that do not know extended headers would find other members after it.
        raise _damaged("a member has two lengths")
    return _Header(header.name if name is None else name, header.type, header.size if size is None else size, sparse)


def _header(feed: Feed) -> _Header | None:
    """One header block, checked (POSIX.1-2017, pax, "ustar Interchange Format"); None after the end mark."""
    block = feed.take(_SECTOR)
    if block.count(0) == _SECTOR:
        while rest := feed.next(BLOCK):
            if rest.count(0) != len(rest):
                raise _damaged("data follows its end")
        return None
    total = sum(block) - sum(block[148:156]) + 8 * 0x20
    if _number(block[148:156]) != total:
        raise _damaged("the checksum of a header does not match")
    sparse_map = block[482:483] if block[156:157] == b"S" else block[386:495] if block[257:265] == b"ustar  \0" else b""
    if any(sparse_map):
        # Some tools take the blocks that follow for the rest of the map, others for data or for the next header.
        raise _damaged("a sparse file has a long map, or a member that is no sparse file has a map, which tools read in different ways")
    name, prefix = _text(block[:100]), _text(block[345:500])
    if prefix and block[257:263] == b"ustar\0":
        name = prefix + b"/" + name
    return _Header(name, block[156:157], _number(block[124:136]))


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _number(field: bytes) -> int:
    """A number in octal digits, or with the first bit set in base 256 (GNU)."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = _OCTAL.fullmatch(field)
    if not digits:
        raise _damaged("a header holds something else where a number should be")
    return int(digits[1] or b"0", 8)


def _decimal(digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > 20:
        raise _damaged("an extended header holds something else where a number should be")
    return int(digits)


def _extension(feed: Feed, size: int) -> bytes:
    if size > _MAX_HEADER:
        raise Stop("oversized-input", f"the archive has an extended header longer than {_MAX_HEADER} bytes")
    text = feed.take(size)
    feed.take(_padded(size) - size)
    return text


def _pax(text: bytes) -> dict[bytes, bytes]:
    """The records of a pax extended header: `length key=value`, the length counting itself and the newline."""
    values: dict[bytes, bytes] = {}
    start = 0
    while start < len(text):
        space = text.find(b" ", start, start + 21)
        end = start + _decimal(text[start:space] if space >= 0 else b"")
        key, equals, value = text[space + 1 : end - 1].partition(b"=")
        if not equals or text[end - 1 : end] != b"\n" or end <= space:
            raise _damaged("an extended header has a wrong length")
        if key in values and key in (b"path", b"size"):
            raise _damaged("an extended header gives a name or length twice")
        values[key] = value
        start = end
    return values
