"""What is installed is complete: every module and every schema is in the wheel, whichever way it is built, and the commands start."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import pytest

import wrs_verify

PROJECT = Path(__file__).resolve().parent.parent
SCHEMAS = sorted(file.name for file in (PROJECT / "schemas").glob("*.schema.json"))

PAGES = ("wrs-hash.1", "wrs-history.1", "wrs-verify.1")

#: Where a wheel holds what is installed beside the environment's own folders.
DATA = f"wrs_verify-{wrs_verify.__version__}.data/data/"

#: Reads the schemas from a folder of installed packages, and from nowhere else: `-S` leaves out this environment's own packages.
LOAD = """
import json, sys
sys.path.insert(0, sys.argv[1])
from importlib import resources
files = resources.files("wrs_verify.schemas")
print(json.dumps({name: json.loads((files / name).read_text(encoding="utf-8")) for name in sys.argv[2:]}))
"""


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """What a command prints; the test fails, showing that, where the command does."""
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def files(folder: Path) -> set[str]:
    """The files under a folder that are the project's own: no caches."""
    paths = (file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    return {path.as_posix() for path in paths if not any(part == "__pycache__" or part.startswith(".") for part in path.parts)}


@pytest.fixture(scope="module", params=["from the sources", "from a source distribution"])
def wheel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel, built offline from a copy, so that nothing left over from an earlier build gets into it."""
    copy = tmp_path_factory.mktemp("copy")
    for name in ("LICENSE", "README.md", "pyproject.toml"):
        shutil.copy(PROJECT / name, copy)
    for name in ("docs/man", "schemas", "src"):
        shutil.copytree(PROJECT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    # Without `--wheel`, the wheel is built from the source distribution, as installers do that find no wheel.
    route = ["--wheel"] if request.param == "from the sources" else []
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", copy / "dist", *route, copy)
    (built,) = (copy / "dist").glob("*.whl")
    return built


def test_the_wheel_holds_every_file_and_no_other(wheel: Path) -> None:
    expected = {f"wrs_verify/{name}" for name in files(PROJECT / "src/wrs_verify")}
    expected |= {f"wrs_verify/schemas/{name}" for name in files(PROJECT / "schemas")}
    expected |= {f"share/man/man1/{name}" for name in PAGES}
    with ZipFile(wheel) as archive:
        held = {name.replace(DATA, "") for name in archive.namelist() if ".dist-info/" not in name}
    assert held == expected
    assert "wrs_verify/py.typed" in held


def test_every_schema_loads_from_the_installed_wheel(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", tmp_path, wheel)
    loaded = json.loads(run(sys.executable, "-I", "-S", "-c", LOAD, tmp_path, *SCHEMAS))
    assert loaded == {name: json.loads((PROJECT / "schemas" / name).read_bytes()) for name in SCHEMAS}
    assert SCHEMAS


def test_man_finds_the_pages_of_the_installed_wheel(wheel: Path, tmp_path: Path) -> None:
    if shutil.which("man") is None:
        reason = "needs man"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path)
    run(sys.executable, "-m", "pip", "--python", tmp_path, "install", "--quiet", "--no-index", "--no-deps", wheel)
    for page in PAGES:
        manual = {"MANPATH": str(tmp_path / "share/man"), "MANWIDTH": "80", "LC_ALL": "C.UTF-8"}
        shown = subprocess.run(["man", page[:-2]], env=os.environ | manual, capture_output=True, encoding="utf-8", check=False)
        assert (shown.returncode, shown.stderr) == (0, "")
        assert all(word in shown.stdout for word in (page[:-2], "SYNOPSIS", "OPTIONS", "EXIT STATUS", "SEE ALSO"))


def test_the_wheel_states_its_version_and_licence(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        stated = archive.read(name).decode().partition("\n\n")[0].splitlines()
        licence = archive.read(name.replace("METADATA", "licenses/LICENSE"))
    assert f"Version: {wrs_verify.__version__}" in stated
    assert "License-Expression: Apache-2.0" in stated
    assert licence == (PROJECT / "LICENSE").read_bytes()


def test_the_installed_version_is_the_one_in_the_code() -> None:
    assert metadata.version("wrs-verify") == wrs_verify.__version__


@pytest.mark.parametrize(
    "command",
    [
        [sys.executable, "-m", "wrs_verify"],
        [Path(sys.executable).with_name("wrs-verify")],
        [Path(sys.executable).with_name("wrs-hash")],
        [Path(sys.executable).with_name("wrs-history")],
    ],
    ids=["python -m wrs_verify", "wrs-verify", "wrs-hash", "wrs-history"],
)
def test_a_command_starts_and_tells_its_version(command: list[str | Path]) -> None:
    assert wrs_verify.__version__ in run(*command, "--version").split()
