"""Published conformance data: the JSON parsing suite, the examples and the numbers of RFC 8785, cases from bug reports."""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import wrs_verify
from shared import shared

from wrs_verify.canonical import canonical, canonical_reference, read
from wrs_verify.engine import Options, verify_bytes
from wrs_verify.model import Limits
from wrs_verify.parsing import ParseError, disagreement, parse, same

pytestmark = pytest.mark.conformance

LIMITS = Limits()
#: Valid so far as they go, but beyond the limit on depth long before they end without being closed.
TOO_DEEP = {"n_structure_100000_opening_arrays", "n_structure_open_array_object"}
#: This project refuses these, though JSON's grammar does not.
REPEATED = {"y_object_duplicated_key", "y_object_duplicated_key_and_value"}
#: What a parser is free to do: the rules by which each of these is refused, or null where it is read. `docs/parsing.md` shows it.
DECIDED = json.loads((Path(__file__).parent / "parsing.json").read_bytes())


def judgement(data: bytes, *, reference: bool) -> set[str]:
    """The rules that a text breaks; none if it is read."""
    try:
        parse(data, LIMITS, reference=reference)
    except ParseError as error:
        return {problem.rule for problem in error.problems}
    return set()


def expected(name: str, rules: set[str]) -> bool:
    if name in TOO_DEEP:
        return rules == {"too-deep"}
    if name in REPEATED:
        return rules == {"duplicate-name"}
    if name.startswith("n_"):
        return "invalid-json" in rules
    return rules == set(DECIDED[name] or ()) if name.startswith("i_") else not rules


def test_the_parsing_suite() -> None:
    files = sorted(shared("conformance", "json-parsing").glob("[yni]_*.json"))
    assert len(files) == 318
    assert {file.stem for file in files if file.stem.startswith("i_")} == DECIDED.keys()
    wrong = []
    for file in files:
        data = file.read_bytes()
        rules = judgement(data, reference=False)
        if not expected(file.stem, rules) or rules != judgement(data, reference=True) or disagreement(data, LIMITS):
            wrong.append((file.stem, rules))
        if not rules:
            assert same(parse(data, LIMITS), parse(data, LIMITS, reference=True))
    assert wrong == []


def test_the_parsing_suite_by_the_command_and_by_the_function() -> None:
    folder = shared("conformance", "json-parsing")
    done = wrs_verify("--double-check", "--jobs", "1", "--report", "json", folder)
    assert (done.returncode, done.stderr) == (1, b"")
    records = {Path(record["input"]).stem: record for record in json.loads(done.stdout)["records"]}
    assert len(records) == 318
    for file in folder.glob("[yni]_*.json"):
        found = verify_bytes(file.read_bytes(), options=Options(double_check=True)).findings
        rules = {finding.rule for finding in found}
        assert rules == {finding["rule"] for finding in records[file.stem]["findings"]}, file.stem
        # What is read has no profile that is known, and fails for that alone.
        assert rules == {"unknown-profile"} if expected(file.stem, set()) else expected(file.stem, rules), file.stem


@pytest.mark.parametrize("name", ["arrays", "french", "structures", "unicode", "values", "weird"])
def test_the_examples_of_the_canonical_form(name: str) -> None:
    folder = shared("conformance", "jcs")
    data = (folder / "input" / f"{name}.json").read_bytes()
    output = (folder / "output" / f"{name}.json").read_bytes()
    assert output == bytes.fromhex((folder / "outhex" / f"{name}.txt").read_text())
    for document in (read(data, LIMITS), read(data, LIMITS, reference=True)):
        assert document.canonical == output
        assert canonical(document.value) == canonical_reference(document.value) == output


def test_cases_from_bug_reports() -> None:
    cases = json.loads(shared("conformance", "canonicalization-cases.json").read_text())
    assert len(cases) == 22
    for case in cases:
        data = bytes.fromhex(case["input_hex"])
        for reference in (False, True):
            if case["accept"]:
                assert read(data, LIMITS, reference=reference).canonical.hex() == case["canonical_hex"], case
            else:
                assert judgement(data, reference=reference), case
        assert disagreement(data, LIMITS) is None, case


def number_patterns(constants: list[str]) -> Iterator[int]:
    """The bit patterns of the official sequence of numbers, in order."""
    for constant in constants:
        yield int(constant, 16)
    yield from range(0x0010000000000000, 0x0010000000000000 + 2000)
    block = bytes(32)
    while True:
        block = hashlib.sha256(block).digest()
        for pattern in struct.unpack("<4Q", block):
            number = struct.unpack("<d", struct.pack("<Q", pattern))[0]
            if number and math.isfinite(number):
                yield pattern


def test_the_sequence_of_numbers() -> None:
    constants = json.loads(shared("conformance", "jcs", "number-constants.json").read_text())
    published = {
        1_000: "be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687",
        10_000: "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892",
        100_000: "22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7",
        1_000_000: "49415fee2c56c77864931bd3624faad425c3c577d6d74e89a83bc725506dad16",
    }
    most = 1_000_000 if os.environ.get("WRS_CONFORMANCE") == "full" else 100_000
    digest = hashlib.sha256()
    for line, pattern in zip(range(1, most + 1), number_patterns(constants), strict=False):
        number = struct.unpack("<d", struct.pack("<Q", pattern))[0]
        digest.update(f"{pattern:x},".encode() + canonical(number) + b"\n")
        if line in published:
            assert digest.hexdigest() == published[line]
