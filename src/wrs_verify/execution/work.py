"""Cuts a run into parts that can be checked anywhere, and checks one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from wrs_verify import engine
from wrs_verify.engine import Options
from wrs_verify.inputs import Found, InputLimits, Item, Read, Refused, Source, read
from wrs_verify.model import Finding, Problem, RecordResult, Skipped

__all__ = ["Outcome", "Part", "check", "parts"]

#: A file that whoever checks it reads, or what was read of a stream.
Part: TypeAlias = Source | Item | Skipped | Finding


class Outcome(NamedTuple):
    """What became of one thing that was found. `complete` is False where a check did not come to its end."""

    found: RecordResult | Skipped | Finding
    complete: bool = True


def parts(found: Iterator[Found], options: Options, limits: InputLimits) -> Iterator[Part]:
    """The parts of a run in order: a plain file is left to whoever checks it, anything else is read here, as a stream."""
    for each in found:
        if isinstance(each, Source) and not (each.kind == "json" and not each.compression and each.place in ("named", "found")):
            for one in read(each, limits):
                yield _refusal(one, options) if isinstance(one, Refused) else one
        else:
            yield _refusal(each, options) if isinstance(each, Refused) else each


def check(part: Part, options: Options, limits: InputLimits) -> Iterator[Outcome]:
    """Read a part where that is still to be done, and check what it holds."""
    if isinstance(part, Source):
        for one in read(part, limits):
            yield _outcome(one, options)
    else:
        yield Outcome(part) if isinstance(part, Finding) else _outcome(part, options)


def _outcome(one: Read, options: Options) -> Outcome:
    if isinstance(one, Item):
        result, complete = engine.check_record(one.data, one.name, one.line, options)
        return Outcome(result, complete)
    return Outcome(_refusal(one, options) if isinstance(one, Refused) else one)


def _refusal(refused: Refused, options: Options) -> Finding:
    finding = engine.input_finding(Problem(refused.rule, refused.message), options)
    return finding._replace(input=refused.name, line=refused.line)
