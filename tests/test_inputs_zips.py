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
    assert rules(parts_of("a.zip", patched(other, CENTRAL, 8, "<H", 1))) == [("a.zip!a.txt", "skipped")]


def test_a_name_in_the_unicode_path_field_counts() -> None:
    info = zipfile.ZipInfo("a.txt")
    info.extra = struct.pack("<2HBL", 0x7075, 5 + 6, 1, zlib.crc32(b"a.txt")) + b"a.json"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(info, b"{}")
    assert rules(parts_of("a.zip", out.getvalue())) == [("a.zip!a.json", "read")]


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
