"""Puts findings at their lines and columns, which are worked out only here, and only where there is a finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wrs_verify import pointers
from wrs_verify.model import Finding, Json, Problem, Related

__all__ = ["placed", "placed_problems"]

#: Up to so many places are looked for one at a time, by their names; beyond it, one scan of the text finds all.
_FEW = 3


def placed(findings: Iterable[Finding], data: bytes, value: Json, name: str, line: int | None) -> list[Finding]:
    """Findings about a parsed text with the places of their pointers.

    Args:
        findings: with pointers, and without places.
        data: the text.
        value: what was parsed of it.
        name: what the input is called.
        line: the line of the text in a JSON Lines file, which has it on one line; else None.
    """
    findings = list(findings)
    if not findings:
        return []
    wanted = {finding.pointer for finding in findings if finding.pointer is not None}
    wanted |= {related.pointer for finding in findings for related in finding.related if not related.input}
    places = _places(data, value, wanted)

    def place(pointer: str | None) -> tuple[int | None, int | None]:
        at = places.get(pointer) if pointer is not None else None
        return (line or at[0], at[1]) if at else (line, None)

    def related(one: Related) -> Related:
        if one.input:
            return one
        found, column = place(one.pointer)
        return one._replace(input=name, line=found, column=column)

    made = []
    for finding in findings:
        found, column = place(finding.pointer)
        made.append(finding._replace(input=name, line=found, column=column, related=tuple(map(related, finding.related))))
    return made


def _places(data: bytes, value: Json, wanted: set[str]) -> dict[str, tuple[int, int]]:
    if len(wanted) > _FEW:
        return pointers.locate_all(data, wanted)
    found = {pointer: pointers.locate(data, pointer, exists=_exists(value, pointer)) for pointer in wanted}
    return {pointer: at for pointer, at in found.items() if at}


def _exists(value: Json, pointer: str) -> bool:
    try:
        pointers.resolve(value, pointer)
    except KeyError:
        return False
    return True


def placed_problems(
    problems: Iterable[tuple[Problem, Finding]], first: Mapping[int, int], data: bytes, name: str, line: int | None
) -> list[Finding]:
    """Findings about a text that could not be parsed, at the places of their problems.

    Args:
        problems: each with its finding.
        first: for the offset of a repeated name, the offset where that name stood first.
        data, name, line: as for `placed`.
    """
    problems = list(problems)
    places = pointers.positions(data, {problem.offset for problem, _ in problems if problem.offset is not None} | set(first.values()))
    made = []
    for problem, finding in problems:
        finding = finding._replace(input=name, line=line)
        if problem.offset is not None:
            found, column = places[problem.offset]
            finding = finding._replace(line=line or found, column=column)
        if problem.rule == "duplicate-name" and problem.offset is not None and problem.offset in first:
            found, column = places[first[problem.offset]]
            finding = finding._replace(related=(Related(problem.pointer or "", problem.actual, name, line or found, column),))
        made.append(finding)
    return made
