"""The action for GitHub: its steps run in bash as a runner would run them, in environments of a runner's variables."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from checkout import OFFLINE, PROJECT, copied, files, needed

VECTORS = PROJECT / "vectors"
ACTION: dict[str, Any] = yaml.safe_load((PROJECT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SHELL = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]


def test_no_input_is_text_of_a_script() -> None:
    """It would be run: https://docs.github.com/en/actions/security-guides/security-hardening-for-github-actions."""
    scripts = [step["run"] for step in STEPS if "run" in step]
    assert len(scripts) == 2
    assert not any("${{" in script for script in scripts)


def test_other_actions_are_pinned_and_inputs_all_used() -> None:
    uses = [step["uses"] for step in STEPS if "uses" in step]
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", use) for use in uses)
    assert set(re.findall(r"inputs\.([a-z-]+)", (PROJECT / "action.yml").read_text("utf-8"))) == set(ACTION["inputs"])
    assert "always()" in STEPS[-1]["if"]


class Runner:
    """What is left of a runner without the service."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temp = folder / "temp"
        self.work = folder / "work"
        self.temp.mkdir()
        self.work.mkdir()

    def run(self, step: dict[str, Any], source: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Runs the script of a step. What stands between `${{` and `}}` is given as the runner would give it."""
        contexts = {f"inputs.{name}": about.get("default", "") for name, about in ACTION["inputs"].items()}
        contexts |= {f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()}
        contexts |= {"github.action_path": str(source), "steps.python.outputs.python-path": sys.executable}

        def given(text: str) -> str:
            return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: contexts[found[1]], text)

        (self.folder / "script.sh").write_text(step["run"])
        for name in ("output", "summary"):
            (self.folder / name).write_text("")
        variables = {"RUNNER_TEMP": self.temp, "GITHUB_OUTPUT": self.folder / "output", "GITHUB_STEP_SUMMARY": self.folder / "summary"}
        env = os.environ | OFFLINE | {key: str(value) for key, value in variables.items()}
        env |= {key: given(value) for key, value in step["env"].items()}
        where = self.work / given(step.get("working-directory", "."))
        return subprocess.run([*SHELL, self.folder / "script.sh"], cwd=where, env=env, capture_output=True, encoding="utf-8", check=False)

    def outputs(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in (self.folder / "output").read_text().splitlines())


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """A runner that has done the step of installing."""
    folder = tmp_path_factory.mktemp("runner")
    source = copied(folder / "action", [name for name in files() if needed(name)])
    made = Runner(folder)
    # What is checked out may hold modules named like Python's own: they are not run.
    for name in ("venv", "json", "pip"):
        (made.work / f"{name}.py").write_text("raise SystemExit('a module of the checkout was run')\n")
    done = made.run(STEPS[1], source)
    assert done.returncode == 0, done.stdout + done.stderr
    return made


def verify(runner: Runner, **inputs: str) -> subprocess.CompletedProcess[str]:
    assert STEPS[2]["id"] == "verify"
    return runner.run(STEPS[2], PROJECT, **inputs)


def test_a_drop_that_passes(runner: Runner) -> None:
    done = verify(runner, paths=f"{VECTORS}/valid\n")
    assert (done.returncode, runner.outputs()["verdict"], runner.outputs()["exit-status"]) == (0, "pass", "0")
    assert json.loads(Path(runner.outputs()["report"]).read_bytes())["counts"]["failed"] == 0
    assert json.loads(Path(runner.outputs()["sarif"]).read_bytes())["version"] == "2.1.0"
    assert "PASS" in (runner.folder / "summary").read_text()


def test_a_drop_that_fails(runner: Runner) -> None:
    done = verify(runner, paths=f"{VECTORS}/valid\n{VECTORS}/public-view-hash/title.json")
    assert (done.returncode, runner.outputs()["verdict"], runner.outputs()["exit-status"]) == (1, "fail", "1")
    assert "::error file=" in done.stdout
    assert "title=public-view-hash" in done.stdout
    assert "public\\-view\\-hash" in (runner.folder / "summary").read_text()


def test_options_are_words_and_nothing_of_them_is_run(runner: Runner) -> None:
    name = "a b; touch owned $(touch owned) `touch owned` 'x.json"
    shutil.copy(VECTORS / "valid/plain.json", runner.work / name)
    done = verify(runner, paths=name, options="--max-size=1000000\n--exclude\n$(touch owned)\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (runner.work / "owned").exists()
    done = verify(runner, paths="--list-rules")
    assert (done.returncode, runner.outputs()["verdict"]) == (2, ""), "a path is no option"


def test_strict_configuration_and_history(runner: Runner) -> None:
    warned = f"{VECTORS}/text-mismatch/entry-title.json"
    assert verify(runner, paths=warned).returncode == 0
    assert verify(runner, paths=warned, strict="true").returncode == 1
    assert verify(runner, paths=warned, strict="yes").returncode == 2
    (runner.work / "gate.toml").write_text("strict = true\n")
    assert verify(runner, paths=warned, config="gate.toml").returncode == 1
    assert verify(runner, paths=warned, history="history.db").returncode == 0
    assert (runner.work / "history.db").exists()


def test_nothing_is_said_of_an_earlier_run(runner: Runner) -> None:
    assert verify(runner, paths=f"{VECTORS}/valid").returncode == 0
    for paths, status in (("", 2), ("missing", 2)):
        done = verify(runner, paths=paths)
        assert (done.returncode, runner.outputs()["verdict"], runner.outputs()["exit-status"]) == (status, "", str(status))
        assert not Path(runner.outputs()["report"]).exists()
    (runner.work / "empty").mkdir(exist_ok=True)
    assert verify(runner, paths="empty").returncode == 3
