"""Words that several formats share: the verdict in a line, a finding in a few."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wrs_verify.model import Allowed, Counts, Finding, Pinned, RecordResult, Related, Verdict
from wrs_verify.report import Summary
from wrs_verify.safe import contrast, shorten, terminal, value, visible

__all__ = [
    "details",
    "expectation",
    "headline",
    "history_root",
    "is_internal",
    "name_of",
    "number_of",
    "place",
    "said",
    "settled",
    "telling",
]

#: Characters of a value, a pointer, a message; and how many related places.
_VALUE, _POINTER, _MESSAGE, _RELATED = 200, 300, 2000, 6

#: What the expected and the actual value of a finding are called, where those two words would mislead.
_WORDS = {"public-view-hash": ("computed", "recorded"), "content-hash": ("computed", "recorded")}

#: Rules whose expected value is a list of what may stand there, not a list that should.
_CHOICES = frozenset({"unknown-term", "unknown-profile"})

#: Findings about this program rather than about what it was given.
_INTERNAL = frozenset({"internal-error", "engine-disagreement"})


def headline(verdict: Verdict, counts: Counts) -> tuple[str, str]:
    """The verdict's own word or words, and the rest of its line. Nothing but a pass of at least one record reads as a pass."""
    found = ", ".join(number_of(number, noun) for number, noun in ((counts.errors, "error"), (counts.warnings, "warning")) if number)
    tail = f", {found}" if found else ""
    tail += f", {number_of(counts.allowed, 'finding')} allowed" if counts.allowed else ""
    if verdict == "incomplete":
        checked = f"of {number_of(counts.records, 'record')} checked so far, {counts.failed} failed"
        return "INCOMPLETE", f": not everything was checked; {checked}{tail}"
    if counts.records == 0 and counts.errors == 0:
        return "NOTHING TO VERIFY", f": no record was found{tail}"
    if verdict == "pass":
        return "PASS", f": {number_of(counts.records, 'record')} passed{tail}"
    if counts.passed and not counts.failed:
        return "FAIL", f": {number_of(counts.passed, 'record')} passed by themselves, but the run as a whole did not{tail}"
    if not counts.records:
        return "FAIL", f": no record could be read{tail}"
    return "FAIL", f": {counts.failed} of {number_of(counts.records, 'record')} failed{tail}"


def number_of(number: int, noun: str) -> str:
    """So many of a thing."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def settled(verdict: Verdict, counts: Counts) -> tuple[str, str] | None:
    """Why a run did not pass though no finding says so: a short name and a sentence. None where one does, or where it passed."""
    if verdict == "incomplete":
        return "incomplete", "not everything was checked"
    if counts.records == 0 and counts.errors == 0:
        return "nothing-to-verify", "no record was found"
    return None


def is_internal(finding: Finding) -> bool:
    """Whether a finding is about this program rather than about what it was given."""
    return finding.rule in _INTERNAL


def name_of(result: RecordResult) -> str:
    """A record as reports name it: its input, and its line in a JSON Lines file. Foreign text."""
    return result.input if result.line is None else f"{result.input}:{result.line}"


def place(finding: Finding, record: RecordResult | None) -> tuple[str, int | None, int | None]:
    """Input, line and column of a finding. One without a place of its own stands at its record."""
    path = finding.input or (record.input if record else "")
    line = record.line if finding.line is None and record else finding.line
    return path, line, None if finding.line is None else finding.column


def said(finding: Finding, allowed: Allowed | None = None) -> str:
    """A finding's message in one harmless line, and why it is allowed."""
    message = shorten(visible(finding.message), _MESSAGE)
    return f"{message} ({shorten(terminal(allowed.reason), _POINTER)}, until {allowed.until})" if allowed else message


def details(finding: Finding, record: RecordResult | None) -> Iterator[str]:
    """What a message may leave out, in harmless lines: where the finding is, what was expected and found, related places."""
    if finding.pointer:
        yield f"at {shorten(terminal(finding.pointer), _POINTER)}"
    for word, text in expectation(finding, _VALUE):
        yield f"{word} {text}"
    path = place(finding, record)[0]
    related = telling(finding.related)
    for other in related[:_RELATED]:
        where = f"{terminal(other.input)} " if other.input and other.input != path else ""
        where += shorten(terminal(other.pointer), _POINTER) or "the whole record"
        yield f"{where} says {value(other.value, _VALUE)}"
    if len(related) > _RELATED:
        yield f"and {len(related) - _RELATED} more places"


def telling(related: Iterable[Related]) -> list[Related]:
    """Those related places that a report in words has to tell of: not another whole input, which the message names, but what one says."""
    return [other for other in related if other.pointer or other.value is not None]


def expectation(finding: Finding, width: int) -> list[tuple[str, str]]:
    """What was expected and what was found, as far as a finding tells it: what each is called, and the value in so many characters."""
    expected, found = _WORDS.get(finding.rule, ("expected", "found"))
    wanted = finding.expected
    if finding.rule in _CHOICES and isinstance(wanted, list) and wanted:
        text = value(wanted[0], width) if len(wanted) == 1 else value(wanted, width + 2)[1:].removesuffix("]")
        texts = text, value(finding.actual, width)
        expected = "expected" if len(wanted) == 1 else "expected one of"
    else:
        texts = contrast(wanted, finding.actual, width)
    named = zip((expected, found), (wanted, finding.actual), texts, strict=True)
    return [(word, text) for word, thing, text in named if thing is not None]


def pins(pinned: Pinned, records: int) -> str:
    """For how many of so many records documents were compared with a pin, and how many pins there are."""
    return f"compared for {pinned.compared} of {records} ({number_of(pinned.pins, 'pin')} in the file)"


def history_root(summary: Summary) -> str | None:
    """The size and the root of the history at the end of a run, as `--expect-root` takes them; None without one."""
    return None if summary.history is None else f"{summary.history.size}:{summary.history.root.hex()}"
