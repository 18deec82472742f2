"""Cuts a run into parts that can be checked anywhere, and checks one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from wrs_verify import engine
from wrs_verify.engine import Options
from wrs_verify.execution.sources import lookup
from wrs_verify.facts import sighting_of
from wrs_verify.history.errors import WAIT
from wrs_verify.inputs import Found, InputLimits, Item, Range, Read, Refused, Source, read, read_range
from wrs_verify.model import Facts, Finding, Problem, RecordResult, Sighting, Skipped

__all__ = ["Outcome", "Part", "Remember", "Setup", "check", "check_read", "parts", "reads", "refusal"]

#: A file, or a range of one, that whoever checks it reads, or what was read of a stream.
Part: TypeAlias = Source | Range | Item | Skipped | Finding


class Outcome(NamedTuple):
    """What became of one thing that was found. `complete` is False where a check did not come to its end.

    `facts` are those of a record, for the rules of the drop, and `sighting` is what a history remembers of it, where there is one.
    """

    found: RecordResult | Skipped | Finding
    complete: bool = True
    facts: Facts | None = None
    sighting: Sighting | None = None


class Remember(NamedTuple):
    """What a run is compared with: the file of a history, a pin file, or both.

    `expected` are the size and the root that the history must extend, `complete_drop` says that nothing is to be missing, and `wait`
    for how many seconds a locked history is waited for.
    """

    history: str | None = None
    pins: str | None = None
    expected: tuple[int, bytes] | None = None
    complete_drop: bool = False
    wait: float = WAIT


class Setup(NamedTuple):
    """How the parts of a run are read and checked.

    `sources` names the file of source versions (see `execution.sources`). `remember` says that a history is to have sightings.
    """

    options: Options = Options()
    limits: InputLimits = InputLimits()
    sources: str | None = None
    remember: bool = False


def parts(found: Iterator[Found], setup: Setup) -> Iterator[Part]:
    """The parts of a run in order: a plain file is left to whoever checks it, anything else is read here, as a stream."""
    for each in found:
        if isinstance(each, Source) and not each.plain:
            for one in read(each, setup.limits):
                yield refusal(one, setup.options) if isinstance(one, Refused) else one
        else:
            yield refusal(each, setup.options) if isinstance(each, Refused) else each


def check(part: Part, setup: Setup) -> Iterator[Outcome]:
    """Read a part where that is still to be done, and check what it holds."""
    for one in reads(part, setup.limits):
        yield check_read(one, setup)


def reads(part: Part, limits: InputLimits) -> Iterator[Read | Finding]:
    """What a part holds, read where that is still to be done."""
    if isinstance(part, Source):
        return read(part, limits)
    return read_range(part, limits) if isinstance(part, Range) else iter((part,))


def check_read(one: Read | Finding, setup: Setup) -> Outcome:
    """Check what was read."""
    if isinstance(one, Finding):
        return Outcome(one)
    if isinstance(one, Item):
        outcome = Outcome(*engine.check_record(one.data, one.name, one.line, setup.options, lookup(setup.sources)))
        if setup.remember and outcome.facts:
            return outcome._replace(sighting=sighting_of(outcome.facts, one.data))
        return outcome
    return Outcome(refusal(one, setup.options) if isinstance(one, Refused) else one)


def refusal(refused: Refused, options: Options) -> Finding:
    """The finding for an input that was not read."""
    finding = engine.input_finding(Problem(refused.rule, refused.message), options)
    return finding._replace(input=refused.name, line=refused.line)
