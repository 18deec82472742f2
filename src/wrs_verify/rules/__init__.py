"""The rules: what each checks, at what level, and on what.

A rule is a function, registered with its name, level and scope; its family is its module. Its docstring is its
documentation, in three parts: what is wrong, then a paragraph that begins "Why:" and one that begins "Mend:".

A rule's scope says what the function is given and when:

* `input`: a `Problem` that kept an input from being read as JSON;
* `record`: a `Record`;
* `drop`: the groups of facts that belong together (see `rules.drop`);
* `history`: the changes against what was seen before (see `rules.history`);
* `run`: nothing: the engine itself reports these.

A rule's leeway says how far a user may go easy on it:

* `none`: not at all. The verdict would rest on nothing without it; so it is with every error outside the records;
* `place`: at one place in one record, by an allowance that names its pointer. Its level cannot be lowered. Where a value is not of its
  form, other rules could not read it and were silent: whoever allows that is to say of which value;
* `record`: in one record, by an allowance. Its level cannot be lowered;
* `any`: by an allowance, and by a lower level.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, TypeAlias

from wrs_verify import safe
from wrs_verify.model import Json, Level, Related

__all__ = ["FAMILIES", "Found", "Leeway", "Rule", "Scope", "contrast", "enumerated", "quote", "rule", "rules"]

Scope: TypeAlias = Literal["input", "record", "drop", "history", "run"]
Leeway: TypeAlias = Literal["none", "place", "record", "any"]

FAMILIES = ("input", "profile", "hashes", "agreement", "claims", "drop", "history", "configuration", "engine")


#: Characters of a value that a message shows.
_SHOWN = 80


class Found(NamedTuple):
    """What a rule found; the engine makes a finding of it. `pointer` is where, None where no place in a record is meant.

    `input` and `line` tell of which record, for a rule that is given more than one.
    """

    pointer: str | None
    message: str
    expected: Json = None
    actual: Json = None
    related: tuple[Related, ...] = ()
    input: str = ""
    line: int | None = None


class Rule(NamedTuple):
    """A registered rule."""

    name: str
    level: Level
    scope: Scope
    family: str
    check: Callable[[Any], Iterable[Found]]
    unless: str | None = None
    """A property of a record with which the rule can find nothing: it is not asked then."""
    leeway: Leeway = "any"

    @property
    def documentation(self) -> str:
        """What it checks, why, and how to mend what it finds."""
        return self.check.__doc__ or ""


_registered: dict[str, Rule] = {}


def rule(
    name: str, level: Level, scope: Scope = "record", *, unless: str | None = None, leeway: Leeway | None = None
) -> Callable[[Callable[[Any], Iterable[Found]]], Callable[[Any], Iterable[Found]]]:
    """Register a function as the rule of that name. Its leeway is `any` unless it is given, or the rule is an error outside the records.

    Raises:
        ValueError: two rules have one name.
    """

    def register(check: Callable[[Any], Iterable[Found]]) -> Callable[[Any], Iterable[Found]]:
        if name in _registered:
            raise ValueError(f"two rules are named {name}")
        granted = leeway or ("none" if level == "error" and scope != "record" else "any")
        _registered[name] = Rule(name, level, scope, check.__module__.rpartition(".")[2], check, unless, granted)
        return check

    return register


@cache
def rules() -> dict[str, Rule]:
    """Every rule by its name, in the order of the families and, within one, of its module."""
    for family in FAMILIES:
        importlib.import_module(f"{__name__}.{family}")
    return {rule.name: rule for rule in sorted(_registered.values(), key=lambda rule: FAMILIES.index(rule.family))}


def quote(value: Json) -> str:
    """A record's value as a message shows it: JSON text on one line, shortened in the middle, safe to print."""
    return safe.value(value, _SHOWN)


def enumerated(parts: Sequence[str]) -> str:
    """Parts of a sentence, one after the other: "a, b and c"."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if parts[1:] else parts)


def contrast(one: Json, other: Json) -> tuple[str, str]:
    """Two values that differ, as a message shows them: where they are long, around the first difference."""
    return safe.contrast(one, other, _SHOWN)
