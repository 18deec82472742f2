"""The JUnit report: a test case a record, so that a CI service shows which records fail.

There is no standard; this keeps to what Jenkins, GitLab and others agree on. Findings of level error are failures, unless they are about
this program itself: those are errors. Warnings, notes and what is allowed are lines of `system-out`. The suites are `records`, `run`
(what concerns the drop, or an input that is not a record) and `skipped`. `tests`, `failures` and `errors` count test cases.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from tempfile import SpooledTemporaryFile

from wrs_verify.model import Allowed, Counts, Finding, RecordResult, Skipped, Verdict
from wrs_verify.report import Options, Sink, Summary
from wrs_verify.report.wording import details, history_root, is_internal, name_of, place, said, settled
from wrs_verify.safe import shorten, terminal, xml

__all__ = ["Renderer"]

_IN_MEMORY = 4 * 1024 * 1024
_MAX_NAME = 500


class _Suite:
    """The test cases of a suite, which wait in a temporary file: their numbers stand before them."""

    def __init__(self) -> None:
        self.lines: SpooledTemporaryFile[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (see Renderer.close)
        self.tests = self.failures = self.errors = 0

    def add(self, attributes: str, lines: Sequence[str], *, failed: bool, broken: bool) -> None:
        self.tests += 1
        self.errors += broken
        self.failures += failed and not broken
        text = "".join(f"      {line}\n" for line in lines)
        case = f"    <testcase {attributes}>\n{text}    </testcase>\n" if lines else f"    <testcase {attributes}/>\n"
        self.lines.write(case.encode())


class Renderer:
    """Writes JUnit XML."""

    def __init__(self, sink: Sink, options: Options) -> None:
        self._sink = sink
        self._options = options
        self._records, self._run = _Suite(), _Suite()

    def record(self, result: RecordResult) -> None:
        lines = [*_properties(_facts(result))]
        lines += _outcomes(result.findings, result.allowed, result)
        broken = any(is_internal(finding) for finding in result.findings)
        name = f"{name_of(result)} {result.entry_id}" if result.entry_id else name_of(result)
        attributes = _attributes(("classname", "wrs-verify"), ("name", name), ("file", result.input), ("line", result.line))
        self._records.add(attributes, lines, failed=result.verdict != "pass", broken=broken)

    def finish(self, verdict: Verdict, counts: Counts, skipped: Iterable[Skipped], findings: Iterable[Finding], summary: Summary) -> None:
        for finding in findings:
            path, line, _ = place(finding, None)
            name = f"{finding.rule} {path}".rstrip() + (f":{line}" if line is not None else "")
            attributes = _attributes(("classname", "wrs-verify"), ("name", name), ("file", path or None), ("line", line))
            lines = [*_outcomes((finding,), (), None)]
            self._run.add(attributes, lines, failed=finding.level == "error", broken=is_internal(finding))
        self._verdict(verdict, counts)
        write = self._sink.write
        suites = (self._records, self._run)
        total = sum(suite.tests for suite in suites) + counts.skipped
        failures, errors = sum(suite.failures for suite in suites), sum(suite.errors for suite in suites)
        write(b'<?xml version="1.0" encoding="UTF-8"?>\n')
        write(f'<testsuites name="wrs-verify" {_numbers(total, failures, errors, counts.skipped)}>\n'.encode())
        about = [
            ("wrs-verify", self._options.version),
            ("verdict", verdict),
            ("configuration", self._options.configuration),
            ("history", history_root(summary)),
        ]
        about += [(name, str(number)) for name, number in counts._asdict().items()]
        about += [(f"findings of {rule}", str(number)) for rule, number in summary.rules.items()]
        self._suite("records", self._records, about)
        self._suite("run", self._run, [])
        write(f'  <testsuite name="skipped" {_numbers(counts.skipped, 0, 0, counts.skipped)}>\n'.encode())
        for one in skipped:
            attributes = _attributes(("classname", "wrs-verify"), ("name", one.input))
            reason = xml(shorten(one.reason, _MAX_NAME))
            write(f'    <testcase {attributes}>\n      <skipped message="{reason}"/>\n    </testcase>\n'.encode())
        write(b"  </testsuite>\n</testsuites>\n")
        self.close()

    def close(self) -> None:
        self._records.lines.close()
        self._run.lines.close()

    def _verdict(self, verdict: Verdict, counts: Counts) -> None:
        """A case for the run as a whole, so that no report without a failure is one of a run that did not pass."""
        reason = settled(verdict, counts)
        lines = []
        if reason:
            element = "error" if verdict == "incomplete" else "failure"
            lines = [f'<{element} type="{reason[0]}" message="{reason[1]}"/>']
        broken = verdict == "incomplete"
        self._run.add('classname="wrs-verify" name="the whole run"', lines, failed=reason is not None, broken=broken)

    def _suite(self, name: str, suite: _Suite, properties: Iterable[tuple[str, str | None]]) -> None:
        self._sink.write(f'  <testsuite name="{name}" {_numbers(suite.tests, suite.failures, suite.errors, 0)}>\n'.encode())
        self._sink.write("".join(f"    {line}\n" for line in _properties(properties)).encode())
        suite.lines.seek(0)
        shutil.copyfileobj(suite.lines, self._sink)
        self._sink.write(b"  </testsuite>\n")


def _numbers(tests: int, failures: int, errors: int, skipped: int) -> str:
    return f'tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}"'


def _attributes(*pairs: tuple[str, str | int | None]) -> str:
    return " ".join(f'{name}="{xml(shorten(terminal(str(said)), _MAX_NAME))}"' for name, said in pairs if said is not None)


def _facts(result: RecordResult) -> Iterator[tuple[str, str | None]]:
    view, content, document = result.hashes
    yield "profile", result.profile
    for name, check in (("public_view_hash", view), ("content_hash", content)):
        yield f"{name}.status", check.status
        yield f"{name}.recorded", check.recorded
        yield f"{name}.computed", check.computed
    yield "content_hash.from", content.origin
    yield "document_hash", document


def _properties(pairs: Iterable[tuple[str, str | None]]) -> Iterator[str]:
    lines = [f"  <property {_attributes(('name', name), ('value', value))}/>" for name, value in pairs if value is not None]
    if lines:
        yield from ("<properties>", *lines, "</properties>")


def _outcomes(findings: Iterable[Finding], allowed: Iterable[Allowed], record: RecordResult | None) -> Iterator[str]:
    others = []
    for finding in findings:
        if finding.level == "error" or is_internal(finding):
            element = "error" if is_internal(finding) else "failure"
            text = "\n".join(map(xml, (_line(finding, finding.level, record), *details(finding, record))))
            yield f'<{element} type="{xml(finding.rule)}" message="{xml(said(finding))}">{text}</{element}>'
        else:
            others.append(_line(finding, finding.level, record))
    others += [_line(one.finding, "allowed", record, one) for one in allowed]
    if others:
        text = "\n".join(map(xml, others))
        yield f"<system-out>{text}</system-out>"


def _line(finding: Finding, level: str, record: RecordResult | None, allowed: Allowed | None = None) -> str:
    path, *numbers = place(finding, record)
    where = "".join(f"{part}:" for part in (terminal(path), *numbers) if part)
    return f"{where} {level}[{finding.rule}] {said(finding, allowed)}".lstrip()
