"""Measures wrs-verify against the least that its work costs, against other programs, and against itself: `make bench`.

Everything is measured in one run, on drops that are made for it in a temporary folder. Only the ratios mean something elsewhere.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import peers
from measuring import Command, CommandFailed, Measured, once, repeated
from page import Results, page

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent
HOME = PROJECT / "build/benchmarks"
VERIFIER = Path(sys.executable).with_name("wrs-verify")
PROFILE = "wrs-published-research-view-1"

FLOOR = Command("floor", lambda folder: [sys.executable, HERE / "floor.py", folder])
ONE = Command("wrs-verify --jobs 1", lambda _: [VERIFIER, "--jobs", "1", "."])
TWO = Command("wrs-verify --jobs 2", lambda _: [VERIFIER, "--jobs", "2", "."])
DOUBLE = Command("wrs-verify --jobs 1 --double-check", lambda _: [VERIFIER, "--jobs", "1", "--double-check", "."])

#: Bytes of a record of the drops, on average.
RECORD_SIZE = 22_000

#: Bytes of the histories, at most, while they are made.
HISTORIES_SIZE = 1_500_000_000

#: Writes a schema as a single file, in a process of its own: this one is kept small (see `measuring.once`).
SCHEMA = """
import json, sys
from wrs_verify.validation import resolved
json.dump({"$schema": "https://json-schema.org/draft/2020-12/schema", **resolved(sys.argv[1])}, sys.stdout)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure wrs-verify.")
    parser.add_argument("--quick", action="store_true", help="on a tenth of the records and in fewer rounds; nothing is written")
    parser.add_argument("--rounds", type=int, default=0, metavar="N", help="how often to measure [default: 5, or 2 with --quick]")
    parser.add_argument("--folder", metavar="FOLDER", help="where to make the drops [default: the system's folder for temporary files]")
    parser.add_argument("--no-peers", action="store_true", help="leave the other programs out; nothing is written")
    given = parser.parse_args()
    sizes = (100, 1_000, 10_000) if given.quick else (1_000, 10_000, 100_000)
    entries = (20_000, 100_000) if given.quick else (100_000, 1_000_000)
    try:
        with tempfile.TemporaryDirectory(prefix="wrs-verify-bench-", dir=given.folder) as work:
            drops = make_drops(Path(work), sizes)
            histories = make_histories(Path(work), entries)
            found = [] if given.no_peers else find_peers(drops[0].parent)
            results = measure(drops, found, histories, entries, given.rounds or (2 if given.quick else 5))
    except CommandFailed as error:
        sys.exit(str(error))
    text = page(results)
    print(text)
    if not given.quick and not given.no_peers:
        (PROJECT / "docs/performance.md").write_text(text, encoding="utf-8")


def make_drops(work: Path, sizes: tuple[int, ...]) -> list[Path]:
    """Make a drop of a single record and one of each size, and a folder with a record that violates the schema."""
    needed = sum(sizes) * RECORD_SIZE * 5 // 4 + HISTORIES_SIZE
    if shutil.disk_usage(work).free < needed:
        sys.exit(f"the drops need {needed / 1e9:.1f} GB: name a folder with room for them with --folder")
    drops = [work / f"{size:,}" for size in (1, *sizes)]
    for drop, size in zip(drops, (1, *sizes), strict=True):
        print(f"making a drop of {size:,}", file=sys.stderr)
        subprocess.run([sys.executable, HERE / "drop.py", drop, str(size)], check=True)  # noqa: S603
    (work / "broken").mkdir()
    for file in drops[0].iterdir():
        document = json.loads(file.read_bytes())
        document["version"]["kind"] = "ANOTHER_KIND"
        (work / "broken" / file.name).write_text(json.dumps(document))
    return drops


def make_histories(work: Path, sizes: tuple[int, ...]) -> list[Path]:
    """Make a history of each size."""
    histories = [work / f"history-{size}.db" for size in sizes]
    for history, size in zip(histories, sizes, strict=True):
        print(f"making a history of {size:,}", file=sys.stderr)
        subprocess.run([sys.executable, HERE / "history.py", history, str(size)], check=True)  # noqa: S603
    return histories


def find_peers(work: Path) -> list[peers.Peer]:
    """Install the other programs, and see that they work."""
    print("installing other programs", file=sys.stderr)
    schema = work / "schema.json"
    with schema.open("wb") as file:
        subprocess.run([sys.executable, "-c", SCHEMA, PROFILE], stdout=file, check=True)  # noqa: S603
    HOME.mkdir(parents=True, exist_ok=True)
    return peers.installed(HOME, schema, work / "1", work / "broken")


def measure(drops: list[Path], found: list[peers.Peer], histories: list[Path], entries: tuple[int, int], rounds: int) -> Results:
    """Measure every command on a single record, and on a drop; then how wrs-verify takes a smaller and a larger one, and histories."""
    single, small, middle, large = drops
    commands = [FLOOR, ONE, TWO, DOUBLE, *(command for peer in found for command in peer.commands)]
    start = repeated([(command, single) for command in commands], 2 * rounds)
    growth = [(ONE, small), (ONE, large), (TWO, large)]
    taken = repeated([*((command, middle) for command in commands), *growth], rounds)
    names = [command.name for command in commands]
    return Results(
        sizes=[sum(1 for _ in drop.iterdir()) for drop in drops],
        bytes_=sum(file.stat().st_size for file in middle.iterdir()),
        start=dict(zip(names, map(best, start), strict=True)),
        drop=dict(zip(names, map(best, taken), strict=False)),
        growth=dict(zip(("small", "large", "two on large"), map(best, taken[len(names) :]), strict=True)),
        runs=dict(zip(names, map(len, taken), strict=False)),
        peers=found,
        history=measure_history(drops, histories, rounds),
        entries=entries,
    )


def measure_history(drops: list[Path], histories: list[Path], rounds: int) -> dict[str, Measured]:
    """Measure how a small and a large history are opened, what a drop costs that is new to the large one, and one that it knows."""
    small, large = (Command(f"wrs-verify --jobs 1 --history {history.name}", partial(_remembering, history)) for history in histories)
    single, middle = drops[0], drops[2]
    for command in (small, large):
        once(command, single)
    new = once(large, middle)
    start = repeated([(small, single), (large, single)], 2 * rounds)
    without, known = repeated([(ONE, middle), (large, middle)], rounds)
    return {"small": best(start[0]), "large": best(start[1]), "new": new, "without": best(without), "known": best(known)}


def _remembering(history: Path, _: Path) -> list[str | Path]:
    return [VERIFIER, "--jobs", "1", "--history", history, "."]


def best(runs: list[Measured]) -> Measured:
    """The least time of all runs, which is what was disturbed least, and the largest peak."""
    return Measured(min(run.seconds for run in runs), min(run.processor for run in runs), max(run.peak for run in runs))


if __name__ == "__main__":
    main()
