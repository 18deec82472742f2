"""When the machine fails: a full disk, reads that end in errors, a kill in the middle. A report is the old one or the whole new one."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from wrs_verify import verify_paths

GOOD = Path(__file__).resolve().parent.parent / "vectors" / "valid" / "plain.json"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 256 KiB, where the machine lets one be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "wrs-verify-test", str(disk)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a file system can be mounted by the administrator alone")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def wrs_verify(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "wrs_verify", "--jobs", "1", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=120, check=False)


@pytest.mark.parametrize("format", ["json", "text"])
def test_a_full_disk_leaves_the_old_report(small_disk: Path, tmp_path: Path, format: str) -> None:
    drop = tmp_path / "drop.jsonl"
    drop.write_bytes(json.dumps(json.loads(GOOD.read_bytes())).encode().replace(b"\n", b"") + b"\n")
    drop.write_bytes(drop.read_bytes() * 500)
    report = small_disk / "report"
    report.write_text("the old one")
    done = wrs_verify("--verbose", "--report", f"{format}={report}", "--report", "text" if format == "json" else "json", drop)
    assert done.returncode == 4
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr
    assert len(done.stdout) > 1000  # the other report is whole
    assert report.read_text() == "the old one"
    assert list(small_disk.iterdir()) == [report]
    smaller = wrs_verify("--report", f"{format}={report}", GOOD)
    assert smaller.returncode == 0
    assert report.read_text() != "the old one"


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is a file on Linux alone")
def test_a_read_that_fails_is_a_finding() -> None:
    """The memory of a process can be opened, and reading at its start ends in an error (EIO)."""
    report = verify_paths("/proc/self/mem")
    assert report.verdict == "fail"
    [finding] = report.findings
    assert (finding.rule, finding.message) == ("unreadable-input", f"cannot be read: {os.strerror(errno.EIO)}")


@pytest.mark.parametrize("moment", [0.1, 0.3, 0.5, 0.8])
def test_a_kill_at_any_moment_leaves_the_old_report_or_the_new_one(tmp_path: Path, moment: float) -> None:
    drop, report = tmp_path / "drop.jsonl", tmp_path / "report.json"
    drop.write_bytes((json.dumps(json.loads(GOOD.read_bytes())).encode() + b"\n") * 2000)
    report.write_text('{"old": true}')
    child = subprocess.Popen([sys.executable, "-m", "wrs_verify", "--jobs", "1", "--report", f"json={report}", str(drop)])
    time.sleep(moment)
    child.send_signal(signal.SIGKILL)
    child.wait()
    read = json.loads(report.read_bytes())
    assert read == {"old": True} or read["counts"]["records"] == 2000


def test_standard_output_that_is_closed_fails_the_run() -> None:
    command = f'exec "{sys.executable}" -m wrs_verify --jobs 1 "{GOOD}" >&-'
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=False)
    assert done.returncode != 0
    assert b"Traceback" not in done.stderr
