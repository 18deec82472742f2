"""The JUnit report: read by a public parser, whatever the records hold, and it never looks better than the run was."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml
from junitparser import Skipped as SkippedCase
from report_samples import ERROR, FINDINGS, HASH, NOTE, OTHER, RESULTS, SKIPPED, WARNING, attacked, result, unreadable, write

from wrs_verify.model import Allowed, Finding, RecordResult, Skipped
from wrs_verify.safe import xml

LINE = re.compile(r"^.*?(error|warning|note|allowed)\[[a-z-]+\] ", re.MULTILINE)


def parsed(*results: RecordResult, **more: Any) -> tuple[dict[str, list[Any]], Any, str]:
    """The test cases by suite, the whole, and the text, once its numbers are found to be those of the cases in it."""
    text, _ = write("junit", results, **more)
    whole: Any = JUnitXml.fromstring(text.encode())
    suites = {suite.name: list(suite) for suite in whole}
    for one in whole:
        cases = list(one)
        assert one.tests == len(cases)
        assert one.errors == sum(any(isinstance(part, Error) for part in case.result) for case in cases)
        failed = (case for case in cases if not any(isinstance(part, Error) for part in case.result))
        assert one.failures == sum(any(isinstance(part, Failure) for part in case.result) for case in failed)
        assert one.skipped == sum(any(isinstance(part, SkippedCase) for part in case.result) for case in cases)
    assert whole.tests == sum(map(len, suites.values()))
    return suites, whole, text


def levels(suites: dict[str, list[Any]]) -> dict[str, int]:
    """How many findings of each level the cases show."""
    found = {"error": 0, "warning": 0, "note": 0, "allowed": 0}
    for case in suites["records"] + suites["run"]:
        for part in case.result:
            if part.text:
                found[LINE.match(part.text)[1]] += 1  # type: ignore[index]
        for line in (case.system_out or "").splitlines():
            found[LINE.match(line)[1]] += 1  # type: ignore[index]
    return found


def test_a_case_a_record() -> None:
    suites, whole, _ = parsed(result("a.json"), result("b.json", [ERROR, WARNING]), unreadable("c.json"))
    good, bad, ugly = suites["records"]
    assert [case.name for case in suites["records"]] == ["a.json an-entry", "b.json an-entry", "c.json"]
    assert (good.is_passed, bad.is_passed, ugly.is_passed) == (True, False, False)
    (failure,) = bad.result
    assert (failure.type, failure.message) == ("schema-violation", "this is not a year")
    assert failure.text.splitlines() == [
        "a.json:6:9: error[schema-violation] this is not a year",
        "at /entry/year",
        'expected "a year"',
        "found 0",
    ]
    assert bad.system_out == "a.json:5:7: warning[text-mismatch] the title differs from its hashed copy"
    assert whole.failures == 2


def test_properties_hold_the_hashes() -> None:
    suites, whole, _ = parsed(result("a.json"))
    properties = {one.get("name"): one.get("value") for one in suites["records"][0]._elem.iter("property")}
    assert properties == {
        "profile": "wrs-published-research-view-1",
        "public_view_hash.status": "match",
        "public_view_hash.recorded": OTHER,
        "public_view_hash.computed": OTHER,
        "content_hash.status": "unavailable",
        "content_hash.recorded": HASH,
        "document_hash": HASH,
    }
    about = {one.name: one.value for one in next(suite for suite in whole if suite.name == "records").properties()}
    assert (about["verdict"], about["records"], about["notes"]) == ("pass", "1", "1")


def test_failures_and_errors_apart() -> None:
    crash = Finding("internal-error", "error", "the check ended with an error of its own", "", input="a.json")
    suites, whole, _ = parsed(result("a.json", [ERROR, crash]), verdict="incomplete")
    assert (whole.errors, whole.failures) == (2, 0)
    assert [type(part) for part in suites["records"][0].result] == [Failure, Error]
    assert [type(part) for part in suites["run"][0].result] == [Error]


@pytest.mark.parametrize(("verdict", "kind"), [("incomplete", "incomplete"), ("fail", "nothing-to-verify")])
def test_a_run_that_did_not_pass_never_looks_green(verdict: Any, kind: str) -> None:
    suites, whole, _ = parsed(*([result()] if verdict == "incomplete" else []), verdict=verdict)
    assert [part.type for part in suites["run"][-1].result] == [kind]
    assert whole.failures + whole.errors == 1


def test_findings_of_the_drop_and_skipped_inputs_have_suites_of_their_own() -> None:
    drop = ERROR._replace(rule="equivocation", input="b.json", line=None, column=None)
    suites, _, _ = parsed(result(), findings=[drop], skipped=[Skipped("a.txt", "not a record file (.txt)")])
    assert [case.name for case in suites["run"]] == ["equivocation b.json", "the whole run"]
    assert [(case.name, case.result[0].message) for case in suites["skipped"]] == [("a.txt", "not a record file (.txt)")]


def test_what_is_allowed_is_listed_and_does_not_fail() -> None:
    one = result("a.json", [NOTE])._replace(allowed=(Allowed(ERROR, "known", "2030-12-31"),))
    suites, whole, _ = parsed(one)
    assert (whole.failures, levels(suites)["allowed"]) == (0, 1)
    assert suites["records"][0].system_out.endswith("allowed[schema-violation] this is not a year (known, until 2030-12-31)")


def test_an_attack_stays_text() -> None:
    suites, _, text = parsed(attacked(), findings=attacked().findings, skipped=[Skipped(attacked().input, attacked().input)])
    assert levels(suites) == {"error": 2, "warning": 2, "note": 2, "allowed": 1}
    assert set(re.findall(r"</?([A-Za-z!?-]+)", text)) == {
        "?xml", "error", "failure", "properties", "property", "skipped", "system-out", "testcase", "testsuite", "testsuites",
    } - {"error"}  # fmt: skip


@settings(max_examples=40)
@given(st.lists(RESULTS, max_size=3), st.lists(SKIPPED, max_size=2), st.lists(FINDINGS, max_size=2))
def test_read_back_whatever_the_records_hold(results: list[RecordResult], skipped: list[Skipped], findings: Sequence[Finding]) -> None:
    suites, _, _ = parsed(*results, skipped=skipped, findings=findings)
    every = [finding.level for one in (*results,) for finding in one.findings] + [finding.level for finding in findings]
    assert levels(suites) == {level: every.count(level) for level in ("error", "warning", "note")} | {
        "allowed": sum(len(one.allowed) for one in results)
    }


@given(st.text(st.one_of(st.characters(), st.characters(codec=None, categories=["Cc", "Cs"]), st.sampled_from("&<>'\"]\ufffe\uffff"))))
def test_xml_holds_every_text(text: str) -> None:
    from xml.etree import ElementTree

    element = ElementTree.fromstring(f"<a b=\"{xml(text)}\" c='{xml(text)}'>{xml(text)}</a>")
    assert element.text or not text
    assert element.attrib["b"] == element.attrib["c"] == (element.text or "")
    if text.isascii() and text.isprintable():
        assert (element.text or "") == text
