"""Source versions, kept by target where every worker finds them: an SQLite file in the temporary folder."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from wrs_verify import canonical, engine
from wrs_verify.engine import Options
from wrs_verify.inputs import Found, InputLimits, Item, Refused, Selection, find, read
from wrs_verify.inputs import Source as Input
from wrs_verify.model import Finding, Json, Problem, RecordResult, Related
from wrs_verify.parsing import ParseError
from wrs_verify.rules import quote

__all__ = ["Sources", "gathered", "lookup"]

_TABLE = """
    CREATE TABLE sources (
        record_id TEXT, version INTEGER, name TEXT, line INTEGER, data BLOB, digest TEXT, PRIMARY KEY (record_id, version)
    )
"""

#: How many source versions that are of no record are named, and how many of these in the message.
_RELATED, _NAMED = 20, 3


class Sources:
    """The source versions that were supplied: the file that `lookup` reads, None where there are none, and what is wrong with them."""

    def __init__(self, path: str | None = None, findings: Iterable[Finding] = (), database: sqlite3.Connection | None = None) -> None:
        self.path, self.findings = path, list(findings)
        self._database = database
        self._seen: set[int] = set()

    def saw(self, result: RecordResult) -> None:
        """One more record was checked."""
        if self._database is not None and result.target is not None:
            key = result.target["record_id"], int(result.target["version"])
            rows = self._database.execute("SELECT rowid FROM sources WHERE record_id = ? AND version = ?", key)
            self._seen.update(rowid for (rowid,) in rows)

    def unused(self, options: Options) -> Iterator[Finding]:
        """A finding for those that are of none of the records, once all were checked."""
        if self._database is None:
            return
        rows = self._database.execute("SELECT rowid, name, line FROM sources ORDER BY name, line")
        unseen = ((name, line) for rowid, name, line in rows if rowid not in self._seen)
        places = list(islice(unseen, _RELATED))
        if not places:
            return
        number = len(places) + sum(1 for _ in unseen)
        named = ", ".join([quote(name) if line is None else f"{quote(name)} line {line}" for name, line in places[:_NAMED]])
        more = f" and {number - _NAMED} more" if number > _NAMED else ""
        what = "1 source version that was supplied is" if number == 1 else f"{number} source versions that were supplied are"
        message = f"{what} of none of the records that were read, by record id and version: {named}{more}"
        (name, line), *others = places
        finding = engine.input_finding(Problem("unused-source", message), options)
        yield finding._replace(input=name, line=line, related=tuple([Related("", None, *place) for place in others]))


@contextmanager
def gathered(paths: tuple[str, ...], options: Options, limits: InputLimits, base: str = "") -> Iterator[Sources]:
    """The source versions under some paths, which are taken to be below the folder `base`, for as long as the context lasts.

    A source that cannot be read or used is an error, since a record may then pass unchecked that was to be checked against it.

    Raises:
        wrs_verify.inputs.MissingPath: a path does not exist.
    """
    if not paths:
        yield Sources()
        return
    with TemporaryDirectory(prefix="wrs-verify-") as folder:
        path = str(Path(folder) / "sources.sqlite")
        with closing(sqlite3.connect(path)) as database:
            with database:
                database.execute(_TABLE)
                findings = [finding for finding in _added(database, find(Selection(paths), base), options, limits) if finding]
            if not findings and not database.execute("SELECT EXISTS (SELECT * FROM sources)").fetchone()[0]:
                problem = Problem("unusable-source", "no source version was found under the paths that --sources names")
                findings = [engine.input_finding(problem, options)._replace(input=paths[0])]
            yield Sources(path, findings, database)


def _added(database: sqlite3.Connection, found: Iterator[Found], options: Options, limits: InputLimits) -> Iterator[Finding | None]:
    for each in found:
        for one in read(each, limits) if isinstance(each, Input) else (each,):
            if isinstance(one, Refused):
                finding = engine.input_finding(Problem(one.rule, one.message), options)
                yield finding._replace(input=one.name, line=one.line)
            elif isinstance(one, Item):
                yield _add(database, one, options)


def _add(database: sqlite3.Connection, item: Item, options: Options) -> Finding | None:
    try:
        document = canonical.read(item.data, options.limits)
    except ParseError as error:
        return _unusable(item, f"this source version cannot be read: {error}", options)
    key = _key(document.value)
    if key is None:
        message = "this is not a source version, which is an object with record_id, version (from 1), record and content_hash"
        return _unusable(item, message, options)
    digest = canonical.digest(document.canonical)
    row = database.execute("SELECT name, digest FROM sources WHERE record_id = ? AND version = ?", key).fetchone()
    if row is None:
        database.execute("INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?)", (*key, item.name, item.line, item.data, digest))
    elif row[1] != digest:
        return _unusable(item, f"this is another source version of the same record and version than {row[0]}", options)
    return None


def _key(value: Json) -> tuple[str, int] | None:
    if not isinstance(value, dict) or not isinstance(value.get("record"), dict) or not isinstance(value.get("content_hash"), str):
        return None
    record_id, version = value.get("record_id"), value.get("version")
    if isinstance(version, float) and version.is_integer():
        version = int(version)  # 1.0 and 1 are one number, with one canonical form
    if isinstance(record_id, str) and isinstance(version, int) and not isinstance(version, bool) and version >= 1:
        return record_id, version
    return None


def _unusable(item: Item, message: str, options: Options) -> Finding:
    return engine.input_finding(Problem("unusable-source", message), options)._replace(input=item.name, line=item.line)


def lookup(path: str | None) -> engine.Lookup | None:
    """A function that finds the source version of a record and version, as the name and the bytes that were read."""
    if path is None:
        return None
    database = _opened(path, os.getpid())

    def find_source(record_id: str, version: int) -> tuple[str, bytes] | None:
        found = database.execute("SELECT name, data FROM sources WHERE record_id = ? AND version = ?", (record_id, version)).fetchone()
        return (found[0], found[1]) if found else None

    return find_source


@lru_cache(maxsize=1)
def _opened(path: str, _process: int) -> sqlite3.Connection:
    # A connection must not be used in a process that was forked from the one that opened it.
    # The threads of a cluster's worker use it in turn.
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True, check_same_thread=False)
