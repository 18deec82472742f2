"""The vectors: every case gives exactly the findings that it states, and the script makes them again byte for byte."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import rfc8785
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
    assert validation.is_valid("wrs-verify-report-1", report)
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


#: Of these inputs no hash can be computed: they are no JSON, or of no known profile.
WITHOUT_HASH = {
    "invalid-json",
    "duplicate-name",
    "not-i-json",
    "too-deep",
    "oversized-input",
    "unreadable-input",
    "unsafe-path",
    "unknown-profile",
}


def test_stated_hash_mismatches_are_those_that_rfc8785_alone_finds() -> None:
    """The cases are right about the public view hash whatever the verifier says: this asks only `json`, `rfc8785` and SHA-256."""
    stated = {(finding["rule"], finding["input"]) for case in CASES for finding in case["findings"]}
    records = {path for case in CASES for path in case["inputs"] if path.endswith(".json")}
    checked = 0
    for path in sorted(records - {path for rule, path in stated if rule in WITHOUT_HASH}):
        view = json.loads((VECTORS / path).read_bytes())["version"]
        if "public_view_hash" in view:
            recorded = view.pop("public_view_hash")
            computed = "sha256:" + hashlib.sha256(rfc8785.dumps(view)).hexdigest()
            assert (recorded != computed) == (("public-view-hash", path) in stated), path
            checked += 1
    assert checked > 150


def test_every_input_belongs_to_a_case() -> None:
    used = {path for case in CASES for path in (*case["inputs"], *case["arguments"])}
    for path in VECTORS.glob("*/*"):
        name = path.relative_to(VECTORS).as_posix()
        if path.parent.name not in ("cases", "__pycache__") and not path.parent.name.startswith("."):
            assert any(name == one or name.startswith(f"{one}/") or one.startswith(f"{name}/") for one in used), name


def test_every_rule_has_failing_cases() -> None:
    """A rule is failed in at least two ways. What the engine reports of itself, and what differs from earlier runs, cannot be brought
    about by a file.
    """
    broken = Counter(rule for case in CASES for rule in {finding["rule"] for finding in case["findings"]})
    for rule in rules().values():
        if rule.scope not in ("run", "history"):
            assert broken[rule.name] >= 2, rule.name


def test_the_script_makes_them_again(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(VECTORS / "make.py"), str(tmp_path)], check=True)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    folders = {path.parts[0] for path in made}
    kept = {path.relative_to(VECTORS): path.read_bytes() for folder in folders for path in (VECTORS / folder).rglob("*") if path.is_file()}
    assert made == kept


#: Records that repeat themselves in different ways. The other valid ones differ from these in content or layout only.
SHAPES = ("valid/not-assessed", "valid/several-sources", "valid/versions-2", "valid/whole-record", "people-beyond-byline/between")


@pytest.mark.parametrize("name", SHAPES)
def test_coverage_leaf_by_leaf(name: str) -> None:
    data = (VECTORS / f"{name}.json").read_bytes()
    assert verify_bytes(data).verdict == "pass"
    check_leaf_by_leaf(data)
