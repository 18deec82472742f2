"""The statement, read with and without a Markdown parser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wrs_verify import statement

VALID = Path(__file__).resolve().parent.parent / "vectors" / "valid" / "several-sources.json"

PARSER = statement._parser()
ODD = ("[", "](", "]", ")", "(", "!", "<", ">", "<b", "</", "`", "\\", "]:", "&amp;", "&", ";", " ", "x", "https://example.com", '"')

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
    repeats = statement.repeats(text, title, summary, boundary, people, credit, links)
    assert repeats == (quick is not None and not statement.may_be_marked(text, links))
    if repeats:
        assert shown(text) == [("link_open", PARSER.normalizeLink(url)) for _, url in links]
        pieces = statement.read(text)
        assert pieces.order == (statement.SCOPE, statement.READING, statement.PEOPLE, statement.SOURCES)


def shown(text: str) -> list[tuple[str, object]]:
    """The links, pictures and HTML that a reader of the statement is shown."""
    tokens = [child for outer in PARSER.parse(text) for child in (outer, *(outer.children or ()))]
    marks = ("link_open", "image", "html_inline", "html_block")
    return [(token.type, token.attrs.get("href")) for token in tokens if token.type in marks]


@given(st.lists(st.sampled_from(ODD), min_size=1, max_size=6).map("".join))
@settings(max_examples=300)
def test_whatever_is_more_than_text_is_found_in_a_usual_statement(odd: str) -> None:
    for members in (
        (odd, "s", "b", ["p"], "c", [("t", "https://example.org/1")]),
        ("t", f"a{odd}", f"b{odd}", [f"p{odd}"], f"c{odd}", [("t", "https://example.org/1")]),
        ("t", "s", "b", ["p"], "c", [(odd, "https://example.org/1"), ("u", "https://example.org/2")]),
        ("t", "s", "b", ["p"], "c", [("t", f"https://example.org/{odd}")]),
    ):
        head, tail = statement.predict(*members)
        text = f"{head}words{tail}"
        if statement.repeats(text, *members):
            assert shown(text) == [("link_open", PARSER.normalizeLink(url)) for _, url in members[-1]]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Plain, p < 0.05, [1] and *stressed*, `code`, \\alpha", ()),
        ("[a](https://example.org)", ("a link",)),
        ("<https://example.org>", ("a link",)),
        ("![](https://example.org/a.gif)", ("a picture",)),
        ("a <b>bold</b> claim", ("HTML",)),
        ("<div>\n\na", ("HTML",)),
        ("# Retracted", ("a heading",)),
        ("Retracted\n---", ("a heading",)),
        ("> # Retracted", ("a heading",)),
        ("[a](javascript:alert(1))", ("a link",)),
        ("a ![](x) <i>", ("HTML", "a picture")),
    ],
)
def test_what_a_text_is_shown_as(text: str, kinds: tuple[str, ...]) -> None:
    assert statement.markup(text) == kinds


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[a] [b](c), and so on: d [e]:", []),
        ("text\n[a]: /b", []),
        ("`[a]:` b", []),
        ("```\n[a]: /b\n```", []),
        ("[a]: /b", [("A", "/b")]),
        ("> - [a\n  b]:\n>   <c d> 'e'", [("A B", "c%20d")]),
        ("[a]: javascript:b\n[a]: /c\n[\\]]: /d", [("A", "javascript:b"), ("\\]", "/d")]),
    ],
)
def test_link_references(text: str, found: list[tuple[str, str]]) -> None:
    assert statement.references(text) == found


@pytest.mark.parametrize(
    ("text", "url", "one"),
    [
        ("a", "https://example.org/a_(b)", True),
        ("a [b]", "https://example.org/?a=1&b=2", True),
        ("a", "https://example.org/a)b", False),
        ("a", "https://example.org/?a=1&copy;=2", False),
        ("a\\", "https://example.org", False),
        ("![](x)", "https://example.org", False),
        ("<b>", "https://example.org", False),
        ("<https://example.com>", "https://example.org", False),
        ("`a", "https://example.org/`", False),
        ("a](https://example.com) [b", "https://example.org", False),
    ],
)
def test_what_is_one_link_to_its_address(text: str, url: str, one: bool) -> None:
    assert statement.is_one_link(statement.Link(text, url)) == one


def test_markup_has_no_plain_text_and_a_text_is_not_a_link() -> None:
    assert statement.plain(r"a \*b\* &amp; c") == "a *b* & c"
    assert statement.plain("a [b](c)") is None
    text = f"# t\n\ns\n\n## {statement.SOURCES}\n\n- [a](b)\n- a text"
    assert statement.read(text).links is None
    assert statement.read(text.replace("- a text", "- [c](d)")).links == (("a", "b"), ("c", "d"))


def test_the_usual_form_needs_no_parser() -> None:
    text = json.loads(VALID.read_bytes())["version"]["record"]["statement"]
    assert statement._read_plain(text) == statement._read_any(text)
    assert statement._read_plain(text) is not None
