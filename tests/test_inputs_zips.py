"""Zip archives in particular. Hostile ones are put together by hand."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from pathlib import Path

import pytest
from test_inputs_archives import make_zip, parts_of, rules

from wrs_verify.inputs import Item, Refused, Selection, Source, find, read
from wrs_verify.inputs.streams import BLOCK

LOCAL, CENTRAL, END = b"PK\3\4", b"PK\1\2", b"PK\5\6"


def patched(data: bytes, mark: bytes, offset: int, format: str, value: int) -> bytes:
    """An archive in which the first structure with this mark has another value at this offset."""
    out = bytearray(data)
    struct.pack_into(format, out, data.index(mark) + offset, value)
    return bytes(out)


ONE = make_zip({"a.json": b"{}"}, zipfile.ZIP_STORED)
PACKED = make_zip({"a.json": b"{}" * 100})


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("data", "offset", "format", "value"),
    [
        (ONE, 16, "<L", 0),  # CRC
        (ONE, 20, "<L", 1),  # packed length
        (ONE, 24, "<L", 1),  # length
        (ONE, 10, "<H", 8),  # method
        (ONE, 10, "<H", 99),
        (ONE, 8, "<H", 1),  # flags: encrypted
        (ONE, 8, "<H", 0x40),
        (ONE, 42, "<L", 1),  # offset
        (ONE, 42, "<L", 1_000_000),
        (ONE, 38, "<L", (stat.S_IFLNK | 0o777) << 16),
        (ONE, 38, "<L", (stat.S_IFIFO | 0o777) << 16),
        (PACKED, 20, "<L", 5),
        (PACKED, 24, "<L", 100),
    ],
)
def test_a_zip_member_that_is_not_what_the_directory_says_is_refused(data: bytes, offset: int, format: str, value: int) -> None:
    assert rules(parts_of("a.zip", patched(data, CENTRAL, offset, format, value))) == [("a.zip!a.json", "unreadable-input")]


@pytest.mark.parametrize(
    ("offset", "format", "value"),
    [
        (0, "<L", 0),
        (6, "<H", 1),  # flags: encrypted
        (8, "<H", 8),  # method
        (14, "<L", 0),  # CRC
        (18, "<L", 1),  # packed length
        (22, "<L", 1),  # length
        (26, "<H", 5),  # length of the name
        (28, "<H", 60_000),  # length of the extra fields
        (30, "<H", 0),  # the name
    ],
)
def test_a_zip_members_own_header_must_agree(offset: int, format: str, value: int) -> None:
    assert rules(parts_of("a.zip", patched(ONE, LOCAL, offset, format, value))) == [("a.zip!a.json", "unreadable-input")]


def test_a_length_after_the_data_must_be_right_too() -> None:
    """Lengths agree in both headers, and are wrong."""
    for length in (1, 3):
        wrong = patched(patched(PACKED, CENTRAL, 24, "<L", length), LOCAL, 22, "<L", length)
        assert rules(parts_of("a.zip", wrong)) == [("a.zip!a.json", "unreadable-input")]
    wrong = patched(patched(ONE, CENTRAL, 16, "<L", 7), LOCAL, 14, "<L", 7)
    assert rules(parts_of("a.zip", wrong)) == [("a.zip!a.json", "unreadable-input")]


def test_what_follows_compressed_data_in_a_zip_member_is_refused() -> None:
    packed = zlib.compress(b"{}", wbits=-15)
    longer = len(packed) + 4
    data = make_zip({"a.json": b"{}"})
    at = data.index(CENTRAL)
    data = patched(patched(data[:at] + b"more" + data[at:], LOCAL, 18, "<L", longer), CENTRAL, 20, "<L", longer)
    data = patched(data, END, 16, "<L", at + 4)
    assert rules(parts_of("a.zip", data)) == [("a.zip!a.json", "unreadable-input")]


@pytest.mark.parametrize(
    ("mark", "offset", "format", "value"),
    [
        (CENTRAL, 0, "<L", 0),
        (CENTRAL, 28, "<H", 60_000),  # length of the name
        (CENTRAL, 34, "<H", 1),  # disk
        (CENTRAL, 42, "<L", 0xFFFFFFFF),  # offset in a Zip64 field that is not there
        (END, 4, "<H", 1),  # disk
        (END, 8, "<H", 2),  # entries here
        (END, 12, "<L", 10),  # size of the directory
        (END, 16, "<L", 1),  # its place
        (END, 20, "<H", 1),  # length of the comment
    ],
)
def test_a_zip_archive_with_a_damaged_directory_is_refused(mark: bytes, offset: int, format: str, value: int) -> None:
    assert rules(parts_of("a.zip", patched(ONE, mark, offset, format, value))) == [("a.zip", "unreadable-input")]


def test_the_number_of_entries_must_be_right() -> None:
    two = make_zip({"a.json": b"{}", "b.json": b"{}"})
    for count, read_first in ((1, 1), (3, 2)):
        wrong = patched(patched(two, END, 8, "<H", count), END, 10, "<H", count)
        names = [("a.zip!a.json", "read"), ("a.zip!b.json", "read")]
        assert rules(parts_of("a.zip", wrong)) == [*names[:read_first], ("a.zip", "unreadable-input")]


def test_two_directories_or_other_data_around_a_zip_archive_are_refused() -> None:
    inner = ONE[ONE.index(END) :]
    for data in (ONE + b"x", b"x" + ONE, ONE + ONE, ONE[:-2] + struct.pack("<H", len(ONE)) + ONE, ONE[:-2] + b"\x17\0" + inner + b"x"):
        assert rules(parts_of("a.zip", data)) == [("a.zip", "unreadable-input")]
    commented = ONE[:-2] + struct.pack("<H", 7) + b"comment"
    assert rules(parts_of("a.zip", commented)) == [("a.zip!a.json", "read")]


def test_no_zip_archive_that_is_cut_off_passes() -> None:
    for size in range(len(PACKED)):
        assert rules(parts_of("a.zip", PACKED[:size])) == [("a.zip", "unreadable-input")]


def test_folders_in_a_zip_archive_are_no_inputs() -> None:
    assert rules(parts_of("a.zip", make_zip({"d/": b"", "d.json/": b"", "d/a.json": b"{}"}))) == [("a.zip!d/a.json", "read")]


def test_encrypted_members_that_are_no_records_are_passed_over() -> None:
    other = make_zip({"a.txt": b"{}"})
    assert rules(parts_of("a.zip", patched(patched(other, CENTRAL, 8, "<H", 1), LOCAL, 6, "<H", 1))) == [("a.zip!a.txt", "skipped")]


def unicode_path(raw: bytes, path: bytes, crc: int | None = None) -> bytes:
    return struct.pack("<2HBL", 0x7075, 5 + len(path), 1, zlib.crc32(raw) if crc is None else crc) + path


def member(
    name: bytes = b"a.json",
    data: bytes = b"{}",
    *,
    flags: int = 0,
    method: int = 0,
    packed: bytes | None = None,
    follows: bytes = b"",
    known: bool = True,
    local: bytes = b"",
    central: bytes = b"",
    attributes: int = 0,
) -> tuple[bytes, bytes]:
    """A member as it stands in an archive, and its entry in the directory, in which its place is still to be filled in.

    `follows`: what stands after the data. `known`: whether its own header tells the lengths. `local` and `central` are extra fields.
    """
    packed = data if packed is None else packed
    lengths = zlib.crc32(data), len(packed), len(data)
    own = LOCAL + struct.pack("<5H3L2H", 20, flags, method, 0, 0, *(lengths if known else (0, 0, 0)), len(name), len(local))
    start = CENTRAL + struct.pack("<6H3L5HLL", 3 << 8, 20, flags, method, 0, 0, *lengths, len(name), len(central), 0, 0, 0, attributes, 0)
    return own + name + local + packed + follows, start + name + central


def archived(*parts: tuple[bytes, bytes] | bytes, order: int = 1) -> bytes:
    """An archive of members, and of what else stands between them. `order` -1: its directory lists the last one first."""
    out, entries = b"", list[bytes]()
    for part in parts:
        if isinstance(part, tuple):
            entries.append(part[1][:42] + struct.pack("<L", len(out)) + part[1][46:])
        out += part if isinstance(part, bytes) else part[0]
    directory = b"".join(entries[::order])
    return out + directory + END + struct.pack("<4H2LH", 0, 0, len(entries), len(entries), len(directory), len(out), 0)


def descriptor(data: bytes = b"{}", packed: int | None = None, *, mark: bytes = b"PK\7\x08", format: str = "<L2L") -> bytes:
    return mark + struct.pack(format, zlib.crc32(data), len(data) if packed is None else packed, len(data))


def deflated(data: bytes) -> bytes:
    return zlib.compress(data, wbits=-15)


def zip_rules(data: bytes) -> list[tuple[str, str]]:
    return [(name.removeprefix("a.zip"), rule) for name, rule in rules(parts_of("a.zip", data))]


HIDDEN = member(b"hidden.json")[0]
GOOD = member(b"good.json")


@pytest.mark.parametrize(
    ("raw", "path", "flags", "name"),
    [
        (b"a.json", b"a.json", 0, "a.json"),
        ("é.json".encode(), "é.json".encode(), 0x800, "é.json"),
        ("é.json".encode(), "é.json".encode(), 0, "é.json"),
        (b"\x82.json", "é.json".encode(), 0, "é.json"),  # code page 437
        (b"\xe9.json", "é.json".encode(), 0, "é.json"),  # another one
    ],
)
def test_a_unicode_path_that_can_be_the_name_is_it(raw: bytes, path: bytes, flags: int, name: str) -> None:
    field = unicode_path(raw, path)
    assert zip_rules(archived(member(raw, flags=flags, local=field, central=field))) == [(f"!{name}", "read")]


@pytest.mark.parametrize(
    ("raw", "path", "flags"),
    [
        (b"b.json", b"b.text", 0),
        (b"b.text", b"b.json", 0),
        (b"b.json", b"c.json", 0),
        (b"b.json", b"d/b.json", 0),
        (b"b.json", b"b.json/", 0),
        (b"b.json", b"", 0),
        (b"\x82.json", "é.text".encode(), 0),
        (b"\x82.json", ".jsoné".encode(), 0),
        (b"\x82.json", b".json", 0),
        ("é.json".encode(), "è.json".encode(), 0x800),
    ],
)
def test_a_unicode_path_that_is_another_name_is_refused(raw: bytes, path: bytes, flags: int) -> None:
    """Also where the checksum in it is not that of the name: not every tool looks at it."""
    for field in (unicode_path(raw, path), unicode_path(raw, path, crc=0)):
        [first, second] = zip_rules(archived(member(raw, flags=flags, local=field, central=field), GOOD))
        assert (first[1], second) == ("unreadable-input", ("!good.json", "read"))


def test_a_unicode_path_must_be_in_both_headers_and_once() -> None:
    raw = b"\x82.json"
    one, other = unicode_path(raw, "é.json".encode()), unicode_path(raw, "è.json".encode())
    for local, central in ((one, b""), (b"", one), (one, other), (one + other, one + other)):
        assert [rule for _, rule in zip_rules(archived(member(raw, local=local, central=central)))] == ["unreadable-input"]


def test_names_that_are_the_same_to_some_tools_only_are_refused() -> None:
    """Two fields for one name; a name that is the same once it is taken for UTF-8."""
    one, other = unicode_path(b"\xe9.json", "é.json".encode()), unicode_path(b"\xe9.json", "è.json".encode())
    twice = archived(member(b"\xe9.json", local=one, central=one), member(b"\xe9.json", local=other, central=other))
    guessed = archived(member("é.json".encode(), flags=0x800), member("É.json".encode()))
    for data in (twice, guessed):
        assert [rule for _, rule in zip_rules(data)] == ["read", "unsafe-path"]
    assert zip_rules(archived(member("a.js\u200bon".encode()))) == [("!a.jsΓÇïon", "unsafe-path")]


@pytest.mark.parametrize("place", ["before", "between", "after"])
@pytest.mark.parametrize("what", [HIDDEN, member(b"a.json", b"[]")[0], b"x", bytes(64), b"PK\7\x08"])
def test_what_the_directory_does_not_list_is_refused(what: bytes, place: str) -> None:
    """A tool that reads the archive from its start unpacks a member that stands there."""
    parts: list[tuple[bytes, bytes] | bytes] = [member(), GOOD]
    parts.insert(("before", "between", "after").index(place), what)
    assert zip_rules(archived(*parts)) == [("!a.json", "read"), ("!good.json", "read"), ("", "unreadable-input")]


def test_an_archive_that_lists_no_member_of_its_own_is_refused() -> None:
    assert zip_rules(archived(HIDDEN)) == [("", "unreadable-input")]


def test_the_directory_may_list_members_in_any_order() -> None:
    parts = [member(b"%d.json" % number) for number in range(4)]
    assert zip_rules(archived(*parts, order=-1)) == [(f"!{number}.json", "read") for number in (3, 2, 1, 0)]
    data = archived(*parts)
    at, size = data.index(CENTRAL), len(parts[0][1])
    entries = [data[at + number * size : at + (number + 1) * size] for number in (2, 0, 3, 1)]
    mixed = data[:at] + b"".join(entries) + data[data.index(END) :]
    assert zip_rules(mixed) == [(f"!{number}.json", "read") for number in (2, 0, 3, 1)]


def test_members_that_overlap_are_refused() -> None:
    inner = member(b"b.json")
    outer = member(b"a.txt", inner[0])
    start = len(outer[0]) - len(inner[0])
    directory = outer[1] + inner[1][:42] + struct.pack("<L", start) + inner[1][46:]
    end = END + struct.pack("<4H2LH", 0, 0, 2, 2, len(directory), len(outer[0]), 0)
    assert zip_rules(outer[0] + directory + end) == [("!a.txt", "skipped"), ("!b.json", "unreadable-input")]
    # Others stand where the second one would have to be for the lengths to add up.
    gap = bytes(100)
    end = END + struct.pack("<4H2LH", 0, 0, 2, 2, len(directory), len(outer[0] + gap), 0)
    assert zip_rules(outer[0] + gap + directory + end) == [("!a.txt", "skipped"), ("!b.json", "unreadable-input")]
    middle = member(b"a.txt", inner[0] + b"x")
    directory = middle[1] + directory[len(outer[1]) :]
    end = END + struct.pack("<4H2LH", 0, 0, 2, 2, len(directory), len(middle[0] + gap), 0)
    assert zip_rules(middle[0] + gap + directory + end) == [("!a.txt", "skipped"), ("!b.json", "read"), ("", "unreadable-input")]


@pytest.mark.parametrize("name", [b"a.json", b"a.txt", b"a/"])
@pytest.mark.parametrize(
    ("offset", "format", "value"),
    [(6, "<H", 1), (6, "<H", 8), (6, "<H", 0x800), (8, "<H", 8), (14, "<L", 1), (18, "<L", 1), (22, "<L", 1), (30, "<B", 66)],
)
def test_every_members_own_header_must_agree(name: bytes, offset: int, format: str, value: int) -> None:
    data = archived(member(name, b"" if name == b"a/" else b"{}"), GOOD)
    [first, second] = zip_rules(patched(data, LOCAL, offset, format, value))
    assert (first[1], second) == ("unreadable-input", ("!good.json", "read"))


@pytest.mark.parametrize("name", ["a.json", "a.txt"])
@pytest.mark.parametrize("method", [0, 8])
@pytest.mark.parametrize(("mark", "format"), [(b"PK\7\x08", "<L2L"), (b"", "<L2L"), (b"PK\7\x08", "<L2Q"), (b"", "<L2Q")])
def test_lengths_may_follow_the_data_in_four_ways(name: str, method: int, mark: bytes, format: str) -> None:
    packed = deflated(b"{}") if method else b"{}"
    follows = descriptor(packed=len(packed), mark=mark, format=format)
    for known in (True, False):
        one = member(name.encode(), flags=8, method=method, packed=packed, follows=follows, known=known)
        rule = "read" if name == "a.json" else "skipped"
        assert zip_rules(archived(one, GOOD)) == [(f"!{name}", rule if method or mark else "unreadable-input"), ("!good.json", "read")]


@pytest.mark.parametrize("follows", [b"", descriptor(b"[]"), descriptor(packed=3), descriptor()[:-1] + b"\1", descriptor()[1:]])
def test_what_follows_the_data_must_be_right(follows: bytes) -> None:
    for name in ("a.json", "a.txt"):
        one = member(name.encode(), flags=8, follows=follows, known=False)
        assert zip_rules(archived(one, GOOD)) == [(f"!{name}", "unreadable-input"), ("!good.json", "read")]


def test_the_length_of_a_large_member_takes_8_bytes() -> None:
    """Nothing so large is there: only the length is."""
    field = struct.pack("<2HQ", 1, 8, 2**33)
    packed = deflated(b"{}")
    for format, rule in (("<L2Q", "skipped"), ("<L2L", "unreadable-input")):
        length = 2**33 if format == "<L2Q" else 0
        follows = b"PK\7\x08" + struct.pack(format, zlib.crc32(b"{}"), len(packed), length)
        own, entry = member(b"a.txt", flags=8, method=8, packed=packed, follows=follows, known=False, central=field)
        assert zip_rules(archived((own, entry[:24] + b"\xff" * 4 + entry[28:]))) == [("!a.txt", rule)]


@pytest.mark.parametrize("name", ["a.json", "a.txt"])
def test_a_member_that_is_not_compressed_has_one_length(name: str) -> None:
    data = patched(patched(archived(member(name.encode(), HIDDEN)), LOCAL, 22, "<L", 0), CENTRAL, 24, "<L", 0)
    assert zip_rules(data) == [(f"!{name}", "unreadable-input")]


@pytest.mark.parametrize("name", ["a.json", "a.txt"])
@pytest.mark.parametrize("between", [b"", b"x"])
def test_data_in_which_a_tool_could_find_its_end_is_refused(name: str, between: bytes) -> None:
    data = b"{}" + descriptor() + between + HIDDEN
    one = member(name.encode(), data, flags=8, follows=descriptor(data), known=False)
    assert zip_rules(archived(one, GOOD)) == [(f"!{name}", "unreadable-input"), ("!good.json", "read")]
    # Whoever knows the length does not look for it.
    assert zip_rules(archived(member(b"a.txt", data), GOOD)) == [("!a.txt", "skipped"), ("!good.json", "read")]


def test_the_mark_of_an_end_is_found_across_blocks() -> None:
    for length in range(BLOCK - 60, BLOCK + 2):
        data = b" " * length + descriptor() + HIDDEN
        one = member(b"a.txt", data, flags=8, follows=descriptor(data), known=False)
        assert zip_rules(archived(one)) == [("!a.txt", "unreadable-input")]


def test_an_archive_in_an_archive_whose_lengths_follow_is_passed_over() -> None:
    one = member(b"inner.zip", ONE, flags=8, follows=descriptor(ONE), known=False)
    assert zip_rules(archived(one)) == [("!inner.zip", "skipped")]


@pytest.mark.parametrize("flags", [0, 8])
def test_another_member_within_compressed_data_is_refused_though_it_is_passed_over(flags: int) -> None:
    """The compressed data ends before the length that the headers tell; a tool that goes by its end finds the other member."""
    short = deflated(b"{}")
    packed = short + (descriptor(packed=len(short), mark=b"") if flags else b"") + HIDDEN
    one = member(b"a.txt", flags=flags, method=8, packed=packed, follows=descriptor(packed=len(packed)) if flags else b"")
    assert zip_rules(archived(one, GOOD)) == [("!a.txt", "unreadable-input"), ("!good.json", "read")]


@pytest.mark.parametrize("name", ["a.json", "a.txt"])
def test_a_descriptor_within_compressed_data_is_refused(name: str) -> None:
    """In a block that is not compressed (RFC 1951, section 3.2.4)."""
    data = descriptor() + HIDDEN
    packed = b"\1" + struct.pack("<2H", len(data), len(data) ^ 0xFFFF) + data
    one = member(name.encode(), data, flags=8, method=8, packed=packed, follows=descriptor(data, len(packed)), known=False)
    assert zip_rules(archived(one, GOOD)) == [(f"!{name}", "unreadable-input"), ("!good.json", "read")]


def test_a_header_within_compressed_data_that_ends_where_it_should_does_no_harm() -> None:
    packed = b"\1" + struct.pack("<2H", len(HIDDEN), len(HIDDEN) ^ 0xFFFF) + HIDDEN
    one = member(b"a.txt", HIDDEN, flags=8, method=8, packed=packed, follows=descriptor(HIDDEN, len(packed)), known=False)
    assert zip_rules(archived(one, GOOD)) == [("!a.txt", "skipped"), ("!good.json", "read")]


@pytest.mark.parametrize(("flags", "method"), [(8 | 1, 8), (8, 99)])
def test_a_header_within_data_that_cannot_be_read_is_refused_where_its_length_follows(flags: int, method: int) -> None:
    one = member(b"a.txt", HIDDEN, flags=flags, method=method, follows=descriptor(HIDDEN), known=False)
    assert zip_rules(archived(one, GOOD)) == [("!a.txt", "unreadable-input"), ("!good.json", "read")]
    before = member(b"a.txt", HIDDEN, flags=flags & 1, method=method)
    assert zip_rules(archived(before, GOOD)) == [("!a.txt", "skipped"), ("!good.json", "read")]


def test_folders_that_hold_data_are_refused() -> None:
    nothing = b"\3\0"
    empty = member(b"d/", b"", method=8, packed=nothing)
    assert zip_rules(archived(empty, member(b"e.json/", b""), GOOD)) == [("!good.json", "read")]
    for folder in (
        member(b"b.json/"),
        member(b"b.json/", method=8, packed=deflated(b"{}")),
        member(b"b.json/", b"", method=8, packed=deflated(b"{}")),
        member(b"b.json/", b"", method=99, packed=nothing),
        member(b"b.json/", b"", method=8, packed=nothing, flags=1),
    ):
        assert zip_rules(archived(folder, GOOD)) == [("!b.json", "unreadable-input"), ("!good.json", "read")]


def test_what_is_below_a_link_in_a_zip_archive_is_refused() -> None:
    link = member(b"d", b"..", attributes=(stat.S_IFLNK | 0o777) << 16)
    assert zip_rules(archived(link, member(b"d/a.json"), GOOD)) == [("!d", "skipped"), ("!d/a.json", "unsafe-path"), ("!good.json", "read")]
    named = unicode_path(b"\xe9", "é".encode())
    link = member(b"\xe9", b"..", attributes=(stat.S_IFLNK | 0o777) << 16, local=named, central=named)
    for name, flags in (("é/a.json".encode(), 0x800), (b"\xe9/a.json", 0), ("Θ/a.json".encode(), 0x800)):
        assert [rule for _, rule in zip_rules(archived(link, member(name, flags=flags), GOOD))] == ["skipped", "unsafe-path", "read"]


def test_a_place_beyond_what_files_can_have_is_refused() -> None:
    own, entry = member(central=struct.pack("<2HQ", 1, 8, 2**64 - 1))
    far = own + entry[:42] + b"\xff" * 4 + entry[46:]
    end = END + struct.pack("<4H2LH", 0, 0, 1, 1, len(entry), len(own), 0)
    assert zip_rules(far + end) == [("!a.json", "unreadable-input")]


def test_a_zip64_field_may_be_there_once() -> None:
    field = struct.pack("<2H2Q", 1, 16, 2, 2)
    for local, rule in ((field, "read"), (field + field, "unreadable-input"), (b"", "unreadable-input")):
        own, entry = member(local=local)
        own = own[:18] + b"\xff" * 8 + own[26:]
        assert zip_rules(archived((own, entry))) == [("!a.json", rule)]


def test_members_that_share_their_data_gain_nothing() -> None:
    """Many entries of the directory for one member: each name but the first differs from the member's own."""
    at, end = ONE.index(CENTRAL), ONE.index(END)
    entries = b"".join(ONE[at:end].replace(b"a.json", b"%c.json" % letter) for letter in b"abcdefgh")
    data = ONE[:at] + entries + END + struct.pack("<4H2LH", 0, 0, 8, 8, len(entries), at, 0)
    assert rules(parts_of("a.zip", data)) == [("a.zip!a.json", "read")] + [
        (f"a.zip!{letter}.json", "unreadable-input") for letter in "bcdefgh"
    ]


