"""The statement of a research note: Markdown that repeats the record's other members, and how to read them back out of it.

A valid record does not pay for Markdown: `repeats` compares the text with the one that the other members predict. Only where
that fails is the text parsed (CommonMark, by markdown-it) and taken apart with `read`, so that a difference can be explained.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

__all__ = ["MAX_LENGTH", "PEOPLE", "READING", "SCOPE", "SOURCES", "Link", "Pieces", "plain", "predict", "read", "repeats"]

SCOPE, READING, PEOPLE, SOURCES = "Scientific scope", "Reading status", "People and systems", "Original sources"

#: Characters of a statement that are taken apart at most: fifty times those of a published one, and a second of work.
MAX_LENGTH = 100_000


class Link(NamedTuple):
    """A source as the statement shows it."""

    text: str
    url: str


class Pieces(NamedTuple):
    """What a statement says, each as raw Markdown; None where the statement has no such place, or has it twice.

    `credit` holds every paragraph that follows the names under "People and systems"; `links` is None where some
    line under "Original sources" is no link. `before` is what stands before the first heading, and `order` holds the
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


def repeats(statement: str, predicted: tuple[str, str]) -> bool:
    """Whether a statement is the predicted one, and reads as that to a Markdown parser too.

    In the usual form no member can hold a heading or a paragraph of its own, so that equal text means equal structure.
    Anything else is False: `read` decides.
    """
    head, tail = predicted
    return (
        statement.startswith(head)
        and statement.endswith(tail)
        and len(head) < len(statement) - len(tail)
        and _read_plain(statement) is not None
    )


def read(statement: str) -> Pieces:
    """Take a statement of at most MAX_LENGTH characters apart at its headings, as a CommonMark parser sees them."""
    return _read_plain(statement) or _read_any(statement)


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
