"""Why a hash does not match: wrong recipes by name, and altered members with their original values."""

from __future__ import annotations

import copy
import hashlib
import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import shared
from test_engine import REAL, changed

from wrs_verify import Finding, diagnosis, pointers, verify_bytes
from wrs_verify.canonical import digest
from wrs_verify.model import Json


def hashed(record: Json) -> Finding:
    """The finding on the public view hash."""
    found = verify_bytes(json.dumps(record, indent=1).encode()).findings
    return next(finding for finding in found if finding.rule == "public-view-hash")


@pytest.fixture(params=REAL)
def record(request: pytest.FixtureRequest) -> Json:
    return json.loads(shared("records", request.param).read_bytes())


def test_one_word_of_the_summary(record: Json) -> None:
    summary = record["version"]["record"]["summary"]
    finding = hashed(changed(record, "/version/record/summary", summary.replace(" and ", " or ", 1)))
    assert "/version/record/summary" in finding.message
    assert "Restoring it gives the recorded hash" in finding.message
    assert [(related.pointer, related.value) for related in finding.related] == [("/version/record/summary", summary)]


@pytest.mark.parametrize(
    "members",
    [
        ("/version/record/title", "/version/record/scope/domain"),
        ("/version/record/title", "/version/record/summary", "/version/record/scope/description", "/version/record_id"),
        ("/version/record/contributors/0/name", "/version/record/contributors/5/name", "/version/source_ref/content_hash"),
        ("/version/record/sources/0/citation", "/version/record/evidence/0/id", "/version/record/contributors/3/source/url"),
        ("/version/kind",),
    ],
)
def test_several_altered_members_are_proved(record: Json, members: tuple[str, ...]) -> None:
    forged = record
    for pointer in members:
        forged = changed(forged, pointer, str(pointers.resolve(record, pointer)) + "0")
    finding = hashed(forged)
    assert {(related.pointer, related.value) for related in finding.related} == {
        (pointer, pointers.resolve(record, pointer)) for pointer in members
    }


def test_every_name_altered_at_once(record: Json) -> None:
    forged = copy.deepcopy(record)
    for contributor in forged["version"]["record"]["contributors"]:
        contributor["name"] += " Jr."
    finding = hashed(forged)
    assert len(finding.related) == len(record["version"]["record"]["contributors"])


def test_an_altered_statement_is_rebuilt_from_the_members(record: Json) -> None:
    statement = record["version"]["record"]["statement"]
    for old, new in (("; ", ", "), ("# ", "## "), ("](https", "](http"), ("Source-listed", "Listed")):
        finding = hashed(changed(record, "/version/record/statement", statement.replace(old, new, 1)))
        assert [(related.pointer, related.value) for related in finding.related] == [("/version/record/statement", statement)]


def test_honest_differences_do_not_mislead(record: Json) -> None:
    """A copy that is out of date beside an altered member: only the altered one is named."""
    forged = changed(record, "/version/record/title", "Another title")
    for copy_of in ("/entry/summary", "/published_grade/what_changed", "/entry/published_grade/what_changed"):
        forged = changed(forged, copy_of, "A later summary.")
    assert [related.pointer for related in hashed(forged).related] == ["/version/record/title"]


def test_what_cannot_be_proved_is_not_claimed(record: Json) -> None:
    finding = hashed(changed(record, "/version/published_at", "2026-10-17T00:00:00Z"))
    assert finding.related == ()
    assert "cannot be proved" in finding.message


def test_the_search_is_bounded(record: Json) -> None:
    """Dozens of altered members, one of them without a copy: nothing can be proved, and the search ends and says so."""
    forged = changed(record, "/version/published_at", "2026-10-17T00:00:00Z")
    for contributor in forged["version"]["record"]["contributors"]:
        contributor["name"] += " Jr."
    for pointer in (
        "/version/record/title",
        "/version/record/summary",
        "/version/record/scope/domain",
        "/version/record/scope/description",
    ):
        forged = changed(forged, pointer, "Other")
    finding = hashed(forged)
    assert finding.related == ()
    assert f"{diagnosis.MAX_TRIES:,} combinations" in finding.message


def test_the_search_is_bounded_by_what_it_hashes(record: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large record allows fewer combinations; what is proved before they run out is said all the same."""
    forged = changed(record, "/version/record/title", "Other")
    beyond = changed(forged, "/version/published_at", "2026-10-17T00:00:00Z")
    size = len(canonical(forged))
    monkeypatch.setattr(diagnosis, "MAX_TRIED_BYTES", 2 * size)
    assert [related.pointer for related in hashed(forged).related] == ["/version/record/title"]
    assert "given up after 2 combinations" in hashed(beyond).message
    monkeypatch.setattr(diagnosis, "MAX_TRIED_BYTES", 1)
    assert "given up after 1 combination" in hashed(beyond).message


def test_a_slow_canonical_form_allows_fewer_combinations(record: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    forged = changed(changed(record, "/version/record/title", "Other"), "/version/published_at", "2026-10-17T00:00:00Z")
    forged["version"]["record"]["number"] = 0.5
    monkeypatch.setattr(diagnosis, "MAX_TRIED_BYTES", 80 * len(canonical(forged)))
    assert "given up after 2 combinations" in hashed(forged).message


def sha256(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


RECIPES = {
    "json.dumps(...) with its defaults": lambda view: json.dumps(view).encode(),
    "json.dumps(..., sort_keys=True);": lambda view: json.dumps(view, sort_keys=True).encode(),
    "ensure_ascii=False": lambda view: json.dumps(view, sort_keys=True, ensure_ascii=False).encode(),
    "order of the file": lambda view: json.dumps(view, ensure_ascii=False, separators=(",", ":")).encode(),
    "indented by two spaces": lambda view: json.dumps(view, indent=2, ensure_ascii=False).encode(),
    "newline at the end": lambda view: canonical(view) + b"\n",
    "form D": lambda view: unicodedata.normalize("NFD", canonical(view).decode()).encode(),
    "CRLF line ends": lambda view: canonical(view).replace(b"\\n", b"\\r\\n"),
    "set to null": lambda view: canonical(view | {"public_view_hash": None}),
    "empty string": lambda view: canonical(view | {"public_view_hash": ""}),
    "slashes escaped": lambda view: canonical(view).replace(b"/", b"\\/"),
}


def canonical(view: Json) -> bytes:
    return json.dumps(view, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.mark.parametrize("name", RECIPES)
def test_a_wrong_recipe_is_named(record: Json, name: str) -> None:
    record = changed(record, "/version/record/contributors/0/note", "Caf\u00e9 \u2014 attribution")
    view = {member: value for member, value in record["version"].items() if member != "public_view_hash"}
    finding = hashed(changed(record, "/version/public_view_hash", sha256(RECIPES[name](view))))
    assert name in finding.message
    assert "nothing in it was altered" in finding.message


def test_the_right_recipe_is_not_called_wrong(record: Json) -> None:
    view = {name: value for name, value in record["version"].items() if name != "public_view_hash"}
    assert digest(canonical(view)) == record["version"]["public_view_hash"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("xy/~", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
@settings(max_examples=200)
def test_nothing_is_an_alteration_of_itself(value: Json) -> None:
    assert list(diagnosis.alterations(value, copy.deepcopy(value), "")) == []


@given(json_values, json_values)
@settings(max_examples=200)
def test_alterations_are_at_pointers_of_the_view(source: Json, view: Json) -> None:
    for pointer, _, shown in diagnosis.alterations(source, view, ""):
        assert pointers.resolve(view, pointer) == shown
