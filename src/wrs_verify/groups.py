"""Brings together the facts that a rule of the drop judges: those of one key, sorted out by what they say.

A group is judged as a whole and is small however many records are in it: it keeps the first places, and counts the others. So the
facts of a drop may lie anywhere: in memory, in a database, or on many machines that each collect some of the keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, Literal, NamedTuple, TypeAlias

from wrs_verify.model import Facts, Reference

__all__ = ["MAX_KEPT", "Entry", "Group", "Grouping", "Value", "Values", "collect", "entries", "groups", "order", "place_of"]

#: How many values a group keeps, and how many places of each: the first, by input and line.
MAX_KEPT = 20

#: The values of a grouping's key.
Key: TypeAlias = tuple[Any, ...]


class Grouping(NamedTuple):
    """Which facts a rule judges together.

    `key` are the members of `Facts` that those of one group have in common, none of them None, and `value` is the member that is
    compared among them. `when` tells which groups are judged:

    * `repeated`: more than one record is in it;
    * `differing`: there is more than one value;
    * `several`: any, if there are several groups;
    * `referred`: records refer to the key with a value that no record holds. `Reference` has members of the same names. A record
      whose public view hash does not match holds nothing here: it must not stand in for the one that is meant.
    """

    key: tuple[str, ...]
    value: str | None
    when: Literal["repeated", "differing", "several", "referred"]


class Entry(NamedTuple):
    """That a record has a key and says something of it, or, at a pointer, refers to it."""

    key: Key
    value: Any
    facts: Facts
    pointer: str | None = None


class Value(NamedTuple):
    """What some entries of a group say: how many they are, and the first of them."""

    value: Any
    times: int
    first: tuple[Entry, ...]


class Values(NamedTuple):
    """The values of a group: how many entries, how many values, and those values whose first entry comes first."""

    times: int
    distinct: int
    first: tuple[Value, ...]


class Group(NamedTuple):
    """The entries of one key. `held` is what records say of it.

    `missed` is what records refer to and none holds; `doubtful` counts those that would, if their public view hash matched.
    """

    key: Key
    held: Values
    missed: Values
    doubtful: int


def entries(grouping: Grouping, facts: Facts) -> Iterator[Entry]:
    """The entries of a record for a grouping. Those of one key belong together, wherever they come from."""
    sides: list[tuple[Facts | Reference, str | None]] = [(facts, None)]
    if grouping.when == "referred":
        sides += [(reference, reference.pointer) for reference in facts.references]
    for side, pointer in sides:
        key = tuple([getattr(side, name) for name in grouping.key])
        value = getattr(side, grouping.value) if grouping.value else None
        if None not in key and (value is not None or grouping.value is None):
            yield Entry(key, value, facts, pointer)


def order(entry: Entry) -> tuple[Any, ...]:
    """The order in which `collect` needs entries."""
    return (entry.key, entry.value, entry.pointer is not None, *place_of(entry))


def place_of(entry: Entry) -> tuple[str, int, str]:
    """Where an entry is: what findings are sorted by."""
    return entry.facts.input, entry.facts.line or 0, entry.pointer or ""


def collect(grouping: Grouping, ordered: Iterable[Entry]) -> Iterator[Group]:
    """The groups that are judged, from entries in order, of which no more are held than the groups keep."""
    for key, members in groupby(ordered, itemgetter(0)):
        held, missed, doubtful = _Values(), _Values(), 0
        for value, same in groupby(members, itemgetter(1)):
            holding, referring, unsure = _Value(), _Value(), 0
            for entry in same:
                if entry.pointer is not None:
                    referring.add(entry)
                elif grouping.when == "referred" and not entry.facts.trusted:
                    unsure += 1
                else:
                    holding.add(entry)
            held.add(value, holding)
            if not holding.times and referring.times:
                missed.add(value, referring)
                doubtful += unsure
        group = Group(key, held.made(), missed.made(), doubtful)
        if _judged(grouping, group):
            yield group


def _judged(grouping: Grouping, group: Group) -> bool:
    if grouping.when == "referred":
        return group.missed.times > 0
    if grouping.when == "several":
        return True
    return (group.held.times if grouping.when == "repeated" else group.held.distinct) > 1


class _Value:
    """Counts entries, and keeps the first, which come first."""

    def __init__(self) -> None:
        self.times = 0
        self.first: list[Entry] = []

    def add(self, entry: Entry) -> None:
        self.times += 1
        if len(self.first) < MAX_KEPT:
            self.first.append(entry)


class _Values:
    """Counts values and their entries, and keeps the first values, which may come in any order."""

    def __init__(self) -> None:
        self._times = self._distinct = 0
        self._first: list[Value] = []

    def add(self, value: Any, found: _Value) -> None:
        if not found.times:
            return
        self._times += found.times
        self._distinct += 1
        self._first.append(Value(value, found.times, tuple(found.first)))
        if len(self._first) > 2 * MAX_KEPT:
            self._keep()

    def _keep(self) -> None:
        self._first.sort(key=lambda value: place_of(value.first[0]))
        del self._first[MAX_KEPT:]

    def made(self) -> Values:
        self._keep()
        return Values(self._times, self._distinct, tuple(self._first))


def groups(grouping: Grouping, facts: Sequence[Facts]) -> Iterator[Group]:
    """The groups that are judged, from facts in memory, in whatever order."""
    wanted = _wanted(grouping, facts)
    if not wanted:
        return
    found = [entry for one in facts for entry in entries(grouping, one) if entry.key in wanted]
    found.sort(key=order)
    yield from collect(grouping, found)


def _wanted(grouping: Grouping, facts: Sequence[Facts]) -> set[Key]:
    """The keys whose groups may be judged, mostly none: a quick look at every record."""
    if grouping.when == "referred":
        return {entry.key for one in facts if one.references for entry in entries(grouping, one) if entry.pointer is not None}
    get = [attrgetter(name) for name in grouping.key]
    get_value = attrgetter(grouping.value) if grouping.value else None
    seen: dict[Key, Any] = {}
    wanted = set()
    for number, one in enumerate(facts):
        key = tuple([part(one) for part in get])
        value = get_value(one) if get_value else number
        if value is not None and None not in key and seen.setdefault(key, value) != value:
            wanted.add(key)
    if grouping.when == "several":
        return set(seen) if len(seen) > 1 else set()
    return wanted
