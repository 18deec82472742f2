"""What is wrong with a text that is not I-JSON (RFC 7493): every mistake, in words, at its place.

Parsers only refuse such a text. This scans it anew, as far as it is JSON, without recursion and in linear time.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from re import DOTALL
from re import compile as pattern

from wrs_verify.model import Limits, Problem
from wrs_verify.pointers import join, position, positions, scan

__all__ = ["MAX_DEPTH", "MAX_INTEGER", "diagnose", "is_rounded", "too_many_findings"]

#: No limit on depth goes beyond this: the canonicalizers, the validators and Python's own stack cope with so much.
MAX_DEPTH = 250
#: Integers up to here are exact in a double (RFC 7493, section 2.2).
MAX_INTEGER = 2**53 - 1

#: So many mistakes beyond those that are listed are counted: a text can have millions.
_COUNTED = 10_000
#: Names, values and pointers of strangers are shown up to so many characters.
_SHOWN, _SHOWN_POINTER = 60, 10_000

_ESCAPE = pattern(rb"\\(?:u([dD][89abAB][0-9A-Fa-f]{2})(\\u[dD][c-fC-F])?|u([dD][c-fC-F])|.)", DOTALL)


def diagnose(data: bytes, limits: Limits) -> tuple[tuple[Problem, ...], dict[int, int]]:
    """Everything that is wrong with the text up to where it stops being JSON or is too deep; empty if it is I-JSON.

    Beyond `--max-findings` problems are counted only, in one more.

    Also gives, for the offset of each repeated name, the offset where that name stood first.
    """
    found: list[Problem] = []
    first: dict[int, int] = {}
    beyond = 0
    for problem, earlier in _problems(data, min(limits.max_depth, MAX_DEPTH)):
        if len(found) == limits.max_findings:
            beyond += 1
            if beyond == _COUNTED:
                break
            continue
        if problem.offset is not None and earlier is not None:
            first[problem.offset] = earlier
        found.append(problem)
    places = positions(data, first.values())
    for number, problem in enumerate(found):
        if problem.offset in first and problem.rule == "duplicate-name":
            line, column = places[first[problem.offset]]
            found[number] = problem._replace(message=f"{problem.message}; it stood first at line {line}, column {column}")
    found.sort(key=lambda problem: problem.offset or 0)
    if beyond:
        counted = f"at least {beyond}" if beyond == _COUNTED else str(beyond)
        found.append(too_many_findings(limits.max_findings, f"{counted} errors"))
    return tuple(found), first


def too_many_findings(most: int, others: str, rule: str | None = None) -> Problem:
    """The problem of more findings than are listed: of a record or, about more than one record, of a rule.

    `others`: how many there are beyond, by level.
    """
    others = re.sub(r"\b(1 [a-z]+)s\b", r"\1", others)
    whose = f" of {rule}" if rule else ""
    message = f"more than {most} finding{'s' * (most != 1)}{whose} (--max-findings): {others} beyond are not listed"
    return Problem("too-many-findings", message, pointer=None if rule else "")


def _problems(data: bytes, max_depth: int) -> Iterator[tuple[Problem, int | None]]:
    """Each problem, and for a repeated name the offset of its first use."""
    start = 0
    # Every other byte zero is how UTF-16 and UTF-32 begin a text, whose first characters are ASCII.
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or (len(data) % 2 == 0 and data and not (any(data[0:4:2]) and any(data[1:4:2]))):
        yield Problem("invalid-json", "the text is UTF-16 or UTF-32, where JSON must be UTF-8", 0), None
        return
    if data.startswith(b"\xef\xbb\xbf"):
        start = 3
        yield Problem("invalid-json", "a byte order mark (EF BB BF) stands before the JSON text", 0), None
    not_utf8 = _not_utf8(data)
    if not_utf8 is not None:
        yield Problem("invalid-json", f"the byte {data[not_utf8]:02X} is not UTF-8", not_utf8), None
    names: list[dict[str, int]] = []
    opened: list[int] = []
    end = start
    for kind, begin, end, path in scan(data, start):
        if kind == "name":
            name = str(path[-1])
            earlier = names[-1].setdefault(name, begin)
            if earlier != begin:
                message = f"the name {_shown_name(name)} is given twice in one object"
                yield Problem("duplicate-name", message, begin, _pointer(path), actual=_short(name)), earlier
        elif kind == "open":
            opened.append(begin)
            names.append({})
            if len(opened) > max_depth:
                most = ", the most that this option allows" if max_depth == MAX_DEPTH else ""
                message = f"arrays and objects are nested more than {max_depth} levels deep (--max-depth{most})"
                yield Problem("too-deep", message, begin, _pointer(path), max_depth), None
                return
        elif kind == "close":
            opened.pop()
            names.pop()
        elif kind.startswith("no "):
            if begin != not_utf8:
                offset, message = _missing(data, kind[3:], begin, opened)
                yield Problem("invalid-json", message, offset, _pointer(_place(kind, path))), None
            return
        if kind in ("name", "string"):
            yield from _surrogates(data, begin, end, path)
        elif kind == "number":
            yield from _number(data[begin:end].decode(), begin, path)
    offset = len(data) - len(data[end:].lstrip(b" \t\n\r"))
    if offset < len(data) and offset != not_utf8:
        offset, message = _oddity(data, offset) or (offset, "more text follows after the JSON value")
        yield Problem("invalid-json", message, offset), None


def _not_utf8(data: bytes) -> int | None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None


def _place(kind: str, path: list[str | int]) -> list[str | int]:
    """The path to what is missing: a value that should stand there, or else the array or object that is broken."""
    last = path[-1] if path else ""
    if kind == "no colon" or (kind == "no value" and type(last) is str):
        return path
    return [*path[:-1], last + 1] if kind.startswith("no value") and type(last) is int else path[:-1]


def _surrogates(data: bytes, begin: int, end: int, path: list[str | int]) -> Iterator[tuple[Problem, None]]:
    r"""Escapes of half a character: `\uD800` to `\uDFFF`, other than a high one right before a low one."""
    if data.find(b"\\u", begin, end) < 0:
        return
    for escape in _ESCAPE.finditer(data, begin, end):
        if (escape[1] and not escape[2]) or escape[3]:
            text = data[escape.start() : escape.start() + 6].decode()
            message = f"{text} is half of a surrogate pair, and stands for no character"
            yield Problem("not-i-json", message, escape.start(), _pointer(path), actual=text), None


def _number(text: str, begin: int, path: list[str | int]) -> Iterator[tuple[Problem, None]]:
    """A number that a double cannot hold (RFC 7493, section 2.2)."""
    if text.lstrip("-").isdigit():
        if len(text) > 17 or abs(int(text)) > MAX_INTEGER:
            message = f"the integer {_short(text)} is beyond ±(2^53-1), up to which a double is exact"
            yield Problem("not-i-json", message, begin, _pointer(path), actual=_short(text)), None
    elif math.isinf(float(text)):
        message = f"the number {_short(text)} is beyond the range of a double"
        yield Problem("not-i-json", message, begin, _pointer(path), actual=_short(text)), None
    elif is_rounded(text, float(text)):
        message = f"the number {_short(text)} is {float(text)!r} where numbers are doubles, and itself where they are not"
        yield Problem("not-i-json", message, begin, _pointer(path), actual=_short(text)), None


def is_rounded(text: str, number: float) -> bool:
    """Whether a number with a fraction or an exponent is one integer in a double, and another number to whoever keeps its digits.

    What is no integer in a double is a fraction to every reader, more or less exactly, and what is too close to zero is zero.

    Args:
        text: the number as it is written.
        number: the double for it, which is finite.
    """
    if not number or not number.is_integer():
        return False
    from decimal import Context, Decimal  # seldom needed, and one record from the command line should not wait for it

    written = Decimal(text)
    # Writers give as many digits of a double as they like: the fewest that tell it from others, or those of its exact value.
    return written not in (Decimal(repr(number)), Context(prec=len(written.as_tuple().digits)).create_decimal_from_float(number))


def _pointer(path: list[str | int]) -> str | None:
    """The path as a pointer in which a lone surrogate is spelt out; None if it is too long to show."""
    if len(path) > MAX_DEPTH + 1 or sum([len(token) for token in path if isinstance(token, str)]) > _SHOWN_POINTER:
        return None
    return join(*path).encode("utf-8", "backslashreplace").decode()


def _short(text: str) -> str:
    """The beginning of a text, of which a lone surrogate is spelt out."""
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return shown.encode("utf-8", "backslashreplace").decode()


def _shown_name(name: str) -> str:
    return json.dumps(_short(name), ensure_ascii=False)


_STRING_PART = pattern(rb'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+')
_ODDITIES = (
    (pattern(rb"//|/\*|#"), "a comment ({}) stands here, which JSON does not have"),
    (pattern(rb"'"), "a single quote stands here, where JSON has double quotes"),
    (pattern(rb"-?(?:NaN|Infinity)"), "{} is not a number in JSON"),
    (pattern(rb"True|False|None|undefined"), "{} is not a value in JSON"),
    (pattern(rb"(?<![0-9])(?:\+|\.(?=[0-9]))"), "a number begins with {}"),
    (pattern(rb"-(?![0-9])"), "a minus sign stands here without a number"),
    (pattern(rb"(?<=[0-9])[.eE]"), "a number is broken off at its {}"),
    (pattern(rb"(?<=0)[0-9]"), "a number has a leading zero"),
)
_WANTED = {
    "value": "a value should stand here",
    "value or ]": "a value or ] should stand here",
    "name": "the name of a member should stand here",
    "name or }": "the name of a member, or }, should stand here",
    "colon": "a colon should follow the name",
    "comma or ]": "a comma or ] should follow the value",
    "comma or }": "a comma or } should follow the value",
}


def _missing(data: bytes, want: str, offset: int, opened: list[int]) -> tuple[int, str]:
    """What is wrong at the offset, where something else is wanted, and exactly where that is."""
    if offset < len(data):
        return _oddity(data, offset) or (offset, _misplaced(data, want, offset))
    if not opened:
        return offset, "the text holds only white space" if data else "the text is empty"
    line, column = position(data, opened[-1])
    kind = "an object" if data[opened[-1]] == 0x7B else "an array"
    return offset, f"the text ends within {kind} that is opened at line {line}, column {column}"


def _misplaced(data: bytes, want: str, offset: int) -> str:
    """What is wrong where a good token stands in the wrong place, or no token at all."""
    byte = data[offset]
    found = f"the byte {byte:02X}" if byte <= 0x20 or byte >= 0x7F else chr(byte)
    if found in "]}":
        if want in ("value", "name") and data[:offset].rstrip(b" \t\n\r").endswith(b","):
            return f"a comma stands before {found}"
        if want.endswith(("]", "}")):
            return f"{found} stands where {want[-1]} should close"
    return f"{_WANTED[want]}, where {found} stands"


def _oddity(data: bytes, offset: int) -> tuple[int, str] | None:
    """What stands at the offset, if it is one of the things that are often taken for JSON."""
    if data.startswith(b'"', offset):
        return _bad_string(data, offset)
    for odd, message in _ODDITIES:
        if found := odd.match(data, offset):
            return offset, message.format(found[0].decode())
    return None


def _bad_string(data: bytes, offset: int) -> tuple[int, str] | None:
    """What is wrong with the string that begins at the offset; None if nothing is, and it merely stands in the wrong place."""
    end = _STRING_PART.match(data, offset).end()  # type: ignore[union-attr]
    if end == len(data) or (data[end] == 0x5C and end + 1 == len(data)):
        line, column = position(data, offset)
        return end, f"the text ends within a string that begins at line {line}, column {column}"
    if data[end] == 0x22:
        return None
    if data[end] == 0x5C:
        escaped = data[end + 1]
        if escaped == 0x75:
            return end, r"\u is not followed by four hexadecimal digits"
        what = f"\\{chr(escaped)}" if 0x20 < escaped < 0x7F else f"a backslash before the byte {escaped:02X}"
        return end, f"{what} is not an escape"
    return end, f"the control character {data[end]:02X} stands in a string, where it must be escaped"
