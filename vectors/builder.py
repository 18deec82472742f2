"""Builds the records of the vectors: the published shape, with placeholder content and computed hashes.

`record` gives a record in which every copy agrees; a failing case changes one thing in it with `change`. Nothing here
imports the verifier, so that the vectors can't share its mistakes.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import rfc8785

__all__ = ["REMOVE", "change", "digest", "record", "remove", "set_", "source_version", "stamp", "target", "text"]

#: As a new value in `change`: take the member away.
REMOVE = object()

EDITION = "ratings-0123456789abcdef"
GRADE_EDITION = "2025-03-10.1"
ROLE_NOTE = "Placeholder credit note: the people listed are invented, and so is what each of them did."


def digest(value: Any) -> str:
    """The SHA-256 of the RFC 8785 canonical form, as records write it: `sha256:` and lower-case hex digits."""
    return "sha256:" + hashlib.sha256(rfc8785.dumps(value)).hexdigest()


def urn(seed: str) -> str:
    """A UUID (version 4 in form) that follows from the seed, as a URN."""
    return uuid.UUID(bytes=hashlib.sha256(seed.encode()).digest()[:16], version=4).urn


def record(
    entry_id: str = "example-plain",
    *,
    title: str = "An example title",
    summary: str = "A placeholder summary of what an invented work did.",
    boundary: str = "A placeholder boundary: what the invented work did not do.",
    area: str = "Example area",
    people: int | Sequence[str] = 2,
    byline: Sequence[int] | None = None,
    sources: int | Sequence[tuple[str, str]] = 1,
    version: int = 1,
    previous: dict[str, Any] | None = None,
    graded: bool = True,
    band: str = "B",
    modifier: str | None = None,
    content: str = "source",
    related: Sequence[Any] = (),
) -> dict[str, Any]:
    """A record in which every copy agrees.

    `people` are names, or how many; `byline` the indexes of those who are contributors (all of them, if None); `sources` pairs of
    title and address, or how many. `content` says what the content hash is that of: a `source` version that holds more than is
    published, the public `version` itself, or its `record`.
    """
    names = [f"Example Author {n + 1}" for n in range(people)] if isinstance(people, int) else list(people)
    cited = (
        [(f"Example source {n + 1}", f"https://example.org/source/{n + 1}") for n in range(sources)]
        if isinstance(sources, int)
        else sources
    )
    view: dict[str, Any] = {
        "kind": "PUBLIC_RECORD_VIEW",
        "previous": previous,
        "published_at": "2025-03-05T00:00:00Z",
        "publisher": {"principal_id": urn("publisher"), "role": "WRS_EDITORIAL_PUBLICATION"},
        "record": {
            "contributors": [contributor(names[n], cited[0]) for n in (range(len(names)) if byline is None else byline)],
            "evidence": [evidence(n, source) for n, source in enumerate(cited)],
            "origin": "HUMAN_LEGACY",
            "record_profile": "wrs-local-research-notes-0.1",
            "record_type": "research_note",
            "rrp_version": "0.1",
            "scope": {"description": boundary, "domain": area},
            "sources": [citation(source) for source in cited],
            "statement": statement(title, summary, boundary, names, cited),
            "summary": summary,
            "title": title,
        },
        "record_id": urn(entry_id),
        "version": version,
    }
    triple = {"record_id": urn(entry_id), "version": version, "content_hash": content_hash(view, content)}
    view |= {"source_ref": dict(triple), "export_view": "wrs-public-editorial-view-1"}
    view["public_view_hash"] = digest(view)
    grade = published_grade(entry_id, view["record"], triple, band, modifier) if graded else None
    return {
        "profile": "wrs-published-research-view-1",
        "edition": EDITION,
        "content_trust": "UNTRUSTED_SCIENTIFIC_DATA_NOT_TOOL_INSTRUCTIONS",
        "entry": entry(entry_id, view["record"], triple, names, grade, related),
        "version": view,
        "target": dict(triple),
        "published_grade": grade,
        "canonical_agent_submission": False,
        "scientific_verification_awarded": False,
        "reader_guide": None,
        "reading_status": "SOURCE_LINKED_NOTE",
    }


def entry(
    entry_id: str, content: dict[str, Any], triple: dict[str, Any], names: list[str], grade: dict[str, Any] | None, related: Sequence[Any]
) -> dict[str, Any]:
    """The catalogue entry, with its short copy of the grade."""
    copied = ("id", "entry_id", "band", "modifier", "target", "what_changed", "scope", "status", "scientific_correctness_certified")
    return {
        "id": entry_id,
        "title": content["title"],
        "summary": content["summary"],
        "boundary": content["scope"]["description"],
        "area": content["scope"]["domain"],
        "topic": "Example topic",
        "year": 2024,
        "lane": "HUMAN",
        "result": "EMPIRICAL",
        "package_id": entry_id,
        "target": dict(triple),
        "humans": names,
        "authors_complete": True,
        "human_role_note": ROLE_NOTE,
        "agents": [],
        "related": list(related),
        "subresults": [],
        "scientific_assessment": {
            "source_review": "SOURCE_CURATED",
            "scientific_review": "NOT_REVIEWED_BY_WRS",
            "formal_replay": "NOT_RUN",
            "provider_attestation": "NONE",
        },
        "sources": [
            {"id": f"example-source-{n + 1}", "title": source["citation"], "url": source["url"]}
            for n, source in enumerate(content["sources"])
        ],
        "points": grade and grade["points"],
        "published_grade": grade and deepcopy({name: grade[name] for name in copied}),
        "assessment_disposition": {
            "status": "ASSESSED" if grade else "NOT_ASSESSED",
            "label": "Placeholder label",
            "reason": "A placeholder reason for the status.",
            "target": dict(triple),
            "edition": EDITION,
        },
    }


def published_grade(entry_id: str, content: dict[str, Any], triple: dict[str, Any], band: str, modifier: str | None) -> dict[str, Any]:
    """The grade, whose texts are made of the record's own."""
    boundary = content["scope"]["description"]
    return {
        "profile": "wrs-published-grade-1",
        "edition": GRADE_EDITION,
        "id": entry_id,
        "entry_id": entry_id,
        "revision": 1,
        "title": content["title"],
        "context": content["scope"]["domain"],
        "track": "Human-designed research method or resource",
        "band": band,
        "modifier": modifier,
        "status": "PROVISIONAL_EDITORIAL",
        "assessed_on": "2025-03-05",
        "evidence_cutoff": "2025-03-01",
        "achievement_state": "SUPPORTED_SCOPED_RESULT",
        "what_changed": content["summary"],
        "scope": f"{content['summary']} {boundary}",
        "evidence_summary": f"A placeholder sentence on the evidence. {boundary}",
        "references": [
            {"title": source["citation"], "url": source["url"], "locator": "A placeholder for the place in the source."}
            for source in content["sources"]
        ],
        "roles": [{"who": "The invented people of the placeholder sources", "credit": "SCIENCE", "did": ROLE_NOTE}],
        "target": dict(triple),
        "scientific_correctness_certified": False,
        "independent_expert_calibration": False,
        "method": "PROPRIETARY",
        "points": "65000",
    }


