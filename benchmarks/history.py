"""Measures what a history costs: `python benchmarks/history.py FOLDER [ENTRIES]`, in an empty folder, with a million entries if not told.

It prints how long a history takes to open with a thousand entries and with all of them, and how long a run on 10,000 records takes
without and with the larger history, in turns, as ratios.
"""

from __future__ import annotations

import hashlib
import sys
import time
import uuid
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median

import drop
from measuring import Command, once

from wrs_verify.history.store import History
from wrs_verify.model import Sighting

_RECORDS, _BATCH, _ROUNDS = 10_000, 50_000, 5


def sighting(number: int) -> Sighting:
    """What a history is shown of a record that there is not."""
    made = [hashlib.sha256(f"{name} {number}".encode()).digest() for name in "cvdgt"]
    record_id = uuid.UUID(bytes=hashlib.sha256(str(number).encode()).digest()[:16], version=4).urn
    content, view, document, grade, text = made
    said = ("ratings-0123456789abcdef", "2025-03-10.1", grade, "B+, 65000 points", f"entry-{number}")
    return Sighting("drop.jsonl", number, "wrs-published-research-view-1", record_id, 1, content, view, document, *said, None, text)


def fill(path: Path, entries: int) -> None:
    """Make a history of so many records."""
    for start in range(0, entries, _BATCH):
        with closing(History(str(path))) as history:
            for number in range(start, min(entries, start + _BATCH)):
                history.add(sighting(number))
            history.changes(())
            history.commit("2026-01-01T00:00:00Z", "benchmark", _BATCH, complete_drop=False)


def opening(path: Path) -> float:
    """Seconds that it takes to open a history: the median of some times."""
    taken = []
    for _ in range(_ROUNDS):
        begun = time.perf_counter()
        with closing(History(str(path))):
            taken.append(time.perf_counter() - begun)
    return median(taken)


def arguments(options: Sequence[str | Path], folder: Path) -> Sequence[str | Path]:
    return [sys.executable, "-m", "wrs_verify", folder, "--quiet", "--jobs", "1", "--now", "2026-01-01", *options]


def main(folder: Path, entries: int) -> None:
    """Measure, and print."""
    small, large, records = folder / "small.db", folder / "large.db", folder / "drop"
    fill(small, 1000)
    fill(large, entries)
    print(f"opening: 1000 entries {opening(small):.3f} s, {entries} entries {opening(large):.3f} s")
    drop.make(records, _RECORDS)
    without = Command("without", partial(arguments, ()))
    with_it = Command("with", partial(arguments, ("--history", large)))
    first = once(with_it, records)
    pairs = [(once(without, records), once(with_it, records)) for _ in range(_ROUNDS)]
    ratios = sorted(one.seconds / other.seconds for other, one in pairs)
    plain = median(other.seconds for other, _ in pairs)
    print(
        f"{_RECORDS} records: {plain:.2f} s without; with the history {median(ratios):.2f} times that ({ratios[0]:.2f} to {ratios[-1]:.2f})"
    )
    print(f"when all of them are new to it: {first.seconds / plain:.2f} times")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)
