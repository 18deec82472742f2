"""Checks the parts of a run in worker processes, and gives the outcomes in the order of the parts.

A worker that is lost (killed, or out of memory) takes only what it was at work on: the batches under way are checked again,
one at a time and each in a new worker, and a batch that costs a worker again is checked part by part. A part that costs a
worker even then is a finding `internal-error`, and the run is incomplete.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeAlias

from wrs_verify import engine
from wrs_verify.engine import Options
from wrs_verify.execution.work import Outcome, Part, Setup, check
from wrs_verify.inputs import Item
from wrs_verify.model import Problem

__all__ = ["outcomes"]

#: Parts that a worker takes at once, and batches that wait for each worker.
_BATCH, _AHEAD = 64, 3

_Batch: TypeAlias = tuple[Part, ...]
_Pending: TypeAlias = tuple[_Batch, Future[list[Outcome]]]


def outcomes(setup: Setup, processes: int, parts: Iterator[Part]) -> Iterator[Outcome]:
    """What became of each part, in their order, checked by that many processes."""
    pool = _Pool(setup, processes)
    pending: deque[_Pending] = deque()
    try:
        while True:
            while len(pending) < processes * _AHEAD and (batch := tuple(islice(parts, _BATCH))):
                pending.append((batch, pool.submit(batch)))
            if not pending:
                return
            batch, future = pending.popleft()
            try:
                yield from future.result()
            except BrokenProcessPool:
                yield from _again(setup, batch)
                pool.stop()
                pool = _Pool(setup, processes)
                pending = deque((waiting, ready if _done(ready) else pool.submit(waiting)) for waiting, ready in pending)
    finally:
        pool.stop()


class _Pool:
    """Worker processes that can be ended at once."""

    def __init__(self, setup: Setup, processes: int) -> None:
        method = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
        self._executor = ProcessPoolExecutor(processes, multiprocessing.get_context(method), _start, (setup,))

    def submit(self, batch: _Batch) -> Future[list[Outcome]]:
        try:
            return self._executor.submit(_check, batch)
        except BrokenProcessPool as error:
            broken: Future[list[Outcome]] = Future()
            broken.set_exception(error)
            return broken

    def stop(self) -> None:
        workers = list((self._executor._processes or {}).values())
        self._executor.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.join()


_given = Setup()


def _start(setup: Setup) -> None:
    global _given
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of the terminal: the parent ends its workers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _given = setup


def _check(batch: _Batch) -> list[Outcome]:
    return [outcome for part in batch for outcome in check(part, _given)]


def _done(future: Future[list[Outcome]]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _again(setup: Setup, batch: _Batch) -> Iterator[Outcome]:
    """Check a batch whose worker was lost, in a worker of its own; then, where that is lost too, its parts one by one."""
    for trial in ([batch], [(part,) for part in batch]):
        found = [_alone(setup, some) for some in trial]
        if all(each is not None for each in found):
            yield from (outcome for each in found for outcome in each or ())
            return
    for part, each in zip(batch, found, strict=True):
        yield from each if each is not None else [_lost(part, setup.options)]


def _alone(setup: Setup, batch: Sequence[Part]) -> list[Outcome] | None:
    pool = _Pool(setup, 1)
    try:
        return pool.submit(tuple(batch)).result()
    except BrokenProcessPool:
        return None
    finally:
        pool.stop()


def _lost(part: Part, options: Options) -> Outcome:
    message = "the process that checked this was lost, when it was tried again too: it was killed, or ran out of memory"
    finding = engine.input_finding(Problem("internal-error", message), options)
    line = part.line if isinstance(part, Item) else None
    return Outcome(engine.unread(part[0], line, [finding._replace(input=part[0], line=line)]), complete=False)
