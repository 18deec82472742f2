"""What a verdict rests on, as the page shows it: for each thing how many records, in words and as the parts of a bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from wrs_verify.model import Coverage
from wrs_verify.report import Checked, Summary
from wrs_verify.report.wording import history_root, number_of, pins

__all__ = ["Basis", "Part", "basis", "shares"]


class Part(NamedTuple):
    """A part of a bar: how it looks, how many, in which words, and where it begins and how wide it is, in thousandths."""

    look: str
    number: int
    words: str
    start: float = 0
    width: float = 0


class Basis(NamedTuple):
    """One thing that the verdict rests on. `remark` is what else must be said of it."""

    name: str
    said: str
    parts: tuple[Part, ...]
    remark: str = ""


_ORIGINS = {"source": "from source versions", "version": "from the view itself", "record": "from the view itself"}


def basis(summary: Summary) -> list[Basis]:
    """Everything that the verdict of a run rests on, but for the coverage."""
    made = []
    records = summary.records
    if records:
        targets = summary.targets
        origins: dict[str, int] = {}
        for origin, number in summary.content_origins.items():
            words = _ORIGINS.get(origin, f"from {origin}")
            origins[words] = origins.get(words, 0) + number
        said = ", ".join(f"{number:,} {words}" for words, number in origins.items())
        made = [
            _hash("public view hash", summary.public_view, records, "could not be computed", ""),
            _hash("content hash", summary.content, records, "whose input is not in the view", said),
            Basis(
                "targets",
                f"agree in {targets.agree:,} of {records:,}",
                _bar(
                    ("good", targets.agree, "agree"),
                    ("bad", targets.differ, "differ"),
                    ("open", targets.unsettled, "not fully compared"),
                ),
            ),
        ]
    if summary.pins is not None:
        made.append(Basis("pins", pins(summary.pins, summary.records), ()))
    state = summary.history
    if state is not None:
        added = "as it was" if state.added is None else f"this run added {number_of(state.added, 'record')}"
        missed = f"; of the last complete drop, {number_of(state.absent, 'record')} not here" if state.absent else ""
        made.append(Basis("history", f"{number_of(state.runs, 'run')}; {added}{missed}", (), f"root {history_root(summary)}"))
    return made


def _hash(name: str, checked: Checked, records: int, unavailable: str, remark: str) -> Basis:
    parts = _bar(
        ("good", checked.match, "recomputed and equal"),
        ("bad", checked.mismatch, "recomputed, and different"),
        ("open", checked.unavailable, unavailable),
        ("open", checked.unrecorded, "with no hash recorded"),
        ("open", checked.unread, "not read"),
    )
    return Basis(name, f"recomputed and equal in {checked.match:,} of {records:,}", parts, remark)


#: The classes of coverage, and what becomes of a change.
_CLASSES = (
    ("hashed", "the hash covers it"),
    ("corroborated", "agrees with a hashed copy"),
    ("repeated", "agrees with copies that are not hashed"),
    ("fixed", "the profile allows one value"),
    ("unprotected", "a change can go unseen"),
)


def shares(coverage: Coverage) -> tuple[Part, ...]:
    """The classes of coverage as the parts of a bar, those too that have no value."""
    return _placed([Part(name, number, words) for (name, words), number in zip(_CLASSES, coverage[:5], strict=True)])


def _bar(*parts: tuple[str, int, str]) -> tuple[Part, ...]:
    return _placed([Part(*part) for part in parts if part[1]])


def _placed(parts: Sequence[Part]) -> tuple[Part, ...]:
    total = sum(part.number for part in parts) or 1
    placed, before = [], 0
    for part in parts:
        placed.append(part._replace(start=_thousandths(before, total), width=_thousandths(part.number, total)))
        before += part.number
    return tuple(placed)


def _thousandths(number: int, total: int) -> float:
    return round(1000 * number / total, 2)
