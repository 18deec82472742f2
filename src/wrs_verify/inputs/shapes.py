"""What the modules of this package hand to one another."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from wrs_verify.model import Limits, Skipped

__all__ = [
    "Compression",
    "Found",
    "InputLimits",
    "Item",
    "Kind",
    "MissingPath",
    "Place",
    "Read",
    "Refused",
    "Selection",
    "Skipped",
    "Source",
    "Stop",
]

Kind: TypeAlias = Literal["json", "lines", "tar", "zip", "either"]
Compression: TypeAlias = Literal["", "gz", "bz2", "xz", "zst"]
Place: TypeAlias = Literal["named", "found", "stdin", "remote"]


class Selection(NamedTuple):
    """What to look at. The globs concern the files of folders alone: what is named outright is always read.

    A glob without a slash is held against each part of a path below the given folder, one with slashes against the whole
    of it, where `**` stands for any number of folders. `exclude` wins over `include`.
    """

    paths: tuple[str, ...]
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class InputLimits(NamedTuple):
    """How much is read of one input at most; each limit is an option of the command, and what it refuses names that option.

    A record differs from any other in two hashes at least, which no compression makes smaller than 64 bytes; a record of
    25 KB so cannot shrink 400 times, however alike the records of a file are. A bomb does 1,000 to 1,000,000 times.
    """

    max_size: int = Limits().max_size
    """Bytes of one record's text (`--max-size`)."""
    max_expanded: int = 4 * 1024**3
    """Bytes that the compressed parts of one input expand to, all together (`--max-expanded`)."""
    max_ratio: int = 1000
    """How many times its size compressed data expands to (`--max-ratio`); what fits in `RATIO_GRACE` bytes is not held to it."""
    max_members: int = 1_000_000
    """Members of one archive, of whatever kind (`--max-members`)."""
    max_lines: int = 1_000_000
    """Lines of one JSON Lines input, blank ones too (`--max-lines`): its records have no names, so that nothing else bounds them."""


class Source(NamedTuple):
    """One thing that can be read. `kind` `json` holds one record; `either` is decided by its content.

    `name` is for people and reports: as given or found, always valid Unicode (see `names.readable`), never absolute unless
    given so. `path` is for opening. `place` tells how to open it: a file `named` by the user may be a link or a pipe, one
    `found` in a folder may not.
    """

    name: str
    path: str
    kind: Kind
    compression: Compression = ""
    place: Place = "named"

    @property
    def plain(self) -> bool:
        """Whether it is a local file that is one record, the common case."""
        return self.kind == "json" and not self.compression and self.place in ("named", "found")


class Item(NamedTuple):
    """The text of one record, unparsed. `line` counts from 1 in a JSON Lines file; None elsewhere."""

    name: str
    line: int | None
    data: bytes


class Refused(NamedTuple):
    """Something that may hold records and was not read: a finding. `rule`: `unreadable-input`, `oversized-input`, `unsafe-path`."""

    name: str
    rule: str
    message: str
    line: int | None = None


Found: TypeAlias = Source | Skipped | Refused
Read: TypeAlias = Item | Skipped | Refused


class MissingPath(ValueError):
    """A given PATH does not exist, or nothing that is installed can open it. The message says which."""


class Stop(Exception):
    """Within this package: what is being read cannot be read any further. Its reader makes a `Refused` of it."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(rule, message)
        self.rule = rule
        self.message = message
