"""Records whose hashes are wrong, or can't be recomputed: the hashes family of rules."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Sequence
from typing import Any

import rfc8785
from builder import REMOVE, change, digest, record, source_version, stamp, text
from cases import CONTENT, Case, Expected, altered, as_error, error, warning

RULE = "public-view-hash"
MISMATCH = error(RULE, "/version/public_view_hash")


def sha256(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def without_hash(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document["version"].items() if name != "public_view_hash"}


def stamped_with(name: str, comment: str, recorded: object, base: dict[str, Any], *findings: Any) -> Case:
    """A valid record that records this as its public view hash."""
    return altered(RULE, name, comment, {"/version/public_view_hash": recorded}, MISMATCH, *findings, base=base, stamped=False)


def wrong_recipes() -> list[Case]:
    """A right record with a hash that a plausible, wrong computation gives."""
    base = record("example-recipe", title="A t\u00eftle with \u00e9", people=["Ex\u00e9mple Author 1"])
    view, hashed = without_hash(base), base["version"]["public_view_hash"]
    compact = json.dumps(view, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    recipes = {
        "python-defaults": ("Of json.dumps with its defaults.", sha256(json.dumps(view).encode())),
        "escaped": ("Of text with escaped non-ASCII letters.", sha256(json.dumps(view, sort_keys=True, separators=(",", ":")).encode())),
        "spaces": ("Of text with spaces between the tokens.", sha256(json.dumps(view, sort_keys=True, ensure_ascii=False).encode())),
        "unsorted": ("Of names in the order of the file.", sha256(json.dumps(view, separators=(",", ":"), ensure_ascii=False).encode())),
        "newline": ("Of the canonical form and a newline.", sha256(compact.encode() + b"\n")),
        "decomposed": ("Of text in normalization form D.", sha256(unicodedata.normalize("NFD", compact).encode())),
        "hash-null": ("Of the version with its hash set to null.", digest(view | {"public_view_hash": None})),
        "hash-empty": ("Of the version with its hash set to the empty string.", digest(view | {"public_view_hash": ""})),
        "hash-left-in": ("Of the version with its right hash in it.", digest(view | {"public_view_hash": hashed})),
        "record-alone": ("Of /version/record instead of /version.", digest(view["record"])),
        "no-source-reference": (
            "Of the version without its source reference.",
            digest({name: value for name, value in view.items() if name != "source_ref"}),
        ),
        "other-algorithm": (
            "Of the right text by BLAKE2s, which has as many digits.",
            "sha256:" + hashlib.blake2s(rfc8785.dumps(view)).hexdigest(),
        ),
    }
    return [stamped_with(name, comment, recorded, base) for name, (comment, recorded) in recipes.items()]


def alterations() -> list[Case]:
    """A right hash of what the record said before it was altered. Where there are copies, the majority tells what that was."""

    def case(name: str, comment: str, changes: dict[str, Any], *findings: Any) -> Case:
        return altered(RULE, name, comment, changes, MISMATCH, *findings, stamped=False)

    title = warning("text-mismatch", "/version/record/title")
    summary = warning("text-mismatch", "/version/record/summary")
    zeros = "sha256:" + 64 * "0"
    return [
        case("no-copies", "The time of publication was altered; nothing repeats it.", {"/version/published_at": "2025-03-06T00:00:00Z"}),
        case("role", "A contributor's role was altered; nothing repeats it.", {"/version/record/contributors/1/roles/0": "formulator"}),
        case(
            "title",
            "The hashed title was altered: two copies and the statement still say what it was.",
            {"/version/record/title": "Another title"},
            title,
        ),
        altered(
            RULE,
            "source-beside-shorter-list",
            "The citation of a source was altered, and a copy of the list lacks another source: the citation can be put back all the same.",
            {"/version/record/sources/0/citation": "Example source 0", "/entry/sources/1": REMOVE},
            MISMATCH,
            warning("source-mismatch", "/entry/sources"),
            warning("source-mismatch", "/version/record/sources"),
            warning("source-mismatch", "/version/record/sources/0/citation"),
            base=record("example-shorter-list", sources=2),
            stamped=False,
        ),
        case(
            "title-and-summary",
            "Two members were altered.",
            {"/version/record/title": "Another title", "/version/record/summary": "Another summary."},
            title,
            summary,
        ),
        case(
            "statement",
            "A word of the statement's reading status was altered; nothing repeats it.",
            {"/version/record/statement": lambda text: text.replace("nobody", "somebody")},
        ),
        case(
            "statement-title",
            "The statement's heading was altered.",
            {"/version/record/statement": lambda text: text.replace("# An", "# The")},
            warning("statement-mismatch", "/version/record/statement"),
        ),
        case(
            "content-hash",
            "The hashed content hash was altered; five copies say what it was.",
            {"/version/source_ref/content_hash": zeros},
            error("target-mismatch", "/version/source_ref/content_hash"),
        ),
        case(
            "contributor",
            "A contributor's name was altered; the entry and the statement say what it was.",
            {"/version/record/contributors/0/name": "Mallory Example"},
            warning("people-mismatch", "/version/record/contributors/0/name"),
        ),
        case("space", "A space after a contributor's note.", {"/version/record/contributors/0/note": lambda text: text + " "}),
        case(
            "added-member", "A member was added to the version.", {"/version/comment": "x"}, warning("unknown-member", "/version/comment")
        ),
    ]


def recorded_wrongly() -> list[Case]:
    base = record("example-recorded")
    hashed = base["version"]["public_view_hash"]
    pointer = "/version/public_view_hash"
    form = error("schema-violation", pointer)
    return [
        stamped_with("one-digit", "One digit of the hash is another.", hashed[:-1] + ("0" if hashed[-1] != "0" else "1"), base),
        stamped_with("another-record", "The hash of another record.", record("example-another")["version"]["public_view_hash"], base),
        stamped_with(
            "content-hash-instead", "The content hash stands where the public view hash should.", base["target"]["content_hash"], base
        ),
        stamped_with(
            "upper-case", "The right digits in upper case: neither the form nor the value.", "sha256:" + hashed[7:].upper(), base, form
        ),
        stamped_with("no-prefix", "The right digits without sha256: before them.", hashed[7:], base, form),
        stamped_with("newline-after", "The right hash and a newline.", hashed + "\n", base, form),
    ]


def content_unavailable() -> list[Case]:
    family = "content-unavailable"

    def case(name: str, comment: str, base: dict[str, Any], *findings: Any, arguments: Sequence[str] = ()) -> Case:
        return altered(family, name, comment, {}, *findings, base=base, content=None, arguments=arguments)

    failed = as_error(CONTENT)
    required = ["--require-content"]
    whole = {kind: record(f"example-whole-{kind}", content=kind) for kind in ("version", "record")}
    later = {"/version/published_at": "2025-03-06T00:00:00Z"}
    return [
        case(
            "note",
            "Things were left out of the view, so that its content hash can't be recomputed: a note.",
            record("example-partial"),
            CONTENT,
        ),
        case("required", "The same record where the user requires content.", record("example-partial"), failed, arguments=required),
        case(
            "pre-publication", "--pre-publication requires content too.", record("example-partial"), failed, arguments=["--pre-publication"]
        ),
        case("strict", "--strict raises warnings, not notes.", record("example-partial"), CONTENT, arguments=["--strict"]),
        case("whole-version", "Nothing was left out: the version gives the content hash.", whole["version"], arguments=required),
        case("whole-record", "Nothing was left out: the record gives the content hash.", whole["record"], arguments=required),
        case(
            "altered-version",
            "The version was altered and stamped anew: it gives the content hash no more, which proves nothing.",
            change(whole["version"], later),
            failed,
            arguments=required,
        ),
        case(
            "envelope",
            "The record still gives the content hash: what is around it is not part of it.",
            change(whole["record"], later),
            arguments=required,
        ),
    ]


def with_source(family: str, name: str, comment: str, document: dict[str, Any], source: dict[str, Any], *findings: Expected) -> Case:
    """A record and the source version that it is compared with."""
    record_file, source_file = f"{family}/{name}.json", f"{family}/{name}.source.json"
    written = {record_file: text(document), source_file: text(source)}
    about = [finding._replace(input=record_file) for finding in findings]
    return Case(family, name, comment, written, about, ["--sources", source_file], [record_file])


def content_hashes() -> list[Case]:
    rule = "content-hash"
    base = record("example-content")
    source = source_version(base["version"])
    wrong = error(rule, "/version/source_ref/content_hash")
    unpublished = {"/submitted_by": "Example Editor Two"}
    return [
        with_source(rule, "match", "The source version gives the content hash.", base, source),
        with_source(
            rule, "unpublished-member", "Something unpublished was changed.", base, change(source, unpublished, stamped=False), wrong
        ),
        with_source(
            rule,
            "another-source",
            "The record names the content hash of another source version.",
            base,
            source_version(base["version"] | {"submitted": True}) | {"reviewed": True},
            wrong,
        ),
    ]


def altered_views() -> list[Case]:
    rule = "view-alters-source"

    def case(name: str, comment: str, pointer: str, value: Any) -> Case:
        """A source version that says otherwise at one place, and a record whose content hash is that source's."""
        base = record(f"example-{name}")
        source = change(source_version(base["version"]), {pointer: value}, stamped=False)
        del source["content_hash"]
        source["content_hash"] = digest(source)
        recorded = base["target"]["content_hash"]
        view = json.loads(json.dumps(base).replace(recorded, source["content_hash"]))
        stamp(view)
        return with_source(rule, name, comment, view, source, error(rule, f"/version{pointer}"))

    return [
        case("title", "The source version has another title, and the right hash.", "/record/title", "A title that was not published"),
        case("contributor", "The source version names another contributor.", "/record/contributors/0/name", "Example Author Nine"),
        case("removed", "The view shows a member that the source version does not have.", "/record/summary", REMOVE),
    ]


CASES: Sequence[Case] = [
    *wrong_recipes(),
    *alterations(),
    *recorded_wrongly(),
    *content_unavailable(),
    *content_hashes(),
    *altered_views(),
]
