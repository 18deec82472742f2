"""The rules: what each checks, at what level, and on what.

A rule is a function, registered with its name, level and scope; its family is its module. Its docstring is its
documentation, in three parts: what is wrong, then a paragraph that begins "Why:" and one that begins "Mend:".

A rule's scope says what the function is given and when:

* `input`: a `Problem` that kept an input from being read as JSON;
* `record`: a `Record`;
* `drop`: the facts of all records (see `rules.drop`);
* `run`: nothing: the engine itself reports these.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Literal, NamedTuple, TypeAlias

from wrs_verify import safe
from wrs_verify.model import Json, Level, Related

__all__ = ["FAMILIES", "Found", "Rule", "Scope", "quote", "rule", "rules"]

Scope: TypeAlias = Literal["input", "record", "drop", "run"]

FAMILIES = ("input", "profile", "hashes", "agreement", "claims", "engine")


#: Characters of a value that a message shows.
_SHOWN = 80


class Found(NamedTuple):
    """What a rule found; the engine makes a finding of it. `pointer` is where, None where no place in a record is meant."""

    pointer: str | None
    message: str
    expected: Json = None
    actual: Json = None
    related: tuple[Related, ...] = ()


class Rule(NamedTuple):
    """A registered rule."""

    name: str
    level: Level
    scope: Scope
    family: str
    check: Callable[[Any], Iterable[Found]]

    @property
    def documentation(self) -> str:
        """What it checks, why, and how to mend what it finds."""
        return self.check.__doc__ or ""


_registered: dict[str, Rule] = {}


def rule(
    name: str, level: Level, scope: Scope = "record"
) -> Callable[[Callable[[Any], Iterable[Found]]], Callable[[Any], Iterable[Found]]]:
    """Register a function as the rule of that name.

    Raises:
        ValueError: two rules have one name.
    """

    def register(check: Callable[[Any], Iterable[Found]]) -> Callable[[Any], Iterable[Found]]:
        if name in _registered:
            raise ValueError(f"two rules are named {name}")
        _registered[name] = Rule(name, level, scope, check.__module__.rpartition(".")[2], check)
        return check

    return register


@cache
def rules() -> dict[str, Rule]:
    """Every rule by its name, in the order of the families and, within one, of its module."""
    for family in FAMILIES:
        importlib.import_module(f"{__name__}.{family}")
    return dict(_registered)


def quote(value: Json) -> str:
    """A record's value as a message shows it: JSON text on one line, shortened in the middle, safe to print."""
    return safe.value(value, _SHOWN)
