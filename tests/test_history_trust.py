"""A history is used only if it is what it was: damage, forgery, locks, kills, and the proofs that it gives."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import wrs_verify
from history_samples import drop, edited, root, said, sighting, verified, wrs_history
from test_drop import record
from test_history_merkle import mth, path, subproof

from wrs_verify.history import tree
from wrs_verify.history.errors import HistoryError
from wrs_verify.history.store import History
from wrs_verify.model import Sighting


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
    assert "is not a history" in refused(made[0], history)


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
    assert f"there is no {size}" in said("prove", history, "--leaf", str(size), status=1)
    assert f"there is no {size + 1}" in said("prove", history, "--since", str(size + 1), status=1)


def test_the_index_is_worked_out_from_an_export(history: Path) -> None:
    """As docs/history.md describes it, in few words and without the code of the program."""
    leaves = [json.loads(line) for line in said("export", history).splitlines()]
    numbers = Counter(leaf["target"]["record_id"] for leaf in leaves if leaf["kind"] == "record")
    texts = [b""] * 65536
    for record_id in sorted(numbers):
        texts[int(hashlib.sha256(record_id.encode()).hexdigest()[:4], 16)] += f"{record_id} {numbers[record_id]}\n".encode()
    assert [leaf["index"] for leaf in leaves if leaf["kind"] == "run"][-1] == f"sha256:{mth(texts).hex()}"


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


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every history has more entries than a window, so that it is not looked at as a whole at every start."""
    monkeypatch.setattr(tree, "WINDOW", 4)


@pytest.mark.usefixtures("large")
def test_a_larger_history_is_looked_at_in_turns(history: Path) -> None:
    with edited(history) as database:
        database.execute("UPDATE entries SET edition = 'ratings-0000000000000000' WHERE leaf = 9")
        database.execute("ATTACH ? AS history", (str(history),))
        now = tree.read_tree(database)
        assert now.last is not None
        refusals = 0
        for runs in range(4):
            try:
                tree.verify_start(database, now._replace(last=now.last._replace(number=runs)))
            except HistoryError:
                refusals += 1
        with pytest.raises(HistoryError):
            tree.verify_all(database, now)
    assert refusals == 1


#: Who deletes an entry, who puts another record in its place, and who makes the index agree with that.
_DELETED = "DELETE FROM entries WHERE record_id = :id"
_REPLACED = "UPDATE entries SET record_id = 'urn:uuid:00000000-0000-4000-8000-999999999999' WHERE record_id = :id"
_FORGOTTEN = "DELETE FROM counts WHERE text LIKE :id || ' %'"
_UNLINKED = "DELETE FROM hashes"


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ([_DELETED], "does not have the entries of the record"),
        ([_REPLACED], "does not have the entries of the record"),
        ([_DELETED, _FORGOTTEN], "its index and its root do not go together"),
        ([_DELETED, _FORGOTTEN, _UNLINKED], "its index and its root do not go together"),
        (["UPDATE counts SET text = text || 'x'"], "its index and its root do not go together"),
        (["UPDATE counts SET text = 'x' || text"], "does not have the entries of the record"),
        (["UPDATE counts SET text = 7"], "its index is not of its form"),
        (["UPDATE counts SET text = x'00'"], "its index is not of its form"),
        (["UPDATE hashes SET hashes = 'text'"], "its index is not of its form"),
        (["UPDATE hashes SET hashes = zeroblob(32)"], "its index is not of its form"),
        (["UPDATE hashes SET hashes = zeroblob(8192) WHERE position < 256"], "its index and its root do not go together"),
        (["UPDATE runs SET lookup = zeroblob(32) WHERE number = 3"], "do not go together"),
    ],
)
@pytest.mark.usefixtures("large")
def test_nothing_that_is_looked_up_can_be_missing(history: Path, edits: list[str], words: str) -> None:
    """However large a history is, a record that it had is not taken for a new one: what is not found is proved not to be there."""
    first = sighting(record(1)["target"]["record_id"])
    with edited(history) as database:
        for edit in edits:
            database.execute(edit, {"id": first.record_id} if ":id" in edit else ())
    with pytest.raises(HistoryError, match=words):
        look_up(history, first)
    said("check", history, status=2)


def look_up(history: Path, *sightings: Sighting) -> list[str]:
    """Compare records with a history; what SQLite is asked for that."""
    asked: list[str] = []
    with contextlib.closing(History(str(history))) as run:
        for one in sightings:
            run.add(one)
        run._database.set_trace_callback(asked.append)
        run.changes(["history-rewritten", "version-rollback", "view-reissued", "record-withdrawn", "grade-changed"])
    return asked


@pytest.mark.usefixtures("large")
def test_the_last_complete_drop_cannot_be_another(history: Path) -> None:
    """Nobody who has a list of an older drop can put it in the place of the last one."""
    with edited(history) as database:
        database.execute("UPDATE runs SET drop_run = 1, drop_records = 3, drop_hash = (SELECT drop_hash FROM runs WHERE number = 1)")
    with pytest.raises(HistoryError, match="do not go together"):
        History(str(history))


def test_lookups_are_batched(history: Path) -> None:
    """The history is asked as often for a thousand records as for ten: it may be far away, or slow."""
    few, many = (
        [one for one in look_up(history, *made) if "history." in one]
        for made in ([sighting(f"urn:uuid:00000000-0000-4000-9000-{each:012d}") for each in range(number)] for number in (10, 1000))
    )
    assert len(few) == len(many) < 100


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
