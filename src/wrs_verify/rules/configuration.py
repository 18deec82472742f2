"""Allowances that did nothing. The rest of a configuration is usage: what is wrong with it ends the command."""

from __future__ import annotations

from collections.abc import Iterator

from wrs_verify.model import Problem
from wrs_verify.rules import Found, rule


@rule("unused-allowance", "warning", "run")
def unused_allowance(problem: Problem) -> Iterator[Found]:
    """An allowance matched no finding of the run.

    It is not said of a run that did not come to its end.

    Why: what it was for was mended, or it names another rule, record, version or place than was meant, or the record is one
    in which nothing can be allowed, since its public view hash or a copy of its target is wrong. Left in place it may one
    day allow what nobody meant.

    Mend: take the allowance out of the configuration, or correct it.
    """
    yield Found(problem.pointer, problem.message, problem.expected, problem.actual)


@rule("expired-allowance", "warning", "run")
def expired_allowance(problem: Problem) -> Iterator[Found]:
    """The end date of an allowance has passed, and it allows nothing any longer. The date is that of `--now`, in UTC.

    Why: an exception was made for a time, and that is over.

    Mend: mend what was allowed and take the allowance out, or look at its reason again and set another date.
    """
    yield Found(problem.pointer, problem.message, problem.expected, problem.actual)
