"""Records that claim more than they show, or whose statements about themselves do not fit together: the claims family of rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from builder import record, target, text, urn
from cases import CONTENT, Case, Expected, altered, as_error, error, warning

STATUS = "/entry/assessment_disposition/status"
GRADES = ("/entry/published_grade", "/published_grade")


def overclaim() -> list[Case]:
    rule = "overclaim"
    awarded, submitted = "/scientific_verification_awarded", "/canonical_agent_submission"
    certified = [f"{grade}/scientific_correctness_certified" for grade in GRADES]
    reviewed = "/entry/scientific_assessment/scientific_review"
    return [
        altered(
            rule,
            "awarded",
            "Verified, although nobody reviewed it and nothing was replayed: that the term is unfamiliar too is not said apart.",
            {awarded: True},
            error(rule, awarded),
        ),
        altered(
            rule,
            "reviewed-not-replayed",
            "Verified after a review, although no formal replay was run.",
            {awarded: True, reviewed: "REVIEWED"},
            error(rule, awarded),
            warning("unknown-term", reviewed),
        ),
        altered(
            rule,
            "certified",
            "Both grades certify correctness, although no verification was awarded.",
            dict.fromkeys(certified, True),
            *[error(rule, place) for place in certified],
        ),
        altered(
            rule,
            "certified-and-awarded",
            "Verified and certified: the one that nothing shows is the verification.",
            dict.fromkeys((*certified, awarded), True),
            error(rule, awarded),
        ),
        altered(
            rule,
            "agent",
            "Submitted by an agent, in the human lane and without one agent named.",
            {submitted: True},
            error(rule, submitted),
        ),
        altered(
            rule,
            "never-run",
            "Verified, with terms of its own for what was not done.",
            {awarded: True, reviewed: "NEVER_REVIEWED", "/entry/scientific_assessment/formal_replay": "NONE_RUN"},
            error(rule, awarded),
            warning("unknown-term", reviewed),
            warning("unknown-term", "/entry/scientific_assessment/formal_replay"),
        ),
        altered(
            rule,
            "nameless-agent",
            "Submitted by an agent whose name is empty.",
            {submitted: True, "/entry/agents": [""]},
            error(rule, submitted),
        ),
    ]


def disposition_mismatch() -> list[Case]:
    rule = "disposition-mismatch"
    nothing: dict[str, Any] = dict.fromkeys((*GRADES, "/entry/points"))
    unknown = warning("unknown-term", STATUS)
    bare = record("example-not-assessed", graded=False)
    return [
        altered(rule, "nothing-assessed", "Assessed, without grades and points.", nothing, error(rule, STATUS)),
        altered(rule, "one-grade", "Assessed, without the short copy of the grade.", {"/entry/published_grade": None}, error(rule, STATUS)),
        altered(
            rule, "assessed-in-secret", "Not assessed, with grades and points.", {STATUS: "NOT_ASSESSED"}, error(rule, STATUS), unknown
        ),
        altered(
            rule,
            "points-alone",
            "Not assessed, without grades, and yet with points.",
            {"/entry/points": "65000"},
            error(rule, STATUS),
            unknown,
            base=bare,
        ),
    ]


def version_chain() -> list[Case]:
    rule = "version-chain"
    first = record("example-chain")
    second = record("example-chain", version=2, previous=target(first), summary="A second placeholder summary.")

    def case(name: str, comment: str, document: dict[str, Any], pointer: str) -> Case:
        """The first version is given too, so that the later one refers to nothing that is not there."""
        names = [f"{rule}/first.json", f"{rule}/{name}.json"]
        contents = dict(zip(names, map(text, (first, document)), strict=True))
        notes = [CONTENT._replace(input=given) for given in names]
        return Case(rule, name, comment, contents, [error(rule, pointer, names[1]), *notes])

    def later(number: int, /, **changes: object) -> dict[str, Any]:
        return record("example-chain", version=number, previous={**target(first), **changes}, summary="A later placeholder summary.")

    return [
        case("no-previous", "A second version without a previous one.", record("example-chain", version=2), "/version/previous"),
        case("skipped", "The third version refers to the first.", later(3), "/version/previous/version"),
        case("itself", "The second version refers to a second version.", later(2, version=2), "/version/previous/version"),
        altered(
            rule,
            "first-with-previous",
            "A first version with a previous one.",
            {"/version/previous": {**target(first), "record_id": urn("example-first")}},
            error(rule, "/version/previous"),
            base=record("example-first"),
        ),
        case(
            "another-record",
            "The second version refers to another record.",
            later(2, record_id=urn("another")),
            "/version/previous/record_id",
        ),
        Case(
            rule,
            "right",
            "The second version refers to the first.",
            {f"{rule}/first.json": text(first), f"{rule}/right.json": text(second)},
            [CONTENT._replace(input=f"{rule}/{name}.json") for name in ("first", "right")],
        ),
    ]


def reading_status() -> list[Case]:
    rule, guide = "reading-status", "/reader_guide"
    unknown = warning("unknown-term", guide)

    def case(name: str, comment: str, value: object) -> Case:
        return altered(rule, name, comment, {guide: value}, warning(rule, "/reading_status"), unknown)

    return [
        case("guide", "There is a guide, and the status says that there is only a note.", {"title": "A placeholder guide"}),
        case("guide-text", "The guide is a text.", "A placeholder guide"),
        altered(
            rule,
            "strict",
            "With --strict a warning fails.",
            {guide: "A placeholder guide"},
            as_error(warning(rule, "/reading_status")),
            as_error(unknown),
            arguments=["--strict"],
        ),
    ]


def date_order() -> list[Case]:
    rule = "date-order"
    assessed, cutoff, edition = (f"/published_grade/{name}" for name in ("assessed_on", "evidence_cutoff", "edition"))

    def case(name: str, comment: str, changes: dict[str, Any], *findings: Expected, arguments: Sequence[str] = ()) -> Case:
        return altered(rule, name, comment, changes, *findings, arguments=arguments)

    late = {cutoff: "2025-03-06"}
    return [
        case("cutoff", "Evidence of a day after the assessment.", late, warning(rule, cutoff)),
        case("strict", "With --strict a warning fails.", late, as_error(warning(rule, cutoff)), arguments=["--strict"]),
        case("assessment", "Assessed after the day of the grade's edition.", {assessed: "2025-03-11"}, warning(rule, assessed)),
        case(
            "both",
            "Evidence after the assessment, and that after the edition.",
            {cutoff: "2025-03-12", assessed: "2025-03-11"},
            warning(rule, cutoff),
            warning(rule, assessed),
        ),
        case("one-day", "All on one day: no day is after another.", {cutoff: "2025-03-10", assessed: "2025-03-10"}),
        case("counter", "The edition's counter is not a part of its date.", {edition: "2025-03-05.12"}),
    ]


CASES: Sequence[Case] = [*overclaim(), *disposition_mismatch(), *version_chain(), *reading_status(), *date_order()]
