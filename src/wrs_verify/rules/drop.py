"""Whether the records of a drop go together. Each rule is given the groups of its grouping, and gives one finding for a group.

In a conflict every record counts, also one whose public view hash does not match: the message says so. But such a record does not
count as being there for another that refers to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from wrs_verify.groups import MAX_KEPT, Entry, Group, Grouping, Value, Values, place_of
from wrs_verify.model import Json, Related
from wrs_verify.profile import PROFILES, Profile
from wrs_verify.rules import Found, enumerated, quote, rule

__all__ = ["ABSENCE", "GROUPINGS"]

_VERSION = ("record_id", "version")
_TARGET = (*_VERSION, "content_hash")

#: What each rule is given.
GROUPINGS: Mapping[str, Grouping] = {
    "duplicate-record": Grouping(("document",), None, "repeated"),
    "equivocation": Grouping(_VERSION, "content_hash", "differing"),
    "view-conflict": Grouping(_TARGET, "view", "differing"),
    "grade-conflict": Grouping((*_TARGET, "grade_edition"), "grade", "differing"),
    "entry-conflict": Grouping(("entry_id",), "record_id", "differing"),
    "broken-chain": Grouping(_VERSION, "content_hash", "referred"),
    "open-chain": Grouping(_VERSION, "content_hash", "referred"),
    "mixed-editions": Grouping(("edition",), None, "several"),
    "dangling-reference": Grouping(("entry_id",), None, "referred"),
}

#: The rules that say that something is not in the drop. They are silent where not all of it was looked at.
ABSENCE = frozenset({"open-chain", "dangling-reference"})

#: How many values a message names, and how many places of each.
_NAMED = 3


@rule("duplicate-record", "warning", "drop")
def duplicate_record(groups: Iterable[Group]) -> Iterator[Found]:
    """The same document is in the drop more than once.

    Two documents are the same if their canonical forms are: layout and the order of members make no difference.

    Why: a record that is counted twice weighs double in whatever is made of the drop, and one of the two will be forgotten when
    the other is corrected.

    Mend: keep one of them.
    """
    for group in groups:
        message = f"the same document is here {group.held.times} times: in {_places(group.held.first[0])}"
        yield _found(message, _some(group.held), lambda _: ("", None))


@rule("equivocation", "error", "drop")
def equivocation(groups: Iterable[Group]) -> Iterator[Found]:
    """One version of one record has two content hashes.

    Why: a version is published once. With two contents under one name, different readers are told different things, and each
    of the records is whole in itself.

    Mend: find out which content was published, and publish the other one as a version of its own.
    """
    for group in groups:
        message = f"{_version(group)} has {group.held.distinct} content hashes: {_values(group.held, _hash_of)}"
        yield _conflict(message, group, lambda entry: (_profile(entry).content_hash, _hash_of(entry)))


@rule("view-conflict", "error", "drop")
def view_conflict(groups: Iterable[Group]) -> Iterator[Found]:
    """The same target has two public views: their hashes differ, as they were computed.

    So a view that was altered under its old hash is found too.

    Why: there is one public view of a target. What one reader is shown, another is not.

    Mend: publish the same view everywhere; if the view was meant to change, take the old one out of the drop.
    """
    for group in groups:
        message = f"{_target(group)} has {group.held.distinct} public views: {_values(group.held, _hash_of)}"
        yield _conflict(message, group, _view)


def _view(entry: Entry) -> tuple[str, Json]:
    profile = _profile(entry)
    return profile.public_view_hash if entry.facts.trusted else profile.hashed, _hash_of(entry)


@rule("grade-conflict", "error", "drop")
def grade_conflict(groups: Iterable[Group]) -> Iterator[Found]:
    """The same target has two grades in one grade edition.

    Why: the grade is in no hashed part of a record, so that whoever changes it leaves hardly any trace but this one.

    Mend: publish the grade that the edition gave; a new grade needs a new edition.
    """
    for group in groups:
        said = {value.first[0].facts.grade_said for value in group.held.first}
        alike = ", which differ in other members too" if len(said) < len(group.held.first) else ""
        grades = _values(group.held, lambda entry: entry.facts.grade_said)
        message = f"{_target(group)} has {group.held.distinct} grades in the edition {quote(group.key[-1])}{alike}: {grades}"
        yield _conflict(message, group, lambda entry: (_profile(entry).grade, _hash_of(entry)))


@rule("entry-conflict", "error", "drop")
def entry_conflict(groups: Iterable[Group]) -> Iterator[Found]:
    """One entry id is given to two records.

    Why: an entry id names one thing in the catalogue. Whoever looks it up gets one of the two, and its grade.

    Mend: give one of them an entry id of its own.
    """
    for group in groups:
        message = f"the entry id {quote(group.key[0])} is given to {group.held.distinct} records: {_values(group.held, _said)}"
        found = _conflict(message, group, lambda entry: (_member(entry, "record_id"), entry.value))
        yield found._replace(pointer=_profile(_some(group.held)[0]).entry_id, actual=group.key[0])


@rule("broken-chain", "error", "drop")
def broken_chain(groups: Iterable[Group]) -> Iterator[Found]:
    """A record refers to an earlier version of itself by another content hash than that version has in the drop.

    Why: either the earlier version was replaced after the later one referred to it, or the later one does not follow from it.

    Mend: put the version that is referred to into the drop, or refer to the right one and stamp the record anew.
    """
    for group in groups:
        if group.held.times:
            hashes = _values(group.missed, _hash_of)
            message = f"{_version(group)} is referred to by the content hash {hashes}; here it has {_values(group.held, _hash_of)}"
            entries = sorted([*_some(group.missed), *_some(group.held)], key=lambda entry: entry.pointer is None)
            found = _found(message + _doubts(entries), entries, lambda entry: (_member(entry, "content_hash"), _hash_of(entry)))
            yield found._replace(expected=_hash_of(group.held.first[0].first[0]) if group.held.distinct == 1 else None)


@rule("open-chain", "note", "drop")
def open_chain(groups: Iterable[Group]) -> Iterator[Found]:
    """The earlier version that a record refers to is not in the drop, so that the chain could not be followed.

    A record whose public view hash does not match does not count as being there.

    Why: that a later version follows from the one it refers to was not checked. A drop need not hold every version.

    Mend: nothing, or verify the earlier versions together with the later ones.
    """
    for group in groups:
        if not group.held.times:
            place = _places(group.missed.first[0], group.missed.times)
            message = f"{_version(group)}, to which {place} {_refer(group)}, is not among the records that were read{_doubtful(group)}"
            yield _found(message, _some(group.missed), lambda entry: (entry.pointer or "", _triple(entry)))


def _triple(entry: Entry) -> Json:
    return {"record_id": entry.key[0], "version": entry.key[1], "content_hash": _hash_of(entry)}


@rule("mixed-editions", "warning", "drop")
def mixed_editions(groups: Iterable[Group]) -> Iterator[Found]:
    """The records of the drop are of several ratings editions.

    Why: grades of different editions cannot be compared, and a drop is published from one of them; a record of another was
    left behind, or came too early.

    Mend: publish all records from one edition, or verify the editions one by one.
    """
    count, distinct, editions = 0, 0, []
    for group in groups:
        count, distinct = count + group.held.times, distinct + 1
        editions.append(group.held.first[0]._replace(value=group.key[0]))
        if len(editions) > 2 * MAX_KEPT:
            editions = _most(editions)
    if distinct > 1:
        editions = _most(editions)
        named = [f"{quote(one.value)} in {_records(one.times)}, such as {_place(one.first[0])}" for one in editions[:_NAMED]]
        message = f"the drop mixes {distinct} ratings editions: {'; '.join(named)}{_more(distinct - len(named))}"
        examples = sorted((one.first[0] for one in editions), key=place_of)
        yield _found(message, examples, lambda entry: (_profile(entry).edition, entry.key[0]))


def _most(editions: list[Value]) -> list[Value]:
    """The editions of most records."""
    return sorted(editions, key=lambda one: (-one.times, one.value))[:MAX_KEPT]


@rule("dangling-reference", "warning", "drop")
def dangling_reference(groups: Iterable[Group]) -> Iterator[Found]:
    """A record names an entry, as related or as a result that is part of it, of which there is no record in the drop.

    A record whose public view hash does not match does not count as being there.

    Why: a reader who follows the reference finds nothing, or something that was not verified.

    Mend: put the record into the drop, or correct the entry id.
    """
    for group in groups:
        place = _places(group.missed.first[0])
        named = f"the entry {quote(group.key[0])}, which {place} {_refer(group, 'name')}"
        message = f"{named}, is that of none of the records that were read{_doubtful(group)}"
        yield _found(message, _some(group.missed), lambda entry: (entry.pointer or "", entry.key[0]))


def _conflict(message: str, group: Group, place: Callable[[Entry], tuple[str, Json]]) -> Found:
    entries = _some(group.held)
    return _found(message + _doubts(entries), entries, place)


def _found(message: str, entries: Sequence[Entry], place: Callable[[Entry], tuple[str, Json]]) -> Found:
    """The finding at the first of the entries, with the others as related places; `place` gives a pointer and the value there."""
    first, *others = entries
    pointer, actual = place(first)
    related = tuple(Related(*place(entry), entry.facts.input, entry.facts.line) for entry in others)
    return Found(pointer, message, None, actual, related, first.facts.input, first.facts.line)


def _some(values: Values) -> list[Entry]:
    """As many entries as a finding names, in order: the first of every value, and then the first others."""
    heads = [value.first[0] for value in values.first]
    others = sorted((entry for value in values.first for entry in value.first[1:]), key=place_of)
    return sorted([*heads, *others[: MAX_KEPT - len(heads)]], key=place_of)


def _values(values: Values, show: Callable[[Entry], Json]) -> str:
    """The first values, each with its first places."""
    named = [f"{quote(show(value.first[0]))} in {_places(value)}" for value in values.first[:_NAMED]]
    return "; ".join(named) + _more(values.distinct - len(named))


def _places(value: Value, count: int | None = None) -> str:
    """The first places, and how many more there are."""
    named = [_place(entry) for entry in value.first[:_NAMED]]
    more = (count or value.times) - len(named)
    if more:
        return f"{', '.join(named)} and {more} more"
    return enumerated(named)


def _place(entry: Entry) -> str:
    facts = entry.facts
    return quote(facts.input) if facts.line is None else f"{quote(facts.input)} line {facts.line}"


def _doubts(entries: Iterable[Entry]) -> str:
    """Which of the entries are of records whose public view hash does not match."""
    doubted = [entry for entry in entries if not entry.facts.trusted]
    return f"; the public view hash does not match in {_places(Value(None, len(doubted), tuple(doubted)))}" if doubted else ""


def _doubtful(group: Group) -> str:
    if not group.doubtful:
        return ""
    one = group.doubtful == 1
    return f" ({_records(group.doubtful)} would be it, but {'its' if one else 'their'} public view hash does not match)"


def _refer(group: Group, verb: str = "refer") -> str:
    return verb if group.missed.times > 1 else f"{verb}s"


def _more(number: int) -> str:
    return f"; and {number} more" if number else ""


def _records(number: int) -> str:
    return f"{number} {'record' if number == 1 else 'records'}"


def _version(group: Group) -> str:
    return f"version {group.key[1]} of the record {quote(group.key[0])}"


def _target(group: Group) -> str:
    return f"{_version(group)} with the content hash {quote(_hash(group.key[2]))}"


def _profile(entry: Entry) -> Profile:
    return PROFILES[entry.facts.profile]


def _member(entry: Entry, name: str) -> str:
    """The pointer of a member of the target triple that an entry holds or refers to."""
    triple = _profile(entry).targets[0] if entry.pointer is None else entry.pointer
    return f"{triple}/{name}"


def _said(entry: Entry) -> Json:
    return entry.value


def _hash_of(entry: Entry) -> str:
    return _hash(entry.value)


def _hash(digest: bytes) -> str:
    return f"sha256:{digest.hex()}"
