"""What a run's verdict rests on, in a few lines for people: what was recomputed, what could not be, what nothing protects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from wrs_verify.model import Counts, Coverage, HistoryState, Skipped
from wrs_verify.report import Checked, Summary
from wrs_verify.report.wording import number_of, pins
from wrs_verify.safe import shorten, terminal, visible

__all__ = ["closing", "covered"]

_MAX_SKIPPED = 5
_MAX_REASONS = 10


def closing(counts: Counts, skipped: Iterable[Skipped], summary: Summary, notes_shown: bool) -> Iterator[str]:
    """What the verdict rests on. A thing that was not checked is never counted among those that were."""
    records = summary.records
    if records:
        targets = summary.targets
        yield f"public view hash: {_hash(summary.public_view, records, '', 'could not be computed')}"
        origins = {"source": "from source versions", "version": "from the view itself", "record": "from the view itself"}
        sources: defaultdict[str, int] = defaultdict(int)
        for origin, number in summary.content_origins.items():
            sources[origins.get(origin, f"from {origin}")] += number
        said = ", ".join(text if number == summary.content.match else f"{number} {text}" for text, number in sources.items())
        yield f"content hash: {_hash(summary.content, records, said, 'its input is not in the view')}"
        parts = _parts((targets.differ, "differ in"), (targets.unsettled, "not all compared in"))
        yield f"targets: agree in {targets.agree} of {records}{parts}"
        unknown = records - summary.covered
        more = f" (not worked out for {number_of(unknown, 'record')})" if unknown else ""
        if summary.covered:
            yield f"coverage: {covered(summary.coverage)}{more}"
        else:
            yield f"coverage: not worked out for any of {number_of(records, 'record')}"
    if summary.levels:
        found = "; ".join(f"{number_of(sum(rules.values()), level)}: {_rules(rules)}" for level, rules in summary.levels.items())
        hints = ["--explain RULE tells more"] if counts.errors or counts.warnings else []
        hints += ["--verbose shows notes"] if counts.notes and not notes_shown else []
        yield f"findings: {found}" + (f" ({', '.join(hints)})" if hints else "")
    if counts.allowed:
        yield f"allowed: {number_of(counts.allowed, 'finding')}: {_rules(summary.allowed)}"
    if summary.pins is not None:
        yield f"pins: {pins(summary.pins, records)}"
    if summary.history is not None:
        yield from _history(summary.history)
    yield from _skipped(skipped)


def _history(state: HistoryState) -> Iterator[str]:
    """The history in the form that `--expect-root` takes, and what this run did to it."""
    added = "as it was" if state.added is None else f"this run added {number_of(state.added, 'record')}"
    yield f"history: {number_of(state.runs, 'run')}, root {state.size}:{state.root.hex()}; {added}"
    if state.absent:
        yield f"{number_of(state.absent, 'record')} of the last complete drop {'is' if state.absent == 1 else 'are'} missing"


def _rules(numbers: Mapping[str, int]) -> str:
    """How many findings there are of each rule, the most frequent first; of one rule alone, its name."""
    if len(numbers) == 1:
        return next(iter(numbers))
    return ", ".join(f"{number} {rule}" for rule, number in sorted(numbers.items(), key=lambda one: (-one[1], one[0])))


def _hash(checked: Checked, records: int, said: str, unavailable: str) -> str:
    """In how many records a hash was recomputed and matches, and how it stands with the others."""
    text = f"recomputed and equal in {checked.match} of {records}"
    if checked.unavailable == records:
        return f"{text} ({unavailable})"
    if said:
        text += f" {said}" if checked.match == records else f" ({said})"
    return text + _parts(
        (checked.mismatch, "recomputed and different in"),
        (checked.unavailable, f"{unavailable} in"),
        (checked.unrecorded, "no hash recorded in"),
        (checked.unread, "not read in"),
    )


def _parts(*parts: tuple[int, str]) -> str:
    return "".join(f"; {text} {number}" for number, text in parts if number)


def covered(coverage: Coverage) -> str:
    """How many values each kind of protection covers."""
    hashed, corroborated, repeated, fixed, unprotected, _ = coverage
    return (
        f"of {number_of(hashed + corroborated + repeated + fixed + unprotected, 'value')}, {hashed} hashed, {corroborated} corroborated, "
        f"{repeated} repeated, {fixed} fixed, {unprotected} that nothing protects"
    )


class _Reasons(NamedTuple):
    first: list[Skipped]
    numbers: defaultdict[str, int]


def _skipped(skipped: Iterable[Skipped]) -> Iterator[str]:
    """A few skipped inputs one by one, many by reason. Holds no more than it shows, but for a number of reasons."""
    seen = _Reasons([], defaultdict(int))
    number = 0
    for one in skipped:
        number += 1
        if number <= _MAX_SKIPPED:
            seen.first.append(one)
        if one.reason in seen.numbers or len(seen.numbers) < 1000:
            seen.numbers[one.reason] += 1
    if not number:
        return
    yield f"skipped: {number_of(number, 'input')}"
    if number <= _MAX_SKIPPED:
        for one in seen.first:
            yield f"  {terminal(one.input)}: {shorten(visible(one.reason), 200)}"
        return
    most = sorted(seen.numbers.items(), key=lambda one: (-one[1], one[0]))[:_MAX_REASONS]
    for reason, times in most:
        yield f"  {times}: {shorten(visible(reason), 200)}"
    others = number - sum(times for _, times in most)
    if others:
        yield f"  {others}: for other reasons"
