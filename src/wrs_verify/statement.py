"""The statement of a research note: Markdown that repeats the record's other members, and how to read them back out of it.

A valid record does not pay for Markdown: `repeats` compares the text with the one that the other members predict. Only where
that fails is the text parsed (CommonMark, by markdown-it) and taken apart with `read`, so that a difference can be explained.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

__all__ = [
    "MAX_LENGTH",
    "PEOPLE",
    "READING",
    "SCOPE",
    "SOURCES",
    "Link",
    "Pieces",
    "is_one_link",
    "is_usual",
    "markup",
    "may_be_marked",
    "plain",
    "predict",
    "read",
    "references",
    "repeats",
]

SCOPE, READING, PEOPLE, SOURCES = "Scientific scope", "Reading status", "People and systems", "Original sources"

#: What may begin a tag, a comment or an address in angle brackets.
_TAG = re.compile(r"<[A-Za-z/!?]")
#: What keeps a link from leading to the address that stands in it, as it stands there.
_RARE_IN_ADDRESS = re.compile(r"[()\\\s<>`&]")
_ODD_ADDRESS = re.compile(r"[()\\\s<>`]|&[^;]*;")
_MARKUP = {
    "heading_open": "a heading",
    "html_block": "HTML",
    "html_inline": "HTML",
    "image": "a picture",
    "link_open": "a link",
}

#: Characters of a statement that are taken apart at most: fifty times those of a published one, and a second of work.
MAX_LENGTH = 100_000


class Link(NamedTuple):
    """A source as the statement shows it."""

    text: str
    url: str


class Pieces(NamedTuple):
    """What a statement says, each as raw Markdown; None where the statement has no such place, or has it twice.

    `credit` holds every paragraph that follows the names under "People and systems"; `links` is None where some
    line under "Original sources" is not a link. `before` is what stands before the first heading, and `order` holds the
    headings of level 2 in the order in which they stand.
    """

    title: str | None
    summary: str | None
    boundary: str | None
    people: str | None
    credit: tuple[str, ...]
    links: tuple[Link, ...] | None
    order: tuple[str, ...]
    before: str


def predict(
    title: str, summary: str, boundary: str, people: Iterable[str], credit: str, links: Iterable[tuple[str, str]]
) -> tuple[str, str]:
    """The statement that the other members of a record predict, as the text before and after the words on its reading status."""
    head = f"# {title}\n\n{summary}\n\n## {SCOPE}\n\n{boundary}\n\n## {READING}\n\n"
    lines = "".join([f"- [{text}]({url})\n" for text, url in links])
    return head, f"\n\n## {PEOPLE}\n\n{'; '.join(people)}\n\n{credit}\n\n\n\n## {SOURCES}\n\n{lines}"


def repeats(
    statement: str, title: str, summary: str, boundary: str, people: Sequence[str], credit: str, links: Sequence[tuple[str, str]]
) -> bool:
    """Whether a statement is the one that the other members predict, and reads as that to a Markdown parser too.

    In the usual form, which is that of `_read_plain`, no member can hold a heading or a paragraph of its own, so that equal
    text means equal structure. Anything else is False: `read` decides.
    """
    head, tail = predict(title, summary, boundary, people, credit, links)
    if not (statement.startswith(head) and statement.endswith(tail) and len(head) < len(statement) - len(tail)):
        return False
    paragraphs = (summary, boundary, statement[len(head) : -len(tail)], people[0] if people else "", credit)
    members = "".join([title, *paragraphs, *people, *[text + url for text, url in links]])
    return (
        all([part[:1].isalpha() for part in paragraphs])
        and bool(links)
        and title == title.strip() == title.strip(" \t#") != ""
        and "\n" not in members
        and "\r" not in members
        and not (_is_marked(members, links) and may_be_marked(statement, links))
    )


def _is_marked(members: str, links: Sequence[tuple[str, str]]) -> bool:
    """A still quicker look, in favour of True: to search for a character takes much less time than to count it."""
    return any([mark in members for mark in "[]<\\"]) or any([_RARE_IN_ADDRESS.search(url) for _, url in links])


def may_be_marked(statement: str, links: Sequence[tuple[str, str]]) -> bool:
    """Whether anything in a statement in the usual form may be shown as a link, a picture or HTML, other than each of these links as one.

    It is a quick look, in favour of True: `markup` and `is_one_link` decide.
    """
    brackets = statement.count("[") != len(links) or statement.count("]") != len(links)  # a search for two characters takes much longer
    if not (brackets or "<" in statement or "\\" in statement or any([_RARE_IN_ADDRESS.search(url) for _, url in links])):
        return False
    return (
        statement.count("](") != len(links)
        or "\\](" in statement
        or "]:" in statement
        or ("<" in statement and _TAG.search(statement) is not None)
        or any(["[" in text or "]" in text or _ODD_ADDRESS.search(url) for text, url in links])
    )


def markup(text: str) -> tuple[str, ...]:
    """What a text of the record is shown as in a statement, other than as text (CommonMark): links, pictures, HTML, headings."""
    tokens = _parser().parse(text)
    found = {_MARKUP.get(token.type) for outer in tokens for token in (outer, *(outer.children or ()))}
    return tuple(sorted(kind for kind in found if kind))


def references(statement: str) -> list[tuple[str, str]]:
    """The label and the address of each link reference that a statement defines (CommonMark, section 4.7).

    No reader sees a definition, and by it the label in brackets, anywhere in the text, is shown as a link.
    """
    environment: dict[str, Any] = {}
    if "]:" in statement:
        _parser().disable("inline").parse(statement, environment)
    return [(label, reference["href"]) for label, reference in environment.get("references", {}).items()]


def is_one_link(link: Link) -> bool:
    """Whether a source is shown as one link to its address, without a picture or HTML in it."""
    parser = _parser()
    tokens = parser.parseInline(f"[{link.text}]({link.url})")[0].children or []
    shown = [token for token in tokens if token.type in _MARKUP]
    return [token.attrs.get("href") for token in shown] == [parser.normalizeLink(link.url)]


def _parser() -> MarkdownIt:
    """A parser that takes every address for one, as CommonMark does: whether an address is safe is not its matter."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.validateLink = lambda _: True  # type: ignore[assignment,method-assign]
    return parser


