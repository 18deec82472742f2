"""Tar archives in particular. Hostile ones are put together by hand."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from test_inputs_archives import make_tar, parts_of, rules

from wrs_verify.inputs import Item, Refused, Selection, Source, find, read


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def tar_header(name: bytes, size: int | bytes = 0, type: bytes = b"0", magic: bytes = b"ustar\x0000", prefix: bytes = b"") -> bytes:
    number = size if isinstance(size, bytes) else b"%011o\0" % size
    start = name.ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + number + b"00000000000\0" + b" " * 8
    block = start + type + bytes(100) + magic + bytes(80) + prefix.ljust(167, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def tar_member(name: bytes, data: bytes, **header: Any) -> bytes:
    return tar_header(name, len(data), **header) + data + bytes(-len(data) % 512)


def pax(**values: bytes) -> bytes:
    out = b""
    for key, value in values.items():
        body = b" " + key.replace("__", ".").encode() + b"=" + value + b"\n"
        length = next(n for n in range(len(body), len(body) + 10) if len(str(n)) + len(body) == n)
        out += str(length).encode() + body
    return out


TAR_END = bytes(1024)


def test_null_characters_and_empty_names_are_unsafe() -> None:
    tar = tar_member(b"x", pax(path=b"a.json\0.txt"), type=b"x") + tar_member(b"a", b"{}") + tar_member(b"", b"{}") + TAR_END
    assert rules(parts_of("a.tar", tar)) == [("a.tar!a.json\0.txt", "unsafe-path"), ("a.tar!", "unsafe-path")]


def test_names_are_text_and_without_dot_components() -> None:
    tar = tar_member(b"./a.json", b"{}") + tar_member(b"b//\xff.json", b"{}") + tar_header(b"./", type=b"5") + TAR_END
    assert rules(parts_of("a.tar", tar)) == [("a.tar!a.json", "read"), ("a.tar!b/\\xff.json", "read")]


def test_the_second_member_of_one_name_is_refused() -> None:
    tar = tar_member(b"a.json", b"1") + tar_member(b"./a.json", b"2") + tar_member(b"a.txt", b"") * 2 + TAR_END
    expected = [("a.tar!a.json", "read"), ("a.tar!a.json", "unsafe-path"), ("a.tar!a.txt", "skipped"), ("a.tar!a.txt", "skipped")]
    assert rules(parts_of("a.tar", tar)) == expected


def test_what_is_written_through_a_link_is_refused() -> None:
    """A tool that does not remove the link first writes to where it leads: over another member, or outside the folder."""
    linked = tar_header(b"a.txt", type=b"1") + tar_member(b"A.TXT", b"{}") + tar_member(b"a.txt", b"{}")
    below = tar_header(b"l", type=b"2") + tar_member(b"L/a.json", b"{}") + tar_header(b"l/d", type=b"5") + tar_member(b"ll/b.json", b"{}")
    again = tar_header(b"l", type=b"2") + tar_header(b"l/", type=b"2")
    assert rules(parts_of("a.tar", linked + below + again + TAR_END)) == [
        ("a.tar!a.txt", "skipped"),
        ("a.tar!A.TXT", "unsafe-path"),
        ("a.tar!a.txt", "unsafe-path"),
        ("a.tar!l", "skipped"),
        ("a.tar!L/a.json", "unsafe-path"),
        ("a.tar!l/d", "unsafe-path"),
        ("a.tar!ll/b.json", "read"),
        ("a.tar!l", "skipped"),
        ("a.tar!l", "skipped"),
    ]


def test_a_folder_of_a_tar_archive_that_holds_data_is_refused() -> None:
    for type in (b"0", b"7", b"S", b"Z"):
        tar = tar_member(b"b.json/", b"{}", type=type) + tar_member(b"a.json", b"{}") + TAR_END
        assert rules(parts_of("a.tar", tar)) == [("a.tar!b.json", "unreadable-input"), ("a.tar!a.json", "read")]
    tar = tar_member(b"b/", b"Ya.json\0\0", type=b"D") + tar_member(b"c/", b"", type=b"\0") + tar_member(b"b/a.json", b"{}") + TAR_END
    assert rules(parts_of("a.tar", tar)) == [("a.tar!b", "skipped"), ("a.tar!b/a.json", "read")]


@pytest.mark.parametrize("type", [b"1", b"2", b"3", b"4", b"6", b"S", b"Z"])
def test_tar_members_that_are_no_regular_files_are_refused_if_named_as_records(type: bytes) -> None:
    tar = tar_header(b"a.json", type=type) + tar_header(b"a.txt", type=type) + tar_member(b"b.json", b"{}") + TAR_END
    assert rules(parts_of("a.tar", tar)) == [("a.tar!a.json", "unreadable-input"), ("a.tar!a.txt", "skipped"), ("a.tar!b.json", "read")]


@pytest.mark.parametrize("type", [b"1", b"2", b"5", b"V"])
def test_a_tar_member_without_data_that_has_a_length_is_ambiguous(type: bytes) -> None:
    hidden = tar_member(b"hidden.json", b"{}")
    assert rules(parts_of("a.tar", tar_header(b"a", len(hidden), type) + hidden + TAR_END)) == [("a.tar", "unreadable-input")]


@pytest.mark.parametrize("key", ["GNU__sparse__major", "SCHILY__realsize", "SUN__holesdata"])
def test_sparse_members_in_pax_headers_are_refused(key: str) -> None:
    tar = tar_member(b"x", pax(path=b"a.json", **{key: b"1"}), type=b"x") + tar_member(b"s", b"{}") + TAR_END
    assert rules(parts_of("a.tar", tar)) == [("a.tar!a.json", "unreadable-input")]


@pytest.mark.parametrize("type", [b"0", b"1"])
def test_sparse_members_are_refused_whatever_their_names_are(type: bytes) -> None:
    """Tools that know of them take another name, or cut what a link leads to."""
    for more in (pax(GNU__sparse__name=b"a.json"), pax(SCHILY__realsize=b"5")):
        extended = tar_member(b"x", more + pax(path=b"GNUSparseFile.0/a.txt"), type=b"x")
        tar = extended + tar_member(b"s", b"", type=type) + tar_member(b"b.json", b"{}") + TAR_END
        assert rules(parts_of("a.tar", tar)) == [("a.tar!GNUSparseFile.0/a.txt", "unreadable-input"), ("a.tar!b.json", "read")]


@pytest.mark.parametrize(("type", "place"), [(b"S", 482), (b"0", 482), (b"0", 386), (b"1", 400), (b"0", 494)])
def test_a_sparse_map_that_not_every_tool_reads_ends_the_archive(type: bytes, place: int) -> None:
    """A tool that reads on for the map takes the member after it for a part of it, and what is that one's data for members."""
    header = bytearray(tar_header(b"a.txt", type=type, magic=b"ustar  \0"))
    header[place] = 1
    header[148:156] = b"%06o\0 " % (sum(header) - sum(header[148:156]) + 8 * 0x20)
    tar = bytes(header) + tar_member(b"b.txt", tar_member(b"hidden.json", b"{}")) + TAR_END
    assert rules(parts_of("a.tar", tar)) == [("a.tar", "unreadable-input")]


