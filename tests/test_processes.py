"""Worker processes: a lost one costs nothing but the record at fault, and every run gives the same report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wrs_verify import Report, engine, execution, verify_paths
from wrs_verify.engine import Checked, Lookup, Options
from wrs_verify.inputs import Selection

VALID = Path(__file__).resolve().parent.parent / "vectors" / "valid" / "plain.json"


@pytest.fixture
def drop(tmp_path: Path) -> Path:
    folder = tmp_path / "drop"
    folder.mkdir()
    for number in range(300):
        (folder / f"{number:03}.json").write_bytes(VALID.read_bytes())
    return folder


def kill_at(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let the process that checks one of these records be killed, as the system does when memory runs out."""
    original, parent = engine.check_record, os.getpid()

    def check(data: bytes, name: str, line: int | None, options: Options, sources: Lookup | None = None) -> Checked:
        if Path(name).name in names:
            assert os.getpid() != parent
            os.kill(os.getpid(), signal.SIGKILL)
        return original(data, name, line, options, sources)

    monkeypatch.setattr(engine, "check_record", check)


def lost(report: Report) -> list[str]:
    return [Path(record.input).name for record in report.records if any(finding.rule == "internal-error" for finding in record.findings)]


def test_a_lost_worker_costs_the_record_at_fault(drop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kill_at(monkeypatch, "007.json", "123.json", "124.json", "299.json")
    report = verify_paths(str(drop), processes=2)
    assert report.verdict == "incomplete"
    assert lost(report) == ["007.json", "123.json", "124.json", "299.json"]
    assert [Path(record.input).name for record in report.records] == [f"{number:03}.json" for number in range(300)]
    assert (report.counts.passed, report.counts.failed) == (296, 4)


def test_a_worker_killed_from_outside_loses_no_record(drop: Path) -> None:
    for number in range(300, 3000):
        (drop / f"{number}.json").write_bytes(VALID.read_bytes())
    command = [sys.executable, "-m", "wrs_verify", str(drop), "--jobs", "2", "--report", "json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        killed = kill_a_child(process.pid)
        found = json.loads(process.stdout.read())
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0
    assert killed
    assert found["counts"]["records"] == found["counts"]["passed"] == 3000


def kill_a_child(parent: int) -> bool:
    """Kill one child of a process as soon as it has any."""
    children = Path(f"/proc/{parent}/task/{parent}/children")
    for _ in range(500):
        if children.exists() and (pids := children.read_text().split()):
            os.kill(int(pids[0]), signal.SIGKILL)
            return True
        time.sleep(0.005)
    return False


def test_the_parent_checks_small_drops_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json").write_bytes(VALID.read_bytes())
    monkeypatch.setattr(execution, "_FIRST", 2)
    assert verify_paths(str(tmp_path), processes=2).counts.passed == 1


def test_an_interrupt_ends_the_run_early(drop: Path) -> None:
    results = []

    def record(result: object) -> None:
        results.append(result)
        if len(results) == 100:
            raise execution.Interrupted

    ending = execution.run(execution.Job(Selection((str(drop),)), processes=2), record)
    assert ending.verdict == "incomplete"
    assert ending.counts.records == len(results) == 100


def test_a_check_that_crashes_is_no_pass(drop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise RecursionError("deep")

    monkeypatch.setattr(engine, "_check", crash)
    report = verify_paths(str(drop / "000.json"))
    assert report.verdict == "incomplete"
    assert lost(report) == ["000.json"]
