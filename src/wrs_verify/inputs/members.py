"""What zip and tar archives have in common: which members are read, under what names, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wrs_verify.inputs.names import not_a_record, readable, recognise, unsafe
from wrs_verify.inputs.shapes import Compression, Kind, Read, Refused, Skipped, Stop
from wrs_verify.inputs.streams import Budget, records

__all__ = ["Admitted", "Members", "member_records"]


class Admitted(NamedTuple):
    """A member that is read. `name` is `archive!member`."""

    name: str
    kind: Kind
    compression: Compression


class Members:
    """The members of one archive seen so far.

    To know a name again, 8 bytes of it are kept (in a set, some 70 in all): two names that agree in them by chance would
    be refused, once in 30 million archives of a million members.
    """

    def __init__(self, archive: str, max_members: int) -> None:
        self._archive = archive
        self._max_members = max_members
        self._count = 0
        self._seen: set[int] = set()

    def admit(self, name: str, *, folder: bool, obstacle: str | None) -> Admitted | Skipped | Refused | None:
        """Says what becomes of the next member: it is read, passed over, refused, or nothing at all (a folder).

        `obstacle`: why it could not be read if it was a record. Raises `Stop` beyond `--max-members`.
        """
        self._count += 1
        if self._count > self._max_members:
            raise Stop("oversized-input", f"the archive has more than {self._max_members} members (--max-members)")
        # `./a.json` and `a.json` are one file once unpacked.
        parts = [part for part in name.split("/") if part not in ("", ".")]
        full = f"{self._archive}!{readable('/'.join(parts) or name)}"
        danger = unsafe(name)
        if danger:
            return Refused(f"{self._archive}!{readable(name)}", "unsafe-path", danger)
        if folder:
            return None
        known = recognise(parts[-1]) if parts else None
        if known is None:
            return Skipped(full, not_a_record(name.rpartition("/")[2]))
        if any(part.startswith(".") for part in parts):
            return Skipped(full, "a hidden file, or in a hidden folder")
        if known.kind in ("zip", "tar"):
            return Skipped(full, "an archive within an archive")
        if obstacle:
            return Refused(full, "unreadable-input", obstacle)
        mark = hash(tuple(parts))
        if mark in self._seen:
            return Refused(full, "unsafe-path", "an earlier member has the same name: which of the two is unpacked depends on the tool")
        self._seen.add(mark)
        return Admitted(full, known.kind, known.compression)


def member_records(member: Admitted, blocks: Iterator[bytes], budget: Budget) -> Iterator[Read]:
    """The records of one member. What ends it is its own: the archive goes on to the next one."""
    empty = True
    try:
        for part in records(member.name, member.kind, member.compression, blocks, budget):
            empty = False
            yield part
    except Stop as stop:
        yield Refused(member.name, stop.rule, stop.message)
        return
    if empty:
        yield Skipped(member.name, "holds no record")
