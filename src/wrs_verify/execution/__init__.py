"""Runs the checks over all inputs, and folds what they give into one report: the same however the work was divided."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wrs_verify import engine, policy
from wrs_verify.engine import Options
from wrs_verify.execution.errors import ClusterError, Interrupted, NotRemembered
from wrs_verify.execution.gathering import Gathering
from wrs_verify.execution.pieces import refuse_streams
from wrs_verify.execution.shortlist import Shortlist
from wrs_verify.execution.sources import Sources, gathered
from wrs_verify.execution.work import Outcome, Remember, Setup, check, parts
from wrs_verify.inputs import Found, InputLimits, Selection, find
from wrs_verify.model import Allowance, Counts, Finding, HistoryState, RecordResult, Report, Skipped, Verdict
from wrs_verify.report import Summary, Tally

if TYPE_CHECKING:
    from wrs_verify.execution.memory import Memory

__all__ = ["ClusterError", "Ending", "Interrupted", "Job", "NotRemembered", "Remember", "run", "verify_paths"]

#: A drop of fewer parts is checked in this process: that is done sooner than others start.
_FIRST = 64


class Job(NamedTuple):
    """What a run is to do. With `processes` 1, everything is done in this process. `sources` are paths of source versions.

    With a `cluster`, the address of a Dask scheduler, the workers there read and check everything. `remember` is what the records
    are compared with, and for that the options need a reference time.
    """

    selection: Selection
    options: Options = Options()
    limits: InputLimits = InputLimits()
    processes: int = 1
    sources: tuple[str, ...] = ()
    cluster: str | None = None
    remember: Remember | None = None


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
    remember: Remember | None = None,
) -> Report:
    """Verify everything under some paths, and hold the whole report in memory.

    Args:
        paths: files, folders, archives, URLs.
        options: how to check.
        limits: how much is read of an input at most.
        processes: how many processes check.
        sources: paths of source versions, to recompute content hashes from.
        cluster: the address of a Dask scheduler, whose workers check instead.
        remember: a history, a pin file, or both, to compare with.

    Returns:
        The report. Its verdict is `fail` also where no record was found: nothing to check is not a pass.

    Raises:
        wrs_verify.inputs.MissingPath: a path does not exist.
        ValueError: the options set a level or an allowance that cannot be.
        ClusterError: the cluster cannot be reached or used.
        wrs_verify.history.errors.HistoryError: the history or the pin file cannot be used.
        wrs_verify.history.errors.HistoryLocked: the history is in use by another program.
        NotRemembered: the history could not be extended.
    """
    records: list[RecordResult] = []
    ending = run(Job(Selection(paths), options, limits, processes, sources, cluster, remember), records.append)
    return Report(ending.verdict, ending.counts, tuple(records), ending.skipped, ending.findings)


def run(job: Job, record: Callable[[RecordResult], None], ended: Callable[[Ending], None] | None = None) -> Ending:
    """Do a job, handing over each record's result in the order of the inputs as soon as it is known.

    An `Interrupted` that is raised meanwhile ends it early: the ending tells what was found so far, and is incomplete.

    `ended` is called before the history is extended: what it raises leaves the history as it was.

    Raises:
        wrs_verify.inputs.MissingPath: a path does not exist; nothing was read.
        ValueError: the options set a level or an allowance that cannot be; nothing was read.
        ClusterError: the cluster cannot be reached or used; nothing was read. One that is lost later ends the run early.
        wrs_verify.history.errors.HistoryError: the history or the pin file cannot be used.
        wrs_verify.history.errors.HistoryLocked: the history is in use by another program.
        NotRemembered: the history could not be extended after `ended` was called.
    """
    policy.check(job.options.levels, job.options.allowances, job.options.now)
    with ExitStack() as stack:
        memory = None
        if job.remember is not None:
            if job.options.now is None:
                raise ValueError("a history needs a reference time")
            from wrs_verify.execution import memory as remembering

            memory = stack.enter_context(remembering.memory(job.remember, job.options))
        ending = _run_here(job, record, memory) if job.cluster is None else _run_on_cluster(job, job.cluster, record, memory)
        if ended is not None:
            ended(ending)
        if memory is not None and ending.verdict == "pass":
            memory.commit()
        return ending


def _run_here(job: Job, record: Callable[[RecordResult], None], memory: Memory | None) -> Ending:
    found = find(job.selection)
    with gathered(job.sources, job.options, job.limits) as sources, closing(Gathering()) as gathering:

        def kept() -> Iterator[Outcome]:
            for outcome in _outcomes(job, found, Setup(job.options, job.limits, sources.path, memory is not None)):
                yield outcome
                if outcome.facts:
                    gathering.add(outcome.facts)

        def judge(shortlist: Shortlist, *, complete: bool) -> None:
            shortlist.extend(engine.check_drop(gathering.groups, job.options, complete=complete))

        return _fold(kept(), record, sources, judge, job.options, memory)


def _run_on_cluster(job: Job, address: str, record: Callable[[RecordResult], None], memory: Memory | None) -> Ending:
    from wrs_verify.execution.cluster import Cluster

    refuse_streams(job.selection.paths)
    base = os.getcwd()  # noqa: PTH109 - the workers are elsewhere
    found = find(job.selection, base)
    with (
        gathered(job.sources, job.options, job.limits) as sources,
        closing(Cluster(address, Setup(job.options, job.limits, remember=memory is not None), job.sources, base)) as cluster,
    ):
        return _fold(cluster.outcomes(found), record, sources, cluster.judge, job.options, memory)


class _Judge(Protocol):
    """Lists what the rules of the drop find, once all outcomes were looked at. `complete` tells whether every record was checked."""

    def __call__(self, shortlist: Shortlist, *, complete: bool) -> None: ...


def _fold(
    outcomes: Iterator[Outcome],
    record: Callable[[RecordResult], None],
    sources: Sources,
    judge: _Judge,
    options: Options,
    memory: Memory | None,
) -> Ending:
    tally, findings = Tally(), sources.findings
    skipped: list[Skipped] = []
    inputs, last, complete = 0, None, True
    used: set[Allowance] = set()
    try:
        for outcome in outcomes:
            name = outcome.found.input
            inputs, last = inputs + (name != last), name
            complete = complete and outcome.complete
            if memory is not None:
                memory.add(outcome)
            if isinstance(outcome.found, RecordResult):
                tally.add(outcome.found)
                sources.saw(outcome.found)
                if outcome.found.allowed:
                    used.update(engine.used_allowances(outcome.found, options))
                record(outcome.found)
            elif isinstance(outcome.found, Skipped):
                skipped.append(outcome.found)
            else:
                findings.append(outcome.found)
    except Interrupted:
        complete = False
    shortlist = Shortlist(options.limits.max_findings)
    try:
        judge(shortlist, complete=complete)
        complete = complete and shortlist.complete
    except Interrupted:
        complete = False
    findings += shortlist.findings(options)
    findings += engine.idle_allowances(used, options, complete=complete)
    findings += sources.unused(options) if complete else ()
    state = pinned = None
    if memory is not None:
        complete, state = _compared(memory, tally, findings, complete=complete)
        pinned = memory.pinned()
    findings.sort(key=engine.order)
    tally.add_findings(findings)
    counts = tally.counts(inputs, len(skipped))
    summary = tally.summary()._replace(history=state, pins=pinned)
    return Ending(_verdict(counts, complete=complete), counts, tuple(skipped), tuple(findings), summary)


def _compared(memory: Memory, tally: Tally, findings: list[Finding], *, complete: bool) -> tuple[bool, HistoryState | None]:
    """Add what the history tells, and the run to the history if nothing failed; whether all of that could be done, and how it stands."""
    counts = tally.counts(0, 0)
    passing = counts.records > 0 and not counts.errors and all(finding.level != "error" for finding in findings)
    try:
        found, state = memory.judged(counts.records, complete=complete, passing=passing)
    except Interrupted:
        return False, memory.state()
    findings += found
    return complete and all(finding.rule != "internal-error" for finding in found), state


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
