"""The vectors: every case gives exactly the findings that it states, and the script makes them again byte for byte."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_engine import check_leaf_by_leaf

from wrs_verify import validation, verify_bytes
from wrs_verify.cli import command
from wrs_verify.model import Json
from wrs_verify.rules import rules

VECTORS = Path(__file__).resolve().parent.parent / "vectors"
FILES = sorted((VECTORS / "cases").glob("*.json"))
CASES = [case for file in FILES for case in json.loads(file.read_bytes())["cases"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_case(case: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(VECTORS)
    done = CliRunner().invoke(command, [*case["inputs"], *case["arguments"], "--jobs", "1", "--report", "json"])
    report = json.loads(done.stdout)
    assert not list(validation.violations("wrs-verify-report-1", report, 10)[0])
    found = [finding for record in report["records"] for finding in record["findings"]] + report["findings"]
    assert described(found, case["findings"]) == described(case["findings"], case["findings"])
    assert done.exit_code == case["exit"]


def described(findings: list[Json], stated: list[Json]) -> Counter[tuple[str, str, str, str | None]]:
    """Findings as a case states them: without a pointer where the case lays none down for that rule and input."""
    open_places = {(finding["rule"], finding["input"]) for finding in stated if "pointer" not in finding}

    def pointer(finding: Json) -> str | None:
        return None if (finding["rule"], finding["input"]) in open_places else finding.get("pointer")

    return Counter((finding["rule"], finding["level"], finding["input"], pointer(finding)) for finding in findings)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_case_files_are_valid(file: Path) -> None:
    assert validation.violations("wrs-verify-vectors-1", json.loads(file.read_bytes()), 10) == ([], 0)


def test_every_input_belongs_to_a_case() -> None:
    used = {path for case in CASES for path in (*case["inputs"], *case["arguments"])}
    for path in VECTORS.glob("*/*"):
        name = path.relative_to(VECTORS).as_posix()
        if path.parent.name not in ("cases", "__pycache__") and not path.parent.name.startswith("."):
            assert any(name == one or name.startswith(f"{one}/") or one.startswith(f"{name}/") for one in used), name


def test_every_rule_has_failing_cases() -> None:
    """A rule is failed in at least two ways. What the engine reports of itself cannot be brought about by a file."""
    broken = Counter(rule for case in CASES for rule in {finding["rule"] for finding in case["findings"]})
    for rule in rules().values():
        if rule.scope != "run":
            assert broken[rule.name] >= 2, rule.name


def test_the_script_makes_them_again(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(VECTORS / "make.py"), str(tmp_path)], check=True)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    folders = {path.parts[0] for path in made}
    kept = {path.relative_to(VECTORS): path.read_bytes() for folder in folders for path in (VECTORS / folder).rglob("*") if path.is_file()}
    assert made == kept


@pytest.mark.parametrize("path", sorted((VECTORS / "valid").glob("*.json")), ids=lambda path: path.stem)
def test_coverage_of_valid_vectors_leaf_by_leaf(path: Path) -> None:
    assert verify_bytes(path.read_bytes()).verdict == "pass"
    check_leaf_by_leaf(path.read_bytes())
