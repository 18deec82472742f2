"""Make the vectors: `python vectors/make.py [FOLDER]`, into this folder unless another is named.

The same bytes come out on every machine. Files that no case asks for any more are removed from the subfolders, all of which
belong to this script. The check of what was made is in `tests/test_vectors.py`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import cases_agreement
import cases_claims
import cases_drop
import cases_hashes
import cases_input
import cases_profile
import cases_texts
import cases_valid
from cases import Case, Expected

FAMILIES = (cases_valid, cases_input, cases_profile, cases_hashes, cases_agreement, cases_texts, cases_claims, cases_drop)


def main(folder: Path) -> None:
    """Write every input and every case file under the folder, and nothing else under its subfolders."""
    wanted = contents([case for family in FAMILIES for case in family.CASES])
    for old in sorted(folder.glob("*/**/*")):
        if old.is_file() and "__pycache__" not in old.parts and old.relative_to(folder).as_posix() not in wanted:
            old.unlink()
    for name, data in wanted.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def contents(cases: list[Case]) -> dict[str, bytes]:
    """Every file of the vectors: its path and its bytes."""
    files: dict[str, bytes] = {}
    by_family: dict[str, list[Case]] = {}
    for case in cases:
        for name, data in case.files.items():
            if files.setdefault(name, data) != data:
                raise ValueError(f"two cases write different bytes to {name}")
        by_family.setdefault(case.family, []).append(case)
    for family, members in by_family.items():
        names = [case.name for case in members]
        if len(set(names)) < len(names):
            raise ValueError(f"two cases of {family} have one name")
        document = {"format": "wrs-verify-vectors-1", "cases": [described(case) for case in members]}
        files[f"cases/{family}.json"] = (json.dumps(document, indent=2, ensure_ascii=True) + "\n").encode()
    return files


def described(case: Case) -> dict[str, Any]:
    """A case as its case file states it."""
    inputs = list(case.inputs or case.files)
    findings = sorted((finding(expected, inputs) for expected in case.findings), key=order)
    return {
        "case": f"{case.family}/{case.name}",
        "comment": case.comment,
        "arguments": list(case.arguments),
        "inputs": inputs,
        "exit": 1 if any(expected.level == "error" for expected in case.findings) else 0,
        "findings": findings,
    }


def finding(expected: Expected, inputs: list[str]) -> dict[str, str]:
    """A finding as a case file states it; without an input of its own it is about the only one."""
    if expected.input is None and len(inputs) != 1:
        raise ValueError(f"which of {inputs} gives {expected}?")
    place = {} if expected.pointer is None else {"pointer": expected.pointer}
    return {"rule": expected.rule, "level": expected.level, "input": inputs[0] if expected.input is None else expected.input, **place}


def order(stated: dict[str, str]) -> tuple[str, str, str]:
    return stated["input"], stated.get("pointer", ""), stated["rule"]


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
