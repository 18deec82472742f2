"""Writes what was measured as a page of documentation."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from measuring import Measured
from peers import Peer

__all__ = ["Results", "page"]

_FLOOR, _ONE, _TWO = "floor", "wrs-verify --jobs 1", "wrs-verify --jobs 2"


class Results(NamedTuple):
    """What was measured: each command on a single record and on the drop, and wrs-verify on a smaller and a larger drop.

    `sizes` are numbers of records, that of the single one first, then those of the smaller drop, the drop and the larger one; `bytes_`
    is the drop's size; `runs` tells how often each command was run on it. `history` has what runs with a history took: a single record
    with a `small` and a `large` one, and the drop `without` one, when it was `new` to the large one, and when it was `known` to it;
    `entries` are how many the two have.
    """

    sizes: list[int]
    bytes_: int
    start: dict[str, Measured]
    drop: dict[str, Measured]
    growth: dict[str, Measured]
    runs: dict[str, int]
    peers: list[Peer]
    history: dict[str, Measured]
    entries: tuple[int, int]


class _Limit(NamedTuple):
    """A limit that the project has set itself: at least or at most `bound`.

    `measured` is a ratio of times by the clock, or of memory, and None where a program was not there to compare with; `processor` is
    the ratio of the time of processors, where that means the same.
    """

    what: str
    bound: float
    measured: float | None
    processor: float | None = None
    least: bool = False


def page(results: Results) -> str:
    """The whole page."""
    return "".join(_parts(results))


def _parts(results: Results) -> Iterator[str]:
    small, middle, large = results.sizes[1:]
    yield "# Performance\n\n<!-- Made by benchmarks/run.py: change that, and run `make bench`. -->\n\n"
    yield f"Measured with `make bench`, in one run, {_machine()}.\nSeconds differ from machine to machine; look at the ratios.\n\n"
    yield f"## A drop of {middle:,} records\n\n"
    yield (
        f"{results.bytes_ / 1e6:.0f} MB of valid records: half of them indented, of 10 people and 18 KB, half on one line, of 53 people\n"
        "and 25 KB, as published ones are. *Floor* is what no check can do without: reading each file, SHA-256 of its bytes, and\n"
        "`orjson.loads`.\n\n"
    )
    yield from _drop_table(results)
    yield "\n"
    yield from _missing(results)
    yield (
        "The other programs are given the same schema as a single file, and check nothing else: no hash, no agreement of copies, no\n"
        "duplicate names. Each takes the whole drop in one invocation. Before that it was seen to accept a valid record and to refuse\n"
        "one that violates the schema.\n\n"
        f"Versions: {', '.join(_versions(results))}.\n\n"
    )
    yield "## A single record\n\nThe whole command, start included.\n\n"
    yield from _start_table(results)
    yield f"\n## Growth\n\n`wrs-verify` on {small:,}, {middle:,} and {large:,} records.\n\n"
    yield from _growth_table(results)
    yield "\n## A history\n\n`wrs-verify --jobs 1 --history` on histories of other records; to the same without `--history`.\n\n"
    yield from _history_table(results)
    yield "\n## Limits\n\nWhat the project holds itself to.\n\n"
    yield from _limits_table(results)
    yield _METHOD


_METHOD = """
## How this is measured

```sh
make bench
```

- The drops are made for the run (`benchmarks/drop.py`): placeholder text, right hashes, and in every record an id, texts, names and
  sources of its own, so that nothing remembered of one record helps with another.
- Each command is run whole, in a process of its own, with its output thrown away. All commands are run by turns, several times; the
  shortest time counts. One that takes over a minute in all is not run again.
- *Per record* is without the start: the time for the drop less the time for a single record, divided by how many records there are more.
- *Processor* is the time that all processors spent on it together, which tells more than the clock on a machine that does other work.
- *Peak* is the largest of any one process, as the operating system counts it at its end, and no less than what the measuring process
  has, some 17 MB. Two workers and the process that leads them need at most three times as much.