def read(statement: str) -> Pieces:
    """Take a statement of at most MAX_LENGTH characters apart at its headings, as a CommonMark parser sees them."""
    return _read_plain(statement) or _read_any(statement)


def is_usual(statement: str) -> bool:
    """Whether a statement is in the usual form, in which no text can be more than a paragraph."""
    return _read_plain(statement) is not None


def _read_plain(statement: str) -> Pieces | None:
    """As `read`, without a parser, for a statement in the usual form; None for any other.

    Every paragraph is a single line that begins with a letter, and so can be nothing but a paragraph.
    """
    parts = statement.split("\n\n")
    if len(parts) != len(_USUAL) or "\r" in statement or "\n" in "".join(parts[:-1]):
        return None
    if any(not part[:1].isalpha() if usual is None else part != usual for part, usual in zip(parts[1:-1], _USUAL[1:-1], strict=True)):
        return None
    links = _links(parts[-1])
    plain_links = all(line.startswith("- [") for line in parts[-1].removesuffix("\n").split("\n"))
    title = parts[0].removeprefix("# ")
    if not (parts[0].startswith("# ") and title and title == title.strip() == title.strip(" \t#") and links and plain_links):
        return None
    return Pieces(title, parts[1], parts[3], parts[7], (parts[8],), links, (SCOPE, READING, PEOPLE, SOURCES), "")


#: The paragraphs of a statement in the usual form, as far as they are the same in all: None is text. The place of the agents is empty.
_USUAL = (None, None, f"## {SCOPE}", None, f"## {READING}", None, f"## {PEOPLE}", None, None, "", f"## {SOURCES}", None)


def _read_any(statement: str) -> Pieces:
    text = statement.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    headings = _headings(text)
    ends = [*[start for start, *_ in headings][1:], len(lines)]
    bodies = [(level, name, "\n".join(lines[body:end]).strip("\n")) for (_, body, level, name), end in zip(headings, ends, strict=False)]
    titles = [(name, body) for level, name, body in bodies if level == 1]
    title, summary = titles[0] if len(titles) == 1 else (None, None)

    def section(name: str) -> str | None:
        found = [body for level, heading, body in bodies if level == 2 and heading == name]
        return found[0] if len(found) == 1 else None

    people, *credit = (section(PEOPLE) or "").split("\n\n")
    return Pieces(
        title=title,
        summary=summary,
        boundary=section(SCOPE),
        people=people or None,
        credit=tuple(part.strip("\n") for part in credit if part.strip()),
        links=_links(section(SOURCES)),
        order=tuple(name for level, name, _ in bodies if level != 1),
        before="\n".join(lines[: headings[0][0]] if headings else lines).strip(),
    )


def plain(markdown: str) -> str | None:
    """The text that a reader of some Markdown sees, escapes resolved (CommonMark); None where there is more than text, such as a link."""
    from markdown_it import MarkdownIt

    shown = {"softbreak": "\n", "hardbreak": "\n"}
    children = MarkdownIt("commonmark").parseInline(markdown)[0].children or []
    if any(child.type not in ("text", "text_special", *shown) for child in children):
        return None
    return "".join(shown.get(child.type, child.content) for child in children)


def _blocks() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").disable("inline")


def _headings(text: str) -> list[tuple[int, int, int, str]]:
    """The headings outside any quote or list: first line, line after, level, raw text."""
    tokens = _blocks().parse(text)
    return [
        (opened.map[0], opened.map[1], int(opened.tag[1:]), inline.content)
        for opened, inline in pairwise(tokens)
        if opened.type == "heading_open" and opened.level == 0 and opened.map
    ]


def _links(section: str | None) -> tuple[Link, ...] | None:
    if section is None:
        return None
    links = [_link(line.removeprefix("- ").strip()) for line in section.split("\n") if line.strip()]
    return tuple(link for link in links if link) if all(links) else None


def _link(line: str) -> Link | None:
    """The one link that a line consists of, its text as written: a title may hold brackets that nobody escaped, but no other link."""
    if not (line.startswith("[") and line.endswith(")") and "](" in line):
        return None
    text, _, url = line[1:-1].rpartition("](")
    return None if "](" in text else Link(text, url)
