"""Checks on a real Dask scheduler and its workers, some of which are killed: the report is that of one process, or is incomplete."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_drop import _DROPS, record

from wrs_verify import Options, engine
from wrs_verify.execution import shuffle
from wrs_verify.execution.shortlist import Shortlist
from wrs_verify.groups import groups
from wrs_verify.inputs import InputLimits, Item, Range, Refused, Source, read, read_range
from wrs_verify.inputs.ranges import line_feeds, size_in_ranges
from wrs_verify.model import Facts, Limits

pytest.importorskip("distributed")

#: What the workers do before they check a record: its name tells whom they kill.
PRELOAD = """
import os, pathlib, signal
from wrs_verify import engine

original = engine.unchanged = getattr(engine, "unchanged", engine.check_record)  # a worker loads this twice

def check(data, name, line, *others):
    here = pathlib.Path(os.environ["MARKS"])
    if "kills-the-scheduler" in name:
        os.kill(int((here / "scheduler").read_text()), signal.SIGKILL)
    if "kills-always" in name and line in (None, 9):
        os.kill(os.getpid(), signal.SIGKILL)
    if "kills-once" in name:
        try:
            (here / "killed").touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    return original(data, name, line, *others)

engine.check_record = check
"""

#: The command with small pieces and partitions, so that a small drop has many.
SMALL = """
from wrs_verify.execution import cluster, scheduler
from wrs_verify.execution.pieces import Sizes
cluster._SIZES, cluster._WEIGHT, scheduler._ANSWER = Sizes(16, 20_000), 60, 3
"""
COMMAND = SMALL + "from wrs_verify.cli import main; main()"


@contextmanager
def process(*arguments: str | Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", *map(str, arguments), "--no-dashboard"]
    variables = os.environ | environment
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=variables, start_new_session=True) as started:
        try:
            yield started
        finally:
            os.killpg(started.pid, signal.SIGKILL)


@contextmanager
def running(folder: Path, workers: int) -> Iterator[str]:
    """A scheduler and workers; its address. A task that two workers die of is given up."""
    file, preload = folder / "scheduler.json", folder / "preload.py"
    preload.write_text(PRELOAD)
    with ExitStack() as stack:
        at = ("--host", "127.0.0.1")
        arguments = ("distributed.cli.dask_scheduler", *at, "--port", "0", "--scheduler-file", file)
        scheduler = stack.enter_context(process(*arguments, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="1"))
        (folder / "scheduler").write_text(str(scheduler.pid))
        for number in range(workers):
            own = ("--local-directory", folder / f"worker-{number}", "--nthreads", "2", "--preload", preload)
            stack.enter_context(process("distributed.cli.dask_worker", "--scheduler-file", file, *at, *own, MARKS=str(folder)))
        yield address(file)


def address(file: Path) -> str:
    for _ in range(600):
        try:
            return str(json.loads(file.read_text())["address"])
        except (OSError, ValueError):
            time.sleep(0.05)
    pytest.fail("the scheduler did not start")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("cluster"), 2) as found:
        yield found


def verify(folder: Path, *arguments: str, code: str = COMMAND) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=120, check=False)


def text(numbers: range, **differing: str) -> str:
    return "\n".join(json.dumps(record(number, **differing)) for number in numbers)  # type: ignore[arg-type]


@pytest.fixture
def drop(tmp_path: Path) -> Path:
    """Files, lines, and archives, of which some contradict each other; the process that checks one of them is killed."""
    folder = tmp_path / "drop"
    (folder / "inner").mkdir(parents=True)
    for number in range(40):
        (folder / "inner" / f"{number:03}.json").write_text(json.dumps(record(number)))
    (folder / "inner" / "kills-once.json").write_text(json.dumps(record(40)))
    (folder / "inner" / "broken.json").write_text('{"a": 1, "a"')
    (folder / "inner" / "notes.txt").touch()
    (folder / "blank.jsonl").write_text("\n" * 50_000)
    (folder / "empty.jsonl").touch()
    lines = text(range(30, 70)).split("\n")
    lines[20:20] = ["", "[" * 300, " " * 45_000, "{"]
    (folder / "lines.jsonl").write_text("\n".join(lines))
    with gzip.open(folder / "others.ndjson.gz", "wt") as file:
        file.write(text(range(0, 70, 7), content="b") + "\n" + text(range(3), published_at="2025-03-06T00:00:00Z"))
    with zipfile.ZipFile(folder / "archive.zip", "w") as archive:
        for number in range(0, 70, 5):
            previous = {"record_id": record(number)["target"]["record_id"], "version": 1, "content_hash": f"sha256:{'c' * 64}"}
            value = json.dumps(record(number, 2, previous=previous))
            archive.writestr(f"{number}.json", value.replace("ratings-0123456789abcdef", "ratings-fedcba9876543210"))
        archive.writestr("../out.json", "{}")
    return folder


def test_the_report_is_that_of_one_process_though_a_worker_is_killed(
    cluster: str, drop: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    arguments = ("drop", "--report", "json", "--strict")
    alone = verify(drop.parent, *arguments, "--jobs", "1")
    together = verify(drop.parent, *arguments, "--cluster", cluster)
    assert together.stderr == alone.stderr == b""
    assert together.stdout == alone.stdout
    assert (together.returncode, alone.returncode) == (1, 1)
    found = {finding["rule"] for finding in json.loads(alone.stdout)["findings"]}
    assert found >= {"duplicate-record", "equivocation", "view-conflict", "broken-chain", "mixed-editions", "unsafe-path"}
    assert list(tmp_path_factory.getbasetemp().glob("cluster*/killed"))


def test_a_record_that_kills_every_worker_is_an_internal_error(cluster: str, tmp_path: Path) -> None:
    (tmp_path / "drop").mkdir()
    (tmp_path / "drop" / "kills-always.jsonl").write_text(text(range(16)))
    (tmp_path / "drop" / "other.json").write_text(json.dumps(record(20)))
    done = verify(tmp_path, "drop", "--report", "json", "--cluster", cluster)
    assert (done.returncode, done.stderr) == (4, b"")
    found = json.loads(done.stdout)
    assert found["verdict"] == "incomplete"
    assert (found["counts"]["records"], found["counts"]["passed"]) == (17, 16)
    (lost,) = (each for each in found["records"] if each["verdict"] == "fail")
    assert (lost["input"], lost["line"], lost["findings"][0]["rule"]) == ("drop/kills-always.jsonl", 9, "internal-error")


def test_source_versions_are_found_by_the_workers(cluster: str, tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    view = record(1)
    version = {"record_id": view["target"]["record_id"], "version": 1, "record": view["version"]["record"], "content_hash": "sha256:0"}
    (sources / "1.json").write_text(json.dumps(version))
    (sources / "2.json").write_text("{}")
    (tmp_path / "drop.jsonl").write_text(text(range(3)))
    arguments = ("drop.jsonl", "--sources", "sources", "--report", "json")
    alone, together = verify(tmp_path, *arguments, "--jobs", "1"), verify(tmp_path, *arguments, "--cluster", cluster)
    assert together.stderr == b""
    assert together.stdout == alone.stdout
    assert b'"from":"source"' in alone.stdout
    assert b"unusable-source" in alone.stdout


def test_a_history_is_the_same_from_a_cluster(cluster: str, tmp_path: Path) -> None:
    (tmp_path / "drop.jsonl").write_text(text(range(30)))
    arguments = ("drop.jsonl", "--report", "json", "--now", "2026-01-01", "--history")

    def both(status: int) -> bytes:
        alone = verify(tmp_path, *arguments, "alone.db", "--jobs", "1")
        together = verify(tmp_path, *arguments, "together.db", "--cluster", cluster)
        assert together.stdout == alone.stdout
        assert (alone.returncode, together.returncode) == (status, status)
        return alone.stdout

    assert json.loads(both(0))["history"]["added"] == 30
    (tmp_path / "drop.jsonl").write_text(text(range(29)) + "\n" + text(range(29, 30), content="b"))
    assert [finding["rule"] for finding in json.loads(both(1))["findings"]] == ["history-rewritten"]


def test_an_interrupt_ends_the_run_early(cluster: str, tmp_path: Path) -> None:
    (tmp_path / "drop.jsonl").write_text(text(range(100)))
    code = f"""{SMALL}
