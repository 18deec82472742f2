"""Records of shapes that no schema allows, and engines that fail: every rule reads what it can, and nothing passes unchecked."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

import orjson
import pytest

from wrs_verify import (
    Options,
    RecordResult,
    canonical,
    coverage,
    diagnosis,
    engine,
    mistakes,
    parsing,
    record,
    report,
    validation,
    verify_bytes,
)
from wrs_verify.coverage import leaves
from wrs_verify.facts import sighting_of
from wrs_verify.groups import Group, groups
from wrs_verify.model import Allowance, Allowed, Finding, Json, Limits, Related
from wrs_verify.placing import Text, placed
from wrs_verify.record import Record
from wrs_verify.rules import Found, rule, rules
from wrs_verify.rules.drop import GROUPINGS

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "vectors"))

import builder
from builder import REMOVE

PROFILE = "wrs-published-research-view-1"
RECORD = builder.record("one", people=2, sources=2)
CONTRIBUTOR, SOURCE = "/version/record/contributors/0", "/version/record/sources"
STATEMENT = "/version/record/statement"
LISTS = (SOURCE, "/version/record/evidence", "/entry/sources", "/published_grade/references")
#: Rules whose findings each of these records has anyway: its form is wrong.
FORM = {"schema-violation", "unknown-member", "unknown-term", "content-unavailable", "unknown-reference"}


def verify(changes: dict[str, Any], *, base: dict[str, Any] = RECORD, stamped: bool = True) -> RecordResult:
    return verify_bytes(builder.text(builder.change(base, changes, stamped=stamped)))


def beyond_form(result: RecordResult) -> set[tuple[str, str | None]]:
    return {(finding.rule, finding.pointer) for finding in result.findings if finding.rule not in FORM}


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        pytest.param({"/entry/published_grade/more": 1}, set(), id="a member of the short grade alone"),
        pytest.param(
            dict.fromkeys(LISTS, "none"),
            set(),
            id="no list where lists are",
        ),
        pytest.param(
            {f"{place}/0{title}": REMOVE for place, title in zip(LISTS[1:], ("/source/citation", "/title", "/title"), strict=True)},
            set(),
            id="a title that only one list has",
        ),
        pytest.param(
            {"/entry/sources": [{"id": "a"}]},
            {("source-mismatch", "/entry/sources")},
            id="a shorter list of items without what is compared",
        ),
        pytest.param({"/version/record/evidence/0/id": REMOVE}, set(), id="an item without its number"),
        pytest.param({f"{CONTRIBUTOR}/name": 7}, set(), id="a contributor whose name is a number"),
        pytest.param({f"{CONTRIBUTOR}/source": 7}, set(), id="a contributor whose source is a number"),
        pytest.param({f"{CONTRIBUTOR}/source/url": REMOVE}, set(), id="a contributor's source without its address"),
        pytest.param({STATEMENT: 7}, set(), id="a statement that is a number"),
        pytest.param({f"{SOURCE}/0/url": REMOVE}, set(), id="a source without its address"),
        pytest.param(
            {"/entry/human_role_note": 1, "/published_grade/roles": [], STATEMENT: 7},
            set(),
            id="a note that stands nowhere",
        ),
        pytest.param({"/canonical_agent_submission": True, "/entry/agents": ["an agent"]}, set(), id="an agent who is named"),
        pytest.param({"/version/version": 2, "/version/previous": "one"}, None, id="a version before that is a text"),
    ],
)
def test_what_cannot_be_compared_is_a_matter_of_form_alone(changes: dict[str, Any], found: set[tuple[str, str]] | None) -> None:
    result = verify(changes)
    assert FORM & {finding.rule for finding in result.findings} > {"content-unavailable"}
    if found is None:
        assert {each for each, _ in beyond_form(result)} == {"target-mismatch"}
    else:
        assert beyond_form(result) == found


def test_a_name_that_holds_the_joint_is_not_told_from_two() -> None:
    result = verify({}, base=builder.record("one", people=["Example One; Example Two", "Example Three"]))
    assert ("people-mismatch", "/entry/humans/0") in beyond_form(result)


def test_a_statement_that_is_a_number_is_not_rebuilt() -> None:
    assert beyond_form(verify({STATEMENT: 7}, stamped=False)) == {("public-view-hash", "/version/public_view_hash")}


def test_a_claim_that_rests_on_what_is_missing_is_placed_where_it_should_be() -> None:
    certified = [f"{grade}/scientific_correctness_certified" for grade in ("/published_grade", "/entry/published_grade")]
    result = verify(dict.fromkeys(certified, True) | {"/scientific_verification_awarded": REMOVE})
    assert beyond_form(result) == {("overclaim", pointer) for pointer in certified}
    related = [other for finding in result.findings if finding.rule == "overclaim" for other in finding.related]
    assert {(other.pointer, other.line, other.column) for other in related} == {("/scientific_verification_awarded", 1, 1)}


def test_a_missing_value_is_placed_at_what_should_hold_it() -> None:
    text = Text(b'{"a": {\n "b": 1}}', "a.json")
    finding = Finding("overclaim", "error", "on purpose", "/a/b", related=(Related("/a/c"), Related("", 1, "b.json", 3)))
    (found,) = placed([finding], {"a": {"b": 1}}, text)
    assert (found.line, found.column) == (2, 7)
    assert [(other.input, other.line, other.column) for other in found.related] == [("a.json", 1, 7), ("b.json", 3, None)]


def test_no_allowance_is_used_by_a_result_without_a_target() -> None:
    allowed = verify({})._replace(target=None, allowed=(Allowed(Finding("overclaim", "error", ""), "because", "2026-12-31"),))
    allowance = Allowance("overclaim", RECORD["target"]["record_id"], "because", date(2026, 12, 31))
    options = Options(allowances=(allowance,), now=datetime(2026, 1, 1, tzinfo=UTC))
    assert list(engine.used_allowances(allowed, options)) == []
    assert list(engine.used_allowances(allowed._replace(target=RECORD["target"]), options)) == [allowance]


def test_of_many_editions_those_of_most_records_are_named() -> None:
    grouping = GROUPINGS["mixed-editions"]
    one = engine.check_record(builder.text(RECORD), "a", None, Options()).facts
    assert one is not None
    many = [one._replace(input=f"{number:03}", edition=f"ratings-{number:016x}") for number in range(100)]
    many += [one._replace(input="last", edition=f"ratings-{99:016x}")]
    (found,) = rules()["mixed-editions"].check(groups(grouping, many))
    assert found.message.startswith('the drop mixes 100 ratings editions: "ratings-0000000000000063" in 2 records')
    assert found.message.endswith("; and 97 more")


def test_a_source_version_that_states_another_hash_than_it_gives() -> None:
    view = builder.record("one", content="source")
    source = builder.source_version(view["version"]) | {"content_hash": builder.digest("another")}
    data = builder.text(source)
    checked = engine.check_record(builder.text(view), "a", None, Options(), lambda *_: ("source.json", data))
    assert checked.result.hashes.content.status == "match"
    (found,) = [each for each in checked.result.findings if each.rule == "content-hash"]
    assert found.message.startswith('the source version "source.json" gives the recorded hash, but states "sha256:')


def test_a_finding_about_no_place_in_a_record_has_its_line() -> None:
    text = Text(b"[]", "a.jsonl", 7)
    (found,) = placed([Finding("internal-error", "error", "on purpose")], [], text)
    assert (found.input, found.line, found.column) == ("a.jsonl", 7, None)


def test_coverage_counts_what_it_does_not_name() -> None:
    odd = builder.change(RECORD, {"/entry/" + "x" * 1001: [1, [2, {"a": 3}], []], "/entry/related": [f"entry-{n}" for n in range(2500)]})
    result = verify_bytes(builder.text(odd))
    assert result.coverage
    *numbers, pointers = result.coverage
    assert sum(numbers) == sum(1 for _ in leaves(odd)) + 3
    assert result.coverage.unprotected > len(pointers) == 1000


def test_shapes_of_records_with_and_without_a_grade_differ() -> None:
    shape = coverage.shape_of(PROFILE)
    graded, bare = shape(RECORD), shape(builder.change(RECORD, {"/published_grade": None, "/entry/published_grade": None}))
    assert None not in (graded, bare)
    assert graded != bare


def test_coverage_does_not_depend_on_what_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [builder.text(builder.record("one", people=number)) for number in (1, 2, 3, 1, 2, 3)]
    usual = [verify_bytes(text).coverage for text in texts]
    monkeypatch.setattr(record, "_MAX_SHAPES", 1)
    monkeypatch.setattr(record, "_known_coverage", {})
    assert [verify_bytes(text).coverage for text in texts] == usual


def test_the_search_for_a_recipe_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"b": "\u00e9", "a": 1, "h": None}
    recorded = sha256('{"a": 1, "b": "\u00e9"}'.encode()).hexdigest()
    assert diagnosis.recipe(value, "h", f"sha256:{recorded}")
    monkeypatch.setattr(diagnosis, "MAX_BYTES", 10)
    assert diagnosis.recipe(value, "h", f"sha256:{recorded}") is None


def test_mistakes_are_counted_up_to_a_number() -> None:
    problems, _ = mistakes.diagnose(b"[" + b"1e999," * 12_000 + b"0]", Limits(max_findings=1))
    assert [problem.rule for problem in problems] == ["not-i-json", "too-many-findings"]
    assert "at least 10000 errors" in problems[1].message


def test_a_pointer_that_is_too_long_to_show_is_left_out() -> None:
    (problem,), _ = mistakes.diagnose(b'{"' + b"x" * 10_001 + b'": 1e999}', Limits())
    assert (problem.rule, problem.pointer, problem.offset) == ("not-i-json", None, 10_006)


def test_without_a_record_there_is_nothing_to_state() -> None:
    sink = io.BytesIO()
    renderer = report.renderer("intoto", sink, report.Options("1"))
    with pytest.raises(report.Unstated, match="no record was read"):
        renderer.finish("fail", report.Tally().counts(0, 0), (), (), report.Tally().summary())
    assert sink.getvalue() == b""


def test_a_record_without_a_target_is_not_remembered() -> None:
    data = builder.text(builder.change(RECORD, {"/version/source_ref": REMOVE}))
    facts = engine.check_record(data, "a", None, Options()).facts
    assert facts is not None
    assert sighting_of(facts, data) is None


def test_a_writer_without_a_limit_on_depth_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orjson, "dumps", lambda *_: b"")
    with pytest.raises(ImportError, match="no limit on depth"):
        parsing._orjson_depth()


def test_rules_have_names_of_their_own() -> None:
    with pytest.raises(ValueError, match="two rules are named overclaim"):
        rule("overclaim", "note")(lambda _: ())


def test_what_is_worked_out_of_a_record_is_documented() -> None:
    assert "hash" in str(Record.trusted.__doc__)


# When a check itself fails


def failing(*_: object, **__: object) -> NoReturn:
    raise RuntimeError("on purpose")


def test_a_crash_is_a_finding_and_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical, "read", failing)
    checked = engine.check_record(builder.text(RECORD), "a", 3, Options())
    assert not checked.complete
    assert checked.facts is None
    assert checked.result.verdict == "fail"
    (found,) = checked.result.findings
    assert (found.rule, found.input, found.line) == ("internal-error", "a", 3)
    assert found.message == "the check ended with an error of its own, RuntimeError: on purpose"


def test_a_crash_of_what_a_result_states_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "cover", failing)
    monkeypatch.setattr(record, "_known_coverage", {})
    checked = engine.check_record(builder.text(RECORD), "a", None, Options())
    assert not checked.complete
    assert checked.result.coverage is None
    assert [found.rule for found in checked.result.findings if found.level == "error"] == ["internal-error"]


def test_a_crash_of_one_rule_silences_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    engine._record_rules.cache_clear()
    monkeypatch.setitem(rules(), "overclaim", rules()["overclaim"]._replace(check=failing))
    checked = engine.check_record(builder.text(builder.change(RECORD, {"/entry/title": "Another"})), "a", None, Options())
    engine._record_rules.cache_clear()
    assert not checked.complete
    assert {found.rule for found in checked.result.findings} >= {"internal-error", "text-mismatch"}


def test_a_crash_in_a_check_of_the_drop_is_a_finding() -> None:
    found = list(engine.check_drop(failing, Options(), complete=False))
    assert {each.rule for each in found} == {"internal-error"}
    assert len(found) == len([each for each in rules().values() if each.scope == "drop"]) - 2
    assert {each.pointer for each in found} == {None}


def test_nothing_is_absent_from_a_drop_that_was_not_read_to_its_end() -> None:
    asked = []

    def none(grouping: object) -> Iterator[Group]:
        asked.append(grouping)
        return iter(())

    assert list(engine.check_drop(none, Options(), complete=True)) == []
    whole = len(asked)
    assert list(engine.check_drop(none, Options(), complete=False)) == []
    assert len(asked) - whole == whole - 2


# Two engines that disagree: each is made to lie once


def disagreements(text: bytes = builder.text(RECORD)) -> list[str]:
    result = verify_bytes(text, options=Options(double_check=True))
    found = [finding.message for finding in result.findings if finding.rule == "engine-disagreement"]
    assert result.verdict == "fail" or not found
    return found


def test_engines_that_agree_are_not_mentioned() -> None:
    assert disagreements() == []
    assert disagreements(b"[1e5, {}]") == []
    assert disagreements(builder.text(RECORD | {"version": None})) == []
    assert disagreements(b"{") == []


@pytest.mark.parametrize("text", [builder.text(RECORD), b"{"], ids=["a record", "no JSON"])
def test_parsers_that_disagree(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    monkeypatch.setattr(parsing, "disagreement", lambda *_: "two values were read")
    assert disagreements(text) == ["two values were read"]


def test_validators_that_disagree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "violations", lambda *_: ([], 1))
    assert disagreements() == ["the fast and the reference validator disagree on whether the schema is satisfied"]


def test_canonicalizers_that_disagree(monkeypatch: pytest.MonkeyPatch) -> None:
    real = canonical._write

    def write(value: Json, *, plain: bool) -> bytes:
        return real(value, plain=plain) if plain else real(value, plain=plain) + b" "

    monkeypatch.setattr(canonical, "_write", write)
    assert disagreements() == [
        "the fast and the reference engines give different canonical forms",
        "the fast and the reference canonicalizer give different public view hashes",
    ]


def test_a_digest_of_what_was_read() -> None:
    data = builder.text(RECORD)
    assert verify_bytes(data, options=Options(input_digests=True)).text_digest == sha256(data).hexdigest()
    assert verify_bytes(data).text_digest is None


def test_a_rule_finds_nothing_in_a_record_without_a_profile() -> None:
    """All of them are asked whatever the record is."""
    other = Record(canonical.read(b'{"profile": "another"}', Limits()))
    found: list[Found] = [each for one in engine._record_rules() if one.name != "unknown-profile" for each in one.check(other)]
    assert found == []
    assert other.coverage is None
    assert other.violations == []
