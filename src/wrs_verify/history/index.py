"""The index of a history: how many entries it has of each record id, so that what is looked up and not found is proved not to be there.

A Merkle tree (RFC 9162, section 2.1) over 65,536 leaves. A record id belongs to the leaf that the first two bytes of its SHA-256 number;
the leaf's text has a line for each record id, sorted: the id, a space, and the number of its entries. Every run's leaf in the history's
tree states the root of the index, so an entry cannot go missing without the roots telling.

The leaves' hashes are kept in 256 groups, and the groups' roots in one more. What is empty is not stored.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, islice
from operator import itemgetter

from wrs_verify.history.errors import DAMAGED, HistoryError
from wrs_verify.history.merkle import joined_root, leaf_hash
from wrs_verify.safe import visible

__all__ = ["EMPTY_INDEX", "INDEX_TABLES", "extend", "index_position", "root_of_index", "verify", "verify_whole"]

INDEX_TABLES = (
    "CREATE TABLE counts (position INTEGER PRIMARY KEY, text)",
    "CREATE TABLE hashes (position INTEGER PRIMARY KEY, hashes)",
)
_SIZE = hashlib.sha256().digest_size
#: How many hashes a group has, and which row of the table has the groups' roots.
_GROUP = _TOP = 256
#: So many record ids are looked up together.
_TOGETHER = 16_384


_EMPTY = leaf_hash(b"") * _GROUP
_EMPTY_TOP = joined_root(_EMPTY) * _GROUP
EMPTY_INDEX = joined_root(_EMPTY_TOP)


def verify(database: sqlite3.Connection, root: bytes, counts: Iterable[tuple[str, int]]) -> None:
    """Prove that the history has as many entries of record ids as were found, no more and no fewer.

    Args:
        database: with the history.
        root: of the index.
        counts: record ids and the numbers of their entries that were found.

    Raises:
        HistoryError: an entry is missing, or the index is damaged.
    """
    top = _read_hashes(database, [_TOP])[_TOP]
    if joined_root(top) != root:
        raise HistoryError(f"{DAMAGED}its index and its root do not go together")
    stream = iter(counts)
    while some := dict(islice(stream, _TOGETHER)):
        texts = _read_texts(database, some)
        for record_id, number in some.items():
            line = f"\n{record_id} {number}\n" if number else f"\n{record_id} "
            if (line in f"\n{texts[index_position(record_id)]}") != bool(number):
                raise HistoryError(f"{DAMAGED}it does not have the entries of the record {visible(record_id)} that it had")
        made = _by_group(texts)
        for group, hashes in _read_hashes(database, made).items():
            # What is put there is there already, unless a text was changed.
            if _put(hashes, made[group]) != hashes or joined_root(hashes) != _at(top, group):
                raise HistoryError(f"{DAMAGED}its index and its root do not go together")


def extend(database: sqlite3.Connection, added: str) -> None:
    """Count more entries.

    Args:
        database: with the history.
        added: the table of these entries.

    Raises:
        HistoryError: the index is damaged.
    """
    # A leaf of the index is then written once, and a group mostly.
    stream = database.execute(f"SELECT record_id, count(*) FROM {added} GROUP BY record_id ORDER BY index_position(record_id)")
    while some := dict(islice(stream, _TOGETHER)):
        texts = _read_texts(database, some)
        for record_id, number in some.items():
            position = index_position(record_id)
            texts[position] = _counted(texts[position], record_id, number)
        database.executemany("INSERT OR REPLACE INTO history.counts VALUES (?, ?)", texts.items())
        made = _by_group(texts)
        groups = {group: _put(hashes, made[group]) for group, hashes in _read_hashes(database, made).items()}
        groups[_TOP] = _put(_read_hashes(database, [_TOP])[_TOP], {group: joined_root(hashes) for group, hashes in groups.items()})
        database.executemany("INSERT OR REPLACE INTO history.hashes VALUES (?, ?)", groups.items())


def root_of_index(database: sqlite3.Connection) -> bytes:
    """The root as it is stored."""
    return joined_root(_read_hashes(database, [_TOP])[_TOP])


def verify_whole(database: sqlite3.Connection, root: bytes) -> None:
    """See that the index is that of the entries, and holds nothing else.

    Raises:
        HistoryError: it is not.
    """
    kept = iter(database.execute("SELECT position, text FROM history.counts ORDER BY position"))
    groups, top = {}, {}
    for group, some in groupby(_made(database), key=lambda one: one[0] // _GROUP):
        texts = dict(some)
        if list(islice(kept, len(texts))) != list(texts.items()):
            raise HistoryError(f"{DAMAGED}its index is not that of its entries")
        groups[group] = _put(_EMPTY, _by_group(texts)[group])
        top[group] = joined_root(groups[group])
    if groups:
        groups[_TOP] = _put(_EMPTY_TOP, top)
    if next(kept, None) is not None or dict(database.execute("SELECT position, hashes FROM history.hashes")) != groups:
        raise HistoryError(f"{DAMAGED}its index is not that of its entries")
    if root_of_index(database) != root:
        raise HistoryError(f"{DAMAGED}its index and its root do not go together")


def _made(database: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """The leaves of the index that have a text, worked out from the entries."""
    query = "SELECT index_position(record_id), record_id, count(*) FROM history.entries GROUP BY record_id ORDER BY 1"
    for position, some in groupby(database.execute(query), key=itemgetter(0)):
        yield position, "".join(sorted(f"{record_id} {number}\n" for _, record_id, number in some))


def index_position(record_id: str) -> int:
    """The leaf of the index that a record id belongs to. The database must have this as a function of this name."""
    return int.from_bytes(hashlib.sha256(record_id.encode()).digest()[:2], "big")


def _counted(text: str, record_id: str, more: int) -> str:
    """The text of a leaf, with more entries of a record id."""
    lines, start = text.splitlines(keepends=True), f"{record_id} "
    at = bisect_left(lines, start)
    there = at < len(lines) and lines[at].startswith(start)
    try:
        lines[at : at + there] = [f"{start}{more + (int(lines[at][len(start) :]) if there else 0)}\n"]
    except ValueError as error:
        raise HistoryError(f"{DAMAGED}its index is not of its form") from error
    return "".join(lines)


def _read_texts(database: sqlite3.Connection, record_ids: Iterable[str]) -> dict[int, str]:
    """The texts of the leaves that record ids belong to."""
    wanted = {index_position(record_id) for record_id in record_ids}
    query = "SELECT position, text FROM history.counts WHERE position IN (SELECT value FROM json_each(?))"
    found = dict(database.execute(query, (json.dumps(sorted(wanted)),)))
    if not all(isinstance(text, str) for text in found.values()):
        raise HistoryError(f"{DAMAGED}its index is not of its form")
    return dict.fromkeys(wanted, "") | found


def _read_hashes(database: sqlite3.Connection, groups: Iterable[int]) -> dict[int, bytes]:
    """The hashes of groups."""
    wanted = {group: _EMPTY_TOP if group == _TOP else _EMPTY for group in groups}
    query = "SELECT position, hashes FROM history.hashes WHERE position IN (SELECT value FROM json_each(?))"
    found = dict(database.execute(query, (json.dumps(sorted(wanted)),)))
    if not all(isinstance(hashes, bytes) and len(hashes) == len(_EMPTY) for hashes in found.values()):
        raise HistoryError(f"{DAMAGED}its index is not of its form")
    return wanted | found


def _by_group(texts: Mapping[int, str]) -> dict[int, dict[int, bytes]]:
    """The hashes of leaves of these texts, by their place in their groups."""
    made: dict[int, dict[int, bytes]] = defaultdict(dict)
    for position, text in texts.items():
        made[position // _GROUP][position % _GROUP] = leaf_hash(text.encode())
    return made


def _at(hashes: bytes, place: int) -> bytes:
    return hashes[place * _SIZE : (place + 1) * _SIZE]


def _put(hashes: bytes, some: Mapping[int, bytes]) -> bytes:
    """A group with some hashes in their places."""
    made = bytearray(hashes)
    for place, one in some.items():
        made[place * _SIZE : (place + 1) * _SIZE] = one
    return bytes(made)
