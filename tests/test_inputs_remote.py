"""URLs: an HTTP server on this machine, and fsspec's file system in memory."""

from __future__ import annotations

import functools
import gzip
import io
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from wrs_verify.inputs import InputLimits, Item, MissingPath, Read, Refused, Selection, Source, find, read
from wrs_verify.model import Skipped

fsspec = pytest.importorskip("fsspec", reason="the extra [remote] is not installed")


def make_archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("m.json", b"{}")
    return out.getvalue()


ARCHIVE = make_archive()
LIMITS = InputLimits()


def read_all(*paths: str, limits: InputLimits = LIMITS, exclude: tuple[str, ...] = ()) -> list[Read]:
    out: list[Read] = []
    for each in find(Selection(paths, exclude=exclude)):
        out.extend(read(each, limits) if isinstance(each, Source) else [each])
    return out


@pytest.fixture
def memory() -> Iterator[None]:
    """The files of `memory://`."""
    filesystem = fsspec.filesystem("memory")
    filesystem.rm("/", recursive=True) if filesystem.ls("/") else None
    files = {
        "drop/b.json": b"b",
        "drop/a/z.json": b"z",
        "drop/a.jsonl.gz": gzip.compress(b"1\n2\n"),
        "drop/note.txt": b"",
        "drop/.hidden/a.json": b"",
        "drop/a!.zip": ARCHIVE,
    }
    for name, data in files.items():
        filesystem.pipe(f"/{name}", data)
    yield
    filesystem.rm("/", recursive=True)


@pytest.mark.usefixtures("memory")
def test_a_remote_folder_is_searched_as_a_local_one() -> None:
    for url in ("memory://drop", "memory://drop/"):
        assert read_all(url) == [
            Item("memory://drop/a!.zip!m.json", None, b"{}"),
            Item("memory://drop/a.jsonl.gz", 1, b"1"),
            Item("memory://drop/a.jsonl.gz", 2, b"2"),
            Item("memory://drop/a/z.json", None, b"z"),
            Item("memory://drop/b.json", None, b"b"),
            Skipped("memory://drop/note.txt", "not a record file (.txt)"),
        ]
    assert read_all("memory://drop", exclude=("*.zip", "*.gz", "*.txt", "a"))[-3:] == [
        Skipped("memory://drop/a/", "left out by --exclude"),
        Item("memory://drop/b.json", None, b"b"),
        Skipped("memory://drop/note.txt", "not a record file (.txt)"),
    ]


@pytest.mark.usefixtures("memory")
def test_a_remote_file_named_outright_is_read_whatever_its_name() -> None:
    assert read_all("memory://drop/note.txt") == [Item("memory://drop/note.txt", None, b"")]


@pytest.mark.usefixtures("memory")
def test_a_remote_folder_that_cannot_be_listed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("of the backend's own kind")

    monkeypatch.setattr("fsspec.implementations.memory.MemoryFileSystem.ls", fail)
    monkeypatch.setattr("fsspec.implementations.memory.MemoryFileSystem.isdir", lambda *_: True)
    assert read_all("memory://drop") == [Refused("memory://drop/", "unreadable-input", "the folder cannot be listed: RuntimeError")]


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("url", ["memory://nowhere", "no-such-protocol://x", "zip://a.json::memory://drop/a!.zip"])
def test_what_cannot_be_there_is_told_at_once(url: str) -> None:
    with pytest.raises(MissingPath):
        find(Selection((url,)))


def test_a_backend_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for error, words in ((ImportError("Install s3fs"), "Install s3fs"), (RuntimeError("…"), "RuntimeError")):

        def fail(*_: object, error: Exception = error, **__: object) -> None:
            raise error

        monkeypatch.setattr("fsspec.core.url_to_fs", fail)
        with pytest.raises(MissingPath, match=words):
            find(Selection(("s3://bucket/a.json",)))


@pytest.mark.usefixtures("memory")
def test_what_a_backend_raises_later_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("of the backend's own kind")

    class Failing:
        read = seek = fail

        def close(self) -> None:
            pass

    filesystem = "fsspec.implementations.memory.MemoryFileSystem"
    name, rule = "memory://drop/b.json", "unreadable-input"
    monkeypatch.setattr(f"{filesystem}.isdir", fail)
    assert read_all(name) == [Item(name, None, b"b")]
    monkeypatch.setattr(f"{filesystem}.open", fail)
    assert read_all(name) == [Refused(name, rule, "cannot be opened: RuntimeError")]
    monkeypatch.setattr(f"{filesystem}.open", lambda *_: Failing())
    assert read_all(name) == [Refused(name, rule, "reading failed: RuntimeError")]
    [part] = read_all("memory://drop/a!.zip")
    assert isinstance(part, Refused)
    assert "read from its end" in part.message


