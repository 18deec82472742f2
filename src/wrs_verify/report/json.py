"""The JSON report: the contract with other programs, fixed by `wrs-verify-report-1.schema.json`.

One line a record, in a skeleton that is easy to read and to compare. The verdict stands before the records and is known
after them, so records wait in an anonymous temporary file, of which a first part is held in memory.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from functools import lru_cache
from tempfile import SpooledTemporaryFile

import orjson

from wrs_verify import safe
from wrs_verify.model import Counts, Coverage, Finding, HashCheck, HistoryState, Json, RecordResult, Skipped, Verdict
from wrs_verify.report import Options, Sink, Summary

__all__ = ["Renderer", "json_line"]

_IN_MEMORY = 4 * 1024 * 1024
# The levels of nested arrays and objects that `orjson` writes.
_MAX_NESTING = 254
_MAX_INTEGER_BITS = 10_000
_number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


class Renderer:
    """Writes `wrs-verify-report-1`."""

    def __init__(self, sink: Sink, options: Options) -> None:
        self._sink = sink
        self._version = options.version
        self._lines: SpooledTemporaryFile[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (see close)
        self._records = 0

    def record(self, result: RecordResult) -> None:
        line = json_line(_record(result))
        self._lines.write(b",\n    " + line if self._records else line)
        self._records += 1

    def finish(
        self,
        verdict: Verdict,
        counts: Counts,
        skipped: Iterable[Skipped],
        findings: Iterable[Finding],
        summary: Summary,
    ) -> None:
        write = self._sink.write
        write(b'{\n  "report":"wrs-verify-report-1",\n  "tool":' + json_line({"name": "wrs-verify", "version": self._version}))
        write(b',\n  "verdict":' + json_line(verdict) + b',\n  "counts":' + json_line(counts._asdict()))
        write(b',\n  "history":' + json_line(_history(summary.history)))
        write(b',\n  "pins":' + json_line(summary.pins and summary.pins._asdict()))
        write(b',\n  "records":[' + (b"\n    " if self._records else b""))
        self._lines.seek(0)
        shutil.copyfileobj(self._lines, self._sink)
        self.close()
        write(b"\n  ]" if self._records else b"]")
        self._list(b"skipped", ({"input": one.input, "reason": one.reason} for one in skipped))
        self._list(b"findings", map(_finding, findings))
        write(b"\n}\n")

    def close(self) -> None:
        self._lines.close()

    def _list(self, name: bytes, items: Iterable[dict[str, Json]]) -> None:
        write = self._sink.write
        write(b',\n  "' + name + b'":[')
        between = b"\n    "
        for item in items:
            write(between + json_line(item))
            between = b",\n    "
        write(b"]" if between == b"\n    " else b"\n  ]")


def _history(state: HistoryState | None) -> Json:
    if state is None:
        return None
    return {"size": state.size, "root": f"sha256:{state.root.hex()}", "runs": state.runs, "added": state.added, "absent": state.absent}


def _record(result: RecordResult) -> dict[str, Json]:
    view, content, document = result.hashes
    coverage = result.coverage
    return {
        "input": result.input,
        "line": result.line,
        "profile": result.profile,
        "entry_id": result.entry_id,
        "target": result.target,
        "verdict": result.verdict,
        "hashes": {
            "public_view": {"status": view.status, "recorded": view.recorded, "computed": view.computed},
            "content": _content(content),
            "document": document,
        },
        "coverage": None if coverage is None else _coverage(coverage),
        "findings": [_finding(finding) for finding in result.findings],
        "allowed": [_finding(one.finding) | {"reason": one.reason, "until": one.until} for one in result.allowed],
    }


def _content(check: HashCheck) -> dict[str, Json]:
    return {"status": check.status, "recorded": check.recorded, "computed": check.computed, "from": check.origin}


def _coverage(coverage: Coverage) -> Json:
    """The records of a drop mostly share a few coverages: a small one is written once. Large ones would fill the cache."""
    return _written_coverage(coverage) if len(coverage.unprotected_pointers) <= 100 else coverage._asdict()


@lru_cache(maxsize=256)
def _written_coverage(coverage: Coverage) -> orjson.Fragment:
    return orjson.Fragment(_dump(coverage._asdict()))


def _finding(finding: Finding) -> dict[str, Json]:
    return {
        "rule": finding.rule,
        "level": finding.level,
        "message": finding.message,
        "input": finding.input,
        "line": finding.line,
        "column": finding.column,
        "pointer": finding.pointer,
        "expected": finding.expected,
        "actual": finding.actual,
        "related": [
            {"input": other.input, "pointer": other.pointer, "line": other.line, "column": other.column, "value": other.value}
            for other in finding.related
        ],
    }


def json_line(value: Json) -> bytes:
    """The JSON text of a value on one line, in which nothing can harm a terminal. Never fails for what a parser gave."""
    data = _dump(value)
    if data.isascii() and b"\x7f" not in data:
        return data
    return safe.json_text(data.decode()).encode()


def _dump(value: Json) -> bytes:
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return orjson.dumps(_writable(value, _MAX_NESTING))


def _writable(value: Json, nesting: int) -> Json:
    """The value, with what `orjson` refuses put in another way: a lone surrogate as a visible escape, a long integer as it is
    written, the exact decimal that the parser keeps as a number, and what is nested too deep as a few words."""
    if value is None or isinstance(value, bool | float | orjson.Fragment):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, int):
        long = value.bit_length() > _MAX_INTEGER_BITS
        return safe.value(value, 100) if long else orjson.Fragment(str(value))
    if isinstance(value, dict | list | tuple) and not nesting:
        return "(nested too deep to be shown)"
    if isinstance(value, dict):
        return {_writable(str(name), 0): _writable(member, nesting - 1) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_writable(item, nesting - 1) for item in value]
    text = str(value)
    return orjson.Fragment(text) if _number.fullmatch(text) else _writable(text, 0)
