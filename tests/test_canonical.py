"""The canonical form: fast and reference are one, and what has none is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from shared import shared

from wrs_verify.canonical import CanonicalError, canonical, canonical_reference, digest, form, read
from wrs_verify.mistakes import MAX_DEPTH, MAX_INTEGER
from wrs_verify.model import Limits
from wrs_verify.parsing import ParseError, same

LIMITS = Limits()
TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('"\\/\x00\x1f\x7f\ue000\uffff😀é a'), max_size=5)
NAME = TEXT | st.sampled_from(["a", "b", "\ue000", "\uffff", "😀", "\U00010000"])
LEAF = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | TEXT
PLAIN = st.recursive(LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAME, inner, max_size=4), max_leaves=15)
FLOATS = st.recursive(
    LEAF | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAME, inner, max_size=4),
    max_leaves=15,
)


@given(PLAIN | FLOATS)
@example({"\uffff": 1, "😀": 2})
@example({"a": [{"\uffff": 1, "😀": 2}]})
@example([1e21, 1e20, 1e-7, 1e-6, -0.0, 5e-324])
def test_fast_and_reference_write_the_same(value: Any) -> None:
    assert canonical(value) == canonical_reference(value)
    # Canonical text may show a float as an integer beyond the safe range, which is a float all the same.
    assert canonical(json.loads(canonical(value), parse_int=float)) == canonical(value)


@given(PLAIN | FLOATS, st.booleans(), st.sampled_from([(), ("a",), ("a", "b")]))
def test_a_document_is_read_with_its_canonical_form(value: Any, ascii_only: bool, share: tuple[str, ...]) -> None:
    data = json.dumps({"a": {"b": value, "c": value}}, ensure_ascii=ascii_only).encode()
    fast, reference = read(data, LIMITS, share=share), read(data, LIMITS, share=share, reference=True)
    assert same(fast.value, reference.value)
    assert fast.canonical == reference.canonical == canonical_reference(fast.value)
    for route, without, expected in [
        ((), (), fast.value), (("a",), (), fast.value["a"]), (("a", "b"), (), fast.value["a"]["b"]),
        (("a",), ("c",), {"b": fast.value["a"]["b"]}), (("a",), ("b",), {"c": fast.value["a"]["c"]}),
        ((), ("a",), {}), (("a",), ("b", "c", "d"), {}),
    ]:  # fmt: skip
        written = None if expected is None else canonical_reference(expected)
        assert form(fast, route, without) == form(reference, route, without) == written


def test_what_is_not_there_has_no_form() -> None:
    document = read(b'{"a":{"b":[1]},"n":null}', LIMITS, share=("a", "b"))
    assert document.shared == b"[1]"
    assert form(document, ("x",)) is None
    assert form(document, ("a", "b", "c")) is None
    assert form(document, ("n",)) is None
    assert form(document, ("a", "b"), without=("c",)) is None
    assert read(b'{"a":7}', LIMITS, share=("a", "b")).shared is None
    assert read(b"[]", LIMITS, share=("a", "b")).canonical == b"[]"


@given(st.dictionaries(NAME, st.dictionaries(NAME, LEAF, max_size=4), max_size=4), st.data())
def test_members_that_are_shared_can_be_left_out(value: dict[str, Any], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([*value, "a"]))
    document = read(json.dumps(value).encode(), LIMITS, share=(name,))
    left = {other: member for other, member in value.items() if other != name}
    assert form(document, without=(name,)) == canonical_reference(left)
    if name in value:
        inner = {other: member for other, member in value[name].items() if other != "a"}
        assert form(document, (name,), without=("a",)) == canonical_reference(inner)


@pytest.mark.parametrize("depth", [1, 100, 199, 200, 201, 249, 250])
@pytest.mark.parametrize("share", [(), ("a",), ("a", "a"), ("a", "a", "a")])
def test_depth_counts_through_what_is_shared(depth: int, share: tuple[str, ...]) -> None:
    data = b'{"a":' * (depth - 1) + b"{}" + b"}" * (depth - 1)
    assert read(data, Limits(max_depth=depth), share=share).canonical == data
    assert read(data, Limits(max_depth=MAX_DEPTH), share=share).canonical == data
    if depth > 1:
        with pytest.raises(ParseError, match="--max-depth"):
            read(data, Limits(max_depth=depth - 1), share=share)


NESTED: list[Any] = []
for _ in range(5000):
    NESTED = [NESTED]


@pytest.mark.parametrize(
    "value",
    [
        float("nan"), float("inf"), [-float("inf")], MAX_INTEGER + 1, {"a": -MAX_INTEGER - 1}, 10**30,
        "\ud800", {"\udc00": 1}, {"a": "\ud800"}, {1: 2}, {None: 1}, b"a", {1, 2}, object(), NESTED,
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    for write in (canonical, canonical_reference):
        with pytest.raises(CanonicalError, match="no canonical form"):
            write(value)


@pytest.mark.parametrize("depth", [1, 249, 250, 251, 252, 254, 255, 300])
def test_deep_values_have_their_form(depth: int) -> None:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    assert canonical(value) == b"[" * depth + b"1" + b"]" * depth


def test_the_digest_names_its_algorithm() -> None:
    assert digest(b"abc") == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize("record", ["fu-et-al-neuron-distributed-training-2024", "mudigere-et-al-neo-zionex-2021"])
def test_the_public_view_hash_of_real_records_comes_out(record: str) -> None:
    data = (shared("records") / f"{record}.json").read_bytes()
    for document in (read(data, LIMITS, share=("version", "record")), read(data, LIMITS), read(data, LIMITS, reference=True)):
        hashed = form(document, ("version",), without=("public_view_hash",))
        assert hashed is not None
        assert digest(hashed) == document.value["version"]["public_view_hash"]
