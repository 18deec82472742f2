"""JSON Pointers (RFC 6901), and where in a JSON text the value of a pointer stands.

The text is scanned as bytes, without recursion and in linear time, so that broken and hostile texts have places too. Scanning is not
parsing: a text that no parser accepts is followed as far as it is JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from wrs_verify.model import Json

__all__ = [
    "escape",
    "join",
    "locate",
    "locate_all",
    "offset_of",
    "offsets_of",
    "position",
    "positions",
    "resolve",
    "scan",
    "split",
    "string_text",
]

Event: TypeAlias = tuple[str, int, int, list[str | int]]

_SPACE = re.compile(rb"[ \t\n\r]*+")
_TOKEN = re.compile(
    rb"""[ \t\n\r]*+(?:
    (?P<string>"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+")
    |(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)
    |(?P<literal>true|false|null)
    |(?P<open>[\[{])
    |(?P<mark>[\]},:]))""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_COLON = re.compile(rb"[ \t\n\r]*+:[ \t\n\r]*+")
#: A name that can only be written as it is, `\u` escapes aside, and that cannot be the index of an array.
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*+")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
_BAD_TILDE = re.compile(r"~(?![01])")


def escape(token: str | int) -> str:
    """One reference token as a pointer writes it (RFC 6901, section 3)."""
    return str(token).replace("~", "~0").replace("/", "~1")


def join(*tokens: str | int) -> str:
    """The pointer made of these unescaped tokens; without any, the pointer of the whole document."""
    return "".join([f"/{escape(token)}" for token in tokens])


def split(pointer: str) -> list[str]:
    """The unescaped tokens of a pointer. Raises ValueError where it is none (RFC 6901, section 3)."""
    if not pointer:
        return []
    if pointer[0] != "/" or _BAD_TILDE.search(pointer):
        raise ValueError(f"not a JSON Pointer: {pointer!r}")
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/")]


def resolve(value: Json, pointer: str) -> Json:
    """The value that the pointer refers to in `value`. Raises KeyError where there is none (RFC 6901, section 4)."""
    for token in split(pointer):
        if isinstance(value, dict):
            value = value[token]
        elif isinstance(value, list) and _INDEX.fullmatch(token) and int(token) < len(value):
            value = value[int(token)]
        else:
            raise KeyError(token)
    return value


def position(data: bytes, offset: int) -> tuple[int, int]:
    r"""The line and column, each from 1, of the byte at `offset`.

    A line ends at `\n`, `\r\n` or a lone `\r`, as editors and the Language Server Protocol have it. A column counts Unicode code
    points; bytes that are not UTF-8 count as the U+FFFD that `errors="replace"` makes of them.
    """
    lines, start = _line_ends(data, 0, offset)
    return lines + 1, len(data[start:offset].decode("utf-8", "replace")) + 1


def positions(data: bytes, offsets: Iterable[int]) -> dict[int, tuple[int, int]]:
    """The `position` of each offset, in one pass over the text. Each must be that of the first byte of a character."""
    places: dict[int, tuple[int, int]] = {}
    line, column, at = 1, 1, 0
    for offset in sorted(set(offsets)):
        lines, start = _line_ends(data, at, offset)
        if lines:
            line, column, at = line + lines, 1, start
        column += len(data[at:offset].decode("utf-8", "replace"))
        at = offset
        places[offset] = line, column
    return places


def _line_ends(data: bytes, begin: int, offset: int) -> tuple[int, int]:
    """How many line ends lie from `begin` up to `offset`, and where the last line starts."""
    if data.find(b"\r", begin, offset) < 0:
        start = data.rfind(b"\n", begin, offset) + 1
        return (data.count(b"\n", begin, offset), start) if start else (0, begin)
    # A pair ends a line at its second byte, also where the offset stands between the two.
    end = offset - 1 if data[offset - 1 : offset + 1] == b"\r\n" else offset
    start = max(data.rfind(b"\n", begin, end), data.rfind(b"\r", begin, end)) + 1
    return data[begin:end].replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n"), start or begin


