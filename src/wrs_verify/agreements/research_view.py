"""The table of copies of `wrs-published-research-view-1`, as FORMAT describes it: one row an agreement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

from wrs_verify import statement
from wrs_verify.agreements import MISSING, STATEMENT, Agreement, Comparison, Copy, Odd, View, judge
from wrs_verify.agreements.kinds import absent_together, getter, lists, namesakes, numbered, same
from wrs_verify.agreements.people import CONTRIBUTORS, NOTE, PEOPLE, credit, people
from wrs_verify.model import Json

__all__ = ["TABLE", "TARGETS", "rebuilt"]

#: The six target triples; the first is the hashed one.
TARGETS = (
    "/version/source_ref",
    "/target",
    "/entry/target",
    "/entry/published_grade/target",
    "/entry/assessment_disposition/target",
    "/published_grade/target",
)

_SOURCES = "/version/record/sources"
_SOURCE_LISTS = {
    _SOURCES: {"title": "/citation", "url": "/url"},
    "/version/record/evidence": {"title": "/source/citation", "url": "/source/url"},
    "/entry/sources": {"title": "/title", "url": "/url"},
    "/published_grade/references": {"title": "/title", "url": "/url"},
}
_SCOPES = ("/published_grade/scope", "/entry/published_grade/scope")
_EVIDENCE_SUMMARY = "/published_grade/evidence_summary"
_SUMMARY = same(
    "text-mismatch",
    "the summary",
    "/version/record/summary",
    "/entry/summary",
    "/published_grade/what_changed",
    "/entry/published_grade/what_changed",
    piece="summary",
)
_BOUNDARY = same("text-mismatch", "the boundary", "/version/record/scope/description", "/entry/boundary", piece="boundary")


def _target(member: str, what: str, *more: str) -> Agreement:
    return same("target-mismatch", what, *[f"{triple}/{member}" for triple in TARGETS], *more)


def _targets() -> Agreement:
    """The triples, member by member, and with them the id and the version that the hashed part itself states."""
    rows = (
        _target("record_id", "the record id", "/version/record_id"),
        _target("version", "the version", "/version/version"),
        _target("content_hash", "the content hash"),
    )
    get_first, *get_rest = [getter(triple) for triple in TARGETS]

    def holds(value: Json) -> bool:
        triple, version = get_first(value), value["version"]
        same_triple = all([get(value) == triple for get in get_rest])
        return same_triple and version["record_id"] == triple["record_id"] and bool(version["version"] == triple["version"])

    def compare(view: View) -> Iterator[Comparison | Odd]:
        for row in rows:
            yield from row.compare(view)

    return Agreement(holds, compare)


def _boundaries() -> Agreement:
    """The boundary, which also stands behind the summary in both grades' scope, and at the end of the evidence summary."""
    summary, boundary, evidence = getter("/version/record/summary"), getter("/version/record/scope/description"), getter(_EVIDENCE_SUMMARY)
    scopes = [getter(place) for place in _SCOPES]

    def holds(value: Json) -> bool:
        scope = f"{summary(value)} {boundary(value)}"
        ending: bool = evidence(value).endswith(boundary(value))
        return _BOUNDARY.holds(value) and ending and all([get(value) == scope for get in scopes])

    def compare(view: View) -> Iterator[Comparison]:
        before = next((judge(c.copies, trusted=view.trusted).value for c in _SUMMARY.compare(view) if isinstance(c, Comparison)), MISSING)
        for comparison in [each for each in _BOUNDARY.compare(view) if isinstance(each, Comparison)]:
            more = [*_scopes(view, before), *_ending(view, [copy.value for copy in comparison.copies])]
            yield comparison._replace(copies=(*comparison.copies, *more))

    return Agreement(holds, compare)


def _scopes(view: View, summary: Json) -> Iterator[Copy]:
    for place in _SCOPES:
        text = view.at(place)
        if isinstance(text, str) and isinstance(summary, str):
            prefix = f"{summary} "
            yield view.copy(place, text.removeprefix(prefix), prefix=prefix)


def _ending(view: View, boundaries: Sequence[Json]) -> Iterator[Copy]:
    text = view.at(_EVIDENCE_SUMMARY)
    if isinstance(text, str):
        ending = next((each for each in boundaries if isinstance(each, str) and each and text.endswith(each)), text)
        yield view.copy(_EVIDENCE_SUMMARY, ending, part=True)


def _contributor_sources() -> Agreement:
    """Every contributor's source is one of the record's sources."""
    contributors, sources = getter(CONTRIBUTORS), getter(_SOURCES)

    def holds(value: Json) -> bool:
        known = sources(value)
        return all(map(known.__contains__, map(itemgetter("source"), contributors(value))))

    def compare(view: View) -> Iterator[Comparison | Odd]:
        known, found = view.at(_SOURCES), view.at(CONTRIBUTORS)
        if isinstance(known, list) and isinstance(found, list):
            places = _source_places(view, len(known))
            for index, item in enumerate(found):
                source = item.get("source") if isinstance(item, dict) else None
                if isinstance(source, dict):
                    yield from _contributor_source(view, f"{CONTRIBUTORS}/{index}/source", source, len(known), places)

    return Agreement(holds, compare)


