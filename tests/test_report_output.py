"""Where reports go: a file is there whole or not at all, and one report that fails takes no other with it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from report_samples import OPTIONS, result

from wrs_verify import report
from wrs_verify.report.output import OutputError, Reports, Spec, parse_spec, parse_specs

FULL = OSError(28, "No space left on device")


def run(specs: list[str], stdout: Any = None, records: int = 2) -> bytes:
    """Writes a whole report, and gives what went to standard output."""
    stdout = io.BytesIO() if stdout is None else stdout
    tally = report.Tally()
    with Reports(parse_specs(specs), OPTIONS._replace(colour=True), stdout) as reports:
        for number in range(records):
            one = result(f"{number}.json")
            tally.add(one)
            reports.record(one)
        reports.complete("pass", tally.counts(records, 0), (), (), tally.summary())
        reports.publish()
    return stdout.getvalue() if isinstance(stdout, io.BytesIO) else b""


def left(directory: Path) -> list[str]:
    return sorted(file.name for file in directory.iterdir())


class Broken(io.BytesIO):
    """Standard output that fails from its second write on."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error
        self.writes = 0

    def write(self, data: Any, /) -> int:
        self.writes += 1
        if self.writes > 1:
            raise self.error
        return super().write(data)


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("text", Spec("text")),
        ("json=-", Spec("json")),
        ("json=out.json", Spec("json", "out.json")),
        ("text=a=b", Spec("text", "a=b")),
    ],
)
def test_specs(text: str, spec: Spec) -> None:
    assert parse_spec(text) == spec


@pytest.mark.parametrize("text", ["", "yaml", "json=", "=x", "JSON", "json=a\0b", "\x1b[31m"])
def test_bad_specs(text: str) -> None:
    with pytest.raises(ValueError, match=r"^[ -~]+$"):
        parse_spec(text)


def test_text_to_standard_output_is_the_default() -> None:
    assert parse_specs([]) == (Spec("text"),)
    assert b"PASS" in run([])


def test_two_reports_need_two_places(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "a")
    for specs in (
        ["text", "json"],
        ["text", "json=-"],
        [f"text={tmp_path}/a", f"json={tmp_path}/./a"],
        [f"text={tmp_path}/a", f"json={tmp_path}/link"],
    ):
        with pytest.raises(ValueError, match="two reports"):
            parse_specs(specs)
    assert len(parse_specs(["text", f"json={tmp_path}/a", f"text={tmp_path}/b"])) == 3


def test_several_reports_at_once(tmp_path: Path) -> None:
    shown = run(["text", f"json={tmp_path}/a.json", f"text={tmp_path}/a.txt"])
    assert b"\x1b[" in shown
    assert json.loads((tmp_path / "a.json").read_bytes())["counts"]["records"] == 2
    assert (tmp_path / "a.txt").read_text().startswith("PASS: 2 records passed")
    assert left(tmp_path) == ["a.json", "a.txt"]


@pytest.mark.parametrize("name", ["text", "json"])
def test_the_module_of_another_format_is_not_loaded(name: str) -> None:
    other = {"text": "json", "json": "text"}[name]
    code = f"import sys; from wrs_verify import report; report.renderer({name!r}, sys.stdout.buffer, report.Options('1'));"
    code += f"sys.exit('wrs_verify.report.{other}' in sys.modules or 'click' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], check=False, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}).returncode
        == 0
    )


def test_unknown_format() -> None:
    with pytest.raises(KeyError):
        report.renderer("os", io.BytesIO(), OPTIONS)


def test_permissions(tmp_path: Path) -> None:
    kept, new = tmp_path / "kept", tmp_path / "new"
    kept.write_text("old")
    kept.chmod(0o604)
    before = os.umask(0o027)
    try:
        run([f"json={kept}", f"text={new}"])
    finally:
        os.umask(before)
    assert kept.stat().st_mode & 0o777 == 0o604
    assert new.stat().st_mode & 0o777 == 0o640
    assert kept.read_text().startswith("{")


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    real = tmp_path / "real" / "report"
    real.parent.mkdir()
    (tmp_path / "link").symlink_to(real)
    for _ in range(2):  # the file is new, then it exists
        run([f"text={tmp_path}/link"])
        assert (tmp_path / "link").is_symlink()
        assert real.read_text().startswith("PASS")
    assert left(real.parent) == ["report"]


