"""Merkle trees and their proofs, against a second implementation that follows the definitions of RFC 9162 word by word."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wrs_verify.history.merkle import (
    EMPTY,
    consistency,
    inclusion,
    inclusion_root,
    joined_root,
    leaf_hash,
    node_hash,
    read_root,
    root_of,
    roots,
)

Leaves = Sequence[bytes]


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def split(number: int) -> int:
    """The largest power of two smaller than the number."""
    power = 1
    while power * 2 < number:
        power *= 2
    return power


def mth(leaves: Leaves) -> bytes:
    """MTH(D[n]), section 2.1.1."""
    if not leaves:
        return sha256(b"")
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0])
    k = split(len(leaves))
    return sha256(b"\x01" + mth(leaves[:k]) + mth(leaves[k:]))


def path(m: int, leaves: Leaves) -> list[bytes]:
    """PATH(m, D[n]), section 2.1.3.1."""
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    return [*path(m, leaves[:k]), mth(leaves[k:])] if m < k else [*path(m - k, leaves[k:]), mth(leaves[:k])]


def subproof(m: int, leaves: Leaves, whole: bool) -> list[bytes]:
    """SUBPROOF(m, D[n], b), section 2.1.4.1."""
    if m == len(leaves):
        return [] if whole else [mth(leaves)]
    k = split(len(leaves))
    if m <= k:
        return [*subproof(m, leaves[:k], whole), mth(leaves[k:])]
    return [*subproof(m - k, leaves[k:], False), mth(leaves[:k])]


def node(leaves: Leaves, level: int, position: int) -> bytes:
    return mth(leaves[position << level : (position + 1) << level])


LEAVES = [f"leaf {number}".encode() for number in range(66)]
SIZES = st.integers(1, len(LEAVES))


def test_the_hashes_are_those_of_the_rfc() -> None:
    assert mth([]) == EMPTY
    assert leaf_hash(b"") == sha256(b"\x00")
    assert node_hash(b"a", b"b") == sha256(b"\x01ab")


@pytest.mark.parametrize("size", range(len(LEAVES) + 1))
def test_roots_are_those_of_the_rfc(size: int) -> None:
    assert root_of(size, lambda level, position: node(LEAVES, level, position)) == mth(LEAVES[:size])


@pytest.mark.parametrize("size", [1, 2, 4, 32, 64])
def test_a_root_over_joined_hashes_is_that_of_the_rfc(size: int) -> None:
    assert joined_root(b"".join(leaf_hash(leaf) for leaf in LEAVES[:size])) == mth(LEAVES[:size])


@given(SIZES, st.data())
def test_proofs_of_inclusion_are_those_of_the_rfc(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    made = inclusion(index, size, lambda level, position: node(LEAVES, level, position))
    assert made == path(index, LEAVES[:size])
    assert inclusion_root(leaf_hash(LEAVES[index]), index, size, made) == mth(LEAVES[:size])


@given(SIZES, st.data())
def test_proofs_of_consistency_are_those_of_the_rfc(new: int, data: st.DataObject) -> None:
    old = data.draw(st.integers(1, new))
    made = consistency(old, new, lambda level, position: node(LEAVES, level, position))
    assert made == subproof(old, LEAVES[:new], True)
    assert roots(old, new, mth(LEAVES[:old]), made) == (mth(LEAVES[:old]), mth(LEAVES[:new]))


@given(SIZES, st.data())
def test_no_other_proof_holds(new: int, data: st.DataObject) -> None:
    old = data.draw(st.integers(1, new))
    expected = mth(LEAVES[:old]), mth(LEAVES[:new])
    good = subproof(old, LEAVES[:new], True)
    wrong = data.draw(st.lists(st.sampled_from([*good, mth(LEAVES[:1]), b"\x00" * 32]), max_size=len(good) + 1))
    assert (roots(old, new, expected[0], wrong) == expected) == (wrong == good)
    index = data.draw(st.integers(0, new - 1))
    good = path(index, LEAVES[:new])
    wrong = data.draw(st.lists(st.sampled_from([*good, b"\x00" * 32]), max_size=len(good) + 1))
    assert (inclusion_root(leaf_hash(LEAVES[index]), index, new, wrong) == expected[1]) == (wrong == good)


def test_what_is_not_there_cannot_be_proved() -> None:
    for index, size in ((-1, 3), (3, 3), (0, 0)):
        with pytest.raises(ValueError, match="no such leaf"):
            inclusion(index, size, lambda *_: b"")
        assert inclusion_root(b"", index, size, []) is None
    for old, new in ((0, 3), (4, 3)):
        with pytest.raises(ValueError, match="older tree"):
            consistency(old, new, lambda *_: b"")
        assert roots(old, new, b"", []) is None


@pytest.mark.parametrize(
    "text", ["", "1", "1:", f"-1:{'0' * 64}", f"1:{'0' * 63}", f"1:{'A' * 64}", f"1:{'0' * 64}\n", f"{'9' * 16}:{'0' * 64}"]
)
def test_a_root_that_is_not_of_the_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a size, a colon and a root"):
        read_root(text)
    assert read_root(f"7:sha256:{'0' * 64}") == read_root(f"7:{'0' * 64}") == (7, bytes(32))
