"""What a rule checks, why, and how to mend what it finds: as text for a terminal.

A rule's docstring is its documentation. Its examples are in `examples.json`, which `docs/make.py` takes from the vectors.
"""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import NamedTuple

from wrs_verify import policy
from wrs_verify.model import Json
from wrs_verify.rules import Rule, quote, rules
from wrs_verify.safe import shorten, visible

__all__ = ["LABELS", "Documentation", "Example", "UnknownRule", "documentation", "examples", "explain", "leeway", "listing"]

#: What an example with the defect is called, by the level of the rule: not everything that is found fails a run.
LABELS = {"error": "Fails", "warning": "Fails with --strict", "note": "Is noted"}

_SENTENCE = re.compile(r"(.*?\.)(?=\s+[A-Z`]|$)", re.DOTALL)
_INDENT = 4
_MIN_TEXT = 30


class UnknownRule(ValueError):
    """No rule has this name. The message is for users."""


class Documentation(NamedTuple):
    """The parts of a rule's docstring, each one or more paragraphs on a line of their own."""

    what: tuple[str, ...]
    why: tuple[str, ...]
    mend: tuple[str, ...]

    @property
    def summary(self) -> str:
        """The first sentence."""
        found = _SENTENCE.match(self.what[0])
        return found[1] if found else self.what[0]


class Example(NamedTuple):
    """A run of the command on a vector: how it is called, what the finding says (empty in a passing one), the lines that matter."""

    command: str
    says: str
    lines: tuple[str, ...]


def documentation(rule: Rule) -> Documentation:
    """Take a rule's docstring apart.

    Raises:
        ValueError: one of the three parts is missing, or comes out of its order.
    """
    paragraphs = [" ".join(part.split()) for part in inspect.cleandoc(rule.documentation).split("\n\n")]
    starts = [next((at for at, text in enumerate(paragraphs) if text.startswith(word)), 0) for word in ("Why: ", "Mend: ")]
    why, mend = starts
    if not 0 < why < mend:
        raise ValueError(f"the documentation of {rule.name} must say what is wrong, then why that matters, then how to mend it")
    first_of_why, first_of_mend = paragraphs[why].removeprefix("Why: "), paragraphs[mend].removeprefix("Mend: ")
    return Documentation(tuple(paragraphs[:why]), (first_of_why, *paragraphs[why + 1 : mend]), (first_of_mend, *paragraphs[mend + 1 :]))


@cache
def examples() -> dict[str, tuple[Example, Example]]:
    """For each rule that a file can break: an example with the defect, and one without it."""
    found: Json = json.loads(resources.files("wrs_verify").joinpath("examples.json").read_bytes())
    return {name: (_example(pair["fails"]), _example(pair["passes"])) for name, pair in found.items()}


def _example(stated: Json) -> Example:
    return Example(stated["command"], stated["says"], tuple(stated["lines"]))


def explain(name: str, width: int) -> str:
    """A rule's documentation as text.

    Args:
        name: the rule.
        width: columns of the terminal.

    Raises:
        UnknownRule: there is no such rule.
    """
    rule = rules().get(name)
    if rule is None:
        near = " or ".join(get_close_matches(name, rules(), 3))
        raise UnknownRule(f"there is no rule {quote(name)}; " + (f"did you mean {near}?" if near else "--list-rules lists them"))
    known = documentation(rule)
    parts = [_wrapped(f"{rule.name}: {rule.level}, of the family {rule.family}; {leeway(rule)}", width)]
    for word, paragraphs in (("", known.what), ("Why: ", known.why), ("Mend: ", known.mend)):
        parts += [_wrapped(word + text if at == 0 else text, width) for at, text in enumerate(paragraphs)]
    pair = examples().get(name)
    if pair:
        parts += ["\n".join(_shown(word, one, width)) for word, one in zip((LABELS[rule.level], "Passes"), pair, strict=True)]
    return "\n\n".join(parts) + "\n"


def leeway(rule: Rule) -> str:
    """What a configuration can do about a rule, as a clause without a subject."""
    lowered = rule.level != "note" and policy.level_fault(rule.name, "note") is None
    allowed = policy.allowance_fault(rule.name) is None
    if lowered or allowed:
        where = "allowed at one place in a record" if rule.leeway == "place" else "allowed in a record"
        return "can be " + " or ".join(word for word, able in (("lowered", lowered), (where, allowed)) if able)
    return "cannot be lowered or allowed" if rule.level != "note" else "cannot be allowed"


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(text, max(width, _MIN_TEXT), break_long_words=False, break_on_hyphens=False)


def _shown(word: str, example: Example, width: int) -> Iterator[str]:
    yield f"{word}: {example.command}"
    if example.says:
        yield textwrap.indent(_wrapped(visible(example.says), width - _INDENT), " " * _INDENT)
    for line in example.lines:
        yield " " * _INDENT + shorten(line, max(width - _INDENT, _MIN_TEXT))


def listing(width: int | None) -> str:
    """A table of all rules: name, level, family, and what is wrong in a sentence.

    Args:
        width: columns of the terminal; None puts each rule on one line however long it is.
    """
    rows = [(rule.name, rule.level, rule.family, documentation(rule).summary) for rule in rules().values()]
    columns = [max(len(row[at]) for row in rows) for at in range(3)]
    lines: list[str] = []
    for *cells, summary in rows:
        head = "  ".join(cell.ljust(column) for cell, column in zip(cells, columns, strict=True)) + "  "
        room = None if width is None else max(width - len(head), _MIN_TEXT)
        text = [summary] if room is None else textwrap.wrap(summary, room, break_long_words=False, break_on_hyphens=False)
        lines += [head + text[0], *[" " * len(head) + more for more in text[1:]]]
    return "\n".join(lines) + "\n"
