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
from wrs_verify.history.errors import HistoryError, HistoryLocked, HistoryMoved
from wrs_verify.history.index import INDEX_TABLES, index_position
from wrs_verify.history.merkle import EMPTY
from wrs_verify.safe import terminal, visible

__all__ = ["attach", "begin", "connect", "create", "detach", "guarded", "inspect", "look", "remove"]

#: In the header of the file (https://www.sqlite.org/fileformat.html, section 1.3): "WRSH", and the version of what follows.
_APPLICATION, _SCHEMA = 0x57525348, 1
_HEADER = 100
_TABLES = (
    f"CREATE TABLE runs ({RUN_COLUMNS.replace('leaf', 'leaf INTEGER NOT NULL UNIQUE').replace('number', 'number INTEGER PRIMARY KEY')})",
    f"CREATE TABLE entries ({ENTRY_COLUMNS.replace('leaf', 'leaf INTEGER PRIMARY KEY', 1)})",
    "CREATE TABLE nodes (level, position, hash, PRIMARY KEY (level, position)) WITHOUT ROWID",
    "CREATE TABLE members (record_id PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE tree (size, root)",
    *INDEX_TABLES,
    "CREATE INDEX versions ON entries (record_id, version, run)",
)
#: Of the history, in units of -1024 bytes. What a run looks up or adds is spread all over it, so a small cache is slow.
_CACHE = -16384
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
    database.create_function("index_position", 1, index_position, deterministic=True)
    return database


def inspect(path: str) -> bool:
    """Look at the header of a history; whether there is a file at all.

    Raises:
        HistoryError: it is not a history, or one that cannot be used.
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
        raise HistoryError(
            f"{terminal(path)} is not a history, or it is damaged: {'it is empty' if not header else 'it is not an SQLite file'}"
        )
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
    database.execute(f"PRAGMA history.cache_size = {_CACHE}")
    found = {row[0] for row in database.execute("SELECT sql FROM history.sqlite_schema WHERE sql IS NOT NULL")}
    if found != set(_TABLES):
        raise HistoryError(f"the history {terminal(path)} is damaged: its tables are not those of a history")


def look(database: sqlite3.Connection, path: str | None) -> bool:
    """Attach a history to read it, or an empty one where there is none; whether it is there.

    Raises:
        HistoryError: it cannot be used.
        sqlite3.Error: it cannot be opened, or is locked.
    """
    if path is not None and inspect(path):
        try:
            attach(database, path)
            return True
        except sqlite3.OperationalError:
            if _identity(path) is not None:
                raise  # else the run that made it has failed, and removed it
    attach(database, None)
    return False


def begin(database: sqlite3.Connection, path: str) -> None:
    """Attach a history, and begin a transaction in which nobody else can use it.

    Raises:
        HistoryMoved: it is no longer the file of that name: the run that made it has failed, and removed it.
        HistoryError: its tables are not those of a history.
        sqlite3.Error: it cannot be opened, or is locked.
    """
    before = _identity(path)
    if before is None:
        raise HistoryMoved
    try:
        attach(database, path, write=True)
        database.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if _identity(path) != before:
            raise HistoryMoved from error
        raise
    if _identity(path) != before:
        raise HistoryMoved


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def remove(database: sqlite3.Connection, path: str) -> None:
    """Remove a history that was made in vain, unless another run has added to it, or is about to.

    It is removed while nobody else can use it, and while there is no journal, which would be taken for that of the next one.
    """
    wait = database.execute("PRAGMA busy_timeout").fetchone()[0]
    database.execute("PRAGMA busy_timeout = 0")
    with contextlib.suppress(sqlite3.Error, OSError):
        database.execute("BEGIN EXCLUSIVE")
        if not database.execute("SELECT EXISTS (SELECT 1 FROM history.runs)").fetchone()[0]:
            Path(os.path.realpath(path)).unlink()
    if database.in_transaction:
        database.execute("ROLLBACK")
    database.execute(f"PRAGMA busy_timeout = {wait}")


def detach(database: sqlite3.Connection) -> None:
    """Let go of the history."""
    database.execute("DETACH history")


def create(path: str) -> bool:
    """Make a history without entries, whole or not at all. One that another run made meanwhile stays.

    Returns:
        Whether it was made here.

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
        return _publish(temporary, real)
    except (OSError, sqlite3.Error) as error:
        raise HistoryError(f"the history {terminal(path)} cannot be made: {getattr(error, 'strerror', None) or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _publish(temporary: Path, real: Path) -> bool:
    """Give the file its name unless there is one by that name; whether it has it."""
    try:
        os.link(temporary, real)
    except FileExistsError:
        return False
    except OSError:  # a file system without links; where two runs begin one history at once there, the later file stays
        if real.exists():
            return False
        temporary.replace(real)
    return True


def _fill(database: sqlite3.Connection) -> None:
    database.execute(f"PRAGMA history.application_id = {_APPLICATION}")
    database.execute(f"PRAGMA history.user_version = {_SCHEMA}")
    for statement in _TABLES:
        kind, name = statement.split()[1:3]
        database.execute(statement.replace(f"{kind} {name}", f"{kind} history.{name}", 1))
    database.execute("INSERT INTO history.tree VALUES (0, ?)", (EMPTY,))
