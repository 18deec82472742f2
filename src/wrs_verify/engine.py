"""Checks one record: from bytes to a result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache
from typing import NamedTuple, TypeAlias, cast

from wrs_verify import canonical, parsing, policy, validation
from wrs_verify.facts import facts_of, unfollowed
from wrs_verify.groups import Group, Grouping
from wrs_verify.mistakes import too_many_findings
from wrs_verify.model import Allowance, Allowed, Change, Facts, Finding, HashCheck, Hashes, Json, Level, Limits, Problem, RecordResult
from wrs_verify.placing import Text, placed, placed_problems
from wrs_verify.profile import SHARED
from wrs_verify.record import Record, Source
from wrs_verify.rules import Found, Rule, rules
from wrs_verify.rules.drop import ABSENCE, GROUPINGS
from wrs_verify.rules.history import ABSENCE as ABSENCE_SINCE

__all__ = [
    "Checked",
    "Lookup",
    "Options",
    "check_drop",
    "check_history",
    "check_record",
    "idle_allowances",
    "input_finding",
    "order",
    "unread",
    "used_allowances",
    "verify_bytes",
]


#: Finds the source version of a record id and a version: its name and its text.
Lookup: TypeAlias = Callable[[str, int], tuple[str, bytes] | None]


class Options(NamedTuple):
    """How a run is to check.

    `strict` makes warnings fail, `require_content` a content hash that was not recomputed. With `double_check`, independent
    parsers, validators and canonicalizers must agree. Without `notes_placed`, notes have no line and column: a report that does
    not show them does not need their places. With `excerpts`, findings bring along what stands at their places.

    `levels` gives rules another level than their own; `strict` and `require_content` come on top. `allowances` are the findings
    that are allowed, as judged by the reference time `now` (in UTC, if it has no offset). Both have bounds: see `rules`.

    With `input_digests`, results tell the SHA-256 of the bytes that were read.
    """

    strict: bool = False
    require_content: bool = False
    double_check: bool = False
    limits: Limits = Limits()
    notes_placed: bool = True
    excerpts: bool = False
    levels: Mapping[str, Level] = {}
    allowances: tuple[Allowance, ...] = ()
    now: datetime | None = None
    input_digests: bool = False

    def level(self, rule: Rule) -> Level:
        """The effective level of a rule's findings."""
        if rule.name == "content-unavailable" and self.require_content:
            return "error"
        level = self.levels.get(rule.name, rule.level)
        return "error" if level == "warning" and self.strict else level


class Checked(NamedTuple):
    """A record's result, whether every check on it came to an end, and what the rules of the drop need to know of it."""

    result: RecordResult
    complete: bool
    facts: Facts | None = None


_LEVELS: tuple[Level, ...] = ("error", "warning", "note")
_NO_HASHES = Hashes(HashCheck("unavailable"), HashCheck("unavailable"), None)


def verify_bytes(data: bytes, *, name: str = "-", options: Options = Options()) -> RecordResult:  # noqa: B008 (immutable)
    """Verify one record.

    Args:
        data: the text of the record, as it was read.
        name: what the result and its findings call it.
        options: how to check.

    Returns:
        What was found. It never raises on any bytes: what cannot be read is a finding.

    Raises:
        ValueError: the options set a level or an allowance that cannot be.
    """
    policy.check(options.levels, options.allowances, options.now)
    return check_record(data, name, None, options).result


def check_record(data: bytes, name: str, line: int | None, options: Options, sources: Lookup | None = None) -> Checked:
    """Check one record. `line` is its line in a JSON Lines file; places are then counted in that file."""
    checked = _guarded(data, name, line, options, sources)
    if not options.input_digests:
        return checked
    digest = canonical.digest(data).removeprefix("sha256:")
    return checked._replace(result=checked.result._replace(text_digest=digest))


def _guarded(data: bytes, name: str, line: int | None, options: Options, sources: Lookup | None) -> Checked:
    try:
        return _checked(data, name, line, options, sources)
    except parsing.ParseError as error:
        problems = [*error.problems, *_parsers_disagree(data, options)]
        findings = [(problem, input_finding(problem, options)) for problem in problems]
        text = Text(data, name, line, options.excerpts)
        return Checked(unread(name, line, placed_problems(findings, error.first, text)), complete=True)
    except Exception as error:  # whatever it is, this record was not checked, and the next one must be
        return Checked(unread(name, line, [_crash("the check", error, options)._replace(input=name, line=line)]), complete=False)


def _checked(data: bytes, name: str, line: int | None, options: Options, sources: Lookup | None) -> Checked:
    record = Record(canonical.read(data, options.limits, share=SHARED))
    if sources and record.profile:
        record.source = _source(record, sources, options.limits)
    findings, complete = _check(record, options)
    findings += [input_finding(problem, options) for problem in unfollowed(record, options.limits)]
    if options.double_check:
        findings += [input_finding(problem, options) for problem in _disagreements(data, record, options)]
    allowed: tuple[Allowed, ...] = ()
    if options.allowances and complete:
        findings, allowed = _excused(findings, record, options)
    findings = _listed(findings, options)
    text = Text(data, name, line, options.excerpts)
    result = _result(name, line, record, _placed(findings, record, text, options), complete=complete)
    if allowed:
        where = placed([one.finding for one in allowed], record.value, text)
        allowed = tuple(one._replace(finding=finding) for one, finding in zip(allowed, where, strict=True))
        result = result._replace(allowed=tuple(sorted(allowed, key=lambda one: order(one.finding))))
    return Checked(result, complete, facts_of(record, result, options.limits))


