"""JSON text to a value, strictly: I-JSON (RFC 7493) or a list of what is wrong with the text, each at its place.

`jiter` reads what it can, which is almost everything valid. What it refuses, and numbers that it does not decide about, goes to the
reference: the standard library's parser, with hooks. Neither words what is wrong; `diagnose` does, which scans the text anew.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from itertools import accumulate
from re import DOTALL
from re import compile as pattern
from types import MappingProxyType
from typing import NoReturn

import jiter
import orjson

from wrs_verify.model import Json, Limits, Problem
from wrs_verify.pointers import join, position, positions, scan

__all__ = ["MAX_DEPTH", "MAX_INTEGER", "ParseError", "diagnose", "disagreement", "dump", "parse", "parse_fast", "parse_reference", "same"]

#: No limit on depth goes beyond this: the canonicalizers, the validators and Python's own stack cope with so much.
MAX_DEPTH = 250
#: Integers up to here are exact in a double (RFC 7493, section 2.2).
MAX_INTEGER = 2**53 - 1

_MAX_PROBLEMS = 100
#: Names, values and pointers of strangers are shown up to so many characters.
_SHOWN, _SHOWN_POINTER = 60, 10_000

_SORTED = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER
_STRING = pattern(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', DOTALL)
_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_ESCAPE = pattern(rb"\\(?:u([dD][89abAB][0-9A-Fa-f]{2})(\\u[dD][c-fC-F])?|u([dD][c-fC-F])|.)", DOTALL)


class ParseError(ValueError):
    """The text is not I-JSON, or is beyond a limit; `problems` says why.

    `first` gives, for the offset of each repeated name, the offset where that name stood first.
    """

    def __init__(self, problems: tuple[Problem, ...], first: Mapping[int, int] = MappingProxyType({})) -> None:
        super().__init__(problems, dict(first))
        self.problems = problems
        self.first = dict(first)

    def __str__(self) -> str:
        return "; ".join([problem.message for problem in self.problems])


def parse(data: bytes, limits: Limits, *, reference: bool = False) -> Json:
    """The value of a JSON text in UTF-8. Integers are int, numbers written with a fraction or an exponent are float.

    `reference=True` leaves out the fast parser. Raises ParseError with everything that is wrong (RFC 8259, RFC 7493).
    """
    if not reference:
        try:
            value = parse_fast(data, limits)
            dump(value, limits.max_depth)
        except (ValueError, TypeError):
            return parse_reference(data, limits)
        return value
    return parse_reference(data, limits)


def parse_fast(data: bytes, limits: Limits) -> Json:
    """What `jiter` reads. It holds good only if `dump` takes it, which refuses floats, unsafe integers and too great a depth.

    Raises ValueError for whatever the reference must decide. That need not be wrong.
    """
    if len(data) > limits.max_size:
        raise ValueError("too long")
    return jiter.from_json(data, catch_duplicate_keys=True, allow_inf_nan=False, float_mode="lossless-float", cache_mode="keys")


def dump(value: Json, max_depth: int) -> bytes:
    """`orjson`'s text of the value, names sorted by code point: the canonical form if no name has a character above U+FFFF.

    Raises TypeError for a value of `parse_fast` that has a float, an integer beyond ±(2^53-1) or more than `max_depth` levels.
    """
    # orjson itself counts levels; a value wrapped in as many lists as there are levels to spare meets that limit at ours.
    spare = _ORJSON_DEPTH - min(max_depth, MAX_DEPTH)
    for _ in range(spare):
        value = [value]
    return orjson.dumps(value, option=_SORTED)[spare:-spare]


def _orjson_depth() -> int:
    """How many levels `orjson` writes: 254 so far. Asked, since a wrong number would let too deep a text pass."""
    nested: list[Json] = []
    for levels in range(1024):
        try:
            orjson.dumps(nested)
        except TypeError:
            return levels
        nested = [nested]
    raise ImportError("this version of orjson has no limit on depth that could be relied on")


_ORJSON_DEPTH = _orjson_depth()


def parse_reference(data: bytes, limits: Limits) -> Json:
    """As `parse`, by the standard library alone."""
    if len(data) > limits.max_size:
        message = f"the text is {len(data)} bytes long; at most {limits.max_size} are read (--max-size)"
        raise ParseError((Problem("oversized-input", message, expected=limits.max_size, actual=len(data)),))
    # Depth comes first: a text that is too deep must not reach a parser that recurses.
    if _depth(data) > min(limits.max_depth, MAX_DEPTH):
        _refuse(data, limits, "nested too deep")
    try:
        value = _DECODER.decode(data.decode("utf-8"))
        if b"\\u" in data:
            json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate has no UTF-8
    except ValueError as error:
        _refuse(data, limits, str(error))
    return value


def _refuse(data: bytes, limits: Limits, reason: str) -> NoReturn:
    problems, first = diagnose(data, limits)
    raise ParseError(problems or (Problem("invalid-json", f"the text is not JSON: {reason}", 0),), first)


def _depth(data: bytes) -> int:
    """How many levels of arrays and objects are open at once, up to the first place where the text is not JSON."""
    brackets = _STRING.sub(b"", data).translate(_STEPS, _NO_BRACKET)
    return max(accumulate(memoryview(brackets).cast("b")), default=0)


def _members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name is repeated")
    return members


def _integer(text: str) -> int:
    if len(text) > 17 or abs(int(text)) > MAX_INTEGER:
        raise ValueError("an integer is beyond the safe range")
    return int(text)


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("a number is beyond the range of a double")
    return number


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_int=_integer, parse_float=_float, parse_constant=_constant)


def diagnose(data: bytes, limits: Limits) -> tuple[tuple[Problem, ...], dict[int, int]]:
    """Everything that is wrong with the text up to where it stops being JSON or is too deep; empty if it is I-JSON. At most 100 problems.

    Also gives, for the offset of each repeated name, the offset where that name stood first.
    """
    found: list[Problem] = []
    first: dict[int, int] = {}
    for problem, earlier in _problems(data, min(limits.max_depth, MAX_DEPTH)):
        if problem.offset is not None and earlier is not None:
            first[problem.offset] = earlier
        found.append(problem)
        if len(found) == _MAX_PROBLEMS:
            found[-1] = problem._replace(message=problem.message + " (more is wrong with the text, which is not listed)")
            break
    places = positions(data, first.values())
    for number, problem in enumerate(found):
        if problem.offset in first and problem.rule == "duplicate-name":
            line, column = places[first[problem.offset]]
            found[number] = problem._replace(message=f"{problem.message}; it stood first at line {line}, column {column}")
    return tuple(sorted(found, key=lambda problem: problem.offset or 0)), first


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
    (pattern(rb"-?(?:NaN|Infinity)"), "{} is no number of JSON"),
    (pattern(rb"True|False|None|undefined"), "{} is no value of JSON"),
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
        return end, f"\\{chr(escaped)} is no escape" if 0x20 < escaped < 0x7F else f"a backslash before the byte {escaped:02X} is no escape"
    return end, f"the control character {data[end]:02X} stands in a string, where it must be escaped"


def same(left: Json, right: Json) -> bool:
    """Whether two values are the same to the last bit: 1 is neither 1.0 nor True, and 0.0 is not -0.0."""
    pairs = [(left, right)]
    while pairs:
        left, right = pairs.pop()
        if type(left) is not type(right):
            return False
        if type(left) is dict:
            if list(left) != list(right):
                return False
            pairs += zip(left.values(), right.values(), strict=True)
        elif type(left) is list:
            if len(left) != len(right):
                return False
            pairs += zip(left, right, strict=True)
        elif left != right or (type(left) is float and math.copysign(1, left) != math.copysign(1, right)):
            return False
    return True


def disagreement(data: bytes, limits: Limits) -> str | None:
    """How the fast and the reference parser differ about a text; None where they do not. For `--double-check`.

    `jiter` is not asked about limits, nor about numbers that a double cannot hold: a text refused for these alone is no disagreement.
    """
    refused: set[str] = set()
    expected: Json = None
    try:
        expected = parse_reference(data, limits)
    except ParseError as error:
        refused = {problem.rule for problem in error.problems}
    try:
        actual = jiter.from_json(data, catch_duplicate_keys=True, allow_inf_nan=False)
    except ValueError as error:
        # jiter stops at 200 levels, whatever the limit.
        return None if refused or _depth(data) > 200 else f"jiter refuses the text ({error}), the standard library accepts it"
    if refused & {"invalid-json", "duplicate-name"}:
        return "jiter accepts the text, the standard library refuses it"
    return None if refused or same(expected, actual) else "jiter and the standard library read different values"