def string_text(token: bytes) -> str:
    """The text that a string token of JSON, quotes and all, stands for. A lone surrogate escape stays one; bad UTF-8 becomes U+FFFD."""
    text = token[1:-1].decode("utf-8", "replace")
    if "\\" not in text:
        return text
    text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _SHORT.get(found[2], found[2]), text)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def scan(data: bytes, start: int = 0) -> Iterator[Event]:
    """What stands in the JSON text, in order: kind, first byte, byte after the last, and the path to it.

    Scans one value from `start` on, and stops after it. Kinds: `name` (of a member), `string`, `number`, `literal`, `open`, `close`.
    Where the text is not JSON, a last event says what is missing there: `no value`, `no value or ]`, `no name`, `no name or }`,
    `no colon`, `no comma or ]`, `no comma or }`. The path is one list that changes as the scan goes on; that of `close` is the container's.
    """
    path: list[str | int] = []
    want, at = "value", start
    while True:
        token = _TOKEN.match(data, at)
        kind = (token.lastgroup or "") if token else ""
        begin, end = token.span(kind) if token else (_SPACE.match(data, at).end(), len(data))  # type: ignore[union-attr]
        mark = data[begin:end] if kind == "mark" else b""
        at = end
        if kind == "string" and want.startswith("name"):
            path[-1] = string_text(data[begin:end])
            want = "colon"
            yield "name", begin, end, path
            continue
        if kind and not mark and want.startswith("value"):
            if path and type(path[-1]) is int:
                path[-1] += 1
            yield kind, begin, end, path
            if kind == "open":
                array = data[begin] == 0x5B
                path.append(-1 if array else "")
                want = "value or ]" if array else "name or }"
                continue
        elif mark == b":" and want == "colon":
            want = "value"
            continue
        elif mark == b"," and want.startswith("comma"):
            want = "value" if type(path[-1]) is int else "name"
            continue
        elif mark and want.endswith(mark.decode()):
            path.pop()
            yield "close", begin, end, path
        else:
            yield f"no {want}", begin, begin, path
            return
        if not path:
            return
        want = "comma or ]" if type(path[-1]) is int else "comma or }"


class _Place:
    """A value that is looked for: where its name and it stand, and what is looked for inside it."""

    __slots__ = ("children", "name", "seen", "value")

    def __init__(self) -> None:
        self.children: dict[str, _Place] = {}
        self.forget()

    def forget(self) -> None:
        """Nothing has been found yet, here or below."""
        self.name = self.value = -1
        self.seen = 0
        for child in self.children.values():
            child.forget()


def _plan(routes: Iterable[list[str]]) -> tuple[_Place, int]:
    """The tree of what is looked for, and its depth."""
    root, deepest = _Place(), 0
    for tokens in routes:
        place, deepest = root, max(deepest, len(tokens))
        for token in tokens:
            place = place.children.setdefault(token, _Place())
    return root, deepest


def _find(data: bytes, start: int, root: _Place, deepest: int, *, occurrence: int = 0, once: bool = False) -> None:
    """Fill the tree in one scan. `occurrence` says which of several members of one name counts, at the places without children.

    `once` says that one place without children is looked for and that no name is repeated: then the scan ends there.
    """
    name = -1
    inside: list[_Place | None] = [None] * (deepest + 1)
    for kind, begin, _, path in scan(data, start):
        depth = len(path)
        if depth > deepest or kind == "close":
            continue
        if kind.startswith("no "):
            return
        parent = inside[depth - 1] if depth else None
        place = (parent.children.get(str(path[-1])) if parent else None) if depth else root
        if kind == "name":
            name = begin
            continue
        inside[depth] = place
        if place is None:
            continue
        place.seen += 1
        if place.children:
            if place.seen > 1:
                seen = place.seen
                place.forget()
                place.seen = seen
        elif occurrence and place.seen != occurrence:
            continue
        place.name, place.value = (name if depth and type(path[-1]) is str else begin), begin
        if once and not place.children:
            return


