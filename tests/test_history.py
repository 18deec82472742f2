"""What a history remembers and what it tells: from outside, on files."""

from __future__ import annotations

import json
import shutil
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from commands import wrs_verify
from history_samples import drop, found, root, said, verified
from shared import shared
from test_drop import record, stamped

from wrs_verify import Options, execution
from wrs_verify.model import Json


def view(number: int, text: str, **members: Any) -> Json:
    """A record whose public view says something else."""
    return record(number, published_at=text, **members)


def regraded(value: Json, points: str) -> Json:
    made = deepcopy(value)
    made["published_grade"]["points"] = made["entry"]["points"] = points
    if "points" in made["entry"]["published_grade"]:
        made["entry"]["published_grade"]["points"] = points
    return made


def successor(before: Json, content: str) -> Json:
    return record(int(before["entry"]["id"].partition("-")[2]), before["target"]["version"] + 1, content, previous=dict(before["target"]))


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


def test_the_same_drop_twice_adds_a_run_and_no_record(tmp_path: Path, history: Path) -> None:
    place = drop(tmp_path / "drop", record(1), record(2))
    one = verified(place, "--history", history)
    two = verified(place, "--history", history, "--expect-root", root(one), now="2026-01-02")
    assert one["history"] | {"root": ""} == {"size": 3, "root": "", "runs": 1, "added": 2, "absent": None}
    assert two["history"] | {"root": ""} == {"size": 4, "root": "", "runs": 2, "added": 0, "absent": None}
    assert said("runs", history).splitlines() == [
        "1  2026-01-01T00:00:00Z  wrs-verify 0.1.0  checked 2, added 2",
        "2  2026-01-02T00:00:00Z  wrs-verify 0.1.0  checked 2, added 0",
    ]
    assert len(said("records", history).splitlines()) == 2
    assert root(two).replace("sha256:", "") in said("check", history)
    said("check", history, "--expect-root", root(two))


def test_real_records_are_remembered(tmp_path: Path, history: Path) -> None:
    place = shutil.copytree(shared("records"), tmp_path / "records")
    verified(place, "--history", history)
    files = sorted(place.glob("*.json"))
    value = json.loads(files[0].read_bytes())
    made = "sha256:" + "7" * 64
    text = files[0].read_text().replace(value["target"]["content_hash"], made)
    files[0].write_text(json.dumps(stamped(json.loads(text))))
    before = history.read_bytes()
    report = verified(place, "--history", history, status=1)
    (finding,) = report["findings"]
    assert (finding["rule"], finding["expected"], finding["actual"]) == ("history-rewritten", value["target"]["content_hash"], made)
    assert finding["input"].endswith(files[0].name)
    assert "first seen in run 1 (2026-01-01T00:00:00Z)" in finding["message"]
    assert all(one["verdict"] == "pass" for one in report["records"])
    assert history.read_bytes() == before


def test_a_failing_run_leaves_no_history_behind(tmp_path: Path, history: Path) -> None:
    place = drop(tmp_path / "drop", record(1) | {"edition": "ratings-ffffffffffffffff"})
    assert verified(place, "--history", history, status=1)["history"]["runs"] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["drop"]


def test_nothing_to_verify_is_not_remembered(tmp_path: Path, history: Path) -> None:
    verified(drop(tmp_path / "drop"), "--history", history, status=3)
    assert not history.exists()


def test_a_version_is_not_rolled_back(tmp_path: Path, history: Path) -> None:
    one = record(1)
    two = successor(one, "b")
    verified(drop(tmp_path / "drop", one, two, record(2)), "--history", history)
    report = verified(drop(tmp_path / "drop", one, record(2)), "--history", history, now="2026-02-01", status=1)
    (finding,) = report["findings"]
    assert (finding["rule"], finding["expected"], finding["actual"]) == ("version-rollback", 2, 1)
    assert "first seen in run 1 (2026-01-01T00:00:00Z)" in finding["message"]
    assert two["target"]["content_hash"] in finding["message"]
    assert found(verified(drop(tmp_path / "drop", two), "--history", history)) == [("open-chain", "note")]


def test_a_view_is_reissued_once(tmp_path: Path, history: Path) -> None:
    old, new = view(1, "2025-03-05T00:00:00Z"), view(1, "2025-03-06T00:00:00Z")
    place = tmp_path / "drop"
    verified(drop(place, old), "--history", history)
    before = history.read_bytes()
    assert found(verified(drop(place, new), "--history", history, "--strict", status=1)) == [("view-reissued", "error")]
    assert history.read_bytes() == before
    report = verified(drop(place, new), "--history", history, now="2026-02-01")
    (finding,) = report["findings"]
    assert (finding["rule"], finding["level"]) == ("view-reissued", "warning")
    assert (finding["expected"], finding["actual"]) == (old["version"]["public_view_hash"], new["version"]["public_view_hash"])
    assert "first seen in run 1 (2026-01-01T00:00:00Z)" in finding["message"]
    assert report["history"]["added"] == 1
    assert found(verified(place, "--history", history)) == []
    (back,) = verified(drop(place, old), "--history", history)["findings"]
    assert "first seen in run 2 (2026-02-01T00:00:00Z)" in back["message"]
    assert len(said("show", history, old["target"]["record_id"]).split("run ")) - 1 == 3


def test_a_grade_that_changed_in_its_edition_is_noted(tmp_path: Path, history: Path) -> None:
    one = record(1)
    verified(drop(tmp_path / "drop", one), "--history", history)
    report = verified(drop(tmp_path / "drop", regraded(one, "1")), "--history", history)
    (finding,) = report["findings"]
    assert (finding["rule"], finding["level"], report["verdict"]) == ("grade-changed", "note", "pass")
    assert f'before "{one["published_grade"]["band"]}, {one["published_grade"]["points"]} points"' in finding["message"]
    assert found(verified(tmp_path / "drop", "--history", history)) == []


