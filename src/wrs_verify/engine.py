"""Checks one record: from bytes to a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from wrs_verify import canonical, parsing, validation
from wrs_verify.model import Finding, HashCheck, Hashes, Json, Level, Limits, Problem, RecordResult
from wrs_verify.placing import placed, placed_problems
from wrs_verify.profile import SHARED
from wrs_verify.record import Record, Source
from wrs_verify.rules import Found, Rule, rules

__all__ = ["Checked", "Lookup", "Options", "check_record", "input_finding", "unread", "verify_bytes"]


#: Finds the source version of a record id and a version: its name and its text.
Lookup: TypeAlias = Callable[[str, int], tuple[str, bytes] | None]


class Options(NamedTuple):
    """How a run is to check.

    `strict` makes warnings fail, `require_content` a content hash that was not recomputed. With `double_check`, independent
    parsers, validators and canonicalizers must agree.
    """

    strict: bool = False
    require_content: bool = False
    double_check: bool = False
    limits: Limits = Limits()

    def level(self, rule: Rule) -> Level:
        """The effective level of a rule's findings."""
        level = rule.level
        if rule.name == "content-unavailable" and self.require_content:
            level = "error"
        return "error" if level == "warning" and self.strict else level


class Checked(NamedTuple):
    """A record's result, and whether every check on it came to an end."""

    result: RecordResult
    complete: bool


_NO_HASHES = Hashes(HashCheck("unavailable"), HashCheck("unavailable"), None)


def verify_bytes(data: bytes, *, name: str = "-", options: Options = Options()) -> RecordResult:  # noqa: B008 (immutable)
    """Verify one record.

    Args:
        data: the text of the record, as it was read.
        name: what the result and its findings call it.
        options: how to check.

    Returns:
        What was found. It never raises on any bytes: what cannot be read is a finding.
    """
    return check_record(data, name, None, options).result


def check_record(data: bytes, name: str, line: int | None, options: Options, sources: Lookup | None = None) -> Checked:
    """Check one record. `line` is its line in a JSON Lines file; places are then counted in that file."""
    try:
        return _checked(data, name, line, options, sources)
    except parsing.ParseError as error:
        problems = [*error.problems, *_parsers_disagree(data, options)]
        findings = [(problem, input_finding(problem, options)) for problem in problems]
        return Checked(unread(name, line, placed_problems(findings, error.first, data, name, line)), complete=True)
    except Exception as error:  # whatever it is, this record was not checked, and the next one must be
        return Checked(unread(name, line, [_crash("the check", error, options)._replace(input=name, line=line)]), complete=False)


def _checked(data: bytes, name: str, line: int | None, options: Options, sources: Lookup | None) -> Checked:
    record = Record(canonical.read(data, options.limits, share=SHARED))
    if sources and record.profile:
        record.source = _source(record, sources, options.limits)
    findings, complete = _check(record, options)
    if options.double_check:
        findings += [input_finding(problem, options) for problem in _disagreements(data, record, options)]
    return Checked(_result(name, line, record, placed(findings, data, record.value, name, line), complete=complete), complete)


def _source(record: Record, sources: Lookup, limits: Limits) -> Source | None:
    target = _target(record)
    found = sources(target["record_id"], target["version"]) if target else None
    return Source(found[0], canonical.read(found[1], limits)) if found else None


def input_finding(problem: Problem, options: Options) -> Finding:
    """The finding for a problem that kept an input from being read or checked, without its place."""
    rule = rules()[problem.rule]
    return _finding(rule, next(iter(rule.check(problem))), options)


def unread(name: str, line: int | None, findings: Iterable[Finding]) -> RecordResult:
    """The result of a record of which nothing could be worked out."""
    return _result(name, line, None, findings)


def _check(record: Record, options: Options) -> tuple[list[Finding], bool]:
    """Every rule on a record. A rule that ends with an error of its own silences no other."""
    findings: list[Finding] = []
    complete = True
    for rule in rules().values():
        if rule.scope != "record":
            continue
        try:
            findings += [_finding(rule, found, options) for found in rule.check(record)]
        except Exception as error:  # a crash in a check must be a finding, whatever it is
            complete = False
            findings.append(_crash(f"the check {rule.name}", error, options))
    try:
        _ = record.public_view, record.content, record.coverage
    except Exception as error:  # as above: what a result states beside its findings is a check too
        complete = False
        findings.append(_crash("working out hashes and coverage", error, options))
    return findings, complete


def _crash(what: str, error: Exception, options: Options) -> Finding:
    message = f"{what} ended with an error of its own, {type(error).__name__}: {error}"
    return input_finding(Problem("internal-error", message, pointer=""), options)


def _finding(rule: Rule, found: Found, options: Options) -> Finding:
    return Finding(rule.name, options.level(rule), found.message, found.pointer, found.expected, found.actual, found.related)


def _result(name: str, line: int | None, record: Record | None, findings: Iterable[Finding], *, complete: bool = True) -> RecordResult:
    ordered = tuple(sorted(findings, key=_order))
    if record is None:
        return RecordResult(name, line, None, None, None, "fail", _NO_HASHES, None, ordered)
    profile = record.value.get("profile") if isinstance(record.value, dict) else None
    return RecordResult(
        input=name,
        line=line,
        profile=profile if isinstance(profile, str) else None,
        entry_id=_entry_id(record),
        target=_target(record),
        verdict="fail" if any(finding.level == "error" for finding in ordered) else "pass",
        hashes=Hashes(record.public_view, record.content, canonical.digest(record.document.canonical)) if complete else _NO_HASHES,
        coverage=record.coverage if complete else None,
        findings=ordered,
    )


def _entry_id(record: Record) -> str | None:
    value = record.at(record.profile.entry_id) if record.profile else None
    return value if isinstance(value, str) else None


def _target(record: Record) -> dict[str, Json] | None:
    """The target triple, as the hashed copy gives it, or the first copy that is one."""
    for pointer in record.profile.targets if record.profile else ():
        triple = record.at(pointer)
        if isinstance(triple, dict) and validation.is_valid("wrs-target-triple-1", triple):
            return triple
    return None


def _order(finding: Finding) -> tuple[str, int, int, str, str, str]:
    return (finding.input, finding.line or 0, finding.column or 0, finding.rule, finding.pointer or "", finding.message)


def _parsers_disagree(data: bytes, options: Options) -> list[Problem]:
    said = parsing.disagreement(data, options.limits) if options.double_check else None
    return [Problem("engine-disagreement", said, pointer="")] if said else []


def _disagreements(data: bytes, record: Record, options: Options) -> Iterator[Problem]:
    """Where the reference engines do not give what the fast ones gave."""
    yield from _parsers_disagree(data, options)
    reference = canonical.read(data, options.limits, reference=True)
    profile = record.profile
    if reference.canonical != record.document.canonical:
        yield Problem("engine-disagreement", "the fast and the reference engines give different canonical forms", pointer="")
    if profile is None:
        return
    if (not validation.violations(profile.name, reference.value, 1)[1]) != record.valid:
        yield Problem("engine-disagreement", "the fast and the reference validator disagree on whether the schema is satisfied", pointer="")
    made = canonical.form(reference, profile.public_view.route, profile.public_view.without)
    if record.public_view.computed is not None and (made is None or canonical.digest(made) != record.public_view.computed):
        message = "the fast and the reference canonicalizer give different public view hashes"
        yield Problem("engine-disagreement", message, pointer=profile.public_view_hash)
