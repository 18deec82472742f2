"""One record, from bytes to a verdict: through the public interface, on the real records and on what is made of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from shared import shared

from wrs_verify import Options, RecordResult, pointers, verify_bytes
from wrs_verify import record as record_module
from wrs_verify.coverage import leaves
from wrs_verify.model import Json

REAL = ("fu-et-al-neuron-distributed-training-2024.json", "mudigere-et-al-neo-zionex-2021.json")
TRIPLES = (
    "/version/source_ref",
    "/target",
    "/entry/target",
    "/entry/published_grade/target",
    "/entry/assessment_disposition/target",
    "/published_grade/target",
)


@pytest.fixture(params=REAL)
def text(request: pytest.FixtureRequest) -> bytes:
    return shared("records", request.param).read_bytes()


def changed(value: Json, pointer: str, to: Json) -> Json:
    """A copy of a JSON value, with another value at a pointer."""
    copy = json.loads(json.dumps(value))
    *steps, last = pointers.split(pointer)
    holder = copy
    for step in steps:
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]
    holder[int(last) if isinstance(holder, list) else last] = to
    return copy


def verify(value: Json, options: Options = Options()) -> RecordResult:  # noqa: B008 (immutable)
    return verify_bytes(json.dumps(value, ensure_ascii=False, indent=1).encode(), options=options)


def rules(result: RecordResult, level: str = "error") -> set[str]:
    return {finding.rule for finding in result.findings if finding.level == level}


def one_character(value: Json) -> Json:
    """A value of the same type, one character away, of the same form where it is a hash or an id."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + ("1" if value[-1] == "0" else "0" if value[-1] in "123456789abcdef" else "x" if value[-1] != "x" else "y")
    return "x"


def test_real_records_pass(text: bytes) -> None:
    result = verify_bytes(text, name="record.json")
    assert result.verdict == "pass"
    assert result.hashes.public_view.status == "match"
    assert result.hashes.content.status == "unavailable"
    assert {finding.level for finding in result.findings} == {"note"}
    assert all(finding.line and finding.column for finding in result.findings)


@pytest.mark.parametrize("triple", TRIPLES)
@pytest.mark.parametrize("member", ["record_id", "version", "content_hash"])
def test_any_change_of_a_target_triple_is_placed(text: bytes, triple: str, member: str) -> None:
    record = json.loads(text)
    pointer = f"{triple}/{member}"
    wrong = changed(record, pointer, one_character(pointers.resolve(record, pointer)))
    written = json.dumps(wrong, indent=1)
    result = verify_bytes(written.encode())
    found = [finding for finding in result.findings if finding.rule == "target-mismatch"]
    assert [finding.pointer for finding in found] == [pointer]
    line, column = found[0].line, found[0].column
    assert line
    assert column
    assert written.split("\n")[line - 1][: column - 1].strip() == f'"{member}":'
    assert found[0].expected == pointers.resolve(record, pointer)
    assert found[0].actual == pointers.resolve(wrong, pointer)
    assert len(found[0].related) >= 5


def test_one_violation_silences_no_other_check(text: bytes) -> None:
    record = json.loads(text)
    for pointer, to in (("/published_grade/revision", "one"), ("/version/record/title", "Another"), ("/entry/target/version", 2)):
        record = changed(record, pointer, to)
    assert {"schema-violation", "public-view-hash", "target-mismatch"} <= rules(verify(record))


def test_layout_makes_no_difference(text: bytes) -> None:
    record = json.loads(text)
    for written in (
        json.dumps(record),
        json.dumps(record, indent=4).replace("\n", "\r\n"),
        json.dumps(record, ensure_ascii=False, separators=(",", ":")),
        json.dumps(record, sort_keys=True).replace("/", "\\/"),
    ):
        result = verify_bytes(written.encode(), options=Options(double_check=True))
        assert result.verdict == "pass"
        assert result.hashes == verify_bytes(text).hashes


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        (b"{}", ""),
        (b"[]", ""),
        (b"null", ""),
        (b'"wrs-published-research-view-1"', ""),
        (b'{"profile": 1}', "/profile"),
        (b'{"profile":"x"}', "/profile"),
    ],
)
def test_a_record_without_a_known_profile_fails(text: bytes, pointer: str) -> None:
    result = verify_bytes(text)
    assert result.verdict == "fail"
    assert [(finding.rule, finding.pointer) for finding in result.findings] == [("unknown-profile", pointer)]


def test_levels_are_the_effective_ones(text: bytes) -> None:
    record = changed(json.loads(text), "/entry/title", "Another title")
    assert verify(record).verdict == "pass"
    assert rules(verify(record), "warning") == {"text-mismatch"}
    assert "text-mismatch" in rules(verify(record, Options(strict=True)))
    assert rules(verify(record, Options(require_content=True))) == {"content-unavailable"}


