"""What a run does to the machine: it opens no connection, starts no program, unpickles nothing foreign, and writes reports alone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
SOURCES = sorted((PROJECT / "src").rglob("*.py"))

#: Runs the command, and tells of every event of the interpreter (PEP 578) that reaches out of it.
AUDITED = """
import json, os, sys
events = []
def hook(event, arguments):
    if event.startswith(("socket.", "urllib.", "subprocess.", "os.system",
                         "os.exec", "os.posix_spawn", "os.spawn", "pickle.", "ctypes.dlopen",
                         "os.remove", "os.rename", "os.mkdir", "os.symlink", "os.link", "os.chmod", "tempfile.", "sqlite3.connect")):
        events.append([event, str(arguments[:1])])
    elif event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        events.append([event, str(arguments[0])])
sys.dont_write_bytecode = True
sys.addaudithook(hook)
from wrs_verify.cli import main
try:
    main()
finally:
    sys.stderr.write("\\n" + json.dumps(events))
"""


def events(*arguments: str, cwd: Path) -> list[list[str]]:
    command = [sys.executable, "-c", AUDITED, *arguments]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False, cwd=cwd)
    assert done.returncode == 1, done.stderr
    found: list[list[str]] = json.loads(done.stderr.rpartition(b"\n")[2])
    return found


@pytest.fixture
def drop(tmp_path: Path) -> Path:
    """Records that refer to things on the net, and archives."""
    (tmp_path / "drop").mkdir()
    for number, family in enumerate(
        ("valid/plain.json", "dangling-reference", "unsafe-path", "unreadable-input", "schema-violation", "view-conflict")
    ):
        path = PROJECT / "vectors" / family
        for file in [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file()):
            (tmp_path / "drop" / f"{number}-{file.name}").write_bytes(file.read_bytes())
    record = json.loads((PROJECT / "vectors/valid/plain.json").read_bytes())
    for name in ("$schema", "$ref", "@context"):
        record[name] = "http://127.0.0.1:9/schema.json"
    record["profile"] = "http://127.0.0.1:9/profile"
    (tmp_path / "drop" / "references.json").write_text(json.dumps(record))
    return tmp_path


@pytest.mark.parametrize("arguments", [(), ("--double-check", "--verbose"), ("--report", "json")])
def test_a_run_reads_and_nothing_else(drop: Path, arguments: tuple[str, ...]) -> None:
    assert events(*arguments, "--jobs", "1", "drop", cwd=drop) == []


def test_a_report_is_written_under_a_name_that_nobody_guesses_and_then_put_in_its_place(drop: Path) -> None:
    found = events("--jobs", "1", "--report", "json=report.json", "drop", cwd=drop)
    opened = [what for event, what in found if event == "open"]
    [name] = {what for what in opened if what.startswith(f"{drop}/")}
    assert re.fullmatch(rf"{re.escape(str(drop))}/\.wrs-verify-[0-9a-f]{{16}}\.tmp", name)
    # A part of it may wait in a temporary file, which has no name, or one that nobody guesses.
    waiting = [Path(what).relative_to(tempfile.gettempdir()).as_posix() for what in opened if what != name and not what.isdigit()]
    assert all(what == "." or re.fullmatch(r"tmp[a-z0-9_]{8}", what) for what in waiting)
    assert {event for event, _ in found} <= {"open", "os.rename", "os.remove", "tempfile.mkstemp"}


def test_the_linters_security_rules_are_on() -> None:
    with (PROJECT / "pyproject.toml").open("rb") as file:
        lint = tomllib.load(file)["tool"]["ruff"]["lint"]
    assert "S" in lint["select"]
    assert [rule for rule in lint["ignore"] if rule.startswith("S")] == []
    # Statements of SQL are put together of the names of columns: nowhere is any other of these rules left out in a file of the program.
    spared = {rule for path, rules in lint["per-file-ignores"].items() if path.startswith("src") for rule in rules}
    assert spared == {"S608"}


def test_nothing_is_evaluated_or_unpickled_and_no_shell_is_started() -> None:
    forbidden = re.compile(
        r"(?<![.\w])(?:eval|exec|__import__|compile)\(|\bpickle\b|\bmarshal\b|\bshelve\b|\bsubprocess\b|os\.system|shell=|mktemp\b"
    )
    found = {
        (file.name, line.strip())
        for file in SOURCES
        for line in file.read_text(encoding="utf-8").splitlines()
        if forbidden.search(line) and not line.lstrip().startswith("#")
    }
    # Of pickles, only those that the program has itself given to the workers of a cluster are read, from the scheduler that the user named.
    assert {name for name, line in found if "pickle." in line or line == "import pickle"} <= {"tasks.py"}
    assert {(name, line) for name, line in found if name != "tasks.py"} == set()
