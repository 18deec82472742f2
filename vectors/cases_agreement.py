"""Records whose copies do not agree: the agreement family of rules.

Every record here has the right public view hash, unless its comment says otherwise. Which copy is odd: those under /version are
believed, since they are hashed; between several of them, and between copies none of which is hashed, the majority is; between as
many on either side, the first in FORMAT's order, where the full grade goes before its short copy.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from builder import ROLE_NOTE, record, urn
from cases import CONTENT, Case, Expected, altered, as_error, error, note, warning

STATEMENT = "/version/record/statement"
TRIPLES = ("/target", "/entry/target", "/entry/published_grade/target", "/entry/assessment_disposition/target", "/published_grade/target")
ZEROS = "sha256:" + 64 * "0"
STRICT = ["--strict"]
BEYOND = note("people-beyond-byline", "/version/record/contributors")


def swapped(text: str, other: str) -> Callable[[str], str]:
    """A change of a text that holds `text` once."""

    def replace(whole: str) -> str:
        if whole.count(text) != 1:
            raise ValueError(f"{text!r} must occur once in {whole!r}")
        return whole.replace(text, other)

    return replace


def backwards(items: list[Any]) -> list[Any]:
    return items[::-1]


def target_mismatch() -> list[Case]:
    rule = "target-mismatch"

    def case(name: str, comment: str, pointer: str, value: object, *more: Expected) -> Case:
        return altered(rule, name, comment, {pointer: value}, error(rule, pointer), *more)

    return [
        case("entry-version", "The entry is about a later version.", "/entry/target/version", 2),
        case("record-id", "The target is another record.", "/target/record_id", urn("another")),
        case("disposition-hash", "The disposition is about other content.", "/entry/assessment_disposition/target/content_hash", ZEROS),
        case(
            "grade-hash",
            "The grade is of other content, and so not what its short copy says.",
            "/published_grade/target/content_hash",
            ZEROS,
            error("grade-mismatch", "/published_grade/target/content_hash"),
        ),
        case(
            "version-id",
            "/version/record_id differs from /version/source_ref; both are hashed, and the copies side with the latter.",
            "/version/record_id",
            urn("another"),
        ),
        case(
            "true",
            "true is not 1, although some languages hold them equal.",
            "/target/version",
            True,
            error("schema-violation", "/target/version"),
        ),
        case("text", '"1" is not 1.', "/target/version", "1", error("schema-violation", "/target/version")),
        case(
            "null-triple-member",
            "A content hash that is null.",
            "/target/content_hash",
            None,
            error("schema-violation", "/target/content_hash"),
        ),
        altered(
            rule,
            "hashed-copy",
            "The hashed content hash is another: it is believed, and the other five are odd.",
            {"/version/source_ref/content_hash": ZEROS},
            *[error(rule, f"{triple}/content_hash") for triple in TRIPLES],
        ),
        altered(
            rule,
            "all-copies",
            "All copies but the hashed one say another version: five against one, and yet the one is believed.",
            {f"{triple}/version": 2 for triple in TRIPLES},
            *[error(rule, f"{triple}/version") for triple in TRIPLES],
        ),
        altered(
            rule,
            "two-members",
            "Two members of one triple: two findings.",
            {"/target/version": 2, "/target/content_hash": ZEROS},
            error(rule, "/target/version"),
            error(rule, "/target/content_hash"),
        ),
        altered(
            rule,
            "version",
            "/version/version is 2 under a right hash: the triples contradict it, and a second version must have a previous one.",
            {"/version/version": 2},
            error(rule, "/version/version"),
            error("version-chain", "/version/previous"),
        ),
    ]


def identity_mismatch() -> list[Case]:
    rule = "identity-mismatch"
    return [
        altered(rule, "entry", "The entry has another id than its five copies.", {"/entry/id": "another"}, error(rule, "/entry/id")),
        altered(rule, "package", "The package has another id.", {"/entry/package_id": "another"}, error(rule, "/entry/package_id")),
        altered(
            rule,
            "grade",
            "The grade is of another entry, and so not what its short copy says.",
            {"/published_grade/entry_id": "another"},
            error(rule, "/published_grade/entry_id"),
            error("grade-mismatch", "/published_grade/entry_id"),
        ),
        altered(
            rule,
            "both-grades",
            "Both copies of the grade are of another entry.",
            {"/published_grade/entry_id": "another", "/entry/published_grade/entry_id": "another"},
            error(rule, "/published_grade/entry_id"),
            error(rule, "/entry/published_grade/entry_id"),
        ),
        altered(
            rule,
            "not-assessed",
            "Without a grade, two ids are left: the first is believed.",
            {"/entry/package_id": "another"},
            error(rule, "/entry/package_id"),
            warning("unknown-term", "/entry/assessment_disposition/status"),
            base=record("example-no-grade", graded=False),
        ),
    ]


def grade_mismatch() -> list[Case]:
    """Two copies, neither hashed: whichever was altered, the short one is the odd one, unless other copies tell."""
    rule = "grade-mismatch"

    def case(name: str, comment: str, changes: dict[str, Any], pointer: str, *more: Expected) -> Case:
        return altered(rule, name, comment, changes, error(rule, pointer), *more)

    return [
        case("band", "A better band in the short copy.", {"/entry/published_grade/band": "A"}, "/entry/published_grade/band"),
        case(
            "full-band",
            "A better band in the full grade: nothing tells which of the two was altered.",
            {"/published_grade/band": "A"},
            "/entry/published_grade/band",
        ),
        case("modifier", "A modifier in one copy.", {"/entry/published_grade/modifier": "+"}, "/entry/published_grade/modifier"),
        case("points", "Other points in the entry.", {"/entry/points": "95000"}, "/entry/points"),
        case(
            "points-spelling",
            "Points are text: the same number with another digit before it is not the same.",
            {"/entry/points": "065000"},
            "/entry/points",
        ),
        case(
            "what-changed",
            "The grade's account of what changed is neither its short copy's nor the summary.",
            {"/published_grade/what_changed": "Another account."},
            "/published_grade/what_changed",
            warning("text-mismatch", "/published_grade/what_changed"),
        ),
        case(
            "certified",
            "The short copy alone says that the science is certified, and nothing was awarded.",
            {"/entry/published_grade/scientific_correctness_certified": True},
            "/entry/published_grade/scientific_correctness_certified",
            error("overclaim", "/entry/published_grade/scientific_correctness_certified"),
        ),
        altered(
            rule,
            "band-and-points",
            "Two members: two findings.",
            {"/entry/published_grade/band": "A", "/entry/points": "95000"},
            error(rule, "/entry/published_grade/band"),
            error(rule, "/entry/points"),
        ),
    ]


def edition_mismatch() -> list[Case]:
    rule, odd = "edition-mismatch", "/entry/assessment_disposition/edition"
    return [
        altered(rule, "disposition", "The disposition is of another edition.", {odd: "ratings-fedcba9876543210"}, error(rule, odd)),
        altered(
            rule,
            "record",
            "The record is of another edition: of two copies the first is believed.",
            {"/edition": "ratings-fedcba9876543210"},
            error(rule, odd),
        ),
    ]


def text_mismatch() -> list[Case]:
    rule = "text-mismatch"

    def case(name: str, comment: str, changes: dict[str, Any], *pointers: str, strict: bool = False) -> Case:
        found = [as_error(warning(rule, pointer)) if strict else warning(rule, pointer) for pointer in pointers or changes]
        return altered(rule, name, comment, changes, *found, arguments=STRICT if strict else ())

    accented = record("example-accents", title="Un titre accentu\u00e9")
    decomposed = unicodedata.normalize("NFD", "Un titre accentu\u00e9")
    scopes = {"/published_grade/scope": "Another scope.", "/entry/published_grade/scope": "Another scope."}
    return [
        case("entry-title", "The entry has another title.", {"/entry/title": "Another title"}),
        case("strict", "With --strict a warning fails.", {"/entry/title": "Another title"}, strict=True),
        case("grade-title", "The grade has another title.", {"/published_grade/title": "Another title"}),
        case("letter-case", "The entry's title in other letters.", {"/entry/title": "An example Title"}),
        case("space", "A space after the title.", {"/entry/title": "An example title "}),
        altered(
            rule,
            "normalization",
            "The same letters to the eye, decomposed: not the same text.",
            {"/entry/title": decomposed},
            warning(rule, "/entry/title"),
            base=accented,
        ),
        case(
            "hashed-title",
            "The hashed title is another: the statement, hashed too, sides with the copies.",
            {"/version/record/title": "Another title"},
        ),
        case(
            "title-and-statement",
            "The hashed title and the statement's heading are another: they are believed.",
            {"/version/record/title": "Another title", STATEMENT: swapped("# An example title", "# Another title")},
            "/entry/title",
            "/published_grade/title",
        ),
        case("entry-summary", "The entry has another summary.", {"/entry/summary": "Another summary."}),
        case(
            "what-changed",
            "Both grades tell of another change.",
            {"/published_grade/what_changed": "Another.", "/entry/published_grade/what_changed": "Another."},
        ),
        case("entry-boundary", "The entry has another boundary.", {"/entry/boundary": "Another boundary."}),
        case("scopes", "The scope of both grades is not the summary, a space and the boundary.", scopes),
        case(
            "evidence-summary",
            "The evidence summary does not end with the boundary.",
            {"/published_grade/evidence_summary": "A placeholder sentence on the evidence."},
        ),
        case("entry-area", "The entry is of another area.", {"/entry/area": "Another area"}),
        case("context", "The grade is of another context.", {"/published_grade/context": "Another area"}),
        altered(
            rule,
            "one-scope",
            "The scope of the full grade alone: it is also not what its short copy says.",
            {"/published_grade/scope": "Another scope."},
            warning(rule, "/published_grade/scope"),
            error("grade-mismatch", "/published_grade/scope"),
        ),
    ]


def source_mismatch() -> list[Case]:
    rule = "source-mismatch"

    def case(name: str, comment: str, changes: dict[str, Any], *pointers: str, more: Sequence[Expected] = ()) -> Case:
        found = [warning(rule, pointer) for pointer in pointers or changes]
        return altered(rule, name, comment, changes, *found, *more, base=record(f"example-{name}", people=1, sources=2))

    extra = {"id": "example-source-3", "title": "Example source 3", "url": "https://example.org/source/3"}
    leaves = ("/entry/sources/0/title", "/entry/sources/0/url", "/entry/sources/1/title", "/entry/sources/1/url")
    elsewhere = "https://example.org/elsewhere"
    return [
        case("entry-address", "The entry sends readers elsewhere.", {"/entry/sources/0/url": elsewhere}),
        case("reference-title", "The grade's reference has another title.", {"/published_grade/references/1/title": "Another source"}),
        case(
            "evidence",
            "The evidence cites another title, under a right hash.",
            {"/version/record/evidence/1/source/citation": "Another source"},
        ),
        case(
            "evidence-id",
            "The evidence is numbered from 1.",
            {"/version/record/evidence/0/id": "source-1", "/version/record/evidence/1/id": "source-2"},
        ),
        case(
            "contributor",
            "A contributor is cited from a work that is none of the sources.",
            {"/version/record/contributors/0/source": {"citation": "Another source", "url": elsewhere}},
        ),
        case(
            "contributor-address",
            "A contributor is cited from one of the sources at another address.",
            {"/version/record/contributors/0/source/url": elsewhere},
        ),
        case(
            "hashed-address",
            "The hashed address is another: evidence and statement, hashed too, side with the copies.",
            {"/version/record/sources/1/url": elsewhere},
            more=[warning("statement-mismatch", "/version/record/sources/1/url")],
        ),
        case("fewer", "The entry has one source only.", {"/entry/sources": lambda items: items[:1]}),
        case("more", "The entry has a source more.", {"/entry/sources": lambda items: [*items, extra]}),
        case("order", "The entry has the sources in the opposite order.", {"/entry/sources": backwards}, *leaves),
    ]


def people_mismatch() -> list[Case]:
    rule = "people-mismatch"
    three = record("example-three", people=3)
    beyond = record("example-beyond", people=3, byline=range(2))

    def case(
        name: str, comment: str, changes: dict[str, Any], *pointers: str, base: dict[str, Any] = three, more: Sequence[Expected] = ()
    ) -> Case:
        return altered(rule, name, comment, changes, *[warning(rule, pointer) for pointer in pointers or changes], *more, base=base)

    def added(items: list[Any]) -> list[Any]:
        return [*items, {**items[0], "name": "Mallory Example"}]

    def exchanged(items: list[Any]) -> list[Any]:
        return [items[1], items[0], *items[2:]]

    return [
        case("entry-name", "The entry names another person.", {"/entry/humans/1": "Mallory Example"}),
        case("spelling", "A space more in a name.", {"/entry/humans/1": "Example  Author 2"}),
        case("left-out", "The entry leaves out the last person.", {"/entry/humans": lambda names: names[:-1]}),
        case("smuggled-in", "The entry names a person more.", {"/entry/humans": lambda names: [*names, "Mallory Example"]}),
        case(
            "order",
            "The entry names the first two people in the other order.",
            {"/entry/humans": exchanged},
            "/entry/humans/0",
            "/entry/humans/1",
        ),
        case(
            "contributor",
            "A contributor is none of the people; the statement, hashed too, sides with the entry.",
            {"/version/record/contributors/1/name": "Mallory Example"},
        ),
        case(
            "contributor-order",
            "The first two contributors stand in the other order: the second is out of it.",
            {"/version/record/contributors": exchanged},
            "/version/record/contributors/1/name",
        ),
        case(
            "contributor-added",
            "A fourth contributor is none of the three people.",
            {"/version/record/contributors": added},
            "/version/record/contributors/3/name",
        ),
        case(
            "statement",
            "The statement names another person than entry and contributors.",
            {STATEMENT: swapped("Example Author 2", "Mallory Example")},
        ),
        case(
            "beyond-byline",
            "The statement names another person beyond the contributors: it is hashed, the entry is not.",
            {STATEMENT: swapped("Example Author 3", "Mallory Example")},
            "/entry/humans/2",
            base=beyond,
            more=[BEYOND],
        ),
    ]


def people_beyond_byline() -> list[Case]:
    family = "people-beyond-byline"

    def case(name: str, comment: str, byline: Sequence[int], *findings: Expected, arguments: Sequence[str] = ()) -> Case:
        return altered(family, name, comment, {}, *findings, base=record("example-byline", people=12, byline=byline), arguments=arguments)

    return [
        case("last", "The last person of twelve is no contributor.", range(11), BEYOND),
        case("between", "Only the second, the fifth and the eleventh are contributors, in this order.", (1, 4, 10), BEYOND),
        case("strict", "--strict raises warnings, not notes.", range(11), BEYOND, arguments=STRICT),
        case("all", "Everybody is a contributor: nothing to note.", range(12)),
    ]


def credit_mismatch() -> list[Case]:
    rule = "credit-mismatch"
    note, did = "/entry/human_role_note", "/published_grade/roles/0/did"

    def case(name: str, comment: str, changes: dict[str, Any], *pointers: str) -> Case:
        return altered(rule, name, comment, changes, *[warning(rule, pointer) for pointer in pointers or changes])

    second = {"who": "Somebody else", "credit": "SCIENCE", "did": "All of it."}
    return [
        case("entry", "The entry has another note than the grade and the statement.", {note: "Another note."}),
        case("role", "The grade's role says another thing.", {did: "All of it."}),
        case(
            "second-role",
            "A second role says another thing.",
            {"/published_grade/roles": lambda roles: [*roles, second]},
            "/published_grade/roles/1/did",
        ),
        case(
            "statement",
            "The statement has another note: it is hashed, the other two are not.",
            {STATEMENT: swapped(ROLE_NOTE, "Another note.")},
            note,
            did,
        ),
        altered(
            rule,
            "not-assessed",
            "Without a grade the statement alone repeats the note.",
            {note: "Another note."},
            warning(rule, note),
            warning("unknown-term", "/entry/assessment_disposition/status"),
            base=record("example-no-grade", graded=False),
        ),
    ]


def statement_mismatch() -> list[Case]:
    rule = "statement-mismatch"

    def case(name: str, comment: str, alteration: Callable[[str], str]) -> Case:
        return altered(rule, name, comment, {STATEMENT: alteration}, warning(rule, STATEMENT), base=record(f"example-{name}", sources=2))

    def sources_first(text: str) -> str:
        start, scope, rest = text.partition("## Scientific scope")
        between, sources, links = rest.partition("## Original sources")
        return f"{start}{sources}{links}\n{scope}{between}"

    second = "- [Example source 2](https://example.org/source/2)\n"
    return [
        case("title", "The heading is another title.", swapped("# An example title", "# Another title")),
        case("no-heading", "The title is no heading.", swapped("# An example title", "An example title")),
        case("summary", "The summary is another.", swapped("A placeholder summary", "Another placeholder summary")),
        case("boundary", "The boundary is another.", swapped("A placeholder boundary", "Another placeholder boundary")),
        case("scope-heading", "The boundary stands under another heading.", swapped("## Scientific scope", "## Scope")),
        altered(
            rule,
            "scope-in-code",
            "The heading of the boundary stands in a block of code: there is no such section, and the summary goes on with it.",
            {STATEMENT: swapped("## Scientific scope", "    ## Scientific scope")},
            warning(rule, STATEMENT),
            warning(rule, STATEMENT),
        ),
        case("link-address", "A link leads elsewhere.", swapped("https://example.org/source/1", "https://example.org/elsewhere")),
        case("link-text", "A link reads otherwise.", swapped("[Example source 2]", "[Another source]")),
        case("link-left-out", "The second source is left out.", swapped(second, "")),
        case("link-added", "A third link is no source.", swapped(second, second + "- [More](https://example.org/more)\n")),
        case("section-order", "The sources stand before the scope.", sources_first),
    ]


def several_defects() -> list[Case]:
    """One defect hides no other."""
    changes = {
        "/comment": "x",
        "/entry/year": "2024",
        "/entry/result": "THEOREM",
        "/entry/title": "Another title",
        "/entry/points": "95000",
        "/target/version": 2,
        "/entry/package_id": "another",
        "/entry/humans/0": "Mallory Example",
        "/version/published_at": "2025-03-06T00:00:00Z",
    }
    findings = [
        warning("unknown-member", "/comment"),
        error("schema-violation", "/entry/year"),
        warning("unknown-term", "/entry/result"),
        warning("text-mismatch", "/entry/title"),
        error("grade-mismatch", "/entry/points"),
        error("target-mismatch", "/target/version"),
        error("identity-mismatch", "/entry/package_id"),
        warning("people-mismatch", "/entry/humans/0"),
        error("public-view-hash", "/version/public_view_hash"),
        CONTENT,
    ]
    return [
        altered(
            "several-defects",
            "one-record",
            "Nine defects of nine rules in one record: nine findings.",
            changes,
            *findings,
            stamped=False,
            content=None,
        ),
    ]


CASES: Sequence[Case] = [
    *target_mismatch(),
    *identity_mismatch(),
    *grade_mismatch(),
    *edition_mismatch(),
    *text_mismatch(),
    *source_mismatch(),
    *people_mismatch(),
    *people_beyond_byline(),
    *credit_mismatch(),
    *statement_mismatch(),
    *several_defects(),
]
