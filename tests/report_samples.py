"""Results to write reports of, and a way to write one into memory."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from wrs_verify import report
from wrs_verify.model import Allowed, Counts, Coverage, Finding, HashCheck, Hashes, Level, RecordResult, Related, Skipped, Verdict

HASH = "sha256:" + "0123456789abcdef" * 4
OTHER = "sha256:" + "fedcba9876543210" * 4
TARGET = {"record_id": "urn:uuid:55e55737-f34f-4944-a02c-cadbc2706a59", "version": 1, "content_hash": HASH}
COVERAGE = Coverage(212, 75, 15, 2, 2, ("/entry/topic", "/entry/year"))
NOTE = Finding(
    "content-unavailable", "note", "the content hash was not recomputed", "/target/content_hash", input="a.json", line=9, column=3
)
WARNING = Finding(
    "text-mismatch", "warning", "the title differs from its hashed copy", "/entry/title", "A", "B", input="a.json", line=5, column=7
)
ERROR = Finding("schema-violation", "error", "this is not a year", "/entry/year", "a year", 0, input="a.json", line=6, column=9)
OPTIONS = report.Options(version="1.0")


def result(
    name: str = "a.json", findings: Sequence[Finding] = (NOTE,), *, line: int | None = None, recomputed: str | None = None
) -> RecordResult:
    """A record that passed, unless an error is among its findings."""
    failed = any(finding.level == "error" for finding in findings)
    content = HashCheck("match", HASH, HASH, recomputed) if recomputed else HashCheck("unavailable", HASH)
    hashes = Hashes(HashCheck("match", OTHER, OTHER), content, HASH)
    profile = "wrs-published-research-view-1"
    return RecordResult(name, line, profile, "an-entry", TARGET, "fail" if failed else "pass", hashes, COVERAGE, tuple(findings))


def unreadable(name: str = "bad.json") -> RecordResult:
    """A record that does not parse."""
    nothing = Hashes(HashCheck("unavailable"), HashCheck("unavailable"), None)
    finding = Finding("invalid-json", "error", "this is not JSON", input=name, line=1, column=1)
    return RecordResult(name, None, None, None, None, "fail", nothing, None, (finding,))


def write(
    name: str,
    results: Iterable[RecordResult],
    options: report.Options = OPTIONS,
    *,
    verdict: Verdict | None = None,
    skipped: Sequence[Skipped] = (),
    findings: Sequence[Finding] = (),
) -> tuple[str, Counts]:
    """A report and its counts. The verdict follows from the results unless it is given."""
    sink = io.BytesIO()
    renderer = report.renderer(name, sink, options)
    tally = report.Tally()
    records = 0
    for one in results:
        records += 1
        tally.add(one)
        renderer.record(one)
    tally.add_findings(findings)
    counts = tally.counts(inputs=records + len(skipped), skipped=len(skipped))
    renderer.finish(verdict or ("fail" if counts.errors or not records else "pass"), counts, skipped, findings, tally.summary())
    renderer.close()
    return sink.getvalue().decode(), counts


TEXT = st.text(st.one_of(st.characters(), st.sampled_from('\x1b\x7f\x85\n\u202e\u2028\ud800"\\')), max_size=12)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=6,
)
_places = st.one_of(st.none(), st.integers(1, 10**6))
_pointers = TEXT.map(lambda text: "/" + text.replace("~", "~0").replace("/", "~1"))
_related = st.builds(Related, _pointers, VALUES, TEXT, _places, _places)
FINDINGS = st.builds(
    Finding,
    st.sampled_from(["schema-violation", "text-mismatch", "overclaim"]),
    st.sampled_from(["error", "warning", "note"]),
    TEXT.map(lambda text: f"wrong: {text}"),
    st.one_of(st.none(), _pointers),
    VALUES,
    VALUES,
    st.lists(_related, max_size=8).map(tuple),
    TEXT,
    _places,
    _places,
)
RESULTS = st.builds(
    lambda name, findings, line, names, allowed: result(name, findings, line=line)._replace(
        profile=names, entry_id=names, allowed=tuple(allowed)
    ),
    TEXT,
    st.lists(FINDINGS, max_size=3),
    _places,
    st.one_of(st.none(), TEXT),
    st.lists(st.builds(Allowed, FINDINGS, TEXT.map(lambda text: f"because {text}"), st.just("2030-12-31")), max_size=2),
)
SKIPPED = st.builds(Skipped, TEXT, TEXT.map(lambda text: f"because {text}"))

#: What breaks out of a format that does not escape it: XML, workflow commands, Markdown, HTML, SARIF messages, terminals.
ATTACK = (
    "]]></failure><!--&x;\"'</script><script>alert(1)</script>\r\n::error::owned%0A::set-output name=a::b\n##[error]##vso[x]"
    "| a | `b` **c** [d](javascript:alert(1)) ![e](http://e.example/f) {0} {{1}} [0](1) @octocat \x1b[31m\x00\x07\u202e\ufffe\ud800 C:\\d,e"
)

_RULES: tuple[tuple[str, Level], ...] = (("schema-violation", "error"), ("text-mismatch", "warning"), ("content-unavailable", "note"))


def attacked() -> RecordResult:
    """A record every string of which is an attack."""
    related = (Related(f"/{ATTACK}", ATTACK, ATTACK, 3, 4),)
    # The messages of rules quote what they show; this is one that does not.
    findings = [
        Finding(rule, level, f"wrong: {ATTACK}", f"/{ATTACK}", ATTACK, {ATTACK: [ATTACK]}, related, ATTACK, 1, 2) for rule, level in _RULES
    ]
    checks = HashCheck("mismatch", ATTACK, HASH)
    target = TARGET | {"record_id": ATTACK}
    allowed = (Allowed(findings[1], f"because {ATTACK}", "2030-12-31"),)
    return RecordResult(
        ATTACK, 1, ATTACK, ATTACK, target, "fail", Hashes(checks, checks, HASH), COVERAGE._replace(unprotected_pointers=(f"/{ATTACK}",)),
        tuple(findings), allowed,
    )  # fmt: skip
