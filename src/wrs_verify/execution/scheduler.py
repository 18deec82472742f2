"""Tasks on a Dask scheduler. Whatever goes wrong with the cluster is a `ClusterError`; whoever costs workers is a `KilledWorker`."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias, TypeVar

from wrs_verify.execution.errors import ClusterError
from wrs_verify.safe import visible

try:
    from distributed import Client, KilledWorker, wait
    from distributed.client import ClosedClientError
except ImportError as missing:
    raise ClusterError("a cluster needs the extra [cluster]: pip install 'wrs-verify[cluster]'") from missing

__all__ = ["Future", "KilledWorker", "Scheduler"]

#: Seconds in which a scheduler must answer, and in which a cluster that has lost every worker must get one, twice over.
_ANSWER, _PATIENCE = 10, 30
#: How often a task that failed for another reason than a lost worker is tried again.
_RETRIES = 2
#: After how many tasks it is asked again how many workers there are: they come and go.
_REFRESHED = 64

#: What Dask raises where the connection is lost, which depends on what was going on.
_LOST = (OSError, CancelledError, ClosedClientError)

_Argument = TypeVar("_Argument")

#: A result to be, of `distributed`, which says no types.
Future: TypeAlias = Any


class Scheduler:
    """A connection to a scheduler. To be closed.

    Args:
        address: where it is.

    Raises:
        ClusterError: it cannot be reached, or has no workers.
    """

    def __init__(self, address: str) -> None:
        # What is lost is a finding; the logs of the workers tell more about it than those of this process.
        for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        shown = visible(address)
        try:
            self._client = Client(address, timeout=_ANSWER, set_as_default=False)
        except (OSError, ValueError, ImportError, RuntimeError) as error:
            raise ClusterError(f"the scheduler at {shown} cannot be reached: {visible(str(error))}") from error
        self._tasks = self._threads = 0
        try:
            with _told():
                self._client.wait_for_workers(1, timeout=_ANSWER)
        except BaseException as error:
            self.close()
            if isinstance(error, ClusterError):
                raise ClusterError(f"the scheduler at {shown} has no workers") from error
            raise

    def close(self) -> None:
        """Stop what is under way, and leave nothing on the cluster."""
        with suppress(*_LOST):
            self._client.close(timeout=_ANSWER)

    def everywhere(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """What a function gives on each worker, or the exception that it raises there."""
        with _told():
            answers: dict[str, Any] = self._client.run(function, *arguments, on_error="return")
            return answers

    @property
    def threads(self) -> int:
        """How many tasks the workers can do at once, as it was a little while ago; at least 1."""
        if self._tasks % _REFRESHED == 0 or not self._threads:
            self._threads = self._threads_now()
        return max(1, self._threads)

    def submit(self, function: Callable[..., Any], *arguments: Any, priority: int = 0) -> Future:
        """Have a worker call a function."""
        self._tasks += 1
        with _told():
            return self._client.submit(function, *arguments, pure=False, retries=_RETRIES, priority=priority)

    def submit_each(self, function: Callable[[Any], Any], futures: list[Future]) -> list[Future]:
        """Have workers call a function with the result of each of many tasks, which costs the scheduler less than one by one."""
        self._tasks += 1
        with _told():
            return list(self._client.map(function, futures, pure=False, retries=_RETRIES)) if futures else []

    def in_order(self, submit: Callable[[_Argument], Future], arguments: Iterable[_Argument]) -> Iterator[Future]:
        """The futures that `submit` gives, in order, some of them ahead of what is asked for."""
        pending: deque[Future] = deque()
        for each in arguments:
            pending.append(submit(each))
            if len(pending) > 2 * self.threads:
                yield pending.popleft()
        while pending:
            yield pending.popleft()

    def result(self, future: Future) -> Any:
        """What a task gave.

        Raises:
            KilledWorker: it costs workers.
            ClusterError: it failed otherwise, or the cluster was lost.
        """
        self.wait([future])
        try:
            return future.result()
        except (KilledWorker, ClusterError):
            raise
        except Exception as error:  # a worker may fail in whatever way, such as for want of memory or of this package
            if future.status == "error":
                raise ClusterError(f"a worker failed, {type(error).__name__}: {visible(str(error))}") from error
            raise _lost(error) from error

    def wait(self, futures: list[Future]) -> None:
        """Wait until tasks have ended in whatever way, but not for ever where there are no workers."""
        deserted = False
        while True:
            with _told():
                try:
                    with self._client.as_current():
                        wait(futures, timeout=_PATIENCE)
                    return
                except TimeoutError:
                    pass
            there = self._threads_now()
            if not there and deserted:
                raise ClusterError(f"there was no worker for {_PATIENCE} seconds")
            deserted = not there

    def _threads_now(self) -> int:
        with _told():
            return sum(self._client.nthreads().values())


def _lost(error: Exception) -> ClusterError:
    return ClusterError(f"the scheduler was lost ({type(error).__name__})")


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except _LOST as error:
        raise _lost(error) from error
