"""The job for GitLab: it parses, and its script runs as a runner of GitLab would run it, its lines one after another in a shell."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from checkout import OFFLINE, PROJECT, copied, files, needed

VECTORS = PROJECT / "vectors"
JOB: dict[str, Any] = yaml.safe_load((PROJECT / "ci/gitlab.yml").read_text("utf-8"))["wrs-verify"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in a job, in which modules are named like Python's own. Installed once: the lines are the same in every run."""
    made = tmp_path_factory.mktemp("job")
    (made / "venv.py").write_text("raise SystemExit('a module of the checkout was run')\n")
    package = copied(tmp_path_factory.mktemp("package"), [name for name in files() if needed(name)])
    done = run(made, JOB["script"][:3], WRS_VERIFY_PACKAGE=str(package))
    assert done.returncode == 0, done.stdout + done.stderr
    return made


def run(folder: Path, lines: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | OFFLINE | JOB["variables"] | variables
    return subprocess.run(["sh", "-ec", "\n".join(lines)], cwd=folder, env=env, capture_output=True, encoding="utf-8", check=False)


def verify(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return run(folder, JOB["script"][3:], **variables)


def test_without_a_package_it_says_so(tmp_path: Path) -> None:
    done = run(tmp_path, JOB["script"])
    assert (done.returncode, "WRS_VERIFY_PACKAGE is not set" in done.stderr) == (2, True)


def test_the_reports_are_where_the_job_says(folder: Path) -> None:
    done = verify(folder, WRS_VERIFY_PATHS=f"{VECTORS}/valid\n{VECTORS}/public-view-hash/title.json")
    assert (done.returncode, "error[public-view-hash]" in done.stdout) == (1, True)
    (kept,) = JOB["artifacts"]["paths"]
    assert json.loads((folder / kept).read_bytes())["verdict"] == "fail"
    junit = ElementTree.fromstring((folder / JOB["artifacts"]["reports"]["junit"]).read_bytes())
    assert int(junit.attrib["failures"]) > 0
    assert JOB["artifacts"]["when"] == "always"


def test_paths_and_options_are_a_line_each_and_nothing_of_them_is_run(folder: Path) -> None:
    name = "a b; touch owned $(touch owned) * x.json"
    (folder / name).write_bytes((VECTORS / "valid/plain.json").read_bytes())
    done = verify(folder, WRS_VERIFY_PATHS=name, WRS_VERIFY_OPTIONS="--max-size=1000000\n--exclude\n$(touch owned)")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (folder / "owned").exists()
    assert verify(folder, WRS_VERIFY_PATHS="--list-rules").returncode == 2, "a path is no option"
    assert verify(folder, WRS_VERIFY_PATHS=f"{VECTORS}/text-mismatch/entry-title.json", WRS_VERIFY_OPTIONS="--strict").returncode == 1


def test_a_history_is_kept_where_the_cache_is(folder: Path) -> None:
    done = verify(folder, WRS_VERIFY_PATHS=f"{VECTORS}/valid", WRS_VERIFY_HISTORY="true")
    assert (done.returncode, "history: 1 run, root" in done.stdout) == (0, True)
    (cached,) = JOB["cache"]["paths"]
    assert (folder / cached / "history.db").exists()