#: What the members of a contributor's source are called in the lists of sources.
_WORDS = (("citation", "title"), ("url", "url"))
#: Sources of one title or address that are looked at: a hostile record has as many as it likes.
_ALIKE = 8


def _source_places(view: View, count: int) -> Mapping[tuple[str, str], list[int]]:
    """The first indices at which each title and each address stands in any of the lists of sources."""
    found: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for index in range(count):
        for place, names in _SOURCE_LISTS.items():
            for _, word in _WORDS:
                value = view.at(f"{place}/{index}{names[word]}")
                if isinstance(value, str):
                    indices = found[word, value]
                    if len(indices) < _ALIKE and indices[-1:] != [index]:
                        indices.append(index)
    return found


def _contributor_source(
    view: View, pointer: str, source: dict[str, Json], count: int, places: Mapping[tuple[str, str], list[int]]
) -> Iterator[Comparison | Odd]:
    """Compare a contributor's source with all copies of the source that it is most like; of one source, with that."""

    def likeness(index: int) -> int:
        return sum(
            view.at(f"{place}/{index}{names[word]}") == source.get(name) for place, names in _SOURCE_LISTS.items() for name, word in _WORDS
        )

    said = [(word, value) for name, word in _WORDS if isinstance(value := source.get(name), str)]
    like = sorted({index for key in said for index in places.get(key, ())})
    index = 0 if count == 1 else max(like, key=likeness, default=None)
    if index is None:
        yield Odd(
            "source-mismatch", pointer, "this contributor's source is none of the record's sources", actual=source, related=(_SOURCES,)
        )
        return
    for name, word in _WORDS:
        pointers = [f"{place}/{index}{names[word]}" for place, names in _SOURCE_LISTS.items()]
        copies = [view.copy(at, value) for at in pointers if (value := view.at(at)) is not MISSING]
        if name in source and copies:
            yield Comparison(
                "source-mismatch", f"the {word} of a contributor's source", (*copies, view.copy(f"{pointer}/{name}", source[name]))
            )


def _statement() -> Agreement:
    """The statement repeats the other members, in order. Its title, summary, boundary, names and note are compared in their own rows."""
    record, entry = getter("/version/record"), getter("/entry")

    def holds(value: Json) -> bool:
        note, about = record(value), entry(value)
        links = [(source["citation"], source["url"]) for source in note["sources"]]
        scope = note["scope"]["description"]
        humans, credits = about["humans"], about["human_role_note"]
        return statement.repeats(note["statement"], note["title"], note["summary"], scope, humans, credits, links)

    def compare(view: View) -> Iterator[Comparison | Odd]:
        text, pieces = view.at(STATEMENT), view.pieces
        if pieces:
            yield from _unexpected(view, pieces)
            yield from _stated_sources(view, pieces)
            if not statement.is_usual(text) or statement.may_be_marked(text, pieces.links or ()):
                yield from _marked(view, pieces)
        elif isinstance(text, str):
            message = f"the statement was not checked: it has {len(text):,} characters, and is taken apart up to {statement.MAX_LENGTH:,}"
            yield Odd("statement-mismatch", STATEMENT, message)

    return Agreement(holds, compare)


def _unexpected(view: View, pieces: statement.Pieces) -> Iterator[Odd]:
    """What the statement lacks, and what it has that no other member predicts."""
    rule = "statement-mismatch"
    for said, where in (
        (pieces.title, "one heading of level 1 with the title"),
        (pieces.boundary, f'one section "{statement.SCOPE}"'),
        (pieces.people, f'one section "{statement.PEOPLE}" that names people'),
        (pieces.links, f'one section "{statement.SOURCES}" with a link a line'),
    ):
        if said is None:
            yield Odd(rule, STATEMENT, f"the statement does not have {where}")
    known = (statement.SCOPE, statement.READING, statement.PEOPLE, statement.SOURCES)
    if pieces.order != tuple(name for name in known if name in pieces.order):
        message = "the statement's sections are not the known ones, each once and in order"
        yield Odd(rule, STATEMENT, message, expected=list(known), actual=list(pieces.order))
    if pieces.before:
        yield Odd(rule, STATEMENT, "in the statement, text stands before the title", actual=pieces.before)
    defined = statement.references(view.at(STATEMENT))
    if defined:
        number = "a link reference" if len(defined) == 1 else f"{len(defined)} link references"
        message = f"the statement defines {number}, which no reader sees: where the label stands in brackets, a link is shown"
        yield Odd(rule, STATEMENT, message, actual=[f"[{label}]: {address}" for label, address in defined[:20]])
    note = view.at(NOTE)
    if view.at("/entry/agents") == [] and isinstance(note, str) and len(pieces.credit) > len(note.split("\n\n")):
        message = f'in the statement, more than names and the note on roles stands under "{statement.PEOPLE}"'
        yield Odd(rule, STATEMENT, message, expected=note, actual="\n\n".join(pieces.credit))


