"""A run that fails leaves its history as it was, whatever fails: a report, the disk, a lock, a signal, a kill at any moment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest
from commands import wrs_verify
from history_samples import drop, edited, said, sighting, verified
from test_drop import record

from wrs_verify.history.errors import HistoryMoved
from wrs_verify.history.store import History

FULL = Path("/dev/full")
COMMAND = "from wrs_verify.cli import main; main()"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A drop, and a history that saw a part of it."""
    folder = tmp_path_factory.mktemp("made")
    verified(drop(folder / "drop", record(1)), "--history", folder / "history.db")
    return drop(folder / "drop", *map(record, range(1, 20))), folder / "history.db"


@pytest.fixture(params=["new", "old"])
def history(request: pytest.FixtureRequest, made: tuple[Path, Path], tmp_path: Path) -> Path:
    """Where a history is to be, or is."""
    path = tmp_path / "here" / "history.db"
    path.parent.mkdir()
    return Path(shutil.copy(made[1], path)) if request.param == "old" else path


def left(history: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in history.parent.iterdir()}


def started(code: str, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    """What a process of Python does that runs this, with these arguments."""
    return subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, timeout=120, check=False)


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_a_report_that_cannot_be_written_keeps_the_run_out(made: tuple[Path, Path], history: Path, tmp_path: Path) -> None:
    before, other = left(history), tmp_path / "other.json"
    done = wrs_verify(made[0], "--history", history, "--report", "text", "--report", f"json={FULL}", "--report", f"json={other}")
    assert done.returncode == 4
    assert b"No space left on device; the history was not extended" in done.stderr
    assert b"PASS" in done.stdout
    assert b"history:" not in done.stdout  # it would tell of a root that there is not
    assert not other.exists()
    assert left(history) == before


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_standard_output_that_is_full_or_closed_keeps_the_run_out(made: tuple[Path, Path], history: Path, tmp_path: Path) -> None:
    before, other = left(history), tmp_path / "other.json"
    command = [sys.executable, "-c", COMMAND, str(made[0]), "--history", str(history), "--report", "text", "--report", f"json={other}"]
    with FULL.open("wb") as full:
        assert subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False).returncode == 4
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, timeout=60, check=False)
    assert (done.returncode, b"the history was not extended" in done.stderr) == (4, True)
    assert left(history) == before
    assert not other.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of processes")
def test_a_disk_that_is_full_leaves_the_history(made: tuple[Path, Path], tmp_path: Path) -> None:
    """Files of this process may not grow: SQLite is told that, at the latest, when it commits."""
    history, report = Path(shutil.copy(made[1], tmp_path / "history.db")), tmp_path / "report.json"
    size = history.stat().st_size
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size})); {COMMAND}"
    before = history.read_bytes()
    done = started(
        limited, drop(tmp_path / "drop", *map(record, range(1, 40))), "--history", history, "--jobs", "1", "--report", f"json={report}"
    )
    assert done.returncode == 4
    assert b"the history was not extended, and is as it was" in done.stderr + (report.read_bytes() if report.exists() else b"")
    assert history.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir() if file.is_file()) == ["history.db"]


SIGNALLED = """
import os, signal
from wrs_verify.history.store import History
original = History.{name}
def call(self, *arguments, **named):
    if {before}:
        os.kill(os.getpid(), signal.{signal})
    made = original(self, *arguments, **named)
    if not {before}:
        os.kill(os.getpid(), signal.{signal})
    return made
History.{name} = call
"""


@pytest.mark.parametrize(
    ("name", "before", "number", "status"),
    [
        ("changes", True, "SIGTERM", 4),
        ("extend", True, "SIGTERM", 4),
        ("extend", False, "SIGINT", 4),
        ("commit", True, "SIGINT", 0),
        ("commit", False, "SIGTERM", 0),
    ],
)
def test_a_signal_ends_the_run_before_the_commit_or_not_at_all(
    made: tuple[Path, Path], tmp_path: Path, name: str, before: bool, number: str, status: int
) -> None:
    history, report = Path(shutil.copy(made[1], tmp_path / "history.db")), tmp_path / "report.json"
    data = history.read_bytes()
    code = SIGNALLED.format(name=name, before=before, signal=number) + COMMAND
    done = started(code, made[0], "--history", history, "--jobs", "1", "--report", f"json={report}")
    assert done.returncode == status, done.stderr
    if status:
        assert history.read_bytes() == data
        assert json.loads(report.read_bytes())["verdict"] == "incomplete"
    else:
        assert json.loads(report.read_bytes())["history"]["added"] == 18
        assert "the history is whole: 2 runs" in said("check", history)


