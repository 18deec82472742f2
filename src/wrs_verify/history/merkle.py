"""Merkle trees as RFC 9162 has them (section 2.1): hashes of leaves and nodes, roots, and proofs.

Nothing here knows where hashes are kept. Whoever has a tree gives the hash of each complete subtree: at `level` l and `position` p,
that is the one over the 2^l leaves from p * 2^l.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

__all__ = [
    "EMPTY",
    "Node",
    "consistency",
    "fold",
    "inclusion",
    "inclusion_root",
    "joined_root",
    "leaf_hash",
    "node_hash",
    "peaks",
    "read_root",
    "root_of",
    "roots",
    "subtree",
]

#: Gives the hash of a complete subtree.
Node: TypeAlias = Callable[[int, int], bytes]

#: The root of a tree without leaves.
EMPTY = hashlib.sha256().digest()


def read_root(text: str) -> tuple[int, bytes]:
    """Read the size and the root of a tree: `SIZE:ROOT`, with the root in hex digits.

    Raises:
        ValueError: this is not of that form. The message is for users.
    """
    found = re.fullmatch("([0-9]{1,15}):(?:sha256:)?([0-9a-f]{64})", text)
    if found is None:
        raise ValueError("a size, a colon and a root in 64 hex digits are needed, as the text report states them")
    return int(found[1]), bytes.fromhex(found[2])


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node over its two parts."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def joined_root(hashes: bytes) -> bytes:
    """The root over hashes that stand one after the other, a power of 2 of them."""
    while len(hashes) > len(EMPTY):
        # As `node_hash` does, 64 bytes at a time.
        hashes = b"".join([hashlib.sha256(b"\x01" + hashes[at : at + 64]).digest() for at in range(0, len(hashes), 64)])
    return hashes


def peaks(size: int) -> list[tuple[int, int]]:
    """The complete subtrees, by level and position, that a tree of so many leaves consists of, from left to right, as few as can be."""
    found, start = [], 0
    for level in range(size.bit_length() - 1, -1, -1):
        if size >> level & 1:
            found.append((level, start >> level))
            start += 1 << level
    return found


def fold(hashes: Sequence[bytes]) -> bytes:
    """The root over the hashes of the peaks."""
    if not hashes:
        return EMPTY
    made = hashes[-1]
    for one in reversed(hashes[:-1]):
        made = node_hash(one, made)
    return made


def root_of(size: int, node: Node) -> bytes:
    """The root of a tree's first leaves: so a tree gives every root that it ever had."""
    return fold([node(level, position) for level, position in peaks(size)])


def subtree(start: int, end: int, node: Node) -> bytes:
    """The hash over the leaves from `start` to before `end`, where `start` is a multiple of the power of 2 that has room for them."""
    return fold([node(level, (start >> level) + position) for level, position in peaks(end - start)])


def inclusion(index: int, size: int, node: Node) -> list[bytes]:
    """The proof that a leaf is in a tree of so many leaves (section 2.1.3.1).

    Raises:
        ValueError: there is no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError("there is no such leaf")
    path, start, end = [], 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(subtree(middle, end, node))
            end = middle
        else:
            path.append(subtree(start, middle, node))
            start = middle
    return path[::-1]


def consistency(old: int, new: int, node: Node) -> list[bytes]:
    """The proof that a tree of `new` leaves begins with those of the tree of `old` leaves (section 2.1.4.1).

    Raises:
        ValueError: the old tree is empty, or larger than the new one.
    """
    if not 0 < old <= new:
        raise ValueError("the older tree must have a leaf, and no more than the newer one")
    path, start, end, whole = [], 0, new, True
    while end > old:
        middle = start + _split(end - start)
        if old <= middle:
            path.append(subtree(middle, end, node))
            end = middle
        else:
            path.append(subtree(start, middle, node))
            start, whole = middle, False
    if not whole:
        path.append(subtree(start, end, node))
    return path[::-1]


def _split(size: int) -> int:
    """The largest power of 2 below a size of at least 2."""
    return 1 << (size - 1).bit_length() - 1


def inclusion_root(leaf: bytes, index: int, size: int, path: Iterable[bytes]) -> bytes | None:
    """The root that a proof of inclusion leads to (section 2.1.3.2); None where it has not the length that it must have."""
    if not 0 <= index < size:
        return None
    place, last, made = index, size - 1, leaf
    for one in path:
        if last == 0:
            return None
        if place & 1 or place == last:
            made = node_hash(one, made)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            made = node_hash(made, one)
        place, last = place >> 1, last >> 1
    return made if last == 0 else None


def roots(old: int, new: int, old_root: bytes, path: Sequence[bytes]) -> tuple[bytes, bytes] | None:
    """The two roots that a proof of consistency leads to (section 2.1.4.2); None where it has not the length that it must have."""
    if not 0 < old <= new:
        return None
    if old == new:
        return None if path else (old_root, old_root)
    proof: Iterator[bytes] = iter(path if old & (old - 1) else (old_root, *path))
    first = next(proof, None)
    if first is None:
        return None
    place, last = old - 1, new - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    one = other = first
    for each in proof:
        if last == 0:
            return None
        if place & 1 or place == last:
            one, other = node_hash(each, one), node_hash(each, other)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            other = node_hash(other, each)
        place, last = place >> 1, last >> 1
    return (one, other) if last == 0 else None
