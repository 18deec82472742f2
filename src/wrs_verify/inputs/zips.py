"""Zip archives (PKWARE's APPNOTE.TXT 6.3.10), one member at a time.

Not by `zipfile`: it holds the whole directory of an archive in memory, and believes it without a look at what stands before
the members themselves, by which other tools go. Tools read an archive by its directory, or from its start, or each in its own
way where it says a thing twice; here both ways must lead to the same members, and what is said twice must agree.
"""

from __future__ import annotations

import re
import stat
import struct
import zlib
from collections.abc import Iterator

from wrs_verify.inputs.members import Admitted, Members, member_records
from wrs_verify.inputs.shapes import Read, Refused, Skipped, Stop
from wrs_verify.inputs.streams import Budget, Seekable, expand
from wrs_verify.inputs.zip_directory import ENCRYPTED, METHODS, Entry, damaged, directory, entries, extra_fields, stretch, take, zip64

__all__ = ["read_zip"]

_LOCAL = b"PK\3\4"
_LENGTHS_FOLLOW, _UTF8 = 0x0008, 0x0800
_COMPARED = ENCRYPTED | _LENGTHS_FOLLOW | _UTF8
_DESCRIPTOR = b"PK\7\x08"
_UNICODE_PATH = 0x7075
_NOT_ASCII = re.compile(r"[^\0-\x7f]+")
_HEADER_MARK, _DESCRIPTOR_MARK = re.compile(rb"PK\x03\x04"), re.compile(rb"PK\x07\x08")
#: A data descriptor, and a member after it. `_find` takes no longer patterns.
_ENDED = re.compile(rb"PK\x07\x08(?:.{12}|.{20})PK\x03\x04", re.DOTALL)
_LONGEST = 28


class _Layout:
    """The stretches that members take up: from the archive's start to its directory, each byte is part of one member and no more.

    In whatever order members come, the stretches that meet are kept as one: mostly there is only one.
    """

    def __init__(self, end: int) -> None:
        self._end = self._left = end
        self._ends: dict[int, int] = {}
        self._starts: dict[int, int] = {}

    def add(self, start: int, end: int) -> None:
        self._left -= end - start
        if self._left < 0 or start in self._ends or end in self._starts:
            raise damaged("members of it overlap")
        first, last = self._starts.pop(start, start), self._ends.pop(end, end)
        self._ends[first], self._starts[last] = last, first

    def close(self) -> None:
        """Raises `Stop` where something is left between members, before or after them: some tools unpack what stands there."""
        if self._end and self._ends != {0: self._end}:
            raise damaged(f"at byte {self._ends.get(0, 0)} neither its directory starts, nor a member that is listed there")


def read_zip(archive: str, stream: Seekable, budget: Budget) -> Iterator[Read]:
    """The records of a zip archive, in the order of its directory. Raises `Stop` where it cannot be read any further.

    Args:
        archive: the archive's name.
        stream: the archive.
        budget: what its members may still expand to, all together, so that members that overlap gain nothing; with its limits.
    """
    members = Members(archive, budget.limits.max_members)
    start, size, count = directory(stream)
    layout = _Layout(start)
    sound = True
    for entry in entries(stream, start, size, count):
        budget.spend(0)
        name, *others = _names(entry)
        folder = name.endswith("/")
        place, flaw = 0, None
        try:
            place = _place(stream, entry, layout)
            if folder:
                _check_folder(stream, entry, place, budget)
        except Stop as stop:
            flaw, sound = stop, False
        link = stat.S_IFMT(entry.mode) == stat.S_IFLNK
        member = members.admit(name, folder=folder, obstacle=_obstacle(entry), flaw=flaw, link=link, others=others)
        if isinstance(member, Admitted):
            yield from member_records(member, _data(stream, entry, place, budget), budget)
        elif isinstance(member, Skipped):
            yield _passed_over(member, stream, entry, place, budget)
        elif member is not None:
            yield member
    if sound:
        layout.close()


def _paths(extra: bytes) -> set[bytes]:
    """The names in Unicode path fields (section 4.6.9). Tools differ in whether they check what else is in them."""
    return {data[5:] for number, data in extra_fields(extra) if number == _UNICODE_PATH}


def _agrees(entry: Entry, path: bytes) -> bool:
    """Tells whether a Unicode path can be the member's name.

    A name in a code page that the archive does not tell is not known: its ASCII characters are, and where others stand.
    """
    if entry.flags & _UTF8:
        return path == entry.name
    return _outline(path.decode("utf-8", "surrogateescape")) == _outline(entry.name.decode("latin-1"))


def _outline(name: str) -> str:
    return _NOT_ASCII.sub("\x80", name)


def _names(entry: Entry) -> list[str]:
    """A member's name, and what else tools may take for it.

    It is in UTF-8 where the entry says so; else it is in the Unicode path field, or in code page 437. Some tools guess UTF-8.
    """
    as_utf8 = entry.name.decode("utf-8", "surrogateescape")
    if entry.flags & _UTF8 or entry.name.isascii():
        return [as_utf8]
    paths = [path.decode("utf-8", "surrogateescape") for path in _paths(entry.extra) if _agrees(entry, path)]
    return [*paths, entry.name.decode("cp437"), as_utf8]


def _obstacle(entry: Entry) -> str | None:
    if entry.flags & ENCRYPTED:
        return "encrypted"
    kind = stat.S_IFMT(entry.mode)
    if kind not in (0, stat.S_IFREG):
        return "a symbolic link, not a regular file" if kind == stat.S_IFLNK else "not a regular file"
    return None if entry.method in METHODS else f"compressed in a way that is not supported (method {entry.method})"


