"""The rules of the drop by key: facts are divided into partitions that can be judged apart, on as many machines.

Which partition a key belongs to follows from its first member. So all that is said of a record id is in one partition, of an entry
id in one, and of a document in one, and a record's facts are in three or fewer. A value that most records share, as that of
`mixed-editions`, would make one partition of everything: of these, only counts and first places are divided.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple, TypeAlias

from wrs_verify import engine
from wrs_verify.engine import Options
from wrs_verify.execution.shortlist import Shortlist
from wrs_verify.groups import MAX_KEPT, Group, Grouping, Value, Values, entries, groups, place_of
from wrs_verify.model import Facts, Finding, Reference
from wrs_verify.rules.drop import GROUPINGS

__all__ = ["Judged", "Share", "judge", "judge_counted", "spread", "weight"]

_Counted: TypeAlias = dict[str, Value]

#: The grouping of which only counts are divided: every group is judged, and its key is a text of which nothing is compared.
(_COUNTED,) = {grouping for grouping in GROUPINGS.values() if grouping.when == "several"}
#: The first members of all other keys, and those that references have.
_FIRST = tuple(dict.fromkeys(grouping.key[0] for grouping in GROUPINGS.values() if grouping != _COUNTED))
_REFERRED = tuple(name for name in _FIRST if name in Reference._fields)

_NONE = Values(0, 0, ())


class Share(NamedTuple):
    """What of some facts belongs to one partition."""

    facts: list[Facts]
    counted: _Counted


class Judged(NamedTuple):
    """What was found in one partition, and its groups that have to be judged with those of all others."""

    shortlist: Shortlist
    counted: list[Group]


def weight(facts: Iterable[Facts]) -> int:
    """How much room facts take in all shares together, in units of one record's facts."""
    return sum(len(_FIRST) + len(one.references) for one in facts)


def spread(facts: Iterable[Facts], number: int) -> list[Share]:
    """Divide facts into shares, one for each of that many partitions."""
    shares = [Share([], {}) for _ in range(number)]
    for one in facts:
        places: dict[int, list[Reference]] = {place: [] for place in _places(one, _FIRST, number)}
        for reference in one.references:
            for place in _places(reference, _REFERRED, number):
                places.setdefault(place, []).append(reference)
        bare = one._replace(references=()) if one.references else one
        for place, references in places.items():
            shares[place].facts.append(one._replace(references=tuple(references)) if references else bare)
        for entry in entries(_COUNTED, one):
            _count(shares[_partition(entry.key[0], number)].counted, entry.key[0], Value(None, 1, (entry,)))
    return shares


def _places(side: Facts | Reference, names: tuple[str, ...], number: int) -> set[int]:
    return {_partition(value, number) for name in names if (value := getattr(side, name)) is not None}


def _partition(value: str | bytes, number: int) -> int:
    # Not `hash`: that of a text differs from process to process.
    return zlib.crc32(value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")) % number


def _count(counted: _Counted, key: str, value: Value) -> None:
    held = counted.get(key)
    if held:
        first = held.first
        if len(first) < MAX_KEPT or place_of(value.first[0]) < place_of(first[-1]):
            first = tuple(sorted(chain(first, value.first), key=place_of)[:MAX_KEPT])
        value = Value(None, held.times + value.times, first)
    counted[key] = value


def judge(shares: Iterable[Share], place: int, number: int, options: Options, *, complete: bool) -> Judged:
    """Check the keys of one partition.

    Args:
        shares: all shares of the partition, in any order.
        place: which partition it is, from 0.
        number: how many partitions there are.
        options: how to check.
        complete: whether all records are in the partitions.
    """
    facts: list[Facts] = []
    counted: _Counted = {}
    for share in shares:
        facts += share.facts
        for key, value in share.counted.items():
            _count(counted, key, value)

    def own(grouping: Grouping) -> Iterator[Group]:
        """Of the groups of other partitions' keys, not all is here."""
        if grouping != _COUNTED:
            yield from (group for group in groups(grouping, facts) if _partition(group.key[0], number) == place)

    shortlist = Shortlist(options.limits.max_findings)
    shortlist.extend(engine.check_drop(own, options, complete=complete))
    return Judged(shortlist, [Group((key,), Values(value.times, 1, (value,)), _NONE, 0) for key, value in counted.items()])


def judge_counted(counted: Iterable[Group], options: Options, *, complete: bool) -> Iterator[Finding]:
    """Check what needs the groups of all partitions, which are taken one by one."""
    return engine.check_drop(lambda grouping: counted if grouping == _COUNTED else (), options, complete=complete)