def citation(source: tuple[str, str]) -> dict[str, str]:
    return {"citation": source[0], "url": source[1]}


def contributor(name: str, source: tuple[str, str]) -> dict[str, Any]:
    return {
        "attribution_basis": "SOURCE_CITED",
        "credit": "historical_scientific",
        "entity_kind": "historical_person",
        "name": name,
        "note": "A placeholder note on the attribution",
        "roles": ["discoverer"],
        "source": citation(source),
    }


def evidence(number: int, source: tuple[str, str]) -> dict[str, Any]:
    description = "A placeholder description of the evidence"
    return {"description": description, "id": f"source-{number}", "kind": "source_reference", "source": citation(source)}


def statement(title: str, summary: str, boundary: str, names: Sequence[str], sources: Sequence[tuple[str, str]]) -> str:
    """The Markdown that repeats the record. The empty paragraph before the last heading stands in the published ones too."""
    links = "".join(f"- [{name}]({url})\n" for name, url in sources)
    return (
        f"# {title}\n\n{summary}\n\n"
        f"## Scientific scope\n\n{boundary}\n\n"
        "## Reading status\n\nA placeholder note, which tells nobody anything.\n\n"
        f"## People and systems\n\n{'; '.join(names)}\n\n{ROLE_NOTE}\n\n\n\n"
        f"## Original sources\n\n{links}"
    )


def source_version(view: Mapping[str, Any]) -> dict[str, Any]:
    """The source version behind a public view: more than is published, and its content hash."""
    source = {
        "record_id": view["record_id"],
        "version": view["version"],
        "record": {**view["record"], "editorial_notes": ["A placeholder note that is not published."]},
        "submitted_by": "Example Editor",
    }
    return source | {"content_hash": digest(source)}


def content_hash(view: Mapping[str, Any], content: str) -> str:
    """The content hash of a view that as yet has neither source reference nor hash."""
    if content == "source":
        return str(source_version(view)["content_hash"])
    return digest({"version": view, "record": view["record"]}[content])


def target(document: Mapping[str, Any]) -> dict[str, Any]:
    """A record's target triple, to refer to it by."""
    return dict(document["target"])


def stamp(document: dict[str, Any]) -> None:
    """Write the right public view hash into the record."""
    document["version"]["public_view_hash"] = digest(
        {name: value for name, value in document["version"].items() if name != "public_view_hash"}
    )


def parent(document: Any, pointer: str) -> tuple[Any, Any]:
    """The container that a JSON Pointer's last token is looked up in, and that token as a key or index."""
    *route, last = [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]
    for token in route:
        document = document[int(token) if isinstance(document, list) else token]
    return document, int(last) if isinstance(document, list) else last


def set_(document: Any, pointer: str, value: Any) -> None:
    """Put a value at a JSON Pointer; a member that is not there is added last."""
    container, key = parent(document, pointer)
    container[key] = value


def remove(document: Any, pointer: str) -> None:
    """Take away the member or item at a JSON Pointer."""
    container, key = parent(document, pointer)
    del container[key]


def change(document: dict[str, Any], changes: Mapping[str, Any], *, stamped: bool = True) -> dict[str, Any]:
    """A changed copy of a record: JSON Pointers to new values, to functions of the old value, or to `REMOVE`.

    Unless `stamped` is false, the copy has the right public view hash.
    """
    changed = deepcopy(document)
    for pointer, value in changes.items():
        if value is REMOVE:
            remove(changed, pointer)
        elif callable(value):
            function: Callable[[Any], Any] = value
            container, key = parent(changed, pointer)
            container[key] = function(container[key])
        else:
            set_(changed, pointer, value)
    if stamped:
        stamp(changed)
    return changed


def text(document: Any, *, indent: int | None = 2, newline: str = "\n", ascii_only: bool = False) -> bytes:
    """A document's JSON text in UTF-8, indented by `indent` spaces or (None) on a single line without any space."""
    separators = (",", ":") if indent is None else (",", ": ")
    written = json.dumps(document, indent=indent, separators=separators, ensure_ascii=ascii_only) + "\n"
    return written.replace("\n", newline).encode()
