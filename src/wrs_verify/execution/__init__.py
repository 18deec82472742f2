"""Runs the checks over all inputs, and folds what they give into one report: the same however the work was divided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from wrs_verify.engine import Options
from wrs_verify.execution.work import Outcome, Part, check, parts
from wrs_verify.inputs import InputLimits, Selection, find
from wrs_verify.model import Counts, Finding, RecordResult, Report, Skipped, Verdict
from wrs_verify.report import Summary, Tally

__all__ = ["Ending", "Interrupted", "Job", "run", "verify_paths"]

#: Parts that are checked in this process before others are started: a small drop is done sooner than a process starts.
_FIRST = 64


class Job(NamedTuple):
    """What a run is to do. With `processes` 1, everything is done in this process."""

    selection: Selection
    options: Options = Options()
    limits: InputLimits = InputLimits()
    processes: int = 1


class Ending(NamedTuple):
    """What stands at the end of a report."""

    verdict: Verdict
    counts: Counts
    skipped: tuple[Skipped, ...]
    findings: tuple[Finding, ...]
    summary: Summary


class Interrupted(BaseException):
    """The run was asked to stop. Not an Exception: no check may take it for an error of its own."""


def verify_paths(*paths: str, options: Options = Options(), limits: InputLimits = InputLimits(), processes: int = 1) -> Report:  # noqa: B008
    """Verify everything under some paths, and hold the whole report in memory.

    Args:
        paths: files, folders, archives, URLs.
        options: how to check.
        limits: how much is read of an input at most.
        processes: how many processes check.

    Returns:
        The report. Its verdict is `fail` also where no record was found: nothing to check is not a pass.

    Raises:
        wrs_verify.inputs.MissingPath: a path does not exist.
    """
    records: list[RecordResult] = []
    ending = run(Job(Selection(paths), options, limits, processes), records.append)
    return Report(ending.verdict, ending.counts, tuple(records), ending.skipped, ending.findings)


def run(job: Job, record: Callable[[RecordResult], None]) -> Ending:
    """Do a job, handing over each record's result in the order of the inputs as soon as it is known.

    An `Interrupted` that is raised meanwhile ends it early: the ending tells what was found so far, and is incomplete.

    Raises:
        wrs_verify.inputs.MissingPath: a path does not exist; nothing was read.
    """
    found = find(job.selection)
    tally = Tally()
    skipped: list[Skipped] = []
    findings: list[Finding] = []
    inputs, last, complete = 0, None, True
    try:
        for outcome in _outcomes(job, parts(found, job.options, job.limits)):
            name = outcome.found.input
            inputs, last = inputs + (name != last), name
            complete = complete and outcome.complete
            if isinstance(outcome.found, RecordResult):
                tally.add(outcome.found)
                record(outcome.found)
            elif isinstance(outcome.found, Skipped):
                skipped.append(outcome.found)
            else:
                findings.append(outcome.found)
    except Interrupted:
        complete = False
    findings.sort(key=lambda finding: (finding.input, finding.line or 0, finding.column or 0, finding.rule))
    tally.add_findings(findings)
    counts = tally.counts(inputs, len(skipped))
    return Ending(_verdict(counts, complete=complete), counts, tuple(skipped), tuple(findings), tally.summary())


def _verdict(counts: Counts, *, complete: bool) -> Verdict:
    if not complete:
        return "incomplete"
    return "pass" if counts.records and not counts.errors else "fail"


def _outcomes(job: Job, stream: Iterator[Part]) -> Iterator[Outcome]:
    first = []
    for part in stream:
        first.append(part)
        if job.processes > 1 and len(first) == _FIRST:
            break
        if job.processes == 1 or len(first) < _FIRST:
            yield from check(part, job.options, job.limits)
    if job.processes > 1 and len(first) == _FIRST:
        from wrs_verify.execution.processes import outcomes

        yield from outcomes(job.options, job.limits, job.processes, chain(first[-1:], stream))
