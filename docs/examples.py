"""Takes the examples of the rules' documentation from the vectors: for each rule a case with its finding, and one without.

What an example shows of a record are the places that the finding names, first in the failing input, then in the passing one. What
it shows of an input that cannot be parsed are the lines on which it differs from a good record.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import chdir
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

from wrs_verify import pointers
from wrs_verify.canonical import canonical, digest
from wrs_verify.cli import command
from wrs_verify.model import Limits
from wrs_verify.parsing import ParseError, parse
from wrs_verify.rules import rules
from wrs_verify.safe import shorten, terminal, value

__all__ = ["PLAIN", "SOURCED", "examples"]

PROJECT = Path(__file__).resolve().parent.parent

#: What serves as the passing example where the cases of a rule have none: without a source version, and with one.
PLAIN, SOURCED = "valid/plain", "content-hash/match"
#: Columns of a line that is shown: indented, it fits into 100.
WIDTH = 96
MAX_LINES = 4


class Run(NamedTuple):
    """A case of the vectors, and what the verifier gives for it."""

    inputs: list[str]
    arguments: list[str]
    findings: list[dict[str, Any]]


@cache
def examples() -> dict[str, Any]:
    """For each rule that some case breaks: the example that fails and the one that passes, as `examples.json` holds them."""
    files = sorted((PROJECT / "vectors/cases").glob("*.json"))
    cases = {case["case"]: case for file in files for case in json.loads(file.read_bytes())["cases"]}
    made: dict[str, Any] = {}
    with chdir(PROJECT):
        for name in rules():
            own = [case for case in cases.values() if case["case"].startswith(f"{name}/")]
            failing = [run(case) for case in own or cases.values() if any(finding["rule"] == name for finding in case["findings"])]
            if failing:
                best = max(failing, key=lambda one: telling(finding_of(name, one)))
                other = cases[SOURCED if "--sources" in best.arguments else PLAIN]
                good = (case for case in own if case["exit"] == 0 and all(each["rule"] != name for each in case["findings"]))
                made[name] = pair(name, best, run(next(good, other)))
    return made


def run(case: dict[str, Any]) -> Run:
    """Run the command as a case says, but from the project's folder."""
    arguments, inputs = [[in_vectors(word) for word in case[part]] for part in ("arguments", "inputs")]
    done = CliRunner().invoke(command, [*arguments, *inputs, "--jobs", "1", "--report", "json"])
    report = json.loads(done.stdout)
    found = [finding for record in report["records"] for finding in record["findings"]] + report["findings"]
    return Run(inputs, arguments, found)


def in_vectors(word: str) -> str:
    return f"vectors/{word}" if Path("vectors", word).exists() else word


def finding_of(rule: str, one: Run) -> dict[str, Any]:
    return next(finding for finding in one.findings if finding["rule"] == rule)


def telling(finding: dict[str, Any]) -> tuple[bool, bool]:
    """Whether a finding names other places too, and whether the value at its own place can be shown whole."""
    return bool(finding["related"]), isinstance(finding["actual"], str | int | float)


def pair(rule: str, failing: Run, passing: Run) -> dict[str, Any]:
    finding = finding_of(rule, failing)
    if finding["input"] not in files(failing):  # a member of an archive
        lines: tuple[list[str], list[str]] = [terminal(finding["input"])], []
    elif finding["pointer"] is not None and is_parsed(finding["input"]):
        lines = list(values(finding, failing, failing)), list(values(finding, failing, passing))
    else:
        lines = differing(finding, passing)
    return {
        "fails": {"command": called(failing), "says": finding["message"], "lines": lines[0]},
        "passes": {"command": called(passing), "says": "", "lines": lines[1]},
    }


def called(one: Run) -> str:
    return " ".join(["wrs-verify", *one.arguments, *one.inputs])


def is_parsed(name: str) -> bool:
    try:
        parse(Path(name).read_bytes(), Limits())
    except ParseError:
        return False
    return True


def values(finding: dict[str, Any], failing: Run, shown: Run) -> Iterator[str]:
    """What stands at the places that a finding names, in the inputs of a run: the failing one itself, or another like it."""
    places = [
        (finding["input"], finding["pointer"]),
        *[(each["input"] or finding["input"], each["pointer"]) for each in finding["related"]],
    ]
    theirs, ours = files(failing), files(shown)
    named = dict(zip(theirs, ours, strict=True)) if len(theirs) == len(ours) else {}
    several = len({name for name, _ in places}) > 1
    for name, pointer in places[:MAX_LINES]:
        if name in named:
            before = f"{terminal(Path(named[name]).name)} " if several else ""
            before += f"{terminal(pointer) or '(the whole record)'}: "
            yield before + at_pointer(named[name], pointer, max(WIDTH - len(before), 24))


def files(one: Run) -> list[str]:
    """The files of a run in order: its inputs, what is in those that are folders, and the source versions that it is given."""
    words = [*one.inputs, *[word for word in one.arguments if word.startswith("vectors/")]]
    return [file.as_posix() for word in words for file in (sorted(Path(word).glob("*")) if Path(word).is_dir() else [Path(word)])]


def at_pointer(name: str, pointer: str, width: int) -> str:
    try:
        found = pointers.resolve(json.loads(Path(name).read_bytes()), pointer)
    except KeyError:
        return "(not there)"
    text = value(found, width)
    if isinstance(found, dict | list) and "…" in text:
        what = f"an object of {len(found)} members" if isinstance(found, dict) else f"an array of {len(found)} items"
        return f"({what}, sha256:{digest(canonical(found))[7:15]}…)"
    return text


def differing(finding: dict[str, Any], passing: Run) -> tuple[list[str], list[str]]:
    """The lines of two texts around the place of the finding, from the line before the first difference there."""
    if finding["line"] is None:
        return [], []
    bad, good = [Path(name).read_bytes().decode("utf-8", "backslashreplace").splitlines() for name in (finding["input"], passing.inputs[0])]
    changes = [change for change in SequenceMatcher(None, bad, good, autojunk=False).get_opcodes() if change[0] != "equal"]
    _, start, stop, begin, end = min(changes, key=lambda change: abs(change[1] - (finding["line"] - 1)))
    alike = (begin, end) != (0, len(good))
    return excerpt(bad, start, stop), excerpt(good, begin, end) if alike else []


def excerpt(lines: list[str], start: int, stop: int) -> list[str]:
    return [shorten(terminal(line), WIDTH) for line in lines[max(start - 1, 0) : stop][:MAX_LINES]]
