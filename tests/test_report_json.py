"""The JSON report: valid by its schema whatever the records hold, complete, in order, and written in little memory."""

from __future__ import annotations

import json
import tracemalloc
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jiter
import jsonschema_rs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from report_samples import ERROR, FINDINGS, HASH, NOTE, OPTIONS, OTHER, RESULTS, SKIPPED, TARGET, VALUES, WARNING, result, unreadable, write

from wrs_verify import report
from wrs_verify.model import Finding, HashCheck, RecordResult, Related, Skipped

SCHEMA = Path(__file__).parent.parent / "schemas" / "wrs-verify-report-1.schema.json"


@cache
def schema() -> Any:
    return jsonschema_rs.validator_for(json.loads(SCHEMA.read_text("utf-8")))


def written(*results: RecordResult, **more: Any) -> Any:
    """A report as its reader has it. It is valid by its schema."""
    text, _ = write("json", results, **more)
    report = json.loads(text)
    schema().validate(report)
    return report


@given(st.lists(RESULTS, max_size=3), st.lists(SKIPPED, max_size=2), st.lists(FINDINGS, max_size=2))
def test_valid_and_harmless_whatever_the_records_hold(results: list[RecordResult], skipped: list[Skipped], findings: list[Finding]) -> None:
    text, counts = write("json", results, skipped=skipped, findings=findings)
    assert not any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} for character in text.replace("\n", ""))
    read = json.loads(text)
    schema().validate(read)
    assert read["counts"] == counts._asdict()
    assert len(read["records"]) == len(results)
    for shown, given_ in zip(read["records"], results, strict=True):
        assert [one["level"] for one in shown["findings"]] == [one.level for one in given_.findings]
        assert [one["rule"] for one in shown["allowed"]] == [one.finding.rule for one in given_.allowed]


@given(VALUES)
def test_values_are_given_back_unchanged(value: Any) -> None:
    # A lone surrogate is shown as an escape: see below.
    assume(not any("\ud800" <= character <= "\udfff" for character in json.dumps(value, ensure_ascii=False)))
    shown = written(result(findings=[WARNING._replace(actual=value)]))["records"][0]["findings"][0]["actual"]
    assert shown == value


def test_layout_and_order_of_names() -> None:
    text, _ = write("json", [result("a.json"), result("b.jsonl", line=2)], skipped=[Skipped("x.txt", "not a record")], findings=[ERROR])
    lines = text.splitlines()
    assert lines[:8] == [
        "{",
        '  "report":"wrs-verify-report-1",',
        '  "tool":{"name":"wrs-verify","version":"1.0"},',
        '  "verdict":"fail",',
        '  "counts":{"inputs":3,"records":2,"passed":2,"failed":0,"skipped":1,"errors":1,"warnings":0,"notes":2,"allowed":0},',
        '  "history":null,',
        '  "pins":null,',
        '  "records":[',
    ]
    assert lines[8].startswith('    {"input":"a.json","line":null,')
    assert lines[9].startswith('    {"input":"b.jsonl","line":2,')
    assert text.endswith("\n}\n")
    read = json.loads(text)
    assert list(read) == ["report", "tool", "verdict", "counts", "history", "pins", "records", "skipped", "findings"]
    record = read["records"][0]
    assert list(record) == ["input", "line", "profile", "entry_id", "target", "verdict", "hashes", "coverage", "findings", "allowed"]
    assert list(record["hashes"]) == ["public_view", "content", "document"]
    assert list(record["hashes"]["content"]) == ["status", "recorded", "computed", "from"]
    names = ["rule", "level", "message", "input", "line", "column", "pointer", "expected", "actual", "related"]
    assert list(record["findings"][0]) == list(read["findings"][0]) == names


def test_content_of_a_record() -> None:
    related = Related("/version/record/title", "A", "a.json", 7, 1)
    record = written(result(findings=[NOTE, WARNING._replace(related=(related,))], recomputed="source"))["records"][0]
    assert record["target"] == TARGET
    assert record["hashes"] == {
        "public_view": {"status": "match", "recorded": OTHER, "computed": OTHER},
        "content": {"status": "match", "recorded": HASH, "computed": HASH, "from": "source"},
        "document": HASH,
    }
    assert record["coverage"]["unprotected_pointers"] == ["/entry/topic", "/entry/year"]
    assert record["coverage"]["hashed"] == 212
    assert record["findings"][1] == {
        "rule": "text-mismatch",
        "level": "warning",
        "message": "the title differs from its hashed copy",
        "input": "a.json",
        "line": 5,
        "column": 7,
        "pointer": "/entry/title",
        "expected": "A",
        "actual": "B",
        "related": [{"input": "a.json", "pointer": "/version/record/title", "line": 7, "column": 1, "value": "A"}],
    }


