"""The HTML report: one file for people who would rather look than read. It works offline, and fetches nothing.

What the records say stands in the page as data, in blocks of JSON that no browser runs; they come before the body, so that none is
held back until the verdict is known. The page's script shows them as text. Without scripts the verdict and the summary can be read.
"""

from __future__ import annotations

from collections.abc import Iterable

from wrs_verify.explain import documentation
from wrs_verify.model import Allowed, Counts, Coverage, Excerpt, Finding, HashCheck, Json, RecordResult, Related, Skipped, Verdict
from wrs_verify.report import Options, Sink, Summary, unsettling
from wrs_verify.report.json import json_line
from wrs_verify.report.page import render
from wrs_verify.report.page.copies import COPIES
from wrs_verify.report.page.summary import basis, shares
from wrs_verify.report.wording import expectation, headline, place, said
from wrs_verify.rules import rules
from wrs_verify.safe import html_json, shorten, source, terminal, value, visible

__all__ = ["Renderer"]

#: Characters of a name, of a pointer or a short text, of a value, and of a value elsewhere; and how many other places are shown.
_NAME, _TEXT, _VALUE, _OTHER, _RELATED = 2000, 500, 2000, 500, 20
#: Bytes of data in a block, about.
_BLOCK = 256 * 1024
#: Records mostly share a few lists of unprotected pointers: so many are remembered.
_LISTS = 256


class Renderer:
    """Writes the page, block by block."""

    def __init__(self, sink: Sink, options: Options) -> None:
        self._write = sink.write
        self._options = options
        self._kind = ""
        self._items: list[bytes] = []
        self._size = 0
        self._lists: dict[tuple[str, ...], int] = {}
        self._numbered = 0
        self._write(render("head.html.j2"))

    def record(self, result: RecordResult) -> None:
        self._add("records", self._record(result))

    def finish(self, verdict: Verdict, counts: Counts, skipped: Iterable[Skipped], findings: Iterable[Finding], summary: Summary) -> None:
        for finding in findings:
            self._add("outside", _finding(finding, None))
        for one in skipped:
            self._add("skipped", {"input": shorten(terminal(one.input), _NAME), "reason": shorten(visible(one.reason), _TEXT)})
        for name in sorted({*summary.rules, *summary.allowed} & rules().keys()):
            known = documentation(rules()[name])
            self._add("rules", {"name": name, "summary": known.summary, "why": list(known.why), "mend": list(known.mend)})
        for profile, groups in COPIES.items():
            self._add("profiles", {"name": profile, "groups": [_group(group._asdict()) for group in groups]})
        self._flush()
        head, rest = headline(verdict, counts)
        configuration = self._options.configuration
        self._write(
            render(
                "body.html.j2",
                version=self._options.version,
                head=head,
                rest=rest.removeprefix(": "),
                counts=counts._asdict(),
                basis=basis(summary),
                coverage=shares(summary.coverage),
                uncovered=summary.records - summary.covered,
                configuration=None if configuration is None else visible(configuration),
            )
        )

    def close(self) -> None:
        """Holds nothing that must be freed."""

    def _add(self, kind: str, item: Json) -> None:
        """Put an item into the block of its kind. A block holds items of one kind, and is written when it is large enough."""
        if kind != self._kind or self._size > _BLOCK:
            self._flush()
            self._kind = kind
        data = html_json(json_line(item).decode()).encode()
        self._items.append(data)
        self._size += len(data)

    def _flush(self) -> None:
        if self._items:
            block = f'{{"{self._kind}":[\n'.encode() + b",\n".join(self._items) + b"\n]}"
            self._write(b'<script type="application/json" class="data">' + block + b"</script>\n")
        self._items, self._size = [], 0

    def _record(self, result: RecordResult) -> Json:
        view, content, document = result.hashes
        target = result.target or {}
        item: dict[str, Json] = {"input": shorten(terminal(result.input), _NAME), "line": result.line, "verdict": result.verdict}
        item |= {"profile": _text(result.profile), "entry": _text(result.entry_id), "target": [_text(each) for each in target.values()]}
        item |= {"view": _hash(view), "content": _hash(content), "document": document}
        item["findings"] = [_finding(finding, result) for finding in result.findings]
        item["allowed"] = [_finding(one.finding, result, one) for one in result.allowed]
        if unsettling(result) - {"schema-violation"}:  # these have places: the page judges the copies there, and not the whole record
            item["unsettled"] = True
        if result.coverage is not None:
            item |= self._coverage(result.coverage)
        return item

    def _coverage(self, coverage: Coverage) -> dict[str, Json]:
        """The numbers, and the number of the list of unprotected pointers; a list that is new to the page is written as well."""
        *numbers, pointers = coverage
        known = self._lists.get(pointers)
        if known is not None:
            return {"coverage": numbers, "unprotected": known}
        if len(self._lists) == _LISTS:
            self._lists.clear()
        self._lists[pointers] = self._numbered
        self._numbered += 1
        return {"coverage": numbers, "unprotected": self._numbered - 1, "pointers": [_pointer(each) for each in pointers]}


def _group(group: dict[str, Json]) -> Json:
    return group | {side: [each._asdict() for each in group[side]] for side in ("left", "right")}


def _text(text: Json) -> str | None:
    """A string as it is, any other value as JSON text, in one harmless and short line."""
    if text is None:
        return None
    return shorten(terminal(text), _TEXT) if isinstance(text, str) else value(text, _TEXT)


def _pointer(pointer: str) -> str:
    return shorten(terminal(pointer), _TEXT)


def _hash(check: HashCheck) -> Json:
    return [check.status, _text(check.recorded), _text(check.computed), check.origin]


def _finding(finding: Finding, record: RecordResult | None, allowed: Allowed | None = None) -> Json:
    """A finding as the page shows it: nothing but harmless text and numbers. What is not there is left out."""
    path, line, column = place(finding, record)
    item: dict[str, Json] = {"rule": finding.rule, "level": finding.level, "message": said(finding), "line": line, "column": column}
    if record is None or path != record.input:
        item["input"] = shorten(terminal(path), _NAME)
    if finding.pointer is not None:
        item["pointer"] = _pointer(finding.pointer)
    values = expectation(finding, _VALUE)
    if values:
        item["values"] = values
    if finding.excerpt is not None:
        item["excerpt"] = _excerpt(finding.excerpt)
    if finding.related:
        item["related"] = [_related(other, path) for other in finding.related[:_RELATED]]
        item["unlisted"] = max(0, len(finding.related) - _RELATED)
    if allowed:
        item |= {"reason": _text(allowed.reason), "until": allowed.until}
    return {name: part for name, part in item.items() if part is not None and part != 0}


def _excerpt(excerpt: Excerpt) -> Json:
    before, marked, after = ("".join(source(text)) for text in excerpt[:3])
    return ["…" * excerpt.more_before + before, marked, after + "…" * excerpt.more_after]


def _related(other: Related, path: str) -> Json:
    item: dict[str, Json] = {"pointer": _pointer(other.pointer), "line": other.line, "column": other.column}
    if other.input and other.input != path:
        item["input"] = shorten(terminal(other.input), _NAME)
    if other.value is not None:
        item["value"] = value(other.value, _OTHER)
    return {name: part for name, part in item.items() if part is not None}
