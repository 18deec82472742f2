"""Whether the copies of a value in a record agree. All of these read the table of copies that the record's profile declares."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from wrs_verify.agreements import Comparison, Copy, Judgement
from wrs_verify.agreements.people import CONTRIBUTORS, PEOPLE
from wrs_verify.model import Json, Related
from wrs_verify.record import Record
from wrs_verify.rules import Found, contrast, quote, rule, rules

#: Agreeing and differing copies that a finding is related to at most; its message counts all of them.
_MAX_RELATED, _MAX_ODD = 16, 4


def _differences(record: Record, name: str) -> Iterator[Found]:
    for odd in record.odds:
        if odd.rule == name:
            related = tuple(Related(pointer, _small(record.at(pointer))) for pointer in odd.related)
            yield Found(odd.pointer, odd.message, odd.expected, odd.actual, related)
    told = set()
    tellers = _tellers(record)
    for comparison, judgement in record.judgements:
        others = tuple(Related(copy.pointer, copy.value) for copy in judgement.agreeing[:_MAX_RELATED] if copy.pointer is not None)
        for copy in judgement.odd:
            ours = (copy.rule or comparison.rule) == name and tellers.get(copy.pointer, name) == name
            if ours and copy.pointer is not None and copy.pointer not in told:
                more = [Related(odd.pointer, odd.value) for odd in judgement.odd[:_MAX_ODD] if odd.pointer not in (None, copy.pointer)]
                yield _difference(record, comparison, judgement, copy, (*others, *more))
                if not copy.part:
                    told.add(copy.pointer)


def _tellers(record: Record) -> dict[str | None, str]:
    """For each whole value that differs from a copy, the rule that says so: one defect, where several rules compare the value.

    It is the first of the table, but an error before a warning.
    """
    tellers: dict[str | None, str] = {}
    for comparison, judgement in record.judgements:
        for copy in judgement.odd:
            name = copy.rule or comparison.rule
            if not copy.part and (copy.pointer not in tellers or (_is_error(name) and not _is_error(tellers[copy.pointer]))):
                tellers[copy.pointer] = name
    return tellers


def _is_error(name: str) -> bool:
    return rules()[name].level == "error"


def _small(value: Json) -> Json:
    """A value that is not worth repeating for each finding is left out."""
    return None if isinstance(value, list | dict) else value


def _difference(record: Record, comparison: Comparison, judgement: Judgement, odd: Copy, related: tuple[Related, ...]) -> Found:
    expected = odd.prefix + judgement.value if odd.prefix else judgement.value
    shown, believed = contrast(odd.value, judgement.value)
    where = "in the statement" if odd.part and odd.hashed else "here"
    if odd.part and not odd.hashed:
        said = f"this text does not end with {comparison.what}"
        expected = judgement.value
    elif odd.prefix:
        said = f"this is not the summary, a space and {comparison.what}"
    elif isinstance(odd.value, list) and isinstance(judgement.value, list):
        said, believed = f"{comparison.what} {_listed(odd.value, judgement.value)} {where}", "not so"
    else:
        said = f"{comparison.what} is {shown} {where}"
    message = f"{said}, but {_support(record, judgement, believed, len(comparison.copies))}{_alike(odd.value, judgement.value)}"
    return Found(odd.pointer, message, expected, record.at(odd.pointer or ""), related)


def _listed(found: list[Json], believed: list[Json]) -> str:
    """How a list differs from another."""
    ours, theirs = set(map(repr, found)), set(map(repr, believed))  # a search in the lists would take their lengths multiplied
    more, fewer = [item for item in found if repr(item) not in theirs], [item for item in believed if repr(item) not in ours]
    parts = [f"{verb} {quote(items[0])}{_and_more(len(items) - 1)}" for verb, items in (("has", more), ("lacks", fewer)) if items]
    return " and ".join(parts) or f"has {len(found)} items, in another order or some of them twice,"


def _and_more(number: int) -> str:
    return f" and {number} more" if number else ""


def _alike(one: Json, other: Json) -> str:
    """What to say of two texts that look alike."""
    same = isinstance(one, str) and isinstance(other, str) and unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)
    return "; they look alike, and differ only in Unicode normalization" if same else ""


def _support(record: Record, judgement: Judgement, value: str, total: int) -> str:
    """What is believed, and why."""
    agreeing = judgement.agreeing
    if any(copy.pointer is None for copy in agreeing):
        return f"the profile says {value}"
    hashed = next((copy for copy in agreeing if copy.hashed), None)
    others = len(agreeing) - 1
    more = f" and {others} more {'copies' if others > 1 else 'copy'}" if others else ""
    if record.trusted and hashed:
        return f"{value} in the hashed {hashed.pointer}{more}"
    if total == 2:
        return f"{value} in {agreeing[0].pointer}: nothing in the record tells which of the two is right"
    return f"{value} in {len(agreeing)} of {total} copies, {agreeing[0].pointer} among them"


@rule("target-mismatch", "error", unless="agrees", leeway="none")
def target_mismatch(record: Record) -> Iterator[Found]:
    """A target triple (record id, version, content hash) is not the one that the record is about.

    Why: the entry, the grade and the disposition each say which exact content they are about. Where one names another, a
    judgement on one record is shown with the content of another.

    Mend: correct the copy that the message names; the hashed `/version/source_ref` is the one to believe.
    """
    return _differences(record, "target-mismatch")


@rule("identity-mismatch", "error", unless="agrees")
def identity_mismatch(record: Record) -> Iterator[Found]:
    """The entry's id is not the same wherever the entry, its package and its grades give it.

    Why: the grade of one entry is shown with another. No hash covers the id, so its copies are all that protects it.

    Mend: correct the copy that the message names.
    """
    return _differences(record, "identity-mismatch")


@rule("grade-mismatch", "error", unless="agrees")
def grade_mismatch(record: Record) -> Iterator[Found]:
    """The entry's copy of the grade, or its points, differ from the published grade.

    Why: no hash covers a grade. Whoever raises a band in one place is found by the other.

    Mend: publish both grades from one source.
    """
    return _differences(record, "grade-mismatch")


@rule("edition-mismatch", "error", unless="agrees")
def edition_mismatch(record: Record) -> Iterator[Found]:
    """The record and its disposition name different ratings editions.

    Why: the disposition is that of another edition than the one that the record is published in.

    Mend: publish the disposition of the record's own edition.
    """
    return _differences(record, "edition-mismatch")


@rule("text-mismatch", "warning", unless="agrees")
def text_mismatch(record: Record) -> Iterator[Found]:
    """The title, summary, boundary or area differs from its hashed copy.

    Why: the entry and the grade are not hashed; what they show of the record is only protected by agreeing with it. Two
    editions of one text can part honestly, so this is a warning.

    Mend: copy the text from the hashed record.
    """
    return _differences(record, "text-mismatch")


@rule("source-mismatch", "warning", unless="agrees")
def source_mismatch(record: Record) -> Iterator[Found]:
    """The sources are not the same in the record, its evidence, the entry and the grade, or a contributor cites none of them.

    Why: readers follow the links of the entry, which is not hashed.

    Mend: copy titles and addresses from the hashed record, in the same order.
    """
    return _differences(record, "source-mismatch")


@rule("people-mismatch", "warning", unless="agrees")
def people_mismatch(record: Record) -> Iterator[Found]:
    """The people of the entry are not those of the hashed statement, or a contributor is none of them.

    Why: who is credited is shown from the entry, which is not hashed.

    Mend: name the same people in the same order, in the statement joined with `; `.
    """
    return _differences(record, "people-mismatch")


@rule("people-beyond-byline", "note")
def people_beyond_byline(record: Record) -> Iterator[Found]:
    """The entry and the statement name more people than the record has contributors.

    Why: it is allowed, as where a later version of a work has more authors; but those people have no role and no source in
    the hashed record.

    Mend: nothing need be done.
    """
    if any(copy.pointer == PEOPLE for _, judgement in record.judgements for copy in judgement.odd):
        return  # how many people there are is itself in question
    people, contributors = record.at(PEOPLE), record.at(CONTRIBUTORS)
    if isinstance(people, list) and isinstance(contributors, list) and len(people) > len(contributors):
        more = len(people) - len(contributors)
        noun = "person" if len(people) == 1 else "people"
        message = f"the entry names {len(people)} {noun}, {more} more than the {len(contributors)} contributors of the hashed record"
        yield Found(CONTRIBUTORS, message)


@rule("credit-mismatch", "warning", unless="agrees")
def credit_mismatch(record: Record) -> Iterator[Found]:
    """The note on people's roles is not the same in the entry, the grade's roles and the statement.

    Why: it says how far the names are to be relied on, and only the statement is hashed.

    Mend: copy the note from the statement's section "People and systems".
    """
    return _differences(record, "credit-mismatch")


@rule("statement-mismatch", "warning", unless="agrees")
def statement_mismatch(record: Record) -> Iterator[Found]:
    """The statement does not repeat the record's title, summary, boundary and sources, in order.

    Also where it repeats them, but a reader is shown one of these texts, or a name, as a link, a picture, HTML or a heading (CommonMark),
    and where it defines a link reference, which makes a link of text elsewhere.

    Why: people read the statement, programs the members: both must be told the same. A title that is a link leads its readers to
    a place that no member names.

    Mend: write the statement anew from the members, and take the markup out of these.
    """
    return _differences(record, "statement-mismatch")
