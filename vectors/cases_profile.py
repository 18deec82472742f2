"""Records that are not of the form that their profile asks for: the profile family of rules."""

from __future__ import annotations

import json
from collections.abc import Sequence

from builder import REMOVE, change, record, text
from cases import Case, altered, as_error, error, files, note, warning


def unknown_profile() -> list[Case]:
    """Of a record whose profile is not known, nothing else is: neither what is hashed nor what must agree."""

    def no_record(name: str, comment: str, data: bytes) -> Case:
        return Case("unknown-profile", name, comment, files("unknown-profile", name, data), [error("unknown-profile", "")])

    def profile(name: str, comment: str, value: object) -> Case:
        return altered("unknown-profile", name, comment, {"/profile": value}, error("unknown-profile", "/profile"), content=None)

    return [
        profile("later", "A later profile of the same family.", "wrs-published-research-view-2"),
        profile("another", "The profile of a part stands where that of a whole record should.", "wrs-published-grade-1"),
        profile("case", "The profile's name in other letters: names are compared exactly.", "WRS-Published-Research-View-1"),
        profile("space", "A space after the name.", "wrs-published-research-view-1 "),
        profile("path", "A name that would lead out of a folder, if it were used as a file's name.", "../wrs-published-research-view-1"),
        profile("null", "No name at all.", None),
        profile("object", "Not a string.", {"name": "wrs-published-research-view-1"}),
        altered("unknown-profile", "missing", "No member profile.", {"/profile": REMOVE}, error("unknown-profile", ""), content=None),
        no_record("empty-object", "An object without members.", b"{}\n"),
        no_record("array", "A list of records is not a record.", text([record("example-in-a-list")])),
        no_record("string", "A string.", b'"wrs-published-research-view-1"\n'),
        no_record("null-document", "Null.", b"null\n"),
    ]


def schema_violation() -> list[Case]:
    rule = "schema-violation"
    points = error(rule, "/entry/points"), error(rule, "/published_grade/points")
    editions = error(rule, "/edition"), error(rule, "/entry/assessment_disposition/edition")
    both_points = ("/entry/points", "/published_grade/points")
    both_editions = ("/edition", "/entry/assessment_disposition/edition")
    return [
        altered(rule, "missing-member", "The entry has no topic.", {"/entry/topic": REMOVE}, error(rule, "/entry")),
        altered(
            rule,
            "missing-members",
            "Two members are missing in one object: two findings.",
            {"/entry/topic": REMOVE, "/entry/year": REMOVE},
            error(rule, "/entry"),
            error(rule, "/entry"),
        ),
        altered(
            rule,
            "missing-copy",
            "A triple without its version: what is not there contradicts no copy.",
            {"/target/version": REMOVE},
            error(rule, "/target"),
        ),
        altered(
            rule, "missing-hash", "No public view hash.", {"/version/public_view_hash": REMOVE}, error(rule, "/version"), stamped=False
        ),
        altered(rule, "text-for-number", "The year as a string.", {"/entry/year": "2024"}, error(rule, "/entry/year")),
        altered(rule, "fraction", "A year that is not a whole number.", {"/entry/year": 2024.5}, error(rule, "/entry/year")),
        altered(rule, "null-for-text", "A topic that is null.", {"/entry/topic": None}, error(rule, "/entry/topic")),
        altered(rule, "number-for-boolean", "1 is not true.", {"/entry/authors_complete": 1}, error(rule, "/entry/authors_complete")),
        altered(rule, "object-for-list", "An object where there must be a list.", {"/entry/agents": {}}, error(rule, "/entry/agents")),
        altered(
            rule,
            "hashed-part",
            "Roles as a string, under a right hash: a hash says nothing about form.",
            {"/version/record/contributors/0/roles": "discoverer"},
            error(rule, "/version/record/contributors/0/roles"),
        ),
        altered(rule, "constant", "The warning to readers reads otherwise.", {"/content_trust": "TRUSTED"}, error(rule, "/content_trust")),
        altered(rule, "kind", "Another kind of view.", {"/version/kind": "SOURCE_RECORD"}, error(rule, "/version/kind")),
        altered(
            rule,
            "upper-case-uuid",
            "A UUID in upper-case letters.",
            {"/version/publisher/principal_id": str.upper},
            error(rule, "/version/publisher/principal_id"),
        ),
        altered(
            rule,
            "edition",
            "An edition of 15 digits, the same in both copies.",
            dict.fromkeys(both_editions, "ratings-0123456789abcde"),
            *editions,
        ),
        altered(
            rule,
            "newline",
            "A newline after the edition: $ in a pattern may also match before it.",
            dict.fromkeys(both_editions, "ratings-0123456789abcdef\n"),
            *editions,
        ),
        altered(
            rule,
            "other-digits",
            "Points in Arabic-Indic digits, which \\d matches in some languages.",
            dict.fromkeys(both_points, "\u0661\u0662\u0663"),
            *points,
        ),
        altered(rule, "negative-points", "Points below nothing.", dict.fromkeys(both_points, "-65000"), *points),
        altered(rule, "no-points", "Points of no digits.", dict.fromkeys(both_points, ""), *points),
        altered(
            rule,
            "no-such-day",
            "The 30th of February.",
            {"/published_grade/assessed_on": "2025-02-30", "/published_grade/evidence_cutoff": "2025-02-01"},
            error(rule, "/published_grade/assessed_on"),
        ),
        altered(
            rule,
            "script-address",
            "A source at an address that a browser would run.",
            dict.fromkeys(SOURCE_ADDRESSES, "javascript:alert(1)") | {"/version/record/statement": with_address("javascript:alert(1)")},
            *[error(rule, place) for place in SOURCE_ADDRESSES],
            base=record("example-script-address", people=1),
        ),
    ]


