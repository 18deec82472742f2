"""A history and the rules that read it, in the process of the tests: what each of them finds, and how reports say how it stands."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from history_samples import drop

from wrs_verify import Options, verify_paths
from wrs_verify.cli import command
from wrs_verify.execution import Remember

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "vectors"))

import builder

ONE, OTHER = builder.record("one"), builder.record("other")
SECOND = builder.record("one", version=2, previous=builder.target(ONE), summary="A second placeholder summary.")
TARGETS = [f"{place}target/content_hash" for place in ("/", "/entry/", "/entry/published_grade/", "/entry/assessment_disposition/")]
REWRITTEN = builder.change(
    ONE, dict.fromkeys([*TARGETS, "/published_grade/target/content_hash", "/version/source_ref/content_hash"], builder.digest("another"))
)
VIEWED = builder.change(ONE, {"/version/published_at": "2025-03-06T00:00:00Z"})
GRADED = builder.change(ONE, dict.fromkeys(("/published_grade/band", "/entry/published_grade/band"), "A"))
REVALUED = builder.change(ONE, {"/published_grade/method": "PUBLISHED"})


@pytest.mark.parametrize(
    ("before", "after", "rule", "level", "words"),
    [
        ([ONE, OTHER], [REWRITTEN, OTHER], "history-rewritten", "error", " has the content hash "),
        ([SECOND, ONE, OTHER], [ONE, OTHER], "version-rollback", "error", "version 1 of the record "),
        ([ONE, OTHER], [VIEWED, OTHER], "view-reissued", "warning", " has the public view hash "),
        ([ONE, OTHER], [OTHER], "record-withdrawn", "warning", ', the entry "one", is not here'),
        ([ONE, OTHER], [GRADED, OTHER], "grade-changed", "note", 'now "A, 65000 points", before "B, 65000 points"'),
        ([ONE, OTHER], [REVALUED, OTHER], "grade-changed", "note", "which differ in other members"),
    ],
)
def test_what_each_rule_finds(tmp_path: Path, before: list[Any], after: list[Any], rule: str, level: str, words: str) -> None:
    remember = Remember(str(tmp_path / "history"), complete_drop=True)
    options = Options(now=datetime(2026, 1, 1, tzinfo=UTC))
    first = verify_paths(str(drop(tmp_path / "drop", *before)), options=options, remember=remember)
    assert first.findings == ()
    second = verify_paths(str(drop(tmp_path / "drop", *after)), options=options, remember=remember)
    (found,) = [each for each in second.findings if each.rule == rule]
    assert found.level == level
    assert words in found.message
    assert "run 1 (2026-01-01T00:00:00Z)" in found.message
    assert second.verdict == ("fail" if level == "error" else "pass")


def test_a_pin_tells_its_line(tmp_path: Path) -> None:
    pins = tmp_path / "pins"
    line = f"{ONE['target']['record_id']} 1 {ONE['target']['content_hash']} {ONE['version']['public_view_hash']}\n"
    pins.write_text(line)
    options = Options(now=datetime(2026, 1, 1, tzinfo=UTC))
    report = verify_paths(str(drop(tmp_path / "drop", VIEWED)), options=options, remember=Remember(pins=str(pins)))
    (found,) = report.findings
    assert found.rule == "history-rewritten"
    assert " has the public view hash " in found.message
    assert found.message.endswith(f'as pinned in "{pins}" line 1')


def test_reports_say_how_the_history_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrs-verify.toml").write_text("max-depth = 100\n")
    options = ["drop", "--jobs", "1", "--history", "history", "--complete-drop", "--now", "2026-01-01"]
    options += ["--report", "text", "--report", "json=report.json", "--report", "github=log"]
    page = tmp_path / "page"
    drop(tmp_path / "drop", ONE, OTHER)
    first = CliRunner().invoke(command, options, env={"GITHUB_STEP_SUMMARY": str(page)}, catch_exceptions=False)
    assert first.exit_code == 0
    state = json.loads((tmp_path / "report.json").read_text())["history"]
    assert (state["runs"], state["added"], state["absent"]) == (1, 2, None)
    root = f"{state['size']}:{state['root'].removeprefix('sha256:')}"
    assert f"history: 1 run, root {root}; this run added 2 records" in first.stdout
    assert f"History: {root}." in page.read_text()
    assert "Configuration: " in page.read_text()
    drop(tmp_path / "drop", ONE)
    second = CliRunner().invoke(command, options, env={"GITHUB_STEP_SUMMARY": str(page)}, catch_exceptions=False)
    assert "1 record of the last complete drop is missing" in second.stdout
