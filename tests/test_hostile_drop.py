"""A folder with one good record among hostile neighbours: each is accounted for, and the good one passes."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import resource
import shutil
import socket
import struct
import subprocess
import sys
import tarfile
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from wrs_verify.inputs.names import readable
from wrs_verify.model import Json

GOOD = Path(__file__).resolve().parent.parent / "vectors" / "valid" / "plain.json"
MEGABYTE = 1_000_000
#: Bytes of memory that the whole run may hold, and of address space that it may reserve: what goes beyond that fails at once.
MEMORY, ADDRESSES = 700 * 1024 * 1024, 2 * 1024**3

#: Text that means something to a terminal, a CI log, a browser, a shell, a spreadsheet, a template, a JSON or an XML parser.
ATTACKS = (
    "\x1b]0;owned\x07\x1b[2J\x1b[31mPASS",
    "::error file=a.json::owned\n::set-output name=x::y\r\n::stop-commands::z",
    "##[error]owned",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "]]><x/><!--&\x00\x0b￾\x7f\x85\xa0",
    "\u202egnp.\u2066exe\u200b\u2028\u2029\ufeff\u00ad\U000e0041",
    "[a](javascript:alert(1)) `x` | y |\n# heading\n- [x] done",
    "$(touch owned) `touch owned` ; touch owned | ${jndi:ldap://127.0.0.1/a} {{7*7}} %s%n {0.__class__}",
    '=cmd|"/c calc"!A1',
    '"}],"verdict":"pass","records":[{"a":"',
    "../../../../etc/passwd",
)


def compressed(file: Path, block: bytes, times: int) -> None:
    """A gzip file of so many blocks, of which only one is ever held."""
    with gzip.open(file, "wb", compresslevel=9) as out:
        for _ in range(times):
            out.write(block)


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", method) as archive:
        warnings.simplefilter("ignore")  # two members of one name
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def tarred(*members: tuple[str, bytes, bytes], mode: str = "w") -> bytes:
    """A tar archive of members: name, type and data."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, kind, data in members:
            member = tarfile.TarInfo(name)
            member.type, member.size, member.linkname = kind, len(data), "/etc/passwd" if kind in (b"1", b"2") else ""
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def encrypted() -> bytes:
    """A zip archive whose member says, in both of its headers, that it is encrypted."""
    data = bytearray(zipped(("a.json", b"{}")))
    for mark, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(mark) + offset] |= 1
    return bytes(data)


def longer_than_it_is() -> bytes:
    """A zip archive whose member says, in both of its headers, that it has more bytes than it has."""
    data = bytearray(zipped(("a.json", b"{}"), method=zipfile.ZIP_STORED))
    for mark, offset in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        struct.pack_into("<L", data, data.index(mark) + offset, 3)
    return bytes(data)


def with_every_string(value: Json, attacks: Iterator[str]) -> Json:
    """The value with another string for each of its strings, the name of its profile apart."""
    if isinstance(value, str):
        return value if value.startswith("wrs-published-research-view") else next(attacks)
    if isinstance(value, dict):
        return {name: with_every_string(member, attacks) for name, member in value.items()} | {next(attacks): next(attacks)}
    return [with_every_string(item, attacks) for item in value] if isinstance(value, list) else value


def attacks() -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"{ATTACKS[number % len(ATTACKS)]}{number}"


def changed(change: Callable[[Json], object]) -> bytes:
    """The good record with a change."""
    document = json.loads(GOOD.read_bytes())
    change(document)
    return json.dumps(document).encode()


def differing(one: Json) -> None:
    """Lists of copies of which no item is that of another list: what it is most like must not be sought among all."""
    note, numbers = one["version"]["record"], range(4_000)
    contributor, evidence = note["contributors"][0], note["evidence"][0]
    source = [{"citation": f"{number}", "url": f"https://example.org/{number}"} for number in numbers]
    note["sources"] = source
    note["contributors"] = [contributor | {"name": f"{number}", "source": source[-number] | {"citation": "x"}} for number in numbers]
    note["evidence"] = [evidence | {"id": f"source-{number}", "source": source[-number]} for number in numbers]
    one["entry"]["humans"] = [f"a{number}" for number in numbers]
    one["entry"]["sources"] = [{"id": f"{number}", "title": f"b{number}", "url": f"https://example.org/b{number}"} for number in numbers]
    note["statement"] = note["statement"].replace("Example Author One", "; ".join(f"c{number}" for number in numbers))