- Files are in the system's cache: none is read from a disk.
- `make bench ARGS=--quick` tries all this on a tenth of the records, and leaves this page as it is.
"""


def _drop_table(results: Results) -> Iterator[str]:
    yield "| command | seconds | processor | µs per record | to floor | to one process | peak | runs |\n"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    floor, one = results.drop[_FLOOR].seconds, results.drop[_ONE].seconds
    for name, taken in results.drop.items():
        each = _each(taken, results.start[name], results.sizes[2]).seconds * 1e6
        yield (
            f"| {_shown(name)} | {taken.seconds:.2f} | {taken.processor:.2f} | {each:.0f} | {taken.seconds / floor:.2f} "
            f"| {taken.seconds / one:.2f} | {_megabytes(taken)} | {results.runs[name]} |\n"
        )


def _start_table(results: Results) -> Iterator[str]:
    yield "| command | seconds | to one process | peak |\n| --- | ---: | ---: | ---: |\n"
    one = results.start[_ONE].seconds
    for name, taken in results.start.items():
        yield f"| {_shown(name)} | {taken.seconds:.3f} | {taken.seconds / one:.2f} | {_megabytes(taken)} |\n"


def _growth_table(results: Results) -> Iterator[str]:
    yield "| command | records | seconds | µs per record | peak |\n| --- | ---: | ---: | ---: | ---: |\n"
    _, small, middle, large = results.sizes
    for name, count, taken in (
        (_ONE, small, results.growth["small"]),
        (_ONE, middle, results.drop[_ONE]),
        (_ONE, large, results.growth["large"]),
        (_TWO, middle, results.drop[_TWO]),
        (_TWO, large, results.growth["two on large"]),
    ):
        each = _each(taken, results.start[name], count).seconds * 1e6
        yield f"| {_shown(name)} | {count:,} | {taken.seconds:.2f} | {each:.0f} | {_megabytes(taken)} |\n"


def _history_table(results: Results) -> Iterator[str]:
    yield "| records | entries of the history | seconds | processor | to without | peak |\n| --- | ---: | ---: | ---: | ---: | ---: |\n"
    small, large = results.entries
    for records, entries, name, without in (
        ("a single one", small, "small", results.start[_ONE]),
        ("a single one", large, "large", results.start[_ONE]),
        (f"{results.sizes[2]:,}, new to it", large, "new", results.history["without"]),
        (f"{results.sizes[2]:,}, known to it", large, "known", results.history["without"]),
    ):
        taken = results.history[name]
        yield (
            f"| {records} | {entries:,} | {taken.seconds:.2f} | {taken.processor:.2f} "
            f"| {taken.seconds / without.seconds:.2f} | {_megabytes(taken)} |\n"
        )


def _limits_table(results: Results) -> Iterator[str]:
    yield "| what | limit | measured | by processor time | met |\n| --- | --- | ---: | ---: | --- |\n"
    for limit in _limits(results):
        bound = f"at {'least' if limit.least else 'most'} {limit.bound:g}"
        measured, processor = ("" if ratio is None else f"{ratio:.2f}" for ratio in (limit.measured, limit.processor))
        met = "not measured"
        if limit.measured is not None:
            met = "yes" if (limit.measured >= limit.bound if limit.least else limit.measured <= limit.bound) else "**no**"
        yield f"| {limit.what} | {bound} | {measured} | {processor} | {met} |\n"


def _limits(results: Results) -> Iterator[_Limit]:
    start, drop, growth = results.start, results.drop, results.growth
    _, small, middle, large = results.sizes
    one, peer = drop[_ONE], "check-jsonschema"
    yield _Limit("one process to the floor", 2.5, *_ratios(one, drop[_FLOOR]))
    yield _Limit("two processes to one", 0.65, drop[_TWO].seconds / one.seconds)
    yield _Limit(f"a single record, to `{peer}`", 0.5, *_ratios(start[_ONE], start.get(peer)))
    yield _Limit(f"peak memory of {large:,} records to that of {middle:,}, one process", 1.3, growth["large"].peak / one.peak)
    slower = _ratios(_each(growth["large"], start[_ONE], large), _each(growth["small"], start[_ONE], small))
    yield _Limit(f"time per record of {large:,} to that of {small:,}", 1.1, *slower)
    history, entries = results.history, results.entries
    known = _ratios(history["known"], history["without"])
    yield _Limit(f"{middle:,} records with a history of {entries[1]:,} entries, to without", 1.5, *known)
    opened = _ratios(history["large"], history["small"])
    yield _Limit(f"a single record with a history of {entries[1]:,} entries, to one of {entries[0]:,}", 1.1, *opened)
    for name, least in ((peer, 20), ("ajv-cli", 1.5), ("@sourcemeta/jsonschema", 1.5)):
        yield _Limit(f"`{name}` to one process", least, *_ratios(drop.get(name), one), least=True)


def _ratios(taken: Measured | None, other: Measured | None) -> tuple[float | None, float | None]:
    """How many times as long one took as the other: by the clock, and by the time of processors."""
    if taken is None or other is None:
        return None, None
    return taken.seconds / other.seconds, taken.processor / other.processor


def _each(taken: Measured, start: Measured, count: int) -> Measured:
    """The times for each record after the first."""
    seconds, processor = taken.seconds - start.seconds, taken.processor - start.processor
    return Measured(seconds / (count - 1), processor / (count - 1), taken.peak)


def _missing(results: Results) -> Iterator[str]:
    for peer in results.peers:
        if peer.missing:
            yield f"**`{peer.name}` was not measured:** {peer.missing}.\n\n"


def _versions(results: Results) -> Iterator[str]:
    yield from (f"{name} {version(name)}" for name in ("wrs-verify", "orjson"))
    yield from (f"{peer.name} {peer.version}" for peer in results.peers if peer.version)


def _shown(name: str) -> str:
    return "*floor*" if name == _FLOOR else f"`{name}`"


def _megabytes(taken: Measured) -> str:
    return f"{taken.peak / 1e6:.0f} MB"


def _machine() -> str:
    """The machine, without its name."""
    parts = [_processor(), f"{os.cpu_count()} cores"]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        parts.append(f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GB of memory")
    load = os.getloadavg()[0]
    return f"on {', '.join(parts)}, {platform.system()}, Python {platform.python_version()} (load at the end: {load:.1f})"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models and models[0] != "unknown" else platform.processor() or platform.machine()
