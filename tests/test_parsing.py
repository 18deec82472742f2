"""Strict I-JSON: what is read, what is refused, and where the fault is said to be."""

from __future__ import annotations

import json
import pickle
from typing import Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from shared import shared

from wrs_verify import parsing
from wrs_verify.mistakes import MAX_DEPTH, MAX_INTEGER, diagnose
from wrs_verify.model import Limits
from wrs_verify.parsing import ParseError, disagreement, dump, parse, parse_fast, same

LIMITS = Limits()
TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('"\\/\x00\x1f\x7f\ue000\uffff😀é a'), max_size=6)
INTEGER = st.integers(-MAX_INTEGER, MAX_INTEGER) | st.sampled_from([MAX_INTEGER, -MAX_INTEGER, 0])
FLOAT = st.floats(allow_nan=False, allow_infinity=False)


def json_values(leaf: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(leaf, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=15)


PLAIN = json_values(st.none() | st.booleans() | INTEGER | TEXT)
VALUE = json_values(st.none() | st.booleans() | INTEGER | FLOAT | TEXT)
#: What random edits put into a text: bits of JSON, and what is often mistaken for it.
EDITS = [b"", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"0", b"1", b"-", b".", b"e9", b" ", b"\n", b"\0", b"\x0c", b"true", b"NaN"]
EDITS += [b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xc2\xa0", b"\\/", b"\\ud800", b"\\udc00", b"1e400", b"9007199254740993", b'"a":1,']


def outcome(data: bytes, limits: Limits = LIMITS, *, reference: bool = False) -> tuple[str, Any]:
    try:
        return "read", parse(data, limits, reference=reference)
    except ParseError as error:
        return "refused", error.problems


def rules(data: bytes, limits: Limits = LIMITS) -> list[tuple[str, int | None, str | None]]:
    kind, problems = outcome(data, limits)
    assert kind == "refused"
    assert (kind, problems) == outcome(data, limits, reference=True)
    return [(problem.rule, problem.offset, problem.pointer) for problem in problems]


def agree(data: bytes) -> None:
    """Both parsers, and the scan that words faults, are of one mind about the text."""
    fast, reference = outcome(data), outcome(data, reference=True)
    assert fast[0] == reference[0]
    assert same(fast[1], reference[1]) if fast[0] == "read" else fast == reference
    problems, _ = diagnose(data, LIMITS)
    assert bool(problems) == (fast[0] == "refused")
    assert all(problem.offset is not None and 0 <= problem.offset <= len(data) for problem in problems)
    assert disagreement(data, LIMITS) is None


@given(VALUE, st.booleans(), st.sampled_from([None, 0, 2]))
def test_whatever_is_written_is_read_again(value: Any, ascii_only: bool, indent: int | None) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    assert same(parse(data, LIMITS), value)
    agree(data)


@given(PLAIN, st.booleans())
def test_the_fast_parser_reads_what_has_no_floats(value: Any, ascii_only: bool) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only).encode()
    fast = parse_fast(data, LIMITS)
    assert same(fast, parse(data, LIMITS, reference=True))
    assert dump(fast, LIMITS.max_depth) == orjson.dumps(fast, option=orjson.OPT_SORT_KEYS)


@settings(max_examples=300)
@given(VALUE, st.booleans(), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 2), st.sampled_from(EDITS)), min_size=1, max_size=3))
@example([[]], False, [(0.5, 0, b"\xff")])
def test_damaged_texts_meet_one_judgement(value: Any, ascii_only: bool, edits: list[tuple[float, int, bytes]]) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only).encode()
    for where, length, new in edits:
        at = int(where * len(data))
        data = data[:at] + new + data[at + length :]
    agree(data)