def mutations(value: Json) -> Iterator[Json]:
    """Other values for a leaf, most of them of the form that it has."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
        yield value - 1
        yield 0.5
    elif isinstance(value, str):
        yield value + "x"
        yield "x" + value[1:]
        yield one_character(value)
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            yield from (str(date.fromisoformat(value) + timedelta(days)) for days in (-1, 1))
    else:
        yield ["x"] if value == [] else "x"


#: A value for each leaf that nothing protects to which it can be changed unseen, where that is not plain from its form.
UNSEEN = {"/entry/result": ("ALGORITHM", "EMPIRICAL")}


def test_coverage_tells_the_truth_leaf_by_leaf(text: bytes) -> None:
    check_leaf_by_leaf(text)


def check_leaf_by_leaf(text: bytes) -> None:
    """Each leaf in a protected class gives a finding when it is changed; each other one can be changed without any."""
    record = json.loads(text)
    base = verify_bytes(text)
    assert base.coverage is not None
    known = {(finding.rule, finding.pointer) for finding in base.findings}
    unprotected = set(base.coverage.unprotected_pointers)
    assert sum(base.coverage[:5]) == sum(1 for _ in leaves(record))
    for pointer, value in leaves(record):
        if pointer in unprotected:
            ways = [*mutations(value), *UNSEEN.get(pointer, ())]
            assert any(to != value and not found(changed(record, pointer, to)) - known for to in ways), f"{pointer} is protected"
        else:
            for to in list(mutations(value))[: 1 if pointer.startswith("/version/") else None]:
                new = found(changed(record, pointer, to)) - known
                assert new, f"{pointer} can be changed to {to!r} unseen"
                assert not pointer.startswith("/version/") or ("public-view-hash", "/version/public_view_hash") in new, pointer


def found(value: Json) -> set[tuple[str, str | None]]:
    return {(finding.rule, finding.pointer) for finding in verify(value).findings}


def test_coverage_is_the_same_whichever_way_it_is_worked_out(text: bytes) -> None:
    record = json.loads(text)
    quick = verify_bytes(text).coverage
    slow = verify(changed(record, "/entry/topic", "Another topic")).coverage
    assert quick == slow
    assert verify_bytes(text, options=Options(double_check=True)).coverage == quick


def test_without_a_matching_hash_nothing_counts_as_hashed(text: bytes) -> None:
    coverage = verify(changed(json.loads(text), "/version/record/summary", "Another summary.")).coverage
    assert coverage is not None
    assert coverage.hashed == coverage.corroborated == 0


def test_a_name_with_markup_is_shortened_in_messages(text: bytes) -> None:
    result = verify(changed(json.loads(text), "/entry/title", "\x1b[31m" + "long " * 1000))
    message = next(finding.message for finding in result.findings if finding.rule == "text-mismatch")
    assert len(message) < 400
    assert "\x1b" not in message


def test_verify_paths(tmp_path: Path) -> None:
    from wrs_verify import verify_paths

    (tmp_path / "a.json").write_bytes(shared("records", REAL[0]).read_bytes())
    (tmp_path / "b.json").write_text("{}")
    report = verify_paths(str(tmp_path))
    assert report.verdict == "fail"
    assert (report.counts.records, report.counts.passed, report.counts.failed) == (2, 1, 1)


def test_findings_stay_small(text: bytes) -> None:
    """Hundreds of copies that all differ: each is found, and none repeats all the others."""
    record = json.loads(text)
    record["published_grade"]["roles"] = [{"who": "a", "credit": "SCIENCE", "did": f"b{number}"} for number in range(300)]
    record["version"]["record"]["contributors"].reverse()
    result = verify(record)
    assert sum(finding.rule == "credit-mismatch" for finding in result.findings) == 300
    assert sum(finding.rule == "people-mismatch" for finding in result.findings) > 5
    assert all(len(finding.related) <= 20 for finding in result.findings)
    assert not any(isinstance(related.value, list | dict) for finding in result.findings for related in finding.related)


def test_a_difference_in_a_list_is_named(text: bytes) -> None:
    record = json.loads(text)
    record["entry"]["humans"].append("Mallory Example")
    found = [finding for finding in verify(record).findings if finding.rule == "people-mismatch"]
    assert [finding.pointer for finding in found] == ["/entry/humans"]
    assert "Mallory Example" in found[0].message


def test_texts_that_look_alike_are_called_so(text: bytes) -> None:
    record = json.loads(text)
    for pointer in ("/entry/title", "/published_grade/title"):
        record = changed(record, pointer, "Cafe\u0301")
    record["version"]["record"]["title"] = "Caf\u00e9"
    assert any("look alike" in finding.message for finding in verify(record).findings)


@pytest.mark.parametrize("form", [str.upper, lambda text: text[7:], lambda text: f"{text}\n"])
def test_a_hash_in_another_form(text: bytes, form: Callable[[str], str]) -> None:
    record = json.loads(text)
    wrong = changed(record, "/version/public_view_hash", form(record["version"]["public_view_hash"]))
    message = next(finding.message for finding in verify(wrong).findings if finding.rule == "public-view-hash")
    assert "its digits are right" in message


def test_a_result_is_the_same_whatever_was_checked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of one shape share what was worked out for the first of them, which may have its members in another order."""
    files = sorted((Path(__file__).resolve().parent.parent / "vectors" / "valid").glob("*.json"))
    results: list[dict[str, RecordResult]] = []
    for order in (files, files[::-1]):
        monkeypatch.setattr(record_module, "_known_coverage", {})
        results.append({file.name: verify_bytes(file.read_bytes()) for file in order})
    assert "backwards.json" in results[0]
    assert results[0] == results[1]
