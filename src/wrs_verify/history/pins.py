"""Pin files: what is to stay as it is, as text that people review. A line a version: record id, version, content hash, public view hash."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from wrs_verify.history.errors import HistoryError
from wrs_verify.safe import terminal

__all__ = ["lines", "load"]

_LINE = re.compile(
    rb"(urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) ([1-9][0-9]{0,15}) sha256:([0-9a-f]{64}) sha256:([0-9a-f]{64})\r?\n?"
)

#: More bytes than a pin has. A line of any length must not be held.
_LONGEST = 300


def load(database: sqlite3.Connection, path: str) -> None:
    """Read a pin file into the table of pins.

    Raises:
        HistoryError: it cannot be read, a line is not of the form, or lines are not sorted, or there twice.
    """
    try:
        with Path(path).open("rb") as stream:
            database.executemany("INSERT INTO pins VALUES (?, ?, ?, ?, ?)", _parsed(stream, path))
    except OSError as error:
        raise HistoryError(f"the pin file {terminal(path)} cannot be read: {error.strerror or error}") from error
    database.execute("CREATE INDEX pinned ON pins (record_id, version)")


def _parsed(stream: BinaryIO, path: str) -> Iterator[tuple[int, str, int, bytes, bytes]]:
    last: tuple[str, int] | None = None
    for number, line in enumerate(iter(lambda: stream.readline(_LONGEST), b""), 1):
        found = _LINE.fullmatch(line)
        if found is None:
            form = "record_id version content_hash public_view_hash"
            raise HistoryError(f"{terminal(path)}:{number}: this is not a pin; a pin is '{form}'")
        key = found[1].decode(), int(found[2])
        if last is not None and key <= last:
            raise HistoryError(f"{terminal(path)}:{number}: pins must be sorted, and each version be there once")
        last = key
        yield number, *key, bytes.fromhex(found[3].decode()), bytes.fromhex(found[4].decode())


def lines(database: sqlite3.Connection) -> Iterator[str]:
    """The pins that a history gives: each version as it was last seen."""
    columns = "record_id, version, content_hash, view, max(leaf)"
    query = f"SELECT {columns} FROM history.entries GROUP BY record_id, version ORDER BY record_id, version"
    for record_id, version, content_hash, view, _ in database.execute(query):
        yield f"{record_id} {version} sha256:{content_hash.hex()} sha256:{view.hex()}"
