"""Checks the pieces of a run on the workers of a Dask scheduler, and gives the outcomes in the order of the pieces.

Dask itself does again what a lost worker had done or was doing. A piece that costs several workers is checked by parts, each alone
on the cluster, down to the record at fault: that is a finding `internal-error`, and the run is incomplete.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

from wrs_verify import engine
from wrs_verify.execution import shuffle, tasks
from wrs_verify.execution.errors import ClusterError
from wrs_verify.execution.pieces import Ended, Piece, Sizes, pieces
from wrs_verify.execution.scheduler import Future, KilledWorker, Scheduler
from wrs_verify.execution.shortlist import Shortlist
from wrs_verify.execution.shuffle import Judged
from wrs_verify.execution.tasks import Work
from wrs_verify.execution.work import Outcome, Setup
from wrs_verify.groups import Group
from wrs_verify.inputs import Found
from wrs_verify.model import Finding, Problem, Skipped
from wrs_verify.safe import visible

__all__ = ["Cluster"]

#: Pieces that are being checked, or whose results wait to be reported, for each thread of the workers.
_AHEAD = 8
#: How many parts a piece that costs workers is divided into, again and again.
_PARTS = 16
#: How many facts a task of the drop holds at most, in units of a record's (see `shuffle.weight`): about a gigabyte.
_WEIGHT = 1_000_000

_SIZES = Sizes()


class _Sent(NamedTuple):
    """A piece that is being checked: its outcomes, to be fetched, and its facts, which stay on the workers."""

    piece: Piece
    told: Future
    facts: Future


class Cluster:
    """A run on a cluster. To be closed at the end.

    Args:
        address: of the scheduler.
        setup: how the parts of the run are checked.
        sources: paths of source versions.
        base: the folder that these paths start from.

    Raises:
        ClusterError: the cluster cannot be reached, or does not have what the run needs.
    """

    def __init__(self, address: str, setup: Setup, sources: tuple[str, ...], base: str) -> None:
        self._setup, self._sources = setup, sources
        self._run = secrets.token_hex(8)
        self._facts: list[tuple[Future, int]] = []
        self._ended = False
        self._failure: str | None = None
        self._scheduler = Scheduler(address)
        try:
            work = Work(self._run, setup, sources, base, tasks.versions())
            for worker, found in self._scheduler.everywhere(tasks.versions).items():
                _compare(worker, found, work.versions)
            self._work = self._scheduler.submit(tasks.given, tasks.packed(work))
        except BaseException:
            self._scheduler.close()
            raise

    def close(self) -> None:
        """Stop what is under way, and leave nothing on the cluster."""
        if self._sources and self._failure is None:
            with suppress(ClusterError):
                self._scheduler.everywhere(tasks.forget, self._run)
        self._scheduler.close()

    def outcomes(self, found: Iterator[Found]) -> Iterator[Outcome]:
        """What became of all that was found, in its order. If the cluster is lost they end early: `judge` tells."""
        cut = pieces(found, self._setup.options, self._counted, _SIZES)
        pending: deque[_Sent | Ended] = deque()
        last = None
        try:
            while True:
                room = self._scheduler.threads * _AHEAD - len(pending)
                pending.extend(each if isinstance(each, Ended) else self._send(each) for each in islice(cut, max(room, 0)))
                if not pending:
                    break
                for outcome in self._received(pending.popleft(), last, pending):
                    last = outcome.found.input
                    yield outcome
            self._ended = True
        except ClusterError as error:
            self._failure = str(error)

    def judge(self, shortlist: Shortlist, *, complete: bool) -> None:
        """List what the rules of the drop find; nothing after an interrupt. To be called after `outcomes`."""
        if self._ended:
            try:
                self._judge(shortlist, complete=complete)
            except ClusterError as error:
                self._failure = str(error)
        if self._failure is not None:
            shortlist.add(self._internal_error(f"the cluster could not end the run: {self._failure}"))

    def _send(self, piece: Piece, first: int = 0, last: int | None = None) -> _Sent:
        checked = self._scheduler.submit(tasks.checked, tasks.packed(piece), first, last, self._work)
        return _Sent(piece, self._scheduler.submit(itemgetter(0), checked), self._scheduler.submit(itemgetter(1), checked))

    def _received(self, sent: _Sent | Ended, last: str | None, pending: Iterable[_Sent | Ended]) -> Iterator[Outcome]:
        if isinstance(sent, Ended):
            if sent.name != last:
                yield Outcome(Skipped(sent.name, "holds no record"))
            return
        try:
            yield from self._outcomes_of(sent)
        except KilledWorker:
            self._scheduler.wait([one.told for one in pending if isinstance(one, _Sent)])
            yield from self._by_parts(sent.piece, 0, None)

    def _outcomes_of(self, sent: _Sent) -> list[Outcome]:
        outcomes, weight = tasks.unpacked(self._scheduler.result(sent.told))
        if weight:
            self._facts.append((sent.facts, weight))
        return list(outcomes)

    def _by_parts(self, piece: Piece, first: int, last: int | None) -> Iterator[Outcome]:
        """Check a piece, or a part of it, alone; then, where that costs workers too, part by part."""
        try:
            yield from self._outcomes_of(self._send(piece, first, last))
            return
        except KilledWorker:
            pass
        data = tasks.packed(piece)
        try:
            if last is None:
                last = int(self._scheduler.result(self._scheduler.submit(tasks.size, data, self._work)))
            if last - first == 1:
                yield self._lost(*self._scheduler.result(self._scheduler.submit(tasks.place, data, first, self._work)))
                return
        except KilledWorker:  # reading it is enough
            if len(piece) == 1:
                yield self._lost(piece[0][0], None)
            else:
                for part in piece:
                    yield from self._by_parts((part,), 0, None)
            return
        step = -(-(last - first) // _PARTS)
        for start in range(first, last, step):
            yield from self._by_parts(piece, start, min(start + step, last))

    def _lost(self, name: str, line: int | None) -> Outcome:
        finding = self._internal_error("every worker that checked this was lost: it was killed, or ran out of memory")
        return Outcome(engine.unread(name, line, [finding._replace(input=name, line=line)]), complete=False)

    def _internal_error(self, message: str) -> Finding:
        return engine.input_finding(Problem("internal-error", message), self._setup.options)

    def _judge(self, shortlist: Shortlist, *, complete: bool) -> None:
        failures: list[ClusterError] = []

        def counted() -> Iterator[Group]:
            try:
                for judged in self._partitions(complete=complete):
                    if judged is None:
                        message = "the rules of the drop could not all be checked: every worker that tried was lost"
                        shortlist.add(self._internal_error(message))
                    else:
                        shortlist.include(judged.shortlist)
                        yield from judged.counted
            except ClusterError as error:  # not for the rule that asks, which would be taken to have crashed
                failures.append(error)

        found = list(shuffle.judge_counted(counted(), self._setup.options, complete=complete))
        if failures:
            raise failures[0]
        shortlist.extend(found)

    def _partitions(self, *, complete: bool) -> Iterator[Judged | None]:
        """What was found in each partition; None for one that costs workers."""
        number = max(1, -(-sum(weight for _, weight in self._facts) // _WEIGHT))
        shares = [self._scheduler.submit(tasks.shares, some, number) for some in self._blocks()]
        self._facts.clear()

        def submit(place: int) -> Future:
            some = self._scheduler.submit_each(itemgetter(place), shares)
            return self._scheduler.submit(tasks.judged, some, place, number, self._work, complete)

        for future in self._scheduler.in_order(submit, range(number)):
            try:
                yield tasks.unpacked(self._scheduler.result(future))
            except KilledWorker:
                yield None

    def _blocks(self) -> Iterator[list[Future]]:
        """The facts in blocks of about one weight."""
        block, held = list[Future](), 0
        for future, weight in self._facts:
            if block and held + weight > _WEIGHT:
                yield block
                block, held = [], 0
            block.append(future)
            held += weight
        if block:
            yield block

    def _counted(self, count: Callable[..., int | None], arguments: Iterable[tuple[Any, ...]]) -> Iterator[int | None]:
        """The results of a task for many arguments, in their order, before what else is to be done; None where it costs workers."""
        for future in self._scheduler.in_order(lambda each: self._scheduler.submit(count, *each, priority=1), arguments):
            try:
                yield self._scheduler.result(future)
            except KilledWorker:
                yield None


def _compare(worker: str, found: Any, versions: dict[str, str]) -> None:
    """See that a worker has what this process has."""
    if isinstance(found, Exception):
        message = f"the worker {visible(worker)} cannot run wrs-verify {versions['wrs-verify']}"
        raise ClusterError(f"{message}: {type(found).__name__}: {visible(str(found))}") from found
    for name, version in versions.items():
        if found.get(name) != version:
            raise ClusterError(f"the worker {visible(worker)} has {name} {visible(str(found.get(name)))}, and this is {name} {version}")
