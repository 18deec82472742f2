"""A history during a run: looked at when it is opened, asked when all records were seen, and extended when nothing failed."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Collection, Iterator
from typing import NamedTuple

from wrs_verify.history import checks, file, index, pins
from wrs_verify.history.entries import Run, entry_text, run_text
from wrs_verify.history.errors import WAIT, HistoryError, HistoryMoved
from wrs_verify.history.merkle import leaf_hash, root_of
from wrs_verify.history.tree import WINDOW, Tree, append, node_of, read_tree, seal, verify_start
from wrs_verify.model import Change, HistoryState, Pinned, Sighting
from wrs_verify.safe import terminal

__all__ = ["Expected", "History", "expect", "opened"]

_BATCH = 1000


class Expected(NamedTuple):
    """The size and the root that a history had, which it must still begin with."""

    size: int
    root: bytes


@contextlib.contextmanager
def opened(path: str, wait: float = WAIT) -> Iterator[sqlite3.Connection]:
    """The database of a history, attached to be read.

    Raises:
        HistoryError: it is not there, or cannot be used.
        HistoryLocked: it is in use by another program.
    """
    if not file.inspect(path):
        raise HistoryError(f"there is no history {terminal(path)}")
    with contextlib.closing(file.connect(wait)) as database, file.guarded(path):
        file.attach(database, path)
        yield database


def expect(database: sqlite3.Connection, tree: Tree, expected: Expected) -> None:
    """See that a history extends what it was.

    Raises:
        HistoryError: it does not.
    """
    if expected.size > tree.size:
        raise HistoryError(f"the history has {tree.size} entries, but had {expected.size} when the expected root was its root")
    if root_of(expected.size, lambda level, position: node_of(database, level, position)) != expected.root:
        raise HistoryError(f"the history was rewritten: the root of its first {expected.size} entries is not the expected one")


class History:
    """What was seen before, and what is seen in this run. To be closed at the end.

    Args:
        path: the file of the history; it need not be there. None where there are only pins.
        expected: the root that the history must extend.
        pin_file: the file of pins.
        wait: for how many seconds to wait for a locked history.

    Raises:
        HistoryError: the history or the pin file cannot be used, or the history is not what it was.
        HistoryLocked: the history is in use by another program.
    """

    def __init__(self, path: str | None, expected: Expected | None = None, pin_file: str | None = None, wait: float = WAIT) -> None:
        self._path, self._pins = path, pin_file
        self._waiting: list[Sighting] = []
        self._absent: int | None = None
        self._made = False
        self._database = file.connect(wait)
        try:
            checks.set_up(self._database)
            if pin_file is not None:
                pins.load(self._database, pin_file)
            with self._guarded():
                self._there = file.look(self._database, path)
                with self._snapshot():
                    self._tree = read_tree(self._database)
                    verify_start(self._database, self._tree)
                    if expected is not None:
                        expect(self._database, self._tree, expected)
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        """Let go of the file. What was not committed is taken back."""
        self._take_back()
        self._database.close()

    def add(self, sighting: Sighting) -> None:
        """One more record of the run."""
        self._waiting.append(sighting)
        if len(self._waiting) >= _BATCH:
            self._flush()

    def changes(self, rules: Collection[str]) -> dict[str, list[Change]]:
        """What is not as it was, by the rules that tell of it, as one look at the history shows it.

        Raises:
            HistoryError: what it has of these records is damaged.
        """
        self._flush()
        with self._guarded(), self._snapshot():
            self._tree = read_tree(self._database)
            checks.prepare(self._database, self._tree, complete_drop="record-withdrawn" in rules)
            self._absent = checks.absent(self._database, self._tree)
            return {rule: list(checks.changes(self._database, rule, self._tree, self._pins)) for rule in rules}

    def state(self) -> HistoryState | None:
        """How the history stands, as it was last looked at; None without a history."""
        tree = self._tree
        return HistoryState(tree.size, tree.root, tree.runs, absent=self._absent) if self._path is not None else None

    def pinned(self) -> Pinned | None:
        """What the pin file was worth, for the records that `changes` has looked at; None without one."""
        return checks.pinned(self._database) if self._pins is not None else None

    def extend(self, time: str, tool: str, checked: int, *, complete_drop: bool) -> HistoryState:
        """Add the run, in one transaction that waits for `commit`. Nobody else can use the history until then.

        Args:
            time: when the run was, as `--now` says.
            tool: the version of this program.
            checked: how many records it checked.
            complete_drop: whether these are all the records that there are to be.

        Returns:
            How the history will stand.

        Raises:
            HistoryMoved: the history is not as it was when it was asked for changes; nothing was added.
            HistoryLocked: it is in use by another program; nothing was added.
            HistoryError: it cannot be written to; nothing was added.
        """
        assert self._path is not None  # noqa: S101 (pins alone are not extended)
        with self._guarded():
            try:
                file.detach(self._database)
                self._made = not self._there and file.create(self._path)
                file.begin(self._database, self._path)
                if read_tree(self._database) != self._tree:
                    raise HistoryMoved
                tree, added = self._written(time, tool, checked, complete_drop=complete_drop)
            except BaseException as error:
                self._take_back()
                if isinstance(error, HistoryMoved):
                    self._there = file.look(self._database, self._path)
                raise
        return HistoryState(tree.size, tree.root, tree.runs, added, self._absent)

    def commit(self) -> None:
        """Make what `extend` added last, if it did.

        Raises:
            HistoryError: it cannot be written; nothing was added.
        """
        if self._database.in_transaction:
            with self._guarded():
                self._database.execute("COMMIT")
            self._made = False

    def _take_back(self) -> None:
        """End a transaction as if it had not begun, and remove a history that was made for it."""
        if self._database.in_transaction:
            with contextlib.suppress(sqlite3.Error):  # SQLite may have taken it back by itself; its journal does so at the latest
                self._database.execute("ROLLBACK")
        if self._made and self._path is not None:
            file.remove(self._database, self._path)
        self._made = False
        with contextlib.suppress(sqlite3.Error):
            file.detach(self._database)

    def _written(self, time: str, tool: str, checked: int, *, complete_drop: bool) -> tuple[Tree, int]:
        database, before = self._database, self._tree
        added, number = checks.find_fresh(database), before.runs + 1
        index.extend(database, "fresh")
        drop = (number, *checks.drop_hash(database, "sightings")) if complete_drop else before.last[-3:] if before.last else (None,) * 3
        run = Run._make((before.size, number, time, tool, added, checked, index.root_of_index(database), *drop))
        database.execute(f"INSERT INTO history.runs VALUES (?{', ?' * (len(run) - 1)})", run)
        size = append(database, before.size, [leaf_hash(run_text(run))])
        fresh = database.execute("SELECT * FROM fresh ORDER BY rowid")
        while rows := [(size + at, number, *row) for at, row in enumerate(fresh.fetchmany(WINDOW))]:
            database.executemany(f"INSERT INTO history.entries VALUES (?{', ?' * (len(rows[0]) - 1)})", rows)
            size = append(database, size, [leaf_hash(entry_text(row)) for row in rows])
        if complete_drop:
            database.execute("DELETE FROM history.members")
            database.execute("INSERT INTO history.members SELECT DISTINCT record_id FROM sightings")
        return seal(database, size, run), added

    def _flush(self) -> None:
        checks.add(self._database, self._waiting)
        self._waiting = []

    @contextlib.contextmanager
    def _snapshot(self) -> Iterator[None]:
        self._database.execute("BEGIN")
        try:
            yield
        finally:
            if self._database.in_transaction:
                self._database.execute("COMMIT")

    def _guarded(self) -> contextlib.AbstractContextManager[None]:
        return file.guarded(self._path or self._pins or "")
