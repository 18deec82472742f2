"""Draws the line of a text on which a finding is, with carets under what is meant."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from wrs_verify.model import Excerpt
from wrs_verify.safe import source

__all__ = ["Drawn", "drawn"]

#: Columns of a line number, at least, after the blank that every line but the first of a finding begins with.
_NUMBER = 4


class Drawn(NamedTuple):
    """Two lines: `line`, and below it `margin` with `carets` after it. All are harmless."""

    line: str
    margin: str
    carets: str


def drawn(excerpt: Excerpt, number: int | None, width: int) -> Drawn | None:
    """The line of an excerpt and its carets. What does not fit is cut at its ends, where an ellipsis stands.

    Args:
        excerpt: what is to be shown.
        number: its line.
        width: columns of the terminal, at least 40.

    Returns:
        None where there is nothing but blanks.
    """
    before = excerpt.before if excerpt.more_before else excerpt.before.lstrip(" \t")
    after = excerpt.after if excerpt.more_after else excerpt.after.rstrip(" \t")
    shown = source(before + excerpt.marked + after)
    if not (before + excerpt.marked + after).strip():
        return None
    gutter = f" {'' if number is None else number:>{_NUMBER}} | "
    columns = [_columns(character) for character in shown]
    first, last = len(before), len(before) + len(excerpt.marked)
    begin, end = _window(columns, first, last, width - len(gutter))
    head = "…" if excerpt.more_before or begin else ""
    tail = "…" if excerpt.more_after or end < len(shown) else ""
    margin = " " * (len(gutter) - 2) + "| " + " " * (len(head) + sum(columns[begin:first]))
    return Drawn(f"{gutter}{head}{''.join(shown[begin:end])}{tail}", margin, "^" * max(sum(columns[first : min(last, end)]), 1))


def _window(columns: list[int], first: int, last: int, room: int) -> tuple[int, int]:
    """The characters that are shown, two columns being left for ellipses: as much before the mark as half the room, or a third of it
    where the mark is long; then the mark, and what comes after; then more of what comes before, if there is still room."""
    room -= 2
    budget = min(room // 2, max(room // 3, room - sum(columns[first:last])))
    begin, used = first, 0
    while begin and used + columns[begin - 1] <= budget:
        begin -= 1
        used += columns[begin]
    end = first
    while end < len(columns) and used + columns[end] <= room:
        used += columns[end]
        end += 1
    while begin and used + columns[begin - 1] <= room:
        begin -= 1
        used += columns[begin]
    return begin, end


def _columns(shown: str) -> int:
    """How many columns a character takes, or the escape that stands for it."""
    if len(shown) > 1 or shown.isascii():
        return len(shown)
    if unicodedata.category(shown) in ("Mn", "Me") or "\u1160" <= shown <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(shown) in ("W", "F") else 1
