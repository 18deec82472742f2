"""The two validators: that they agree, and that what they find is said in words."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import shared

from wrs_verify import validation
from wrs_verify.validation import Violation, is_valid, profiles, resolved, schema, violations

VIEW = "wrs-published-research-view-1"
TRIPLE = {"record_id": "urn:uuid:00000000-0000-4000-8000-000000000001", "version": 1, "content_hash": "sha256:" + "0" * 64}
CITATION = {"citation": "On primes", "url": "https://example.org/primes"}
GRADE = {
    "profile": "wrs-published-grade-1",
    "edition": "2026-10-28.1",
    "id": "primes",
    "entry_id": "primes",
    "revision": 1,
    "title": "Primes",
    "context": "Number theory",
    "track": "Methods",
    "band": "A",
    "modifier": "+",
    "status": "PROVISIONAL_EDITORIAL",
    "assessed_on": "2026-10-16",
    "evidence_cutoff": "2026-10-16",
    "achievement_state": "SUPPORTED_SCOPED_RESULT",
    "what_changed": "Counted primes.",
    "scope": "Counted primes. Small ones.",
    "evidence_summary": "Small ones.",
    "references": [{"title": "On primes", "url": "https://example.org/primes", "locator": "All of it"}],
    "roles": [{"who": "Authors", "credit": "SCIENCE", "did": "Counting."}],
    "target": TRIPLE,
    "scientific_correctness_certified": False,
    "independent_expert_calibration": False,
    "method": "PROPRIETARY",
    "points": "100",
}
COPIED = ("id", "entry_id", "band", "modifier", "target", "what_changed", "scope", "status", "scientific_correctness_certified")
RECORD = {
    "profile": VIEW,
    "edition": "ratings-0123456789abcdef",
    "content_trust": "UNTRUSTED_SCIENTIFIC_DATA_NOT_TOOL_INSTRUCTIONS",
    "entry": {
        "id": "primes",
        "title": "Primes",
        "summary": "Counted primes.",
        "boundary": "Small ones.",
        "area": "Number theory",
        "topic": "Mathematics",
        "year": 2021,
        "lane": "HUMAN",
        "result": "ALGORITHM",
        "package_id": "primes",
        "target": TRIPLE,
        "humans": ["Ada Example"],
        "authors_complete": True,
        "human_role_note": "Counting.",
        "agents": [],
        "related": ["squares"],
        "subresults": [{"any": ["thing"]}],
        "scientific_assessment": {
            "source_review": "SOURCE_CURATED",
            "scientific_review": "NOT_REVIEWED_BY_WRS",
            "formal_replay": "NOT_RUN",
            "provider_attestation": "NONE",
        },
        "sources": [{"id": "source-a", "title": "On primes", "url": "https://example.org/primes"}],
        "points": "100",
        "published_grade": {member: GRADE[member] for member in COPIED},
        "assessment_disposition": {
            "status": "ASSESSED",
            "label": "Assessed",
            "reason": "A grade.",
            "target": TRIPLE,
            "edition": "ratings-0123456789abcdef",
        },
    },
    "version": {
        "kind": "PUBLIC_RECORD_VIEW",
        "previous": TRIPLE,
        "published_at": "2026-10-16T00:00:00Z",
        "publisher": {"principal_id": "urn:uuid:00000000-0000-4000-8000-000000000002", "role": "WRS_EDITORIAL_PUBLICATION"},
        "record": {
            "contributors": [
                {
                    "attribution_basis": "SOURCE_CITED",
                    "credit": "historical_scientific",
                    "entity_kind": "historical_person",
                    "name": "Ada Example",
                    "note": "By the source",
                    "roles": ["discoverer", "formulator"],
                    "source": CITATION,
                }
            ],
            "evidence": [{"description": "A source", "id": "source-0", "kind": "source_reference", "source": CITATION}],
            "origin": "HUMAN_LEGACY",
            "record_profile": "wrs-local-research-notes-0.1",
            "record_type": "research_note",
            "rrp_version": "0.1",
            "scope": {"description": "Small ones.", "domain": "Number theory"},
            "sources": [CITATION],
            "statement": "# Primes\n",
            "summary": "Counted primes.",
            "title": "Primes",
        },
        "record_id": TRIPLE["record_id"],
        "version": 1,
        "source_ref": TRIPLE,
        "export_view": "wrs-public-editorial-view-1",
        "public_view_hash": "sha256:" + "0" * 64,
    },
    "target": TRIPLE,
    "published_grade": GRADE,
    "canonical_agent_submission": False,
    "scientific_verification_awarded": False,
    "reader_guide": None,
    "reading_status": "SOURCE_LINKED_NOTE",
}


def record() -> Any:
    """A valid record of the test's own, with no part shared between two places."""
    return json.loads(json.dumps(RECORD))


