"""Records whose copies do not agree: the agreement family of rules.

Every record here has the right public view hash, unless its comment says otherwise. Which copy is odd: those under /version are
believed, since they are hashed; between several of them, and between copies none of which is hashed, the majority is; between as
many on either side, the one that the format lists first, where the full grade goes before its
short copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from builder import record, urn
from cases import CONTENT, Case, Expected, altered, error, warning

TRIPLES = ("/target", "/entry/target", "/entry/published_grade/target", "/entry/assessment_disposition/target", "/published_grade/target")
ZEROS = "sha256:" + 64 * "0"


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
            "The grade is of other content, and so not what its short copy says: one defect, one finding.",
            "/published_grade/target/content_hash",
            ZEROS,
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
            "The grade is of another entry, and so not what its short copy says: one defect, one finding.",
            {"/published_grade/entry_id": "another"},
            error(rule, "/published_grade/entry_id"),
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
            "The grade's account of what changed is neither its short copy's nor the summary: the error is told, not the warning.",
            {"/published_grade/what_changed": "Another account."},
            "/published_grade/what_changed",
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
    *several_defects(),
]
