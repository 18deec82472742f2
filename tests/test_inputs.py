"""Files and folders: what is found, under what names, in what order; and what is not read."""

from __future__ import annotations

import errno
import os
import pickle
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wrs_verify.inputs import Found, InputLimits, Item, MissingPath, Read, Refused, Selection, Source, find, read
from wrs_verify.inputs.names import readable
from wrs_verify.model import Skipped

LIMITS = InputLimits()


def look(*paths: str | Path, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> list[Found]:
    return list(find(Selection(tuple(str(path) for path in paths), include, exclude)))


def names(found: list[Found]) -> list[str]:
    return [each[0] for each in found]


def read_all(*paths: str | Path, limits: InputLimits = LIMITS) -> list[Read]:
    out: list[Read] = []
    for each in look(*paths):
        out.extend(read(each, limits) if isinstance(each, Source) else [each])
    return out


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(path.encode())


def test_a_folder_is_searched_in_the_order_of_the_names(here: Path) -> None:
    write(here, "drop/b.json", "drop/a/z.json", "drop/a.json", "drop/a!b.json", "drop/a/b/c.JSON", "drop/ä.json", "drop/B.json")
    found = names(look("drop"))
    assert found == ["drop/B.json", "drop/a!b.json", "drop/a.json", "drop/a/b/c.JSON", "drop/a/z.json", "drop/b.json", "drop/ä.json"]
    assert found == sorted(found)


@settings(deadline=None)
@given(st.sets(st.lists(st.text("aA.!~0", min_size=1, max_size=3), min_size=1, max_size=3).map("/".join), max_size=12))
def test_the_order_is_that_of_whole_names(tmp_path_factory: pytest.TempPathFactory, paths: set[str]) -> None:
    root = tmp_path_factory.mktemp("order")
    wanted = []
    for path in sorted(paths):
        if not any(part.startswith(".") for part in path.split("/")):
            write(root, f"{path}.json")
            wanted.append(f"{root.as_posix()}/{path}.json")
    assert names(look(root)) == sorted(wanted)


def test_several_paths_are_merged_and_each_file_is_taken_once(here: Path) -> None:
    write(here, "a/1.json", "a/2.json", "b.json", "a/c/3.json")
    assert names(look("b.json", "a", "./a//1.json", "a/c/", "./b.json")) == ["a/1.json", "a/2.json", "a/c/3.json", "b.json"]


def test_names_are_as_given(here: Path) -> None:
    write(here, "a/1.json")
    assert names(look(".")) == ["a/1.json"]
    assert names(look("./a/")) == ["a/1.json"]
    assert names(look("../" + here.name)) == [f"../{here.name}/a/1.json"]
    assert names(look(here)) == [f"{here.as_posix()}/a/1.json"]


@pytest.mark.parametrize(
    ("name", "kind", "compression"),
    [
        ("a.json", "json", ""),
        ("a.JSON.GZ", "json", "gz"),
        ("a.json.bz2", "json", "bz2"),
        ("a.jsonl", "lines", ""),
        ("a.ndjson.xz", "lines", "xz"),
        ("a.jsonl.zst", "lines", "zst"),
        ("a.zip", "zip", ""),
        ("a.tar", "tar", ""),
        ("a.tar.zst", "tar", "zst"),
        ("a.Tgz", "tar", "gz"),
    ],
)
def test_files_are_recognised_by_their_names(here: Path, name: str, kind: str, compression: str) -> None:
    write(here, f"d/{name}")
    assert look("d") == [Source(f"d/{name}", f"d/{name}", kind, compression, "found")]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a.txt", "not a record file (.txt)"),
        ("json", "not a record file"),
        ("a.gz", "not a record file (.gz)"),
        ("a.zip.gz", "not a record file (.gz)"),
        ("a." + "x" * 100, "not a record file"),
        (".a.json", "a hidden file"),
    ],
)
def test_other_files_of_a_folder_are_passed_over_with_a_reason(here: Path, name: str, reason: str) -> None:
    write(here, f"d/{name}")
    assert look("d") == [Skipped(f"d/{name}", reason)]