def _nearest(root: _Place, tokens: list[str], *, name: bool = False) -> int | None:
    """The offset of the value (or name) at the end of the tokens, or of the last value found on the way there."""
    place, found, reached = root, root.value, not tokens
    for number, token in enumerate(tokens, 1):
        place = place.children[token]
        if place.value < 0:
            break
        found, reached = place.value, number == len(tokens)
    if name and reached:
        found = place.name
    return found if found >= 0 else None


def locate(data: bytes, pointer: str, *, name: bool = False, occurrence: int = 0, exists: bool = False) -> tuple[int, int] | None:
    """The line and column of the value that the pointer refers to; where there is none, of the nearest value that should hold it.

    `name` asks for the member's name instead of its value, where it is a member. Of several members of one name the last counts, as
    in a parser; `occurrence` asks for another one at the pointer's end (1 is the first). `exists=True` is a promise that the text
    is valid JSON without repeated names in which the pointer refers to a value: then most of the text need not be scanned.
    Returns None where the text has no value at all. Raises ValueError where it is not a pointer.
    """
    offset = offset_of(data, pointer, name=name, occurrence=occurrence, exists=exists)
    return None if offset is None else position(data, offset)


def offset_of(data: bytes, pointer: str, *, name: bool = False, occurrence: int = 0, exists: bool = False) -> int | None:
    """As `locate`, but the offset of the first byte."""
    tokens = split(pointer)
    start = 0
    if exists and tokens and not _has_unicode_escape(data):
        for number in range(len(tokens) - 1, -1, -1):
            begin = _only_place(data, tokens[number])
            colon = _COLON.match(data, begin + len(tokens[number]) + 2) if begin >= 0 else None
            if colon is None:
                continue
            rest = tokens[number + 1 :]
            if not rest:
                return begin if name else colon.end()
            start, tokens = colon.end(), rest
            break
    root, deepest = _plan([tokens])
    _find(data, start, root, deepest, occurrence=occurrence, once=exists)
    return _nearest(root, tokens, name=name)


def locate_all(data: bytes, pointers: Iterable[str]) -> dict[str, tuple[int, int]]:
    """The place of each pointer's value as `locate` gives it, in one scan; those without any place are left out."""
    found = offsets_of(data, pointers)
    places = positions(data, found.values())
    return {pointer: places[offset] for pointer, offset in found.items()}


def offsets_of(data: bytes, pointers: Iterable[str]) -> dict[str, int]:
    """As `locate_all`, but the offsets of the first bytes."""
    routes = {pointer: split(pointer) for pointer in pointers}
    root, deepest = _plan(routes.values())
    _find(data, 0, root, deepest)
    found = {pointer: _nearest(root, tokens) for pointer, tokens in routes.items()}
    return {pointer: offset for pointer, offset in found.items() if offset is not None}


def _has_unicode_escape(data: bytes) -> bool:
    r"""Whether a `\u` escape may stand in the text. Hops from one backslash to the next, four times as fast as a search for both bytes."""
    at = data.find(b"\\")
    for _ in range(64):
        if at < 0:
            return False
        if data[at + 1 : at + 2] == b"u":
            return True
        at = data.find(b"\\", at + 2)
    return b"\\u" in data


def _only_place(data: bytes, name: str) -> int:
    r"""The offset of the member of that name, if that is plain from one occurrence of the name in quotes; else -1.

    The document has such a member. Such a name has no short escape, and the text has no `\u` escape: so the member's name is
    written as the name in quotes, and where these bytes occur only once, that is where it stands.
    """
    if not _PLAIN_NAME.fullmatch(name):
        return -1
    quoted = f'"{name}"'.encode()
    begin = data.find(quoted)
    # From the next byte on, since two occurrences may share a quote.
    return begin if begin >= 0 and data.find(quoted, begin + 1) < 0 else -1
