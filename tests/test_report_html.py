"""The HTML report: a page that admits nothing but its own script, whose data and summary say what the run said."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, product
from pathlib import Path

import pytest
from browsing import missing
from commands import wrs_verify
from html_pages import Page, findings, words
from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import (
    ATTACK,
    COVERAGE,
    ERROR,
    FINDINGS,
    NOTE,
    OPTIONS,
    RESULTS,
    SKIPPED,
    WARNING,
    attacked,
    result,
    unreadable,
    write,
)

from wrs_verify import report
from wrs_verify.agreements import Comparison, View, compare
from wrs_verify.model import Allowed, Excerpt, Finding, HistoryState, RecordResult, Related, Skipped
from wrs_verify.profile import PROFILES
from wrs_verify.report import FORMATS
from wrs_verify.report.page.copies import COPIES, Group
from wrs_verify.safe import terminal

VALID = sorted((Path(__file__).resolve().parent.parent / "vectors/valid").glob("*.json"))


def page(*results: RecordResult, **more: object) -> Page:
    """A page of these results."""
    return Page(write("html", results, **more)[0])  # type: ignore[arg-type]


def test_the_policy_admits_one_style_and_one_script_and_nothing_else() -> None:
    made = page(result(), attacked())
    ((style,), (script,)) = made.styles, [text for kind, text in made.scripts if kind != "application/json"]

    def source(text: str) -> list[str]:
        return [f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"]

    assert made.policy == {
        "default-src": ["'none'"],
        "style-src": source(style),
        "script-src": source(script),
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "require-trusted-types-for": ["'script'"],
        "trusted-types": ["'none'"],
    }
    assert [tag for tag, _ in made.tags].index("meta") < [tag for tag, _ in made.tags].index("style")


def test_nothing_is_fetched_and_no_attribute_runs_anything() -> None:
    made = page(result(), attacked())
    for tag, attributes in made.tags:
        assert tag not in {"base", "embed", "frame", "iframe", "img", "link", "object"}
        for name, value in attributes.items():
            assert not name.startswith("on")
            assert name not in {"style", "src", "srcset", "srcdoc", "action", "formaction"}
            assert name != "href" or str(value).startswith("#")
    assert "url(" not in "".join(made.styles)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|fetch\(|import\(", made.scripts[-1][1])


def test_a_record_and_its_findings() -> None:
    excerpt = Excerpt('  "year": ', "0", ",\u202e", more_before=True, more_after=True)
    error = ERROR._replace(excerpt=excerpt, related=(Related("/entry", {"a": 1}, "b.json", 2, 3),))
    made = page(result("a.json", [error, WARNING]), unreadable())
    first, second = made.data["records"]
    assert first | {"findings": []} == {
        "input": "a.json",
        "line": None,
        "verdict": "fail",
        "profile": "wrs-published-research-view-1",
        "entry": "an-entry",
        "target": ["urn:uuid:55e55737-f34f-4944-a02c-cadbc2706a59", "1", "sha256:" + "0123456789abcdef" * 4],
        "view": ["match", *["sha256:" + "fedcba9876543210" * 4] * 2, None],
        "content": ["unavailable", "sha256:" + "0123456789abcdef" * 4, None, None],
        "document": "sha256:" + "0123456789abcdef" * 4,
        "findings": [],
        "allowed": [],
        "coverage": [212, 75, 15, 2, 2],
        "unprotected": 0,
        "pointers": ["/entry/topic", "/entry/year"],
    }
    assert first["findings"][0] == {
        "rule": "schema-violation",
        "level": "error",
        "message": ERROR.message,
        "line": 6,
        "column": 9,
        "pointer": "/entry/year",
        "values": [["expected", '"a year"'], ["found", "0"]],
        "excerpt": ['…  "year": ', "0", r",\u202e…"],
        "related": [{"pointer": "/entry", "line": 2, "column": 3, "input": "b.json", "value": '{"a": 1}'}],
    }
    assert (second["input"], second["document"], "coverage" in second) == ("bad.json", None, False)


def test_a_list_of_unprotected_pointers_is_written_once() -> None:
    others = [COVERAGE._replace(unprotected_pointers=(f"/entry/{number}",)) for number in range(300)]
    made = page(*[result()._replace(coverage=coverage) for coverage in [COVERAGE, COVERAGE, *others, COVERAGE, COVERAGE]])
    lists: dict[int, list[str]] = {}
    for record in made.data["records"]:
        if "pointers" in record:
            assert record["unprotected"] not in lists
            lists[record["unprotected"]] = record["pointers"]
    shown = [tuple(lists[record["unprotected"]]) for record in made.data["records"]]
    assert shown == [coverage.unprotected_pointers for coverage in [COVERAGE, COVERAGE, *others, COVERAGE, COVERAGE]]
    assert len(lists) == 302


def test_records_are_not_held_back() -> None:
    sink = io.BytesIO()
    renderer = report.renderer("html", sink, OPTIONS)
    one = result("a.json", [ERROR] * 20)
    written = []
    for _ in range(1000):
        renderer.record(one)
        written.append(sink.tell())
    assert written[-1] > 3_000_000
    assert max(later - before for before, later in pairwise(written)) < 300_000


def test_what_is_not_a_record_is_shown_too() -> None:
    drop = ERROR._replace(rule="equivocation", input="b.json", line=None, column=None)
    allowed = result("a.json", [NOTE])._replace(allowed=(Allowed(WARNING, "known", "2030-12-31"),))
    made = page(allowed, findings=[drop], skipped=[Skipped("a.txt", "not a record file (.txt)")])
    assert [(one["rule"], one["input"]) for one in made.data["outside"]] == [("equivocation", "b.json")]
    assert made.data["skipped"] == [{"input": "a.txt", "reason": "not a record file (.txt)"}]
    (one,) = made.data["records"][0]["allowed"]
    assert (one["rule"], one["reason"], one["until"]) == ("text-mismatch", "known", "2030-12-31")
    assert {rule["name"] for rule in made.data["rules"]} == {"content-unavailable", "equivocation", "text-mismatch"}


@pytest.mark.parametrize(
    ("results", "more", "head", "rest"),
    [
        ([result()], {}, "PASS", "1 record passed"),
        ([result(), unreadable()], {}, "FAIL", "1 of 2 records failed, 1 error"),
        ([result()], {"verdict": "incomplete"}, "INCOMPLETE", "not everything was checked; of 1 record checked so far, 0 failed"),
        ([], {}, "NOTHING TO VERIFY", "no record was found"),
    ],
)
def test_the_verdict_can_be_read_without_scripts(results: list[RecordResult], more: dict[str, object], head: str, rest: str) -> None:
    made = page(*results, **more)
    assert words(made.text).startswith(f"{head}: {rest} - wrs-verify Skip to the records {head} {rest} wrs-verify 1.0")
    assert "needs JavaScript" in made.text


def test_the_summary_says_what_the_verdict_rests_on() -> None:
    text = words(page(result("a.json", recomputed="source"), result("b.json", recomputed="record"), result("c.json"), unreadable()).text)
    assert "public view hash recomputed and equal in 3 of 4 3 recomputed and equal 1 not read" in text
    assert "content hash recomputed and equal in 2 of 4 2 recomputed and equal 1 whose input is not in the view 1 not read" in text
    assert "1 from the view itself, 1 from source versions" in text
    assert "targets agree in 3 of 4 3 agree 1 not fully compared" in text
    assert "what protects 918 values of the records" in text
    assert "636 hashed" in text
    assert "6 unprotected a change can go unseen" in text
    assert "not worked out for 1 of 4" in text


def test_the_history_and_the_configuration_are_told() -> None:
    sink = io.BytesIO()
    renderer = report.renderer("html", sink, OPTIONS._replace(configuration='c.toml <b> set "strict"'))
    state = HistoryState(12, bytes(32), 3, 2, 1)
    renderer.finish("pass", report.Tally().counts(0, 0), [], [], report.Summary(history=state))
    text = words(Page(sink.getvalue().decode()).text)
    assert "history 3 runs; this run added 2 records; of the last complete drop, 1 record not here root 12:" + "00" * 32 in text
    assert 'configuration c.toml <b> set "strict"' in text


def test_an_attack_stays_text() -> None:
    clean = page(result(), findings=[ERROR], skipped=[Skipped("a", "b")])
    made = page(attacked(), findings=attacked().findings, skipped=[Skipped(ATTACK, ATTACK)])
    # Whatever the records hold, the elements are those of any other page: the data adds none.
    assert {tag for tag, _ in made.tags} == {tag for tag, _ in clean.tags}
    assert [kind for kind, _ in made.scripts].count("module") == 1
    for kind, block in made.scripts:
        if kind == "application/json":
            assert not re.search("[<>&\u2028\u2029\u202e\x1b\x00]", block)
    shown = made.data["records"][0]
    assert (shown["input"], shown["entry"]) == (terminal(ATTACK), terminal(ATTACK))


@settings(max_examples=40)
@given(st.lists(RESULTS, max_size=3), st.lists(SKIPPED, max_size=2), st.lists(FINDINGS, max_size=2))
def test_read_back_whatever_the_records_hold(results: list[RecordResult], skipped: list[Skipped], outside: Sequence[Finding]) -> None:
    made = page(*results, skipped=skipped, findings=outside)
    every = Counter(finding.level for one in results for finding in one.findings) + Counter(finding.level for finding in outside)
    assert Counter(finding["level"] for finding in findings(made)) == every
    assert {level: made.count(f"{level}s") for level in ("error", "warning", "note")} == {
        level: every[level] for level in ("error", "warning", "note")
    }
    assert sum(len(record["allowed"]) for record in made.data.get("records", [])) == made.count("allowed")
    assert len(made.data.get("skipped", [])) == made.count("skipped") == len(skipped)
    assert len(made.data.get("records", [])) == made.count("records") == len(results)


def test_without_its_library_the_format_is_wrong_usage(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    status, said = without_jinja("--report", f"html={target}", str(VALID[0]))
    assert status == 2
    assert "the report html needs the extra [html]: pip install 'wrs-verify[html]'" in said
    assert not target.exists()


def without_jinja(*arguments: str) -> tuple[int, str]:
    """The exit status of the command where the library is not installed, and what it says on standard error."""
    code = "import sys; sys.modules['jinja2'] = None\nfrom wrs_verify.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stderr


def test_other_formats_do_without_the_library(tmp_path: Path) -> None:
    arguments = [f"--report={name}={tmp_path / name}" for name in FORMATS if name != "html"]
    assert without_jinja(*arguments, "--jobs", "1", str(VALID[0])) == (0, "")


def test_a_page_goes_to_standard_output() -> None:
    done = wrs_verify("--report", "html", VALID[0], "--jobs", "1")
    made = Page(done.stdout.decode())
    assert (done.returncode, made.count("records"), made.count("passed")) == (0, 1, 1)
    assert all("excerpt" in finding for finding in findings(made))


#: Marks the pairs of texts in a file; what it logs beside is an error that was caught.
DIFFERENCES = """
import { readFileSync } from "node:fs"
const marked = JSON.parse(readFileSync(process.argv[2], "utf-8")).map(([one, other]) => differences(one, other))
console.log(JSON.stringify(marked))
"""

#: What such texts consist of: words that share letters, blanks and marks, escapes and half of one, letters beyond the first plane.
PARTS = ("A", "An", "a", "another", "example", "title", "ex", "le", "7", "é", "e\u0301", "漢", "𝒜", "😀", " ", "  ", ", ", "-", ".", '"')
ESCAPES = ("\\n", '\\"', "\\\\", "\\u202e", "\\u20", "\\", "\n")


def pairs_of_texts() -> list[tuple[str, str]]:
    """Some pairs that are known, all pairs of very short texts, very long ones, then thousands at random, of which most are alike."""
    short = ["".join(text) for length in range(4) for text in product("a. ", repeat=length)]
    made = [("A cure for everything", "An example title"), ("A better title", "An example title")]
    made += [(f'"{one}"', f'"{other}"') for one, other in [*made, *((other, one) for one, other in made)]]
    made += ((one, other) for one in short for other in short)
    made += [("a b " * 500, "b a c " * 500), ("a " * 200 + "b", "b " + "a " * 300)]
    dice = random.Random(20)
    parts = (*PARTS, *ESCAPES)
    for _ in range(6000):
        one = dice.choices(parts, k=dice.randrange(12))
        other = dice.choices(parts, k=dice.randrange(12)) if dice.random() < 0.2 else list(one)
        for _ in range(dice.randrange(4)):
            at = dice.randrange(len(other) + 1)
            other[at : at + dice.randrange(3)] = dice.choices(parts, k=dice.randrange(3))
        made.append(("".join(one), "".join(other)))
    return made


def test_marking_loses_nothing_of_two_texts(tmp_path: Path) -> None:
    """The runs of both make up both texts, whatever these are. What is not marked has the same letters and digits in both."""
    node = shutil.which("node")
    if node is None:
        missing("Node")
    pairs = pairs_of_texts()
    script, data = tmp_path / "script.mjs", tmp_path / "pairs.json"
    source = Path(report.__file__).with_name("page") / "differences.js"
    script.write_text(source.read_text(encoding="utf-8") + DIFFERENCES, encoding="utf-8")
    data.write_text(json.dumps(pairs), encoding="utf-8")
    done = subprocess.run([node, script, data], capture_output=True, timeout=60, check=True)
    assert done.stderr == b""
    marked = json.loads(done.stdout)
    assert [["".join(run["text"] for run in side) for side in sides] for sides in marked] == [list(pair) for pair in pairs]
    assert all(type(run["changed"]) is bool for sides in marked for side in sides for run in side)
    shared = 0
    for sides in marked:
        if any(run["changed"] for side in sides for run in side):
            one, other = ("".join(run["text"] for run in side if not run["changed"]) for side in sides)
            assert re.sub(r"\W|_", "", one) == re.sub(r"\W|_", "", other), sides
            shared += 1
    assert shared > 3000


def pointers_of(group: Group) -> set[str]:
    return {*group.hashed, *(place.pointer for place in (*group.left, *group.right))}


@pytest.mark.parametrize("file", VALID, ids=lambda file: file.name)
def test_the_picture_has_every_copy_that_is_compared(file: Path) -> None:
    value = json.loads(file.read_bytes())
    profile = PROFILES[value["profile"]]
    compared: set[str] = set()
    for comparison in compare(profile.table, View(value, profile.hashed, trusted=True)):
        assert isinstance(comparison, Comparison)
        by_rule: dict[str, set[str]] = {}
        for copy in comparison.copies:
            if copy.pointer is not None:
                by_rule.setdefault(copy.rule or comparison.rule, set()).add(copy.pointer)
        for rule, copies in by_rule.items():
            places = [pointers_of(group) for group in COPIES[profile.name] if rule in group.rules]
            if rule == "disposition-mismatch":  # a grade and its points are null together
                places = [set().union(*places)]
            assert any(all(any(under(copy, place) for place in each) for copy in copies) for each in places), comparison
            compared |= copies
    graded = value["published_grade"] is not None
    for group in COPIES[profile.name]:
        for place in (*group.left, *group.right):
            if graded or not re.match("/(entry/)?published_grade|/entry/points", place.pointer):
                assert any(under(copy, place.pointer) for copy in compared), place


def under(pointer: str, place: str) -> bool:
    return pointer == place or pointer.startswith(f"{place}/")