def test_a_file_named_outright_is_read_whatever_its_name(here: Path) -> None:
    write(here, "a.txt", ".hidden/b", "c.json/d.json")
    assert [part for part in read_all("a.txt", ".hidden/b") if isinstance(part, Item)] == [
        Item(".hidden/b", None, b".hidden/b"),
        Item("a.txt", None, b"a.txt"),
    ]
    assert read_all(".", "a.txt") == [Item("a.txt", None, b"a.txt"), Item("c.json/d.json", None, b"c.json/d.json")]


def test_hidden_folders_are_passed_over_and_folders_with_a_records_name_are_searched(here: Path) -> None:
    write(here, "d/.git/a.json", "d/.gitignore", "d/x.json/a.json")
    assert names(look("d")) == ["d/x.json/a.json"]


def test_globs_choose_among_the_files_of_folders(here: Path) -> None:
    write(here, "d/a.json", "d/b.json", "d/old/a.json", "d/x/y/old/c.json", "d/x/y/a.json")
    assert look("d", exclude=("old",)) == [
        Source("d/a.json", "d/a.json", "json", "", "found"),
        Source("d/b.json", "d/b.json", "json", "", "found"),
        Skipped("d/old/", "left out by --exclude"),
        Source("d/x/y/a.json", "d/x/y/a.json", "json", "", "found"),
        Skipped("d/x/y/old/", "left out by --exclude"),
    ]

    def read_with(**globs: tuple[str, ...]) -> list[str]:
        return names([each for each in look("d", **globs) if isinstance(each, Source)])

    assert read_with(include=("a.*",)) == ["d/a.json", "d/old/a.json", "d/x/y/a.json"]
    assert read_with(include=("*/a.json",)) == ["d/old/a.json"]
    assert read_with(include=("**/a.json",), exclude=("x/**",)) == ["d/a.json", "d/old/a.json"]
    assert read_with(include=("x/**/old/*",)) == ["d/x/y/old/c.json"]
    assert read_with(include=("/a.json",)) == ["d/a.json"]


def test_globs_do_not_concern_files_named_outright(here: Path) -> None:
    write(here, "d/a.json")
    assert look("d", "d/a.json", exclude=("*.json",)) == [Source("d/a.json", "d/a.json", "json", "", "named")]


def test_a_missing_path_is_told_at_once(here: Path) -> None:
    write(here, "a.json")
    for missing in ("b.json", "a.json/b.json", "c/"):
        with pytest.raises(MissingPath, match="no such file or folder"):
            find(Selection(("a.json", missing)))
    (here / "dangling.json").symlink_to("nowhere")
    with pytest.raises(MissingPath):
        find(Selection(("dangling.json",)))


def test_nothing_given_is_nothing_found(here: Path) -> None:
    assert look() == []
    (here / "empty").mkdir()
    assert look("empty") == []


def test_links_are_read_inside_the_folder_and_not_followed_out_of_it(here: Path) -> None:
    write(here, "out/secret.json", "d/a.json", "d/.store/blob", "d/sub/b.json", "d2/c.json")
    for link, target in {
        "in.json": "a.json",
        "stored.json": ".store/blob",
        "out.json": "../out/secret.json",
        "absolute.json": str(here / "out/secret.json"),
        "sibling.json": "../d2/c.json",
        "nothing.json": "gone.json",
        "nowhere.json": "/nonexistent/gone.json",
        "loop": ".",
        "self.json": "self.json",
        "up": "..",
        "a.txt": "a.json",
        "pipe.json": "pipe",
    }.items():
        (here / "d" / link).symlink_to(target)
    os.mkfifo(here / "d/pipe")
    out = "a symbolic link that leads out of the folder"
    nowhere = Refused("d/nothing.json", "unreadable-input", "a symbolic link that leads nowhere")
    found = look("d")
    assert [each for each in found if not isinstance(each, Source)] == [
        Skipped("d/a.txt", "not a record file (.txt)"),
        Skipped("d/absolute.json", out),
        Skipped("d/loop", "a symbolic link to a folder"),
        nowhere,
        Skipped("d/nowhere.json", out),
        Skipped("d/out.json", out),
        Skipped("d/pipe", "not a record file"),
        Skipped("d/pipe.json", "a symbolic link to a pipe, a socket or a device"),
        nowhere._replace(name="d/self.json"),
        Skipped("d/sibling.json", out),
        Skipped("d/up", out),
    ]
    assert [part for part in read_all("d") if isinstance(part, Item)] == [
        Item("d/a.json", None, b"d/a.json"),
        Item("d/in.json", None, b"d/a.json"),
        Item("d/stored.json", None, b"d/.store/blob"),
        Item("d/sub/b.json", None, b"d/sub/b.json"),
    ]


