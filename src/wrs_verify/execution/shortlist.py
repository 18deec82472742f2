"""The findings about more than one record, of which there may be as many as a stranger likes: the first of each rule, and a count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from wrs_verify import engine
from wrs_verify.engine import Options
from wrs_verify.mistakes import too_many_findings
from wrs_verify.model import Finding

__all__ = ["Shortlist"]


class Shortlist:
    """Holds as many findings of each rule as are listed of one record, those that come first in the report, in whatever order they come.

    Those that say that a check broke off are all held, once each.

    Args:
        most: how many.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._first: defaultdict[str, list[Finding]] = defaultdict(list)
        self._beyond: Counter[str] = Counter()

    def add(self, finding: Finding) -> None:
        """One more finding."""
        held = self._first[finding.rule]
        if finding.rule != "internal-error":
            held.append(finding)
            if len(held) > 2 * self._most:
                self._keep(finding.rule)
        elif finding not in held:
            held.append(finding)

    def extend(self, findings: Iterable[Finding]) -> None:
        """More findings, one after the other: where they break off, those before are held."""
        for finding in findings:
            self.add(finding)

    def include(self, other: Shortlist) -> None:
        """All findings of another shortlist, which lists as many."""
        for held in other._first.values():
            self.extend(held)
        self._beyond.update(other._beyond)

    @property
    def complete(self) -> bool:
        """Whether no check broke off."""
        return not self._first["internal-error"]

    def findings(self, options: Options) -> Iterator[Finding]:
        """The findings that are listed, in no order, and for each rule that has more one that counts them, at the level of that rule."""
        for rule, held in self._first.items():
            if rule != "internal-error":
                self._keep(rule)
            yield from held
            if self._beyond[rule]:
                problem = too_many_findings(self._most, str(self._beyond[rule]), rule)
                yield engine.input_finding(problem, options)._replace(level=held[0].level)

    def _keep(self, rule: str) -> None:
        held = self._first[rule]
        held.sort(key=engine.order)
        self._beyond[rule] += max(0, len(held) - self._most)
        del held[self._most :]
