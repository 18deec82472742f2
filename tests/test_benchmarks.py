"""What the benchmark measures on: records that are valid, each its own, and the same every time. (How long anything takes is no test.)"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import rfc8785
from commands import wrs_verify

from wrs_verify.canonical import digest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

drop = importlib.import_module("drop")


def test_the_records_are_valid(tmp_path: Path) -> None:
    drop.make(tmp_path / "drop", 10)
    done = wrs_verify(tmp_path / "drop", "--strict", "--double-check", "--jobs", "1")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, b"PASS: 10 records passed"), done.stdout.decode()


def test_the_content_hashes_are_those_of_source_versions() -> None:
    for number in range(4):
        version = json.loads(drop.record(number))["version"]
        source = drop.builder.source_version(version)
        assert version["source_ref"]["content_hash"] == source.pop("content_hash") == digest(rfc8785.dumps(source))


def test_the_records_are_the_same_every_time(tmp_path: Path) -> None:
    first = [drop.record(number) for number in range(6)]
    drop._shapes.cache_clear()
    drop.make(tmp_path / "drop", 6)
    assert [file.read_bytes() for file in sorted((tmp_path / "drop").iterdir())] == first


def test_the_records_have_the_shapes_of_published_ones() -> None:
    for number, (people, contributors, size) in enumerate(((10, 10, 18_000), (53, 31, 25_500))):
        text = drop.record(number)
        document = json.loads(text)
        assert (len(document["entry"]["humans"]), len(document["version"]["record"]["contributors"])) == (people, contributors)
        assert abs(len(text) - size) < 1_000
        assert (b"\n" in text.strip()) == (number == 0)


def test_no_two_records_share_their_texts() -> None:
    first, second = (json.loads(drop.record(number))["version"] for number in (0, 2))
    for name in ("title", "summary", "statement", "scope", "sources", "evidence", "contributors"):
        assert first["record"][name] != second["record"][name], name
    for name in ("record_id", "source_ref", "public_view_hash"):
        assert first[name] != second[name], name
