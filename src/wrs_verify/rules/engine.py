"""What the verifier reports of itself."""

from __future__ import annotations

from collections.abc import Iterator

from wrs_verify.model import Problem
from wrs_verify.rules import Found, rule


@rule("engine-disagreement", "error", "run")
def engine_disagreement(problem: Problem) -> Iterator[Found]:
    """With `--double-check`: two independent parsers, validators or canonicalizers gave different results for one input.

    Why: at least one of them is wrong, so that no verdict can rest on either.

    Mend: report it, with the input; it is a defect of the verifier or of a library that it uses.
    """
    yield Found(problem.pointer, problem.message, problem.expected, problem.actual)


@rule("internal-error", "error", "run")
def internal_error(problem: Problem) -> Iterator[Found]:
    """A check ended with an error of its own, or the process that ran it was lost.

    Why: what was not checked must not pass: the verdict is incomplete, and the exit status 4.

    Mend: report it, with the input; it is a defect of the verifier, or the machine ran out of memory.
    """
    yield Found(problem.pointer, problem.message, problem.expected, problem.actual)