def test_what_is_not_known_is_null() -> None:
    record = written(unreadable())["records"][0]
    assert record["verdict"] == "fail"
    assert record["hashes"]["content"] == {"status": "unavailable", "recorded": None, "computed": None, "from": None}
    assert [record[name] for name in ("line", "profile", "entry_id", "target", "coverage")] == [None] * 5


def test_nothing_at_all() -> None:
    read = written(verdict="incomplete")
    assert (read["verdict"], read["records"], read["skipped"], read["findings"]) == ("incomplete", [], [], [])


def test_a_coverage_with_many_pointers_is_written_whole() -> None:
    pointers = tuple(f"/entry/x{number}" for number in range(1000))
    one = result()
    assert one.coverage is not None
    large = one._replace(coverage=one.coverage._replace(unprotected=1000, unprotected_pointers=pointers))
    assert written(large, large)["records"][1]["coverage"]["unprotected_pointers"] == list(pointers)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("\ud800\udcff", "\\ud800\\udcff"),
        ({"\udc80": 1}, {"\\udc80": 1}),
        (2**64, 2**64),
        ([2**200], [2**200]),
        ((1, "a"), [1, "a"]),
        (jiter.from_json(b"[1.10, 1e400]", float_mode="lossless-float"), [1.1, float("inf")]),
    ],
)
def test_what_orjson_refuses_is_written_all_the_same(value: Any, shown: Any) -> None:
    text, _ = write("json", [result(findings=[ERROR._replace(actual=value)])])
    assert json.loads(text)["records"][0]["findings"][0]["actual"] == shown


def test_decimals_keep_their_digits() -> None:
    value = jiter.from_json(b"1.1000000000000000000000000001", float_mode="lossless-float")
    text, _ = write("json", [result(findings=[ERROR._replace(actual=value)])])
    assert '"actual":1.1000000000000000000000000001,' in text


def test_values_too_long_or_too_deep_are_put_in_words() -> None:
    assert written(result(findings=[ERROR._replace(actual=10**20_000)]))["records"][0]["findings"][0]["actual"].startswith("(an integer")
    text, _ = write("json", [result(findings=[ERROR._replace(actual=nested(300))])])
    assert "(nested too deep to be shown)" in text
    text, _ = write("json", [result(findings=[ERROR._replace(actual=nested(200))])])
    assert "[" * 200 in text


@pytest.mark.parametrize("name", ["verdict", "counts", "records", "skipped", "findings", "tool", "report"])
def test_the_schema_requires_every_member(name: str) -> None:
    read = written(result())
    del read[name]
    assert not schema().is_valid(read)


def test_the_schema_refuses_a_verdict_that_lies() -> None:
    failing = written(result(findings=[ERROR]))
    assert not schema().is_valid(failing | {"verdict": "pass"})
    assert not schema().is_valid(written(verdict="fail") | {"verdict": "pass"})
    passing = written(result())
    assert not schema().is_valid(passing | {"more": 1})
    for check in ("public_view", "content"):
        claimed = written(result())
        claimed["records"][0]["hashes"][check] |= {"status": "match", "computed": None}
        assert not schema().is_valid(claimed)


def test_a_recorded_hash_of_any_form_is_shown() -> None:
    one = result()
    odd = one._replace(hashes=one.hashes._replace(public_view=HashCheck("mismatch", "SHA-256 of \ud800", HASH)))
    assert written(odd)["records"][0]["hashes"]["public_view"]["recorded"] == "SHA-256 of \\ud800"


class Nowhere:
    size = 0

    def write(self, data: bytes, /) -> None:
        self.size += len(data)


def test_memory_does_not_grow_with_the_records() -> None:
    def many() -> Iterator[RecordResult]:
        one = result()
        for number in range(20_000):
            yield one._replace(input=f"drop/{number}.json")

    sink = Nowhere()
    tally = report.Tally()
    tracemalloc.start()
    try:
        renderer = report.renderer("json", sink, OPTIONS)
        for one in many():
            tally.add(one)
            renderer.record(one)
        renderer.finish("pass", tally.counts(20_000, 0), (), (), tally.summary())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sink.size > 16_000_000
    assert peak < 10_000_000
