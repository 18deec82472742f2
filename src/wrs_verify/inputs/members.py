"""What zip and tar archives have in common: which members are read, under what names, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wrs_verify.inputs.names import alike, not_a_record, readable, recognise, unsafe
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
        self._links: set[int] = set()

    def admit(
        self,
        name: str,
        *,
        folder: bool,
        obstacle: str | None,
        flaw: Stop | None = None,
        link: bool = False,
        others: Sequence[str] = (),
    ) -> Admitted | Skipped | Refused | None:
        """Says what becomes of the next member: it is read, passed over, refused, or nothing at all (a folder).

        Args:
            name: the member's name.
            folder: whether it is a folder.
            obstacle: why it could not be read if it was a record.
            flaw: why it is refused, whatever it is.
            link: whether it is a link, hard or symbolic.
            others: what else some tools take for its name, where they agree on what `recognise` and `unsafe` look at.

        Raises:
            Stop: it is one more than `--max-members`.
        """
        self._count += 1
        if self._count > self._max_members:
            raise Stop("oversized-input", f"the archive has more than {self._max_members} members (--max-members)")
        parts = _parts(name)
        full = f"{self._archive}!{readable('/'.join(parts) or name)}"
        danger = unsafe(name)
        if danger:
            return Refused(f"{self._archive}!{readable(name)}", "unsafe-path", danger)
        if flaw:
            return Refused(full, flaw.rule, flaw.message)
        # Of a link each name is kept, so that none is left out once one is found.
        if (link or self._links) and any([self._through_link(_parts(one), link=link) for one in (name, *others)]):
            message = "the name leads through a link, which is an earlier member: some tools write to where that leads"
            return Refused(full, "unsafe-path", message)
        if folder:
            return None
        known = recognise(parts[-1]) if parts else None
        hidden = any(part.startswith(".") for part in parts)
        if known is None:
            last = [] if hidden or not parts else [_parts(one)[-1] for one in (name, *others)]
            if any(taken.kind in ("json", "lines") for taken in map(recognise, map(alike, last)) if taken):
                message = "some systems take the name for that of a record: they drop dots and spaces at its end, and what is not seen"
                return Refused(full, "unsafe-path", message)
            return Skipped(full, not_a_record(name.rpartition("/")[2]))
        if hidden:
            return Skipped(full, "a hidden file, or in a hidden folder")
        if known.kind in ("zip", "tar"):
            return Skipped(full, "an archive within an archive")
        if obstacle:
            return Refused(full, "unreadable-input", obstacle)
        marks = {hash(tuple(map(alike, _parts(one)))) for one in (name, *others)}
        if not marks.isdisjoint(self._seen):
            message = (
                "an earlier member has this name, or one that some systems take for it: which of the two is unpacked depends on the tool"
            )
            return Refused(full, "unsafe-path", message)
        self._seen |= marks
        return Admitted(full, known.kind, known.compression)

    def _through_link(self, parts: list[str], *, link: bool) -> bool:
        """Tells whether a folder on the way to a member is a link, or it would itself be written to one. Keeps it if it is a link."""
        mark, found = 0, False
        for number, part in enumerate(parts, 1):
            mark = hash((mark, alike(part)))
            found |= mark in self._links and not (link and number == len(parts))
        if link:
            self._links.add(mark)
        return found


def _parts(name: str) -> list[str]:
    # `./a.json` and `a.json` are one file once unpacked.
    return [part for part in name.split("/") if part not in ("", ".")]


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
