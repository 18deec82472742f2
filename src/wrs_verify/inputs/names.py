"""File names: as text, as kinds of input, and against globs."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import NamedTuple
from unicodedata import normalize

from wrs_verify.inputs.shapes import Compression, Kind

__all__ = ["Recognised", "alike", "not_a_record", "readable", "recognise", "recognise_named", "unsafe", "unwanted"]

_KINDS: dict[str, Kind] = {"json": "json", "jsonl": "lines", "ndjson": "lines", "tar": "tar", "zip": "zip"}
_COMPRESSIONS: dict[str, Compression] = {"gz": "gz", "bz2": "bz2", "xz": "xz", "zst": "zst"}
_NOT_TEXT = re.compile(r"\\(?=x[0-9a-f]{2}|u[0-9a-f]{4})|[\ud800-\udfff]")
_DRIVE = re.compile(r"[A-Za-z]:")
#: Code points that are not seen (Unicode's Default_Ignorable_Code_Point): HFS+ and the case folding of ext4 pass over them.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
#: What Windows allows in no name, and tools there replace by a low line.
_REPLACED = re.compile(r'[<>:"|?*\x01-\x1f]')
#: The longest name of a file that file systems hold, in characters.
_LONGEST = 255


class Recognised(NamedTuple):
    """What a file holds, by its name."""

    kind: Kind
    compression: Compression


def recognise(name: str) -> Recognised | None:
    """Tells what a file of this name holds, in whatever case its extension is; None: no records."""
    stem, dot, extension = name.lower().rpartition(".")
    if extension == "tgz" and dot:
        return Recognised("tar", "gz")
    compression = _COMPRESSIONS.get(extension, "") if dot else ""
    if compression:
        _, dot, extension = stem.rpartition(".")
    kind = _KINDS.get(extension) if dot else None
    if kind is None or (kind == "zip" and compression):
        return None
    return Recognised(kind, compression)


def recognise_named(name: str) -> Recognised:
    """The same for a file that the user named: what is not recognised is one record, compressed if its name says so."""
    extension = name.lower().rpartition(".")[2] if "." in name else ""
    return recognise(name) or Recognised("json", _COMPRESSIONS.get(extension, ""))


def not_a_record(name: str) -> str:
    """The reason why a file of this name is passed over."""
    _, dot, extension = name.rpartition(".")
    return f"not a record file (.{extension})" if dot and extension and len(extension) <= 16 else "not a record file"


def readable(name: str) -> str:
    r"""A name as valid Unicode, whatever its bytes are; different names stay different.

    A byte that is not UTF-8 (in Python: a lone surrogate, PEP 383) becomes `\xNN`, any other lone surrogate `\uNNNN`, and a
    backslash that could be mistaken for the start of either becomes `\x5c`. All other names stay as they are.
    """
    return name if name.isascii() and "\\" not in name else _NOT_TEXT.sub(_escape, name)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code == 0x5C:
        return r"\x5c"
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def unsafe(name: str) -> str | None:
    """Why a member of this name might be written outside the folder that an archive is unpacked in; None if it would not."""
    if not name:
        return "the member has no name"
    if "\0" in name:
        return "the name holds a null character, where some tools end it"
    if "\\" in name:
        return "the name holds a backslash, which divides folders on some systems"
    if name.startswith("/") or _DRIVE.match(name):
        return "the name is absolute"
    if ".." in name.split("/"):
        return "the name leads out of the archive's folder (..)"
    if any(part != "." and part and not part.strip(" .") for part in name.split("/")):
        return "a part of the name is nothing but dots and spaces, which some systems drop"
    return None


def alike(name: str) -> str:
    """What file systems and tools in common use may take a file's name for: two files of which this is the same may become one.

    They pass over case (Windows, macOS), the way that accents are written and what is not seen (macOS), and dots and spaces at
    the end (Windows), where `::$DATA` is the file itself.
    """
    # No file system has longer names, and to normalise them takes time that grows with the square of their length.
    if not name.isascii() and len(name) <= _LONGEST:
        name = normalize("NFD", _INVISIBLE.sub("", normalize("NFD", name)).casefold())
    return _REPLACED.sub("_", name.lower().removesuffix("::$data").rstrip(" ."))


def unwanted(path: str, include: tuple[str, ...], exclude: tuple[str, ...]) -> str | None:
    """Why the globs leave out a file at this path below the given folder; None if they do not."""
    parts = path.split("/")
    if exclude and _any(parts, exclude):
        return "left out by --exclude"
    return "not among --include" if include and not _any(parts, include) else None


def _any(parts: list[str], globs: tuple[str, ...]) -> bool:
    return any(
        _match(parts, glob.strip("/").split("/")) if "/" in glob else any(fnmatchcase(part, glob) for part in parts) for glob in globs
    )


def _match(parts: list[str], glob: list[str]) -> bool:
    if not glob:
        return not parts
    if glob[0] == "**":
        return any(_match(parts[start:], glob[1:]) for start in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], glob[0]) and _match(parts[1:], glob[1:])