def _listed(findings: list[Finding], options: Options) -> list[Finding]:
    """The findings that are listed, and one that counts the others, at the worst of their levels.

    Errors are left out last, and of these the ones of rules that are errors by themselves.
    """
    most = options.limits.max_findings
    if len(findings) <= most:
        return findings
    findings.sort(key=lambda finding: (_LEVELS.index(finding.level), _LEVELS.index(rules()[finding.rule].level)))
    numbers = Counter(finding.level for finding in findings[most:])
    problem = too_many_findings(most, ", ".join(f"{numbers[level]} {level}s" for level in _LEVELS if numbers[level]))
    return [*findings[:most], input_finding(problem, options)._replace(level=findings[most].level)]


def _excused(findings: list[Finding], record: Record, options: Options) -> tuple[list[Finding], tuple[Allowed, ...]]:
    """The findings that stand and those that are allowed: none, unless it is beyond doubt which record and version this is.

    So the public view hash must match, and every copy of the target must be there, of its form, and the same. Whatever the schema's
    violations that are allowed may be, a hash or a target is never among them.
    """
    profile = record.profile
    if profile is None or options.now is None or not record.trusted:
        return findings, ()
    # Without a grade, where there may be none, there is nothing that could have the grade's copy.
    holders = [(pointer, pointer.rpartition("/")[0]) for pointer in profile.targets]
    copies = [record.at(pointer) for pointer, holder in holders if record.at(holder) is not None or _is_wanted(record, holder)]
    target = copies[0]
    if not all(validation.is_valid("wrs-target-triple-1", copy) and copy == target for copy in copies):
        return findings, ()
    return policy.excuse(findings, target["record_id"], int(target["version"]), options.allowances, options.now)


def _is_wanted(record: Record, pointer: str) -> bool:
    """Whether the schema finds fault with there being nothing, or null, at a pointer."""
    parent, _, name = pointer.rpartition("/")
    missing = (parent, "required", name)
    return any(each.pointer == pointer or (each.pointer, each.keyword, each.expected) == missing for each in record.violations)


def _placed(findings: list[Finding], record: Record, text: Text, options: Options) -> list[Finding]:
    if not options.notes_placed:
        notes = [
            finding._replace(input=text.name, line=text.line) for finding in findings if finding.level == "note" and not finding.related
        ]
        findings = [finding for finding in findings if finding.level != "note" or finding.related]
        return notes + placed(findings, record.value, text)
    return placed(findings, record.value, text)


def _source(record: Record, sources: Lookup, limits: Limits) -> Source | None:
    target = _target(record)
    found = sources(target["record_id"], target["version"]) if target else None
    return Source(found[0], canonical.read(found[1], limits)) if found else None


def check_drop(groups: Callable[[Grouping], Iterable[Group]], options: Options, *, complete: bool) -> Iterator[Finding]:
    """Check the records of a run together.

    Args:
        groups: gives the groups of a grouping.
        options: how to check.
        complete: whether all records are in the groups; if not, nothing is said to be absent.

    Returns:
        The findings in no order, among them an `internal-error` for a rule that could not be checked.
    """
    for rule in rules().values():
        if rule.scope == "drop" and (complete or rule.name not in ABSENCE):
            try:
                for found in rule.check(groups(GROUPINGS[rule.name])):
                    yield _finding(rule, found, options)._replace(input=found.input, line=found.line)
            except Exception as error:  # as for a record: no crash may pass for a check
                yield _crash(f"the check {rule.name} of the whole drop", error, options)._replace(pointer=None)


def check_history(changes: Mapping[str, Iterable[Change]], options: Options, *, complete: bool) -> Iterator[Finding]:
    """Compare the records of a run with what was seen before.

    Args:
        changes: for the rules that are to be asked, by their names.
        options: how to check.
        complete: whether all records were looked at; if not, nothing is said to be absent.

    Returns:
        The findings in no order.
    """
    for rule in rules().values():
        if rule.name in changes and (complete or rule.name not in ABSENCE_SINCE):
            for found in rule.check(changes[rule.name]):
                yield _finding(rule, found, options)._replace(input=found.input, line=found.line)


def used_allowances(result: RecordResult, options: Options) -> Iterator[Allowance]:
    """The allowances that matched one of the findings that are allowed in a result."""
    return policy.used(result, options.allowances, options.now) if options.now else iter(())


def idle_allowances(used: Collection[Allowance], options: Options, *, complete: bool) -> Iterator[Finding]:
    """The findings for allowances that have expired or, if the run is complete, are not among those that were used."""
    for allowance, problem in policy.idle(options.allowances, used, options.now, complete=complete) if options.now else ():
        yield input_finding(problem, options)._replace(input=allowance.input, line=allowance.line)


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
    for rule in _record_rules():
        try:
            if rule.unless is None or not getattr(record, rule.unless):
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


@cache
def _record_rules() -> tuple[Rule, ...]:
    return tuple(rule for rule in rules().values() if rule.scope == "record")


def _crash(what: str, error: Exception, options: Options) -> Finding:
    message = f"{what} ended with an error of its own, {type(error).__name__}: {error}"
    return input_finding(Problem("internal-error", message, pointer=""), options)


def _finding(rule: Rule, found: Found, options: Options) -> Finding:
    return Finding(rule.name, options.level(rule), found.message, found.pointer, found.expected, found.actual, found.related)


def _result(name: str, line: int | None, record: Record | None, findings: Iterable[Finding], *, complete: bool = True) -> RecordResult:
    ordered = tuple(sorted(findings, key=order) if findings else ())
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
        if record.valid or (isinstance(triple, dict) and validation.is_valid("wrs-target-triple-1", triple)):
            return cast("dict[str, Json]", triple)
    return None


def order(finding: Finding) -> tuple[str, int, int, str, str, str]:
    """What findings are sorted by: input, position, rule."""
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
