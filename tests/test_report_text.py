"""The text report: findings at their places in the text, harmless text, and a summary in which nothing unverified sounds verified."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from report_samples import ATTACK, ERROR, FINDINGS, HASH, NOTE, OPTIONS, OTHER, RESULTS, SKIPPED, TEXT, WARNING, result, unreadable, write

from wrs_verify import report
from wrs_verify.model import Counts, Excerpt, Finding, HashCheck, Pinned, RecordResult, Related, Skipped
from wrs_verify.report.closing import closing
from wrs_verify.report.excerpt import drawn


def text(*results: RecordResult, **more: Any) -> list[str]:
    """The lines of a report; arguments of another name than those of `write` are options."""
    options = {name: more.pop(name) for name in set(more) & set(report.Options._fields)}
    return write("text", results, OPTIONS._replace(**options), **more)[0].splitlines()


def one(finding: Finding, **options: Any) -> list[str]:
    """The lines of one finding."""
    lines = text(result(findings=[finding]), **options)
    return lines[: lines.index("")]


def test_two_good_records() -> None:
    assert text(result("a.json"), result("b.json")) == [
        "PASS: 2 records passed",
        "  public view hash: recomputed and equal in 2 of 2",
        "  content hash: recomputed and equal in 0 of 2 (its input is not in the view)",
        "  targets: agree in 2 of 2",
        "  coverage: of 612 values, 424 hashed, 150 corroborated, 30 repeated, 4 fixed, 4 that nothing protects",
        "  findings: 2 notes: content-unavailable (--verbose shows notes)",
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
    assert lines[5:] == ["    /entry/x3 (4:3) says 3", "    and 5 more"]
    elsewhere = Related("", {"a": 1}, "other.json")
    assert one(WARNING._replace(related=(elsewhere,)))[2] == '    other.json the whole record says {"a": 1}'


def test_places_that_agree_are_as_many_as_fit() -> None:
    finding = WARNING._replace(related=tuple(Related(f"/entry/some/other/place/{number}", "A") for number in range(5)))
    places = [f"/entry/some/other/place/{number}" for number in range(3)]
    assert one(finding)[2] == f"    expected by {', '.join(places)} and 2 more"
    assert one(finding, width=80)[2] == f"    expected by {', '.join(places[:2])} and 3 more"
    assert one(finding, width=40)[-1] == "    expected by /entry/som…r/place/0 and 4 more"


def test_hashes_are_shown_whole() -> None:
    finding = ERROR._replace(expected=HASH, actual=OTHER, related=(Related("/target/content_hash", HASH), Related("/entry/target", OTHER)))
    lines = one(finding, width=60)
    assert lines[1:] == [
        "    at /entry/year:",
        f'    expected "{HASH}"',
        f'    found    "{OTHER}"',
        "    expected by /target/content_hash",
        f'    /entry/target says "{OTHER}"',
    ]
    assert one(finding, width=240)[1] == f'    at /entry/year: expected "{HASH}", found "{OTHER}"'
    assert one(finding._replace(pointer=None), width=60)[1] == f'    expected "{HASH}"'


def test_terms_are_named_as_such() -> None:
    finding = ERROR._replace(rule="unknown-term", message="unfamiliar", expected=["A", "B"], actual="C")
    assert one(finding)[1] == '    at /entry/year: expected one of "A", "B", found "C"'
    assert one(finding._replace(expected=[False]))[1] == '    at /entry/year: expected false, found "C"'
    assert one(finding._replace(rule="source-mismatch"))[1] == '    at /entry/year: expected ["A", "B"], found "C"'
    cut = one(finding._replace(expected=["term"] * 99))[1]
    assert cut.startswith('    at /entry/year: expected one of "term", "term", ')
    assert cut.endswith('…, found "C"')


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
    assert any(line.startswith("  findings: 2 errors: schema-violation; 3 warnings: text-mismatch") for line in lines)


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


def test_equal_lists_of_unprotected_values_are_shown_once() -> None:
    first, other = result("a.json"), result("c.json")
    assert first.coverage is not None
    turned = first.coverage._replace(unprotected_pointers=first.coverage.unprotected_pointers[::-1])
    other = other._replace(coverage=turned._replace(unprotected_pointers=("/entry/topic", "/x")))
    lines = text(first, result("b.jsonl", line=7)._replace(coverage=turned), other, verbose=True)
    said = {line.partition(":")[0]: lines[number + 1] for number, line in enumerate(lines) if line.endswith(": passed")}
    assert said["b.jsonl"].endswith(", 2 that nothing protects (the same as in a.json)")
    assert said["c.json"].endswith(", 2 that nothing protects:")
    assert [line for line in lines if line.startswith("        ")] == [
        f"        {pointer}" for pointer in ("/entry/topic", "/entry/year", "/entry/topic", "/x")
    ]
    # What does not fit into the list is counted, so two lists of the same beginning may be of different values.
    assert first.coverage is not None
    long = first._replace(input="d.json", coverage=first.coverage._replace(unprotected=3))
    assert not any("the same as" in line for line in text(first, long, verbose=True))


def test_findings_of_a_record_stand_together() -> None:
    here, there = result(findings=[WARNING, ERROR]), result("b.json", [WARNING._replace(input="b.json")])
    lines = text(here, result("c.json"), there, findings=[ERROR._replace(input="d.zip"), WARNING._replace(input="d.zip")])
    groups = [[line.partition(":")[0] for line in group.splitlines() if line[0] != " "] for group in "\n".join(lines).split("\n\n")]
    assert groups == [["a.json", "a.json"], ["b.json"], ["d.zip", "d.zip"], ["FAIL"]]
    assert text(result())[0].startswith("PASS")


def shown(before: str, marked: str, after: str, **more: Any) -> list[str]:
    """The excerpt of a finding: its lines without what stands before them, and the carets."""
    width, line = more.pop("width", 80), more.pop("line", 5)
    lines = one(WARNING._replace(line=line, excerpt=Excerpt(before, marked, after, **more)), width=width)
    assert lines[1].startswith(f"    {line} | ")
    gutter = lines[1].index("|") + 2
    assert lines[2][:gutter] == " " * (gutter - 2) + "| "
    assert max(map(columns, lines[1:3])) <= width
    return [lines[1][gutter:], lines[2][gutter:]]


def columns(line: str) -> int:
    """Columns of a terminal: marks and the vowels that complete a Hangul syllable take none."""
    wide = (one for one in line if unicodedata.category(one) not in ("Mn", "Me") and not "\u1160" <= one <= "\u11ff")
    return sum(1 + (unicodedata.east_asian_width(one) in "WF") for one in wide)


@pytest.mark.parametrize(
    ("before", "marked", "after", "line", "carets"),
    [
        ('  "title": ', '"B"', ",", '"title": "B",', "         ^^^"),
        ("", "{", "", "{", "^"),
        ('\t"title"', "", "  ", '"title"', "       ^"),
        ('"a":\t', "1", "", r'"a":\t1', "      ^"),
        ('"\u4e2d\u6587": ', '"\u6587"', ",", '"\u4e2d\u6587": "\u6587",', "        ^^^^"),
        ('"e\u0301": ', '"e\u0301"', "", '"e\u0301": "e\u0301"', "     ^^^"),
        ('"\U0001f600": ', "0", "", '"\U0001f600": 0', "      ^"),
        ('"\x1b[31m\u202e": ', "0", "", r'"\x1b[31m\u202e": 0', "                  ^"),
        (r'"\n\u00e9": ', '"##[error]"', "", r'"\n\u00e9": "\x23#[error]"', "            ^^^^^^^^^^^^^^"),
        ("\ufffd: ", "0", "", "\ufffd: 0", "   ^"),
    ],
)
def test_the_caret_stands_below_what_is_meant(before: str, marked: str, after: str, line: str, carets: str) -> None:
    assert shown(before, marked, after) == [line, carets]


def test_a_long_line_is_cut_around_what_is_meant() -> None:
    assert shown("b" * 99, "mark", "a" * 99, width=50) == ["…" + "b" * 20 + "mark" + "a" * 16 + "…", " " * 21 + "^^^^"]
    assert shown("b" * 99, "mark", "", width=50) == ["…" + "b" * 36 + "mark", " " * 37 + "^^^^"]
    assert shown("b" * 99, "m" * 99, "a", width=50) == ["…" + "b" * 13 + "m" * 27 + "…", " " * 14 + "^" * 27]
    assert shown("", "m" * 99, "a", width=50) == ["m" * 40 + "…", "^" * 40]
    assert shown("b", "m", "a", more_before=True, more_after=True) == ["…bma…", "  ^"]
    assert shown("文" * 60, "mark", "文" * 60, width=50)[1].endswith("^^^^")


def test_only_the_first_line_of_a_finding_is_not_indented() -> None:
    lines = one(WARNING._replace(line=1_234_567, excerpt=Excerpt("", "1", "")))
    assert lines[1:3] == [" 1234567 | 1", "         | ^"]


def test_there_is_no_excerpt_of_blanks_nor_without_a_line() -> None:
    assert len(one(WARNING._replace(excerpt=Excerpt(" \t", "", "  ")))) == len(one(WARNING))
    assert one(WARNING._replace(line=None, column=None, excerpt=Excerpt("", "1", "")))[1:3] == ["      | 1", "      | ^"]


def test_a_line_is_drawn_once_for_findings_at_one_place() -> None:
    excerpt = Excerpt("", "0", "")
    here = [ERROR._replace(excerpt=excerpt), ERROR._replace(excerpt=excerpt, rule="overclaim"), ERROR._replace(excerpt=excerpt, column=10)]
    lines = text(result(findings=here), result("b.json", [ERROR._replace(excerpt=excerpt, input="b.json")]))
    assert [number for number, line in enumerate(lines) if line == "    6 | 0"] == [1, 7, 12]


def test_carets_have_the_colour_of_the_level() -> None:
    lines = one(ERROR._replace(excerpt=Excerpt("", "0", "")), colour=True)
    assert lines[2] == "      | \x1b[31m^\x1b[0m"


@pytest.mark.parametrize("parts", [("#", "#[error]", ""), ("##", "", "vso[x]"), ("##vs", "o[x]", ""), (ATTACK, ATTACK, ATTACK)])
def test_an_excerpt_holds_no_command_for_a_ci_service(parts: tuple[str, str, str]) -> None:
    found = drawn(Excerpt(*parts), 1, 10_000)
    assert found
    assert not re.search(r"##(vso)?\[", found.line)
    assert "\x1b" not in found.line


EXCERPTS = st.builds(Excerpt, TEXT, TEXT, TEXT, st.booleans(), st.booleans())


@given(EXCERPTS, st.none() | st.integers(1, 10**7), st.integers(40, 200))
@example(Excerpt("000\x1f\x1f\x1f\u0b3f", "0000\x1f\x1f\x1f\u0b3f", "", False, False), None, 40)
def test_an_excerpt_is_harmless_and_keeps_to_the_width(excerpt: Excerpt, number: int | None, width: int) -> None:
    found = drawn(excerpt, number, width)
    if found is None:
        assert not (excerpt.before + excerpt.marked + excerpt.after).strip()
        return
    assert not any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} for line in found for character in line)
    assert max(columns(found.line), len(found.margin + found.carets)) <= width
    assert found.carets.strip("^") == ""
    assert found.carets


def test_the_summary_of_a_bad_run() -> None:
    one = result()
    forged = one._replace(
        hashes=one.hashes._replace(public_view=HashCheck("mismatch", HASH, OTHER), content=HashCheck("mismatch", HASH, OTHER, "source"))
    )
    differing = result("c.json", [ERROR._replace(rule="target-mismatch"), WARNING, ERROR, ERROR], recomputed="version")
    lines = text(forged, differing, unreadable())
    start = lines.index("FAIL: 2 of 3 records failed, 4 errors, 1 warning")
    assert lines[start + 1 : start + 6] == [
        "  public view hash: recomputed and equal in 1 of 3; recomputed and different in 1; not read in 1",
        "  content hash: recomputed and equal in 1 of 3 (from the view itself); recomputed and different in 1; not read in 1",
        "  targets: agree in 1 of 3; differ in 1; not all compared in 1",
        "  coverage: of 612 values, 424 hashed, 150 corroborated, 30 repeated, 4 fixed, 4 that nothing protects"
        " (not worked out for 1 record)",
        "  findings: 4 errors: 2 schema-violation, 1 invalid-json, 1 target-mismatch; 1 warning: text-mismatch; 1 note: content-unavailable"
        " (--explain RULE tells more, --verbose shows notes)",
    ]


def test_where_content_hashes_come_from() -> None:
    def line(*results: RecordResult) -> str:
        return next(line for line in text(*results) if "content hash" in line and line.startswith("  "))

    assert line(result(recomputed="source")) == "  content hash: recomputed and equal in 1 of 1 from source versions"
    mixed = [result(recomputed="source"), result(recomputed="record"), result(recomputed="version"), result()]
    assert (
        line(*mixed) == "  content hash: recomputed and equal in 3 of 4 (2 from the view itself, 1 from source versions);"
        " its input is not in the view in 1"
    )


@pytest.mark.parametrize("rule", ["schema-violation", "unknown-profile", "internal-error", "engine-disagreement"])
def test_targets_that_may_not_all_have_been_compared_do_not_agree(rule: str) -> None:
    lines = text(result(findings=[ERROR._replace(rule=rule)]), result()._replace(target=None), result()._replace(coverage=None))
    assert "  targets: agree in 0 of 3; not all compared in 3" in lines


def test_findings_that_are_not_listed_unsettle_targets_only_where_one_may_be_about_them() -> None:
    many, mismatch = ERROR._replace(rule="too-many-findings"), WARNING._replace(level="error")
    assert "  targets: agree in 1 of 1" in text(result(findings=[ERROR._replace(rule="overclaim"), mismatch, many]))
    assert "  targets: agree in 0 of 1; not all compared in 1" in text(result(findings=[ERROR._replace(rule="overclaim"), many]))


@pytest.mark.parametrize("verdict", ["pass", "fail", "incomplete"])
def test_nothing_is_no_pass(verdict: Any) -> None:
    lines = text(verdict=verdict, skipped=[Skipped("a.txt", "not a record")])
    assert lines[0].startswith(
        "INCOMPLETE: not everything was checked" if verdict == "incomplete" else "NOTHING TO VERIFY: no record was found"
    )
    assert lines[1:] == ["  skipped: 1 input", "    a.txt: not a record"]
    assert not any("recomputed" in line for line in lines)


def test_errors_without_records_fail() -> None:
    assert "FAIL: no record could be read, 1 error" in text(findings=[ERROR], verdict="fail")


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


def test_the_summary_says_what_pins_were_worth() -> None:
    summary = report.Summary(records=2, pins=Pinned(1, 1))
    lines = list(closing(Counts(2, 2, 2, 0, 0, 0, 0, 0, 0), (), summary, notes_shown=True))
    assert "pins: compared for 1 of 2 (1 pin in the file)" in lines
