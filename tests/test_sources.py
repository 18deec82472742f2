"""Content hashes that are recomputed from source versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import rfc8785
from shared import shared
from test_engine import REAL, changed

from wrs_verify import Report, pointers, verify_paths
from wrs_verify.canonical import digest
from wrs_verify.model import Json


def source_of(record: Json) -> Json:
    """A source version that the record could be a view of: it has what the view shows, and more."""
    version = record["version"]
    source = {name: version[name] for name in ("record_id", "version", "record", "previous", "published_at")}
    source = json.loads(json.dumps(source)) | {"kind": "RECORD_VERSION", "review_notes": ["kept by the publisher"]}
    source["record"]["internal_note"] = "left out of the view"
    return source | {"content_hash": digest(rfc8785.dumps(source))}


def view_of(record: Json, source: Json) -> Json:
    """The record as a view of that source: every copy of the content hash is the source's, and the view is hashed anew."""
    recorded = record["target"]["content_hash"]
    view = json.loads(json.dumps(record).replace(recorded, source["content_hash"]))
    del view["version"]["public_view_hash"]
    view["version"]["public_view_hash"] = digest(rfc8785.dumps(view["version"]))
    return view


@pytest.fixture(params=REAL)
def pair(request: pytest.FixtureRequest) -> tuple[Json, Json]:
    record = json.loads(shared("records", request.param).read_bytes())
    source = source_of(record)
    return view_of(record, source), source


def verify(folder: Path, view: Json, *sources: Json) -> Report:
    (folder / "sources").mkdir()
    (folder / "record.json").write_text(json.dumps(view))
    for number, source in enumerate(sources):
        (folder / "sources" / f"{number}.json").write_text(json.dumps(source))
    return verify_paths(str(folder / "record.json"), sources=(str(folder / "sources"),))


def errors(report: Report) -> list[tuple[str, str | None]]:
    everywhere = [*report.findings, *(finding for record in report.records for finding in record.findings)]
    return [(finding.rule, finding.pointer) for finding in everywhere if finding.level == "error"]


def test_a_source_version_turns_unavailable_into_match(tmp_path: Path, pair: tuple[Json, Json]) -> None:
    report = verify(tmp_path, *pair)
    assert report.verdict == "pass"
    content = report.records[0].hashes.content
    assert (content.status, content.origin) == ("match", "source")
    assert not [finding for finding in report.records[0].findings if finding.rule == "content-unavailable"]


def test_one_changed_character_in_the_source_is_found(tmp_path: Path, pair: tuple[Json, Json]) -> None:
    view, source = pair
    report = verify(tmp_path, view, changed(source, "/review_notes/0", "kept by the publishes"))
    assert errors(report) == [("content-hash", "/version/source_ref/content_hash")]
    assert report.records[0].hashes.content.status == "mismatch"


@pytest.mark.parametrize("pointer", ["/record/title", "/record/contributors/0/name", "/published_at"])
def test_a_view_that_shows_something_else_is_found(tmp_path: Path, pair: tuple[Json, Json], pointer: str) -> None:
    view, source = pair
    other = changed(source, pointer, pointers.resolve(source, pointer) + "!")
    del other["content_hash"]
    other["content_hash"] = digest(rfc8785.dumps(other))
    report = verify(tmp_path, view_of(view, other), other)
    assert errors(report) == [("view-alters-source", "/version" + pointer)]


def test_a_view_may_leave_out_items_but_not_reorder_or_add_them(tmp_path: Path, pair: tuple[Json, Json]) -> None:
    view, source = pair
    more = json.loads(json.dumps(source))
    more["record"]["contributors"].insert(1, {"name": "Example Author One"})
    del more["content_hash"]
    more["content_hash"] = digest(rfc8785.dumps(more))
    assert verify(tmp_path, view_of(view, more), more).verdict == "pass"
    (tmp_path / "fewer").mkdir()
    fewer = json.loads(json.dumps(source))
    del fewer["record"]["contributors"][1], fewer["content_hash"]
    fewer["content_hash"] = digest(rfc8785.dumps(fewer))
    assert errors(verify(tmp_path / "fewer", view_of(view, fewer), fewer)) == [("view-alters-source", "/version/record/contributors/1")]


def test_items_that_the_source_does_not_have_are_looked_for_so_often(tmp_path: Path, pair: tuple[Json, Json]) -> None:
    """Each takes the whole list, and a hostile view can show millions."""
    view, source = pair
    one = source["record"]["contributors"][0]
    source["record"]["contributors"] = [one | {"name": f"Example Author {number}"} for number in range(151)]
    view["version"]["record"]["contributors"] = [one | {"name": f"Another Author {number}"} for number in range(150)]
    del source["content_hash"]
    source["content_hash"] = digest(rfc8785.dumps(source))
    (result,) = verify(tmp_path, view_of(view, source), source).records
    found = [finding for finding in result.findings if finding.rule == "view-alters-source"]
    at = "/version/record/contributors"
    assert [finding.pointer for finding in found] == [at, *(f"{at}/{index}" for index in range(100))]
    assert "shows 50 more items" in found[0].message


def test_two_source_versions_for_one_target_are_an_error(tmp_path: Path, pair: tuple[Json, Json]) -> None:
    view, source = pair
    report = verify(tmp_path, view, source, changed(source, "/kind", "ANOTHER"))
    assert ("unusable-source", None) in errors(report)
    assert report.verdict == "fail"


def test_a_source_version_that_is_of_no_record_is_noted(tmp_path: Path, pair: tuple[Json, Json]) -> None:
    """A publisher who gives one source another version would else be told only that a content hash was not recomputed."""
    view, source = pair
    others = [changed(source, "/version", 7 + number) for number in range(25)]
    report = verify(tmp_path, view, source, *others)
    (found,) = report.findings
    assert (found.rule, found.level, found.pointer) == ("unused-source", "note", None)
    assert found.input.endswith("sources/1.json")
    assert found.message.startswith("25 source versions that were supplied are of none of the records that were read")
    assert found.message.endswith(" and 22 more")
    assert len(found.related) == 19
    assert {(related.pointer, related.value) for related in found.related} == {("", None)}
    assert report.records[0].hashes.content.status == "match"
    (tmp_path / "one").mkdir()
    (found,) = verify(tmp_path / "one", view, changed(source, "/version", 7)).findings
    assert found.message.startswith("1 source version that was supplied is of none of the records")


def test_a_source_of_a_record_that_fails_is_not_noted(tmp_path: Path, pair: tuple[Json, Json]) -> None:
    view, source = pair
    report = verify(tmp_path, changed(view, "/version/record/title", "Another"), source)
    assert report.verdict == "fail"
    assert report.findings == ()


@pytest.mark.parametrize("text", ["", "[]", '{"record_id": "x", "version": 1}', '{"record_id": 1, "version": 1, "record": {}}'])
def test_what_is_not_a_source_version_is_an_error(tmp_path: Path, pair: tuple[Json, Json], text: str) -> None:
    (tmp_path / "other.json").write_text(text)
    (tmp_path / "record.json").write_text(json.dumps(pair[0]))
    report = verify_paths(str(tmp_path / "record.json"), sources=(str(tmp_path / "other.json"),))
    assert errors(report) == [("unusable-source", None)]