def test_a_name_is_text_up_to_its_end() -> None:
    null = make_zip({"a.json_.txt": b"{}"}).replace(b"a.json_.txt", b"a.json\0.txt")
    assert rules(parts_of("a.zip", null)) == [("a.zip!a.json\0.txt", "unsafe-path")]
    assert rules(parts_of("a.zip", make_zip({"é.json": b"{}"}).replace("é".encode(), b"\xe9\xe9"))) == [("a.zip!\\xe9\\xe9.json", "read")]
    old = patched(patched(make_zip({"é.json": b"{}"}), CENTRAL, 8, "<H", 0), LOCAL, 6, "<H", 0).replace("é".encode(), b"\x82\x82")
    assert rules(parts_of("a.zip", old)) == [("a.zip!éé.json", "read")]


def test_the_second_member_of_one_name_is_refused() -> None:
    twice = make_zip({"a.json": b"1", "b.json": b"2"}).replace(b"b.json", b"a.json")
    assert rules(parts_of("a.zip", twice)) == [("a.zip!a.json", "read"), ("a.zip!a.json", "unsafe-path")]


def test_an_archive_that_can_only_be_read_from_its_start_is_refused() -> None:
    reader, writer = os.pipe()
    os.write(writer, ONE)
    os.close(writer)
    Path("pipe.zip").symlink_to(f"/dev/fd/{reader}")
    [source] = find(Selection(("pipe.zip",)))
    assert isinstance(source, Source)
    [refused] = read(source)
    os.close(reader)
    assert isinstance(refused, Refused)
    assert "read from its end" in refused.message