def test_a_link_named_outright_is_followed(here: Path) -> None:
    write(here, "out/a.json")
    (here / "link").symlink_to("out")
    (here / "link.json").symlink_to("out/a.json")
    assert read_all("link", "link.json") == [Item("link.json", None, b"out/a.json"), Item("link/a.json", None, b"out/a.json")]


def test_what_is_no_regular_file_is_never_opened_in_a_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "d").mkdir()
    os.mkfifo(here / "d/pipe.json")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("d/socket.json")
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("opened"))
    reason = "a pipe, a socket or a device"
    assert look("d") == [Skipped("d/pipe.json", reason), Skipped("d/socket.json", reason)]


@pytest.mark.parametrize("swap", ["link", "pipe", "folder", "nothing"])
def test_a_file_that_is_swapped_after_it_was_found_is_refused(here: Path, swap: str) -> None:
    write(here, "d/a.json", "secret")
    [source] = look("d")
    assert isinstance(source, Source)
    path = here / "d/a.json"
    path.unlink()
    swaps: dict[str, Callable[[], None]] = {
        "link": lambda: path.symlink_to("../secret"),
        "pipe": lambda: os.mkfifo(path),
        "folder": path.mkdir,
        "nothing": lambda: None,
    }
    swaps[swap]()
    [refused] = read(source)
    assert isinstance(refused, Refused)
    assert (refused.name, refused.rule) == ("d/a.json", "unreadable-input")


