"""Reads a page of the HTML report as a program does: its policy, its style and scripts, its blocks of data, and its plain text."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

from wrs_verify.model import Json

__all__ = ["Page", "findings"]

_VOID = {"meta", "input", "br", "link", "base", "img", "hr"}


class Page(HTMLParser):
    """A page. `data` joins the blocks of data by kind, `text` is what can be read without scripts, by the id of its element too."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[str | None, str]] = []
        self.styles: list[str] = []
        self.texts: dict[str, str] = {}
        self.text = ""
        self.data: dict[str, list[Json]] = {}
        self._open: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()
        assert self._open == []
        for kind, block in self.scripts:
            if kind == "application/json":
                for name, items in json.loads(block).items():
                    self.data.setdefault(name, []).extend(items)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        assert len(attributes) == len(attrs)
        self.tags.append((tag, attributes))
        if tag not in _VOID:
            self._open.append((tag, attributes.get("id")))
        if tag == "script":
            self.scripts.append((attributes.get("type"), ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        tag = self._open[-1][0] if self._open else ""
        if tag == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        elif tag == "style":
            self.styles.append(data)
        else:
            self.text += data
            for _, name in self._open:
                if name:
                    self.texts[name] = self.texts.get(name, "") + data

    @property
    def policy(self) -> dict[str, list[str]]:
        """The content security policy, by directive."""
        (content,) = [made["content"] for tag, made in self.tags if tag == "meta" and "http-equiv" in made]
        return {name: sources for name, *sources in (directive.split() for directive in str(content).split(";"))}

    def count(self, name: str) -> int:
        """A number of the summary."""
        return int(self.texts.get(f"count-{name}", "0").replace(",", ""))


def findings(page: Page) -> list[dict[str, Any]]:
    """All findings of the page's data that are not allowed."""
    return [finding for record in page.data.get("records", []) for finding in record["findings"]] + page.data.get("outside", [])


def words(text: str) -> str:
    """The text with every run of blanks as one."""
    return re.sub(r"\s+", " ", text).strip()
