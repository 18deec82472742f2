"""Annotations in a workflow of GitHub: commands in the log of a step, errors first.

GitHub shows ten of each level for a step; those beyond are counted in the last line of the log, and stand in the step summary (see
`step_summary`). Notes are annotated with `--verbose`, as notices. What is allowed is only counted here.
"""

from __future__ import annotations

from collections.abc import Iterable

from wrs_verify.model import Counts, Finding, RecordResult, Skipped, Verdict
from wrs_verify.report import Options, Sink, Summary
from wrs_verify.report.wording import details, headline, number_of, place, said
from wrs_verify.safe import command_data, command_property, shorten, terminal

__all__ = ["Renderer"]

_SHOWN = 10
_MAX_PATH = 1000
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


class Renderer:
    """Writes workflow commands, at most ten of a level."""

    def __init__(self, sink: Sink, options: Options) -> None:
        self._sink = sink
        self._most = {level: _SHOWN if level != "note" or options.verbose else 0 for level in _COMMANDS}
        self._lines: dict[str, list[str]] = {level: [] for level in _COMMANDS}

    def record(self, result: RecordResult) -> None:
        for finding in result.findings:
            self._finding(finding, result)

    def finish(self, verdict: Verdict, counts: Counts, skipped: Iterable[Skipped], findings: Iterable[Finding], summary: Summary) -> None:  # noqa: ARG002
        for finding in findings:
            self._finding(finding, None)
        lines = [line for kept in self._lines.values() for line in kept]
        head, rest = headline(verdict, counts)
        closing = f"{head}{rest}"
        numbers = (("error", counts.errors), ("warning", counts.warnings), ("note", counts.notes))
        more = [number_of(number - self._most[level], level) for level, number in numbers if number > self._most[level]]
        if more:
            closing += f"; not annotated: {', '.join(more)}"
        if verdict != "pass" and not self._lines["error"]:
            lines.insert(0, f"::error title=wrs-verify::{command_data(closing)}")
        self._sink.write("".join(f"{line}\n" for line in (*lines, closing)).encode())

    def close(self) -> None:
        """Holds nothing."""

    def _finding(self, finding: Finding, record: RecordResult | None) -> None:
        kept = self._lines[finding.level]
        if len(kept) < self._most[finding.level]:
            path, line, column = place(finding, record)
            about = {"file": shorten(terminal(path), _MAX_PATH), "line": line, "col": column, "title": finding.rule}
            said_of = ",".join(f"{name}={command_property(str(value))}" for name, value in about.items() if value)
            text = command_data("\n".join((said(finding), *details(finding, record))))
            kept.append(f"::{_COMMANDS[finding.level]} {said_of}::{text}")
