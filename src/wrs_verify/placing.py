"""Puts findings at their lines and columns, which are worked out only here, and only where there is a finding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from wrs_verify import pointers
from wrs_verify.model import Excerpt, Finding, Json, Problem, Related

__all__ = ["Text", "excerpt", "placed", "placed_problems"]

#: Up to so many places are looked for one at a time, by their names; beyond it, one scan of the text finds all.
_FEW = 3
#: Characters of a line that an excerpt has before a place, and from it on.
_BEFORE, _FROM = 100, 140
_LINE_END = re.compile(rb"[\r\n]")
#: What a caret is put under: a string, also one that does not end, a word or a number, or else one character.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\w+.-]+|.', re.DOTALL)


class Text(NamedTuple):
    """The text of a record, and what its places are called.

    `line` is its line in a JSON Lines file, which has it on one line; else None. With `excerpts`, findings get those too.
    """

    data: bytes
    name: str
    line: int | None = None
    excerpts: bool = False


class _Place(NamedTuple):
    line: int | None
    column: int | None
    excerpt: Excerpt | None


def placed(findings: Iterable[Finding], value: Json, text: Text) -> list[Finding]:
    """Findings about a parsed text with the places of their pointers.

    Args:
        findings: with pointers, and without places.
        value: what was parsed of the text.
        text: where they are.
    """
    findings = list(findings)
    if not findings:
        return []
    wanted = {finding.pointer for finding in findings if finding.pointer is not None}
    wanted |= {related.pointer for finding in findings for related in finding.related if not related.input}
    offsets = _offsets(text.data, value, wanted)
    places = pointers.positions(text.data, offsets.values())

    def place(pointer: str | None, *, shown: bool = False) -> _Place:
        offset = None if pointer is None else offsets.get(pointer)
        if offset is None:
            return _Place(text.line, None, None)
        line, column = places[offset]
        # What concerns the whole record would only show its first bracket.
        return _Place(text.line or line, column, excerpt(text.data, offset) if shown and pointer else None)

    def related(one: Related) -> Related:
        if one.input:
            return one
        found = place(one.pointer)
        return one._replace(input=text.name, line=found.line, column=found.column)

    made = []
    for finding in findings:
        line, column, shown = place(finding.pointer, shown=text.excerpts)
        others = tuple(map(related, finding.related))
        made.append(finding._replace(input=text.name, line=line, column=column, related=others, excerpt=shown))
    return made


def _offsets(data: bytes, value: Json, wanted: set[str]) -> dict[str, int]:
    if len(wanted) > _FEW:
        return pointers.offsets_of(data, wanted)
    found = {pointer: pointers.offset_of(data, pointer, exists=_exists(value, pointer)) for pointer in wanted}
    return {pointer: offset for pointer, offset in found.items() if offset is not None}


def _exists(value: Json, pointer: str) -> bool:
    try:
        pointers.resolve(value, pointer)
    except KeyError:
        return False
    return True


def placed_problems(problems: Iterable[tuple[Problem, Finding]], first: Mapping[int, int], text: Text) -> list[Finding]:
    """Findings about a text that could not be parsed, at the places of their problems.

    Args:
        problems: each with its finding.
        first: for the offset of a repeated name, the offset where that name stood first.
        text: where they are.
    """
    data, name, line, excerpts = text
    problems = list(problems)
    places = pointers.positions(data, {problem.offset for problem, _ in problems if problem.offset is not None} | set(first.values()))
    made = []
    for problem, finding in problems:
        finding = finding._replace(input=name, line=line)
        if problem.offset is not None:
            found, column = places[problem.offset]
            shown = excerpt(data, problem.offset) if excerpts else None
            finding = finding._replace(line=line or found, column=column, excerpt=shown)
        if problem.rule == "duplicate-name" and problem.offset is not None and problem.offset in first:
            found, column = places[first[problem.offset]]
            finding = finding._replace(related=(Related(problem.pointer or "", problem.actual, name, line or found, column),))
        made.append(finding)
    return made


def excerpt(data: bytes, offset: int) -> Excerpt:
    """The line around the first byte of a character, a few hundred bytes of it at most. Bytes that are not UTF-8 become U+FFFD."""
    begin = max(0, offset - 4 * _BEFORE - 4)
    before = data[begin:offset]
    start = max(before.rfind(b"\n"), before.rfind(b"\r")) + 1
    begin, before = begin + start, before[start:]
    # The window may begin within a character, whose rest would be counted as one or more.
    whole = before.decode("utf-8", "replace") if start or not begin else before.lstrip(_CONTINUATION).decode("utf-8", "replace")
    rest = data[offset : offset + 4 * _FROM + 4]
    end = _LINE_END.search(rest)
    there = (rest[: end.start()] if end else rest).decode("utf-8", "replace")
    shown = there[:_FROM]
    found = _TOKEN.match(shown)
    marked = found[0] if found else ""
    more_before = len(whole) > _BEFORE or (not start and begin > 0)
    more_after = len(there) > _FROM or (end is None and offset + len(rest) < len(data))
    return Excerpt(whole[-_BEFORE:], marked, shown[len(marked) :], more_before, more_after)


_CONTINUATION = bytes(range(0x80, 0xC0))
