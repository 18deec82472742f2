"""Takes out of a record what the rules of the drop need to know of it.

Everything comes from strangers: what is not of its form is left out. What is wrong with it is the business of the rules of the record.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from wrs_verify import canonical, validation
from wrs_verify.model import Facts, Json, Limits, Problem, RecordResult, Reference, Sighting
from wrs_verify.pointers import join, split
from wrs_verify.profile import PROFILES, Profile
from wrs_verify.record import Record

__all__ = ["entry_named", "facts_of", "sighting_of", "unfollowed"]

#: The form of an entry id, as the schemas have it, and how long a text is kept at most: so much is kept of every record.
_ENTRY_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,255}")
_MAX_TEXT = 256


def facts_of(record: Record, result: RecordResult, limits: Limits) -> Facts | None:
    """The facts of a record, whatever was found wrong with it.

    Args:
        record: the record.
        result: what was found out about it.
        limits: how many of the entries that it names are among them.

    Returns:
        The facts; None where the profile is not known, since nothing else is then, or where the checks broke off.
    """
    profile, document = record.profile, result.hashes.document
    if profile is None or document is None:
        return None
    target = record.at(profile.targets[0])
    # A result may take its target from an unhashed copy, which is not a fact.
    record_id, version, content_hash = _members(target) if target is not None and target is result.target else (None, None, None)
    edition, grade, said = _grade(record, profile)
    return Facts(
        result.input,
        result.line,
        profile.name,
        record.trusted,
        _bytes(document),
        record_id,
        version,
        content_hash,
        _bytes(record.public_view.computed) if record.public_view.computed else None,
        _text(result.entry_id),
        _text(record.at(profile.edition)),
        edition,
        grade,
        said,
        tuple(_references(record, profile, record_id, version, limits)),
    )


def unfollowed(record: Record, limits: Limits) -> Iterator[Problem]:
    """The problem of a record that names more entries than are among its facts."""
    room = most = limits.max_references
    for pointer, _, items in record.references:
        beyond = len(items) - room
        if beyond > 0:
            message = f"more than {most} entries are named (--max-references): of the {len(items)} here, {beyond} were not followed"
            yield Problem("too-many-references", message, pointer=pointer)
        room = max(0, -beyond)


def sighting_of(facts: Facts, data: bytes) -> Sighting | None:
    """What a history remembers of a record, given its facts and its text; None where its target or its public view are not known."""
    if facts.record_id is None or facts.version is None or facts.content_hash is None or facts.view is None:
        return None
    pointer = PROFILES[facts.profile].previous
    return Sighting(
        facts.input,
        facts.line,
        facts.profile,
        facts.record_id,
        facts.version,
        facts.content_hash,
        facts.view,
        facts.document,
        facts.edition,
        facts.grade_edition,
        facts.grade,
        facts.grade_said,
        facts.entry_id,
        next((one.content_hash for one in facts.references if one.pointer == pointer and one.version == facts.version - 1), None),
        hashlib.sha256(data).digest(),
    )


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and len(value) <= _MAX_TEXT else None


def _bytes(text: str) -> bytes:
    """The bytes of a hash as records write it."""
    return bytes.fromhex(text[7:])


def _members(triple: Json) -> tuple[str, int, bytes]:
    """The members of a target triple. Its version may be written as 1.0, which is the same number."""
    return triple["record_id"], int(triple["version"]), _bytes(triple["content_hash"])


def _grade(record: Record, profile: Profile) -> tuple[str | None, bytes | None, str | None]:
    """The grade's edition, the hash of the grade, and what it says in short."""
    grade = record.at(profile.grade)
    edition = _text(grade.get("edition")) if isinstance(grade, dict) else None
    if edition is None:
        return None, None, None
    form = canonical.form(record.document, _route(profile.grade))
    said = f"{_text(grade.get('band')) or 'no band'}{_text(grade.get('modifier')) or ''}, {_text(grade.get('points')) or 'no'} points"
    return edition, hashlib.sha256(form or b"").digest(), said


_route = lru_cache(lambda pointer: tuple(split(pointer)))


def _references(record: Record, profile: Profile, record_id: str | None, version: int | None, limits: Limits) -> Iterator[Reference]:
    """The earlier version that it refers to, if it is one of this record, and every entry that is named, once.

    Whether it is the one before is the business of `version-chain`, and what names no entry that of `unknown-reference`.
    """
    previous = record.at(profile.previous)
    if isinstance(previous, dict) and version is not None and validation.is_valid("wrs-target-triple-1", previous):
        triple = _members(previous)
        if triple[0] == record_id and triple[1] < version:
            yield Reference(profile.previous, *triple)
    seen: set[str] = set()
    items = ((pointer, index, entry_named(item, names)) for pointer, names, items in record.references for index, item in enumerate(items))
    for pointer, index, (name, entry_id) in islice(items, limits.max_references):
        if entry_id is not None and entry_id not in seen:
            seen.add(entry_id)
            yield Reference(join(*split(pointer), index, *([name] if name else [])), entry_id=entry_id)


def entry_named(item: Json, names: tuple[str, ...]) -> tuple[str | None, str | None]:
    """The member in which an item of a list names an entry, None for a text that does so itself; and the id, None where it names none.

    Args:
        item: the item.
        names: the members that may hold the id; the first that the item has is taken.
    """
    name = next((name for name in names if name in item), None) if isinstance(item, dict) else None
    said = item[name] if name else item
    return name, said if isinstance(said, str) and _ENTRY_ID.fullmatch(said) else None
