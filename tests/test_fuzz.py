"""The fuzzer's targets, on some thousands of inputs that are the same in every run; `make fuzz` tries as many as its time allows."""

from __future__ import annotations

import random
from itertools import islice

import fuzz
import pytest

from wrs_verify import parsing


@pytest.mark.parametrize("seed", range(2))
def test_engines_agree(seed: int) -> None:
    said = [(data, said) for data in islice(fuzz.texts(random.Random(seed), fuzz.seeds()), 1500) if (said := fuzz.compare(data))]
    assert said == []


def test_a_disagreement_is_found_and_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr(fuzz, "FOUND", tmp_path)
    monkeypatch.setattr(parsing, "disagreement", lambda data, _: "as it should be" if b"e" in data else None)
    with pytest.raises(AssertionError, match=r"as it should be: .*/differential-[0-9a-f]{12}\.json"):
        fuzz.differential(10, 0)


@pytest.mark.parametrize("target", ["verify", "archives"])
def test_altered_vectors_harm_nothing(target: str) -> None:
    chance = random.Random(target)
    start = list(fuzz.corpus(target))
    one = fuzz.verify_one if target == "verify" else fuzz.read_one
    for _ in range(100 if target == "verify" else 3000):
        one(fuzz.altered(chance, chance.choice(start)))


def test_every_kind_of_archive_is_read_before_it_is_altered() -> None:
    assert len(fuzz.KINDS) == len(list(fuzz.small_archives()))
    for kind, data in enumerate(fuzz.small_archives()):
        assert fuzz.read_one(bytes([kind]) + data) > 0, fuzz.KINDS[kind]
