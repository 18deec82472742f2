"""What the parts of the verifier hand to one another.

Everything here is immutable, typed and picklable, and has no behaviour to speak of. Named tuples rather than frozen
dataclasses: a record costs about six of these, and a named tuple is made in a fifth of the time.
"""

from __future__ import annotations

from datetime import date
from typing import Any, Literal, NamedTuple, TypeAlias

__all__ = [
    "Allowance",
    "Allowed",
    "Change",
    "Counts",
    "Coverage",
    "Excerpt",
    "Facts",
    "Finding",
    "HashCheck",
    "Hashes",
    "HistoryState",
    "Json",
    "Level",
    "Limits",
    "Past",
    "Problem",
    "RecordResult",
    "Reference",
    "Related",
    "Report",
    "Sighting",
    "Skipped",
    "Status",
    "Verdict",
]

Level: TypeAlias = Literal["error", "warning", "note"]
Verdict: TypeAlias = Literal["pass", "fail", "incomplete"]
Status: TypeAlias = Literal["match", "mismatch", "unavailable"]

#: A JSON value as Python holds it. Parsed text is not typed any closer than this: that is the schemas' work.
Json: TypeAlias = Any


class Limits(NamedTuple):
    """How much input is read at most. Each limit is an option of the command, and its finding names that option."""

    max_size: int = 16 * 1024 * 1024
    """Bytes of one record's text (`--max-size`)."""
    max_depth: int = 200
    """Levels of nested arrays and objects (`--max-depth`)."""
    max_findings: int = 1000
    """Findings of one record, or of one rule about several, that are listed (`--max-findings`); those beyond are counted."""
    max_references: int = 10_000
    """Items of the lists in which one record names entries that are looked for (`--max-references`)."""


class Problem(NamedTuple):
    """Why an input could not be read as a JSON value; the rule of that name words the finding.

    `offset` counts bytes from the start of the input; None where no place in the text is meant.
    """

    rule: str
    message: str
    offset: int | None = None
    pointer: str | None = None
    expected: Json = None
    actual: Json = None


class Related(NamedTuple):
    """Another place that a finding is about, and the value there. `line` and `column` count from 1."""

    pointer: str
    value: Json = None
    input: str = ""
    line: int | None = None
    column: int | None = None


class Excerpt(NamedTuple):
    """A piece of the line of a text on which a finding is: what is meant, and what stands before and after it. Foreign text as it is.

    `more_before` and `more_after` tell whether the line goes on beyond the piece.
    """

    before: str
    marked: str
    after: str
    more_before: bool = False
    more_after: bool = False


class Finding(NamedTuple):
    """One defect, at one place. A rule gives rule, level, message, pointer and values; the engine adds the place in the text.

    `line` and `column` count from 1, a column counting Unicode code points. `pointer` is a JSON Pointer (RFC 6901).
    `excerpt` is what stands there, if a format of the report shows it.
    """

    rule: str
    level: Level
    message: str
    pointer: str | None = None
    expected: Json = None
    actual: Json = None
    related: tuple[Related, ...] = ()
    input: str = ""
    line: int | None = None
    column: int | None = None
    excerpt: Excerpt | None = None


class Allowance(NamedTuple):
    """What the user allows: the findings of a rule in a record, for a reason, up to and including a day (in UTC).

    `record` is a record id. None as `version` or `pointer` stands for any. `input` and `line` tell where the allowance is written.
    """

    rule: str
    record: str
    reason: str
    until: date
    version: int | None = None
    pointer: str | None = None
    input: str = ""
    line: int | None = None


class Allowed(NamedTuple):
    """A finding that an allowance took out of a record's findings, why, and up to which day (`YYYY-MM-DD`)."""

    finding: Finding
    reason: str
    until: str


class HashCheck(NamedTuple):
    """A recorded hash against the computed one, each `sha256:` and 64 hex digits, or None where there is none.

    `origin` says what a content hash was recomputed from (`source`, `version` or `record`; the report calls it `from`).
    """

    status: Status
    recorded: str | None = None
    computed: str | None = None
    origin: str | None = None


class Hashes(NamedTuple):
    """The three hashes of a record. `document` is that of the canonical form of the whole record."""

    public_view: HashCheck
    content: HashCheck
    document: str | None


