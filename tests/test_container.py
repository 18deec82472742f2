"""The image, as far as it is known without an engine that builds it: its steps run in a folder of what `.dockerignore` lets through."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path, PurePath

import pytest
from checkout import OFFLINE, PROJECT, copied, files, needed

#: Every instruction with what follows it, lines that go on joined.
INSTRUCTIONS: list[tuple[str, str]] = re.findall(
    r"^([A-Z]+) +(.*)$", re.sub(r"\\\n", " ", (PROJECT / "Dockerfile").read_text("utf-8")), re.MULTILINE
)


def all_of(name: str) -> list[str]:
    return [rest for instruction, rest in INSTRUCTIONS if instruction == name]


def context() -> list[str]:
    """The files that `.dockerignore` lets through: of the patterns that match a file, or a folder above it, the last decides."""
    patterns = [line for line in (PROJECT / ".dockerignore").read_text("utf-8").splitlines() if line and not line.startswith("#")]
    kept = []
    for name in files():
        ignored = False
        for pattern in patterns:
            bare = pattern.removeprefix("!")
            above = [name, *map(str, PurePath(name).parents)]
            matches = any(PurePath(one).match(bare.removeprefix("**/")) if "**" in bare else fnmatch(one, bare) for one in above)
            ignored = not pattern.startswith("!") if matches else ignored
        if not ignored:
            kept.append(name)
    return kept


def test_the_image_is_made_of_what_the_package_is_built_from() -> None:
    assert context() == [name for name in files() if needed(name)]


def test_it_does_not_run_as_root_nor_where_a_drop_is_mounted() -> None:
    last = [instruction for instruction, _ in INSTRUCTIONS]
    last = last[len(last) - last[::-1].index("FROM") - 1 :]
    assert last == ["FROM", "COPY", "ENV", "WORKDIR", "USER", "ENTRYPOINT"]
    (user,) = all_of("USER")
    assert re.fullmatch(r"[1-9][0-9]*:[1-9][0-9]*", user), "a number, which is not root's"
    assert all_of("WORKDIR")[-1] != "/drop"
    assert all_of("ENTRYPOINT") == ['["wrs-verify"]']
    assert len(set(all_of("FROM"))) == 2
    assert len({image.split()[0] for image in all_of("FROM")}) == 1, "what is built with one Python runs with another"


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the steps of the image make of a copy of the project."""
    build = copied(tmp_path_factory.mktemp("build"), context())
    made = tmp_path_factory.mktemp("image") / "wrs-verify"
    env = os.environ | OFFLINE | {"EXTRAS": "", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for step in all_of("RUN"):
        step = step.replace("/opt/wrs-verify", shlex.quote(str(made)))
        done = subprocess.run(["sh", "-ec", step], cwd=build, env=env, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, f"{step}\n{done.stdout}{done.stderr}"
    return made


def test_its_steps_make_commands_that_run(image: Path) -> None:
    env = {"PYTHONPATH": OFFLINE["PYTHONPATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    for line, status in (("wrs-verify vectors/valid", 0), ("wrs-verify vectors/overclaim/awarded.json", 1), ("wrs-hash --version", 0)):
        done = subprocess.run(f"{image}/bin/{line}".split(), cwd=PROJECT, env=env, capture_output=True, check=False)
        assert done.returncode == status, done.stderr


#: Makes every file system read-only, as `docker run --read-only` does, and then runs a command there.
READ_ONLY = """
mount --make-rprivate /
findmnt -rn -o TARGET | grep -v '^/proc\\|^/sys\\|^/dev' | while read -r place; do
    mount -o remount,bind,ro "$place" 2>/dev/null || true
done
if touch /tmp/written 2>/dev/null; then echo 'it is not read-only' >&2; exit 99; fi
cd / && exec "$@"
"""


@pytest.fixture
def read_only() -> list[str]:
    """What runs a command with nothing to write to. Skips the test where the system does not let a user make namespaces."""
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", READ_ONLY, "sh"]
    missing = [tool for tool in ("unshare", "findmnt") if shutil.which(tool) is None]
    if missing or subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system does not let a process have a read-only view of its files")
    return command


def test_it_verifies_where_nothing_can_be_written(read_only: list[str]) -> None:
    tool = [str(Path(sys.executable).with_name("wrs-verify")), str(PROJECT / "vectors/valid")]
    done = subprocess.run([*read_only, *tool], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr, "PASS: " in done.stdout) == (0, "", True)
    done = subprocess.run([*read_only, *tool, "--report", "json"], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr, json.loads(done.stdout)["verdict"]) == (0, "", "pass"), "a small report waits in memory"
