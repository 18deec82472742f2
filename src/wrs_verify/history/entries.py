"""What a history consists of: runs, and what each saw for the first time or saw changed. As rows, and as the text of leaves.

A leaf's text is the canonical form (RFC 8785) of a JSON object, and a line of `wrs-history export`: so whoever has an export can work
out the root without this program.
"""

from __future__ import annotations

from typing import NamedTuple

import orjson

from wrs_verify.model import Json, Sighting

__all__ = ["ENTRY_COLUMNS", "RUN_COLUMNS", "SEEN", "Entry", "Row", "Run", "entry_of", "entry_text", "run_text"]

#: What SQLite gives of one row.
Row = tuple[object, ...]


class Run(NamedTuple):
    """A run that added to the history. `leaf` is its place in the tree; its entries follow it.

    `records` is how many entries it added, and `checked` in how many records of how many it was. `lookup` is the root of the index as
    it was after it (see `history.index`). The last complete drop up to then was in the run `drop_run`; `drop_records` and `drop_hash`
    state which record ids there were: their number, and the hash of the sorted ids, a line each. All three are None if there was none.
    """

    leaf: int
    number: int
    time: str
    tool: str
    records: int
    checked: int
    lookup: bytes
    drop_run: int | None
    drop_records: int | None
    drop_hash: bytes | None


class Entry(NamedTuple):
    """A version of a record, as it was in a run. Of what was `seen`, the input, the line and the profile are not kept."""

    leaf: int
    run: int
    seen: Sighting


#: What is kept of what was seen: all but its place and its profile, which come first.
SEEN = Sighting._fields[3:]
ENTRY_COLUMNS, RUN_COLUMNS = ", ".join(("leaf", "run", *SEEN)), ", ".join(Run._fields)


def entry_of(row: Row) -> Entry:
    """The entry that a row holds, if its columns are `ENTRY_COLUMNS`."""
    leaf, run, *seen = row
    return Entry._make((leaf, run, Sighting._make(("", None, "", *seen))))


def run_text(run: Run) -> bytes:
    """The text of a run's leaf.

    Raises:
        AttributeError, TypeError, ValueError: this is not a run.
    """
    return _canonical(
        {
            "kind": "run",
            "run": run.number,
            "time": run.time,
            "tool": run.tool,
            "records": run.records,
            "checked": run.checked,
            "index": _hash(run.lookup),
            "complete_drop": _drop(run),
        }
    )


def entry_text(row: Row) -> bytes:
    """The text of an entry's leaf.

    Raises:
        AttributeError, TypeError, ValueError: this is not an entry.
    """
    run, seen = entry_of(row)[1:]
    return _canonical(
        {
            "kind": "record",
            "run": run,
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
    """With names in ASCII, texts, and integers that a double holds, this is what RFC 8785 gives. Anything else in a row is not a text."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER)


def _drop(run: Run) -> Json:
    if run.drop_hash is None:
        _nothing(run.drop_run, run.drop_records)
        return None
    return {"run": run.drop_run, "records": run.drop_records, "hash": _hash(run.drop_hash)}


def _grade(seen: Sighting) -> Json:
    if seen.grade is None:
        _nothing(seen.grade_edition, seen.grade_said)
        return None
    return {"edition": seen.grade_edition, "hash": _hash(seen.grade), "says": seen.grade_said}


def _nothing(*values: object) -> None:
    """What a leaf does not tell may not be in a row either: nothing would prove it."""
    if any(value is not None for value in values):
        raise ValueError


def _hash(digest: bytes) -> str:
    return f"sha256:{digest.hex()}"