def routes(value: Any, route: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where each value in a value is: the names and indexes that lead to it."""
    yield route
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in items:
        yield from routes(part, (*route, step))


ROUTES = [route for route in routes(RECORD) if route]


def changed(route: tuple[Any, ...], value: Any) -> Any:
    """The valid record with the value at one place replaced."""
    result = record()
    *above, last = route
    part = result
    for step in above:
        part = part[step]
    part[last] = value
    return result


def at(pointer: str, value: Any) -> Any:
    return changed(tuple(int(step) if step.isdigit() else step for step in pointer.split("/")[1:]), value)


def only(value: Any, name: str = VIEW) -> Violation:
    """The one violation that a value has; both validators refuse it."""
    found, total = violations(name, value, 100)
    assert total == len(found) == 1, found
    assert not is_valid(name, value)
    return found[0]


def test_published_records_are_valid() -> None:
    files = sorted(shared("records").glob("*.json"))
    assert files
    for file in files:
        value = json.loads(file.read_bytes())
        assert is_valid(VIEW, value)
        assert violations(VIEW, value, 10) == ([], 0)


def test_the_record_made_here_is_valid() -> None:
    assert is_valid(VIEW, record())
    assert violations(VIEW, record(), 10) == ([], 0)


def ungraded(how: str) -> Any:
    value = record()
    for holder, member in ((value, "published_grade"), (value["entry"], "published_grade"), (value["entry"], "points")):
        if how == "null":
            holder[member] = None
        else:
            del holder[member]
    return value


@pytest.mark.parametrize("how", ["null", "absent"])
def test_a_record_without_a_grade_is_valid(how: str) -> None:
    assert is_valid(VIEW, ungraded(how))
    assert violations(VIEW, ungraded(how), 10) == ([], 0)


def test_only_whole_documents_are_profiles() -> None:
    assert profiles() == {VIEW}


@pytest.mark.parametrize("name", ["", "wrs-published-research-view-2", "../schemas/" + VIEW, "/etc/passwd", "__init__", VIEW + "\0", "*"])
def test_unknown_schemas(name: str) -> None:
    for ask in (schema, resolved, lambda each: is_valid(each, {}), lambda each: violations(each, {}, 1)):
        with pytest.raises(KeyError):
            ask(name)


def test_a_schema_is_the_callers_own() -> None:
    schema(VIEW)["properties"].clear()
    assert schema(VIEW)["properties"]


# What is found, and how it is said.

WORDS: list[tuple[str, Any, str, str, str, Any]] = [
    ("/entry/lane", 5, "type", "schema-violation", "5 stands where a string is expected", None),
    ("/entry/title", None, "type", "schema-violation", "null stands where a string is expected", None),
    ("/entry/agents", {}, "type", "schema-violation", "an object of 0 members stands where an array is expected", None),
    ("/entry/related/0", True, "type", "schema-violation", "true stands where a string or an object is expected", None),
    ("/target", [1], "type", "schema-violation", "an array of 1 item stands where an object is expected", None),
    ("/published_grade", "A", "type", "schema-violation", '"A" stands where an object or null is expected', None),
    ("/target/version", "1", "type", "schema-violation", '"1" stands where a whole number is expected', None),
    ("/target/version", 1.5, "type", "schema-violation", "1.5 stands where a whole number is expected", None),
    ("/target/version", True, "type", "schema-violation", "true stands where a whole number is expected", None),
    ("/entry/authors_complete", 1, "type", "schema-violation", "1 stands where true or false is expected", None),
    ("/canonical_agent_submission", 0, "type", "schema-violation", "0 stands where true or false is expected", None),
    (
        "/entry/result",
        "x",
        "enum",
        "unknown-term",
        '"x" is not a term that this profile knows (ALGORITHM, EMPIRICAL): unfamiliar, not necessarily wrong',
        ["ALGORITHM", "EMPIRICAL"],
    ),
    (
        "/published_grade/modifier",
        "*",
        "enum",
        "unknown-term",
        '"*" is not a term that this profile knows (+, -, null): unfamiliar, not necessarily wrong',
        ["+", "-", None],
    ),
    (
        "/scientific_verification_awarded",
        True,
        "enum",
        "unknown-term",
        "true is not a term that this profile knows (false): unfamiliar, not necessarily wrong",
        [False],
    ),
    (
        "/reader_guide",
        {"text": "…"},
        "enum",
        "unknown-term",
        "an object of 1 member is not a term that this profile knows (null): unfamiliar, not necessarily wrong",
        [None],
    ),
    (
        "/version/kind",
        "PRIVATE",
        "const",
        "schema-violation",
        '"PRIVATE" stands where "PUBLIC_RECORD_VIEW" is expected',
        "PUBLIC_RECORD_VIEW",
    ),
    (
        "/published_grade/assessed_on",
        "2026-13-40",
        "pattern",
        "schema-violation",
        '"2026-13-40" is not a date (YYYY-MM-DD)',
        None,
    ),
    (
        "/published_grade/assessed_on",
        "2026-10-16\n",
        "pattern",
        "schema-violation",
        '"2026-10-16\\n" is not a date (YYYY-MM-DD)',
        None,
    ),
    (
        "/entry/sources/0/url",
        "a\nb",
        "pattern",
        "schema-violation",
        '"a\\nb" is not an http or https URL of ASCII characters (others are percent-encoded)',
        None,
    ),
    ("/entry/title", "", "minLength", "schema-violation", "the text is empty", 1),
    ("/entry/year", 0, "minimum", "schema-violation", "0 is less than 1", 1),
    ("/entry/year", 10000, "maximum", "schema-violation", "10000 is more than 9999", 9999),
    ("/target/version", 2**53, "maximum", "schema-violation", "9007199254740992 is more than 9007199254740991", 2**53 - 1),
]


@pytest.mark.parametrize(("pointer", "value", "keyword", "rule", "message", "expected"), WORDS)
def test_words(pointer: str, value: Any, keyword: str, rule: str, message: str, expected: Any) -> None:
    assert only(at(pointer, value)) == Violation(pointer, keyword, rule, message, expected, value)


def test_a_missing_member_is_named_once() -> None:
    value = record()
    del value["entry"]["title"], value["entry"]["year"]
    assert violations(VIEW, value, 10) == (
        [
            Violation("/entry", "required", "schema-violation", 'the member "title" is missing', "title", None),
            Violation("/entry", "required", "schema-violation", 'the member "year" is missing', "year", None),
        ],
        2,
    )


def test_each_unexpected_member_is_found_where_it_is() -> None:
    value = record()
    value["version"]["record"] |= {"b~/c": None, "": [1]}
    said = "the member {} is not one that this profile knows: unfamiliar, not necessarily wrong"
    assert violations(VIEW, value, 10) == (
        [
            Violation("/version/record/", "additionalProperties", "unknown-member", said.format('""'), None, [1]),
            Violation("/version/record/b~0~1c", "additionalProperties", "unknown-member", said.format('"b~/c"'), None, None),
        ],
        2,
    )


def test_every_keyword_that_can_fail_has_words() -> None:
    said = {row[2] for row in WORDS} | {"required", "additionalProperties", "not"}
    structure = {"$schema", "$id", "$ref", "$defs", "title", "description", "properties", "items", "if", "then"}
    used: set[str] = set()

    def walk(part: dict[str, Any]) -> None:
        used.update(part)
        for each in (*part.get("properties", {}).values(), *part.get("$defs", {}).values(), *(part[key] for key in part if key in KEYS)):
            walk(each)

    KEYS = ("items", "if", "then", "not")
    for name in (VIEW, "wrs-published-grade-1", "wrs-public-editorial-view-1", "wrs-local-research-notes-0.1", "wrs-values-1"):
        walk(schema(name))
    assert used - structure == said


def test_a_missing_member_may_be_a_misspelt_one() -> None:
    value = record()
    value["enrty"], value["x" * 500], value["entirely-else"] = value.pop("entry"), 1, 2
    assert violations(VIEW, value, 1)[0][0].message == 'the member "entry" is missing; is "enrty" meant to be it?'
    value = record()
    value["entry"] |= {"titles": value["entry"].pop("title")}
    assert 'the member "title" is missing; is "titles" meant to be it?' in {each.message for each in violations(VIEW, value, 10)[0]}


def test_words_for_a_keyword_that_no_record_schema_uses() -> None:
    error = next(jsonschema.Draft202012Validator({"minItems": 2}).iter_errors([1]))
    assert validation._violation(error) == Violation(
        "", "minItems", "schema-violation", "an array of 1 item does not keep to the schema's minItems (2)", 2, [1]
    )
    error = next(jsonschema.Draft202012Validator({"minLength": 2}).iter_errors("a"))
    assert validation._violation(error).message == '"a" has fewer than 2 characters'
    error = next(jsonschema.Draft202012Validator({"pattern": "^b$"}).iter_errors("a"))
    assert validation._violation(error).message == '"a" is not text of the form ^b$'


OPEN = {"properties": {"a": {}}, "additionalProperties": {"type": "string"}, "not": {"required": ["b"]}}


def test_schemas_of_another_kind_than_those_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "_schemas", lambda: {"open": {"$id": "urn:open", **OPEN}})
    value = {"a": 1, "b": 2, "c": "3"}
    assert not is_valid("open", value)
    assert violations("open", value, 10) == (
        [
            Violation(
                "",
                "not",
                "schema-violation",
                "an object of 3 members does not keep to the schema's not (an object of 1 member)",
                {"required": ["b"]},
                value,
            ),
            Violation("/b", "type", "schema-violation", "2 stands where a string is expected", None, 2),
        ],
        2,
    )


def test_what_stands_beside_a_reference_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    both = {"$id": "urn:both", "$ref": "#/$defs/a", "required": ["b"], "$defs": {"a": {"required": ["a"]}}}
    monkeypatch.setattr(validation, "_schemas", lambda: {"both": both})
    for value in ({}, {"a": 1}, {"b": 1}, {"a": 1, "b": 1}):
        assert is_valid("both", value) == (len(value) == 2)
        found, total = violations("both", value, 10)
        assert total == len(found) == 2 - len(value)
        assert [each.expected for each in found] == sorted({"a", "b"} - value.keys())


@pytest.mark.parametrize("value", ["start" + "x" * 5000 + "end", "start" + "\N{GRINNING FACE}" * 5000 + "end"])
def test_long_values_are_shortened_in_the_middle(value: str) -> None:
    message = only(at("/entry/lane", value)).message
    shown = message.partition(" is not")[0]
    assert shown.startswith('"start')
    assert shown.endswith('end"')
    assert "…" in shown
    assert len(shown) <= 82


def test_long_numbers_are_shortened() -> None:
    message = only(at("/entry/year", 10**300)).message
    assert message.startswith("1000")
    assert message.endswith("000 is more than 9999")
    assert len(message) < 110


# Order, and limits.


def broken() -> Any:
    value = record()
    value["entry"] |= {"lane": "x", "title": "", "zeta": 1, "alpha": 2}
    value["version"]["record"] = {"contributors": [1, {}, None], "more": {}, "other": []}
    value["target"] = {}
    return value


def test_errors_are_kept_before_what_is_unfamiliar() -> None:
    found, total = violations(VIEW, broken(), 1000)
    assert total == len(found) > 20
    assert found == sorted(found, key=lambda each: each[:4])
    errors = [each for each in found if each.rule == "schema-violation"]
    assert 0 < len(errors) < total
    assert violations(VIEW, broken(), len(errors)) == (errors, total)
    assert violations(VIEW, broken(), 3) == (errors[:3], total)
    assert violations(VIEW, broken(), 0) == ([], total)
    kept, _ = violations(VIEW, broken(), len(errors) + 2)
    assert len(kept) == len(errors) + 2
    assert set(map(repr, errors)) < set(map(repr, kept))


def test_order_does_not_depend_on_the_order_of_members() -> None:
    def reversed_members(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: reversed_members(value[name]) for name in reversed(value)}
        return [reversed_members(each) for each in value] if isinstance(value, list) else value

    assert violations(VIEW, reversed_members(broken()), 1000) == violations(VIEW, broken(), 1000)


@pytest.mark.parametrize("flood", [{"lane": "HUMAN"} | {f"x{number}": 0 for number in range(10_001)}, {"humans": [0] * 20_000}])
def test_a_search_given_up_is_an_error(flood: dict[str, Any]) -> None:
    value = record()
    value["entry"] |= flood
    found, total = violations(VIEW, value, 1)
    message = "there are more than 10,000 violations; the rest of the record was not looked at"
    assert found == [Violation("", "", "too-many-violations", message, None, None)]
    assert total == 10_001


def test_ten_thousand_are_not_too_many() -> None:
    found, total = violations(VIEW, at("/entry/humans", [0] * 10_000), 20_000)
    assert total == len(found) == 10_000
    assert {each.keyword for each in found} == {"type"}


SCRIPT = f"""
import json, sys
from wrs_verify.validation import violations
print(json.dumps(violations({VIEW!r}, json.load(sys.stdin), 1000)))
"""


def test_the_hash_seed_changes_nothing() -> None:
    def run(seed: str) -> str:
        environment = os.environ | {"PYTHONHASHSEED": seed}
        text = json.dumps(broken())
        return subprocess.run(
            [sys.executable, "-c", SCRIPT], input=text, capture_output=True, text=True, check=True, env=environment
        ).stdout

    outputs = {run(seed) for seed in ("0", "1", "2", "3")}
    assert len(outputs) == 1
    assert json.loads(outputs.pop()) == json.loads(json.dumps(violations(VIEW, broken(), 1000)))


def test_the_slow_validator_is_not_loaded_for_valid_records() -> None:
    script = f"""
import json, sys
from wrs_verify.validation import is_valid
assert "jsonschema_rs" not in sys.modules
assert is_valid({VIEW!r}, json.load(sys.stdin))
assert "jsonschema" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], input=json.dumps(record()), text=True, check=True)


