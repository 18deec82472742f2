"""The history of earlier runs in a run: every record is shown to it, it is asked what changed, and it grows when nothing failed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC

from wrs_verify import engine
from wrs_verify._version import VERSION
from wrs_verify.engine import Options
from wrs_verify.execution.errors import NotRemembered
from wrs_verify.execution.shortlist import Shortlist
from wrs_verify.execution.work import Outcome, Remember
from wrs_verify.history.errors import HistoryError, HistoryLocked, HistoryMoved
from wrs_verify.history.store import Expected, History
from wrs_verify.model import Finding, HistoryState, Pinned, Problem, RecordResult
from wrs_verify.rules import rules

__all__ = ["Memory", "memory"]

_WITHDRAWN = "record-withdrawn"
_AS_IT_WAS = "the history was not extended, and is as it was"


class Memory:
    """A history during a run, and how the run is checked."""

    def __init__(self, history: History, remember: Remember, options: Options) -> None:
        self._history, self._remember, self._options = history, remember, options
        self._forgotten = 0

    def add(self, outcome: Outcome) -> None:
        """One more outcome of the run."""
        if outcome.sighting is not None:
            self._history.add(outcome.sighting)
        elif isinstance(outcome.found, RecordResult) and outcome.found.verdict == "pass":
            self._forgotten += 1

    def state(self) -> HistoryState | None:
        """How the history stands, as it was last looked at; None without a history."""
        return self._history.state()

    def pinned(self) -> Pinned | None:
        """What the pin file was worth; None without one. To be asked after `judged`."""
        return self._history.pinned()

    def judged(self, records: int, *, complete: bool, passing: bool) -> tuple[list[Finding], HistoryState | None]:
        """What changed, and how the history stands: extended by this run if the run is complete, and nothing failed.

        It is extended in a transaction, which is open until `commit`.

        Args:
            records: how many records were checked.
            complete: whether everything was checked.
            passing: whether nothing else failed, and there was a record.

        Raises:
            HistoryError: the history is damaged.
            HistoryLocked: it is in use by another program, and cannot even be read.
        """
        if self._forgotten and passing:
            message = f"{self._forgotten} records passed whose target is not known; the history was not extended"
            return [engine.input_finding(Problem("internal-error", message), self._options)], self._history.state()
        names = [rule.name for rule in rules().values() if rule.scope == "history"]
        if not self._remember.complete_drop or not complete:
            names.remove(_WITHDRAWN)
        while True:
            changes = self._history.changes(names)
            shortlist = Shortlist(self._options.limits.max_findings)
            shortlist.extend(engine.check_history(changes, self._options, complete=complete))
            found = list(shortlist.findings(self._options))
            state = self._history.state()
            if state is not None and not complete:
                state = state._replace(absent=None)
            if not complete or not passing or state is None or any(finding.level == "error" for finding in found):
                return found, state
            with contextlib.suppress(HistoryMoved):
                return self._extended(found, state, records)

    def commit(self) -> None:
        """Make last what `judged` added to the history, if it did.

        Raises:
            NotRemembered: that failed; the history is as it was.
        """
        try:
            self._history.commit()
        except (HistoryError, HistoryLocked) as error:
            raise NotRemembered(f"{_AS_IT_WAS}: {error}") from error

    def _extended(self, found: list[Finding], state: HistoryState, records: int) -> tuple[list[Finding], HistoryState]:
        now = self._options.now
        assert now is not None  # noqa: S101 (no run with a history begins without)
        time = (now.astimezone(UTC) if now.tzinfo else now).strftime("%Y-%m-%dT%H:%M:%SZ")
        try:
            return found, self._history.extend(time, VERSION, records, complete_drop=self._remember.complete_drop)
        except (HistoryError, HistoryLocked) as error:  # all was checked, and is reported: but the run is not what it was to be
            message = f"{_AS_IT_WAS}: {error}"
            return [*found, engine.input_finding(Problem("internal-error", message), self._options)], state


@contextlib.contextmanager
def memory(remember: Remember, options: Options) -> Iterator[Memory]:
    """The memory for a run.

    Raises:
        HistoryError: the history or the pin file cannot be used.
        HistoryLocked: the history is in use by another program.
    """
    expected = Expected(*remember.expected) if remember.expected else None
    with contextlib.closing(History(remember.history, expected, remember.pins, remember.wait)) as history:
        yield Memory(history, remember, options)
