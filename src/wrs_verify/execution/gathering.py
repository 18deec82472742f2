"""Keeps the facts of a drop until they are judged: in memory while they are few, then in an SQLite file in the temporary folder."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

from wrs_verify.groups import Entry, Group, Grouping, collect, groups
from wrs_verify.model import Facts, Reference

if TYPE_CHECKING:
    import sqlite3

__all__ = ["Gathering"]

#: So many records and references are held in memory at most; then they are written to the file.
_IN_MEMORY = 10_000

_FACTS = [name for name in Facts._fields if name != "references"]
_REFERENCES = Reference._fields
_COLUMNS = ", ".join(f"facts.{name}" for name in _FACTS)
_INSERT_FACTS = f"INSERT INTO facts VALUES (?{', ?' * len(_FACTS)})"
_INSERT_REFERENCES = f"INSERT INTO refs VALUES (?{', ?' * len(_REFERENCES)})"
_SETUP = f"""
    PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA temp_store = FILE; PRAGMA cache_size = -2048;
    CREATE TABLE facts (id INTEGER PRIMARY KEY, {", ".join(_FACTS)});
    CREATE TABLE refs (record INTEGER, {", ".join(_REFERENCES)}, PRIMARY KEY (record, pointer)) WITHOUT ROWID;
    BEGIN;
"""


class Gathering:
    """The facts of a drop. To be closed at the end.

    Args:
        in_memory: how many records and references are held in memory at most.
    """

    def __init__(self, in_memory: int = _IN_MEMORY) -> None:
        self._in_memory = in_memory
        self._held: list[tuple[int, Facts]] = []
        self._weight = 0
        self._numbers = count()
        self._database: sqlite3.Connection | None = None
        self._failure: Exception | None = None

    def add(self, facts: Facts) -> None:
        """Keep the facts of one more record. It does not raise where there is no room for them: `groups` does."""
        if self._failure:
            return
        self._held.append((next(self._numbers), facts))
        self._weight += 1 + len(facts.references)
        if self._weight < self._in_memory:
            return
        import sqlite3  # seldom needed, and one record from the command line should not wait for it

        try:
            self._write(self._opened())
        except sqlite3.Error as error:  # the disk is full, most likely: each record can be checked all the same
            self._failure, self._held = error, []

    def groups(self, grouping: Grouping) -> Iterator[Group]:
        """The groups that are judged, once all facts were added.

        Raises:
            sqlite3.Error: the facts could not be kept, or not be read again.
        """
        if self._failure:
            raise self._failure
        if self._database is None:
            yield from groups(grouping, [facts for _, facts in self._held])
            return
        import sqlite3

        try:
            self._write(self._database)
            yield from collect(grouping, _entries(self._database, grouping))
        except sqlite3.Error as error:
            self._failure = error  # nothing that is read after this could be relied on
            raise

    def close(self) -> None:
        """Remove the file, if there is one."""
        if self._database:
            self._database.close()

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            import sqlite3

            # Without a name SQLite makes a file that only this process can open, and that the system removes when it ends, however
            # it ends (https://www.sqlite.org/inmemorydb.html, "Temporary databases").
            database = sqlite3.connect("", isolation_level=None)
            database.executescript(_SETUP)
            self._database = database
        return self._database

    def _write(self, database: sqlite3.Connection) -> None:
        """Write what is held to the file. An interrupt may come at any time: what it left half done is done again, not twice."""
        held = self._held
        if held:
            first = held[0][0]
            database.execute("DELETE FROM facts WHERE id >= ?", (first,))
            database.execute("DELETE FROM refs WHERE record >= ?", (first,))
            database.executemany(_INSERT_FACTS, [(number, *facts[:-1]) for number, facts in held])
            database.executemany(_INSERT_REFERENCES, [(number, *one) for number, facts in held for one in facts.references])
            self._held, self._weight = [], 0


def _entries(database: sqlite3.Connection, grouping: Grouping) -> Iterator[Entry]:
    """The entries of the groups that may be judged, in order. SQLite sorts, in a few megabytes of memory and files of its own."""
    wanted = _wanted(database, grouping)
    if wanted is None:
        return
    held, referring, keys = _Side("facts", grouping), _Side("refs", grouping), len(grouping.key)
    query = f"SELECT {held.key}, {held.value}, 0, NULL, {_COLUMNS} FROM facts WHERE {held.there} AND ({held.key}) IN {wanted}"
    if grouping.when == "referred":
        query += (
            f" UNION ALL SELECT {referring.key}, {referring.value}, 1, refs.pointer, {_COLUMNS}"
            f" FROM refs JOIN facts ON facts.id = refs.record WHERE {referring.there} AND ({referring.key}) IN {wanted}"
        )
    order = [*range(1, keys + 3), keys + 4, keys + 5, keys + 3]  # key, value, held or referred to; then input, line, pointer
    for row in database.execute(f"{query} ORDER BY {', '.join(map(str, order))}"):
        yield Entry(row[:keys], row[keys], Facts(*row[keys + 3 :]), row[keys + 2])


def _wanted(database: sqlite3.Connection, grouping: Grouping) -> str | None:
    """The name of a table of the keys whose groups may be judged; mostly there are none, and None."""
    held, referring = _Side("facts", grouping), _Side("refs", grouping)
    there, key = held.there, ", ".join(grouping.key)
    if grouping.when == "several":
        query = f"SELECT DISTINCT {key} FROM facts WHERE {there} AND (SELECT min({key}) < max({key}) FROM facts)"
    elif grouping.when == "referred":
        if not _any(database, f"refs WHERE {referring.there}"):
            return None
        query = (
            f"SELECT DISTINCT {key} FROM (SELECT {key} FROM ("
            f"SELECT {held.key}, {held.value} AS said, trusted AS holds, 0 AS refers FROM facts WHERE {there}"
            f" UNION ALL SELECT {referring.key}, {referring.value}, 0, 1 FROM refs WHERE {referring.there}"
            f") GROUP BY {key}, said HAVING max(refers) AND NOT max(holds))"
        )
    else:
        differ = "count(*) > 1" if grouping.when == "repeated" else f"min({held.value}) < max({held.value})"
        if len(grouping.key) > 1 and grouping.when == "differing":
            # Most records are the only ones of their record id and version: that settles three rules at once.
            part = Grouping(grouping.key[:2], None, "repeated")
            again = _wanted(database, part)
            if again is None:
                return None
            there += f" AND ({', '.join(part.key)}) IN {again}"
        query = f"SELECT {key} FROM facts WHERE {there} GROUP BY {key} HAVING {differ}"
    table = "_".join(["wanted", grouping.when, *grouping.key, grouping.value or ""])
    database.execute(f"CREATE TEMP TABLE IF NOT EXISTS {table} AS {query}")
    return table if _any(database, table) else None


def _any(database: sqlite3.Connection, rows: str) -> bool:
    return bool(database.execute(f"SELECT EXISTS (SELECT 1 FROM {rows})").fetchone()[0])


class _Side:
    """The key and the value of a grouping as columns of a table, and that they are there."""

    def __init__(self, table: str, grouping: Grouping) -> None:
        key = [f"{table}.{name}" for name in grouping.key]
        value = [f"{table}.{grouping.value}"] if grouping.value else []
        self.key = ", ".join(key)
        self.value = value[0] if value else "NULL"
        self.there = " AND ".join(f"{name} IS NOT NULL" for name in (*key, *value))
