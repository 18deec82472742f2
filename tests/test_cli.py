"""The commands from outside: files in, exit statuses and reports out."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import wrs_hash, wrs_verify
from shared import shared
from test_engine import REAL, changed

from wrs_verify.model import Json


@pytest.fixture
def drop(tmp_path: Path) -> Path:
    """A folder with the two real records."""
    folder = tmp_path / "drop"
    folder.mkdir()
    for name in REAL:
        shutil.copyfile(shared("records", name), folder / name)
    return folder


def forged(folder: Path) -> Path:
    """One real record, whose title was changed after it was hashed."""
    record = changed(json.loads((folder / REAL[0]).read_bytes()), "/version/record/title", "Another title")
    (folder / REAL[0]).write_text(json.dumps(record, indent=1))
    return folder


def report(folder: Path, *arguments: str) -> Json:
    return json.loads(wrs_verify(folder, "--report", "json", *arguments).stdout)


def test_real_records() -> None:
    done = wrs_verify(shared("records"))
    assert done.returncode == 0
    text = done.stdout.decode()
    assert "2 records passed" in text
    assert "public view hash: recomputed and equal in 2 of 2" in text
    assert "content hash: recomputed and equal in 0 of 2 (its input is not in the view)" in text
    assert "targets: agree in 2 of 2" in text
    assert done.stderr == b""


def test_exit_statuses(tmp_path: Path, drop: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("no record")
    (tmp_path / "unknown.json").write_text("{}")
    assert wrs_verify(drop).returncode == 0
    assert wrs_verify(forged(drop)).returncode == 1
    assert wrs_verify(tmp_path / "unknown.json").returncode == 1
    assert wrs_verify(tmp_path / "missing").returncode == 2
    assert wrs_verify("--no-such-option", drop).returncode == 2
    assert wrs_verify(drop, tmp_path / "missing").returncode == 2
    assert wrs_verify(tmp_path / "empty").returncode == 3
    assert wrs_verify(tmp_path / "other").returncode == 3
    assert wrs_verify(drop, "--report", f"json={tmp_path}/no/such/folder.json").returncode == 4


def test_nothing_to_verify_is_no_pass(tmp_path: Path) -> None:
    done = wrs_verify(tmp_path, "--report", "json")
    assert json.loads(done.stdout)["verdict"] != "pass"
    assert b"PASS" not in wrs_verify(tmp_path).stdout


def test_the_same_status_in_every_format(tmp_path: Path, drop: Path) -> None:
    for status, folder in ((0, drop), (3, tmp_path / "none"), (1, forged(shutil.copytree(drop, tmp_path / "forged")))):
        folder.mkdir(exist_ok=True)
        assert {wrs_verify(folder, "--report", name).returncode for name in ("text", "json")} == {status}


def test_targets_of_which_a_finding_may_not_be_listed_are_not_said_to_agree(drop: Path) -> None:
    record = changed(json.loads((drop / REAL[0]).read_bytes()), "/target/version", 7)
    record["version"]["published_at"] = "2001-01-01T00:00:00Z"
    (drop / REAL[0]).write_text(json.dumps(record))
    assert "differ in 1" in wrs_verify(drop).stdout.decode()
    assert "agree in 1 of 2; not all compared in 1" in wrs_verify(drop, "--max-findings", "1").stdout.decode()


def test_standard_input(drop: Path) -> None:
    text = (drop / REAL[1]).read_bytes()
    assert wrs_verify("-", stdin=text).returncode == 0
    lines = b"".join(json.dumps(json.loads((drop / name).read_bytes())).encode() + b"\n" for name in REAL)
    found = json.loads(wrs_verify("-", "--report", "json", stdin=lines).stdout)
    assert [record["line"] for record in found["records"]] == [1, 2]
    assert found["verdict"] == "pass"


def test_several_reports_at_once(tmp_path: Path, drop: Path) -> None:
    done = wrs_verify(drop, "--report", "text", "--report", f"json={tmp_path}/report.json")
    assert b"PASS" in done.stdout
    assert json.loads((tmp_path / "report.json").read_bytes())["verdict"] == "pass"


def test_an_altered_member_is_proved(drop: Path) -> None:
    original = json.loads((drop / REAL[0]).read_bytes())["version"]["record"]
    found = report(forged(drop))["records"][0]["findings"]
    hashed = next(finding for finding in found if finding["rule"] == "public-view-hash")
    assert "/version/record/title was altered" in hashed["message"]
    assert original["title"] in hashed["message"]
    assert "Restoring it gives the recorded hash" in hashed["message"]
    assert [(related["pointer"], related["value"]) for related in hashed["related"]] == [("/version/record/title", original["title"])]


def test_the_same_bytes_however_it_is_run(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    texts = [shared("records", name).read_bytes() for name in REAL]
    for number in range(150):
        record = json.loads(texts[number % 2])
        if number % 10 == 0:
            record = changed(record, "/entry/target/version", number + 2)
        (folder / f"{(number * 7919) % 1000:03}.json").write_text(json.dumps(record))
    outputs = {
        wrs_verify(folder, "--report", "json", "--jobs", jobs, "--now", "2026-01-01", PYTHONHASHSEED=seed).stdout
        for jobs, seed in (("1", "0"), ("1", "1"), ("2", "2"), ("3", "3"))
    }
    assert len(outputs) == 1
    inputs = [record["input"] for record in json.loads(outputs.pop())["records"]]
    assert inputs == sorted(inputs)
    assert len(inputs) == 150


def test_a_closed_pipe_is_no_crash(drop: Path) -> None:
    command = [sys.executable, "-m", "wrs_verify", str(drop), "--report", "json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 4


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupted_run_tells_what_it_found(number: signal.Signals, jobs: str) -> None:
    line = json.dumps(json.loads(shared("records", REAL[0]).read_bytes())).encode() + b"\n"
    command = [sys.executable, "-m", "wrs_verify", "-", "--report", "json", "--jobs", jobs]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(line * 500)
        process.stdin.flush()
        time.sleep(1.5)
        process.send_signal(number)
        try:
            found = json.loads(process.stdout.read())
        finally:
            process.stdin.close()
        assert process.wait(timeout=60) == 4
        assert found["verdict"] == "incomplete"
        assert found["counts"]["records"] > 0
        assert no_process_of_group(process.pid)


def no_process_of_group(group: int) -> bool:
    """Whether every process of a group has ended."""
    for _ in range(50):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_stamp_changes_nothing_but_the_hash(tmp_path: Path) -> None:
    for name in REAL:
        text = shared("records", name).read_bytes()
        recorded = json.loads(text)["version"]["public_view_hash"].encode()
        path = tmp_path / name
        path.write_bytes(text.replace(b"Artificial", b"Arti\\u0066icial").replace(recorded, b"sha256:\\u0030").replace(b"\n", b"\r\n"))
        path.chmod(0o640)
        assert wrs_hash(path).returncode == 1
        assert wrs_hash("--stamp", path).returncode == 0
        assert path.read_bytes() == text.replace(b"Artificial", b"Arti\\u0066icial").replace(b"\n", b"\r\n")
        assert path.stat().st_mode & 0o777 == 0o640
        assert wrs_hash(path).returncode == 0


def test_stamp_refuses_what_it_cannot_stamp(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    for text in ('{"profile": ', '{"profile":"wrs-published-research-view-1"}', "{}", '{"a":1,"a":2}'):
        path.write_text(text)
        done = wrs_hash("--stamp", path)
        assert done.returncode == 1
        assert done.stderr
        assert b"Traceback" not in done.stderr
        assert path.read_text() == text


def test_canonical_form(tmp_path: Path) -> None:
    path = tmp_path / "any.json"
    path.write_text('{"b": [1.0, 1e21, "\\u00e9"],\n "a": {"c": null}}')
    assert wrs_hash("--canonical", path).stdout == '{"a":{"c":null},"b":[1,1e+21,"é"]}'.encode()
    assert wrs_hash("--canonical", "--pointer", "/b/1", path).stdout == b"1e+21"
    assert wrs_hash("--canonical", "-", stdin=b"[ ]").stdout == b"[]"
    assert wrs_hash("--canonical", "--pointer", "/x", path).returncode == 1
    assert wrs_hash("--pointer", "/b", path).returncode == 2


def test_a_report_is_not_written_over_an_input(drop: Path) -> None:
    text = (drop / REAL[0]).read_bytes()
    for paths in ((drop,), (drop / REAL[0],)):
        done = wrs_verify(*paths, "--report", f"json={drop / REAL[0]}")
        assert done.returncode == 2
        assert b"input" in done.stderr
    assert (drop / REAL[0]).read_bytes() == text


@pytest.mark.parametrize("name", ["::add-mask::x.json", "##vso[task.x]y.json", "##[error]z.json"])
def test_no_name_is_a_command_to_a_ci_service(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"profile": "##[error]", "x": "##vso[a]"}')
    (tmp_path / f"{name}.txt").touch()
    done = wrs_verify(".", cwd=tmp_path)
    assert done.returncode == 1
    assert b"##[" not in done.stdout
    assert b"##vso[" not in done.stdout
    assert not any(line.strip().startswith(b"::") for line in done.stdout.splitlines())


@pytest.mark.parametrize("module", ["wrs_verify", "wrs_verify.hash_cli"])
def test_standard_output_that_cannot_be_written(drop: Path, module: str) -> None:
    main = f"from {module}{'.cli' if module == 'wrs_verify' else ''} import main; main()"
    for redirection in (">/dev/full", ">&-"):
        command = f'"{sys.executable}" -c "{main}" "{drop / REAL[0]}" {redirection}'
        done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, timeout=60, check=False)
        assert done.returncode == 4
        assert done.stderr
        assert b"Traceback" not in done.stderr
        assert b"internal error" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--quiet", "--verbose", "."], "--quiet and --verbose do not go together"), ([""], "a path is empty: it names no file or folder")],
)
def test_wrong_usage(arguments: list[str], message: str) -> None:
    done = wrs_verify(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert message in done.stderr.decode()
