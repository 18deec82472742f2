"""Reports: what every format is given, and what a run rests on.

A format is a module of this package with the format's name and a class `Renderer`. It is given the results one by one, in
order, and at the end what concerns the whole run; it writes bytes, and is a pure function of what it is given. No format
holds the records of a run in memory. A module is imported when its format is asked for.
"""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol, cast

from wrs_verify.model import Counts, Coverage, Finding, HistoryState, Json, Pinned, RecordResult, Skipped, Verdict
from wrs_verify.rules import rules

__all__ = [
    "FORMATS",
    "SHOWING_EXCERPTS",
    "STEP_SUMMARY",
    "Checked",
    "Options",
    "Renderer",
    "Sink",
    "Summary",
    "Tally",
    "Targets",
    "Unstated",
    "renderer",
    "unsettling",
]

#: The formats by name, and what each is for.
FORMATS: Mapping[str, str] = {
    "text": "lines for people",
    "json": "for other programs, fixed by wrs-verify-report-1.schema.json",
    "junit": "JUnit XML for CI services, a test case a record",
    "sarif": "SARIF 2.1.0 for code scanning services and editors",
    "github": "annotations in a workflow of GitHub, and its step summary",
    "html": "a page for people, which works offline",
    "intoto": "an in-toto statement about the inputs, signed with --sign-key",
}

#: The formats that show what stands at the place of a finding.
SHOWING_EXCERPTS = frozenset({"text", "html"})

#: The page that goes with the format `github`, to the file that the environment names.
STEP_SUMMARY = "step_summary"


class Options(NamedTuple):
    """How to write a report. `version` and `configuration` concern every format, the rest concerns text, or the format it names."""

    version: str
    """The version of this program."""
    quiet: bool = False
    """Only errors, and the verdict unless it is a pass."""
    verbose: bool = False
    """Notes too, the records that passed, and what nothing protects in each."""
    only_failures: bool = False
    """Of records that passed, nothing but the summary."""
    colour: bool = False
    """ANSI colours."""
    width: int | None = None
    """Columns of the terminal; None where there is none."""
    room: int = 1024 * 1024
    """How many bytes a step summary may have."""
    sign: Callable[[bytes], bytes] | None = None
    """Makes a signed envelope of an in-toto statement; None leaves it unsigned."""
    settings: Mapping[str, Json] = {}
    """The options by which was checked, as an in-toto statement lists them."""
    configuration: str | None = None
    """The file that set options, levels or allowances, and what it set; None where there is none."""


class Sink(Protocol):
    """Where a report is written to."""

    def write(self, data: bytes, /) -> object: ...


class Checked(NamedTuple):
    """In how many records a hash was recomputed and equal, was another, could not be computed, was not there; or was not read."""

    match: int = 0
    mismatch: int = 0
    unavailable: int = 0
    unrecorded: int = 0
    unread: int = 0


class Targets(NamedTuple):
    """In how many records the copies of the target agree, differ, or could not all be compared."""

    agree: int = 0
    differ: int = 0
    unsettled: int = 0


class Summary(NamedTuple):
    """What the verdict of a run rests on."""

    records: int = 0
    public_view: Checked = Checked()
    content: Checked = Checked()
    content_origins: Mapping[str, int] = {}
    """Of the content hashes that match, how many were recomputed from what: `source`, `version` or `record`."""
    targets: Targets = Targets()
    coverage: Coverage = Coverage(0, 0, 0, 0, 0, ())
    """The sums over the records; the pointers are left out."""
    covered: int = 0
    """How many records `coverage` sums up: those of which it could be worked out."""
    rules: Mapping[str, int] = {}
    """Findings by rule, sorted by name."""
    levels: Mapping[str, Mapping[str, int]] = {}
    """The same by level, the worst first, and then by rule."""
    allowed: Mapping[str, int] = {}
    """Findings that were allowed, by rule, sorted by name. They are not among those of `rules`."""
    history: HistoryState | None = None
    """How the history stands at the end; None without one."""
    pins: Pinned | None = None
    """What the pin file was worth; None without one."""


class Unstated(Exception):
    """A format has no way to say what there is to say, so there is no report in it. The message is for users."""


class Renderer(Protocol):
    """Writes a report in one format."""

    def record(self, result: RecordResult) -> None:
        """Takes the next result. Results come sorted by input and line."""

    def finish(self, verdict: Verdict, counts: Counts, skipped: Iterable[Skipped], findings: Iterable[Finding], summary: Summary) -> None:
        """Completes the report. Reads `skipped` and `findings` (those outside the records) once.

        Raises:
            Unstated: the format cannot state this. Nothing was written.
        """

    def close(self) -> None:
        """Frees what the renderer holds, also when the report was not completed. May be called twice."""


def renderer(name: str, sink: Sink, options: Options) -> Renderer:
    """A renderer for a format of `FORMATS`, or `STEP_SUMMARY`, which writes to the sink.

    Raises:
        KeyError: there is no such format.
    """
    if name not in FORMATS and name != STEP_SUMMARY:
        raise KeyError(name)
    module = importlib.import_module(f"{__name__}.{name}")
    return cast(Renderer, module.Renderer(sink, options))