def test_a_history_that_was_made_in_vain_is_gone_for_whoever_waited_for_it(tmp_path: Path) -> None:
    """Two runs begin a history; the one that made it fails, and the other one begins it anew and does not write into a removed file."""
    path = str(tmp_path / "history.db")

    ready, extended = Event(), Event()

    def other() -> None:
        with closing(History(path)) as run:
            run.add(sighting("urn:uuid:00000000-0000-4000-9000-000000000002"))
            run.changes(())
            ready.set()
            extended.wait()
            while True:
                try:
                    run.extend("2026-01-01T00:00:00Z", "0", 1, complete_drop=False)
                    break
                except HistoryMoved:
                    run.changes(())
            run.commit()

    with ThreadPoolExecutor(1) as pool:
        with closing(History(path)) as one:
            one.add(sighting("urn:uuid:00000000-0000-4000-9000-000000000001"))
            one.changes(())
            waiting = pool.submit(other)
            ready.wait()
            one.extend("2026-01-01T00:00:00Z", "0", 1, complete_drop=False)
            extended.set()
            time.sleep(0.3)  # the other one waits for the lock now, most likely
        waiting.result(60)
    assert len(said("records", path).splitlines()) == 1
    assert "the history is whole: 1 run," in said("check", path)


def test_a_locked_history_is_waited_for_and_then_given_up(made: tuple[Path, Path], tmp_path: Path) -> None:
    history = Path(shutil.copy(made[1], tmp_path / "history.db"))
    before = history.read_bytes()
    with edited(history) as database:
        database.execute("BEGIN EXCLUSIVE")
        done = wrs_verify(made[0], "--history", history, "--history-wait", "0.2")
        assert (done.returncode, done.stdout) == (4, b"")
        assert b"in use by another program" in done.stderr
    with edited(history) as database:
        database.execute("BEGIN IMMEDIATE")  # it can be read, but not be extended
        report = verified(made[0], "--history", history, "--history-wait", "0.2", status=4)
        assert report["verdict"] == "incomplete"
        assert "in use by another program" in report["findings"][0]["message"]
    assert history.read_bytes() == before


def test_runs_at_once_come_one_after_the_other(tmp_path: Path) -> None:
    history = tmp_path / "history.db"
    places = [drop(tmp_path / f"drop{number}", record(number), record(9)) for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(lambda place: verified(place, "--history", history), places))
    assert sorted(report["history"]["runs"] for report in reports) == [1, 2, 3, 4]
    assert sum(report["history"]["added"] for report in reports) == 5
    said("check", history)
    assert sorted(file.name for file in tmp_path.iterdir() if file.is_file()) == ["history.db"]


KILLS = """
import os, random, shutil, signal, sys, time
from pathlib import Path
from typing import Any
from wrs_verify.history.store import History, opened
from wrs_verify.history.tree import read_tree, verify_all
from wrs_verify.model import Sighting

start, history, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
random.seed(4)

def sighting(number):
    made = bytes([number % 256, number // 256]) * 16
    return Sighting("a.json", None, "wrs-published-research-view-1", f"urn:uuid:00000000-0000-4000-9000-{number:012d}", 1,
                    made, made, made, None, None, None, None, f"entry-{number}", None, made)

def commit(ready):
    run = History(history)
    for number in range(400):
        run.add(sighting(number))
    run.changes(["history-rewritten"])
    os.write(ready, b"x")
    run.extend("2026-01-01T00:00:00Z", "0", 400, complete_drop=True)
    run.commit()

def state():
    with opened(history) as database:
        database.execute("BEGIN")
        tree = read_tree(database)
        verify_all(database, tree)
        return tree

shutil.copy(start, history)
before = state()
reading, writing = os.pipe()
began = time.perf_counter()
commit(writing)
whole = time.perf_counter() - began
after = state()
os.read(reading, 1)
seen = {"before": 0, "after": 0, "killed": 0}
for _ in range(rounds):
    Path(history + "-journal").unlink(missing_ok=True)
    shutil.copy(start, history)
    child = os.fork()
    if child == 0:
        commit(writing)
        os._exit(0)
    os.read(reading, 1)
    time.sleep(random.uniform(0, whole))
    os.kill(child, signal.SIGKILL)
    seen["killed"] += os.WIFSIGNALED(os.waitpid(child, 0)[1])
    now = state()
    seen["before" if now == before else "after" if now == after else "neither"] += 1
print(seen["before"] + seen["after"], seen["killed"])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_kill_at_any_moment_leaves_the_one_state_or_the_other(made: tuple[Path, Path], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLS, made[1], tmp_path / "history.db", "100"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    valid, killed = map(int, done.stdout.split())
    assert valid == 100
    assert killed > 0
