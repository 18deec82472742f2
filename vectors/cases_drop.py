"""Records that are well each by itself, and do not go together: the drop family of rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from builder import change, digest, record, target, text
from cases import CONTENT, Case, Expected, as_error, error, note, warning

TRIPLES = (
    "/version/source_ref",
    "/target",
    "/entry/target",
    "/entry/published_grade/target",
    "/entry/assessment_disposition/target",
    "/published_grade/target",
)
IDS = (
    "/entry/id",
    "/entry/package_id",
    *[f"{grade}/{name}" for grade in ("/entry/published_grade", "/published_grade") for name in ("id", "entry_id")],
)
EDITIONS = ("/edition", "/entry/assessment_disposition/edition")


def drop(rule: str, name: str, comment: str, documents: Sequence[dict[str, Any] | bytes], *findings: Expected, **more: Any) -> Case:
    """A case of several records: `a.json`, `b.json` and so on in a folder of its own. A finding is about the first unless it says which."""
    names = [f"{rule}/{name}/{chr(ord('a') + number)}.json" for number in range(len(documents))]
    contents = [one if isinstance(one, bytes) else text(one) for one in documents]
    given = [finding._replace(input=names["abcdef".index(finding.input or "a")]) for finding in findings]
    contents_unavailable = [CONTENT._replace(input=each) for each in names]
    return Case(
        rule, name, comment, dict(zip(names, contents, strict=True)), [*given, *contents_unavailable], inputs=[f"{rule}/{name}"], **more
    )


def other_content(document: dict[str, Any], content: str = "other") -> dict[str, Any]:
    """The same record about other content: every copy of its content hash is another."""
    return change(document, {f"{triple}/content_hash": digest(content) for triple in TRIPLES})


def with_entry(document: dict[str, Any], entry_id: str) -> dict[str, Any]:
    """The same record under another entry id."""
    return change(document, dict.fromkeys(IDS, entry_id))


def duplicate_record() -> list[Case]:
    rule = "duplicate-record"
    one, other = record(f"{rule}-1"), record(f"{rule}-2")
    found = warning(rule, "")
    return [
        drop(rule, "same-bytes", "The same file twice.", [one, one], found),
        drop(
            rule,
            "other-layout",
            "The same document on one line and indented: layout is not part of it.",
            [text(one, indent=None), one],
            found,
        ),
        drop(
            rule,
            "three-of-four",
            "One finding for three of the same; the fourth is another.",
            [other, one, one, one],
            warning(rule, "", "b"),
        ),
        drop(rule, "strict", "With --strict a warning fails.", [one, one], as_error(found), arguments=["--strict"]),
        drop(rule, "two-records", "Two records, which only look alike.", [one, other]),
    ]


def equivocation() -> list[Case]:
    rule, place = "equivocation", "/version/source_ref/content_hash"
    one = record(rule)
    other = other_content(one)
    forged = change(other, {"/version/record/summary": "A forged summary."}, stamped=False)
    hashed = error("public-view-hash", "/version/public_view_hash", "b")
    text_parted = [warning("text-mismatch", pointer, "b") for pointer in ("/version/record/summary",)]
    return [
        drop(rule, "two-contents", "One version of one record, and two contents under its name.", [one, other], error(rule, place)),
        drop(rule, "three-contents", "Three contents: one finding.", [one, other, other_content(one, "third")], error(rule, place)),
        drop(rule, "second-version", "Only the second version has two contents.", second_versions(rule), error(rule, place, "b")),
        drop(
            rule,
            "forged",
            "A record whose public view hash does not match counts all the same.",
            [one, forged],
            error(rule, place),
            hashed,
            *text_parted,
        ),
    ]


def second_versions(rule: str) -> list[dict[str, Any]]:
    first = record(f"{rule}-versions")
    second = record(f"{rule}-versions", version=2, previous=target(first), summary="A second placeholder summary.")
    return [first, second, other_content(second)]


def view_conflict() -> list[Case]:
    rule, place = "view-conflict", "/version/public_view_hash"
    one = record(rule)
    other = change(one, {"/version/published_at": "2025-03-06T00:00:00Z"})
    return [
        drop(rule, "two-views", "Two views of one target, published on two days.", [one, other], error(rule, place)),
        drop(
            rule,
            "old-hash",
            "A view that was altered under its old hash: by the recorded hashes the two are the same.",
            [one, change(one, {"/version/published_at": "2025-03-06T00:00:00Z"}, stamped=False)],
            error(rule, place),
            error("public-view-hash", place, "b"),
        ),
        drop(
            rule,
            "same-view",
            "One view in two records, whose entries differ in what no rule of the drop compares.",
            [one, change(one, {"/entry/topic": "Another topic"})],
        ),
    ]


def grade_conflict() -> list[Case]:
    rule, place = "grade-conflict", "/published_grade"
    one = record(rule)
    better = change(one, dict.fromkeys(("/published_grade/band", "/entry/published_grade/band"), "A"))
    moved = change(better, {"/published_grade/edition": "2025-03-10.2"})
    return [
        drop(rule, "two-bands", "One target, one grade edition, two bands.", [one, better], error(rule, place)),
        drop(
            rule,
            "two-points",
            "The points alone differ.",
            [one, change(one, dict.fromkeys(("/published_grade/points", "/entry/points"), "65001"))],
            error(rule, place),
        ),
        drop(rule, "new-edition", "Another grade in another grade edition.", [one, moved]),
    ]


def entry_conflict() -> list[Case]:
    rule, place = "entry-conflict", "/entry/id"
    one, other = record(f"{rule}-1"), record(f"{rule}-2")
    first = record(f"{rule}-versions")
    second = record(f"{rule}-versions", version=2, previous=target(first), summary="A second placeholder summary.")
    return [
        drop(rule, "two-records", "One entry id for two records.", [one, with_entry(other, one["entry"]["id"])], error(rule, place)),
        drop(
            rule,
            "three-records",
            "One entry id for three records: one finding.",
            [one, with_entry(other, one["entry"]["id"]), with_entry(record(f"{rule}-3"), one["entry"]["id"])],
            error(rule, place),
        ),
        drop(rule, "two-versions", "Two versions of one record have one entry id.", [first, second]),
    ]


def broken_chain() -> list[Case]:
    rule, place = "broken-chain", "/version/previous/content_hash"
    first = record(rule)
    second = record(rule, version=2, previous=target(first), summary="A second placeholder summary.")
    third = record(rule, version=3, previous=target(second), summary="A third placeholder summary.")
    broken = change(second, {"/version/previous/content_hash": digest("other")})
    return [
        drop(
            rule,
            "second",
            "The second version refers to another first version than the one that is here.",
            [first, broken],
            error(rule, place, "b"),
        ),
        drop(
            rule,
            "third",
            "The second version was replaced after the third referred to it.",
            [first, other_content(second), third],
            error(rule, place, "c"),
        ),
        drop(
            rule,
            "skipped",
            "The third version refers to the first, by another content hash than the one that is here.",
            [first, second, change(third, {"/version/previous": {**target(first), "content_hash": digest("other")}})],
            error(rule, place, "c"),
            error("version-chain", "/version/previous/version", "c"),
        ),
        drop(rule, "whole", "Three versions, each of which refers to the one before.", [third, second, first]),
    ]


def open_chain() -> list[Case]:
    rule, place = "open-chain", "/version/previous"
    first = record(rule)
    second = record(rule, version=2, previous=target(first), summary="A second placeholder summary.")
    third = record(rule, version=3, previous=target(second), summary="A third placeholder summary.")
    forged = change(first, {"/version/published_at": "2025-03-06T00:00:00Z"}, stamped=False)
    return [
        drop(rule, "alone", "A second version without the first.", [second], note(rule, place)),
        drop(rule, "gap", "The second of three versions is missing.", [first, third], note(rule, place, "b")),
        drop(
            rule,
            "skipped",
            "The third version refers to the first, which is not here.",
            [change(third, {"/version/previous": target(first)})],
            note(rule, place),
            error("version-chain", "/version/previous/version"),
        ),
        drop(rule, "whole", "Three versions, each of which refers to the one before.", [first, second, third]),
        drop(
            rule,
            "forged",
            "The first version is there, but altered under its old hash: it does not count as being there.",
            [forged, second],
            note(rule, place, "b"),
            error("public-view-hash", "/version/public_view_hash"),
        ),
    ]


def mixed_editions() -> list[Case]:
    rule, place = "mixed-editions", "/edition"
    one, two, three = (record(f"{rule}-{number}") for number in range(3))
    other = change(two, dict.fromkeys(EDITIONS, "ratings-fedcba9876543210"))
    third = change(three, dict.fromkeys(EDITIONS, "ratings-00000000000000ff"))
    return [
        drop(rule, "two", "Records of two ratings editions.", [one, other], warning(rule, place)),
        drop(rule, "three", "Records of three ratings editions: one finding.", [one, other, third], warning(rule, place)),
        drop(rule, "one", "All of one ratings edition.", [one, two, three]),
    ]


def dangling_reference() -> list[Case]:
    rule = "dangling-reference"
    there = record(f"{rule}-there")
    text_and_id: list[Any] = [there["entry"]["id"], {"id": "missing-entry"}]
    part = {"title": "A placeholder part", "entry_id": "missing-part"}

    def naming(name: str, *related: Any) -> dict[str, Any]:
        return record(f"{rule}-{name}", related=related)

    return [
        drop(
            rule,
            "related",
            "Of two related entries one is not here.",
            [there, naming("related", *text_and_id)],
            warning(rule, "/entry/related/1/id", "b"),
        ),
        drop(
            rule,
            "subresult",
            "A part that is an entry of its own is not here.",
            [change(record(f"{rule}-part"), {"/entry/subresults": [part]})],
            warning(rule, "/entry/subresults/0/entry_id"),
        ),
        drop(
            rule,
            "twice",
            "Two records name the same missing entry: one finding.",
            [naming("twice-1", "missing-entry"), naming("twice-2", "missing-entry")],
            warning(rule, "/entry/related/0"),
        ),
        drop(rule, "each-other", "Two records name each other.", [naming("1", f"{rule}-2"), naming("2", f"{rule}-1")]),
        drop(
            rule,
            "no-name",
            "Related items that name no entry.",
            [naming("no-name", {"note": "Free text"}, "A sentence, which is not an entry id.")],
            note("unknown-reference", "/entry/related/0"),
            note("unknown-reference", "/entry/related/1"),
        ),
    ]


CASES: Sequence[Case] = [
    *duplicate_record(),
    *equivocation(),
    *view_conflict(),
    *grade_conflict(),
    *entry_conflict(),
    *broken_chain(),
    *open_chain(),
    *mixed_editions(),
    *dangling_reference(),
]