# The two validators give one answer.

NEAR: list[Any] = [
    *("2023-02-29", "2024-02-29", "2026-13-40", "2026-10-16\n", "\uff12\uff10\uff12\uff16-10-16", "1900-02-29", "2000-02-29", "0000-01-01"),
    *("2026-10-16T00:00:00Z", "2026-10-16T00:00:00Z\n", "2026-10-16T24:00:00Z", "2026-10-16T00:00:00+01:00", "2026-10-16T00:00:60Z"),
    *("2016-12-31T23:59:60Z", "2026-10-16t00:00:00z", "2026-10-16T00:00:00", "2023-02-29T00:00:00Z", "2026-10-16T00:00:0\u0660Z"),
    *("urn:uuid:400e5070-8da1-4a64-a592-13522eb9d09e", "urn:uuid:400E5070-8da1-4a64-a592-13522eb9d09e"),
    *("urn:uuid:400e5070-8da1-4a64-a592-13522eb9d09e\n", "URN:UUID:400e5070-8da1-4a64-a592-13522eb9d09e"),
    *("sha256:" + "0" * 64, "sha256:" + "0" * 64 + "\n", "sha256:" + "0" * 63 + "\u0660", "sha256:" + "A" * 64, "sha256:" + "0" * 63),
    *(
        "https://example.org",
        "https://example.org\n",
        "https://example.org/ a",
        "HTTPS://example.org",
        "https://a@b",
        "https://\uff45xample.org",
    ),
    *(
        "ratings-0123456789abcdef",
        "ratings-0123456789abcdeF",
        "ratings-0123456789abcdef\n",
        "2026-10-28.1",
        "2026-10-28.1\n",
        "2026-02-30.1",
    ),
    *(
        "125000",
        "125000\n",
        "\u0661\u0662\u0665",
        "",
        "\n",
        " ",
        "a",
        "a\n",
        "A",
        "-a",
        "\u017f",
        "+",
        "-",
        "HUMAN",
        "human",
        "null",
        "\N{GRINNING FACE}",
    ),
    *(
        0,
        1,
        -1,
        1.0,
        1.5,
        -0.0,
        0.0,
        9999,
        9999.0,
        10000,
        2**53 - 1,
        2**53,
        float(2**53),
        2**63,
        2**64,
        -(2**63) - 1,
        10**300,
        1e300,
        5e-324,
    ),
    *(None, True, False, [], {}, [None], {"": None}, [[]], TRIPLE, {**TRIPLE, "version": 1.0}, {**TRIPLE, "version": True}, GRADE),
]

