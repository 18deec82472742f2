"""What a history consists of: runs, and what each saw for the first time or saw changed. As rows, and as the text of leaves.

A leaf's text is the canonical form (RFC 8785) of a JSON object, and a line of `wrs-history export`: so whoever has an export can work
out the root without this program.
"""

from __future__ import annotations

from typing import NamedTuple

import orjson

from wrs_verify.model import Json, Sighting

__all__ = ["ENTRY_COLUMNS", "RUN_COLUMNS", "SEEN", "Run", "Seen", "entry_text", "run_text"]


class Run(NamedTuple):
    """A run that added to the history. `leaf` is its place in the tree; its entries follow it.

    `records` is how many entries it added, and `checked` in how many records of how many it was. With `--complete-drop`,
    `drop_records` and `drop_hash` state which record ids there were: their number, and the hash of the sorted ids, a line each.
    """

    leaf: int
    number: int
    time: str
    tool: str
    records: int
    checked: int
    drop_records: int | None
    drop_hash: bytes | None


class Seen(NamedTuple):
    """An entry: a version of a record, as it was in a run."""

    leaf: int
    run: int
    record_id: str
    version: int
    content_hash: bytes
    view: bytes
    document: bytes
    edition: str | None
    grade_edition: str | None
    grade: bytes | None
    grade_said: str | None
    entry_id: str | None
    previous: bytes | None
    text: bytes


#: The members that an entry has of what was seen.
SEEN = tuple(name for name in Sighting._fields if name in Seen._fields)
ENTRY_COLUMNS, RUN_COLUMNS = ", ".join(Seen._fields), ", ".join(Run._fields)


def run_text(run: Run) -> bytes:
    """The text of a run's leaf."""
    drop = None if run.drop_hash is None else {"records": run.drop_records, "hash": _hash(run.drop_hash)}
    return _canonical(
        {
            "kind": "run",
            "run": run.number,
            "time": run.time,
            "tool": run.tool,
            "records": run.records,
            "checked": run.checked,
            "complete_drop": drop,
        }
    )


def entry_text(seen: Seen) -> bytes:
    """The text of an entry's leaf."""
    return _canonical(
        {
            "kind": "record",
            "run": seen.run,
            "target": {"record_id": seen.record_id, "version": seen.version, "content_hash": _hash(seen.content_hash)},
            "public_view_hash": _hash(seen.view),
            "document_hash": _hash(seen.document),
            "edition": seen.edition,
            "grade": _grade(seen),
            "entry_id": seen.entry_id,
            "previous": None if seen.previous is None else _hash(seen.previous),
            "input_sha256": _hash(seen.text),
        }
    )


def _canonical(value: Json) -> bytes:
    """With names in ASCII, texts, and integers that a double holds, this is what RFC 8785 gives. Anything else in a row is no text."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER)


def _grade(seen: Seen) -> Json:
    if seen.grade is None:
        return None
    return {"edition": seen.grade_edition, "hash": _hash(seen.grade), "says": seen.grade_said}


def _hash(digest: bytes) -> str:
    return f"sha256:{digest.hex()}"
