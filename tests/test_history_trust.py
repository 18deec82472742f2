"""A history is used only if it is what it was: damage, forgery, locks, kills, and the proofs that it gives."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from commands import wrs_verify
from history_samples import drop, root, said, verified, wrs_history
from test_drop import record
from test_history_merkle import mth, path, subproof

from wrs_verify.history import tree
from wrs_verify.history.errors import HistoryError
from wrs_verify.history.store import History


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[str]]:
    """A drop, a history that saw it grow in three runs, and the roots that it had."""
    folder = tmp_path_factory.mktemp("made")
    history = folder / "history.db"
    roots = [
        root(verified(drop(folder / "drop", *map(record, range(1, number))), "--history", history, "--complete-drop"))
        for number in (4, 6, 13)
    ]
    return folder / "drop", history, roots


@pytest.fixture
def history(made: tuple[Path, Path, list[str]], tmp_path: Path) -> Path:
    return Path(shutil.copy(made[1], tmp_path / "history.db"))


@contextlib.contextmanager
def edited(history: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(history, isolation_level=None)) as database:
        yield database


def refused(place: Path, history: Path, *arguments: str) -> str:
    """What is said of a history that is not used, and that it stays as it is."""
    before = history.read_bytes()
    done = wrs_verify(place, "--history", history, *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert history.read_bytes() == before
    return done.stderr.decode()


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ("PRAGMA application_id = 7", "of another program"),
        ("PRAGMA user_version = 2", "has the form 2"),
        ("PRAGMA user_version = 0", "changed its form"),
        ("PRAGMA journal_mode = WAL", "changed its form"),
        ("CREATE TRIGGER foul AFTER INSERT ON runs BEGIN DELETE FROM entries; END", "not those of a history"),
        ("UPDATE entries SET content_hash = zeroblob(32) WHERE leaf = 2", "not those that its tree was made of"),
        ("UPDATE entries SET content_hash = 'text' WHERE leaf = 2", "not of the form of an entry"),
        ("UPDATE entries SET entry_id = 'other' WHERE leaf = 2", "not those that its tree was made of"),
        ("UPDATE runs SET time = '2020-01-01T00:00:00Z' WHERE number = 1", "not those that its tree was made of"),
        ("UPDATE runs SET records = 'x' WHERE number = 3", "as many entries as it says"),
        ("DELETE FROM entries WHERE leaf = 2", "entry 2 of its tree is missing"),
        ("DELETE FROM runs WHERE number = 1", "entry 0 of its tree is missing"),
        ("DELETE FROM entries WHERE leaf = 2; DELETE FROM nodes WHERE level = 1 AND position = 1", "is missing"),
        ("UPDATE nodes SET hash = zeroblob(32) WHERE level = 1 AND position = 1", "not those that its tree was made of"),
        ("UPDATE tree SET root = zeroblob(32)", "do not go together"),
        ("UPDATE tree SET size = 3", "as many entries as it says"),
        ("DELETE FROM tree", "what its root is"),
    ],
)
def test_what_was_changed_by_hand_is_refused(made: tuple[Path, Path, list[str]], history: Path, edit: str, words: str) -> None:
    with edited(history) as database:
        database.executescript(edit)
    assert words in refused(made[0], history)
    assert wrs_history("check", history).returncode == 2


def test_the_last_complete_drop_is_what_it_was(made: tuple[Path, Path, list[str]], history: Path) -> None:
    with edited(history) as database:
        database.execute("DELETE FROM members WHERE record_id = (SELECT max(record_id) FROM members)")
    assert "last complete drop" in refused(made[0], history, "--complete-drop")
    assert "last complete drop" in said("check", history, status=2)


@pytest.mark.parametrize("data", [b"", b"no database", b"SQLite format 3\0", b"\0" * 200])
def test_another_file_is_refused(made: tuple[Path, Path, list[str]], tmp_path: Path, data: bytes) -> None:
    history = tmp_path / "history.db"
    history.write_bytes(data)
    assert "is no history" in refused(made[0], history)


def test_a_byte_that_changes_what_a_history_says_is_found(made: tuple[Path, Path, list[str]], tmp_path: Path) -> None:
    """Or else it stands where nothing is kept: then the history says what it said before."""
    data = made[1].read_bytes()
    before = read(made[1])
    found = 0
    for at in range(0, len(data), 101):
        history = tmp_path / "history.db"
        history.write_bytes(data[:at] + bytes([data[at] ^ 0x15]) + data[at + 1 :])
        try:
            with contextlib.closing(History(str(history))):
                assert read(history) == before
        except HistoryError:
            found += 1
    assert found > 20


def read(history: Path) -> list[list[tuple[object, ...]]]:
    with edited(history) as database:
        return [database.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in ("runs", "entries", "nodes", "tree")]


def test_a_history_made_anew_is_found_by_the_expected_root(made: tuple[Path, Path, list[str]], tmp_path: Path) -> None:
    place, _, roots = made
    other = tmp_path / "other.db"
    verified(place, "--history", other, now="2025-01-01")
    assert "rewritten" in refused(place, other, "--expect-root", roots[0])
    assert "but had" in refused(place, other, "--expect-root", roots[2].replace(roots[2].partition(":")[0], "99", 1))
    done = wrs_verify(place, "--history", tmp_path / "gone.db", "--expect-root", roots[0])
    assert done.returncode == 2
    assert not (tmp_path / "gone.db").exists()
    assert "rewritten" in said("check", other, "--expect-root", roots[0], status=2)


def test_every_earlier_root_is_extended(made: tuple[Path, Path, list[str]], history: Path) -> None:
    for each in made[2]:
        verified(made[0], "--history", history, "--expect-root", each)
        said("check", history, "--expect-root", each)


def test_an_export_gives_the_root_and_proofs_hold(made: tuple[Path, Path, list[str]], tmp_path: Path) -> None:
    """A second implementation of the formulas works out the root from the export, and each proof that is written."""
    _, history, roots = made
    leaves = said("export", history).encode().splitlines()
    size = len(leaves)
    assert f"{size}:sha256:{mth(leaves).hex()}" == roots[-1]
    for leaf in (0, 1, 6, size - 1):
        proof = json.loads(said("prove", history, "--leaf", str(leaf)))
        assert proof["text"].encode() == leaves[leaf]
        assert (proof["size"], proof["root"]) == (size, f"sha256:{mth(leaves).hex()}")
        assert [bytes.fromhex(one[7:]) for one in proof["path"]] == path(leaf, leaves)
        checked(tmp_path, proof, roots[-1], lambda made: made.update(text=made["text"].replace('"run":', '"run": ')))
    for old in roots:
        number = int(old.partition(":")[0])
        proof = json.loads(said("prove", history, "--since", str(number)))
        assert f"{number}:{proof['old']['root']}" == old
        assert [bytes.fromhex(one[7:]) for one in proof["path"]] == subproof(number, leaves, True)
        checked(tmp_path, proof, old, lambda made: made["path"].append(made["new"]["root"]))
    assert "no such leaf" in said("prove", history, "--leaf", str(size), status=1)
    assert "older tree" in said("prove", history, "--since", str(size + 1), status=1)


def checked(folder: Path, proof: dict[str, Any], expected: str, spoil: Callable[[dict[str, Any]], object]) -> None:
    file = folder / "proof.json"
    file.write_text(json.dumps(proof))
    said("check", file, "--expect-root", expected)
    assert "expected root" in said("check", file, "--expect-root", f"1:{'0' * 64}", status=1)
    spoil(proof)
    file.write_text(json.dumps(proof))
    assert "do not lead to its root" in said("check", file, status=1)


@pytest.mark.parametrize(
    "text", ["{", "{}", '{"proof": []}', '{"proof": "wrs-history-inclusion-1", "size": -1}', '{"proof": "other", "old": 1}']
)
def test_what_is_no_proof_does_not_hold(tmp_path: Path, text: str) -> None:
    file = tmp_path / "proof.json"
    file.write_text(text)
    said("check", file, status=1)


def test_a_locked_history_is_waited_for_and_then_given_up(made: tuple[Path, Path, list[str]], history: Path) -> None:
    before = history.read_bytes()
    with edited(history) as database:
        database.execute("BEGIN EXCLUSIVE")
        done = wrs_verify(made[0], "--history", history, "--history-wait", "0.2")
        assert (done.returncode, done.stdout) == (4, b"")
        assert b"in use by another program" in done.stderr
    with edited(history) as database:
        database.execute("BEGIN IMMEDIATE")  # it can be read, but not be extended
        report = verified(made[0], "--history", history, "--history-wait", "0.2", status=4)
        assert report["verdict"] == "incomplete"
        assert "in use by another program" in report["findings"][0]["message"]
    assert history.read_bytes() == before


def test_runs_at_once_come_one_after_the_other(tmp_path: Path) -> None:
    history = tmp_path / "history.db"
    places = [drop(tmp_path / f"drop{number}", record(number), record(9)) for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(lambda place: verified(place, "--history", history), places))
    assert sorted(report["history"]["runs"] for report in reports) == [1, 2, 3, 4]
    assert sum(report["history"]["added"] for report in reports) == 5
    said("check", history)
    assert sorted(file.name for file in tmp_path.iterdir() if file.is_file()) == ["history.db"]


def test_a_larger_history_is_looked_at_in_turns(made: tuple[Path, Path, list[str]], history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one that has more entries than a window, damage is found where a run looks, and by `check` everywhere."""
    monkeypatch.setattr(tree, "WINDOW", 4)
    with edited(history) as database:
        database.execute("UPDATE entries SET edition = 'ratings-0000000000000000' WHERE leaf = 9")
    refusals = 0
    for runs in range(4):
        with edited(history) as database:
            size, kept = database.execute("SELECT size, root FROM tree").fetchone()
            at = tree.Tree(size, kept, runs)
            database.execute("ATTACH ? AS history", (str(history),))
            try:
                tree.verify_start(database, at)
            except HistoryError:
                refusals += 1
            with pytest.raises(HistoryError):
                tree.verify_all(database, at)
    assert refusals == 1
    assert "not those" in refused(made[0], history)