ONE_OF_EACH = [
    *("/published_grade/assessed_on", "/version/published_at", "/target/record_id", "/target/content_hash", "/entry/id", "/entry/points"),
    *("/version/record/sources/0/url", "/edition", "/published_grade/edition", "/target/version", "/entry/year", "/entry/title"),
    *("/entry/lane", "/published_grade/modifier", "/canonical_agent_submission", "/entry/authors_complete", "/reader_guide", "/profile"),
    *("/entry/related/0", "/entry/humans", "/entry/humans/0", "/target", "/version/previous", "/published_grade", "/version/record"),
]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(codec="utf-8")),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), part, max_size=3),
    max_leaves=6,
)


def agree(name: str, value: Any) -> None:
    before = copy.deepcopy(value)
    found, total = violations(name, value, 5)
    assert is_valid(name, value) == (total == 0) == (not found), found
    assert value == before


Change = Callable[[Any], Any]


@given(
    st.lists(st.tuples(st.sampled_from(ROUTES), st.sampled_from(NEAR) | JSON, st.sampled_from(["replace", "remove", "add"])), max_size=3)
)
def test_both_validators_give_one_answer(changes: list[tuple[tuple[Any, ...], Any, str]]) -> None:
    value = record()
    for (*above, last), given_value, how in changes:
        holder: Any = value
        try:
            for step in above:
                holder = holder[step]
            old = holder[last]
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took this place away
        if isinstance(holder, str):
            continue
        new = copy.deepcopy(given_value)  # a later change may reach into it
        if how == "replace":
            holder[last] = new
        elif how == "remove":
            del holder[last]
        elif isinstance(old, list):
            old.append(new)
        elif isinstance(old, dict):
            old[str(new)[:10]] = new
        else:
            holder[last] = f"{old}{new}"
    agree(VIEW, value)


@pytest.mark.parametrize("value", NEAR, ids=ascii)
def test_both_validators_give_one_answer_on_each_near_miss(value: Any) -> None:
    for pointer in ONE_OF_EACH:
        agree(VIEW, at(pointer, value))


@given(JSON)
def test_both_validators_give_one_answer_on_any_value(value: Any) -> None:
    for name in (VIEW, "wrs-published-grade-1", "wrs-public-editorial-view-1", "wrs-local-research-notes-0.1", "wrs-target-triple-1"):
        agree(name, value)


def test_deep_values_are_no_trouble() -> None:
    deep: Any = {}
    for _ in range(200):
        deep = [deep]
    for pointer in ("/entry/subresults", "/reader_guide", "/entry/lane", "/version/record"):
        agree(VIEW, at(pointer, deep))
    assert is_valid(VIEW, at("/entry/subresults", [{"deep": deep}]))


def test_a_lone_surrogate_is_no_trouble() -> None:
    agree(VIEW, at("/entry/title", "\ud800"))
    agree(VIEW, at("/entry/id", "\ud800"))
    assert is_valid(VIEW, at("/entry/title", "\ud800"))
