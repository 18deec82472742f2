"""Whether a record has the form that its profile gives it. The schema's own words decide which rule a violation breaks."""

from __future__ import annotations

from collections.abc import Iterator

from wrs_verify.facts import entry_named
from wrs_verify.pointers import join, split
from wrs_verify.profile import PROFILES
from wrs_verify.record import Record
from wrs_verify.rules import Found, quote, rule
from wrs_verify.rules.claims import overclaim


def _violations(record: Record, name: str) -> Iterator[Found]:
    for violation in record.violations:
        if violation.rule == name:
            yield Found(violation.pointer, violation.message, violation.expected, violation.actual)


@rule("unknown-profile", "error", unless="valid", leeway="none")
def unknown_profile(record: Record) -> Iterator[Found]:
    """The record names no profile that this version of the verifier knows.

    Why: the profile says how a record is hashed and which copies must agree. Without it nothing was checked.

    Mend: name the profile in the member `profile`; if it is newer than the verifier, install a newer version.
    """
    if record.profile is None:
        known = ", ".join(PROFILES)
        named = isinstance(record.value, dict) and "profile" in record.value
        actual = record.value["profile"] if named else None
        if named:
            message = f"the profile {quote(actual)} is not known here: nothing else was checked. Known: {known}"
        else:
            what = 'has no member "profile"' if isinstance(record.value, dict) else "is not an object"
            message = f"the record {what}, so nothing says what it should be, and nothing else was checked. Known profiles: {known}"
        yield Found("/profile" if named else "", message, sorted(PROFILES), actual)


@rule("too-many-violations", "error", unless="valid", leeway="none")
def too_many_violations(record: Record) -> Iterator[Found]:
    """The record violates its profile's schema in more than 10,000 places, at which the search for more was ended.

    Why: the rest of the record was not compared with the schema, and a record with millions of violations must not hold up a drop.

    Mend: mend what was found, and run again.
    """
    return _violations(record, "too-many-violations")


@rule("schema-violation", "error", unless="valid", leeway="place")
def schema_violation(record: Record) -> Iterator[Found]:
    """A value is not what the profile's schema allows: of another type, not of the right form, or missing.

    Why: programs that read records rely on their form, and a check can only rest on a value that is there.

    Mend: give the value the form that the message names.
    """
    return _violations(record, "schema-violation")


@rule("unknown-member", "warning", unless="valid")
def unknown_member(record: Record) -> Iterator[Found]:
    """An object has a member that the profile does not name.

    Why: nothing says what it means, and no copy protects it. It may be honest: a profile can grow.

    Mend: correct the name if it is misspelt, take the member out, or install a version that knows it.
    """
    return _violations(record, "unknown-member")


@rule("unknown-term", "warning", unless="valid")
def unknown_term(record: Record) -> Iterator[Found]:
    """A value is not one of the terms that have been seen in this place.

    Why: vocabularies grow, so the term is unfamiliar, not forged; but no rule knows what follows from it.

    Mend: correct the term if it is misspelt; else install a version that knows it, or allow it in the configuration.
    """
    claimed = {found.pointer for found in overclaim(record)}  # that a claim was never seen before says less than that it is denied
    return (found for found in _violations(record, "unknown-term") if found.pointer not in claimed)


@rule("unknown-reference", "note")
def unknown_reference(record: Record) -> Iterator[Found]:
    """An item of the related entries, or of the results that are part of a record, does not name an entry in a form that is known here.

    Why: it was not followed, and whether what it names is in the drop was not checked. No published record has such items yet, so that
    their form is a guess: an entry id, or an object with the id as a member.

    Mend: nothing, or name the entry by its id.
    """
    for pointer, names, items in record.references:
        for index, item in enumerate(items):
            if isinstance(item, str | dict) and entry_named(item, names)[1] is None:
                forms = " or ".join(("an entry id", *(f"an object with an entry id as {name}" for name in names)))
                message = f"{quote(item)} does not name an entry in a form that is known here ({forms}): it was not followed"
                yield Found(join(*split(pointer), index), message, None, item if isinstance(item, str) else None)