def _stated_sources(view: View, pieces: statement.Pieces) -> Iterator[Comparison]:
    sources = view.at(_SOURCES)
    if pieces.links is None or not isinstance(sources, list):
        return
    rule = "statement-mismatch"
    if len(sources) != len(pieces.links):
        listed = [[source.get("citation"), source.get("url")] for source in sources if isinstance(source, dict)]
        copies = view.copy(_SOURCES, listed), view.copy(STATEMENT, [list(link) for link in pieces.links], part=True)
        yield Comparison(rule, "the list of sources", copies)
        return
    for index, link in enumerate(pieces.links):
        for name, raw in (("citation", link.text), ("url", link.url)):
            pointer = f"{_SOURCES}/{index}/{name}"
            value = view.at(pointer)
            if value is not MISSING:
                copies = view.copy(pointer, value), view.stated(raw, [value])
                yield Comparison(rule, f"the {name} of source {index + 1}", copies)


def _marked(view: View, pieces: statement.Pieces) -> Iterator[Odd]:
    """Texts that the statement repeats as they are, and that a reader of it is not shown as they are: a title may be a link."""
    rule, names = "statement-mismatch", view.at(PEOPLE)
    for what, pointer, stated in (
        ("title", "/version/record/title", (pieces.title,)),
        ("summary", "/version/record/summary", (pieces.summary,)),
        ("boundary", "/version/record/scope/description", (pieces.boundary,)),
        ("note on people's roles", NOTE, (*pieces.credit, "\n\n".join(pieces.credit))),
        ("list of people", PEOPLE, (pieces.people,)),
    ):
        text = "; ".join(map(str, names)) if pointer == PEOPLE and isinstance(names, list) else view.at(pointer)
        if isinstance(text, str) and text in stated and (kinds := statement.markup(text)):
            yield Odd(rule, pointer, f"in the statement, the {what} is shown as {' and '.join(kinds)}", actual=text, related=(STATEMENT,))
    sources = view.at(_SOURCES)
    for index, (link, source) in enumerate(zip(pieces.links or (), sources if isinstance(sources, list) else (), strict=False)):
        if source == {"citation": link.text, "url": link.url} and not statement.is_one_link(link):
            message = "in the statement, this source is not shown as one link to its address"
            yield Odd(rule, f"{_SOURCES}/{index}", message, related=(STATEMENT,))


def rebuilt(view: View, believed: Mapping[str, Json]) -> tuple[str, Json] | None:
    """The statement as the believed values of the other members predict it, with its own words on the reading status.

    Args:
        believed: for the pointer of a copy, the value that is believed there.

    Returns:
        The statement's pointer and that text; None where the record lacks what it takes.
    """
    text, persons, sources = view.at(STATEMENT), view.at(PEOPLE), view.at(_SOURCES)
    if not (isinstance(text, str) and isinstance(persons, list) and isinstance(sources, list)):
        return None

    def at(pointer: str) -> Json:
        return believed.get(pointer, view.at(pointer))

    links = [(at(f"{_SOURCES}/{index}/citation"), at(f"{_SOURCES}/{index}/url")) for index in range(len(sources))]
    title, summary, scope = at("/version/record/title"), at("/version/record/summary"), at("/version/record/scope/description")
    names = [str(at(f"{PEOPLE}/{index}")) for index in range(len(persons))]
    head, tail = statement.predict(title, summary, scope, names, at(NOTE), links)
    _, _, after = text.partition(f"## {statement.READING}\n\n")
    words, found, _ = after.partition(f"\n\n## {statement.PEOPLE}\n")
    return (STATEMENT, head + words + tail) if found else None


#: In FORMAT's order: where no copy is better than another, the one that comes first here is believed.
TABLE: tuple[Agreement, ...] = (
    _targets(),
    same(
        "identity-mismatch",
        "the entry's id",
        "/entry/id",
        "/entry/package_id",
        "/entry/published_grade/id",
        "/entry/published_grade/entry_id",
        "/published_grade/id",
        "/published_grade/entry_id",
    ),
    same("edition-mismatch", "the ratings edition", "/edition", "/entry/assessment_disposition/edition"),
    same("text-mismatch", "the title", "/version/record/title", "/entry/title", "/published_grade/title", piece="title"),
    _SUMMARY,
    _boundaries(),
    same("text-mismatch", "the area", "/version/record/scope/domain", "/entry/area", "/published_grade/context"),
    lists("source-mismatch", "source", _SOURCE_LISTS),
    numbered("source-mismatch", "evidence", "/version/record/evidence", "id", "source-"),
    _contributor_sources(),
    people(),
    credit(),
    _statement(),
    namesakes("grade-mismatch", "the grade's", "/published_grade", "/entry/published_grade"),
    same("grade-mismatch", "the number of points", "/published_grade/points", "/entry/points"),
    absent_together("disposition-mismatch", "the absence of a grade", "/published_grade", "/entry/published_grade", "/entry/points"),
)