def test_old_tar_headers_are_read() -> None:
    tar = (
        tar_member(b"a.json", b"1", type=b"\0", magic=bytes(8))
        + tar_header(b"folder.json/", type=b"\0", magic=bytes(8))
        + tar_member(b"b.json", b"2", prefix=b"some/folder")
        + tar_member(b"c.json", b"3", magic=b"ustar  \0", prefix=b"no folder")
        + tar_header(b"d.json", size=b"\x80" + (1).to_bytes(11, "big"))
        + b"4"
        + bytes(511)
        + TAR_END
    )
    names = ("a.json", "some/folder/b.json", "c.json", "d.json")
    assert rules(parts_of("a.tar", tar)) == [(f"a.tar!{name}", "read") for name in names]


def test_long_names_of_links_are_passed_over() -> None:
    tar = tar_member(b"K", b"x" * 200 + b"\0", type=b"K") + tar_header(b"a.txt", type=b"2") + tar_member(b"b.json", b"{}") + TAR_END
    assert rules(parts_of("a.tar", tar)) == [("a.tar!a.txt", "skipped"), ("a.tar!b.json", "read")]


def test_pax_headers_give_name_and_size() -> None:
    header = tar_member(b"x", pax(path=b"b.json", size=b"5", comment=b"a=b"), type=b"x")
    plain = tar_member(b"g", pax(comment=b"0123"), type=b"g") + header + tar_header(b"short", 5) + b"hello" + bytes(507) + TAR_END
    assert parts_of("a.tar", plain) == [Item("a.tar!b.json", None, b"hello")]


LONG = tar_member(b"L", b"c.json\0", type=b"L")