@given(st.lists(st.sampled_from(EDITS), max_size=12).map(b"".join))
def test_odd_texts_meet_one_judgement(data: bytes) -> None:
    agree(data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"1.0", 1.0), (b"-0.0", -0.0), (b"-0", 0), (b"1E3", 1000.0), (b"295147905179352830000.0", 2.9514790517935283e20),
        (b"1e-400", 0.0), (b"-1e-400", -0.0), (b"9007199254740991", MAX_INTEGER), (b"-9007199254740991", -MAX_INTEGER),
        (b"9007199254740992.0", 9007199254740992.0), (b"9.9999999999999992e22", 1e23), (b"1e30", 1e30),
        (b"1." + b"1" * 1_000_000, 1.1111111111111112), (b'"\\ud83d\\ude00"', "😀"),
        (b' \r\n\t[1 , 2]\n', [1, 2]), (b'"\x7f\\/"', "\x7f/"),
    ],
)  # fmt: skip
def test_values_are_read_exactly(data: bytes, expected: Any) -> None:
    assert same(parse(data, LIMITS), expected)
    agree(data)


@pytest.mark.parametrize(
    ("data", "rule", "offset", "pointer"),
    [
        (b'{"a":1,"b":{"x":1,"\\u0078":2}}', "duplicate-name", 18, "/b/x"),
        (b'{"":1,"":2}', "duplicate-name", 6, "/"),
        (b"[9007199254740992]", "not-i-json", 1, "/0"),
        (b'{"a":-9007199254740992}', "not-i-json", 5, "/a"),
        (b"[0,18446744073709551616]", "not-i-json", 3, "/1"),
        (b"[1e400]", "not-i-json", 1, "/0"),
        (b"-1e400", "not-i-json", 0, ""),
        (b"[1.0000000000000001]", "not-i-json", 1, "/0"),
        (b"[-9007199254740993e0]", "not-i-json", 1, "/0"),
        (b"1." + b"0" * 1_000_000 + b"1", "not-i-json", 0, ""),
        (b'["a\\ud800"]', "not-i-json", 3, "/0"),
        (b'["\\udc00\\ud800\\udc00"]', "not-i-json", 2, "/0"),
        (b'{"\\uDC00":1}', "not-i-json", 2, "/\\udc00"),
        (b'"\xed\xa0\x80"', "invalid-json", 1, None),
        (b"\xff\xfe1\0", "invalid-json", 0, None),
        (b"1\0\0\0", "invalid-json", 0, None),
        (b"\0[\0]", "invalid-json", 0, None),
        (b"\xef\xbb\xbf{}", "invalid-json", 0, None),
        (b"", "invalid-json", 0, ""),
        (b"[1,]", "invalid-json", 3, "/1"),
        (b'{"a":NaN}', "invalid-json", 5, "/a"),
        (b"{} {}", "invalid-json", 3, None),
    ],
)
def test_each_fault_has_its_rule_and_place(data: bytes, rule: str, offset: int, pointer: str | None) -> None:
    assert rules(data) == [(rule, offset, pointer)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the text is empty"),
        (b" \n", "the text holds only white space"),
        (b"\xef\xbb\xbf1", "a byte order mark (EF BB BF) stands before the JSON text"),
        (b"[\0]\0", "the text is UTF-16 or UTF-32, where JSON must be UTF-8"),
        (b'"\xff"', "the byte FF is not UTF-8"),
        (b'{"a":\n [1', "the text ends within an array that is opened at line 2, column 2"),
        (b'{"a":1', "the text ends within an object that is opened at line 1, column 1"),
        (b'{"a":"x', "the text ends within a string that begins at line 1, column 6"),
        (b"[1,]", "a comma stands before ]"),
        (b'{"a":1,}', "a comma stands before }"),
        (b"[1}", "} stands where ] should close"),
        (b"[1 2]", "a comma or ] should follow the value, where 2 stands"),
        (b"[\x0c1]", "a value or ] should stand here, where the byte 0C stands"),
        (b"{a:1}", "the name of a member, or }, should stand here, where a stands"),
        (b'{"a" 1}', "a colon should follow the name, where 1 stands"),
        (b"[01]", "a number has a leading zero"),
        (b"[1.]", "a number is broken off at its ."),
        (b"[.5]", "a number begins with ."),
        (b"[+1]", "a number begins with +"),
        (b"[-]", "a minus sign stands here without a number"),
        (b"[-Infinity]", "-Infinity is not a number in JSON"),
        (b"[True]", "True is not a value in JSON"),
        (b"['a']", "a single quote stands here, where JSON has double quotes"),
        (b"[1] // x", "a comment (//) stands here, which JSON does not have"),
        (b"[1] x", "more text follows after the JSON value"),
        (b'["\\x41"]', "\\x is not an escape"),
        (b'["\\\t"]', "a backslash before the byte 09 is not an escape"),
        (b'["\\u12"]', "\\u is not followed by four hexadecimal digits"),
        (b'["\n"]', "the control character 0A stands in a string, where it must be escaped"),
        (b'{"a":1,\n"a":2}', 'the name "a" is given twice in one object; it stood first at line 1, column 2'),
        (b"[1" + b"0" * 400 + b"]", "the integer 1" + "0" * 58 + "… is beyond ±(2^53-1), up to which a double is exact"),
        (b"[1e999]", "the number 1e999 is beyond the range of a double"),
        (b'["\\uD800"]', "\\uD800 is half of a surrogate pair, and stands for no character"),
    ],
)
def test_the_fault_is_named_plainly(data: bytes, message: str) -> None:
    kind, problems = outcome(data)
    assert kind == "refused"
    assert [problem.message for problem in problems] == [message]