def _place(stream: Seekable, entry: Entry, layout: _Layout) -> int:
    """Where a member's data starts. What its own header says (section 4.3.7) must be what the directory says."""
    head = take(stream, entry.offset, 30)
    flags, method, _time, crc, packed, size, names, extras = struct.unpack("<2HL3L2H", head[6:])
    rest = take(stream, entry.offset + 30, names + extras)
    if head[:4] != _LOCAL or (rest[:names], method) != (entry.name, entry.method) or (flags ^ entry.flags) & _COMPARED:
        raise damaged("the directory and the member's own header differ")
    paths = _paths(rest[names:])
    if len(paths) > 1 or paths != _paths(entry.extra) or not all(_agrees(entry, path) for path in paths):
        raise Stop("unreadable-input", "the member has another name in an extra field: which one is taken depends on the tool")
    lengths = (entry.crc, entry.size, entry.packed)
    own = (crc, *zip64(rest[names:], size, packed))
    if own != lengths and not (flags & _LENGTHS_FOLLOW and all(one in (0, right) for one, right in zip(own, lengths, strict=True))):
        raise damaged("the directory and the member's own header differ in length or checksum")
    # Of what is not compressed, some tools take the one length and some the other. Encryption puts 12 bytes before it (6.1.3).
    if not entry.method and entry.packed - entry.size != (12 if flags & 1 else 0):
        raise damaged("the member is not compressed, and has two lengths")
    place: int = entry.offset + 30 + names + extras
    end = place + entry.packed
    layout.add(entry.offset, _after_descriptor(stream, entry, end) if flags & _LENGTHS_FOLLOW else end)
    # Not before: where members overlap, this would read the same bytes for each of them.
    if flags & _LENGTHS_FOLLOW and _ends_within(stream, entry, place):
        raise _within()
    return place


def _after_descriptor(stream: Seekable, entry: Entry, start: int) -> int:
    """The end of a member's data descriptor (section 4.3.9): with or without a mark, its lengths in 8 bytes or in 4.

    Of data that is not compressed, tools that do not know the length find the end by the mark.
    """
    found = take(stream, start, 24)
    for width in (8, 4):
        for mark in (_DESCRIPTOR, b"") if entry.method else (_DESCRIPTOR,):
            if max(entry.packed, entry.size) >> 8 * width == 0:
                parts = entry.crc.to_bytes(4, "little"), entry.packed.to_bytes(width, "little"), entry.size.to_bytes(width, "little")
                descriptor = mark + b"".join(parts)
                if found.startswith(descriptor):
                    return start + len(descriptor)
    raise damaged("the lengths or the checksum that follow the member's data are not those of the directory")


def _check_folder(stream: Seekable, entry: Entry, place: int, budget: Budget) -> None:
    """Raises `Stop` unless a folder is empty. Some tools compress nothing, to a few bytes."""
    if entry.size or (entry.packed and not entry.readable):
        raise Stop("unreadable-input", "a folder that holds data: some tools unpack it as a file")
    if entry.packed:
        next(_data(stream, entry, place, budget), None)


def _passed_over(member: Skipped, stream: Seekable, entry: Entry, place: int, budget: Budget) -> Skipped | Refused:
    """A member that is not read; or its refusal, where its compressed data ends before it should and may hold another one after that.

    Of data whose length stands before it, and that is not compressed or cannot be expanded here, the length is all that tools go by.
    """
    expandable = entry.readable and entry.method
    doubtful = expandable or (entry.flags & _LENGTHS_FOLLOW and not entry.readable)
    if doubtful and _find(_HEADER_MARK, stream, place, entry.packed) is not None:
        try:
            if not expandable:
                raise _within()
            for _ in _data(stream, entry, place, budget):
                pass
        except Stop as stop:
            return Refused(member.input, stop.rule, stop.message)
    return member


def _within() -> Stop:
    return Stop(
        "unreadable-input", "the member's length follows its data, in which some tools could find an earlier end and another member"
    )


def _ends_within(stream: Seekable, entry: Entry, place: int) -> bool:
    """Tells whether a tool that does not know a member's length could find its end within its data, and another member after that.

    Where nothing is compressed, tools look for a descriptor and then for the next member. Some look for one even where the
    compressed data itself has an end, and expect the next member at once.
    """
    if entry.method:
        return _find(_ENDED, stream, place, entry.packed) is not None
    found = _find(_DESCRIPTOR_MARK, stream, place, entry.packed)
    return found is not None and _find(_HEADER_MARK, stream, found, place + entry.packed - found) is not None


def _find(pattern: re.Pattern[bytes], stream: Seekable, start: int, size: int) -> int | None:
    """Where in a stretch of the archive a pattern is first found."""
    last = b""
    for block in stretch(stream, start, size):
        last += block
        match = pattern.search(last)
        if match:
            return start + match.start()
        start += max(0, len(last) - _LONGEST)
        last = last[-_LONGEST:]
    return None


def _data(stream: Seekable, entry: Entry, place: int, budget: Budget) -> Iterator[bytes]:
    """The text of a member, checked: its length, its CRC-32."""
    blocks = stretch(stream, place, entry.packed)
    if entry.method:
        blocks = expand(blocks, METHODS[entry.method], budget, single=True)
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
        raise damaged("the member's length or checksum does not match")
