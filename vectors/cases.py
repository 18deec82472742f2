"""What a case is, and the short words in which the families of cases are written.

All that a case expects is written by hand, from what the format says; nothing is recorded from a run of the verifier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from builder import change, record, text

__all__ = ["CONTENT", "Case", "Expected", "altered", "as_error", "error", "files", "note", "warning"]


class Expected(NamedTuple):
    """A finding that a run must give. `pointer` is None where the place is not part of the contract; `input` where there is one input."""

    rule: str
    level: str
    pointer: str | None = None
    input: str | None = None


class Case(NamedTuple):
    """A run of the verifier: `family` names the case file, `files` are what the run is given (path to bytes).

    `inputs` are the paths of the command line, if not those of the files.
    """

    family: str
    name: str
    comment: str
    files: Mapping[str, bytes]
    findings: Sequence[Expected]
    arguments: Sequence[str] = ()
    inputs: Sequence[str] = ()


def error(rule: str, pointer: str | None = None, input: str | None = None) -> Expected:
    return Expected(rule, "error", pointer, input)


def warning(rule: str, pointer: str | None = None, input: str | None = None) -> Expected:
    return Expected(rule, "warning", pointer, input)


def note(rule: str, pointer: str | None = None, input: str | None = None) -> Expected:
    return Expected(rule, "note", pointer, input)


def as_error(finding: Expected) -> Expected:
    """The same finding, at the level that an option raises it to."""
    return finding._replace(level="error")


#: What every record gives whose source version is not at hand, and whose view is not the content itself.
CONTENT = note("content-unavailable", "/version/source_ref")


def altered(
    family: str,
    name: str,
    comment: str,
    changes: Mapping[str, Any],
    *findings: Expected,
    base: dict[str, Any] | None = None,
    stamped: bool = True,
    arguments: Sequence[str] = (),
    content: Expected | None = CONTENT,
) -> Case:
    """A case of one record with some values changed. It gives the findings, and the note that its content is not at hand."""
    document = change(record(f"{family}-{name}") if base is None else base, changes, stamped=stamped)
    return Case(family, name, comment, files(family, name, text(document)), [*findings, *([content] if content else [])], arguments)


def files(family: str, name: str, data: bytes, suffix: str = ".json") -> dict[str, bytes]:
    """The one file of a case, where its family's inputs are."""
    return {f"{family}/{name}{suffix}": data}