_UNSETTLING = frozenset(
    {"schema-violation", "too-many-violations", "too-many-findings", "unknown-profile", "internal-error", "engine-disagreement"}
)


def unsettling(result: RecordResult) -> set[str]:
    """The rules of those errors of a record because of which a copy may not have been compared, or may differ in a finding not listed."""
    found = {finding.rule for finding in result.findings if finding.rule in _UNSETTLING and finding.level == "error"}
    # Errors of rules that are errors by themselves are left out last: one of another rule that is listed says that all of these are.
    if "too-many-findings" in found and any(rules()[finding.rule].level != "error" for finding in result.findings):
        found.remove("too-many-findings")
    return found


class Tally:
    """Counts results and findings as they come, in constant memory."""

    __slots__ = (
        "_allowed",
        "_content",
        "_corroborated",
        "_covered",
        "_fixed",
        "_found",
        "_hashed",
        "_passed",
        "_records",
        "_repeated",
        "_targets",
        "_unprotected",
        "_view",
    )

    def __init__(self) -> None:
        self._records = self._passed = self._covered = 0
        self._hashed = self._corroborated = self._repeated = self._fixed = self._unprotected = 0
        self._view: defaultdict[tuple[str, bool], int] = defaultdict(int)
        self._content: defaultdict[tuple[str, bool, str | None], int] = defaultdict(int)
        self._targets: defaultdict[str, int] = defaultdict(int)
        self._found: defaultdict[tuple[str, str], int] = defaultdict(int)
        self._allowed: defaultdict[str, int] = defaultdict(int)

    def add(self, result: RecordResult) -> None:
        """Counts one record and its findings, and apart from them what was allowed."""
        self._records += 1
        if result.verdict == "pass":
            self._passed += 1
        view, content, document = result.hashes
        self._view[view.status if document else "unread", view.recorded is None] += 1
        self._content[content.status if document else "unread", content.recorded is None, content.origin] += 1
        coverage = result.coverage
        settled = coverage is not None and result.target is not None and not unsettling(result)
        if coverage is not None:
            hashed, corroborated, repeated, fixed, unprotected, _ = coverage
            self._covered += 1
            self._hashed += hashed
            self._corroborated += corroborated
            self._repeated += repeated
            self._fixed += fixed
            self._unprotected += unprotected
        differs = False
        for finding in result.findings:
            rule = finding.rule
            self._found[finding.level, rule] += 1
            if rule == "target-mismatch":
                differs = True
        for one in result.allowed:
            self._allowed[one.finding.rule] += 1
        self._targets["differ" if differs else "agree" if settled else "unsettled"] += 1

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Counts findings that belong to no record."""
        for finding in findings:
            self._found[finding.level, finding.rule] += 1

    def counts(self, inputs: int, skipped: int) -> Counts:
        """The numbers so far.

        Args:
            inputs: how many inputs were found.
            skipped: how many of them were skipped.
        """
        levels = {"error": 0, "warning": 0, "note": 0}
        for (level, _), number in self._found.items():
            levels[level] += number
        failed = self._records - self._passed
        allowed = sum(self._allowed.values())
        return Counts(inputs, self._records, self._passed, failed, skipped, levels["error"], levels["warning"], levels["note"], allowed)

    def summary(self) -> Summary:
        """What the results so far rest on."""
        origins: defaultdict[str, int] = defaultdict(int)
        content: defaultdict[tuple[str, bool], int] = defaultdict(int)
        for (status, unrecorded, origin), number in self._content.items():
            content[status, unrecorded] += number
            if status == "match" and origin is not None:
                origins[origin] += number
        rules: defaultdict[str, int] = defaultdict(int)
        levels: dict[str, dict[str, int]] = {"error": {}, "warning": {}, "note": {}}
        for (level, rule), number in sorted(self._found.items()):
            rules[rule] += number
            levels[level][rule] = number
        return Summary(
            self._records,
            _checked(self._view),
            _checked(content),
            dict(sorted(origins.items())),
            Targets(self._targets["agree"], self._targets["differ"], self._targets["unsettled"]),
            Coverage(self._hashed, self._corroborated, self._repeated, self._fixed, self._unprotected, ()),
            self._covered,
            dict(sorted(rules.items())),
            {level: found for level, found in levels.items() if found},
            dict(sorted(self._allowed.items())),
        )


def _checked(numbers: Mapping[tuple[str, bool], int]) -> Checked:
    by_kind: defaultdict[str, int] = defaultdict(int)
    for (status, unrecorded), number in numbers.items():
        by_kind["unrecorded" if status == "unavailable" and unrecorded else status] += number
    return Checked(by_kind["match"], by_kind["mismatch"], by_kind["unavailable"], by_kind["unrecorded"], by_kind["unread"])