def test_all_faults_are_found_in_one_run() -> None:
    data = b'{"a": 1e400, "b": "\\ud800", "a": 9007199254740992, "c": [1, "a": NaN'
    assert rules(data) == [
        ("not-i-json", 6, "/a"), ("not-i-json", 19, "/b"), ("duplicate-name", 28, "/a"), ("not-i-json", 33, "/a"),
        ("invalid-json", 63, "/c"),
    ]  # fmt: skip


def test_a_repeated_name_leads_to_the_first_one() -> None:
    with pytest.raises(ParseError) as caught:
        parse(b'{"a":1,"b":2,"a":3,"a":4}', LIMITS)
    assert [(problem.offset, problem.actual) for problem in caught.value.problems] == [(13, "a"), (19, "a")]
    assert caught.value.first == {13: 1, 19: 1}
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.problems, again.first, str(again)) == (caught.value.problems, caught.value.first, str(caught.value))
    assert str(again).startswith('the name "a" is given twice')


@pytest.mark.parametrize("limit", [1, 2, 3, 199, 200, 201, 249, 250, 251, 10_000])
@pytest.mark.parametrize(
    ("open_", "inner", "close"), [(b"[", b"", b"]"), (b"[", b"1", b"]"), (b'{"a":', b"[]", b"}"), (b' [ {"[":[ ', b'"{"', b"] } ]")]
)
def test_depth_is_limited_exactly(limit: int, open_: bytes, inner: bytes, close: bytes) -> None:
    limits, most = Limits(max_depth=limit), min(limit, MAX_DEPTH)
    levels, extra = (3 if b"{" in open_ and b"[" in open_ else 1), inner.count(b"[")
    for repeats in {1, 2, 3, most // levels - 1, most // levels, most // levels + 1, 251} - {0, -1}:
        data = open_ * repeats + inner + close * repeats
        fast, reference = outcome(data, limits), outcome(data, limits, reference=True)
        assert fast == reference
        assert (fast[0] == "read") == (repeats * levels + extra <= most)
        if fast[0] == "refused":
            assert [(problem.rule, problem.expected) for problem in fast[1]] == [("too-deep", most)]
            assert "--max-depth" in fast[1][0].message
        assert disagreement(data, limits) is None


def test_size_is_limited_exactly() -> None:
    assert parse(b"[1]", Limits(max_size=3)) == [1]
    kind, problems = outcome(b"[1] ", Limits(max_size=3))
    assert (kind, [(p.rule, p.offset, p.expected, p.actual) for p in problems]) == ("refused", [("oversized-input", None, 3, 4)])
    assert "--max-size" in problems[0].message


def test_what_orjson_counts_is_what_the_limit_rests_on() -> None:
    assert parsing._ORJSON_DEPTH > MAX_DEPTH


def test_the_list_of_faults_is_bounded() -> None:
    data = b"[" + b",".join([b"1e400"] * 1000) + b"]"
    assert [problem.rule for problem in outcome(data)[1]] == ["not-i-json"] * 1000
    for limit, beyond in ((999, "1 error"), (10, "990 errors")):
        *problems, last = outcome(data, Limits(max_findings=limit))[1]
        assert [problem.rule for problem in problems] == ["not-i-json"] * limit
        assert (last.rule, last.message) == (
            "too-many-findings",
            f"more than {limit} findings (--max-findings): {beyond} beyond are not listed",
        )
    long = b'{"' + b"n" * 200_000 + b'":{' + b",".join([b'"a":1'] * 200) + b"}}"
    assert {problem.pointer for problem in outcome(long)[1]} == {None}


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"[" * 2_000_000, "too-deep"),
        (b'{"a":' * 1_000_000, "too-deep"),
        (b"]" * 2_000_000, "invalid-json"),
        (b"1" * 3_000_000, "not-i-json"),
        (b"-" * 3_000_000, "invalid-json"),
        (b'"' + b"\\" * 4_000_001, "invalid-json"),
        (b'"' * 4_000_001, "invalid-json"),
        (b"[" + b" " * 4_000_000, "invalid-json"),
        (b'["' + b"a" * 15_000_000, "invalid-json"),
        (b"1." + b"0" * 3_000_000 + b"x", "invalid-json"),
    ],
    ids=lambda item: item if isinstance(item, str) else f"{item[:6]!r}…",
)
def test_hostile_texts_are_refused(data: bytes, rule: str) -> None:
    kind, problems = outcome(data)
    assert (kind, problems[0].rule) == ("refused", rule)
    assert len(problems[0].message) < 200