class Coverage(NamedTuple):
    """How many leaf values of a record each kind of protection covers (see docs/coverage.md)."""

    hashed: int
    corroborated: int
    repeated: int
    fixed: int
    unprotected: int
    unprotected_pointers: tuple[str, ...]
    """Of the unprotected ones, the first 1,000; one may stand for all that lies below it, if it is long."""


class RecordResult(NamedTuple):
    """What was found out about one record: whatever stood where a record should be, also when it does not parse.

    `line` is the line in a JSON Lines file, else None. What is `allowed` is not among the `findings`, and the verdict does not heed it.
    `text_digest` is the SHA-256 of its bytes as they were read, in hex; None unless it was asked for, or where they were not read.
    """

    input: str
    line: int | None
    profile: str | None
    entry_id: str | None
    target: dict[str, Json] | None
    verdict: Verdict
    hashes: Hashes
    coverage: Coverage | None
    findings: tuple[Finding, ...]
    allowed: tuple[Allowed, ...] = ()
    text_digest: str | None = None


class Reference(NamedTuple):
    """What a record refers to at a pointer: an exact version of a record, or a catalogue entry."""

    pointer: str
    record_id: str | None = None
    version: int | None = None
    content_hash: bytes | None = None
    entry_id: str | None = None


class Facts(NamedTuple):
    """What the rules of the drop need to know of one record. Hashes are the 32 bytes themselves; None is what it does not have.

    `trusted` says that the public view hash matches. `record_id`, `version` and `content_hash` are those of the hashed target.
    `view` is the hash of the public view as it was computed, `grade` the hash of the canonical form of the grade, and
    `grade_said` its band and points in a few words.
    """

    input: str
    line: int | None
    profile: str
    trusted: bool
    document: bytes
    record_id: str | None = None
    version: int | None = None
    content_hash: bytes | None = None
    view: bytes | None = None
    entry_id: str | None = None
    edition: str | None = None
    grade_edition: str | None = None
    grade: bytes | None = None
    grade_said: str | None = None
    references: tuple[Reference, ...] = ()


class Sighting(NamedTuple):
    """What a history remembers of a record, and where the record is in this run. Hashes are the 32 bytes themselves.

    `previous` is the content hash of the version before, `text` the hash of the bytes of the record as they were read.
    """

    input: str
    line: int | None
    profile: str
    record_id: str
    version: int
    content_hash: bytes
    view: bytes
    document: bytes
    edition: str | None
    grade_edition: str | None
    grade: bytes | None
    grade_said: str | None
    entry_id: str | None
    previous: bytes | None
    text: bytes


class Past(NamedTuple):
    """What was seen of a record before: in a history, which tells the run and the time when it was first seen, or in a pin file.

    `place` names the line of the pin file; then there is neither a run nor a time, and little else is known. `last` are the run and
    the time of the last complete drop, where a record is missed in this one.
    """

    record_id: str
    version: int
    content_hash: bytes
    view: bytes
    entry_id: str | None = None
    grade_edition: str | None = None
    grade: bytes | None = None
    grade_said: str | None = None
    run: int = 0
    time: str = ""
    place: str | None = None
    last: tuple[int, str] | None = None


class Change(NamedTuple):
    """A record of this run that is not as it was; None stands for one that is not there."""

    now: Sighting | None
    was: Past


class HistoryState(NamedTuple):
    """How a history stands at the end of a run: the size and the root of its tree, and how many runs it holds.

    `added` is how many entries this run added, None where it added nothing, not even itself. `absent` is how many records of the last
    complete drop were not in this run, None where there was none or not all was read.
    """

    size: int
    root: bytes
    runs: int
    added: int | None = None
    absent: int | None = None


class Pinned(NamedTuple):
    """What a pin file was worth in a run: how many pins are in it, and how many of the run's documents were compared with one."""

    pins: int
    compared: int


class Skipped(NamedTuple):
    """An input that was found and not read, and why."""

    input: str
    reason: str


class Counts(NamedTuple):
    """The numbers of a run. `records` = `passed` + `failed`; errors, warnings and notes count findings of that level.

    What is `allowed` is not counted among these.
    """

    inputs: int = 0
    records: int = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    errors: int = 0
    warnings: int = 0
    notes: int = 0
    allowed: int = 0


class Report(NamedTuple):
    """A whole run. `findings` are those that concern the drop, or an input that is not a record."""

    verdict: Verdict
    counts: Counts
    records: tuple[RecordResult, ...]
    skipped: tuple[Skipped, ...]
    findings: tuple[Finding, ...]
