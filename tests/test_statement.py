"""The statement, read with and without a Markdown parser."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from wrs_verify import statement

VALID = Path(__file__).resolve().parent.parent / "vectors" / "valid" / "several-sources.json"

line = st.text(st.sampled_from("aB1 #*_`[]()<>\\\\&!-+=~.:;|\t\u00e9\u2028"), min_size=1, max_size=12)
paragraph = st.one_of(line, line.map("a".__add__), st.lists(line, min_size=1, max_size=3).map("\n".join))


@given(paragraph, paragraph, paragraph, st.lists(line, max_size=3), paragraph, st.lists(st.tuples(line, line), max_size=3), paragraph)
@settings(max_examples=600)
def test_the_quick_reading_is_that_of_the_parser(
    title: str, summary: str, boundary: str, people: list[str], credit: str, links: list[tuple[str, str]], words: str
) -> None:
    head, tail = statement.predict(title, summary, boundary, people, credit, links)
    text = head + words + tail
    quick = statement._read_plain(text)
    assert quick is None or quick == statement._read_any(text)
    if statement.repeats(text, (head, tail)):
        pieces = statement.read(text)
        assert pieces.order == (statement.SCOPE, statement.READING, statement.PEOPLE, statement.SOURCES)


def test_the_usual_form_needs_no_parser() -> None:
    text = json.loads(VALID.read_bytes())["version"]["record"]["statement"]
    assert statement._read_plain(text) == statement._read_any(text)
    assert statement._read_plain(text) is not None
