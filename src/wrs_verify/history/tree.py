"""The Merkle tree of a history, in its database: every complete subtree's hash is kept, and leaves are hashed from the rows they are of.

That a row is the one that was added is proved, when it is used, by hashing upwards from it to the root. So a look at the root, at what
a run uses and at a share of the rest tells what it must, however long the history is; `verify_all` looks at everything.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from wrs_verify.history.entries import ENTRY_COLUMNS, RUN_COLUMNS, Row, Run, entry_text, run_text
from wrs_verify.history.errors import DAMAGED, HistoryError
from wrs_verify.history.index import EMPTY_INDEX, verify_whole
from wrs_verify.history.merkle import fold, leaf_hash, node_hash, peaks, root_of
from wrs_verify.safe import visible

__all__ = [
    "WINDOW",
    "Tree",
    "append",
    "entry_leaf",
    "node_of",
    "read_tree",
    "run_leaf",
    "seal",
    "texts",
    "verify",
    "verify_all",
    "verify_rows",
    "verify_start",
]

#: So many leaves are looked at together, and at every start: a power of 2. A history of up to so many is looked at whole.
WINDOW = 4096
#: Pages of a file whose structure SQLite checks at every start; of a larger one, `wrs-history check` has it checked.
_PAGES = 512


class Tree(NamedTuple):
    """How large the tree is, its root, and the last run, which is in it."""

    size: int
    root: bytes
    last: Run | None = None

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return self.last.number if self.last else 0


def read_tree(database: sqlite3.Connection) -> Tree:
    """What the history says of its tree, with the last run and the root proved to go together.

    Raises:
        HistoryError: they do not.
    """
    rows = database.execute("SELECT size, root FROM history.tree").fetchall()
    if len(rows) != 1 or not isinstance(rows[0][0], int) or not isinstance(rows[0][1], bytes):
        raise HistoryError(f"{DAMAGED}it does not say what its root is")
    row = database.execute(f"SELECT {RUN_COLUMNS} FROM history.runs ORDER BY number DESC LIMIT 1").fetchone()
    leaves = database.execute("SELECT max(leaf) FROM history.entries").fetchone()[0]
    tree = Tree(rows[0][0], rows[0][1], Run._make(row) if row else None)
    try:
        right = tree.size == (tree.last.leaf + 1 + tree.last.records if tree.last else 0) and (leaves is None or leaves < tree.size)
    except TypeError:
        right = False
    if not right:
        raise HistoryError(f"{DAMAGED}it does not have as many entries as it says")
    verify(database, tree, {tree.last.leaf: leaf_hash(run_leaf(tree.last))} if tree.last else {})
    return tree


def node_of(database: sqlite3.Connection, level: int, position: int) -> bytes:
    """The hash of a complete subtree.

    Raises:
        HistoryError: it is not there.
    """
    if level == 0:
        return _hashes(database, [position])[position]
    return _nodes(database, level, [position])[position]


def _nodes(database: sqlite3.Connection, level: int, positions: list[int]) -> dict[int, bytes]:
    query = "SELECT position, hash FROM history.nodes WHERE level = ? AND position IN (SELECT value FROM json_each(?))"
    found = dict(database.execute(query, (level, json.dumps(positions)))) if positions else {}
    if len(found) != len(positions) or not all(isinstance(one, bytes) for one in found.values()):
        raise HistoryError(f"{DAMAGED}a hash of its tree is missing")
    return found


def _hashes(database: sqlite3.Connection, leaves: list[int]) -> dict[int, bytes]:
    """The hashes of leaves, from the rows they are of."""
    wanted = json.dumps(leaves)
    found: dict[int, bytes] = {}
    for columns, table, text in ((ENTRY_COLUMNS, "entries", entry_leaf), (RUN_COLUMNS, "runs", run_leaf)):
        query = f"SELECT {columns} FROM history.{table} WHERE leaf IN (SELECT value FROM json_each(?))"
        found.update((row[0], leaf_hash(text(row))) for row in database.execute(query, (wanted,)))
    if len(found) != len(leaves):
        missing = next(leaf for leaf in leaves if leaf not in found)
        raise HistoryError(f"{DAMAGED}the entry {missing} of its tree is missing")
    return found


def entry_leaf(row: Row) -> bytes:
    """The text of an entry's leaf, from its row.

    Raises:
        HistoryError: the row is not of the form.
    """
    return _text(row, lambda: entry_text(row))


def run_leaf(row: Row) -> bytes:
    """The text of a run's leaf, from its row.

    Raises:
        HistoryError: the row is not of the form.
    """
    return _text(row, lambda: run_text(Run._make(row)))


def _text(row: Row, make: Callable[[], bytes]) -> bytes:
    """The text of a leaf. A damaged row may hold anything in any column."""
    try:
        return make()
    except (AttributeError, TypeError, ValueError) as error:
        raise HistoryError(f"{DAMAGED}its entry {row[0]} is not of the form of an entry") from error


def texts(database: sqlite3.Connection, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """The texts of the leaves from `start` to before `end`, in order; gaps are left out."""
    entries = database.execute(f"SELECT {ENTRY_COLUMNS} FROM history.entries WHERE leaf >= ? AND leaf < ? ORDER BY leaf", (start, end))
    runs = database.execute(f"SELECT {RUN_COLUMNS} FROM history.runs WHERE leaf >= ? AND leaf < ? ORDER BY leaf", (start, end))
    made = ((row[0], entry_leaf(row)) for row in entries), ((row[0], run_leaf(row)) for row in runs)
    return merge(*made, key=itemgetter(0))


def verify(database: sqlite3.Connection, tree: Tree, leaves: Mapping[int, bytes]) -> None:
    """Prove that leaves of these hashes are in the tree, all of them together.

    Raises:
        HistoryError: one of them is not.
    """
    known, level, found = dict(leaves), 0, {}
    tops = set(peaks(tree.size))
    while known:
        for position in [one for one in known if (level, one) in tops]:
            found[level, position] = known.pop(position)
        missing = [one ^ 1 for one in known if one ^ 1 not in known]
        known.update(_nodes(database, level, missing) if level else _hashes(database, missing))
        known = {one >> 1: node_hash(known[one], known[one + 1]) for one in known if not one & 1}
        level += 1
    if fold([found.get(peak) or node_of(database, *peak) for peak in peaks(tree.size)]) != tree.root:
        raise HistoryError(f"{DAMAGED}its entries and its root do not go together")


def verify_rows(database: sqlite3.Connection, tree: Tree, rows: Iterable[tuple[int, bytes]]) -> None:
    """Prove that leaves of these texts are in the tree, in as little memory as a window takes."""
    stream = iter(rows)
    while some := {leaf: leaf_hash(text) for leaf, text in islice(stream, WINDOW)}:
        verify(database, tree, some)


def verify_start(database: sqlite3.Connection, tree: Tree) -> None:
    """What else is looked at before a history is used: the next window of leaves, and the structure of a file that is not large.

    Raises:
        HistoryError: something is wrong.
    """
    if database.execute("PRAGMA history.page_count").fetchone()[0] <= _PAGES:
        _structure(database)
    windows = max(-(-tree.size // WINDOW), 1)
    _verify_window(database, tree, tree.runs % windows * WINDOW)


def verify_all(database: sqlite3.Connection, tree: Tree) -> None:
    """Look at everything: the structure of the file, each row, each hash of the tree, and the index.

    Raises:
        HistoryError: something is wrong.
    """
    _structure(database)
    for start in range(0, max(tree.size, 1), WINDOW):
        _verify_window(database, tree, start)
    expected = sum(tree.size >> level for level in range(1, tree.size.bit_length()))
    if database.execute("SELECT count(*) FROM history.nodes").fetchone()[0] != expected:
        raise HistoryError(f"{DAMAGED}its tree has hashes of nothing")
    rows = "(SELECT count(*) FROM history.entries) + (SELECT count(*) FROM history.runs)"
    if database.execute(f"SELECT {rows}").fetchone()[0] != tree.size:
        raise HistoryError(f"{DAMAGED}it has entries that are not in its tree")
    verify_whole(database, tree.last.lookup if tree.last else EMPTY_INDEX)


def _verify_window(database: sqlite3.Connection, tree: Tree, start: int) -> None:
    """Work out the hashes of a window from its rows, compare those that are kept, and prove that they are in the tree."""
    end = min(start + WINDOW, tree.size)
    leaves = {leaf: leaf_hash(text) for leaf, text in texts(database, start, end)}
    if len(leaves) != end - start:
        missing = next(leaf for leaf in range(start, end) if leaf not in leaves)
        raise HistoryError(f"{DAMAGED}the entry {missing} of its tree is missing")
    level, made = 0, [leaves[leaf] for leaf in range(start, end)]
    while len(made) > 1:
        level += 1
        made = [node_hash(made[at], made[at + 1]) for at in range(0, len(made) - 1, 2)]
        query = "SELECT hash FROM history.nodes WHERE level = ? AND position >= ? AND position < ? ORDER BY position"
        first = start >> level
        if [row[0] for row in database.execute(query, (level, first, first + len(made)))] != made:
            raise HistoryError(f"{DAMAGED}the entries from {start} to {end - 1} are not those that its tree was made of")
    verify(database, tree, leaves)


def _structure(database: sqlite3.Connection) -> None:
    said = database.execute("PRAGMA history.integrity_check(1)").fetchone()[0]
    if said != "ok":
        raise HistoryError(f"{DAMAGED}{visible(str(said))}")


def append(database: sqlite3.Connection, size: int, leaves: list[bytes]) -> int:
    """Add leaves to the nodes of the tree of that size; the size that it has then. Rows of its last leaf must be there already."""
    level, first, made = 0, size, leaves
    while made:
        if first & 1:
            first -= 1
            made = [node_of(database, level, first), *made]
        made = [node_hash(made[at], made[at + 1]) for at in range(0, len(made) - 1, 2)]
        level, first = level + 1, first >> 1
        rows = ((level, first + at, one) for at, one in enumerate(made))
        database.executemany("INSERT INTO history.nodes VALUES (?, ?, ?)", rows)
    return size + len(leaves)


def seal(database: sqlite3.Connection, size: int, last: Run) -> Tree:
    """State the root of the tree, which has grown to that size with a run."""
    root = root_of(size, lambda level, position: node_of(database, level, position))
    database.execute("UPDATE history.tree SET size = ?, root = ?", (size, root))
    return Tree(size, root, last)