def texts() -> dict[str, bytes]:
    """Files that are text, or that should be: name and content."""
    good = GOOD.read_bytes()
    return {
        "nested-arrays.json": b"[" * 2_000_000,
        "nested-objects.json": b'{"a":' * 1_000_000 + b"1" + b"}" * 1_000_000,
        "nested-and-closed.jsonl": b"[" * 1_000_000 + b"]" * 1_000_000 + b"\n",
        "long-integer.json": good.replace(b'"year": 2024', b'"year": ' + b"9" * 3_000_000),
        "long-fraction.json": good.replace(b'"year": 2024', b'"year": 0.' + b"1" * 3_000_000),
        "overflow.json": good.replace(b'"year": 2024', b'"year": 1e' + b"9" * 3_000_000),
        "repeated-name.json": good.replace(b'"edition"', b'"edition": "x", "edition"', 1),
        "repeated-names.json": b"{" + b'"a":0,' * 1_000_000 + b'"a":0}',
        "surrogate.json": good.replace(b'"Example topic"', rb'"\ud800"'),
        "utf-16.json": b"\xff\xfe" + good.decode().encode("utf-16-le"),
        "byte-order-mark.json": b"\xef\xbb\xbf" + good,
        "nothing.json": b"",
        "zeros.json": bytes(1000),
        "cut-off.json": good[: len(good) // 2],
        "many-values.json": b"[" + b"0," * 7_000_000 + b"0]",
        "many-members.json": changed(lambda one: one["entry"].update(dict.fromkeys(map(str, range(300_000)), 0))),
        "many-leaves.json": changed(lambda one: one["entry"].update(agents=[{"n" * 5 * MEGABYTE: [0] * 3_000_000}])),
        "many-names.json": changed(lambda one: one["entry"].update(humans=["ab"] * 1_000_000)),
        "many-sources.json": changed(lambda one: one["entry"].update(sources=one["entry"]["sources"] * 50_000)),
        "many-references.json": changed(lambda one: one["entry"].update(subresults=[f"entry-{number}" for number in range(200_000)])),
        "many-differences.json": changed(differing),
        "long-title.json": changed(lambda one: one["entry"].update(title="\u202e" * 2_500_000)),
        "prototype.json": good.replace(b'"edition"', b'"__proto__": {"edition": 1}, "constructor": 1, "edition"', 1),
        "every-string.json": json.dumps(with_every_string(json.loads(good), attacks())).encode(),
        "no-gzip.json.gz": good,
        "cut-off.json.gz": gzip.compress(good)[:-4],
        "window.json.zst": bytes.fromhex("28b52ffd00b8") + bytes(100),
        "dots.zip": zipped(("../dots.json", good)),
        "absolute.tar": tarred(("/tmp/absolute.json", tarfile.REGTYPE, good)),
        "links.tar": tarred(("hard.json", tarfile.LNKTYPE, b""), ("soft.json", tarfile.SYMTYPE, b"")),
        "devices.tgz": tarred(("device.json", tarfile.CHRTYPE, b""), ("fifo.json", tarfile.FIFOTYPE, b""), mode="w:gz"),
        "one-name.zip": zipped(("a.json", good), ("./a.json", b"{}"), ("a.json", b"[]")),
        "encrypted.zip": encrypted(),
        "cut-off.zip": zipped(("a.json", good))[:-30],
        "cut-off.tar": tarred(("a.json", tarfile.REGTYPE, good))[:1000],
        "wrong-length.zip": longer_than_it_is(),
        "archive.zip": zipped(("inner.zip", zipped(("a.json", good)))),
        "names\n::error::owned.json": b"{",
        "\x1b[2J\x1b]0;owned\x07.json": b"{",
        "\u202enosj.txt.json": b"{",
        "<img src=x onerror=alert(1)>.json": b"{",
        "-rf.json": b"{",
        "$(touch owned).json": b"{",
    }


def fill(drop: Path) -> list[str]:
    """Puts the good record and its neighbours in a folder; the neighbours' names as a report gives them, folders with a slash."""
    shutil.copy(GOOD, drop / "good.json")
    for name, data in texts().items():
        (drop / name).write_bytes(data)
    compressed(drop / "bomb.json.gz", bytes(MEGABYTE), 600)
    compressed(drop / "spaces.jsonl.gz", b" " * MEGABYTE, 200)
    compressed(drop / "blank-lines.jsonl.gz", b"\n" * MEGABYTE, 60)
    (drop / "bomb.zip").write_bytes(zipped(("a.json", bytes(100 * MEGABYTE)), ("b.json", GOOD.read_bytes())))
    with lzma.open(drop / "bomb.jsonl.xz", "wb") as out:
        for _ in range(200):
            out.write(b" " * MEGABYTE)
    with (drop / "sparse.json").open("wb") as sparse:
        sparse.truncate(1 << 40)
    os.mkfifo(drop / "fifo.json")
    with socket.socket(socket.AF_UNIX) as server:
        bound = Path(os.path.relpath(drop / "socket.json"))  # the address of a socket is short
        server.bind(str(bound))
    (drop / "out.json").symlink_to("/etc/passwd")
    (drop / "memory.json").symlink_to("/proc/self/mem")
    (drop / "nowhere.json").symlink_to("no-such-file.json")
    (drop / "itself.json").symlink_to("itself.json")
    (drop / "loop").symlink_to(".")
    (drop / "folder.json").mkdir()
    (drop / "folder.json" / "inner.json").write_bytes(b"[]")
    (drop / "no-permission.json").write_bytes(b"{")
    (drop / "no-permission.json").chmod(0)
    Path(os.fsdecode(os.fsencode(drop) + b"/\xff\xfe\x80.json")).write_bytes(b"{")
    names = [readable(entry.name) + ("/" if entry.is_dir(follow_symlinks=False) else "") for entry in os.scandir(drop)]
    return sorted(set(names) - {"good.json"})


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))


