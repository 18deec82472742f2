"""What stands at the place of a finding."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import wrs_verify
from hypothesis import given
from hypothesis import strategies as st

from wrs_verify import Options, pointers, verify_bytes
from wrs_verify.model import Excerpt
from wrs_verify.placing import excerpt

VECTORS = Path(__file__).resolve().parent.parent / "vectors"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{\n  "a": ^true,\n  "b": 1\n}', Excerpt('  "a": ', "true", ",")),
        ('{"a": ^-1.5e+3}\r\n', Excerpt('{"a": ', "-1.5e+3", "}")),
        ('^{"a": 1}', Excerpt("", "{", '"a": 1}')),
        ('{"a": ^"say \\"no\\", é"}', Excerpt('{"a": ', '"say \\"no\\", é"', "}")),
        ('{"a": ^"no end\n}', Excerpt('{"a": ', '"no end', "")),
        ('{"a": ^"no end\\\n}', Excerpt('{"a": ', '"no end', "\\")),
        ('{"a": "b^\\q"}', Excerpt('{"a": "b', "\\", 'q"}')),
        ('{"a": ^NaN}\r{}', Excerpt('{"a": ', "NaN", "}")),
        ('{"a": 1^', Excerpt('{"a": 1', "", "")),
        ("[\r\n^]", Excerpt("", "]", "")),
        ("^", Excerpt("", "", "")),
        ("é" * 150 + "^1" + "é" * 150, Excerpt("é" * 100, "1" + "é" * 139, "", more_before=True, more_after=True)),
        ("😀" * 100 + "^[" + "😀" * 139, Excerpt("😀" * 100, "[", "😀" * 139)),
        ("😀" * 101 + "^[" + "😀" * 140, Excerpt("😀" * 100, "[", "😀" * 139, more_before=True, more_after=True)),
    ],
)
def test_an_excerpt(text: str, expected: Excerpt) -> None:
    before, _, after = text.partition("^")
    assert excerpt((before + after).encode(), len(before.encode())) == expected


def test_bytes_that_are_not_utf_8_are_replaced() -> None:
    assert excerpt(b'{"caf\xe9": "\xff"}', 9) == Excerpt('{"caf\ufffd": ', '"\ufffd"', "}")


@given(st.text(st.sampled_from('a1"\\ é中😀\r\n,:{'), max_size=400), st.integers(0, 400))
def test_an_excerpt_is_a_piece_of_the_line_at_the_place(text: str, at: int) -> None:
    data, at = text.encode(), min(at, len(text))
    offset = len(text[:at].encode())
    found = excerpt(data, offset)
    _, column = pointers.position(data, offset)
    # A line feed after a carriage return belongs to the end of the line before it.
    line = re.split(r"\r|\n", text[:at])[-1] + re.split(r"\r|\n", text[at:])[0]
    shown = found.before + found.marked + found.after
    assert shown in line
    assert (shown == line) == (not found.more_before and not found.more_after)
    assert found.before == text[at - len(found.before) : at]
    assert found.marked + found.after == text[at:][: len(found.marked + found.after)]
    assert len(found.before) == (column - 1 if not found.more_before else 100) or text[at - 1 : at + 1] == "\r\n"
    assert found.marked or len(shown) == len(found.before)
    assert len(shown) <= 240


def test_a_place_in_a_large_text_costs_a_few_hundred_bytes() -> None:
    found = excerpt(b"[" * 5_000_000, 2_500_000)
    assert found == Excerpt("[" * 100, "[", "[" * 139, more_before=True, more_after=True)


def test_findings_have_excerpts_where_they_are_asked_for() -> None:
    data = (VECTORS / "overclaim/awarded.json").read_bytes()
    asked, unasked = (verify_bytes(data, options=Options(excerpts=wanted)).findings for wanted in (True, False))
    line = '  "scientific_verification_awarded": '
    assert {one.rule: one.excerpt for one in asked if one.level == "error"} == {"overclaim": Excerpt(line, "true", ",")}
    assert [one._replace(excerpt=None) for one in asked] == list(unasked)


@pytest.mark.parametrize("name", ["duplicate-name/other-value.json", "invalid-json/trailing-comma.json", "not-i-json/large-integer.json"])
def test_so_have_those_of_a_text_that_cannot_be_parsed(name: str) -> None:
    data = (VECTORS / name).read_bytes()
    for one in verify_bytes(data, options=Options(excerpts=True)).findings:
        assert one.excerpt
        assert one.line
        line = data.decode().splitlines()[one.line - 1]
        assert one.excerpt.before + one.excerpt.marked + one.excerpt.after == line
        assert len(one.excerpt.before) + 1 == one.column


def test_what_concerns_the_whole_record_has_none() -> None:
    (found,) = verify_bytes(b'["a list"]', options=Options(excerpts=True)).findings
    assert (found.pointer, found.line, found.column, found.excerpt) == ("", 1, 1, None)


def test_the_text_report_is_the_same_however_many_processes_there_are() -> None:
    one, three = (wrs_verify(VECTORS / "overclaim", VECTORS / "duplicate-name", "--jobs", jobs) for jobs in ("1", "3"))
    assert one.stdout == three.stdout
    assert b"\n  197 | " in one.stdout
    assert b" ^^^^\n" in one.stdout
