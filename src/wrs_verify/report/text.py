"""The text report: each finding as `path:line:column: level[rule] message`, what stands there, and details; then what the verdict rests on.

Only the first line of a finding is not indented, and a blank line parts the findings of one record from those of the next. The report is
always UTF-8, and whatever is foreign in it passes through `safe`. By default errors, warnings and what was allowed are shown.
`quiet` leaves errors, and the verdict unless it is a pass: a pass says nothing, the exit status tells. `verbose` adds notes, the records
that passed, and what nothing protects in each. `only_failures` leaves the findings of records that failed, and errors outside the records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256

from wrs_verify.model import Allowed, Counts, Finding, RecordResult, Related, Skipped, Verdict
from wrs_verify.report import Options, Sink, Summary
from wrs_verify.report.closing import closing, covered
from wrs_verify.report.excerpt import drawn
from wrs_verify.report.wording import expectation, headline, name_of, telling
from wrs_verify.safe import contrast, shorten, terminal, value, visible

__all__ = ["Renderer"]

#: Columns where there is no terminal to tell.
_WIDTH = 120
#: A hash is shown whole, with its quotes, however narrow the terminal.
_MIN_VALUE = 73
#: Characters of a value that the messages of rules show.
_IN_MESSAGES = 80
_MAX_MESSAGE = 2000
_MAX_REASON = 500
_MAX_RELATED = 4
_MAX_AGREEING = 3
_MAX_POINTERS = 50
#: So many different lists of unprotected values are remembered, to say of another record that it has the same.
_MAX_LISTS = 1000

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
        self._group: str | None = None
        self._drawn: tuple[str, int | None, int | None] | None = None
        self._lists: dict[bytes, str] = {}

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
        self._write(lines, name_of(result))

    def finish(self, verdict: Verdict, counts: Counts, skipped: Iterable[Skipped], findings: Iterable[Finding], summary: Summary) -> None:
        levels = self._levels & {"error"} if self._options.only_failures else self._levels
        for finding in findings:
            if finding.level in levels:
                self._write(self._finding(finding, "", None), finding.input)
        head, rest = headline(verdict, counts)
        lines = [self._style(head, _COLOURS.get(head, "yellow"), bold=True) + rest]
        if not self._options.quiet:
            lines += (f"  {line}" for line in closing(counts, skipped, summary, "note" in self._levels))
            if self._options.configuration:
                lines.append(f"  configuration: {visible(self._options.configuration)}")
        elif head == "PASS":
            return
        self._write(lines, None)

    def close(self) -> None:
        """Holds nothing."""

    def _write(self, lines: Iterable[str], group: str | None) -> None:
        """Lines that belong together, and before them a blank one, unless nothing stands there or what does is of the same group."""
        text = "".join(f"{line}\n" for line in lines)
        if text:
            self._sink.write((text if self._group in (None, group) else f"\n{text}").encode())
            self._group = group

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
        yield from self._excerpt(finding, line)
        yield from self._expectation(finding)
        saying_so = [other for other in finding.related if other.value is not None and other.value == finding.expected]
        if saying_so:
            yield self._agreeing(saying_so, path)
        others = [other for other in telling(finding.related) if other not in saying_so]
        for other in others[:_MAX_RELATED]:
            yield self._related(other, path, "was" if finding.rule == "public-view-hash" else "says")
        if len(others) > _MAX_RELATED:
            yield f"    and {len(others) - _MAX_RELATED} more"

    def _excerpt(self, finding: Finding, line: int | None) -> Iterator[str]:
        place = (finding.input, line, finding.column)
        shown = drawn(finding.excerpt, line, self._width) if finding.excerpt and place != self._drawn else None
        if shown:
            self._drawn = place
            yield shown.line
            yield shown.margin + self._style(shown.carets, _COLOURS.get(finding.level))

    def _expectation(self, finding: Finding) -> Iterator[str]:
        """Where the finding is and what was expected and found, as far as the message does not say so itself.

        On one line if that fits, else one below the other, to be compared.
        """
        room = max(self._width // 3, _MIN_VALUE)
        said = all(text in finding.message for text in contrast(finding.expected, finding.actual, _IN_MESSAGES))
        parts = [] if said else [(word, text) for word, text in expectation(finding, room) if not _says(finding.message, text)]
        where = ""
        if finding.pointer and finding.pointer not in finding.message:
            where = f"at {shorten(terminal(finding.pointer), room)}"
        line = "    " + ": ".join(text for text in (where, ", ".join(map(" ".join, parts))) if text)
        if len(line) <= self._width or not parts:
            yield from [line] if line.strip() else []
            return
        if where:
            yield f"    {where}:"
        longest = max(len(word) for word, _ in parts)
        yield from (f"    {word:<{longest}} {text}" for word, text in parts)

    def _agreeing(self, others: list[Related], path: str) -> str:
        """The places that say what was expected: as many as fit on a line."""
        places = [self._place(other, path) for other in others[:_MAX_AGREEING]]
        while True:
            more = f" and {len(others) - len(places)} more" if len(others) > len(places) else ""
            line = f"    expected by {', '.join(places)}{more}"
            if len(line) <= self._width or len(places) == 1:
                return line
            places.pop()

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
        unprotected = coverage.unprotected_pointers
        same = self._same((*unprotected, str(coverage.unprotected)), name_of(result)) if unprotected else None
        yield f"    coverage: {covered(coverage)}{f' (the same as in {terminal(same)})' if same else ':' if unprotected else ''}"
        if same:
            return
        for pointer in unprotected[:_MAX_POINTERS]:
            yield f"        {shorten(terminal(pointer), self._width - 8) or 'the whole record'}"
        more = coverage.unprotected - len(unprotected[:_MAX_POINTERS])
        if more:
            yield f"        and {more} more"

    def _same(self, pointers: Iterable[str], name: str) -> str | None:
        """The record that had this list before; None where none had. Lists may be long: what is remembered are their hashes."""
        key = sha256(ascii(sorted(pointers)).encode()).digest()
        same = self._lists.get(key)
        if same is None and len(self._lists) < _MAX_LISTS:
            self._lists[key] = name
        return same


def _says(message: str, text: str) -> bool:
    """Whether a message has a value in it, or a list of terms, which messages leave without their quotes."""
    return text in message or text.replace('"', "") in message
