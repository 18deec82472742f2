"""What the user has decided: levels of rules, and allowances.

A level can be raised as one likes. How far it can be lowered, and what can be allowed, is the rule's own leeway (see `rules`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import get_args

from wrs_verify.model import Allowance, Allowed, Finding, Level, Problem, RecordResult
from wrs_verify.rules import quote, rules

__all__ = ["allowance_fault", "check", "excuse", "idle", "level_fault", "pointer_fault", "used"]

_LEVELS: tuple[Level, ...] = get_args(Level)


def level_fault(name: str, level: object) -> str | None:
    """Why a rule cannot be given a level, or None if it can."""
    rule = rules().get(name)
    if rule is None:
        return f"there is no rule {quote(name)}"
    if level not in _LEVELS:
        return f"{quote(level)} is not a level; a level is one of {', '.join(_LEVELS)}"
    if rule.leeway != "any" and _LEVELS.index(level) > _LEVELS.index(rule.level):
        return f"{name} cannot be lowered: it always is {'an' if rule.level == 'error' else 'a'} {rule.level}"
    return None


def allowance_fault(name: str) -> str | None:
    """Why no finding of a rule can be allowed, or None if one can."""
    rule = rules().get(name)
    if rule is None:
        return f"there is no rule {quote(name)}"
    if rule.leeway == "none":
        return f"{name} cannot be allowed: without it the verdict would rest on nothing"
    if rule.scope != "record":
        return f"{name} cannot be allowed: it is not about one record alone; [levels] can give it another level"
    return None


def pointer_fault(name: str, pointer: object) -> str | None:
    """Why an allowance of a rule cannot do without a pointer, or None if it can, or has one."""
    if pointer is None and rules()[name].leeway == "place":
        return f"{name} is allowed at one place only, since other rules could not read the value there: name its pointer"
    return None


def check(levels: Mapping[str, Level], allowances: Iterable[Allowance], now: datetime | None) -> None:
    """See that levels and allowances can be used.

    Raises:
        ValueError: a rule is unknown, has no such leeway, or an allowance has no reason, or there is no time to judge it by.
    """
    faults = [level_fault(name, level) for name, level in levels.items()]
    for allowance in allowances:
        faults.append(allowance_fault(allowance.rule) or pointer_fault(allowance.rule, allowance.pointer))
        if not allowance.reason.strip():
            faults.append(f"an allowance of {allowance.rule} has no reason")
        if now is None:
            faults.append("allowances need a reference time")
    for fault in faults:
        if fault:
            raise ValueError(fault)


def excuse(
    findings: Iterable[Finding], record: str, version: int, allowances: Sequence[Allowance], now: datetime
) -> tuple[list[Finding], tuple[Allowed, ...]]:
    """Part a record's findings into those that stand and those that are allowed, whatever the order of the allowances.

    Args:
        findings: of one record.
        record: its record id.
        version: its version.
        allowances: all that there are.
        now: the reference time of the run.
    """
    stand, allowed = [], []
    own = [each for each in allowances if each.record == record]
    for finding in findings:
        matching = [each for each in own if _matches(each, finding, version) and not _expired(each, now)]
        if matching:
            longest = max(matching, key=lambda each: (each.until, each.reason))
            allowed.append(Allowed(finding, longest.reason, longest.until.isoformat()))
        else:
            stand.append(finding)
    return stand, tuple(allowed)


def used(result: RecordResult, allowances: Iterable[Allowance], now: datetime) -> Iterator[Allowance]:
    """The allowances that matched one of the findings that are allowed in a result. It goes by the result alone, wherever it was made."""
    if not result.allowed or not result.target:
        return
    record, version = result.target["record_id"], int(result.target["version"])
    for each in allowances:
        if each.record == record and not _expired(each, now) and any(_matches(each, one.finding, version) for one in result.allowed):
            yield each


def idle(
    allowances: Iterable[Allowance], matched: Collection[Allowance], now: datetime, *, complete: bool
) -> Iterator[tuple[Allowance, Problem]]:
    """The allowances that did nothing in a run, each with what is wrong.

    Args:
        allowances: all that there are.
        matched: those that `used` gave.
        now: the reference time of the run.
        complete: whether every record was checked; if not, no allowance is said to be unused.
    """
    for each in allowances:
        if _expired(each, now):
            message = f"{_said(each)} ended on {each.until.isoformat()}, and allows nothing any longer"
            yield each, Problem("expired-allowance", message)
        elif complete and each not in matched:
            yield each, Problem("unused-allowance", f"{_said(each)} matched no finding")


def _matches(allowance: Allowance, finding: Finding, version: int) -> bool:
    """Whether an allowance for the record is meant for this finding in this version of it."""
    return allowance.rule == finding.rule and allowance.version in (None, version) and allowance.pointer in (None, finding.pointer)


def _expired(allowance: Allowance, now: datetime) -> bool:
    """Whether the last day has passed. A time without an offset is taken to be in UTC."""
    return (now.astimezone(UTC) if now.tzinfo else now).date() > allowance.until


def _said(allowance: Allowance) -> str:
    version = "" if allowance.version is None else f" version {allowance.version}"
    place = "" if allowance.pointer is None else f" at {quote(allowance.pointer)}"
    return f"the allowance of {allowance.rule} in {quote(allowance.record)}{version}{place}, for the reason {quote(allowance.reason)},"
