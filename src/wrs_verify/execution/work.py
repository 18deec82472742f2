"""Cuts a run into parts that can be checked anywhere, and checks one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from wrs_verify import engine
from wrs_verify.engine import Options
from wrs_verify.execution.sources import lookup
from wrs_verify.inputs import Found, InputLimits, Item, Read, Refused, Source, read
from wrs_verify.model import Facts, Finding, Problem, RecordResult, Skipped

__all__ = ["Outcome", "Part", "Setup", "check", "parts", "refusal"]

#: A file that whoever checks it reads, or what was read of a stream.
Part: TypeAlias = Source | Item | Skipped | Finding


class Outcome(NamedTuple):
    """What became of one thing that was found. `complete` is False where a check did not come to its end.

    `facts` are those of a record, for the rules of the drop.
    """

    found: RecordResult | Skipped | Finding
    complete: bool = True
    facts: Facts | None = None


class Setup(NamedTuple):
    """How the parts of a run are read and checked. `sources` names the file of source versions (see `execution.sources`)."""

    options: Options = Options()
    limits: InputLimits = InputLimits()
    sources: str | None = None


def parts(found: Iterator[Found], setup: Setup) -> Iterator[Part]:
    """The parts of a run in order: a plain file is left to whoever checks it, anything else is read here, as a stream."""
    for each in found:
        if isinstance(each, Source) and not (each.kind == "json" and not each.compression and each.place in ("named", "found")):
            for one in read(each, setup.limits):
                yield refusal(one, setup.options) if isinstance(one, Refused) else one
        else:
            yield refusal(each, setup.options) if isinstance(each, Refused) else each


def check(part: Part, setup: Setup) -> Iterator[Outcome]:
    """Read a part where that is still to be done, and check what it holds."""
    if isinstance(part, Source):
        for one in read(part, setup.limits):
            yield _outcome(one, setup)
    else:
        yield Outcome(part) if isinstance(part, Finding) else _outcome(part, setup)


def _outcome(one: Read, setup: Setup) -> Outcome:
    if isinstance(one, Item):
        return Outcome(*engine.check_record(one.data, one.name, one.line, setup.options, lookup(setup.sources)))
    return Outcome(refusal(one, setup.options) if isinstance(one, Refused) else one)


def refusal(refused: Refused, options: Options) -> Finding:
    """The finding for an input that was not read."""
    finding = engine.input_finding(Problem(refused.rule, refused.message), options)
    return finding._replace(input=refused.name, line=refused.line)
