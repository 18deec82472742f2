"""What the workers of a cluster do: functions that are called there by their names, with arguments and results of our own types.

Results are packed. They pass through the scheduler, and much in them repeats itself; facts wait on the workers until all are there.
"""

from __future__ import annotations

import pickle
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import cache, lru_cache, wraps
from importlib import metadata
from itertools import chain, islice
from threading import Lock
from typing import Any, NamedTuple, ParamSpec, TypeVar

from wrs_verify._version import VERSION
from wrs_verify.execution import shuffle
from wrs_verify.execution.errors import ClusterError
from wrs_verify.execution.pieces import Piece
from wrs_verify.execution.sources import gathered
from wrs_verify.execution.work import Setup, check_read, reads
from wrs_verify.inputs import InputLimits, Item, Read
from wrs_verify.model import Facts, Finding
from wrs_verify.safe import visible

__all__ = ["Work", "checked", "forget", "given", "judged", "packed", "place", "shares", "size", "unpacked", "versions"]

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: What the text of a report depends on, beside this package.
_ENGINES = ("jiter", "jsonschema", "jsonschema-rs", "markdown-it-py", "orjson", "rfc8785")

#: A worker may have several threads. The checks are not made for that, and would not be faster.
_one_at_a_time = Lock()

#: The source versions that this worker has gathered, by run.
_sources: dict[str, tuple[str, ExitStack]] = {}


class Work(NamedTuple):
    """How a run is done. Source versions are gathered by each worker from the paths `sources` below the folder `base`."""

    run: str
    setup: Setup
    sources: tuple[str, ...]
    base: str
    versions: dict[str, str]


@cache
def versions() -> dict[str, str]:
    """The versions of all that makes a report what it is. They must be the same everywhere."""
    python = ".".join(map(str, sys.version_info[:2]))
    return {"wrs-verify": VERSION, "Python": python} | {name: metadata.version(name) for name in _ENGINES}


def packed(value: Any) -> bytes:
    """A value in little room, opaque to Dask."""
    return zlib.compress(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), 1)


def unpacked(data: bytes) -> Any:
    """What was packed, by the same program on a machine of the cluster: whoever can send something else can run anything there."""
    return pickle.loads(zlib.decompress(data))  # noqa: S301


def _failing_plainly(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Makes a failure a text: an exception that cannot be sent, as one from great depth, would leave the client waiting for ever."""

    @wraps(function)
    def call(*arguments: _P.args, **named: _P.kwargs) -> _R:
        try:
            return function(*arguments, **named)
        except ClusterError as error:
            failure = str(error)
        except Exception as error:  # it is told, and ends the run
            failure = f"a worker failed, {type(error).__name__}: {visible(str(error))}"
        raise ClusterError(failure)

    return call


@lru_cache(maxsize=4)
def _work(data: bytes) -> Work:
    work: Work = unpacked(data)
    if work.versions != versions():
        raise ClusterError("a worker has other versions than the client")
    return work


def given(data: bytes) -> bytes:
    """Keeps what all tasks are given on the workers, so that it is sent once."""
    return data


@_failing_plainly
def checked(piece: bytes, first: int, last: int | None, work: bytes) -> tuple[bytes, bytes]:
    """Read and check a piece, or what is in it from one index to before another: outcomes with their weight, and facts."""
    outcomes = []
    facts: list[Facts] = []
    with _one_at_a_time:
        setup = _with_sources(_work(work))
        for one in islice(_reads(piece, setup.limits), first, last):
            outcome = check_read(one, setup)
            if outcome.facts:
                facts.append(outcome.facts)
            outcomes.append(outcome._replace(facts=None))
    return packed((outcomes, shuffle.weight(facts))), packed(facts)


def _reads(piece: bytes, limits: InputLimits) -> Iterator[Read | Finding]:
    parts: Piece = unpacked(piece)
    return chain.from_iterable(reads(part, limits) for part in parts)


def _with_sources(work: Work) -> Setup:
    if not work.sources:
        return work.setup
    if work.run not in _sources:
        with ExitStack() as stack:
            path = stack.enter_context(gathered(work.sources, work.setup.options, work.setup.limits, work.base)).path
            _sources[work.run] = path or "", stack.pop_all()
    return work.setup._replace(sources=_sources[work.run][0])


def forget(run: str) -> None:
    """Remove what was kept for a run."""
    with _one_at_a_time:
        if run in _sources:
            _sources.pop(run)[1].close()


@_failing_plainly
def size(piece: bytes, work: bytes) -> int:
    """How much there is in a piece."""
    return sum(1 for _ in _reads(piece, _work(work).setup.limits))


@_failing_plainly
def place(piece: bytes, index: int, work: bytes) -> tuple[str, int | None]:
    """The name and the line of what has that index in a piece."""
    one = next(islice(_reads(piece, _work(work).setup.limits), index, None))
    return one[0], one.line if isinstance(one, Item) else None


@_failing_plainly
def shares(some: Iterable[bytes], number: int) -> list[bytes]:
    """Divide facts, as `checked` gives them, into shares, one for each of that many partitions."""
    return [packed(share) for share in shuffle.spread(chain.from_iterable(map(unpacked, some)), number)]


@_failing_plainly
def judged(some: Iterable[bytes], partition: int, number: int, work: bytes, complete: bool) -> bytes:
    """What the rules of the drop find in one partition."""
    return packed(shuffle.judge(map(unpacked, some), partition, number, _work(work).setup.options, complete=complete))
