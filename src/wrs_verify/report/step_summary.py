"""The whole report as a page for the step summary of GitHub, which takes 1 MiB: what does not fit is counted."""

from __future__ import annotations

from collections.abc import Iterable

from wrs_verify.model import Allowed, Counts, Finding, RecordResult, Skipped, Verdict
from wrs_verify.report import Options, Sink, Summary
from wrs_verify.report.wording import details, headline, history_root, number_of, pins, place, said
from wrs_verify.safe import markdown, shorten, terminal, visible

__all__ = ["Renderer"]

#: Bytes that are kept for the heading, the totals and the count of what does not fit.
_RESERVE = 16 * 1024
_MAX_PATH, _MAX_CONFIGURATION = 500, 2000
_HEAD = "| | rule | place | |\n| --- | --- | --- | --- |\n"
_LEVELS = ("error", "warning", "note", "allowed")


class Renderer:
    """Writes Markdown. Of each level it holds no more than fits: errors come before warnings, these before notes."""

    def __init__(self, sink: Sink, options: Options) -> None:
        self._sink = sink
        self._options = options
        self._room = max(options.room - _RESERVE, 0)
        self._rows: dict[str, list[bytes]] = {level: [] for level in _LEVELS}
        self._sizes = dict.fromkeys(_LEVELS, 0)
        self._numbers = dict.fromkeys(_LEVELS, 0)

    def record(self, result: RecordResult) -> None:
        for finding in result.findings:
            self._add(finding.level, finding, result)
        for one in result.allowed:
            self._add("allowed", one.finding, result, one)

    def finish(self, verdict: Verdict, counts: Counts, skipped: Iterable[Skipped], findings: Iterable[Finding], summary: Summary) -> None:
        for finding in findings:
            self._add(finding.level, finding, None)
        head, rest = headline(verdict, counts)
        totals = f"public view hash recomputed and equal in {summary.public_view.match} of {number_of(counts.records, 'record')}"
        totals += f", content hash in {summary.content.match}"
        text = f"### wrs-verify: {head}{rest}\n\n{totals}.\n\n"
        if self._options.configuration:
            text += f"Configuration: {markdown(shorten(self._options.configuration, _MAX_CONFIGURATION))}\n\n"
        root = history_root(summary)
        text += f"History: {root}.\n\n" if root else ""
        text += f"Pins: {pins(summary.pins, summary.records)}.\n\n" if summary.pins else ""
        parts, more = [text.encode()], []
        for level in _LEVELS:
            kept = self._fitting(self._rows[level])
            if kept:
                parts += [f"{_HEAD if len(parts) == 1 else ''}".encode(), *kept]
            if len(kept) < self._numbers[level]:
                more.append(f"{self._numbers[level] - len(kept)} more of level {level}")
        if more:
            parts.append(f"\nThere was no room here for {', '.join(more)}.\n".encode())
        parts += self._skipped(skipped)
        whole = b"".join(parts) + b"\n"
        short = f"### wrs-verify: {head}{rest}\n\nThere was no room here for more.\n\n".encode()
        # Others may have filled the file; more than fits would make the service refuse all of it.
        self._sink.write(next((text for text in (whole, short) if len(text) <= self._options.room), b""))

    def close(self) -> None:
        """Holds nothing but memory."""

    def _add(self, level: str, finding: Finding, record: RecordResult | None, allowed: Allowed | None = None) -> None:
        self._numbers[level] += 1
        if self._sizes[level] > self._room:
            return
        path, *numbers = place(finding, record)
        where = ":".join([shorten(terminal(path), _MAX_PATH), *(str(number) for number in numbers if number)])
        lines = (said(finding, allowed), *details(finding, record))
        row = f"| {level} | {markdown(finding.rule)} | {markdown(where)} | {'<br>'.join(map(markdown, lines))} |\n".encode()
        self._sizes[level] += len(row)
        self._rows[level].append(row)

    def _fitting(self, rows: list[bytes]) -> list[bytes]:
        kept = []
        for row in rows:
            if len(row) > self._room:
                self._room = 0  # nothing later: what is missing comes last
                break
            self._room -= len(row)
            kept.append(row)
        return kept

    def _skipped(self, skipped: Iterable[Skipped]) -> list[bytes]:
        kept, more = [b"\n"], 0
        for one in skipped:
            name, reason = shorten(terminal(one.input), _MAX_PATH), shorten(visible(one.reason), _MAX_PATH)
            fitting = self._fitting([f"- skipped: {markdown(name)}: {markdown(reason)}\n".encode()])
            kept += fitting
            more += not fitting
        return [*kept, f"- skipped: {number_of(more, 'more input')}\n".encode()] if more else kept
