"""The text report: a line a finding, `path:line:column: level[rule] message`, then what the verdict rests on.

It is always UTF-8, and whatever is foreign in it passes through `safe`. By default errors, warnings and what was allowed are shown.
`quiet` leaves errors, and the verdict unless it is a pass: a pass says nothing, the exit status tells. `verbose` adds notes, the records
that passed, and what nothing protects in each. `only_failures` leaves the findings of records that failed, and errors outside the records.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from wrs_verify.model import Allowed, Counts, Coverage, Finding, HistoryState, RecordResult, Related, Skipped, Verdict
from wrs_verify.report import Checked, Options, Sink, Summary
from wrs_verify.report.wording import headline, number_of
from wrs_verify.safe import contrast, shorten, terminal, value, visible

__all__ = ["Renderer"]

#: Columns of a detail line where there is no terminal to tell.
_WIDTH = 160
#: A hash is shown whole, with its quotes, however narrow the terminal.
_MIN_VALUE = 73
#: Characters of a value that the messages of rules show.
_IN_MESSAGES = 80
_MAX_MESSAGE = 2000
_MAX_REASON = 500
_MAX_RELATED = 6
_MAX_AGREEING = 3
#: What the expected and the actual value of a finding are called, where those two words would mislead.
_WORDS = {"public-view-hash": ("computed", "recorded"), "content-hash": ("computed", "recorded")}
_MAX_POINTERS = 50
_MAX_SKIPPED = 5
_MAX_REASONS = 10

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan", "allowed": "cyan", "PASS": "green", "FAIL": "red"}


class Renderer:
    """Writes text for people."""

    def __init__(self, sink: Sink, options: Options) -> None:
        self._sink = sink
        self._options = options
        self._width = max(options.width or _WIDTH, 40)
        self._levels = {"error"} if options.quiet else {"error", "warning"}
        if options.verbose and not options.quiet:
            self._levels.add("note")

    def record(self, result: RecordResult) -> None:
        levels = self._levels
        failed = result.verdict != "pass"
        lines: list[str] = []
        if failed or not self._options.only_failures:
            for finding in result.findings:
                if finding.level in levels:
                    lines += self._finding(finding, result.input, result.line)
            if not self._options.quiet:
                for one in result.allowed:
                    lines += self._finding(one.finding, result.input, result.line, one)
            if self._options.verbose and not self._options.quiet:
                lines += self._record(result)
        if lines:
            self._write(lines)

    def finish(self, verdict: Verdict, counts: Counts, skipped: Iterable[Skipped], findings: Iterable[Finding], summary: Summary) -> None:
        levels = self._levels & {"error"} if self._options.only_failures else self._levels
        for finding in findings:
            if finding.level in levels:
                self._write(self._finding(finding, "", None))
        head, rest = headline(verdict, counts)
        closing: list[str] = []
        if not self._options.quiet:
            closing = [self._style(head, _COLOURS.get(head, "yellow"), bold=True) + rest]
            closing += (f"  {line}" for line in _closing(counts, skipped, summary, "note" in self._levels))
            if self._options.configuration:
                closing.append(f"  configuration: {visible(self._options.configuration)}")
        elif head != "PASS":
            closing = [self._style(head, _COLOURS.get(head, "yellow"), bold=True) + rest]
        if closing:
            self._write(closing)

    def close(self) -> None:
        """Holds nothing."""

    def _write(self, lines: Iterable[str]) -> None:
        self._sink.write("".join(f"{line}\n" for line in lines).encode())

    def _style(self, text: str, colour: str | None = None, *, bold: bool = False) -> str:
        if not self._options.colour:
            return text
        from click import style

        return style(text, fg=colour, bold=bold or None)

    def _finding(self, finding: Finding, record: str, record_line: int | None, allowed: Allowed | None = None) -> Iterator[str]:
        """The line of a finding, and its details. A finding without a place of its own stands at its record."""
        path = finding.input or record
        line = record_line if finding.line is None else finding.line
        place = f"{self._style(terminal(path), bold=True)}:" if path else ""
        if line is not None:
            place += f"{line}:"
            if finding.column is not None:
                place += f"{finding.column}:"
        level = self._style(f"{finding.level}[{finding.rule}]", _COLOURS.get(finding.level))
        message = shorten(visible(finding.message), _MAX_MESSAGE)
        if allowed:
            level = self._style(f"allowed[{finding.rule}]", _COLOURS["allowed"])
            message += f" ({shorten(terminal(allowed.reason), _MAX_REASON)}, until {allowed.until})"
        yield f"{place} {level} {message}" if place else f"{level} {message}"
        detail = self._expectation(finding)
        if detail:
            yield detail
        saying_so = [other for other in finding.related if other.value is not None and other.value == finding.expected]
        if saying_so:
            more = f" and {len(saying_so) - _MAX_AGREEING} more" if len(saying_so) > _MAX_AGREEING else ""
            yield f"    expected by {', '.join(self._place(other, path) for other in saying_so[:_MAX_AGREEING])}{more}"
        others = [other for other in finding.related if other not in saying_so]
        for other in others[:_MAX_RELATED]:
            yield self._related(other, path, "was" if finding.rule == "public-view-hash" else "says")
        if len(others) > _MAX_RELATED:
            yield f"    and {len(others) - _MAX_RELATED} more"

    def _expectation(self, finding: Finding) -> str:
        """Where the finding is and what was expected and found, as far as the message does not say so itself."""
        room = max(self._width // 3, _MIN_VALUE)
        things = (finding.expected, finding.actual)
        said = all(text in finding.message for text in contrast(finding.expected, finding.actual, _IN_MESSAGES))
        parts = []
        for word, thing, shown in zip(
            _WORDS.get(finding.rule, ("expected", "found")), things, contrast(finding.expected, finding.actual, room), strict=True
        ):
            if thing is not None and not said and shown not in finding.message:
                parts.append(f"{word} {shown}")
        where = ""
        if finding.pointer and finding.pointer not in finding.message:
            where = f"at {shorten(terminal(finding.pointer), room)}"
        text = ", ".join(parts)
        return f"    {where}: {text}" if where and text else f"    {where or text}" if where or text else ""

    def _place(self, other: Related, path: str) -> str:
        text = f"{terminal(other.input)} " if other.input and other.input != path else ""
        text += shorten(terminal(other.pointer), max(self._width // 2, 20)) or "the whole record"
        if other.line is not None:
            text += f" ({other.line})" if other.column is None else f" ({other.line}:{other.column})"
        return text

    def _related(self, other: Related, path: str, verb: str) -> str:
        text = f"    {self._place(other, path)}"
        return f"{text} {verb} {value(other.value, max(self._width - len(text) - 6, _MIN_VALUE))}"

    def _record(self, result: RecordResult) -> Iterator[str]:
        """In a verbose report: that a record passed, and what its protection is."""
        place = terminal(result.input) + (f":{result.line}" if result.line is not None else "")
        yield f"{self._style(place, bold=True)}: {self._style('passed' if result.verdict == 'pass' else 'failed', bold=True)}"
        coverage = result.coverage
        if coverage is None:
            yield "    coverage: could not be worked out"
            return
        yield f"    coverage: {_coverage(coverage)}{':' if coverage.unprotected_pointers else ''}"
        for pointer in coverage.unprotected_pointers[:_MAX_POINTERS]:
            yield f"        {shorten(terminal(pointer), self._width - 8) or 'the whole record'}"
        more = coverage.unprotected - len(coverage.unprotected_pointers[:_MAX_POINTERS])
        if more:
            yield f"        and {more} more"


def _closing(counts: Counts, skipped: Iterable[Skipped], summary: Summary, notes_shown: bool) -> Iterator[str]:
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
            yield f"coverage: {_coverage(summary.coverage)}{more}"
        else:
            yield f"coverage: not worked out for any of {number_of(records, 'record')}"
    if summary.rules:
        levels = [(counts.errors, "error"), (counts.warnings, "warning"), (counts.notes, "note")]
        found = ", ".join(number_of(number, noun) for number, noun in levels if number)
        yield f"findings: {found} ({_rules(summary.rules)})"
        if counts.notes and not notes_shown:
            yield "notes are not shown; --verbose shows them"
    if counts.allowed:
        yield f"allowed: {number_of(counts.allowed, 'finding')} ({_rules(summary.allowed)})"
    if summary.history is not None:
        yield from _history(summary.history)
    yield from _skipped(skipped)


def _history(state: HistoryState) -> Iterator[str]:
    """The history in the form that `--expect-root` takes, and what this run did to it."""
    added = "as it was" if state.added is None else f"this run added {number_of(state.added, 'record')}"
    yield f"history: {number_of(state.runs, 'run')}, root {state.size}:{state.root.hex()}; {added}"
    if state.absent:
        yield f"of the last complete drop, {number_of(state.absent, 'record')} {'is' if state.absent == 1 else 'are'} not here"


def _rules(numbers: Mapping[str, int]) -> str:
    """How many findings there are of each rule, the most frequent first."""
    return ", ".join(f"{number} {rule}" for rule, number in sorted(numbers.items(), key=lambda one: (-one[1], one[0])))


def _hash(checked: Checked, records: int, said: str, unavailable: str) -> str:
    """In how many records a hash was recomputed and matches, and how it stands with the others."""
    text = f"recomputed for {checked.match} of {records}"
    if checked.unavailable == records:
        return f"{text} ({unavailable})"
    if said:
        text += f" {said}" if checked.match == records else f" ({said})"
    return text + _parts(
        (checked.mismatch, "another hash in"),
        (checked.unavailable, f"{unavailable} in"),
        (checked.unrecorded, "no hash recorded in"),
        (checked.unread, "not read in"),
    )


def _parts(*parts: tuple[int, str]) -> str:
    return "".join(f"; {text} {number}" for number, text in parts if number)


def _coverage(coverage: Coverage) -> str:
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
