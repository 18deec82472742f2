"""The hooks for pre-commit, with pre-commit itself: it installs the project as it does for users, which needs a package index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from checkout import PROJECT, copied, files

VALID = PROJECT / "vectors/valid/plain.json"
FORGED = PROJECT / "vectors/public-view-hash/title.json"
HOOKS: list[dict[str, Any]] = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text("utf-8"))
PRE_COMMIT = str(Path(sys.executable).with_name("pre-commit"))


class Place:
    """A folder with pre-commit's own home in it, a published copy of the project, and a repository of records."""

    def __init__(self, folder: Path) -> None:
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self.env |= {"PRE_COMMIT_HOME": str(folder / "home"), "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
        self.env |= {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        self.env["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.env["PIP_CACHE_DIR"] = os.environ.get("PIP_CACHE_DIR") or str(Path("~/.cache/pip").expanduser())
        self.tool = copied(folder / "tool", files())
        self.records = folder / "repository"
        self.records.mkdir()
        for repository in (self.tool, self.records):
            self.run("git", "init", "--quiet", cwd=repository)
        self.run("git", "add", "--all", cwd=self.tool)
        self.run("git", "commit", "--quiet", "--message", "All", cwd=self.tool)
        self.revision = self.run("git", "rev-parse", "HEAD", cwd=self.tool).stdout.strip()

    def run(self, *command: str, cwd: Path | None = None, status: int | None = 0) -> subprocess.CompletedProcess[str]:
        cwd = cwd or self.records
        done = subprocess.run(command, cwd=cwd, env=self.env, capture_output=True, encoding="utf-8", check=False)
        assert status is None or done.returncode == status, f"{command}\n{done.stdout}{done.stderr}"
        return done

    def put(self, source: Path, name: str) -> None:
        (self.records / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, self.records / name)
        self.run("git", "add", name)

    def commit(self) -> subprocess.CompletedProcess[str]:
        return self.run("git", "commit", "--message", "A change", status=None)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("pre-commit"))


def test_the_hooks_are_as_pre_commit_wants_them() -> None:
    done = subprocess.run([PRE_COMMIT, "validate-manifest", PROJECT / ".pre-commit-hooks.yaml"], capture_output=True, check=False)
    assert (done.returncode, [hook["id"] for hook in HOOKS]) == (0, ["wrs-verify", "wrs-verify-drop"])


def test_tried_it_tells_a_forged_record_from_a_good_one(place: Place) -> None:
    """Each `try-repo` installs the project anew, so this is one; what passes is in the next test."""
    place.put(VALID, "records/good.json")
    place.put(FORGED, "records/forged.json")
    tried = place.run(PRE_COMMIT, "try-repo", str(place.tool), "wrs-verify", "--all-files", status=1)
    assert "records/forged.json:147:25: error[public-view-hash]" in tried.stdout
    assert "FAIL: 1 of 2 records failed" in tried.stdout
    place.run("git", "rm", "--quiet", "--force", "records/forged.json")


def test_a_commit_is_let_through_or_blocked(place: Place) -> None:
    hooks = [{"id": "wrs-verify"}, {"id": "wrs-verify-drop"}]
    configuration = {"repos": [{"repo": str(place.tool), "rev": place.revision, "hooks": hooks}]}
    (place.records / ".pre-commit-config.yaml").write_text(yaml.safe_dump(configuration))
    place.run("git", "add", ".pre-commit-config.yaml")
    place.run(PRE_COMMIT, "install")
    # JSON of other tools is none of the hook's business.
    (place.records / "package.json").write_text("{}")
    place.run("git", "add", "package.json")
    place.put(VALID, "records/good.json")
    done = place.commit()
    assert (done.returncode, done.stderr.count("Passed")) == (0, 2), done.stdout + done.stderr
    before = place.run("git", "rev-parse", "HEAD").stdout
    place.put(FORGED, "records/later.json")
    done = place.commit()
    assert (done.returncode, "records/later.json:147:25: error[public-view-hash]" in done.stderr) == (1, True), done.stderr
    assert place.run("git", "rev-parse", "HEAD").stdout == before
    # Each of two records is right by itself, and they say that they are the same: only the drop as a whole shows it.
    place.run("git", "rm", "--quiet", "--force", "records/later.json")
    one, two = sorted((PROJECT / "vectors/entry-conflict/two-records").glob("*.json"))
    place.put(one, "records/one.json")
    assert place.commit().returncode == 0
    place.put(two, "records/two.json")
    done = place.commit()
    assert (done.returncode, done.stderr.count("Passed"), "error[entry-conflict]" in done.stderr) == (1, 1, True), done.stderr