@pytest.mark.parametrize(
    "start",
    [
        tar_member(b"x", b"99 path=a.json\n", type=b"x"),
        tar_member(b"x", b"15 path=a.json\n3\n", type=b"x"),
        tar_member(b"x", b"0 path=a.json\n", type=b"x"),
        tar_member(b"x", b"path=a.json\n", type=b"x"),
        tar_member(b"x", b"14 path=a.json\n", type=b"x"),
        tar_member(b"x", pax(size=b"-1"), type=b"x"),
        tar_member(b"x", pax(size=b"\xd9\xa1"), type=b"x"),
        tar_member(b"x", pax(size=b"9" * 5000), type=b"x"),
        tar_member(b"g", pax(path=b"a.json"), type=b"g"),
        tar_member(b"g", pax(size=b"1"), type=b"g"),
        tar_member(b"x", pax(path=b"b.json"), type=b"x") + LONG,
        LONG + LONG,
        tar_member(b"K", b"b.json\0", type=b"K") * 2,
        tar_member(b"x", pax(path=b"b.json"), type=b"x") + tar_member(b"x", pax(mtime=b"1"), type=b"X"),
        tar_member(b"x", pax(path=b"b.json") + pax(path=b"c.json"), type=b"x"),
        tar_member(b"x", pax(size=b"1") + pax(size=b"1"), type=b"x"),
        tar_member(b"x", pax(size=b"2"), type=b"x"),
        tar_member(b"x", pax(mtime=b"1"), type=b"x") + tar_header(b"V", type=b"V"),
        LONG + tar_member(b"A", b"{}", type=b"A"),
        LONG + tar_member(b"c/", b"{}", type=b"\0"),
        tar_header(b"x", b"\xff" * 12),
        tar_header(b"x", b"-0000000001\0"),
        tar_header(b"x", b"0x000000001\0"),
        tar_header(b"x", b"\x000000000001\0"),
        tar_header(b"x", b"00001\x00000001"),
        tar_header(b"x", b" 1 1        "),
        tar_header(b"x")[:-1] + b"x",
        b"x" * 512,
    ],
)
def test_damaged_tar_headers_end_the_archive(start: bytes) -> None:
    tar = tar_member(b"0.json", b"0") + start + tar_member(b"a.json", b"1") + TAR_END
    assert rules(parts_of("a.tar", tar)) == [("a.tar!0.json", "read"), ("a.tar", "unreadable-input")]


def test_an_extended_header_before_the_end_is_no_member() -> None:
    assert rules(parts_of("a.tar", LONG + TAR_END)) == [("a.tar", "unreadable-input")]


def test_a_length_in_a_pax_header_alone_is_for_large_members() -> None:
    header = tar_member(b"x", pax(size=b"%d" % 8**11), type=b"x") + tar_header(b"a.txt") + b"the start of 8 GiB"
    [skipped, refused] = parts_of("a.tar", header)
    assert rules([skipped, refused]) == [("a.tar!a.txt", "skipped"), ("a.tar", "unreadable-input")]
    assert isinstance(refused, Refused)
    assert "cut off" in refused.message


def test_long_extended_headers_are_not_read_into_memory() -> None:
    for type in (b"x", b"g", b"L", b"K"):
        Path("a.tgz").write_bytes(gzip.compress(tar_member(b"x", bytes(20_000_000), type=type), 1))
        [source] = find(Selection(("a.tgz",)))
        assert isinstance(source, Source)
        tracemalloc.start()
        parts = list(read(source))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert rules(parts) == [("a.tgz", "oversized-input")]
        assert peak < 3_000_000


def test_no_tar_archive_that_is_cut_off_passes() -> None:
    tar = tar_member(b"a.json", b"1") + tar_member(b"b.jsonl", b"1\n2\n") + bytes(512)
    assert not any(isinstance(part, Refused) for part in parts_of("a.tar", tar))
    for size in (*range(0, len(tar), 100), *range(0, len(tar), 512)):
        assert rules(parts_of("a.tar", tar[:size]))[-1] == ("a.tar", "unreadable-input"), size
    packed = gzip.compress(tar)
    for size in range(len(packed)):
        assert rules(parts_of("a.tgz", packed[:size]))[-1] == ("a.tgz", "unreadable-input"), size


def test_what_follows_the_end_of_a_tar_archive_is_refused() -> None:
    tar = make_tar({"a.json": b"{}"})
    for end in (tar, tar_member(b"b.json", b"{}"), b"x"):
        assert rules(parts_of("a.tar", tar + end)) == [("a.tar!a.json", "read"), ("a.tar", "unreadable-input")]
    one = tar_member(b"a.json", b"{}") + bytes(512) + tar_member(b"b.json", b"{}") + TAR_END
    assert rules(parts_of("a.tar", one)) == [("a.tar!a.json", "read"), ("a.tar", "unreadable-input")]


def test_a_damaged_member_of_a_tar_archive_does_not_end_it() -> None:
    packed = gzip.compress(b"1\n2\n3\n" * 1000)
    members = {"a.json.gz": packed[:-3], "b.jsonl.gz": packed + b"x", "c.json": b"{}"}
    assert rules(parts_of("a.tar", make_tar(members)))[0] == ("a.tar!a.json.gz", "unreadable-input")
    assert rules(parts_of("a.tar", make_tar(members)))[-2:] == [("a.tar!b.jsonl.gz", "unreadable-input"), ("a.tar!c.json", "read")]
