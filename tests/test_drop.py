"""The rules of the drop: through the public interface on files, and on facts alone, in memory and in a file."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from commands import wrs_verify
from hypothesis import given
from hypothesis import strategies as st
from report_samples import VALUES
from test_engine import changed

from wrs_verify import Options, Report, engine, execution, verify_paths
from wrs_verify.canonical import digest
from wrs_verify.execution import gathering
from wrs_verify.execution.gathering import Gathering
from wrs_verify.groups import MAX_KEPT
from wrs_verify.inputs import Selection
from wrs_verify.model import Facts, Finding, Json, RecordResult, Reference
from wrs_verify.rules import rules
from wrs_verify.rules.drop import ABSENCE, GROUPINGS

PROFILE = "wrs-published-research-view-1"
PLAIN = json.loads((Path(__file__).parent.parent / "vectors" / "valid" / "plain.json").read_bytes())
USUAL_AND_STRICT = (Options(), Options(strict=True))


def record(number: int, version: int = 1, content: str = "a", **members: Json) -> Json:
    """A record of its own, in which every copy agrees. `members` are members of `/version` that differ from the usual."""
    written = json.dumps(PLAIN).replace(PLAIN["entry"]["id"], f"entry-{number}")
    written = written.replace(PLAIN["target"]["record_id"], f"urn:uuid:00000000-0000-4000-8000-{number:012d}")
    written = written.replace(PLAIN["target"]["content_hash"], f"sha256:{content * 64}")
    value = json.loads(written.replace('"version": 1,', f'"version": {version},'))
    value["version"]["version"] = version
    value["version"] |= members
    return stamped(value)


def stamped(value: Json) -> Json:
    hashed = {name: member for name, member in value["version"].items() if name != "public_view_hash"}
    return changed(value, "/version/public_view_hash", digest(rfc8785.dumps(hashed)))


def verify(folder: Path, *values: Json, processes: int = 1) -> Report:
    for number, value in enumerate(values):
        (folder / f"{number:03}.json").write_text(json.dumps(value))
    return verify_paths(str(folder), processes=processes)


def short(findings: Iterable[Finding]) -> list[tuple[str, str, int | None]]:
    return [(finding.rule, Path(finding.input).name, finding.line) for finding in findings]


def test_every_rule_of_the_drop_says_what_it_is_given() -> None:
    assert {rule.name for rule in rules().values() if rule.scope == "drop"} == set(GROUPINGS)
    assert set(GROUPINGS) > ABSENCE


def test_records_that_go_together_give_nothing(tmp_path: Path) -> None:
    first = record(1)
    report = verify(tmp_path, first, record(1, 2, "b", previous=first["target"]), record(2))
    assert report.verdict == "pass"
    assert report.findings == ()


def test_two_contents_of_one_version_fail_the_drop_and_no_record(tmp_path: Path) -> None:
    report = verify(tmp_path, record(1), record(2), record(1, content="b"))
    assert report.verdict == "fail"
    assert (report.counts.passed, report.counts.failed, report.counts.errors) == (3, 0, 1)
    (finding,) = report.findings
    assert short([finding]) == [("equivocation", "000.json", None)]
    assert [Path(other.input).name for other in finding.related] == ["002.json"]
    assert (finding.actual, finding.related[0].value) == (record(1)["target"]["content_hash"], f"sha256:{'b' * 64}")
    for said in ("000.json", "002.json", f"sha256:{'b' * 64}", "2 content hashes"):
        assert said in finding.message


def test_lines_of_a_file_are_told_apart(tmp_path: Path) -> None:
    values = [record(1), record(2), record(1), record(1)]
    (tmp_path / "drop.jsonl").write_text("".join(json.dumps(value) + "\n" for value in values))
    (finding,) = verify_paths(str(tmp_path)).findings
    assert short([finding]) == [("duplicate-record", "drop.jsonl", 1)]
    assert [other.line for other in finding.related] == [3, 4]
    assert "line 3" in finding.message


def test_a_document_that_is_there_twice_is_told_in_one_line(tmp_path: Path) -> None:
    """The message names the places; that each of them has the hash of the document tells nobody anything."""
    for name in "abcde":
        (tmp_path / f"{name}.json").write_text(json.dumps(record(1)))
    lines = wrs_verify(".", cwd=tmp_path).stdout.decode().splitlines()
    places = '"a.json", "b.json", "c.json" and 2 more'
    assert lines[0] == f"a.json: warning[duplicate-record] the same document is here 5 times: in {places}"
    assert lines[1] == ""
    assert [len(one.related) for one in verify_paths(str(tmp_path)).findings] == [4]


def test_levels_are_the_effective_ones(tmp_path: Path) -> None:
    verify(tmp_path, record(1), record(1))
    levels = [[finding.level for finding in verify_paths(str(tmp_path), options=options).findings] for options in USUAL_AND_STRICT]
    assert levels == [["warning"], ["error"]]
    assert [verify_paths(str(tmp_path), options=options).verdict for options in USUAL_AND_STRICT] == ["pass", "fail"]


def test_a_forged_record_neither_hides_nor_stands_in(tmp_path: Path) -> None:
    """It counts in every conflict. It does not count as the version that another refers to, nor as an entry that is named."""
    first = record(1)
    forged = changed(first, "/version/published_at", "2020-01-01T00:00:00Z")
    later = changed(record(1, 2, "b", previous=first["target"]), "/entry/related", ["entry-1", "entry-3"])
    forged_entry = changed(record(3), "/version/published_at", "2020-01-01T00:00:00Z")
    report = verify(tmp_path, forged, later, forged_entry, record(1, content="c"))
    found = {finding.rule: finding for finding in report.findings}
    assert set(found) == {"equivocation", "broken-chain", "dangling-reference"}
    assert "the public view hash does not match" in found["equivocation"].message
    assert found["broken-chain"].actual == first["target"]["content_hash"]
    assert found["dangling-reference"].actual == "entry-3"
    assert "1 record would be it" in found["dangling-reference"].message


def test_the_same_however_many_processes(tmp_path: Path) -> None:
    values = [record(number % 40, 1 + number % 2) for number in range(80)]
    values[7] = record(7, 2, "d")
    values[70] = changed(values[70], "/edition", "ratings-fedcba9876543210")
    one, two = verify(tmp_path, *values), verify_paths(str(tmp_path), processes=2)
    assert one == two
    assert {"duplicate-record", "equivocation", "mixed-editions"} <= {finding.rule for finding in one.findings}


def test_the_command_fails_and_its_report_holds_the_findings(tmp_path: Path) -> None:
    verify(tmp_path, record(1), record(1, content="b"))
    done = wrs_verify(tmp_path, "--report", "json")
    assert done.returncode == 1
    assert [finding["rule"] for finding in json.loads(done.stdout)["findings"]] == ["equivocation"]
    assert b"error[equivocation]" in wrs_verify(tmp_path).stdout


def test_an_interrupted_run_judges_what_it_has_and_claims_no_absence(tmp_path: Path) -> None:
    alone = changed(record(1, 2, previous=record(1)["target"]), "/entry/related", ["entry-9"])
    assert {"open-chain", "dangling-reference", "duplicate-record"} == {one.rule for one in verify(tmp_path, alone, alone, alone).findings}
    seen = []

    def stop(result: RecordResult) -> None:
        seen.append(result)
        if len(seen) == 3:
            raise execution.Interrupted

    ending = execution.run(execution.Job(Selection((str(tmp_path),))), stop)
    assert ending.verdict == "incomplete"
    assert [(one.rule, len(one.related)) for one in ending.findings] == [("duplicate-record", 1)]


def test_facts_that_could_not_be_kept_make_the_run_incomplete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "_INSERT_FACTS", "INSERT INTO facts VALUES (?)")
    monkeypatch.setattr(execution, "Gathering", partial(Gathering, 1))
    report = verify(tmp_path, record(1), record(2))
    assert report.verdict == "incomplete"
    assert report.counts.records == 2
    assert {finding.rule for finding in report.findings} == {"internal-error"}
    assert len(report.findings) == len(GROUPINGS)


@given(
    st.sampled_from(["/version/source_ref", "/target", "/version/previous", "/entry", "/published_grade", "/edition", "/version"]), VALUES
)
def test_no_value_where_facts_stand_crashes_a_check(pointer: str, value: Json) -> None:
    check_facts(changed(PLAIN, pointer, value))


@given(st.sampled_from(["/entry/id", "/entry/related", "/entry/subresults", "/published_grade/edition", "/published_grade/band"]), VALUES)
def test_no_value_of_a_member_crashes_a_check(pointer: str, value: Json) -> None:
    check_facts(changed(PLAIN, pointer, value))


def check_facts(value: Json) -> None:
    checked = engine.check_record(json.dumps(value).encode(), "a.json", None, Options())
    assert checked.complete
    facts = checked.facts
    if facts is None:  # the text is not what every reader reads alike
        assert checked.result.hashes.document is None
        return
    for text in (facts.record_id, facts.entry_id, facts.edition, facts.grade_edition):
        assert text is None or (isinstance(text, str) and len(text) <= 256)
    for each in (facts.document, facts.content_hash, facts.view, facts.grade):
        assert each is None or len(each) == 32


def facts(number: int, **members: Any) -> Facts:
    return Facts(f"{number:05}.json", None, PROFILE, True, bytes([1]) * 32)._replace(**members)


def judged(store: Gathering, given: Iterable[Facts], *, complete: bool = True) -> list[Finding]:
    for one in given:
        store.add(one)
    found = sorted(engine.check_drop(store.groups, Options(), complete=complete), key=engine.order)
    store.close()
    return found


@pytest.mark.parametrize("in_memory", [10_000, 500])
def test_a_finding_is_small_however_many_records_it_is_about(in_memory: int) -> None:
    given = [facts(number, entry_id="x", record_id=str(number), version=1, content_hash=b"h" * 32) for number in range(2000)]
    found = {finding.rule: finding for finding in judged(Gathering(in_memory), given)}
    assert set(found) == {"duplicate-record", "entry-conflict"}
    assert "2000 times" in found["duplicate-record"].message
    assert "2000 records" in found["entry-conflict"].message
    for finding in found.values():
        assert finding.input == "00000.json"
        assert [other.input for other in finding.related] == [f"{number:05}.json" for number in range(1, MAX_KEPT)]
        assert len(finding.message) < 1000


def test_what_is_looked_at_last_can_be_what_differs() -> None:
    """The place of another value is named, however many records say the same."""
    given = [facts(number, record_id="r", version=1, content_hash=b"a" * 32) for number in range(100)]
    given.append(facts(100, record_id="r", version=1, content_hash=b"b" * 32))
    conflict = next(finding for finding in judged(Gathering(), given) if finding.rule == "equivocation")
    assert conflict.related[-1].input == "00100.json"
    assert '"00100.json"' in conflict.message


def any_facts(target: Any, trusted: bool, document: bytes, view: Any, entry: Any, edition: Any, grade: Any, references: Any) -> Facts:
    of_target = dict(zip(("record_id", "version", "content_hash"), target, strict=True))
    of_grade = dict(zip(("grade_edition", "grade", "grade_said"), grade, strict=True))
    one = facts(0, trusted=trusted, document=document, view=view, entry_id=entry, edition=edition, references=references)
    return one._replace(**of_target, **of_grade)


def placed(one: Facts, place: tuple[str, int | None]) -> Facts:
    return one._replace(input=place[0], line=place[1])


def test_a_batch_that_an_interrupt_left_half_written_is_there_once() -> None:
    store = Gathering(2)
    given = [facts(number, document=bytes([number]) * 32, references=(Reference("/entry/related/0", entry_id="x"),)) for number in range(2)]
    for one in given:
        store.add(one)
    store._held = list(enumerate(given))  # as it is when the interrupt came before the batch was let go
    assert [(one.rule, len(one.related)) for one in judged(store, [])] == [("dangling-reference", 1)]


_HASHES = st.one_of(st.none(), st.sampled_from([b"a" * 32, b"b" * 32]))
_IDS = st.one_of(st.none(), st.sampled_from(["x", "é", "\U0001f600"]))
_TARGETS = st.one_of(
    st.just((None, None, None)), st.tuples(st.sampled_from("rs"), st.integers(1, 3), st.sampled_from([b"a" * 32, b"b" * 32]))
)
_CHAINS = st.builds(lambda target: Reference("/version/previous", *target), _TARGETS)
_NAMES = st.builds(lambda number, name: Reference(f"/entry/related/{number}", entry_id=name), st.integers(0, 3), _IDS)
_FACTS = st.builds(
    any_facts,
    _TARGETS,
    st.booleans(),
    st.sampled_from([b"a" * 32, b"b" * 32, b"c" * 32]),
    _HASHES,
    _IDS,
    _IDS,
    st.one_of(st.just((None, None, None)), st.tuples(st.sampled_from("ef"), st.sampled_from([b"a" * 32, b"b" * 32]), st.just("B"))),
    st.lists(st.one_of(_CHAINS, _NAMES), max_size=3, unique_by=lambda reference: reference.pointer).map(tuple),
)
_PLACES = st.lists(st.tuples(st.sampled_from(["a", "b.jsonl", "ü"]), st.one_of(st.none(), st.integers(1, 30))), unique=True, max_size=12)
_DROPS = _PLACES.flatmap(lambda places: st.tuples(*[st.builds(placed, _FACTS, st.just(place)) for place in places]))


@given(_DROPS, st.integers(1, 6), st.randoms(use_true_random=False), st.booleans())
def test_memory_and_file_give_the_same_in_any_order(drop: tuple[Facts, ...], in_memory: int, chance: random.Random, complete: bool) -> None:
    expected = judged(Gathering(), drop, complete=complete)
    mixed = chance.sample(drop, len(drop))
    assert judged(Gathering(), mixed, complete=complete) == expected
    assert judged(Gathering(in_memory), mixed, complete=complete) == expected
    assert {(one.rule, one.input, one.line) for one in expected} == {one for one in plainly(drop) if complete or one[0] not in ABSENCE}


def plainly(drop: Sequence[Facts]) -> set[tuple[str, str, int | None]]:
    """The rules as they read, one record against every other: rule and first place of each finding."""

    def same(first: Facts, second: Facts, *names: str) -> bool:
        return all(getattr(first, name) is not None and getattr(first, name) == getattr(second, name) for name in names)

    def differ(first: Facts, second: Facts, name: str) -> bool:
        one, other = getattr(first, name), getattr(second, name)
        return one is not None and other is not None and one != other

    found = set()
    ordered = sorted(drop, key=lambda one: (one.input, one.line or 0))
    conflicts = {
        "duplicate-record": (("document",), "input"),
        "equivocation": (("record_id", "version"), "content_hash"),
        "view-conflict": (("record_id", "version", "content_hash"), "view"),
        "grade-conflict": (("record_id", "version", "content_hash", "grade_edition"), "grade"),
        "entry-conflict": (("entry_id",), "record_id"),
    }
    for rule, (key, value) in conflicts.items():
        for number, one in enumerate(ordered):
            if rule == "duplicate-record":
                involved = any(same(one, other, *key) for other in ordered if other is not one)
                first = not any(same(one, other, *key) for other in ordered[:number])
            else:
                involved = any(same(one, other, *key) and differ(one, other, value) for other in ordered)
                first = not any(same(one, other, *key) and getattr(other, value) is not None for other in ordered[:number])
            if involved and first:
                found.add((rule, one.input, one.line))
    editions = [one for one in ordered if one.edition is not None]
    if len({one.edition for one in editions}) > 1:
        found.add(("mixed-editions", editions[0].input, editions[0].line))
    said: set[tuple[Any, ...]] = set()
    for one in ordered:
        for reference in sorted(one.references, key=lambda reference: reference.pointer):
            place = (one.input, one.line)
            if reference.entry_id is not None:
                if not any(other.trusted and other.entry_id == reference.entry_id for other in drop):
                    found |= {("dangling-reference", *place)} if (reference.entry_id,) not in said else set()
                    said.add((reference.entry_id,))
            elif reference.record_id is not None:
                there = [other for other in drop if other.trusted and same(other, reference_of(reference), "record_id", "version")]
                if not any(other.content_hash == reference.content_hash for other in there):
                    key_ = (reference.record_id, reference.version)
                    found |= {("broken-chain" if there else "open-chain", *place)} if key_ not in said else set()
                    said.add(key_)
    return found


def reference_of(reference: Reference) -> Facts:
    return facts(0, record_id=reference.record_id, version=reference.version, content_hash=reference.content_hash)


OUTGROW = """
import os
from pathlib import Path
from test_drop import facts, judged
from wrs_verify.execution.gathering import Gathering

store, folder = Gathering(1000), Path(os.environ["TMPDIR"])
many = [facts(number, document=number.to_bytes(32, "big"), entry_id=f"entry-{number:0200}") for number in range(30_000)]
for one in many[:-1]:
    store.add(one)
opened = Path("/proc/self/fd")
if opened.is_dir():  # on Linux: the facts have outgrown the memory
    assert any(os.readlink(link).startswith(str(folder)) for link in opened.iterdir() if link.is_symlink())
assert not list(folder.iterdir())
assert not judged(store, many[-1:])
assert not list(folder.iterdir())
"""


def test_no_file_is_left_even_while_it_is_used(tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(__file__).parent)}
    subprocess.run([sys.executable, "-W", "error", "-c", OUTGROW], env=environment, check=True, timeout=60)
