"""One run writes all formats: they say the same, whether one process checked or two."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest
from commands import wrs_verify
from html_pages import Page, findings, words

from wrs_verify.report import FORMATS

PROJECT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Every format of a run over all vectors, good and bad, and the step summary; the same bytes of two processes."""
    made = []
    for jobs in "12":
        folder = tmp_path_factory.mktemp("reports")
        options = [f"--report={name}={folder / name}" for name in FORMATS]
        done = wrs_verify("vectors", *options, "--jobs", jobs, cwd=PROJECT, GITHUB_STEP_SUMMARY=str(folder / "page"))
        assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
        made.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert made[0] == made[1]
    assert set(made[0]) == {*FORMATS, "page"}
    return made[0]


@pytest.fixture(scope="module")
def expected(written: dict[str, bytes]) -> Counter[str]:
    """The findings by level, as the JSON report lists them."""
    report = json.loads(written["json"])
    findings = [finding for record in report["records"] for finding in record["findings"]] + report["findings"]
    found = Counter(finding["level"] for finding in findings)
    assert found == {"error": report["counts"]["errors"], "warning": report["counts"]["warnings"], "note": report["counts"]["notes"]}
    return found


def test_text(written: dict[str, bytes], expected: Counter[str]) -> None:
    text = written["text"].decode()
    assert re.search(rf"^FAIL: .*, {expected['error']} errors, {expected['warning']} warnings$", text, re.MULTILINE)
    assert Counter(re.findall(r"^\S.*?: (error|warning)\[", text, re.MULTILINE)) == expected - Counter(note=expected["note"])


def test_junit(written: dict[str, bytes], expected: Counter[str]) -> None:
    root = ET.fromstring(written["junit"])
    report = json.loads(written["json"])
    records = root.findall("testsuite[@name='records']/testcase")
    assert [case.find("failure") is None for case in records] == [record["verdict"] == "pass" for record in report["records"]]
    assert len(root.findall("testsuite[@name='skipped']/testcase/skipped")) == report["counts"]["skipped"]
    others = "\n".join(element.text or "" for element in root.iter("system-out"))
    assert Counter(error=len(list(root.iter("failure")))) + Counter(re.findall(r"^.*? ?(warning|note)\[", others, re.MULTILINE)) == expected


def test_sarif(written: dict[str, bytes], expected: Counter[str]) -> None:
    (run,) = json.loads(written["sarif"])["runs"]
    assert Counter(one["level"] for one in run["results"]) == expected
    fingerprints = [one["partialFingerprints"]["wrsVerify/v1"] for one in run["results"]]
    assert len(set(fingerprints)) == len(fingerprints)
    assert (run["properties"]["verdict"], run["invocations"][0]["executionSuccessful"]) == ("fail", True)


def test_github(written: dict[str, bytes], expected: Counter[str]) -> None:
    *annotations, last = written["github"].decode().splitlines()
    assert [line.split(" ")[0] for line in annotations] == ["::error"] * 10 + ["::warning"] * 10
    missing = Counter(
        {level: int(number) for number, level in re.findall(r"(\d+) (error|warning|note)s?", last.partition("not annotated")[2])}
    )
    assert missing + Counter(error=10, warning=10) == expected


def test_step_summary(written: dict[str, bytes], expected: Counter[str]) -> None:
    page = written["page"].decode()
    assert page.startswith("### wrs-verify: FAIL: ")
    assert Counter(re.findall(r"^\| (error|warning|note|allowed) ", page, re.MULTILINE)) == expected


def test_html(written: dict[str, bytes], expected: Counter[str]) -> None:
    page, report = Page(written["html"].decode()), json.loads(written["json"])
    assert Counter(finding["level"] for finding in findings(page)) == expected
    assert [record["verdict"] for record in page.data["records"]] == [record["verdict"] for record in report["records"]]
    assert len(page.data["skipped"]) == report["counts"]["skipped"]
    # What can be read says the same: no number is left out but one that is zero.
    assert {name: page.count(name) for name in report["counts"]} == report["counts"]
    (rest,) = re.findall(r"^FAIL: (.*)$", written["text"].decode(), re.MULTILINE)
    assert words(page.text).startswith(f"FAIL: {rest} - wrs-verify ")


def test_intoto(written: dict[str, bytes], expected: Counter[str]) -> None:
    report, statement = json.loads(written["json"]), json.loads(written["intoto"])
    predicate = statement["predicate"]
    names = [record["input"] + (f":{record['line']}" if record["line"] else "") for record in report["records"]]
    assert [subject["name"] for subject in statement["subject"]] == names
    failed = [name for name, record in zip(names, report["records"], strict=True) if record["verdict"] == "fail"]
    assert predicate["failedTests"][: len(failed)] == failed
    assert len(predicate["failedTests"]) == len(failed) + sum(finding["level"] == "error" for finding in report["findings"])
    assert len(predicate["passedTests"] + predicate["warnedTests"]) == report["counts"]["passed"]
    assert predicate["result"] == "FAILED"
    assert predicate["wrsVerify"]["counts"]["errors"] == expected["error"]