@pytest.mark.parametrize("where", [".", "missing/report", "file/report"])
def test_places_that_cannot_be_written_to_are_known_at_once(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(OutputError, match=r"cannot write the json report to .*: (Is a directory|No such file|Not a directory)") as caught:
        Reports((Spec("text", str(tmp_path / "first")), Spec("json", str(tmp_path / where))), OPTIONS, io.BytesIO())
    assert not caught.value.closed
    assert left(tmp_path) == ["file"]


def test_a_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "report"
    target.write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OutputError, match="Permission denied"):
        run([f"json={target}"])
    assert target.read_text() == "old"


def test_the_name_of_the_file_is_made_harmless(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"\\x1b\[31m"):
        run([f"json={tmp_path}/\x1b[31m/report"])


def test_a_device_is_written_to_and_stays() -> None:
    run([f"json={os.devnull}"])
    assert Path(os.devnull).is_char_device()


@pytest.mark.parametrize(("owner", "call"), [(os, "fsync"), (Path, "replace")])
@pytest.mark.parametrize("old", [None, "old"])
def test_a_failure_at_the_end_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, call: str, old: str | None
) -> None:
    target = tmp_path / "report"
    if old:
        target.write_text(old)

    def fail(*_: Any) -> None:
        raise FULL

    monkeypatch.setattr(owner, call, fail)
    with pytest.raises(OutputError, match="No space left"):
        run([f"json={target}"])
    if old:
        assert target.read_text() == old
    assert left(tmp_path) == (["report"] if old else [])


def test_a_full_disk_in_between_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.fdopen

    def fdopen(number: int, mode: str) -> Any:
        os.close(number)
        full = os.open("/dev/full", os.O_WRONLY)
        return opened(full, mode)

    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    monkeypatch.setattr(os, "fdopen", fdopen)
    with pytest.raises(OutputError, match="No space left"):
        run([f"json={tmp_path}/report"], records=2000)
    assert left(tmp_path) == []


def test_an_interrupted_run_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "report"
    target.write_text("old")

    def interrupted() -> None:
        with Reports((Spec("json", str(target)),), OPTIONS, io.BytesIO()) as reports:
            reports.record(result())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert target.read_text() == "old"
    assert left(tmp_path) == ["report"]


@pytest.mark.parametrize(("error", "closed"), [(BrokenPipeError(32, "Broken pipe"), True), (FULL, False)])
def test_standard_output_that_fails_takes_no_file_with_it(tmp_path: Path, error: OSError, closed: bool) -> None:
    with pytest.raises(OutputError, match="standard output") as caught:
        run(["json", f"text={tmp_path}/a.txt"], Broken(error))
    assert caught.value.closed is closed
    assert (tmp_path / "a.txt").read_text().startswith("PASS")


def test_a_full_disk_is_told_rather_than_a_closed_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise FULL

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OutputError, match=r"a\.txt: No space left") as caught:
        run(["json", f"text={tmp_path}/a.txt"], Broken(BrokenPipeError(32, "Broken pipe")))
    assert not caught.value.closed


def test_work_stops_when_nobody_reads() -> None:
    reports = Reports((Spec("text"),), OPTIONS._replace(verbose=True), Broken(BrokenPipeError(32, "Broken pipe")))
    reports.record(result())
    with pytest.raises(OutputError) as caught:
        reports.record(result())
    assert caught.value.closed


@pytest.mark.skipif(sys.platform == "win32", reason="pipes differ")
def test_a_closed_pipe_leaves_no_traceback() -> None:
    code = """
import sys
from wrs_verify import report
from wrs_verify.report.output import OutputError, Reports, Spec
from report_samples import OPTIONS, result
sys.stdin.read()
try:
    with Reports((Spec("text"),), OPTIONS._replace(verbose=True), sys.stdout.buffer) as reports:
        for _ in range(10_000):
            reports.record(result())
except OutputError as error:
    sys.exit(7 if error.closed else 8)
"""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    assert child.stdout
    child.stdout.close()
    assert child.stdin
    child.stdin.close()
    assert child.stderr
    with child.stderr:
        assert child.stderr.read() == b""
    assert child.wait() == 7


class Terminal(io.BytesIO):
    """A terminal, of which the screen shows what was flushed."""

    screen = b""

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.screen = self.getvalue()


def test_a_terminal_shows_findings_as_they_come() -> None:
    terminal = Terminal()
    with Reports((Spec("text"),), OPTIONS._replace(verbose=True), terminal) as reports:
        reports.record(result("a.json"))
        assert b"a.json: passed" in terminal.screen


def test_standard_output_that_fails_when_it_is_flushed() -> None:
    class Full(io.BytesIO):
        def flush(self) -> None:
            raise FULL

    with pytest.raises(OutputError, match="standard output: No space left"):
        run(["json"], Full())
