"""Foreign text: nothing of it that could harm reaches a terminal, and different texts stay different."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wrs_verify import safe

TEXT = st.text(st.one_of(st.characters(), st.sampled_from('\\\\"nrtxuU019abf\x1b\x7f\n\u202e\u200b\ud800\U000e0001 ')))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(TEXT, inner, max_size=5)),
    max_leaves=12,
)
DANGEROUS = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
ESCAPE = re.compile(r"\\(?:\\|n|r|t|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")


def harmless(text: str) -> bool:
    return not any(unicodedata.category(character) in DANGEROUS or (character.isspace() and character != " ") for character in text)


def read(shown: str) -> str:
    """What `terminal` was given, read off its result."""

    def character(found: re.Match[str]) -> str:
        digits = found[1] or found[2] or found[3]
        return chr(int(digits, 16)) if digits else {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}[found[0][1]]

    return ESCAPE.sub(character, shown)


@given(TEXT)
@example("\\\x1b")
@example("\\\\x1b")
@example("\\\\")
def test_terminal_is_harmless_and_unambiguous(text: str) -> None:
    shown = safe.terminal(text)
    assert harmless(shown)
    assert read(shown) == text


@given(TEXT)
def test_visible_is_harmless_and_leaves_what_is_harmless(text: str) -> None:
    shown = safe.visible(text)
    assert harmless(shown)
    assert safe.visible(shown) == shown


def test_every_dangerous_character_is_escaped() -> None:
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if not harmless(character):
            assert safe.terminal(character).isascii(), hex(code)
            assert json.loads(safe.json_text(f'"{character}"' if code > 0x1F else '""')) in (character, "")


@pytest.mark.parametrize(
    "character", ["\u034f", "\u115f", "\u3164", "\ufe0f", "\U000e0100", "\ufdd0", "\uffff", "\U0001ffff", "\u2800", "\xa0"]
)
def test_invisible_characters_are_escaped_whatever_their_category(character: str) -> None:
    assert safe.terminal(f"a{character}b") == "a" + character.encode("ascii", "backslashreplace").decode() + "b"


@pytest.mark.parametrize(
    "text", ["", "drop/a.json", "Guðrún Ósvífursdóttir", "李 明", "C:\\data\\file.json", "\\alpha + \\gamma", "a\\", "😀", "e\u0301"]
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert safe.terminal(text) == text
    assert safe.visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", r"a\nb"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\u202e", r"\u202e"),
        ("\U000e0001", r"\U000e0001"),
        (r"a\nb", r"a\\nb"),
        ("\x85", r"\x85"),
    ],
)
def test_escapes(text: str, shown: str) -> None:
    assert safe.terminal(text) == shown


@given(TEXT.map(lambda text: text.replace("…", "")), st.integers(1, 30))
def test_shorten_keeps_the_width_and_splits_no_escape(text: str, width: int) -> None:
    shown = safe.terminal(text)
    short = safe.shorten(shown, width)
    assert len(short) <= width
    if len(shown) <= width:
        assert short == shown
    else:
        head, _, tail = short.partition("…")
        assert text.startswith(read(head))
        assert text.endswith(read(tail))


def test_shorten_cuts_in_the_middle() -> None:
    assert safe.shorten("abcdefghij", 7) == "abc…hij"
    assert safe.shorten("abcdefghij", 6) == "abc…ij"
    assert safe.shorten(r"ab\u202ecd", 7) == "ab…cd"
    assert safe.shorten("abc", 1) == "…"


@given(JSON, st.integers(1, 60))
def test_value_is_harmless_and_bounded(value: Any, width: int) -> None:
    shown = safe.value(value, width)
    assert len(shown) <= width
    assert harmless(shown)


@given(JSON)
def test_a_value_that_fits_is_json(value: Any) -> None:
    assert json.loads(safe.value(value, 100_000)) == value


@pytest.mark.parametrize(
    ("value", "width", "shown"),
    [
        ("a\u202eb", 20, r'"a\u202eb"'),
        ("0123456789", 9, '"012…789"'),
        ({"a": [1, None, True]}, 40, '{"a": [1, null, true]}'),
        ({"a": "long text here"}, 12, '{"a": "lon…}'),
        (["a", "b"], 5, '["a…]'),
        ("\U000e0001", 11, '"…"'),
        (float("inf"), 10, "inf"),
    ],
)
def test_values(value: Any, width: int, shown: str) -> None:
    assert safe.value(value, width) == shown


def test_long_integers() -> None:
    assert safe.value(-(10**400), 9) == "-100…0000"
    assert safe.value(10**20_000, 60) == "(an integer of about 20001 digits)"


@given(JSON)
def test_json_for_a_script_element_neither_ends_it_nor_changes(value: Any) -> None:
    made = safe.html_json(json.dumps([value, "</script><!--&amp;\u2028"], ensure_ascii=False))
    assert json.loads(made) == [value, "</script><!--&amp;\u2028"]
    assert not set("<>&\u2028\u2029") & set(made)
    assert harmless(made)


def test_little_of_a_huge_value_is_looked_at() -> None:
    class Watched(list[int]):
        seen = 0

        def __iter__(self) -> Any:
            for item in super().__iter__():
                self.seen += 1
                yield item

    watched = Watched(range(100_000))
    assert safe.value(watched, 20) == "[0, 1, 2, 3, 4, 5,…]"
    assert watched.seen < 20


def test_deep_and_long_values_are_shown() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    assert safe.value(deep, 60) == "[" * 20 + "…" + "]" * 20
    assert safe.value("x" * 10**7 + "\x1b", 20) == '"' + "x" * 9 + "…" + "xx" + r"\u001b" + '"'
    while deep != 1:  # taken apart without recursion
        deep = deep[0]
