"""A third canonicalizer, in another language, gives the same bytes: the npm package `canonicalize`, which `make conformance` installs."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import fuzz
import pytest

from wrs_verify import canonical, parsing
from wrs_verify.model import Limits

pytestmark = pytest.mark.conformance

PROJECT = Path(__file__).resolve().parent.parent
#: Reads a JSON text a line, in hexadecimal, and writes its canonical form likewise.
SCRIPT = """
import { readFileSync } from "node:fs"
import canonicalize from "canonicalize"
const lines = readFileSync(0, "utf8").split("\\n").filter(Boolean)
const made = lines.map(line => Buffer.from(canonicalize(JSON.parse(Buffer.from(line, "hex").toString("utf8"))), "utf8").toString("hex"))
process.stdout.write(made.join("\\n"))
"""


def documents() -> Iterator[tuple[bytes, bytes]]:
    """Texts that are read, each with its canonical form: the vectors, then generated ones."""
    for data in (*fuzz.seeds(), *islice(fuzz.texts(random.Random(8785), fuzz.seeds()), 100_000)):
        try:
            yield data, canonical.read(data, Limits()).canonical
        except parsing.ParseError:
            continue


def test_a_third_canonicalizer_agrees() -> None:
    node = shutil.which("node")
    if node is None or not (PROJECT / "node_modules/canonicalize").is_dir():
        reason = "needs Node and the npm package canonicalize: make conformance"
        if os.environ.get("WRS_CONFORMANCE") == "full":
            pytest.fail(reason)
        pytest.skip(reason)
    given = list(documents())
    assert len(given) > 30_000
    lines = "\n".join(data.hex() for data, _ in given)
    command = [node, "--input-type=module", "-e", SCRIPT]
    done = subprocess.run(command, cwd=PROJECT, input=lines, capture_output=True, text=True, timeout=600, check=True)
    made = [bytes.fromhex(line) for line in done.stdout.split("\n")]
    assert len(made) == len(given)
    assert [data for (data, form), other in zip(given, made, strict=True) if form != other] == []
