"""JSON Pointers, and the places that they have in a text."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import shared

from wrs_verify.pointers import escape, join, locate, locate_all, position, positions, resolve, scan, split, string_text

NAME = st.text(st.sampled_from('ab0/~"\\ u{[:,é\ue000😀\n'), max_size=4) | st.sampled_from(["title", "id", "a-b", "0", "1", "01", "-"])
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | NAME,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAME, inner, max_size=4),
    max_leaves=12,
)
SPACES = ["", "", "", " ", "\n", "\r\n", "\r", "\t", " \n  ", "\n\r"]


def lay_out(value: Any, rng: random.Random) -> tuple[str, dict[str, tuple[int, int]]]:
    """The value as JSON in a random layout, and for each pointer the offsets of its name and its value in that text."""
    pieces: list[str] = []
    offsets: dict[str, tuple[int, int]] = {}

    def here() -> int:
        return sum(map(len, pieces))

    def string(text: str) -> str:
        shown = json.dumps(text, ensure_ascii=rng.random() < 0.3)
        if rng.random() < 0.2 and text.isalpha() and text.isascii():
            shown = f'"\\u{ord(text[0]):04X}{text[1:]}"'
        return shown.replace("/", "\\/") if rng.random() < 0.3 else shown

    def write(item: Any, pointer: str, name: int | None) -> None:
        pieces.append(rng.choice(SPACES))
        offsets[pointer] = (here() if name is None else name, here())
        if isinstance(item, dict):
            pieces.append("{")
            for number, (key, member) in enumerate(item.items()):
                pieces.append(("," if number else "") + rng.choice(SPACES))
                at = here()
                pieces.append(string(key) + rng.choice(SPACES) + ":")
                write(member, f"{pointer}/{escape(key)}", at)
            pieces.append(rng.choice(SPACES) + "}")
        elif isinstance(item, list):
            pieces.append("[")
            for number, member in enumerate(item):
                pieces.append("," if number else "")
                write(member, f"{pointer}/{number}", None)
            pieces.append(rng.choice(SPACES) + "]")
        else:
            pieces.append(string(item) if isinstance(item, str) else json.dumps(item))
        pieces.append(rng.choice(SPACES))

    write(value, "", None)
    return "".join(pieces), offsets


def place(text: str, offset: int) -> tuple[int, int]:
    lines = re.split(r"\r\n|\r|\n", text[:offset])
    return len(lines), len(lines[-1]) + 1


@given(VALUE, st.integers())
def test_every_value_is_found_where_it_stands(value: Any, seed: int) -> None:
    text, offsets = lay_out(value, random.Random(seed))
    data = text.encode()
    for pointer, (name, begin) in offsets.items():
        assert locate(data, pointer) == place(text, begin)
        assert locate(data, pointer, name=True) == place(text, name)
        assert locate(data, pointer, exists=True) == place(text, begin)
        assert locate(data, pointer, name=True, exists=True) == place(text, name)
    assert locate_all(data, offsets) == {pointer: place(text, begin) for pointer, (_, begin) in offsets.items()}
    assert all(join(*split(pointer)) == pointer for pointer in offsets)


@given(VALUE, st.integers(), st.data())
def test_a_cut_text_has_the_places_that_are_left(value: Any, seed: int, data: st.DataObject) -> None:
    text, offsets = lay_out(value, random.Random(seed))
    cut = data.draw(st.integers(0, len(text)))
    for pointer, (_, begin) in offsets.items():
        found = locate(text[:cut].encode(), pointer)
        if begin < cut and text[begin] in "[{":
            assert found == place(text, begin)
        elif found is not None:
            ancestors = [at for other, (_, at) in offsets.items() if pointer == other or pointer.startswith(other + "/")]
            assert found in [place(text, at) for at in ancestors]


@pytest.mark.parametrize(
    ("text", "pointer", "options", "expected"),
    [
        ('{"a": 1}', "/b", {}, (1, 1)),
        ('{"a": {"b": 2}}', "/a/c/d", {}, (1, 7)),
        ('{"a": {"b": 2}}', "/a/c", {"name": True}, (1, 7)),
        ('{"a": [1, 2]}', "/a/1", {}, (1, 11)),
        ('{"a": [1, 2]}', "/a/01", {}, (1, 7)),
        ('{"a": [1, 2]}', "/a/-", {}, (1, 7)),
        ('{"a": 1, "a": 2, "a": 3}', "/a", {}, (1, 23)),
        ('{"a": 1, "a": 2, "a": 3}', "/a", {"occurrence": 1}, (1, 7)),
        ('{"a": 1, "a": 2, "a": 3}', "/a", {"occurrence": 2, "name": True}, (1, 10)),
        ('{"a": 1, "a": 2, "a": 3}', "/a", {"occurrence": 4}, (1, 1)),
        ('{"a": {"x": 1}, "a": {"y": 2}}', "/a/x", {}, (1, 22)),
        ('{"a": {"x": 1}, "a": 2}', "/a/x", {}, (1, 22)),
        ('{"a": {"x": 1, "x": 2}, "a": {"x": 3, "x": 4}}', "/a/x", {"occurrence": 1}, (1, 36)),
        ('{"\\u0061": 1, "b": "a"}', "/a", {"exists": True}, (1, 12)),
        ('{"\\u0061": 1, "b": {"a": 2}}', "/a", {"exists": True}, (1, 12)),
        ('{"x": "\\"a\\"", "a": 1}', "/a", {"exists": True}, (1, 21)),
        ('{"x": "a", "a": 1}', "/a", {"exists": True}, (1, 17)),
        ('{"\\ud83d\\ude00": 1}', "/😀", {}, (1, 18)),
        ('{"é": "😀", "a": 1}', "/a", {}, (1, 17)),
        ("", "/a", {}, None),
        ("nonsense", "", {}, None),
        ('{"a": tru', "/a", {}, (1, 1)),
        ('[1, [2, {"a": "x', "/1/1/a", {}, (1, 9)),
    ],
)
def test_where_a_pointer_leads(text: str, pointer: str, options: dict[str, Any], expected: tuple[int, int] | None) -> None:
    assert locate(text.encode(), pointer, **options) == expected


def test_many_pointers_of_one_text_share_a_scan() -> None:
    text = b'{"a": {"b": [1, {"c": 2}]},\n "d": null}'
    assert locate_all(text, ["", "/a/b/1/c", "/d", "/a/b/7", "/missing"]) == {
        "": (1, 1), "/a/b/1/c": (1, 23), "/d": (2, 7), "/a/b/7": (1, 13), "/missing": (1, 1),
    }  # fmt: skip
    assert locate_all(b"?", ["/a"]) == {}


@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from([b'"', b"\\", b"\\u", b"{", b"}", b"[", b"]", b":", b",", b"1", b"-", b"a"])).map(b"".join)
)
def test_nothing_makes_the_scan_fail(data: bytes) -> None:
    for pointer in ("", "/a", "/0/0", "/a/0/b"):
        locate(data, pointer)
        locate(data, pointer, name=True, occurrence=1)
    last = len(data)
    for _, begin, end, _ in scan(data):
        assert 0 <= begin <= end <= last


@given(st.lists(st.sampled_from([b"\n", b"\r", b"\r\n", b"a", "é".encode(), "😀".encode(), b"\xff", b"\xe2\x82", b" "])).map(b"".join))
def test_positions_agree_with_the_text(data: bytes) -> None:
    starts = [offset for offset in range(len(data) + 1) if offset == len(data) or data[offset] < 0x80]
    for offset in range(len(data) + 1):
        # Between the two bytes of a line end the line has not ended yet.
        before = data[:offset].decode("utf-8", "replace") + ("!" if data[offset - 1 : offset + 1] == b"\r\n" else "")
        lines = re.split(r"\r\n|\r(?!!$)|\n", before)
        column = len(lines[-1]) + 1 - before.endswith("\r!")
        assert position(data, offset) == (len(lines), column)
    assert positions(data, starts) == {offset: position(data, offset) for offset in starts}


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [("", 0), ("/foo", 1), ("/foo/0", "bar"), ("/", 2), ("/a~1b", 3), ("/m~0n", 4), ("/~01", 5), ("/ ", 6)],
)
def test_pointers_of_the_standard(pointer: str, expected: object) -> None:
    value: dict[str, Any] = {"foo": ["bar", "baz"], "": 2, "a/b": 3, "m~n": 4, "~1": 5, " ": 6}
    special: dict[str, Any] = {"": value, "/foo": value["foo"]}
    assert resolve(value, pointer) == special.get(pointer, expected)


@pytest.mark.parametrize("pointer", ["/b", "/a/2", "/a/01", "/a/-", "/a/-1", "/a/" + "9" * 5000, "/a/0/x", "/a/١"])
def test_what_a_pointer_does_not_reach(pointer: str) -> None:
    with pytest.raises(KeyError):
        resolve({"a": [1, 2]}, pointer)


@pytest.mark.parametrize("pointer", ["a", "#/a", "/a~", "/~2"])
def test_what_is_no_pointer(pointer: str) -> None:
    with pytest.raises(ValueError, match="not a JSON Pointer"):
        split(pointer)


@given(st.text(st.characters() | st.sampled_from('"\\/\ud83d\ude00\b\f')))
def test_string_tokens_are_read_as_a_parser_reads_them(text: str) -> None:
    token = json.dumps(text)
    assert string_text(token.encode()) == json.loads(token)


def test_hostile_texts_are_scanned_to_the_end() -> None:
    assert locate(b"[" * 300_000, "/0" * 3) == (1, 4)
    assert locate(b'{"a":' * 100_000, "/a/a", name=True) == (1, 7)
    assert locate(b'["' + b"x" * 4_000_000 + b'", 1]', "/1") == (1, 4_000_006)
    assert locate(b'["' + b"\\" * 4_000_001, "/0") == (1, 1)
    assert locate(b"[" + b" " * 4_000_000 + b"1]", "/0") == (1, 4_000_002)


@pytest.mark.parametrize("record", ["fu-et-al-neuron-distributed-training-2024", "mudigere-et-al-neo-zionex-2021"])
def test_the_short_way_and_the_long_way_agree_on_real_records(record: str) -> None:
    data = (shared("records") / f"{record}.json").read_bytes()
    pointers = ["/edition", "/version/public_view_hash", "/version/source_ref/content_hash", "/entry/humans/1", "/version/record/title"]
    for pointer in pointers:
        for name in (False, True):
            assert locate(data, pointer, name=name, exists=True) == locate(data, pointer, name=name)
