"""A search through folders, local or remote, in the order of the names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from wrs_verify.inputs.names import not_a_record, recognise, unwanted
from wrs_verify.inputs.shapes import Found, Refused, Selection, Skipped

__all__ = ["Folder", "passed_over", "walk"]


class Folder(NamedTuple):
    """A folder, and what is left to visit in it.

    `names` are as reported, sorted, last first; those of folders end in a slash, so that a folder stands where the names of
    the files in it do, and a walk is in the order of whole names. `odd` has the entries that their names do not tell all about.
    """

    path: str
    names: list[str]
    odd: dict[str, os.DirEntry[str]]

    @classmethod
    def of(cls, path: str, names: Iterable[str], odd: dict[str, os.DirEntry[str]] | None = None) -> Folder:
        """Sorts the names; leaves out hidden folders, and hidden files that are not named as records are."""
        left = [name for name in names if name[0] != "." or (name[-1] != "/" and recognise(name))]
        left.sort(reverse=True)
        return cls(path, left, odd or {})


def walk(
    root: str,
    prefix: str,
    selection: Selection,
    scan: Callable[[str], Folder],
    found: Callable[[Folder, str, str, str], Found],
) -> Iterator[Found]:
    """Everything in a folder, sorted by name. Only the names in the folders on the way are held.

    Args:
        root: the folder's path.
        prefix: what stands before the names found: the folder's name and a slash, or nothing.
        selection: its globs.
        scan: lists a folder, given its path; raises `OSError` where it cannot.
        found: what becomes of a file, given its folder, its name, its full name, and its name below the root.
    """
    pending: list[tuple[Folder, str]] = []
    path, relative = root, ""
    while True:
        try:
            pending.append((scan(path), relative))
        except OSError as error:
            yield Refused(prefix + relative or "./", "unreadable-input", f"the folder cannot be listed: {error.strerror}")
        path = ""
        while pending and not path:
            folder, inner = pending[-1]
            if not folder.names:
                pending.pop()
                continue
            name = folder.names.pop()
            relative = inner + name
            if name[-1] != "/":
                yield found(folder, name, prefix + relative, relative)
            elif why := unwanted(relative[:-1], (), selection.exclude):
                yield Skipped(prefix + relative, why)
            else:
                path = f"{folder.path}/{folder.odd[name].name if name in folder.odd else name[:-1]}"
        if not path:
            return


def passed_over(name: str, relative: str, selection: Selection) -> Skipped | None:
    """Why a file in a folder is passed over for its name; None if it is not."""
    last = relative.rpartition("/")[2]
    if recognise(last) is None:
        return Skipped(name, not_a_record(last))
    if last.startswith("."):
        return Skipped(name, "a hidden file")
    why = unwanted(relative, selection.include, selection.exclude)
    return Skipped(name, why) if why else None
