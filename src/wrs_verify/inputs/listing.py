"""What there is to read under the given paths, in the order of the names."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from heapq import merge
from pathlib import PurePath

from wrs_verify.inputs.names import readable, recognise, recognise_named
from wrs_verify.inputs.shapes import Found, MissingPath, Refused, Selection, Skipped, Source
from wrs_verify.inputs.walking import Folder, passed_over, walk

__all__ = ["find"]


def find(selection: Selection, base: str = "") -> Iterator[Found]:
    """Lists all that the paths lead to, sorted by name over all of them, each name once; nothing is read yet.

    In a folder, files are recognised by their names, others passed over with the reason. Hidden folders are not searched,
    and hidden files are left unmentioned unless they are named as records are. A symbolic link to a file in the given
    folder is read under its own name; one that leads out of the folder, or to a folder, is passed over with the reason, so
    no search can run in circles. Pipes, sockets and devices are passed over and never opened. A folder is named with a
    slash at its end.

    Args:
        selection: paths (files, folders, `-`, URLs) and globs.
        base: the folder that relative paths start from; by default the current one. Names do not tell it.

    Returns:
        `Source` for what `read` reads; `Skipped`; `Refused` for a folder that cannot be listed, or a link that leads nowhere.

    Raises:
        MissingPath: at the call, before anything is listed: a path does not exist, or is a URL that cannot be opened here.
    """
    singles: list[Found] = []
    streams: list[Iterator[Found]] = []
    for path in selection.paths:
        found = _given(path, selection, base)
        if isinstance(found, Source):
            singles.append(found)
        else:
            streams.append(found)
    singles.sort(key=_order)
    return _distinct(merge(singles, *streams, key=_order))


def _order(found: Found) -> tuple[str, bool]:
    # A file found twice, and passed over the one time (its folder's globs leave it out), is read.
    return found[0], not isinstance(found, Source)


def _distinct(found: Iterator[Found]) -> Iterator[Found]:
    last = None
    for each in found:
        if each[0] != last:
            last = each[0]
            yield each


def _given(path: str, selection: Selection, base: str) -> Source | Iterator[Found]:
    if not path:
        raise MissingPath("a path is empty: it names no file or folder")
    if path == "-":
        return Source("-", "-", "either", place="stdin")
    if path.startswith("file://"):
        path = _file_url(path)
    elif "://" in path:
        from wrs_verify.inputs.remote import find_remote

        return find_remote(path, selection)
    name = _name(path)
    path = os.path.join(base, path)  # noqa: PTH118 - a Path would drop a slash at the end, and base is mostly empty
    try:
        folder = stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 - a Path costs more than the call
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise MissingPath(f"no such file or folder: {name}") from None
    except OSError:
        folder = False  # Something is there: opening it will tell what is wrong.
    if not folder:
        return Source(name, path, *recognise_named(path))
    root = path.rstrip("/") or "/"

    def found(folder: Folder, entry: str, full: str, relative: str) -> Found:
        return _file(root, folder, entry, full, relative, selection)

    return walk(root, "" if name == "." else name.rstrip("/") + "/", selection, _scan, found)


def _file_url(url: str) -> str:
    """The local path of a `file:` URL (RFC 8089)."""
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost"):
        raise MissingPath(f"the file is on another host: {readable(url)}")
    return url2pathname(parts.path)


def _name(path: str) -> str:
    """A given path as it is reported: `./a//b/` is `a/b`, so that a file has one name however it was reached."""
    name = readable(PurePath(path).as_posix())
    return "./-" if name == "-" else name


def _scan(path: str) -> Folder:
    names, odd = [], {}
    with os.scandir(path) as entries:
        for entry in entries:
            name = readable(entry.name)
            usual = entry.is_file(follow_symlinks=False)
            if not usual and entry.is_dir(follow_symlinks=False):
                usual = True
                name += "/"
            if not usual or name.rstrip("/") != entry.name:
                odd[name] = entry
            names.append(name)
    return Folder.of(path, names, odd)


def _file(root: str, folder: Folder, entry: str, name: str, relative: str, selection: Selection) -> Found:
    odd = folder.odd.get(entry)
    if odd is not None and odd.is_symlink():
        return _link(root, odd.path, name, relative, selection)
    skipped = passed_over(name, relative, selection)
    if skipped:
        return skipped
    if odd is not None and not odd.is_file(follow_symlinks=False):
        return Skipped(name, "a pipe, a socket or a device")
    return _source(name, f"{folder.path}/{odd.name if odd else entry}", entry)


def _source(name: str, path: str, entry: str) -> Source:
    return Source(name, path, *(recognise(entry) or recognise_named(entry)), "found")


def _link(root: str, path: str, name: str, relative: str, selection: Selection) -> Found:
    """A symbolic link. What is opened later is the path it leads to now, without following any link."""
    target, inside = os.path.realpath(path), os.path.realpath(root)
    # Of a link that leads out nothing is looked at, not even whether it leads anywhere.
    if not target.startswith(inside.rstrip(os.sep) + os.sep) and target != inside:
        return Skipped(name, "a symbolic link that leads out of the folder")
    try:
        mode = os.stat(target).st_mode  # noqa: PTH116
    except OSError:
        mode = 0
    if stat.S_ISDIR(mode):
        return Skipped(name, "a symbolic link to a folder")
    skipped = passed_over(name, relative, selection)
    if skipped:
        return skipped
    if not mode:
        return Refused(name, "unreadable-input", "a symbolic link that leads nowhere")
    if not stat.S_ISREG(mode):
        return Skipped(name, "a symbolic link to a pipe, a socket or a device")
    return _source(name, target, relative)