def denied(*_: object, **__: object) -> int:
    raise PermissionError(errno.EACCES, "Permission denied")


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.zip", "a.json.gz"])
def test_a_file_that_may_not_be_read_is_refused(here: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    write(here, name)
    sources = look(name)
    monkeypatch.setattr(os, "open", denied)
    for source in sources:
        assert isinstance(source, Source)
        [refused] = read(source)
        assert isinstance(refused, Refused)
        assert refused.rule == "unreadable-input"
        assert "Permission denied" in refused.message


def test_a_path_that_may_not_be_looked_at_is_refused_when_it_is_read(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(here, "a.json")
    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", denied)
        [source] = look("a.json")
    monkeypatch.setattr(os, "open", denied)
    assert isinstance(source, Source)
    assert list(read(source)) == [Refused("a.json", "unreadable-input", "cannot be read: Permission denied")]


def test_a_folder_that_cannot_be_listed_is_refused_and_the_rest_is_read(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(here, "d/a/1.json", "d/b/2.json", "d/b!.json")
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: denied() if path.endswith("/b") else scandir(path))
    found = look("d")
    assert names(found) == ["d/a/1.json", "d/b!.json", "d/b/"]
    assert found[2] == Refused("d/b/", "unreadable-input", "the folder cannot be listed: Permission denied")
    monkeypatch.setattr(os, "scandir", denied)
    assert names(look(".")) == ["./"]


def test_a_file_longer_than_allowed_is_refused(here: Path) -> None:
    (here / "a.json").write_bytes(b"x" * 100)
    assert read_all("a.json", limits=InputLimits(max_size=100)) == [Item("a.json", None, b"x" * 100)]
    [refused] = read_all("a.json", limits=InputLimits(max_size=99))
    assert isinstance(refused, Refused)
    assert refused.rule == "oversized-input"
    assert "--max-size" in refused.message


def test_a_file_that_has_grown_since_its_size_was_asked_is_read_to_its_end(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "a.json").write_bytes(b"x" * 100)
    status = Path("a.json").stat()
    for said in (0, 10, 100, 200):
        monkeypatch.setattr(os, "fstat", lambda _, said=said: os.stat_result((*status[:6], said, *status[7:])))
        assert read_all("a.json", limits=InputLimits(max_size=1000)) == [Item("a.json", None, b"x" * 100)], said
    monkeypatch.setattr(os, "fstat", lambda _: os.stat_result((*status[:6], 0, *status[7:])))
    [refused] = read_all("a.json", limits=InputLimits(max_size=99))
    assert isinstance(refused, Refused)
    assert refused.rule == "oversized-input"


def test_an_empty_file_is_an_empty_record(here: Path) -> None:
    (here / "a.json").touch()
    assert read_all(".") == [Item("a.json", None, b"")]


def test_a_pipe_named_outright_is_read() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"{}")
    os.close(writer)
    try:
        assert read_all(f"/dev/fd/{reader}") == [Item(f"/dev/fd/{reader}", None, b"{}")]
    finally:
        os.close(reader)


def test_any_file_name_is_reported_as_text_and_still_opens(here: Path) -> None:
    (here / "d").mkdir()
    for name in (b"\xff.json", b"a\nb.json", b"\x1b[31m.json", b"\\xff.json", b"a\\b.json"):
        (here / "d" / os.fsdecode(name)).write_bytes(name)
    (here / "d" / os.fsdecode(b"\xfe")).mkdir()
    (here / "d" / os.fsdecode(b"\xfe") / "a.json").write_bytes(b"{}")
    parts = read_all("d")
    assert {part.name: part.data for part in parts if isinstance(part, Item)} == {
        "d/\x1b[31m.json": b"\x1b[31m.json",
        "d/\\x5cxff.json": b"\\xff.json",
        "d/\\xfe/a.json": b"{}",
        "d/\\xff.json": b"\xff.json",
        "d/a\nb.json": b"a\nb.json",
        "d/a\\b.json": b"a\\b.json",
    }
    assert [part[0] for part in parts] == sorted(part[0] for part in parts)
    assert read_all("d/" + os.fsdecode(b"\xff.json")) == [Item("d/\\xff.json", None, b"\xff.json")]


@given(st.binary(max_size=12) | st.lists(st.sampled_from([b"\\", b"x", b"5c", b"ff", b"\xff", b"u"]), max_size=8).map(b"".join))
def test_readable_names_are_text_and_can_be_told_apart(name: bytes) -> None:
    text = readable(name.decode("utf-8", "surrogateescape"))
    encoded = text.encode("utf-8")
    parts, start = [], 0
    while start < len(encoded):
        if (
            encoded[start : start + 2] == b"\\x"
            and len(encoded) >= start + 4
            and all(digit in b"0123456789abcdef" for digit in encoded[start + 2 : start + 4])
        ):
            parts.append(bytes.fromhex(encoded[start + 2 : start + 4].decode()))
            start += 4
        else:
            parts.append(encoded[start : start + 1])
            start += 1
    assert b"".join(parts) == name


def test_a_file_named_by_a_single_dash_is_not_standard_input(here: Path) -> None:
    write(here, "-")
    assert read_all("./-") == [Item("./-", None, b"-")]


def test_sources_can_be_sent_to_other_processes(here: Path) -> None:
    (here / os.fsdecode(b"\xff.json")).write_bytes(b"{}")
    for source in look("."):
        assert pickle.loads(pickle.dumps(source)) == source


def test_a_very_deep_folder_is_searched(here: Path) -> None:
    folders = [here / "d"]
    for _ in range(1200):
        folders.append(folders[-1] / "d")
    for folder in folders:
        folder.mkdir()
    record = folders[-1] / "a.json"
    record.write_bytes(b"{}")
    try:
        assert names(look("d")) == ["d/" * 1201 + "a.json"]
    finally:
        # What tidies up after tests walks by recursion.
        record.unlink()
        for folder in reversed(folders):
            folder.rmdir()


def test_a_file_url_is_the_local_file(here: Path) -> None:
    write(here, "a b.json")
    path = f"{here.as_posix()}/a b.json"
    assert read_all((here / "a b.json").as_uri()) == [Item(path, None, b"a b.json")]
    with pytest.raises(MissingPath, match="another host"):
        find(Selection(("file://elsewhere/a.json",)))
