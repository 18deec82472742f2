"""The in-toto report: a statement (v1) that these inputs were verified, with which result.

Statement: https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md; predicate: spec/predicates/test-result.md there. Subjects
are the records as they were read, each with the SHA-256 of its bytes; an input that was not read is none. A test is a record. A statement
has at least one subject, so there is none where no record was read.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from tempfile import SpooledTemporaryFile

from wrs_verify.model import Counts, Finding, Json, RecordResult, Skipped, Verdict
from wrs_verify.report import Options, Sink, Summary, Unstated
from wrs_verify.report.json import json_line
from wrs_verify.report.wording import history_root, name_of, settled

__all__ = ["PREDICATE", "STATEMENT", "Renderer"]

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"

_IN_MEMORY = 4 * 1024 * 1024
_BLOCK = 64 * 1024


class _List:
    """The items of a JSON array, which wait in a temporary file."""

    def __init__(self) -> None:
        self._file: SpooledTemporaryFile[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (see Renderer.close)
        self.empty = True

    def add(self, item: Json) -> None:
        self._file.write((b"" if self.empty else b",") + b"\n" + json_line(item))
        self.empty = False

    def text(self) -> Iterator[bytes]:
        self._file.seek(0)
        yield b"["
        while block := self._file.read(_BLOCK):
            yield block
        yield b"]" if self.empty else b"\n]"

    def close(self) -> None:
        self._file.close()


class Renderer:
    """Writes a statement, or a signed envelope of it. To be signed, it is held in memory."""

    def __init__(self, sink: Sink, options: Options) -> None:
        self._sink = sink
        self._options = options
        self._subjects, self._passed, self._warned, self._failed = self._lists = (_List(), _List(), _List(), _List())

    def record(self, result: RecordResult) -> None:
        name = name_of(result)
        if result.text_digest is not None:
            self._subjects.add({"name": name, "digest": {"sha256": result.text_digest}})
        if result.verdict != "pass":
            self._failed.add(name)
        elif any(finding.level == "warning" for finding in result.findings):
            self._warned.add(name)
        else:
            self._passed.add(name)

    def finish(
        self,
        verdict: Verdict,
        counts: Counts,
        skipped: Iterable[Skipped],  # noqa: ARG002 (what was not read is not a subject)
        findings: Iterable[Finding],
        summary: Summary,
    ) -> None:
        if self._subjects.empty:
            self.close()
            raise Unstated("a statement is about something, and no record was read")
        for finding in findings:
            if finding.level == "error":
                self._failed.add(f"{finding.rule} {finding.input}".rstrip())
        reason = settled(verdict, counts)
        if reason:
            self._failed.add(reason[0])
        parts = self._statement({"verdict": verdict, "counts": counts._asdict(), "history": history_root(summary)})
        if self._options.sign is None:
            for part in parts:
                self._sink.write(part)
        else:
            whole = io.BytesIO()
            whole.writelines(parts)
            self._sink.write(self._options.sign(whole.getvalue()))
        self.close()

    def close(self) -> None:
        for each in self._lists:
            each.close()

    def _statement(self, about: dict[str, Json]) -> Iterator[bytes]:
        yield b'{"_type":' + json_line(STATEMENT) + b',\n"subject":'
        yield from self._subjects.text()
        yield b',\n"predicateType":' + json_line(PREDICATE) + b',\n"predicate":{"result":'
        yield json_line("PASSED" if about["verdict"] == "pass" else "FAILED")
        yield b',\n"configuration":' + json_line([self._configuration()])
        for name, each in (("passedTests", self._passed), ("warnedTests", self._warned), ("failedTests", self._failed)):
            yield b",\n" + json_line(name) + b":"
            yield from each.text()
        # Not a field of the predicate: readers pass over what they do not know.
        yield b',\n"wrsVerify":' + json_line(about) + b"}}\n"

    def _configuration(self) -> Json:
        """What was run, and how, as a resource descriptor (spec/v1/resource_descriptor.md)."""
        annotations = dict(self._options.settings) | {"configuration": self._options.configuration}
        uri = f"pkg:pypi/wrs-verify@{self._options.version}"
        return {"name": "wrs-verify", "uri": uri, "annotations": annotations}
