"""Proofs about a history as JSON files, which whoever has no history can check: that an entry is in it, and that it was only added to."""

from __future__ import annotations

import re
import sqlite3

from wrs_verify.history.merkle import consistency, inclusion, inclusion_root, leaf_hash, root_of, roots
from wrs_verify.history.tree import Tree, node_of, texts
from wrs_verify.model import Json

__all__ = ["fault", "prove_consistency", "prove_inclusion"]

_INCLUSION, _CONSISTENCY = "wrs-history-inclusion-1", "wrs-history-consistency-1"
_HASH = re.compile("sha256:[0-9a-f]{64}")
_MAX_SIZE = 2**63


def prove_inclusion(database: sqlite3.Connection, tree: Tree, leaf: int) -> Json:
    """The proof that a leaf is in the tree, with the text of the leaf.

    Raises:
        ValueError: there is no such leaf.
    """
    path = inclusion(leaf, tree.size, lambda level, position: node_of(database, level, position))
    ((_, text),) = texts(database, leaf, leaf + 1)
    return {
        "proof": _INCLUSION,
        "size": tree.size,
        "root": _said(tree.root),
        "leaf": leaf,
        "text": text.decode(),
        "path": [_said(one) for one in path],
    }


def prove_consistency(database: sqlite3.Connection, tree: Tree, size: int) -> Json:
    """The proof that the tree begins with the one that it was when it had that size.

    Raises:
        ValueError: it was never that large, or the size is 0.
    """

    def node(level: int, position: int) -> bytes:
        return node_of(database, level, position)

    path = consistency(size, tree.size, node)
    return {
        "proof": _CONSISTENCY,
        "old": {"size": size, "root": _said(root_of(size, node))},
        "new": {"size": tree.size, "root": _said(tree.root)},
        "path": [_said(one) for one in path],
    }


def fault(proof: Json, expected: tuple[int, bytes] | None) -> str | None:
    """Why a proof proves nothing, or None if it holds.

    Args:
        proof: what was read of its file.
        expected: the size and the root that it must start from: those of the tree or, for consistency, of the older tree.
    """
    try:
        kind = proof["proof"]
        start = proof if kind == _INCLUSION else proof["old"]
        if expected is not None and (_size(start["size"]), _read(start["root"])) != expected:
            return "it is not about the expected root"
        holds = _includes(proof) if kind == _INCLUSION else _extends(proof) if kind == _CONSISTENCY else None
    except (KeyError, TypeError, AttributeError, ValueError):
        return "it is not of the form of a proof"
    if holds is None:
        return "it is not a proof of a kind that is known here"
    return None if holds else "its hashes do not lead to its root"


def _includes(proof: Json) -> bool:
    leaf, path = leaf_hash(proof["text"].encode()), [_read(one) for one in proof["path"]]
    return inclusion_root(leaf, _size(proof["leaf"]), _size(proof["size"]), path) == _read(proof["root"])


def _extends(proof: Json) -> bool:
    old, new = proof["old"], proof["new"]
    ends = _read(old["root"]), _read(new["root"])
    return roots(_size(old["size"]), _size(new["size"]), ends[0], [_read(one) for one in proof["path"]]) == ends


def _size(value: Json) -> int:
    if type(value) is not int or not 0 <= value < _MAX_SIZE:
        raise ValueError
    return value


def _read(value: Json) -> bytes:
    if _HASH.fullmatch(value) is None:
        raise ValueError
    return bytes.fromhex(value[7:])


def _said(digest: bytes) -> str:
    return f"sha256:{digest.hex()}"
