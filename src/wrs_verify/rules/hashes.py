"""The two hashes that a record states: of the public view, which can be recomputed, and of the content, which mostly cannot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrs_verify import diagnosis
from wrs_verify.agreements import MISSING
from wrs_verify.diagnosis import UNCOMPARED, alterations
from wrs_verify.model import Json, Problem, Related
from wrs_verify.profile import Profile
from wrs_verify.record import Record
from wrs_verify.rules import Found, contrast, quote, rule

#: Altered members that a message names; the finding's related places hold all of them.
_NAMED = 5

#: How many times as long as `orjson` and SHA-256 the reference canonicalizer takes, about.
_REFERENCE_COST = 40


@rule("public-view-hash", "error", unless="trusted", leeway="none")
def public_view_hash(record: Record) -> Iterator[Found]:
    """The public view hash is not the hash of the view that it stands in.

    It is `sha256:` and the SHA-256 of the RFC 8785 canonical form of `/version` without its member `public_view_hash`.

    Why: something in `/version` was changed after it was hashed, or it was hashed by another recipe. Until it matches,
    nothing in the record can be relied on.

    Mend: if the message names the altered member, put its original value back. If the change is meant, `wrs-hash --stamp`
    writes the right hash.
    """
    check = record.public_view
    if record.profile and check.status == "mismatch":
        why, related = _explained(record, record.profile, str(check.recorded))
        yield Found(record.profile.public_view_hash, f"the public view hash does not match: {why}", check.computed, check.recorded, related)


def _explained(record: Record, profile: Profile, recorded: str) -> tuple[str, tuple[Related, ...]]:
    """Why the hash does not match, where that can be proved, and the altered members with their original values."""
    if _hex(recorded) == _hex(str(record.public_view.computed)):
        return "its digits are right, but not its form, which is sha256: and 64 lower-case hex digits", ()
    part = record.at(profile.hashed)
    search = _searched(record, profile, recorded)
    if search.alterations:
        related = tuple(Related(each.pointer, each.original) for each in search.alterations)
        return _altered(search.alterations), related
    name = diagnosis.recipe(part, profile.public_view_hash.rpartition("/")[2], recorded)
    if name is not None:
        return f"{profile.hashed} was hashed {name}; nothing in it was altered after that", ()
    said = f"either {profile.hashed} or the recorded hash was changed; what was changed cannot be proved from the copies in the record"
    given_up = (
        "" if search.exhausted else f" (the search was given up after {search.tries:,} combination{'s' * (search.tries != 1)} of copies)"
    )
    return said + given_up, ()


def _hex(text: str) -> str:
    return text.strip().lower().removeprefix("sha256:")


def _altered(alterations: Sequence[diagnosis.Alteration]) -> str:
    """Which members were altered, and what they were. What is proved is what was hashed, not who changed what."""
    if len(alterations) == 1:
        (one,) = alterations
        found, original = contrast(one.found, one.original)
        witness = f"as {one.witness} still says" if one.witness.startswith("/") else f"like {one.witness}"
        said = f"{one.pointer} was altered from {original}, {witness}, to {found}, unless the hash was replaced"
        return f"{said}. Restoring it gives the recorded hash"
    named = [f"{each.pointer} was {contrast(each.found, each.original)[1]}" for each in alterations[:_NAMED]]
    more = f", and {len(alterations) - _NAMED} more were altered" if len(alterations) > _NAMED else ""
    said = f"{len(alterations)} values were altered, unless the hash was replaced: {', '.join(named)}{more}"
    return f"{said}, as their copies show. Restoring them gives the recorded hash"


def _searched(record: Record, profile: Profile, recorded: str) -> diagnosis.Search:
    """Look for altered members: by what their copies say, and for the statement by what the other members predict."""
    choices = diagnosis.choices(record.comparisons)
    for violation in record.violations:
        if violation.keyword == "const" and violation.pointer.startswith(f"{profile.hashed}/"):
            choices.setdefault(violation.pointer, []).append((violation.expected, "the profile"))
    believed: dict[str, Json] = {}
    likely: dict[str, tuple[Json, str]] = {}
    for comparison, judgement in record.judgements:
        for copy in comparison.copies:
            if copy.pointer and not copy.part and not copy.prefix:
                believed.setdefault(copy.pointer, judgement.value)
                if copy.hashed and copy in judgement.odd:
                    likely[copy.pointer] = (judgement.value, judgement.agreeing[0].pointer or "the profile")
    rebuilt = profile.rebuilt(record.view, believed)
    if rebuilt and rebuilt[1] != record.at(rebuilt[0]):
        likely[rebuilt[0]] = (rebuilt[1], "the text that the other members predict")
        choices.setdefault(rebuilt[0], []).append(likely[rebuilt[0]])
    size = len(record.document.canonical) * (1 if record.document.plain else _REFERENCE_COST)
    return diagnosis.altered(record.view, choices, likely, lambda part: record.hash_if(profile.public_view, part) == recorded, size)


@rule("content-hash", "error", leeway="none")
def content_hash(record: Record) -> Iterator[Found]:
    """The content hash is not the hash of the source version that was supplied.

    The hash of a source version is taken like that of a public view: over its RFC 8785 canonical form without the member that
    holds the hash. That is by analogy: the publisher's own rule is not published.

    Why: the record is a view of other content than its source version, or the source version was changed after it was hashed.

    Mend: supply the source version of exactly this record and version; if it is the right one, publish the view anew.
    """
    check, source = record.content, record.source
    if record.profile is None or source is None:
        return
    stated = source.document.value.get("content_hash")
    if check.status == "match" and stated != check.computed:
        message = f"the source version {quote(source.name)} gives the recorded hash, but states {quote(stated)} itself"
        yield Found(record.profile.content_hash, message, check.computed, stated, (Related("/content_hash", stated, source.name),))
    elif check.status == "mismatch":
        own = (
            "states the recorded hash, but gives another: it was changed, or hashed by another rule"
            if stated == check.recorded
            else "gives another hash"
        )
        message = f"the content hash does not match: the source version {quote(source.name)} {own}"
        related = (Related("/content_hash", stated, source.name),)
        yield Found(record.profile.content_hash, message, check.computed, check.recorded, related)


@rule("view-alters-source", "error", leeway="none")
def view_alters_source(record: Record) -> Iterator[Found]:
    """The public view shows something that its source version does not say.

    Why: a public view may leave things out of its source, but what it shows must be what the source says. Both hashes can
    match all the same, since each is taken over its own text.

    Mend: publish the view anew from its source version.
    """
    view = record.at(record.profile.hashed) if record.profile else None
    if record.profile is None or record.source is None or not isinstance(view, dict):
        return
    source = record.source.document.value
    shown = {name: value for name, value in view.items() if name not in record.profile.view_only and (name in source or name == "record")}
    for pointer, said, found in alterations(source, shown, ""):
        if said is UNCOMPARED:
            message = f"the view shows {len(found)} more items, which were not looked for in its source version: too many were not there"
            yield Found(record.profile.hashed + pointer, message)
            continue
        expected = None if said is MISSING else said
        source_says = "does not have it" if said is MISSING else f"says {quote(said)}"
        message = f"the view shows {quote(found)}, but its source version {source_says}"
        related = (Related(pointer, expected, record.source.name),)
        yield Found(record.profile.hashed + pointer, message, expected, found, related)


@rule("unusable-source", "error", "run")
def unusable_source(problem: Problem) -> Iterator[Found]:
    """Something that was supplied with `--sources` cannot be used: it is not a source version, or not the only one of
    its record and version.

    Why: with two source versions for one target it is open which of them a view must agree with, and a record whose source cannot be
    read would pass unchecked.

    Mend: supply one source version for each record and version, and nothing else.
    """
    yield Found(problem.pointer, problem.message, problem.expected, problem.actual)


@rule("unused-source", "note", "run", leeway="none")
def unused_source(problem: Problem) -> Iterator[Found]:
    """Source versions that were supplied with `--sources` are of none of the records, by record id and version.

    It is not said of a run that did not come to its end.

    Why: the record that one was meant for is then checked without it, and its content hash is not recomputed.

    Mend: nothing, where more is supplied than is verified. Else correct the record id or the version of the source version.
    """
    yield Found(problem.pointer, problem.message, problem.expected, problem.actual)


@rule("content-unavailable", "note", leeway="none")
def content_unavailable(record: Record) -> Iterator[Found]:
    """The content hash was not recomputed, since what it is taken over is not in the public view.

    Why: a public view leaves things out of its source version. Its copies can be compared, but that the content has this
    hash is the publisher's word alone. With `--require-content` this is an error.

    Mend: supply the source versions with `--sources PATH`.
    """
    if record.profile and record.content.status == "unavailable" and record.content.recorded is not None:
        message = "the content hash was not recomputed: its input is not in the public view; --sources supplies it"
        yield Found(record.profile.content_hash.rpartition("/")[0], message)