KILLS = """
import os, random, shutil, signal, sys, time
from pathlib import Path
from typing import Any
from wrs_verify.history.store import History, opened
from wrs_verify.history.tree import read_tree, verify_all
from wrs_verify.model import Sighting

start, history, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
random.seed(4)

def sighting(number):
    made = bytes([number % 256, number // 256]) * 16
    return Sighting("a.json", None, "wrs-published-research-view-1", f"urn:uuid:00000000-0000-4000-9000-{number:012d}", 1,
                    made, made, made, None, None, None, None, f"entry-{number}", None, made)

def commit(ready):
    run = History(history)
    for number in range(400):
        run.add(sighting(number))
    run.changes(["history-rewritten"])
    os.write(ready, b"x")
    run.commit("2026-01-01T00:00:00Z", "0", 400, complete_drop=True)

def state():
    with opened(history) as database:
        database.execute("BEGIN")
        tree = read_tree(database)
        verify_all(database, tree)
        return tree

shutil.copy(start, history)
before = state()
reading, writing = os.pipe()
began = time.perf_counter()
commit(writing)
whole = time.perf_counter() - began
after = state()
os.read(reading, 1)
seen = {"before": 0, "after": 0, "killed": 0}
for _ in range(rounds):
    Path(history + "-journal").unlink(missing_ok=True)
    shutil.copy(start, history)
    child = os.fork()
    if child == 0:
        commit(writing)
        os._exit(0)
    os.read(reading, 1)
    time.sleep(random.uniform(0, whole))
    os.kill(child, signal.SIGKILL)
    seen["killed"] += os.WIFSIGNALED(os.waitpid(child, 0)[1])
    now = state()
    seen["before" if now == before else "after" if now == after else "neither"] += 1
print(seen["before"] + seen["after"], seen["killed"])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_kill_at_any_moment_leaves_the_one_state_or_the_other(made: tuple[Path, Path, list[str]], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLS, made[1], tmp_path / "history.db", "100"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    valid, killed = map(int, done.stdout.split())
    assert valid == 100
    assert killed > 0


def test_a_history_is_whole_or_not_there_from_the_first(made: tuple[Path, Path, list[str]], tmp_path: Path) -> None:
    """What cannot be made leaves nothing."""
    history = tmp_path / "nowhere" / "history.db"
    report = verified(made[0], "--history", history, status=4)
    assert "cannot be made" in report["findings"][0]["message"]
    assert hashlib.sha256(b"").hexdigest() in report["history"]["root"]


def test_commands_say_what_they_cannot_do(history: Path, tmp_path: Path) -> None:
    assert "there is no history" in said("runs", tmp_path / "none", status=2)
    assert "has no record" in said("show", history, "urn:uuid:0", status=1)
    said("prove", history, status=2)
    said("prove", history, "--leaf", "1", "--since", "1", status=2)
