"""URLs, through fsspec: an extra, imported only for a path that is one.

What a backend raises is its own affair (`aiohttp.ClientError`, the exceptions of `botocore`), with no common base below
`Exception`. So this module, and no other, catches that, around the backend's own calls alone.
"""

from __future__ import annotations

import errno
import io
import os
import re
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from wrs_verify.inputs.names import readable, recognise, recognise_named
from wrs_verify.inputs.shapes import Found, MissingPath, Selection, Source, Stop
from wrs_verify.inputs.streams import BLOCK
from wrs_verify.inputs.walking import Folder, passed_over, walk

__all__ = ["Reads", "find_remote", "opened", "size_in_parts"]

#: Compressed by the server, a text would be expanded within the backend, where no limit holds.
_HEADERS = {"Accept-Encoding": "identity"}


def find_remote(url: str, selection: Selection) -> Source | Iterator[Found]:
    """Lists what a URL leads to: a folder is searched as a local one is.

    Over HTTP a URL is always one file, as there are no folders: a page of links is no list of files.

    Raises:
        MissingPath: nothing is there, or fsspec or its backend for such URLs is not installed.
    """
    filesystem, path = _filesystem(url)
    name = readable(re.sub(r"(?<=://)[^/@]*@", "", url))  # Without the user's name and password, if it holds them.
    if _web(url):
        return Source(name, url, *recognise_named(urlsplit(url).path), "remote")
    try:
        folder = bool(filesystem.isdir(path))
        missing = not folder and not filesystem.exists(path)
    except Exception:
        folder = missing = False  # Opening it will tell what is wrong.
    if missing:
        raise MissingPath(f"no such file or folder: {name}")
    if not folder:
        return Source(name, url, *recognise_named(path), "remote")

    def scan(at: str) -> Folder:
        return _folder(filesystem, at)

    def found(_: Folder, entry: str, full: str, relative: str) -> Found:
        skipped = passed_over(full, relative, selection)
        if skipped:
            return skipped
        inside = f"{url.rstrip('/')}/{relative}"
        return Source(full, inside, *(recognise(entry) or recognise_named(entry)), "remote")

    return walk(path.rstrip("/"), name.rstrip("/") + "/", selection, scan, found)


def _web(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


def _filesystem(url: str) -> tuple[Any, str]:
    """fsspec's file system for a URL, and the path in it."""
    shown = readable(url.partition("://")[0])
    if "::" in url:
        raise MissingPath(f"chained URLs (::) are not read: {shown}://…")
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingPath(f"{shown}:// needs the extra [remote]: pip install 'wrs-verify[remote]'") from None
    options = {"headers": _HEADERS} if _web(url) else {}
    try:
        filesystem, path = url_to_fs(url, **options)
    except (ImportError, ValueError) as error:
        raise MissingPath(f"{shown}:// cannot be opened here: {error}") from error
    except Exception as error:
        raise MissingPath(f"{shown}:// cannot be opened here: {type(error).__name__}") from error
    return filesystem, str(path)


def _folder(filesystem: Any, path: str) -> Folder:
    try:
        entries = filesystem.ls(path, detail=True)
    except Exception as error:
        raise OSError(0, type(error).__name__) from error
    names = []
    for entry in entries:
        parent, _, name = str(entry["name"]).rstrip("/").rpartition("/")
        # Object stores list a folder's own mark among what is in it.
        if name and parent.strip("/") == path.strip("/"):
            names.append(name + "/" if entry["type"] == "directory" else name)
    return Folder.of(path, names)


class Reads:
    """A remote file whose failures are `OSError`s, as a local file's are."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def read(self, size: int, /) -> bytes:
        try:
            return bytes(self._file.read(size))
        except Stop:
            raise
        except Exception as error:
            raise OSError(0, type(error).__name__) from error

    def seek(self, offset: int, whence: int = 0, /) -> int:
        try:
            return int(self._file.seek(offset, whence))
        except Exception as error:
            raise OSError(0, type(error).__name__) from error

    def close(self) -> None:
        self._file.close()


class _Ranges(io.RawIOBase):
    """A file over HTTP that is read at any place: a request for each read (RFC 9110, section 14).

    Not by fsspec's own file, which holds in memory whatever the server sends, however much was asked for.
    """

    def __init__(self, filesystem: Any, url: str) -> None:
        self._filesystem = filesystem
        self._url = url
        self._size = int(filesystem.info(url)["size"])
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self._position = offset + (0, self._position, self._size)[whence]
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any, /) -> int:
        last = min(self._position + len(buffer), self._size) - 1
        if last < self._position:
            return 0
        headers = _HEADERS | {"Range": f"bytes={self._position}-{last}"}
        with self._filesystem.open(self._url, "rb", block_size=0, size=self._size, headers=headers) as answer:
            if not answer.r.headers.get("Content-Range", "").startswith(f"bytes {self._position}-{last}/"):
                raise Stop("unreadable-input", "a zip archive is read in parts, which the server does not send")
            data = answer.read(last + 1 - self._position)
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)


def size_in_parts(url: str) -> int | None:
    """The size of a remote file in bytes; None where it is not known, or the file cannot be read at any place."""
    try:
        filesystem, path = _filesystem(url)
        told = filesystem.info(path)
    except Exception:
        return None  # Opening it will tell what is wrong.
    size = told.get("size")
    return size if isinstance(size, int) and (told.get("partial") or not _web(url)) else None


def opened(url: str, *, seekable: bool) -> Reads:
    """Opens a URL for reading. Over HTTP it is one request, unless the file must be `seekable`.

    Raises:
        Stop: it cannot be opened.
    """
    filesystem, path = _filesystem(url)
    try:
        if not _web(url):
            return Reads(filesystem.open(path, "rb"))
        if not seekable:
            return Reads(filesystem.open(path, "rb", block_size=0))
        return Reads(io.BufferedReader(_Ranges(filesystem, path), 2 * BLOCK))
    except FileNotFoundError as error:
        raise Stop("unreadable-input", _not_found(url, error)) from error
    except Exception as error:
        raise Stop("unreadable-input", f"cannot be opened: {type(error).__name__}") from error


def _not_found(url: str, error: BaseException) -> str:
    """Why something was not found. Of a server that cannot be reached fsspec says so too: what it met with stands behind its error."""
    behind = error.__cause__ or error.__context__
    if behind is None or not _web(url) or getattr(behind, "status", None) == 404:
        return "cannot be opened: it is not there"
    if isinstance(behind.__cause__ or behind.__context__, socket.gaierror):
        return "cannot be reached: the name of its host is not known"
    if isinstance(behind, OSError) and behind.errno is not None and behind.errno in errno.errorcode:
        return f"cannot be reached: {os.strerror(behind.errno).lower()}"
    return f"cannot be reached: {type(behind).__name__}"
