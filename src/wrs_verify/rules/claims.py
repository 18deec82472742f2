"""Whether a record claims more than it shows, and whether its claims go together."""

from __future__ import annotations

from collections.abc import Iterator

from wrs_verify.model import Related
from wrs_verify.record import Record
from wrs_verify.rules import Found, enumerated, quote, rule

_GRADES = ("/published_grade", "/entry/published_grade")
_DENIALS = (
    ("/entry/scientific_assessment/scientific_review", "nobody reviewed it"),
    ("/entry/scientific_assessment/formal_replay", "no formal replay was run"),
)


@rule("overclaim", "error")
def overclaim(record: Record) -> Iterator[Found]:
    """The record claims a verification, a certificate or an agent's authorship that the rest of it denies.

    Why: these claims are what a reader takes away, they stand outside the hashed part, and each is one word to forge.

    Mend: take the claim back, or publish what it rests on: the review, the replay, the agent.
    """
    awarded = record.at("/scientific_verification_awarded")
    denied = (
        [(Related(pointer, record.at(pointer)), said) for pointer, said in _DENIALS if _denies(record.at(pointer))]
        if awarded is True
        else []
    )
    if denied:
        message = f"scientific verification is claimed, but {' and '.join(said for _, said in denied)}"
        yield Found("/scientific_verification_awarded", message, False, True, tuple(related for related, _ in denied))
    for grade in _GRADES:
        pointer = f"{grade}/scientific_correctness_certified"
        if record.at(pointer) is True and awarded is not True:
            message = "the grade certifies scientific correctness, but no scientific verification was awarded"
            yield Found(pointer, message, False, True, (Related("/scientific_verification_awarded", awarded),))
    if record.at("/canonical_agent_submission") is True and record.at("/entry/lane") == "HUMAN":
        agents = record.at("/entry/agents")
        if not isinstance(agents, list) or not any(agents):
            message = "an agent's submission is claimed, but the lane is HUMAN and no agent is named"
            yield Found(
                "/canonical_agent_submission", message, False, True, (Related("/entry/lane", "HUMAN"), Related("/entry/agents", agents))
            )


def _denies(term: object) -> bool:
    """Whether an assessment says that something was not done: it says nothing, or a term such as NOT_RUN."""
    return not isinstance(term, str) or not term or term.startswith(("NOT", "NO_", "NONE", "NEVER"))


@rule("disposition-mismatch", "error")
def disposition_mismatch(record: Record) -> Iterator[Found]:
    """The disposition says that the record is assessed and a grade or the points are missing, or the other way round.

    Why: a record that is not assessed must not show a grade, and one that is must show both copies of it, so that they can be compared.

    Mend: publish the disposition together with the grades and the points that belong to it, or with none.
    """
    status = record.at("/entry/assessment_disposition/status")
    if not isinstance(status, str):
        return
    assessed = status == "ASSESSED"
    published = record.at("/published_grade")
    parts = [("/published_grade", published), ("/entry/published_grade", record.at("/entry/published_grade"))]
    parts += [("/published_grade/points", record.at("/published_grade/points"))] if published is not None else []
    parts += [("/entry/points", record.at("/entry/points"))]
    wrong = [pointer for pointer, value in parts if (value is not None) != assessed]
    if wrong:
        verb = "is" if len(wrong) == 1 else "are"
        message = f"the disposition is {quote(status)}, but {enumerated(wrong)} {verb} {'missing' if assessed else 'there'}"
        related = tuple(Related(pointer, record.at(pointer)) for pointer in wrong)
        yield Found("/entry/assessment_disposition/status", message, None, status, related)


@rule("version-chain", "error", leeway="record")
def version_chain(record: Record) -> Iterator[Found]:
    """`previous` does not refer to the same record, one version before; or it is null in a later version, or given in the first.

    Why: the chain of versions is how a reader finds what was said before, and how a gap in it is seen.

    Mend: put the target triple of the version before into `/version/previous`, and null in version 1.
    """
    view = record.at("/version")
    version = view.get("version") if isinstance(view, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or "previous" not in view:
        return
    record_id, previous = view.get("record_id"), view["previous"]
    if version == 1 and previous is None:
        return
    at = "/version/previous"
    related = (Related("/version/version", version), Related("/version/record_id", record_id))
    if version == 1 and previous is not None:
        yield Found(at, "this is version 1, but it names a version before it", None, previous, related[:1])
    elif version > 1 and previous is None:
        yield Found(at, f"this is version {version}, but it names no version before it", None, None, related[:1])
    elif isinstance(previous, dict):
        if "record_id" in previous and previous["record_id"] != record_id:
            message = f"the version before is one of another record, {quote(previous['record_id'])}, not {quote(record_id)}"
            yield Found(f"{at}/record_id", message, record_id, previous["record_id"], related[1:])
        if "version" in previous and previous["version"] != version - 1:
            message = f"this is version {version}, but the version before it is given as {quote(previous['version'])}"
            yield Found(f"{at}/version", message, version - 1, previous["version"], related[:1])


@rule("reading-status", "warning")
def reading_status(record: Record) -> Iterator[Found]:
    """The reading status says that there is only a note linked to its sources, but a reader's guide is there.

    Why: one of the two is out of date, and a reader is told that there is less than there is, or more.

    Mend: publish the status that goes with the guide, or take the guide out.
    """
    guide = record.at("/reader_guide")
    if record.at("/reading_status") == "SOURCE_LINKED_NOTE" and guide is not None:
        message = "the reading status is SOURCE_LINKED_NOTE, which goes with no reader's guide, but there is one"
        yield Found("/reading_status", message, None, "SOURCE_LINKED_NOTE", (Related("/reader_guide", guide),))


@rule("date-order", "warning")
def date_order(record: Record) -> Iterator[Found]:
    """The evidence was cut off after the assessment, or the assessment was made after the edition of the grade.

    Why: an assessment cannot rest on evidence that came after it, nor an edition hold an assessment that came after it.

    Mend: correct the date that is wrong.
    """
    cutoff, assessed = record.at("/published_grade/evidence_cutoff"), record.at("/published_grade/assessed_on")
    edition = record.at("/published_grade/edition")
    day = edition.rpartition(".")[0] if isinstance(edition, str) else None
    for (earlier, first, said), (later, second, then) in (
        (("evidence_cutoff", cutoff, "the evidence was cut off on"), ("assessed_on", assessed, "the assessment was made on")),
        (("assessed_on", assessed, "the assessment was made on"), ("edition", day, "the grade's edition is of")),
    ):
        if (record.valid or (_is_date(first) and _is_date(second))) and first is not None and second is not None and first > second:
            related = (Related(f"/published_grade/{later}", record.at(f"/published_grade/{later}")),)
            yield Found(f"/published_grade/{earlier}", f"{said} {first}, but {then} {second}, which is earlier", second, first, related)


def _is_date(value: object) -> bool:
    """Whether this is text of the form of a date, so that the order of such texts is that of the days."""
    if not isinstance(value, str) or len(value) != 10 or not value.isascii():
        return False
    return value[4] == value[7] == "-" and (value[:4] + value[5:7] + value[8:]).isdigit()
