"""Runs the checks over all inputs, and folds what they give into one report: the same however the work was divided."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import chain, islice
from typing import NamedTuple, Protocol

from wrs_verify import engine, policy
from wrs_verify.engine import Options
from wrs_verify.execution.errors import ClusterError, Interrupted
from wrs_verify.execution.gathering import Gathering
from wrs_verify.execution.pieces import refuse_streams
from wrs_verify.execution.sources import gathered
from wrs_verify.execution.work import Outcome, Setup, check, parts
from wrs_verify.inputs import Found, InputLimits, Selection, find
from wrs_verify.model import Allowance, Counts, Finding, RecordResult, Report, Skipped, Verdict
from wrs_verify.report import Summary, Tally

__all__ = ["ClusterError", "Ending", "Interrupted", "Job", "run", "verify_paths"]

#: A drop of fewer parts is checked in this process: that is done sooner than others start.
_FIRST = 64


class Job(NamedTuple):
    """What a run is to do. With `processes` 1, everything is done in this process. `sources` are paths of source versions.

    With a `cluster`, the address of a Dask scheduler, the workers there read and check everything.
    """

    selection: Selection
    options: Options = Options()
    limits: InputLimits = InputLimits()
    processes: int = 1
    sources: tuple[str, ...] = ()
    cluster: str | None = None


class Ending(NamedTuple):
    """What stands at the end of a report."""

    verdict: Verdict
    counts: Counts
    skipped: tuple[Skipped, ...]
    findings: tuple[Finding, ...]
    summary: Summary


def verify_paths(
    *paths: str,
    options: Options = Options(),  # noqa: B008 (immutable)
    limits: InputLimits = InputLimits(),  # noqa: B008 (immutable)
    processes: int = 1,
    sources: tuple[str, ...] = (),
    cluster: str | None = None,
) -> Report:
    """Verify everything under some paths, and hold the whole report in memory.

    Args:
        paths: files, folders, archives, URLs.
        options: how to check.
        limits: how much is read of an input at most.
        processes: how many processes check.
        sources: paths of source versions, to recompute content hashes from.
        cluster: the address of a Dask scheduler, whose workers check instead.

    Returns:
        The report. Its verdict is `fail` also where no record was found: nothing to check is not a pass.

    Raises:
        wrs_verify.inputs.MissingPath: a path does not exist.
        ValueError: the options set a level or an allowance that cannot be.
        ClusterError: the cluster cannot be reached or used.
    """
    records: list[RecordResult] = []
    ending = run(Job(Selection(paths), options, limits, processes, sources, cluster), records.append)
    return Report(ending.verdict, ending.counts, tuple(records), ending.skipped, ending.findings)


def run(job: Job, record: Callable[[RecordResult], None]) -> Ending:
    """Do a job, handing over each record's result in the order of the inputs as soon as it is known.

    An `Interrupted` that is raised meanwhile ends it early: the ending tells what was found so far, and is incomplete.

    Raises:
        wrs_verify.inputs.MissingPath: a path does not exist; nothing was read.
        ValueError: the options set a level or an allowance that cannot be; nothing was read.
        ClusterError: the cluster cannot be reached or used; nothing was read. One that is lost later ends the run early.
    """
    policy.check(job.options.levels, job.options.allowances, job.options.now)
    if job.cluster is not None:
        return _run_on_cluster(job, job.cluster, record)
    found = find(job.selection)
    with gathered(job.sources, job.options, job.limits) as (sources, findings), closing(Gathering()) as gathering:

        def facts_kept(outcome: Outcome) -> Outcome:
            if outcome.facts:
                gathering.add(outcome.facts)
            return outcome

        outcomes = map(facts_kept, _outcomes(job, found, Setup(job.options, job.limits, sources)))
        return _fold(outcomes, record, findings, partial(engine.check_drop, gathering.groups, job.options), job.options)


def _run_on_cluster(job: Job, address: str, record: Callable[[RecordResult], None]) -> Ending:
    from wrs_verify.execution.cluster import Cluster

    refuse_streams(job.selection.paths)
    base = os.getcwd()  # noqa: PTH109 - the workers are elsewhere
    found = find(job.selection, base)
    with (
        gathered(job.sources, job.options, job.limits) as (_, findings),
        closing(Cluster(address, Setup(job.options, job.limits), job.sources, base)) as cluster,
    ):
        return _fold(cluster.outcomes(found), record, findings, cluster.judge, job.options)


class _Judge(Protocol):
    """Gives what the rules of the drop find, once all outcomes were looked at. `complete` tells whether every record was checked."""

    def __call__(self, *, complete: bool) -> Iterator[Finding]: ...


def _fold(
    outcomes: Iterator[Outcome], record: Callable[[RecordResult], None], findings: list[Finding], judge: _Judge, options: Options
) -> Ending:
    tally = Tally()
    skipped: list[Skipped] = []
    inputs, last, complete = 0, None, True
    used: set[Allowance] = set()
    try:
        for outcome in outcomes:
            name = outcome.found.input
            inputs, last = inputs + (name != last), name
            complete = complete and outcome.complete
            if isinstance(outcome.found, RecordResult):
                tally.add(outcome.found)
                if outcome.found.allowed:
                    used.update(engine.used_allowances(outcome.found, options))
                record(outcome.found)
            elif isinstance(outcome.found, Skipped):
                skipped.append(outcome.found)
            else:
                findings.append(outcome.found)
    except Interrupted:
        complete = False
    complete = _judged(judge, findings, complete=complete)
    findings += engine.idle_allowances(used, options, complete=complete)
    findings.sort(key=engine.order)
    tally.add_findings(findings)
    counts = tally.counts(inputs, len(skipped))
    return Ending(_verdict(counts, complete=complete), counts, tuple(skipped), tuple(findings), tally.summary())


def _judged(judge: _Judge, findings: list[Finding], *, complete: bool) -> bool:
    """Add what the rules of the drop find; whether all of them could be checked."""
    try:
        for finding in judge(complete=complete):
            complete = complete and finding.rule != "internal-error"
            findings.append(finding)
    except Interrupted:
        return False
    return complete


def _verdict(counts: Counts, *, complete: bool) -> Verdict:
    if not complete:
        return "incomplete"
    return "pass" if counts.records and not counts.errors else "fail"


def _outcomes(job: Job, found: Iterator[Found], setup: Setup) -> Iterator[Outcome]:
    stream = parts(found, setup)
    first = list(islice(stream, _FIRST)) if job.processes > 1 else []
    if len(first) < _FIRST:
        for part in chain(first, stream):
            yield from check(part, setup)
    else:
        from wrs_verify.execution.processes import outcomes

        yield from outcomes(setup, job.processes, chain(first, stream))
