"""The file of a history: an SQLite database of our own kind, opened to read it, to extend it, or refused.

The database is attached, as `history`, to one that has no name and that SQLite removes at its end; that one holds what a run is
compared by. So a transaction concerns one file, and whatever is not to change it cannot.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from wrs_verify.history.entries import ENTRY_COLUMNS, RUN_COLUMNS
from wrs_verify.history.errors import HistoryError, HistoryLocked
from wrs_verify.history.merkle import EMPTY
from wrs_verify.safe import terminal, visible

__all__ = ["attach", "connect", "create", "detach", "guarded", "inspect"]

#: In the header of the file (https://www.sqlite.org/fileformat.html, section 1.3): "WRSH", and the version of what follows.
_APPLICATION, _SCHEMA = 0x57525348, 1
_HEADER = 100
_TABLES = (
    f"CREATE TABLE runs ({RUN_COLUMNS.replace('leaf', 'leaf INTEGER NOT NULL UNIQUE').replace('number', 'number INTEGER PRIMARY KEY')})",
    f"CREATE TABLE entries ({ENTRY_COLUMNS.replace('leaf', 'leaf INTEGER PRIMARY KEY', 1)})",
    "CREATE TABLE nodes (level, position, hash, PRIMARY KEY (level, position)) WITHOUT ROWID",
    "CREATE TABLE members (record_id PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE tree (size, root)",
    "CREATE INDEX versions ON entries (record_id, version, run)",
)
_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


@contextlib.contextmanager
def guarded(path: str) -> Iterator[None]:
    """Words what SQLite says of a history.

    Raises:
        HistoryLocked: another program holds it.
        HistoryError: it cannot be read or written.
    """
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is not None and code & 0xFF in _LOCKED:
            raise HistoryLocked(f"the history {terminal(path)} is in use by another program") from error
        raise HistoryError(f"the history {terminal(path)} cannot be used: {visible(str(error))}") from error


def connect(wait: float) -> sqlite3.Connection:
    """A database without a name, to attach a history to.

    Args:
        wait: for how many seconds to wait for a history that is locked.
    """
    database = sqlite3.connect("", timeout=wait, isolation_level=None, uri=True)
    settings = "main.journal_mode = MEMORY", "main.synchronous = OFF", "cache_size = -8192", "temp_store = FILE", "trusted_schema = OFF"
    for setting in settings:
        database.execute(f"PRAGMA {setting}")
    return database


def inspect(path: str) -> bool:
    """Look at the header of a history; whether there is a file at all.

    Raises:
        HistoryError: it is no history, or one that cannot be used.
    """
    try:
        with Path(path).open("rb") as stream:
            header = stream.read(_HEADER)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise HistoryError(f"the history {terminal(path)} cannot be read: {error.strerror or error}") from error
    number = [int.from_bytes(header[at : at + 4], "big") for at in (60, 68)]
    if not header.startswith(b"SQLite format 3\0") or len(header) < _HEADER:
        raise HistoryError(f"{terminal(path)} is no history, or it is damaged: {'it is empty' if not header else 'it is no SQLite file'}")
    if number[1] != _APPLICATION:
        raise HistoryError(f"{terminal(path)} is an SQLite file of another program, and no history")
    if number[0] > _SCHEMA:
        raise HistoryError(f"the history {terminal(path)} has the form {number[0]}; this version of the program knows {_SCHEMA} at most")
    if number[0] != _SCHEMA or header[18:20] != b"\x01\x01":
        raise HistoryError(f"the history {terminal(path)} is damaged, or another program changed its form")
    return True


def attach(database: sqlite3.Connection, path: str | None, *, write: bool = False) -> None:
    """Attach the history of that path, or, with None, one that is empty and in memory.

    Raises:
        HistoryError: its tables are not those of a history.
        sqlite3.Error: it cannot be opened.
    """
    if path is None:
        database.execute("ATTACH ':memory:' AS history")
        _fill(database)
        return
    # A run that was killed while it committed leaves a journal, by which SQLite takes back what that run had begun to write.
    mode = "rw" if write or Path(f"{os.path.realpath(path)}-journal").exists() else "ro"
    database.execute("ATTACH ? AS history", (f"{Path(os.path.realpath(path)).as_uri()}?mode={mode}",))
    found = {row[0] for row in database.execute("SELECT sql FROM history.sqlite_schema WHERE sql IS NOT NULL")}
    if found != set(_TABLES):
        raise HistoryError(f"the history {terminal(path)} is damaged: its tables are not those of a history")


def detach(database: sqlite3.Connection) -> None:
    """Let go of the history."""
    database.execute("DETACH history")


def create(path: str) -> None:
    """Make a history without entries, whole or not at all. One that another run made meanwhile stays.

    Raises:
        HistoryError: there is no writing there.
    """
    real = Path(os.path.realpath(path))
    temporary = real.with_name(f".wrs-history-{secrets.token_hex(8)}.tmp")
    try:
        with contextlib.closing(connect(0)) as database:
            temporary.touch(0o666, exist_ok=False)
            database.execute("ATTACH ? AS history", (f"{temporary.as_uri()}?mode=rw",))
            _fill(database)
        _publish(temporary, real)
    except (OSError, sqlite3.Error) as error:
        raise HistoryError(f"the history {terminal(path)} cannot be made: {getattr(error, 'strerror', None) or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _publish(temporary: Path, real: Path) -> None:
    """Give the file its name unless there is one by that name."""
    try:
        os.link(temporary, real)
    except FileExistsError:
        return
    except OSError:  # a file system without links; where two runs begin one history at once there, the later file stays
        if not real.exists():
            temporary.replace(real)


def _fill(database: sqlite3.Connection) -> None:
    database.execute(f"PRAGMA history.application_id = {_APPLICATION}")
    database.execute(f"PRAGMA history.user_version = {_SCHEMA}")
    for statement in _TABLES:
        kind, name = statement.split()[1:3]
        database.execute(statement.replace(f"{kind} {name}", f"{kind} history.{name}", 1))
    database.execute("INSERT INTO history.tree VALUES (0, ?)", (EMPTY,))
