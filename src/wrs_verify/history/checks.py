"""What is not as it was: the records of a run, kept in a database of their own, joined with the history and with pins.

Everything is asked of SQLite for all records at once, so that neither memory nor time depends on how long the history is.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from wrs_verify.history import index
from wrs_verify.history.entries import ENTRY_COLUMNS, RUN_COLUMNS, SEEN, Entry, Run, entry_of
from wrs_verify.history.errors import DAMAGED, HistoryError
from wrs_verify.history.tree import Tree, entry_leaf, run_leaf, verify_rows
from wrs_verify.model import Change, Past, Pinned, Sighting
from wrs_verify.rules import quote

__all__ = ["absent", "add", "changes", "drop_hash", "find_fresh", "pinned", "prepare", "set_up", "verify_drop", "verify_records"]

_SIGHTING = len(Sighting._fields)
_NOW = ", ".join(f"now.{name}" for name in Sighting._fields)
#: What `Past` says of an entry: when it, or what it shares with older entries, was first seen is asked for apart.
_WAS = ", ".join(f"was.{name}" for name in Past._fields[:8])
_SET_UP = f"""
    CREATE TABLE sightings ({", ".join(Sighting._fields)});
    CREATE UNIQUE INDEX sighted ON sightings (record_id, version, document);
    CREATE TABLE pins (line INTEGER PRIMARY KEY, record_id, version, content_hash, view);
