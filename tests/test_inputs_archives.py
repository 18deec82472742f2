"""Zip and tar archives: what is read of them, and what is refused."""

from __future__ import annotations

import gzip
import io
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wrs_verify.inputs import InputLimits, Item, Read, Refused, Selection, Source, find, read
from wrs_verify.model import Skipped

LIMITS = InputLimits()
NESTED = "an archive within an archive"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def parts_of(name: str, data: bytes, limits: InputLimits = LIMITS) -> list[Read]:
    Path(name).write_bytes(data)
    [source] = find(Selection((name,)))
    assert isinstance(source, Source)
    return list(read(source, limits))


def rules(parts: list[Read]) -> list[tuple[str, str]]:
    """Each part's name, with the rule that refuses it, or `read`, or `skipped`."""
    return [(part[0], part.rule if isinstance(part, Refused) else "read" if isinstance(part, Item) else "skipped") for part in parts]


def make_zip(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def make_tar(members: dict[str, bytes], format: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format, errors="surrogateescape") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


MEMBERS = {
    "a.json": b'{"a": 1}',
    "drop/lines.jsonl": b"1\n\n3\n",
    "drop/packed.json.gz": gzip.compress(b"{}"),
    "empty.ndjson": b"\n",
    "read.me.txt": b"hello",
    "inner.zip": make_zip({"a.json": b"{}"}),
    "inner.tar.gz": b"",
    "Ωmega/ü.json": b"[]",
    ".hidden/a.json": b"{}",
    "long/" + "x" * 200 + ".json": b"long",
}
TAR_FORMATS = [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]


def wanted(archive: str) -> list[Read]:
    return [
        Item(f"{archive}!a.json", None, b'{"a": 1}'),
        Item(f"{archive}!drop/lines.jsonl", 1, b"1"),
        Item(f"{archive}!drop/lines.jsonl", 3, b"3"),
        Item(f"{archive}!drop/packed.json.gz", None, b"{}"),
        Skipped(f"{archive}!empty.ndjson", "holds no record"),
        Skipped(f"{archive}!read.me.txt", "not a record file (.txt)"),
        Skipped(f"{archive}!inner.zip", NESTED),
        Skipped(f"{archive}!inner.tar.gz", NESTED),
        Item(f"{archive}!Ωmega/ü.json", None, b"[]"),
        Skipped(f"{archive}!.hidden/a.json", "a hidden file, or in a hidden folder"),
        Item(f"{archive}!long/{'x' * 200}.json", None, b"long"),
    ]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_the_members_of_a_zip_archive_are_read(method: int) -> None:
    assert parts_of("a.zip", make_zip(MEMBERS, method)) == wanted("a.zip")


@pytest.mark.parametrize("format", TAR_FORMATS)
@pytest.mark.parametrize("name", ["a.tar", "a.tgz", "a.tar.gz"])
def test_the_members_of_a_tar_archive_are_read(format: int, name: str) -> None:
    data = make_tar(MEMBERS, format)
    assert parts_of(name, data if name == "a.tar" else gzip.compress(data)) == wanted(name)


@settings(deadline=None, max_examples=40)
@given(st.dictionaries(st.from_regex(r"[a-zé]{1,90}(/[b-z]{1,60}){0,2}\.json", fullmatch=True), st.binary(max_size=1500), max_size=6))
def test_archives_give_what_was_put_in(members: dict[str, bytes]) -> None:
    for name, data in [
        ("a.zip", make_zip(members)),
        *((f"{format}.tar", make_tar(members, format)) for format in TAR_FORMATS),
    ]:
        items: list[Read] = [Item(f"{name}!{member}", None, text) for member, text in members.items()]
        assert parts_of(name, data) == (items or [Skipped(name, "holds no record")])


@pytest.mark.parametrize("name", ["a.zip", "a.tar"])
def test_an_archive_without_members_holds_no_record(name: str) -> None:
    empty = make_zip({}) if name == "a.zip" else bytes(1024)
    assert parts_of(name, empty) == [Skipped(name, "holds no record")]


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tgz"])
def test_what_is_no_archive_is_refused(name: str) -> None:
    for data in (b"", b"no archive", b"no archive" * 1000, bytes(100)):
        assert rules(parts_of(name, data)) == [(name, "unreadable-input")]


UNSAFE = ["../a.json", "x/../../a.json", "..", "/a.json", "C:/a.json", "c:a.txt", "a\\b.json", "..\\a.json", "x/../b.json", "../"]


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe_names_are_refused_whatever_the_member_is(name: str) -> None:
    assert rules(parts_of("a.tar", make_tar({name: b"{}", "b.json": b"{}"}))) == [
        (f"a.tar!{name}", "unsafe-path"),
        ("a.tar!b.json", "read"),
    ]
    assert rules(parts_of("a.zip", make_zip({name: b"{}", "b.json": b"{}"}))) == [
        (f"a.zip!{name}", "unsafe-path"),
        ("a.zip!b.json", "read"),
    ]


@pytest.mark.parametrize("name", ["... /a.json", "x/.. /a.json", " ", "x/...", "x/ /a.txt"])
def test_parts_of_names_that_some_systems_drop_are_unsafe(name: str) -> None:
    for archive, data in (("a.tar", make_tar({name: b"{}"})), ("a.zip", make_zip({name: b"{}"}))):
        assert rules(parts_of(archive, data)) == [(f"{archive}!{name}", "unsafe-path")]


ALIKE = [
    ("a.json", "A.json"),
    ("d/a.json", "D/./A.JSON"),
    ("é.json", "e\u0301.json"),
    ("straße.json", "STRASSE.json"),
    ("σς.json", "ΣΣ.json"),
    ("a.json", "a\u200d.json"),
    ("a.json", "\ufeffA.json"),
    ("d/a.json", "d./a.json"),
    ("d/a.json", "d . /a.json"),
    ("ab:c.json", "ab_c.json"),
    ("é" * 200 + ".json", "É" * 200 + ".json"),
]


@pytest.mark.parametrize(("first", "second"), ALIKE)
def test_members_that_are_one_file_on_some_systems_are_refused(first: str, second: str) -> None:
    shown = second.replace("./", "", 1) if "/./" in second else second
    for one, other, told in ((first, second, shown), (second, first, first)):
        for archive, data in (("a.tar", make_tar({one: b"1", other: b"2"})), ("a.zip", make_zip({one: b"1", other: b"2"}))):
            found = rules(parts_of(archive, data))
            assert [rule for _, rule in found] == ["read", "unsafe-path"]
            assert found[1][0] == f"{archive}!{told}"


def test_members_that_no_system_takes_for_one_file_are_read() -> None:
    names = [
        "a.json",
        "b/a.json",
        "a/a.json",
        "ab.json",
        "a_.json",
        "á.json",
        "a.json.gz",
        "ａ.json",
        "x" * 300 + "é.json",
        "x" * 300 + "e\u0301.json",
    ]
    members = {name: gzip.compress(b"{}") if name.endswith("gz") else b"{}" for name in names}
    for archive, data in (("a.tar", make_tar(members)), ("a.zip", make_zip(members))):
        assert {rule for _, rule in rules(parts_of(archive, data))} == {"read"}


@pytest.mark.parametrize("name", ["a.json.", "a.json ", "d/A.JSON . ", "a.json::$DATA", "a.js\u200bon", "a.jsonl.gz."])
def test_what_some_systems_take_for_a_record_is_refused(name: str) -> None:
    for archive, data in (("a.tar", make_tar({name: b"{}", "b.json": b"{}"})), ("a.zip", make_zip({name: b"{}", "b.json": b"{}"}))):
        found = parts_of(archive, data)
        assert [rule for _, rule in rules(found)] == ["unsafe-path", "read"]


@pytest.mark.parametrize("name", ["a.zip.", "a.txt.", ".a.json.", ".d/a.json ", "a.json_", "a.json:b"])
def test_what_no_system_takes_for_a_record_is_passed_over(name: str) -> None:
    for archive, data in (("a.tar", make_tar({name: b"{}"})), ("b.zip", make_zip({name: b"{}"}))):
        assert rules(parts_of(archive, data)) == [(f"{archive}!{name}", "skipped")]


def test_names_that_take_long_to_normalise_are_not_normalised() -> None:
    marks = "\u0301\u0323" * 200_000
    [part] = parts_of("a.tar", make_tar({f"a{marks}.json": b"{}"}))
    assert isinstance(part, Item)


@pytest.mark.parametrize("limit", [2, 3])
def test_the_number_of_members_is_limited(limit: int) -> None:
    members = {"a.txt": b"", "b.json": b"{}", "c.json": b"{}"}
    for name, data in (("a.zip", make_zip(members)), ("a.tar", make_tar(members))):
        parts = parts_of(name, data, InputLimits(max_members=limit))
        last = ("c.json", "read") if limit == 3 else ("", "oversized-input")
        assert rules(parts) == [(f"{name}!a.txt", "skipped"), (f"{name}!b.json", "read"), (f"{name}!{last[0]}".rstrip("!"), last[1])]


def test_a_member_longer_than_allowed_is_refused_and_the_next_one_read() -> None:
    members = {"a.json": b"x" * 300_000, "b.json": b"{}", "c.jsonl": b"1\n" + b"x" * 300_000 + b"\n3"}
    for name, data in (("a.zip", make_zip(members)), ("a.tar", make_tar(members))):
        parts = parts_of(name, data, InputLimits(max_size=1000))
        assert rules(parts) == [
            (f"{name}!a.json", "oversized-input"),
            (f"{name}!b.json", "read"),
            (f"{name}!c.jsonl", "read"),
            (f"{name}!c.jsonl", "oversized-input"),
            (f"{name}!c.jsonl", "read"),
        ]


def test_all_members_together_expand_to_no_more_than_allowed() -> None:
    members = {f"{n}.jsonl": b"\n" * 99_999 + b"1" for n in range(5)}
    limits = InputLimits(max_expanded=250_000)
    ends = [("!2.jsonl", "oversized-input"), ("", "oversized-input")]
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        parts = parts_of("a.zip", make_zip(members, method), limits)
        assert rules(parts) == [("a.zip!0.jsonl", "read"), ("a.zip!1.jsonl", "read"), *((f"a.zip{name}", rule) for name, rule in ends)]
        assert isinstance(parts[-1], Refused)
        assert "--max-expanded" in parts[-1].message
    parts = parts_of("a.tgz", gzip.compress(make_tar(members)), limits)
    assert rules(parts) == [("a.tgz!0.jsonl", "read"), ("a.tgz!1.jsonl", "oversized-input"), ("a.tgz", "oversized-input")]
    packed = {f"{n}.jsonl.gz": gzip.compress(b"\n" * 99_999 + b"1") for n in range(5)}
    assert rules(parts_of("a.tar", make_tar(packed), limits))[-1] == ("a.tar!4.jsonl.gz", "oversized-input")


def test_a_bomb_in_an_archive_needs_little_memory() -> None:
    bomb = make_zip({"a.jsonl": bytes(70_000_000), "b.json": b"{}"})
    Path("a.zip").write_bytes(bomb)
    [source] = find(Selection(("a.zip",)))
    assert isinstance(source, Source)
    tracemalloc.start()
    parts = list(read(source, InputLimits(max_ratio=100, max_size=1_000_000)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rules(parts) == [("a.zip!a.jsonl", "oversized-input"), ("a.zip!b.json", "read")]
    assert isinstance(parts[0], Refused)
    assert "--max-ratio" in parts[0].message
    assert peak < 4_000_000


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tgz"])
@settings(deadline=None)
@given(place=st.integers(0, 10_000), byte=st.integers(1, 255))
def test_a_changed_byte_ends_in_a_refusal_or_changes_no_text(name: str, place: int, byte: int) -> None:
    members = {"a.json": b'{"a": 1}', "b.json": b'{"b": "text"}'}
    data = bytearray(make_zip(members) if name == "a.zip" else make_tar(members))
    if name == "a.tgz":
        data = bytearray(gzip.compress(data))
    data[place % len(data)] ^= byte
    parts = parts_of(name, bytes(data))
    texts = {part.data for part in parts if isinstance(part, Item)}
    # A tar archive has no checksum over its data: that is what its compression, or the records' own hashes, are for.
    # That of gzip comes last, when the texts are already delivered: the archive is then refused after them.
    if name != "a.tar":
        assert texts <= set(members.values()) or parts[-1][:2] == (name, "unreadable-input")
    assert len(texts) == 2 or any(not isinstance(part, Item) for part in parts)


def test_nothing_is_written_and_an_abandoned_archive_is_closed(here: Path) -> None:
    Path("a.tar").write_bytes(make_tar(MEMBERS))
    [source] = find(Selection(("a.tar",)))
    assert isinstance(source, Source)
    parts = read(source)
    next(parts)
    parts.close()  # type: ignore[attr-defined]
    assert [path.name for path in here.iterdir()] == ["a.tar"]
