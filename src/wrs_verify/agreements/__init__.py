"""The table of copies: which values of a record must agree, as data.

A record repeats itself a good deal, and only a part of it is hashed; what protects the rest is agreement between copies.
The rules of the agreement family, the coverage and the search for an altered member all read the one table that a
profile declares, in rows of the kinds in `agreements.kinds`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import NamedTuple

from wrs_verify import pointers, statement
from wrs_verify.model import Json

__all__ = ["MISSING", "STATEMENT", "Agreement", "Comparison", "Copy", "Judgement", "Odd", "View", "compare", "holds", "judge"]

STATEMENT = "/version/record/statement"

#: What stands at a pointer that a record does not have. Not null: that is a value.
MISSING: Json = object()


class Copy(NamedTuple):
    """One copy of a value: the leaf or list where it stands, and what it says that the value is.

    A hashed copy is the one to believe. `prefix` is what must stand before the value in the text there. `part` marks a
    copy that is only a part of that text, so that a change elsewhere in it goes unseen here. `rule` is the rule that a
    difference here breaks, where it is not the row's own. No pointer: the profile itself says so.
    """

    pointer: str | None
    value: Json
    hashed: bool = False
    prefix: str = ""
    part: bool = False
    rule: str | None = None


class Comparison(NamedTuple):
    """All copies of one value, agreeing or not. `what` names the value in a sentence."""

    rule: str
    what: str
    copies: tuple[Copy, ...]


class Odd(NamedTuple):
    """A defect that is not a difference between copies of one value, such as a name out of order.

    `related` holds the pointers of what it is judged by.
    """

    rule: str
    pointer: str
    message: str
    expected: Json = None
    actual: Json = None
    related: tuple[str, ...] = ()


class Judgement(NamedTuple):
    """Which value of a comparison is believed, the copies that say so, and those that say otherwise."""

    value: Json
    agreeing: tuple[Copy, ...]
    odd: tuple[Copy, ...]


class View:
    """A record as the rows look at it.

    `trusted` says whether the hash over the hashed part matches: where it does not, no copy is better than another.
    """

    def __init__(self, value: Json, hashed: str, *, trusted: bool) -> None:
        self.value = value
        self.hashed = hashed + "/"
        self.trusted = trusted

    def at(self, pointer: str) -> Json:
        """The value at a pointer, or MISSING."""
        try:
            return pointers.resolve(self.value, pointer)
        except KeyError:
            return MISSING

    def copy(self, pointer: str, value: Json, *, prefix: str = "", part: bool = False, rule: str | None = None) -> Copy:
        """A copy that stands at `pointer`."""
        return Copy(pointer, value, pointer.startswith(self.hashed), prefix, part, rule)

    @cached_property
    def pieces(self) -> statement.Pieces | None:
        """The statement taken apart, or None where there is no text, or too much to take apart."""
        text = self.at(STATEMENT)
        return statement.read(text) if isinstance(text, str) and len(text) <= statement.MAX_LENGTH else None

    def stated(self, raw: str, candidates: Sequence[Json], rule: str | None = None) -> Copy:
        """A copy in the statement: the first of the candidates that the Markdown there reads as, else the Markdown."""
        value = next((text for text in candidates if text == raw), None)
        if value is None:
            shown = statement.plain(raw) if any(mark in raw for mark in "\\`*_&<![") else raw
            value = next((text for text in candidates if text == shown), raw)
        return self.copy(STATEMENT, value, part=True, rule=rule)


class Agreement(NamedTuple):
    """A row of the table.

    `holds(value)` says quickly whether a record satisfies the row. On a record of another shape it may raise LookupError,
    TypeError, AttributeError or ValueError, which says no more than False does: look closer.
    `compare(view)` yields a comparison for each value that has copies. What a record lacks is not compared: that is for the schema to say.
    """

    holds: Callable[[Json], bool]
    compare: Callable[[View], Iterator[Comparison | Odd]]


def holds(table: Sequence[Agreement], value: Json) -> bool:
    """Whether a record satisfies every row, by the quick side alone. False means: compare."""
    try:
        return all([row.holds(value) for row in table])
    except (LookupError, TypeError, AttributeError, ValueError):
        return False


def compare(table: Sequence[Agreement], view: View) -> list[Comparison | Odd]:
    """Every comparison of the table, in its order."""
    return [comparison for row in table for comparison in row.compare(view)]


def judge(copies: Sequence[Copy], *, trusted: bool, blamed: AbstractSet[str | None] = frozenset()) -> Judgement:
    """Which value to believe: the profile's, else the hashed copies' where their hash matches, else the majority's.

    `blamed` holds the pointers of copies that another comparison found odd: between equals they lose. Then the order decides.
    """
    keys = [_key(copy.value) for copy in copies]
    weights = {key: [0, 0, 0] for key in keys}
    for key, copy in zip(keys, copies, strict=True):
        weight = weights[key]
        weight[0] += copy.pointer is None
        weight[1] += trusted and copy.hashed
        weight[2] += copy.pointer not in blamed
    believed = max(weights, key=weights.__getitem__)
    agreeing = tuple(copy for copy, key in zip(copies, keys, strict=True) if key == believed)
    odd = tuple(copy for copy, key in zip(copies, keys, strict=True) if key != believed)
    return Judgement(agreeing[0].value, agreeing, odd)


def _key(value: Json) -> object:
    """Equal for equal JSON values, and hashable: true is not 1, and 1.0 is 1."""
    if isinstance(value, bool):
        return ("boolean", value)
    return value if isinstance(value, str | int | float | None) else repr(value)