def test_large_texts_are_read() -> None:
    assert len(parse(b'"' + b"a" * 16_000_000 + b'"', LIMITS)) == 16_000_000
    assert len(parse(b"[" + b"[]," * 300_000 + b"1.5]", LIMITS)) == 300_001


@pytest.mark.parametrize(("left", "right"), [(1, 1.0), (1, True), (0, False), (0.0, -0.0), ("a", "b"), ([1], [1, 1]), ({"a": 1}, {"b": 1})])
def test_values_that_python_takes_for_equal_are_not_the_same(left: Any, right: Any) -> None:
    assert not same(left, right)
    assert not same([{"a": left}], [{"a": right}])
    assert same([{"a": left}], [{"a": left}])


def test_a_disagreement_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert disagreement(b'{"a":1}', LIMITS) is None
    monkeypatch.setattr("jiter.from_json", lambda _, **__: {"a": 1.0})
    assert disagreement(b'{"a":1}', LIMITS) == "jiter and the standard library read different values"
    assert disagreement(b'{"a":1', LIMITS) == "jiter accepts the text, the standard library refuses it"

    def refuse(_: bytes, **__: Any) -> None:
        raise ValueError("no")

    monkeypatch.setattr("jiter.from_json", refuse)
    assert disagreement(b'{"a":1}', LIMITS) == "jiter refuses the text (no), the standard library accepts it"


@pytest.mark.parametrize("record", ["fu-et-al-neuron-distributed-training-2024", "mudigere-et-al-neo-zionex-2021"])
def test_real_records_are_read_fast(record: str) -> None:
    data = (shared("records") / f"{record}.json").read_bytes()
    fast = parse_fast(data, LIMITS)
    assert dump(fast, LIMITS.max_depth)
    assert same(fast, parse(data, LIMITS, reference=True))