def test_a_zip64_archive_whose_two_ends_differ_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    data = make_zip({"a.json": b"{}", "b.json": b"{}"})
    narrow = patched(patched(data, END, 8, "<H", 1), END, 10, "<H", 1)
    assert rules(parts_of("a.zip", narrow)) == [("a.zip", "unreadable-input")]


def test_a_zip_archive_written_to_a_pipe_is_read() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: object) -> int:
            raise io.UnsupportedOperation

        def tell(self) -> int:
            raise io.UnsupportedOperation

    out = Pipe()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.json", "w", force_zip64=True) as member:
        member.write(b"{}")
    assert parts_of("a.zip", out.getvalue()) == [Item("a.zip!a.json", None, b"{}")]


def test_a_zip64_archive_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 10)
    data = make_zip({"a.json": b"{}", "b.json": b'{"longer": "than ten bytes"}'}, zipfile.ZIP_STORED)
    assert b"PK\6\6" in data
    assert [part[0] for part in parts_of("a.zip", data)] == ["a.zip!a.json", "a.zip!b.json"]
    for changed in (data.replace(b"PK\6\6", b"PK\6\0"), data.replace(b"PK\6\6", b"PK\6\6" + b"\0", 1)):
        assert ("a.zip", "unreadable-input") in rules(parts_of("a.zip", changed))
