"""Annotations of GitHub and its step summary: the worst first, the rest counted, and nothing that a record says is a command or markup."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from commands import wrs_verify
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report_samples import ATTACK, ERROR, FINDINGS, NOTE, OPTIONS, RESULTS, SKIPPED, WARNING, attacked, result, write

from wrs_verify.model import Allowed, Finding, RecordResult, Skipped
from wrs_verify.report import STEP_SUMMARY
from wrs_verify.safe import command_data, command_property, markdown

VALID = Path(__file__).parent.parent / "vectors" / "valid" / "whole-record.json"
COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")


def log(*results: RecordResult, **more: Any) -> tuple[list[tuple[str, dict[str, str], str]], str]:
    """The annotations as GitHub reads them, and the last line, which is none."""
    text, _ = write("github", results, OPTIONS._replace(verbose=True), **more)
    *lines, last = text.removesuffix("\n").split("\n")
    assert not last.startswith("::")
    read = []
    for line in lines:
        found = COMMAND.fullmatch(line)
        assert found, line
        properties = dict(pair.split("=", 1) for pair in found[2].split(","))
        read.append((found[1], {name: unescaped(value) for name, value in properties.items()}, unescaped(found[3])))
    return read, last


def unescaped(text: str) -> str:
    for escape, character in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(escape, character)
    return text


def page(*results: RecordResult, **more: Any) -> tuple[str, list[list[str]]]:
    """The step summary as HTML, and the cells of its table."""
    text, _ = write(STEP_SUMMARY, results, **more)
    made = str(MarkdownIt("commonmark").enable("table").render(text))
    rows = re.findall(r"<tr>\n(.*?)</tr>", made, re.DOTALL)[1:]
    return made, [[html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", row)] for row in rows]


def test_an_annotation_has_its_place() -> None:
    read, last = log(result(findings=[ERROR, NOTE]))
    assert read == [
        ("error", {"file": "a.json", "line": "6", "col": "9", "title": "schema-violation"}, "this is not a year\nat /entry/year\n"
         'expected "a year"\nfound 0'),
        ("notice", {"file": "a.json", "line": "9", "col": "3", "title": "content-unavailable"}, "the content hash was not recomputed\n"
         "at /target/content_hash"),
    ]  # fmt: skip
    assert last == "FAIL: 1 of 1 record failed, 1 error"


def test_ten_of_a_level_the_worst_first_and_the_rest_counted() -> None:
    read, last = log(result(findings=[NOTE] * 12 + [WARNING] * 11), result("b.json", [ERROR] * 9), findings=[ERROR] * 14)
    assert [level for level, _, _ in read] == ["error"] * 10 + ["warning"] * 10 + ["notice"] * 10
    assert last == "FAIL: 1 of 2 records failed, 23 errors, 11 warnings; not annotated: 13 errors, 1 warning, 2 notes"


def test_notes_are_annotated_only_where_they_are_asked_for() -> None:
    text, _ = write("github", [result(findings=[NOTE] * 2 + [WARNING])], OPTIONS)
    annotation, last = text.splitlines()
    assert annotation.startswith("::warning ")
    assert last == "PASS: 1 record passed, 1 warning; not annotated: 2 notes"


def test_a_run_that_did_not_pass_has_an_error() -> None:
    for more in ({"verdict": "incomplete"}, {"verdict": "fail"}):
        read, last = log(**more)
        assert read == [("error", {"title": "wrs-verify"}, last)]
    assert log(result(findings=[])) == ([], "PASS: 1 record passed")


def test_the_page_lists_everything() -> None:
    one = result(findings=[NOTE, ERROR])._replace(allowed=(Allowed(WARNING, "known", "2030-12-31"),))
    made, rows = page(one, findings=[WARNING], skipped=[Skipped("a.txt", "not a record file (.txt)")])
    assert "<h3>wrs-verify: FAIL: 1 of 1 record failed, 1 error, 1 warning, 1 finding allowed</h3>" in made
    assert [row[:3] for row in rows] == [
        ["error", "schema-violation", "a.json:6:9"],
        ["warning", "text-mismatch", "a.json:5:7"],
        ["note", "content-unavailable", "a.json:9:3"],
        ["allowed", "text-mismatch", "a.json:5:7"],
    ]
    assert rows[0][3] == 'this is not a year<br>at /entry/year<br>expected "a year"<br>found 0'
    assert rows[3][3].startswith("the title differs from its hashed copy (known, until 2030-12-31)")
    assert "<li>skipped: a.txt: not a record file (.txt)</li>" in made


def test_the_page_keeps_to_its_room_and_counts_what_is_missing() -> None:
    options = OPTIONS._replace(room=40_000)
    text, _ = write(STEP_SUMMARY, [result(f"{number}.json", [NOTE, ERROR]) for number in range(500)], options, skipped=[Skipped("a", "b")])
    assert len(text.encode()) <= 40_000
    shown = Counter(re.findall(r"^\| (error|note) ", text, re.MULTILINE))
    assert shown["error"] > 50
    assert f"There was no room here for {500 - shown['error']} more of level error, 500 more of level note." in text
    assert "- skipped: 1 more input\n" in text
    short = "### wrs-verify: PASS: 1 record passed\n\nThere was no room here for more.\n\n"
    assert write(STEP_SUMMARY, [result()], OPTIONS._replace(room=100))[0] == short
    assert write(STEP_SUMMARY, [result()], OPTIONS._replace(room=10))[0] == ""


def test_an_attack_stays_text() -> None:
    skipped = [Skipped(ATTACK, ATTACK)]
    read, _ = log(attacked(), findings=attacked().findings, skipped=skipped)
    assert Counter(level for level, _, _ in read) == {"error": 2, "warning": 2, "notice": 2}
    assert all(set(properties) == {"file", "line", "col", "title"} for _, properties, _ in read)
    made, rows = page(attacked(), findings=attacked().findings, skipped=skipped)
    assert set(re.findall(r"<(\w+)", made)) <= {"h3", "p", "table", "thead", "tbody", "tr", "th", "td", "br", "ul", "li"}
    assert [len(row) for row in rows] == [4] * 7


@settings(max_examples=40)
@given(st.lists(RESULTS, max_size=3), st.lists(SKIPPED, max_size=2), st.lists(FINDINGS, max_size=2))
def test_read_back_whatever_the_records_hold(results: list[RecordResult], skipped: list[Skipped], findings: Sequence[Finding]) -> None:
    every = Counter[str](finding.level for one in results for finding in one.findings)
    every.update(finding.level for finding in findings)
    read, _ = log(*results, skipped=skipped, findings=findings)
    assert Counter(level for level, properties, _ in read if properties != {"title": "wrs-verify"}) == Counter(
        {"error": every["error"], "warning": every["warning"], "notice": every["note"]}
    )
    _, rows = page(*results, skipped=skipped, findings=findings)
    allowed = Counter(allowed=sum(len(one.allowed) for one in results))
    assert Counter(row[0] for row in rows) == every + allowed


@given(st.text(st.one_of(st.characters(), st.sampled_from("%:,\r\n0AD25"))))
def test_commands_are_read_back(text: str) -> None:
    assert not set(command_data(text)) & set("\r\n")
    assert not set(command_property(text)) & set("\r\n:,")
    assert unescaped(command_property(text)) == text
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        assert command_data(character) == escape


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_markdown_is_read_back(text: str) -> None:
    made = str(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(f"| a |\n| - |\n| x{markdown(text)}x |\n"))
    (cell,) = re.findall(r"<td>(.*)</td>", made)
    assert "<" not in cell
    assert html.unescape(cell) == f"x{text}x"


def test_the_step_summary_is_added_to_the_file_that_the_environment_names(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    file.write_text("of another command\n")
    done = wrs_verify(VALID, "--report", "github", GITHUB_STEP_SUMMARY=str(file))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"PASS: 1 record passed\n", b"")
    assert file.read_text().startswith("of another command\n### wrs-verify: PASS: 1 record passed\n")
    before = file.read_text()
    assert wrs_verify(VALID, "--report", "json", GITHUB_STEP_SUMMARY=str(file)).returncode == 0
    assert file.read_text() == before
    failed = wrs_verify(VALID, "--report", "github", GITHUB_STEP_SUMMARY=str(tmp_path / "none" / "x"))
    assert failed.returncode == 4