class Run(NamedTuple):
    """What became of the drop: its neighbours, the two reports, errors, exit status, and the bytes of memory held at most."""

    neighbours: list[str]
    text: str
    report: Json
    err: bytes
    status: int
    peak: int


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    if sys.platform != "linux":
        pytest.skip("names of any bytes, and a limit on memory, are found on Linux")
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "drop").mkdir()
    neighbours = fill(folder / "drop")
    command = [sys.executable, "-m", "wrs_verify", "--verbose", "--report", "json=report.json", "--report", "text=report.txt", "drop"]
    began = time.monotonic()
    with (folder / "err").open("wb") as err:
        child = subprocess.Popen(command, stdout=err, stderr=err, cwd=folder, preexec_fn=limited)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - began
    text, written = (folder / "report.txt").read_bytes(), (folder / "report.json").read_bytes()
    print(f"\n{len(neighbours)} neighbours in {seconds:.1f} s, {usage.ru_maxrss >> 10} MB; JSON {len(written):,} bytes, text {len(text):,}")
    assert sorted(path.name for path in folder.iterdir()) == ["drop", "err", "report.json", "report.txt"]
    assert not (folder / "drop" / "owned").exists()
    assert written.decode().replace("\n", "").isprintable()
    yield Run(neighbours, text.decode(), json.loads(written), (folder / "err").read_bytes(), child.returncode, usage.ru_maxrss * 1024)
    shutil.rmtree(folder)


def test_each_neighbour_is_accounted_for(run: Run) -> None:
    assert len(run.neighbours) > 50
    found = [finding for record in [*run.report["records"], run.report] for finding in record["findings"]]
    assert [finding["input"] for finding in found if finding["rule"] == "internal-error"] == []
    assert (run.status, run.err, run.report["verdict"]) == (1, b"", "fail")
    assert run.peak < MEMORY
    told = {one["input"] for one in [*run.report["skipped"], *found]}
    for name in run.neighbours:
        full = f"drop/{name}"
        assert full in told or any(one.startswith(full if name[-1] == "/" else f"{full}!") for one in told), name


def test_the_good_record_passes(run: Run) -> None:
    [good] = [record for record in run.report["records"] if record["input"] == "drop/good.json"]
    assert good["verdict"] == "pass"
    assert {finding["rule"] for finding in good["findings"]} == {"content-unavailable"}


def test_what_neighbours_are_refused_or_passed_over_for(run: Run) -> None:
    found: dict[str, set[str]] = {}
    for finding in [finding for record in [*run.report["records"], run.report] for finding in record["findings"]]:
        found.setdefault(finding["input"].removeprefix("drop/"), set()).add(finding["rule"])
    expected = {
        "bomb.json.gz": "oversized-input",
        "spaces.jsonl.gz": "oversized-input",
        "blank-lines.jsonl.gz": "oversized-input",
        "bomb.jsonl.xz": "oversized-input",
        "bomb.zip!a.json": "oversized-input",
        "sparse.json": "oversized-input",
        "nested-arrays.json": "too-deep",
        "nested-objects.json": "too-deep",
        "nested-and-closed.jsonl": "too-deep",
        "long-integer.json": "not-i-json",
        "overflow.json": "not-i-json",
        "repeated-names.json": "duplicate-name",
        "many-references.json": "too-many-references",
        "many-differences.json": "source-mismatch",
        "dots.zip!../dots.json": "unsafe-path",
        "absolute.tar!/tmp/absolute.json": "unsafe-path",
        "one-name.zip!a.json": "unsafe-path",
        "links.tar!soft.json": "unreadable-input",
        "devices.tgz!device.json": "unreadable-input",
        "encrypted.zip!a.json": "unreadable-input",
        "wrong-length.zip!a.json": "unreadable-input",
        "cut-off.zip": "unreadable-input",
        "cut-off.tar": "unreadable-input",
        "window.json.zst": "unreadable-input",
        "nowhere.json": "unreadable-input",
    }
    assert {name: rule for name, rule in expected.items() if rule not in found.get(name, set())} == {}
    skipped = {one["input"].removeprefix("drop/"): one["reason"] for one in run.report["skipped"]}
    for name in ("fifo.json", "socket.json", "out.json", "memory.json", "loop", "archive.zip!inner.zip"):
        assert name in skipped, name


def test_no_text_does_harm_on_a_terminal_or_in_a_log(run: Run) -> None:
    assert "owned" in run.text
    assert {char for char in run.text if char != "\n" and not char.isprintable()} == set()
    assert [line for line in run.text.splitlines() if line.startswith(("::", "##["))] == []
