"""Runs with a history, as a user would run them, and what they leave."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from commands import run, wrs_verify

from wrs_verify.model import Sighting

Done = subprocess.CompletedProcess[bytes]


def drop(folder: Path, *values: Any) -> Path:
    """A folder that holds these records and no others."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for number, value in enumerate(values):
        (folder / f"{number:03}.json").write_text(json.dumps(value))
    return folder


def verified(place: Path, *arguments: str | Path, now: str = "2026-01-01", status: int = 0) -> dict[str, Any]:
    """The JSON report of a run."""
    done = wrs_verify(place, "--report", "json", "--now", now, *arguments)
    assert done.returncode == status, done.stdout.decode() + done.stderr.decode()
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def wrs_history(*arguments: str | Path) -> Done:
    """What `wrs-history` does with these arguments."""
    return run("wrs_verify.history_cli", *arguments)


def said(*arguments: str | Path, status: int = 0) -> str:
    """What `wrs-history` prints, to standard output or, where it fails, to standard error."""
    done = wrs_history(*arguments)
    assert done.returncode == status, done.stdout.decode() + done.stderr.decode()
    return (done.stderr if status else done.stdout).decode()


def root(report: dict[str, Any]) -> str:
    """A report's history, as `--expect-root` takes it."""
    return f"{report['history']['size']}:{report['history']['root']}"


def found(report: dict[str, Any]) -> list[tuple[str, str]]:
    """The rules and levels of what a report has outside its records, but for what rules of the drop say of single files."""
    return [(finding["rule"], finding["level"]) for finding in report["findings"]]


def sighting(record_id: str, number: int = 0) -> Sighting:
    """What a history is shown of a record that there is not; another number is another content."""
    made = number.to_bytes(32, "big")
    none = None, None, None, None, "entry-1", None
    return Sighting("a.json", None, "wrs-published-research-view-1", record_id, 1, made, made, made, *none, made)


@contextmanager
def edited(history: Path) -> Iterator[sqlite3.Connection]:
    """A history, to be changed by hand."""
    with closing(sqlite3.connect(history, isolation_level=None)) as database:
        yield database