from wrs_verify import execution
from wrs_verify.inputs import Selection
seen = []
def see(result):
    seen.append(result)
    if len(seen) == 10:
        raise execution.Interrupted
ending = execution.run(execution.Job(Selection(("drop.jsonl",)), cluster={cluster!r}), see)
print(ending.verdict, ending.counts.records, len(seen), ending.findings)
"""
    done = verify(tmp_path, code=code)
    assert (done.stdout, done.stderr) == (b"incomplete 10 10 ()\n", b"")


def test_nothing_to_verify_on_a_cluster(cluster: str, tmp_path: Path) -> None:
    (tmp_path / "blank.jsonl").write_text("\n" * 50_000)
    alone, together = verify(tmp_path, "blank.jsonl", "--jobs", "1"), verify(tmp_path, "blank.jsonl", "--cluster", cluster)
    assert (together.returncode, together.stdout) == (alone.returncode, alone.stdout)
    assert together.returncode == 3


def test_workers_with_other_versions_are_refused(cluster: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(record(1)))
    code = 'from wrs_verify.execution import tasks; tasks.VERSION = "0.0.1"' + COMMAND
    done = verify(tmp_path, "a.json", "--cluster", cluster, code=code)
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"has wrs-verify" in done.stderr


def test_a_scheduler_that_is_lost_makes_the_run_incomplete(tmp_path: Path) -> None:
    (tmp_path / "drop.jsonl").write_text(text(range(100)))
    (tmp_path / "kills-the-scheduler.json").write_text(json.dumps(record(1)))
    with running(tmp_path, 1) as found:
        done = verify(tmp_path, "drop.jsonl", "kills-the-scheduler.json", "--report", "json", "--cluster", found)
    assert (done.returncode, done.stderr) == (4, b"")
    report = json.loads(done.stdout)
    assert report["verdict"] == "incomplete"
    assert [finding["rule"] for finding in report["findings"]] == ["internal-error"]
    assert "the scheduler was lost" in report["findings"][0]["message"]


def test_a_cluster_without_workers_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(record(1)))
    with running(tmp_path, 0) as found:
        done = verify(tmp_path, "a.json", "--cluster", found)
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"has no workers" in done.stderr


def test_a_scheduler_that_is_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(record(1)))
    done = verify(tmp_path, "a.json", "--cluster", "127.0.0.1:1")
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"the scheduler at 127.0.0.1:1 cannot be reached" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "before", "said"),
    [
        (["a.json", "--cluster", " "], "", b"an address is needed"),
        (["a.json", "--cluster", "127.0.0.1:1"], 'import sys; sys.modules["distributed"] = None', b"[cluster]"),
        (["-", "--cluster", "127.0.0.1:1"], "", b"standard input cannot be read by the workers"),
        (["pipe", "--cluster", "127.0.0.1:1"], "", b"pipe is a pipe or a device"),
    ],
)
def test_what_cannot_be_done_on_a_cluster_is_wrong_usage(tmp_path: Path, arguments: list[str], before: str, said: bytes) -> None:
    (tmp_path / "a.json").write_text(json.dumps(record(1)))
    os.mkfifo(tmp_path / "pipe")
    done = verify(tmp_path, *arguments, code=f"{before}\nfrom wrs_verify.cli import main; main()")
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr


@given(st.lists(st.sampled_from([b"\n", b"a", b" ", b"bcd", b"\r"])).map(b"".join), st.integers(1, 9), st.integers(1, 5))
def test_ranges_hold_the_lines_of_the_file(tmp_path_factory: pytest.TempPathFactory, data: bytes, size: int, longest: int) -> None:
    path = tmp_path_factory.getbasetemp() / "ranges.jsonl"
    path.write_bytes(data)
    source, limits = Source("x", str(path), "lines"), InputLimits(max_size=longest)
    found: list[Item | Refused] = []
    begun = 0
    for start in range(0, size_in_ranges(source) or 0, size):
        there = list(read_range(Range("x", source, start, start + size, begun + 1), limits))
        number = (line_feeds(source, start, min(start + size, len(data))) or 0) + (start == 0)
        assert number or not there
        found += there
        begun += number
    assert found == [each for each in read(source, limits) if isinstance(each, Item | Refused)]


@given(_DROPS, st.integers(1, 4), st.integers(1, 5), st.integers(1, 4), st.booleans(), st.randoms(use_true_random=False))
def test_partitions_give_what_the_whole_gives(
    drop: tuple[Facts, ...], number: int, blocks: int, most: int, complete: bool, chance: random.Random
) -> None:
    options = Options(limits=Limits(max_findings=most))
    shared = [shuffle.spread(drop[start::blocks], number) for start in range(blocks)]
    chance.shuffle(shared)
    judged = [shuffle.judge([each[place] for each in shared], place, number, options, complete=complete) for place in range(number)]
    apart, whole = Shortlist(most), Shortlist(most)
    for each in judged:
        apart.include(each.shortlist)
    apart.extend(shuffle.judge_counted((group for each in judged for group in each.counted), options, complete=complete))
    whole.extend(engine.check_drop(lambda grouping: groups(grouping, drop), options, complete=complete))
    assert sorted(apart.findings(options), key=engine.order) == sorted(whole.findings(options), key=engine.order)