def test_without_fsspec_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(MissingPath, match=r"wrs-verify\[remote\]"):
        find(Selection(("https://example.org/a.json",)))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """The address of a server for the files of `tmp_path`. It knows no ranges."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    yield from serving(functools.partial(Quiet, directory=str(tmp_path)))


def serving(handler: Callable[..., BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_files_are_read_over_http(site: str, tmp_path: Path) -> None:
    pytest.importorskip("aiohttp", reason="the extra [remote] is not installed")
    (tmp_path / "a.json").write_bytes(b"{}")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b"".join(b"%d\n" % n for n in range(100_000))))
    assert read_all(f"{site}/a.json") == [Item(f"{site}/a.json", None, b"{}")]
    assert read_all(f"{site}/a.json?x=1") == [Item(f"{site}/a.json?x=1", None, b"{}")]
    assert len(read_all(f"{site}/b.jsonl.gz")) == 100_000
    [refused] = read_all(f"{site}/a.json", limits=InputLimits(max_size=1))
    assert isinstance(refused, Refused)
    assert refused.rule == "oversized-input"


def test_http_errors_are_findings(site: str, tmp_path: Path) -> None:
    pytest.importorskip("aiohttp", reason="the extra [remote] is not installed")
    (tmp_path / "a.zip").write_bytes(b"")
    for name in ("missing.json", "missing.jsonl"):
        assert read_all(f"{site}/{name}") == [Refused(f"{site}/{name}", "unreadable-input", "cannot be opened: it is not there")]


@pytest.mark.parametrize(("host", "why"), [("127.0.0.1:1", "connection refused"), ("nowhere.invalid", "the name of its host is not known")])
def test_a_server_that_cannot_be_reached_is_not_said_to_lack_the_file(host: str, why: str) -> None:
    pytest.importorskip("aiohttp", reason="the extra [remote] is not installed")
    url = f"http://{host}/a.json"
    assert read_all(url) == [Refused(url, "unreadable-input", f"cannot be reached: {why}")]


def test_a_users_name_and_password_are_not_reported(site: str) -> None:
    [source] = find(Selection((site.replace("://", "://me:secret@") + "/a.json",)))
    assert source[0] == f"{site}/a.json"


def test_a_zip_archive_needs_a_server_that_knows_ranges(site: str, ranges: str, tmp_path: Path) -> None:
    pytest.importorskip("aiohttp", reason="the extra [remote] is not installed")
    (tmp_path / "a.zip").write_bytes(ARCHIVE)
    [refused] = read_all(f"{site}/a.zip")
    assert refused == Refused(f"{site}/a.zip", "unreadable-input", "a zip archive is read in parts, which the server does not send")
    assert read_all(f"{ranges}/a.zip") == [Item(f"{ranges}/a.zip!m.json", None, b"{}")]


@pytest.fixture
def ranges() -> Iterator[str]:
    """A server that gives any range of one archive."""

    class Ranges(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            start, end = 0, len(ARCHIVE)
            if asked := self.headers.get("Range"):
                first, last = asked.removeprefix("bytes=").split("-")
                start, end = int(first), min(int(last) + 1, end)
            self.send_response(206 if asked else 200)
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(ARCHIVE)}")
            self.send_header("Content-Length", str(end - start))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(ARCHIVE[start:end])

        do_GET = do_HEAD

        def log_message(self, *_: object) -> None:
            pass

    yield from serving(Ranges)


@pytest.fixture
def broken() -> Iterator[str]:
    """A server that says it sends more than it does."""

    class Broken(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(b'{"a": 1}\n')

        do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            pass

    yield from serving(Broken)


def test_an_answer_that_is_cut_off_is_refused(broken: str) -> None:
    pytest.importorskip("aiohttp", reason="the extra [remote] is not installed")
    for name in ("a.json", "a.jsonl"):
        parts = read_all(f"{broken}/{name}")
        assert isinstance(parts[-1], Refused)
        assert parts[-1].rule == "unreadable-input"
