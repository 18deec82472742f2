"""The text report: one line a finding, harmless text, and a summary in which nothing unverified sounds verified."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import ERROR, FINDINGS, HASH, NOTE, OPTIONS, OTHER, RESULTS, SKIPPED, WARNING, result, unreadable, write

from wrs_verify import report
from wrs_verify.model import Finding, HashCheck, RecordResult, Related, Skipped


def text(*results: RecordResult, **more: Any) -> list[str]:
    """The lines of a report; arguments of another name than those of `write` are options."""
    options = {name: more.pop(name) for name in set(more) & set(report.Options._fields)}
    return write("text", results, OPTIONS._replace(**options), **more)[0].splitlines()


def one(finding: Finding, **options: Any) -> list[str]:
    """The lines of one finding."""
    lines = text(result(findings=[finding]), **options)
    return lines[: next(number for number, line in enumerate(lines) if line.startswith(("PASS", "FAIL")))]


def test_two_good_records() -> None:
    assert text(result("a.json"), result("b.json")) == [
        "PASS: 2 records passed",
        "  public view hash: recomputed for 2 of 2",
        "  content hash: recomputed for 0 of 2 (its input is not in the view)",
        "  targets: agree in 2 of 2",
        "  coverage: of 612 values, 424 hashed, 150 corroborated, 30 repeated, 4 fixed, 4 that nothing protects",
        "  findings: 2 notes (2 content-unavailable)",
        "  notes are not shown; --verbose shows them",
    ]


def test_a_finding() -> None:
    assert one(WARNING) == [
        "a.json:5:7: warning[text-mismatch] the title differs from its hashed copy",
        '    at /entry/title: expected "A", found "B"',
    ]
    assert one(WARNING._replace(column=None))[0].startswith("a.json:5: warning")
    assert one(WARNING._replace(line=None, column=None))[0].startswith("a.json: warning")
    assert one(WARNING._replace(expected=None))[1] == '    at /entry/title: found "B"'
    assert one(WARNING._replace(pointer=None))[1] == '    expected "A", found "B"'


def test_what_the_message_says_is_not_said_again() -> None:
    finding = ERROR._replace(message='/entry/year is 0, expected "a year"')
    assert one(finding) == ['a.json:6:9: error[schema-violation] /entry/year is 0, expected "a year"']


def test_a_finding_without_a_place_stands_at_its_record() -> None:
    bare = ERROR._replace(input="", line=None, column=None)
    assert text(result("many.jsonl", [bare], line=12))[0].startswith("many.jsonl:12: error")
    assert text(result(), findings=[bare])[0].startswith("error[schema-violation]")
    assert text(result(), findings=[bare], colour=True)[0].startswith("\x1b[31merror[schema-violation]")


def test_related_places_are_few() -> None:
    related = tuple(Related(f"/entry/x{number}", number, "a.json", number + 1, 3) for number in range(9))
    lines = one(WARNING._replace(related=related))
    assert lines[2] == "    /entry/x0 (1:3) says 0"
    assert lines[7:] == ["    /entry/x5 (6:3) says 5", "    and 3 more"]
    elsewhere = Related("", {"a": 1}, "other.json")
    assert one(WARNING._replace(related=(elsewhere,)))[2] == '    other.json the whole record says {"a": 1}'


def test_hashes_are_shown_whole() -> None:
    finding = ERROR._replace(expected=HASH, actual=OTHER, related=(Related("/target/content_hash", HASH), Related("/entry/target", OTHER)))
    lines = one(finding, width=60)
    assert lines[1] == f'    at /entry/year: expected "{HASH}", found "{OTHER}"'
    assert lines[2] == "    expected by /target/content_hash"
    assert lines[3] == f'    /entry/target says "{OTHER}"'


def test_details_keep_to_the_width() -> None:
    finding = ERROR._replace(expected=None, actual=None, related=(Related("/entry/" + "p" * 500, "v" * 500, "a.json", 1, 1),))
    assert len(one(finding, width=200)[2]) <= 200


def test_levels() -> None:
    record = result(findings=[NOTE, WARNING, ERROR])
    both, verbose, quiet = text(record), text(record, verbose=True), text(record, quiet=True)
    assert [re.findall(r"(\w+)\[", line)[0] for line in both if "[" in line] == ["warning", "error"]
    assert [re.findall(r"(\w+)\[", line)[0] for line in verbose if "[" in line] == ["note", "warning", "error"]
    assert [re.findall(r"(\w+)\[", line)[0] for line in quiet if "[" in line] == ["error"]
    assert any("--verbose" in line for line in both)
    assert not any("--verbose" in line for line in verbose)
    assert quiet[-1] == "FAIL: 1 of 1 record failed, 1 error, 1 warning"


def test_quiet_says_nothing_of_a_pass_but_of_all_else() -> None:
    assert text(result(findings=[WARNING, NOTE]), quiet=True, verbose=True) == []
    assert text(quiet=True) == ["NOTHING TO VERIFY: no record was found"]
    assert text(result(), quiet=True, verdict="incomplete")[0].startswith("INCOMPLETE")


def test_only_failures() -> None:
    good, bad = result("good.json", [WARNING._replace(input="good.json")]), result("bad.json", [WARNING._replace(input="bad.json"), ERROR])
    lines = text(good, bad, only_failures=True, verbose=True, findings=[WARNING._replace(input="drop"), ERROR._replace(input="drop")])
    assert not any(line.startswith("good.json") for line in lines)
    assert any(line.startswith("bad.json:5:7: warning") for line in lines)
    assert "bad.json: failed" in lines
    assert [line.partition("[")[0] for line in lines if line.startswith("drop")] == ["drop:6:9: error"]
    assert any(line.startswith("  findings: 2 errors, 3 warnings") for line in lines)


def test_verbose_says_what_nothing_protects() -> None:
    lines = text(result(), unreadable(), verbose=True)
    start = lines.index("a.json: passed")
    assert lines[start + 1 : start + 4] == [
        "    coverage: of 306 values, 212 hashed, 75 corroborated, 15 repeated, 2 fixed, 2 that nothing protects:",
        "        /entry/topic",
        "        /entry/year",
    ]
    assert lines[lines.index("bad.json: failed") + 1] == "    coverage: could not be worked out"
    record = result()
    assert record.coverage is not None
    many = record._replace(
        coverage=record.coverage._replace(unprotected=60, unprotected_pointers=tuple(f"/{number}" for number in range(60)))
    )
    assert "        and 10 more" in text(many, verbose=True)


def test_the_summary_of_a_bad_run() -> None:
    one = result()
    forged = one._replace(
        hashes=one.hashes._replace(public_view=HashCheck("mismatch", HASH, OTHER), content=HashCheck("mismatch", HASH, OTHER, "source"))
    )
    differing = result("c.json", [ERROR._replace(rule="target-mismatch")], recomputed="version")
    lines = text(forged, differing, unreadable())
    start = lines.index("FAIL: 2 of 3 records failed, 2 errors")
    assert lines[start + 1 : start + 5] == [
        "  public view hash: recomputed for 1 of 3; another hash in 1; not read in 1",
        "  content hash: recomputed for 1 of 3 (from the view itself); another hash in 1; not read in 1",
        "  targets: agree in 1 of 3; differ in 1; not all compared in 1",
        "  coverage: of 612 values, 424 hashed, 150 corroborated, 30 repeated, 4 fixed, 4 that nothing protects"
        " (not worked out for 1 record)",
    ]


def test_where_content_hashes_come_from() -> None:
    def line(*results: RecordResult) -> str:
        return next(line for line in text(*results) if "content hash" in line and line.startswith("  "))

    assert line(result(recomputed="source")) == "  content hash: recomputed for 1 of 1 from source versions"
    mixed = [result(recomputed="source"), result(recomputed="record"), result(recomputed="version"), result()]
    assert (
        line(*mixed)
        == "  content hash: recomputed for 3 of 4 (2 from the view itself, 1 from source versions); its input is not in the view in 1"
    )


@pytest.mark.parametrize("rule", ["schema-violation", "unknown-profile", "internal-error", "engine-disagreement"])
def test_targets_that_may_not_all_have_been_compared_do_not_agree(rule: str) -> None:
    lines = text(result(findings=[ERROR._replace(rule=rule)]), result()._replace(target=None), result()._replace(coverage=None))
    assert "  targets: agree in 0 of 3; not all compared in 3" in lines


@pytest.mark.parametrize("verdict", ["pass", "fail", "incomplete"])
def test_nothing_is_no_pass(verdict: Any) -> None:
    lines = text(verdict=verdict, skipped=[Skipped("a.txt", "not a record")])
    assert lines[0].startswith(
        "INCOMPLETE: not everything was checked" if verdict == "incomplete" else "NOTHING TO VERIFY: no record was found"
    )
    assert lines[1:] == ["  skipped: 1 input", "    a.txt: not a record"]
    assert not any("recomputed" in line for line in lines)


def test_errors_without_records_fail() -> None:
    assert "FAIL: 0 of 0 records failed, 1 error" in text(findings=[ERROR], verdict="fail")


def test_skipped_inputs() -> None:
    lines = text(result(), skipped=[Skipped(f"x{number}", "too odd" if number % 3 else "not a record") for number in range(9)])
    assert lines[-3:] == ["  skipped: 9 inputs", "    6: too odd", "    3: not a record"]
    lines = text(result(), skipped=[Skipped("x", f"reason {number:04}") for number in range(2000)])
    assert lines[-11:] == [f"    1: reason {number:04}" for number in range(10)] + ["    1990: for other reasons"]


def test_colours_come_only_when_asked_for() -> None:
    record = result(findings=[ERROR, WARNING])
    plain, coloured = write("text", [record])[0], write("text", [record], OPTIONS._replace(colour=True))[0]
    assert "\x1b[31m" in coloured
    assert re.sub(r"\x1b\[[0-9]*m", "", coloured) == plain


@given(st.lists(RESULTS, max_size=3), st.lists(SKIPPED, max_size=7), st.lists(FINDINGS, max_size=2), st.sampled_from([None, 40, 80, 300]))
def test_harmless_and_one_line_a_finding(
    results: list[RecordResult], skipped: list[Skipped], findings: list[Finding], width: int | None
) -> None:
    shown, counts = write("text", results, OPTIONS._replace(verbose=True, width=width), skipped=skipped, findings=findings)
    assert not any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} for character in shown.replace("\n", ""))
    started = [
        line
        for line in shown.splitlines()
        if re.search(r"(?:^|: )(?:error|warning|note)\[(?:schema-violation|text-mismatch|overclaim)\] wrong: ", line)
    ]
    assert len(started) == counts.errors + counts.warnings + counts.notes


@settings(max_examples=40)
@given(st.lists(RESULTS, min_size=1, max_size=3))
def test_text_and_json_count_alike(results: list[RecordResult]) -> None:
    lines = text(*results, verbose=True)
    counts = json.loads(write("json", results)[0])["counts"]
    for noun in ("error", "warning", "note"):
        assert sum(f" {noun}[" in f" {line}" and "wrong: " in line for line in lines) == counts[f"{noun}s"]
    verdict = next(line for line in lines if line.startswith(("PASS: ", "FAIL: ")))
    said = re.match(r"PASS: (\d+) |FAIL: (\d+) of (\d+) ", verdict)
    assert said
    assert (int(said[1]) if said[1] else int(said[3]) - int(said[2])) == counts["passed"]