"""
#: The run that last added entries of a version. All of its entries of that version are how it was then.
_LATEST = "(SELECT max(run) FROM history.entries AS each WHERE each.record_id = now.record_id AND each.version = now.version)"
_SAME = "was.record_id = now.record_id AND was.version = now.version"
#: The last entry of a version with the same content.
_LAST = f"""
    FROM sightings AS now JOIN history.entries AS was ON {_SAME} AND was.leaf = (
        SELECT max(leaf) FROM history.entries AS each WHERE each.record_id = now.record_id AND each.version = now.version
        AND each.content_hash = now.content_hash"""
#: For each rule, the changes, and by which members it is known when the entry was first seen as it was.
_CHANGES = {
    "history-rewritten": (
        f"SELECT {_NOW}, {_WAS}, min(was.leaf) FROM sightings AS now JOIN history.entries AS was ON {_SAME}"
        " AND was.content_hash <> now.content_hash GROUP BY now.rowid",
        ("version", "content_hash"),
    ),
    "version-rollback": (
        f"SELECT {_NOW}, {_WAS}, max(was.version) FROM sightings AS now JOIN history.entries AS was ON was.record_id = now.record_id"
        " WHERE now.version = (SELECT max(version) FROM sightings AS each WHERE each.record_id = now.record_id)"
        " GROUP BY now.record_id HAVING max(was.version) > now.version",
        ("version", "content_hash"),
    ),
    "view-reissued": (f"SELECT {_NOW}, {_WAS} {_LAST}) WHERE was.view <> now.view", ("version", "content_hash", "view")),
    "record-withdrawn": (
        f"SELECT {', '.join(['NULL'] * _SIGHTING)}, {_WAS}, max(was.version) FROM history.members AS gone"
        " JOIN history.entries AS was ON was.record_id = gone.record_id"
        " WHERE NOT EXISTS (SELECT 1 FROM sightings AS now WHERE now.record_id = gone.record_id) GROUP BY gone.record_id",
        ("version", "content_hash"),
    ),
    "grade-changed": (
        f"SELECT {_NOW}, {_WAS} {_LAST} AND each.grade_edition = now.grade_edition) WHERE was.grade <> now.grade",
        ("version", "content_hash", "grade_edition", "grade"),
    ),
}
_PINS = (
    f"SELECT {_NOW}, was.record_id, was.version, was.content_hash, was.view, was.line FROM sightings AS now JOIN pins AS was ON {_SAME}"
    " WHERE was.content_hash <> now.content_hash OR was.view <> now.view"
)


def pinned(database: sqlite3.Connection) -> Pinned:
    """How many pins there are, and how many of the run's documents have one."""
    (pins,) = database.execute("SELECT count(*) FROM pins").fetchone()
    (compared,) = database.execute(f"SELECT count(*) FROM sightings AS now JOIN pins AS was ON {_SAME}").fetchone()
    return Pinned(pins, compared)


def set_up(database: sqlite3.Connection) -> None:
    """Make room for the records of a run."""
    database.executescript(_SET_UP)


def add(database: sqlite3.Connection, sightings: Iterable[Sighting]) -> None:
    """Keep records of the run; of a document that is there twice, the first. An interrupt may come at any time: it is begun again then."""
    if database.in_transaction:
        database.execute("ROLLBACK")
    database.execute("BEGIN")
    database.executemany(f"INSERT OR IGNORE INTO sightings VALUES (?{', ?' * (_SIGHTING - 1)})", sightings)
    database.execute("COMMIT")


def prepare(database: sqlite3.Connection, tree: Tree, *, complete_drop: bool) -> None:
    """Prove that all that the history has of the records that are looked up is in the tree, and that it has lost none of it.

    Args:
        database: with the history, and the records of the run.
        tree: of the history.
        complete_drop: whether the records of the last complete drop are looked up too.

    Raises:
        HistoryError: something is not so.
    """
    looked_up = "SELECT record_id FROM sightings"
    if complete_drop:
        verify_drop(database, tree)
        looked_up += " UNION SELECT record_id FROM history.members"
    verify_records(database, tree, looked_up)


def verify_records(database: sqlite3.Connection, tree: Tree, record_ids: str, parameters: Sequence[str] = ()) -> None:
    """Prove that all that the history has of some records is in the tree, and that it has lost none of it.

    Args:
        database: with the history.
        tree: of the history.
        record_ids: a query for the record ids.
        parameters: of the query.

    Raises:
        HistoryError: something is not so.
    """
    now = f"(SELECT DISTINCT record_id FROM ({record_ids})) AS now"
    columns = ", ".join(f"was.{name}" for name in ("leaf", "run", *SEEN))
    query = f"SELECT {columns} FROM {now} CROSS JOIN history.entries AS was ON was.record_id = now.record_id ORDER BY was.leaf"
    verify_rows(database, tree, ((row[0], entry_leaf(row)) for row in database.execute(query, parameters)))
    number = "SELECT count(*) FROM history.entries AS was WHERE was.record_id = now.record_id"
    counts = database.execute(f"SELECT record_id, ({number}) FROM {now}", parameters)
    index.verify(database, tree.last.lookup if tree.last else index.EMPTY_INDEX, counts)


def changes(database: sqlite3.Connection, rule: str, tree: Tree, pins: str | None) -> Iterator[Change]:
    """The changes for a rule, once `prepare` was called. `pins` is what the pin file is called."""
    query, alike = _CHANGES[rule]
    last = _last_drop(database, tree) if rule == "record-withdrawn" else None
    runs: dict[int, Run] = {}
    for row in database.execute(query).fetchall():
        now = Sighting._make(row[:_SIGHTING]) if row[0] is not None else None
        was = Past._make((*row[_SIGHTING : _SIGHTING + 8], 0, "", None, (last.number, last.time) if last else None))
        first = _first(database, was, alike)
        if first.run not in runs:
            runs[first.run] = _run(database, tree, first.run)
        yield Change(now, was._replace(entry_id=first.seen.entry_id, run=first.run, time=runs[first.run].time))
    if rule == "history-rewritten" and pins is not None:
        for row in database.execute(_PINS):
            record_id, version, content_hash, view, line = row[_SIGHTING:]
            was = Past(record_id, version, content_hash, view, place=f"{quote(pins)} line {line}")
            yield Change(Sighting._make(row[:_SIGHTING]), was)


def _first(database: sqlite3.Connection, was: Past, alike: Iterable[str]) -> Entry:
    """The entry with which a record was first seen as it was: alike in those members."""
    names = ("record_id", *alike)
    where = " AND ".join(f"{name} = ?" for name in names)
    query = f"SELECT {ENTRY_COLUMNS} FROM history.entries WHERE {where} ORDER BY run, leaf LIMIT 1"
    return entry_of(database.execute(query, [getattr(was, name) for name in names]).fetchone())


def _run(database: sqlite3.Connection, tree: Tree, number: int) -> Run:
    """A run, proved to be in the tree."""
    row = database.execute(f"SELECT {RUN_COLUMNS} FROM history.runs WHERE number = ?", (number,)).fetchone()
    if row is None:
        raise HistoryError(f"{DAMAGED}it has no run {number}")
    verify_rows(database, tree, [(row[0], run_leaf(row))])
    return Run._make(row)


def _last_drop(database: sqlite3.Connection, tree: Tree) -> Run | None:
    """The run of the last complete drop."""
    number = tree.last.drop_run if tree.last else None
    return None if number is None else _run(database, tree, number)


def drop_hash(database: sqlite3.Connection, table: str) -> tuple[int, bytes]:
    """How many record ids a table has, and the hash of them, sorted, a line each."""
    made, number = hashlib.sha256(), 0
    for (record_id,) in database.execute(f"SELECT DISTINCT record_id FROM {table} ORDER BY record_id"):
        made.update(f"{record_id}\n".encode())
        number += 1
    return number, made.digest()


def verify_drop(database: sqlite3.Connection, tree: Tree) -> None:
    """See that the record ids of the last complete drop are those that the last run states.

    Raises:
        HistoryError: they are not.
    """
    stated = tree.last[-2:] if tree.last and tree.last.drop_hash is not None else (0, hashlib.sha256().digest())
    if drop_hash(database, "history.members") != stated:
        raise HistoryError(f"{DAMAGED}the records of its last complete drop are not those that there were")


def absent(database: sqlite3.Connection, tree: Tree) -> int | None:
    """How many records of the last complete drop are not in this run; None where there was no such drop."""
    if tree.last is None or tree.last.drop_records is None:
        return None
    here = "SELECT count(*) FROM (SELECT DISTINCT record_id FROM sightings) WHERE record_id IN (SELECT record_id FROM history.members)"
    return tree.last.drop_records - int(database.execute(here).fetchone()[0])


def find_fresh(database: sqlite3.Connection) -> int:
    """Find what is to be added: of each version that is not as it was in the last run that added to it, all documents.

    They are put into the table `fresh`, in the order in which they are to be added.

    Returns:
        How many they are.
    """
    here = "SELECT count(*) FROM sightings AS every WHERE every.record_id = now.record_id AND every.version = now.version"
    then = f"SELECT count(*) FROM history.entries AS was WHERE {_SAME} AND was.run = {_LATEST}"
    both = f"{then} AND was.document IN ({here.replace('count(*)', 'document')})"
    query = f"SELECT {', '.join(SEEN)} FROM sightings AS now WHERE ({here}) <> ({then}) OR ({here}) <> ({both})"
    database.execute("DROP TABLE IF EXISTS fresh")
    database.execute(f"CREATE TABLE fresh AS {query} ORDER BY record_id, version, document")
    return int(database.execute("SELECT count(*) FROM fresh").fetchone()[0])
