"""Makes a history to measure with: `python benchmarks/history.py FILE ENTRIES`.

It is of records that no drop has, seen in four runs.
"""

from __future__ import annotations

import hashlib
import sys
import uuid
from contextlib import closing
from pathlib import Path

from wrs_verify.history.store import History
from wrs_verify.model import Sighting

__all__ = ["make"]

_RUNS = 4


def make(path: Path, entries: int) -> None:
    """Make a history of so many entries."""
    for run in range(_RUNS):
        with closing(History(str(path))) as history:
            numbers = range(entries * run // _RUNS, entries * (run + 1) // _RUNS)
            for number in numbers:
                history.add(_sighting(number))
            history.changes(())
            history.extend("2026-01-01T00:00:00Z", "benchmark", len(numbers), complete_drop=False)
            history.commit()


def _sighting(number: int) -> Sighting:
    """What a history is shown of a record that there is not."""
    content, view, document, grade, text = (hashlib.sha256(f"{name} {number}".encode()).digest() for name in "cvdgt")
    record_id = uuid.UUID(bytes=hashlib.sha256(str(number).encode()).digest()[:16], version=4).urn
    said = ("ratings-0123456789abcdef", "2025-03-10.1", grade, "B+, 65000 points", f"entry-{number}")
    return Sighting("drop.jsonl", number, "wrs-published-research-view-1", record_id, 1, content, view, document, *said, None, text)


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]))