def test_a_withdrawn_record_is_missed_in_a_complete_drop(tmp_path: Path, history: Path) -> None:
    place = drop(tmp_path / "drop", record(1), record(2))
    verified(place, "--history", history, "--complete-drop")
    part = verified(drop(place, record(1)), "--history", history)
    assert (found(part), part["history"]["absent"]) == ([], 1)
    text = wrs_verify(place, "--history", history, "--now", "2026-01-01").stdout.decode()
    assert "1 record of the last complete drop is missing" in text
    report = verified(place, "--history", history, "--complete-drop", now="2026-03-01")
    (finding,) = report["findings"]
    assert (finding["rule"], finding["level"], finding["input"]) == ("record-withdrawn", "warning", "")
    assert "entry-2" in finding["message"]
    assert "run 1 (2026-01-01T00:00:00Z)" in finding["message"]
    assert found(verified(place, "--history", history, "--complete-drop")) == []


def test_every_number_of_processes_gives_the_same(tmp_path: Path, history: Path) -> None:
    values = [record(number) for number in range(1, 90)]
    other = tmp_path / "other.db"
    place = drop(tmp_path / "drop", *values)
    reports = [verified(place, "--history", file, "--jobs", jobs) for file, jobs in ((history, "1"), (other, "3"))]
    assert reports[0] == reports[1]
    assert said("export", history) == said("export", other)
    values[7] = stamped(json.loads(json.dumps(values[7]).replace(values[7]["target"]["content_hash"], "sha256:" + "9" * 64)))
    values[9] = view(10, "2025-03-06T00:00:00Z")
    drop(place, *values)
    reports = [verified(place, "--history", file, "--jobs", jobs, status=1) for file, jobs in ((history, "1"), (other, "3"))]
    assert reports[0] == reports[1]
    assert found(reports[0]) == [("history-rewritten", "error"), ("view-reissued", "warning")]


def test_a_verdict_says_what_pins_were_worth(tmp_path: Path) -> None:
    place, pins, reports = (
        drop(tmp_path / "drop", record(1), record(2)),
        tmp_path / "pins.txt",
        [tmp_path / "a.html", tmp_path / "summary.md"],
    )
    one = record(1)["version"]
    pins.write_text(f"{one['record_id']} 1 {one['source_ref']['content_hash']} {one['public_view_hash']}\n")
    told = "compared for 1 of 2 (1 pin in the file)"
    shown = wrs_verify(
        place,
        "--pins",
        pins,
        "--report",
        "text",
        "--report",
        f"html={reports[0]}",
        "--report",
        f"github={tmp_path}/g",
        GITHUB_STEP_SUMMARY=str(reports[1]),
    )
    assert f"  pins: {told}\n" in shown.stdout.decode()
    assert all(told in report.read_text() for report in reports)
    pins.write_text("")
    assert "  pins: compared for 0 of 2 (0 pins in the file)\n" in wrs_verify(place, "--pins", pins).stdout.decode()
    assert "pins" not in wrs_verify(place).stdout.decode()


def test_pins_are_kept_without_a_history(tmp_path: Path, history: Path) -> None:
    place, pins = drop(tmp_path / "drop", record(2), record(1)), tmp_path / "pins.txt"
    verified(place, "--history", history)
    pins.write_text(said("export", history, "--pins"))
    assert pins.read_text().splitlines() == sorted(pins.read_text().splitlines())
    report = verified(place, "--pins", pins)
    assert (report["findings"], report["history"], report["pins"]) == ([], None, {"pins": 2, "compared": 2})
    for changed in (record(1, content="b"), view(1, "2025-03-06T00:00:00Z")):
        report = verified(drop(place, record(2), changed), "--pins", pins, status=1)
        (finding,) = report["findings"]
        assert finding["rule"] == "history-rewritten"
        assert f'as pinned in "{pins}" line 1' in finding["message"]


@pytest.mark.parametrize("text", ["what", "", "twice", "unsorted", "\xff"])
def test_a_pin_file_that_is_not_of_its_form_is_wrong_usage(tmp_path: Path, text: str) -> None:
    place, pins = drop(tmp_path / "drop", record(1)), tmp_path / "pins.txt"
    pin = f"urn:uuid:00000000-0000-4000-8000-00000000000{{}} 1 sha256:{'0' * 64} sha256:{'0' * 64}\n"
    lines = {"twice": pin.format(1) * 2, "unsorted": pin.format(2) + pin.format(1), "": "\n"}
    pins.write_text(lines.get(text, text))
    done = wrs_verify(place, "--pins", pins)
    assert done.returncode == 2
    assert f"pins.txt:{2 if text in ('twice', 'unsorted') else 1}: ".encode() in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["--expect-root", f"1:{'0' * 64}"], ["--complete-drop"], ["--history", "x", "--expect-root", "1"], ["--history", "x", "--pins", "x"]],
)
def test_options_that_do_not_go_together_are_wrong_usage(tmp_path: Path, arguments: list[str]) -> None:
    assert wrs_verify(drop(tmp_path / "drop", record(1)), *arguments, cwd=tmp_path).returncode == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["drop"]


def test_a_history_needs_a_time(tmp_path: Path, history: Path) -> None:
    place = drop(tmp_path / "drop", record(1))
    remember = execution.Remember(str(history))
    with pytest.raises(ValueError, match="reference time"):
        execution.verify_paths(str(place), options=Options(), remember=remember)
