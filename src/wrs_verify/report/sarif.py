"""The SARIF report (2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html): a result a finding.

What is allowed is a result with a suppression. Skipped inputs, and why a run did not pass though no result says so, are notifications.
`executionSuccessful` is true only when everything was checked.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from wrs_verify.explain import documentation
from wrs_verify.model import Allowed, Counts, Finding, Json, RecordResult, Related, Skipped, Verdict
from wrs_verify.report import Options, Sink, Summary
from wrs_verify.report.json import json_line
from wrs_verify.report.wording import history_root, place, settled, telling
from wrs_verify.rules import Rule, rules
from wrs_verify.safe import sarif, shorten, terminal, uri, value, visible

__all__ = ["Renderer"]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#: Characters of a message, and of a value in one.
_MESSAGE, _VALUE = 2000, 200


class Renderer:
    """Writes SARIF, result by result."""

    def __init__(self, sink: Sink, options: Options) -> None:
        self._write = sink.write
        self._options = options
        self._numbers = {name: number for number, name in enumerate(rules())}
        self._results = 0
        driver = {
            "name": "wrs-verify",
            "semanticVersion": options.version,
            "rules": [_rule(rule) for rule in rules().values()],
        }
        self._write(
            b'{\n"$schema":' + json_line(_SCHEMA) + b',\n"version":"2.1.0",\n"runs":[{\n"tool":{"driver":' + json_line(driver) + b"},\n"
        )
        self._write(b'"columnKind":"unicodeCodePoints",\n"results":[')

    def record(self, result: RecordResult) -> None:
        seen: Counter[tuple[str, ...]] = Counter()
        for finding in result.findings:
            self._result(finding, result, seen)
        for one in result.allowed:
            self._result(one.finding, result, seen, one)

    def finish(self, verdict: Verdict, counts: Counts, skipped: Iterable[Skipped], findings: Iterable[Finding], summary: Summary) -> None:
        seen: Counter[tuple[str, ...]] = Counter()
        for finding in findings:
            self._result(finding, None, seen)
        self._write(b'\n],\n"invocations":[{"executionSuccessful":' + json_line(verdict != "incomplete"))
        self._write(b',\n"toolExecutionNotifications":[')
        between = b"\n"
        for notification in _notifications(verdict, counts, skipped):
            self._write(between + json_line(notification))
            between = b",\n"
        about = {
            "verdict": verdict,
            "counts": counts._asdict(),
            "configuration": self._options.configuration,
            "history": history_root(summary),
        }
        self._write(b'\n]}],\n"properties":' + json_line(about) + b"\n}]\n}\n")

    def close(self) -> None:
        """Holds nothing."""

    def _result(
        self, finding: Finding, record: RecordResult | None, seen: Counter[tuple[str, ...]], allowed: Allowed | None = None
    ) -> None:
        path, line, column = place(finding, record)
        made = {
            "ruleId": finding.rule,
            "level": finding.level,
            "message": _message(finding.message),
            "locations": [_location(path, line, column, finding.pointer)] if path else [],
            "relatedLocations": _distinct([_related(other, path) for other in finding.related]),
            "partialFingerprints": {"wrsVerify/v1": _fingerprint(finding, path, record, seen)},
            "suppressions": [_suppression(allowed)] if allowed else [],
            "properties": {"expected": finding.expected, "actual": finding.actual},
            "ruleIndex": self._numbers[finding.rule],
        }
        self._write((b",\n" if self._results else b"\n") + json_line(made))
        self._results += 1


def _rule(rule: Rule) -> Json:
    known = documentation(rule)
    what, why, mend = ("\n\n".join(paragraphs) for paragraphs in (known.what, known.why, known.mend))
    return {
        "id": rule.name,
        "shortDescription": _message(known.summary),
        "fullDescription": {"text": sarif(what)},
        "help": {
            "text": sarif(f"{what}\n\nWhy: {why}\n\nMend: {mend}"),
            "markdown": f"{what}\n\n**Why:** {why}\n\n**Mend:** {mend}".replace("{", "{{").replace("}", "}}"),
        },
        "defaultConfiguration": {"level": rule.level},
        "properties": {"tags": [rule.family]},
    }


def _message(text: str) -> Json:
    return {"text": sarif(shorten(visible(text), _MESSAGE)) or "(no text)"}


def _location(path: str, line: int | None, column: int | None, pointer: str | None) -> dict[str, Json]:
    """A place in an artifact. A pointer alone is a logical location."""
    made: dict[str, Json] = {"physicalLocation": {"artifactLocation": {"uri": uri(path)}}}
    if line is not None:
        made["physicalLocation"]["region"] = {"startLine": line} | ({"startColumn": column} if column is not None else {})
    if pointer:
        made["logicalLocations"] = [{"fullyQualifiedName": pointer, "kind": "value"}]
    return made


def _suppression(allowed: Allowed) -> Json:
    reason = terminal(allowed.reason)
    return {"kind": "external", "status": "accepted", "justification": reason, "properties": {"until": allowed.until}}


def _distinct(locations: list[Json]) -> list[Json]:
    """Each location once, as the format wants it (SARIF 2.1.0, section 3.27.22)."""
    return list({json_line(location): location for location in locations}.values())


def _related(other: Related, path: str) -> Json:
    where = shorten(terminal(other.pointer), _MESSAGE) or "the whole record"
    says = f" says {value(other.value, _VALUE)}" if telling([other]) else ""
    message = {"message": _message(where + says)}
    return _location(other.input or path, other.line, other.column, other.pointer) | message


def _fingerprint(finding: Finding, path: str, record: RecordResult | None, seen: Counter[tuple[str, ...]]) -> str:
    """What stays the same when lines move or messages are reworded: rule, input, record and pointer, and which one of several it is."""
    which = record.entry_id or (str(record.line) if record.line is not None else "") if record else ""
    key = (finding.rule, path, which, finding.pointer or "")
    seen[key] += 1
    return hashlib.sha256(json_line([*key, seen[key]])).hexdigest()


def _notifications(verdict: Verdict, counts: Counts, skipped: Iterable[Skipped]) -> Iterator[Mapping[str, Json]]:
    reason = settled(verdict, counts)
    if reason:
        yield {"level": "error", "descriptor": {"id": reason[0]}, "message": _message(reason[1])}
    for one in skipped:
        location = _location(one.input, None, None, None)
        yield {"level": "note", "descriptor": {"id": "skipped"}, "message": _message(f"skipped: {one.reason}"), "locations": [location]}