#: Where a record of one person and one source has the source's address, the statement aside.
SOURCE_ADDRESSES = (
    "/version/record/contributors/0/source/url",
    "/version/record/evidence/0/source/url",
    "/version/record/sources/0/url",
    "/entry/sources/0/url",
    "/published_grade/references/0/url",
)


def too_many_violations() -> list[Case]:
    rule = "too-many-violations"

    def case(name: str, comment: str, pointer: str, value: object) -> Case:
        document = change(record(f"{rule}-{name}"), {pointer: value}, stamped=True)
        found = [error(rule, ""), error("too-many-findings", "")]
        return Case(rule, name, comment, files(rule, name, json.dumps(document).encode()), found, ["--max-findings", "1"])

    return [
        case("names", "10,001 numbers where names should be: the rest was not compared with the schema.", "/entry/humans", [0] * 10_001),
        case(
            "members", "10,001 members that the profile does not name.", "/entry/scientific_assessment", {f"x{n}": 0 for n in range(10_001)}
        ),
    ]


def with_address(address: str) -> object:
    return lambda statement: statement.replace("https://example.org/source/1", address)


def unknown_member() -> list[Case]:
    rule = "unknown-member"

    def case(name: str, comment: str, pointer: str, value: object = "x", arguments: Sequence[str] = (), strict: bool = False) -> Case:
        found = warning(rule, pointer)
        return altered(rule, name, comment, {pointer: value}, as_error(found) if strict else found, arguments=arguments)

    return [
        case("top", "A member of the whole record that the profile does not know.", "/comment"),
        case("hashed", "One in the record's content, which the hash covers.", "/version/record/comment"),
        case("item", "One in an item of a list.", "/entry/sources/0/publisher"),
        case("triple", "A target triple has exactly three members.", "/target/url"),
        case("escaped-pointer", "A name with a solidus and a tilde, which a JSON Pointer escapes.", "/entry/a~1b~0c"),
        case("prototype", "A name that means something to JavaScript.", "/__proto__", {"admin": True}),
        case("near-miss", "A known name in other letters.", "/entry/Title"),
        case("strict", "With --strict a warning fails.", "/comment", arguments=["--strict"], strict=True),
        altered(
            rule, "two", "Two of them in one object.", {"/comment": 1, "/remark": 2}, warning(rule, "/comment"), warning(rule, "/remark")
        ),
    ]


def unknown_term() -> list[Case]:
    rule = "unknown-term"

    def case(name: str, comment: str, pointer: str, value: object, arguments: Sequence[str] = (), strict: bool = False) -> Case:
        found = warning(rule, pointer)
        return altered(rule, name, comment, {pointer: value}, as_error(found) if strict else found, arguments=arguments)

    bands = ("/entry/published_grade/band", "/published_grade/band")
    return [
        case("result", "A kind of result that no published record shows.", "/entry/result", "THEOREM"),
        case("lower-case", "A known term in lower-case letters.", "/entry/result", "empirical"),
        case("lane", "Another lane.", "/entry/lane", "MIXED"),
        case("reading-status", "Another reading status.", "/reading_status", "FULL_GUIDE"),
        case("replay", "A formal replay that was run.", "/entry/scientific_assessment/formal_replay", "PASSED"),
        case("role", "Another role of a contributor, under the hash.", "/version/record/contributors/0/roles/0", "reviewer"),
        case("strict", "With --strict a warning fails.", "/entry/result", "THEOREM", arguments=["--strict"], strict=True),
        altered(
            rule,
            "band",
            "A band that no published record shows, in both copies.",
            dict.fromkeys(bands, "C"),
            *[warning(rule, place) for place in bands],
        ),
    ]


def unknown_reference() -> list[Case]:
    rule = "unknown-reference"

    def case(name: str, comment: str, item: object, *found: str, place: str = "/entry/related") -> Case:
        return altered(rule, name, comment, {place: [item]}, *[note(rule, each) for each in found])

    own = f"{rule}-own-id"
    return [
        case("sentence", "A sentence, which is not an entry id.", "See also the second paper.", "/entry/related/0"),
        case("other-member", "An object that names something in a member of another name.", {"entry": "example"}, "/entry/related/0"),
        case("number-for-id", "An id that is a number.", {"id": 7}, "/entry/related/0"),
        case(
            "part-with-id",
            "A part with an id, which may well be its own and not that of an entry.",
            {"id": "example-part"},
            "/entry/subresults/0",
            place="/entry/subresults",
        ),
        case("upper-case", "An entry id in upper-case letters.", own.upper(), "/entry/related/0"),
        case("own-id", "A record that names its own entry.", own),
    ]


CASES: Sequence[Case] = [
    *unknown_profile(),
    *too_many_violations(),
    *schema_violation(),
    *unknown_member(),
    *unknown_term(),
    *unknown_reference(),
]
