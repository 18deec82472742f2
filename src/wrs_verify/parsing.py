"""JSON text to a value, strictly: I-JSON (RFC 7493) or a list of what is wrong with the text, each at its place.

`jiter` reads what it can, which is almost everything valid. What it refuses, and numbers that it does not decide about, goes to the
reference: the standard library's parser, with hooks. Neither words what is wrong; `diagnose` does, which scans the text anew.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from itertools import accumulate
from re import DOTALL
from re import compile as pattern
from types import MappingProxyType
from typing import NoReturn

import jiter
import orjson

from wrs_verify.mistakes import MAX_DEPTH, MAX_INTEGER, diagnose, is_rounded
from wrs_verify.model import Json, Limits, Problem

__all__ = ["ParseError", "disagreement", "dump", "parse", "parse_fast", "parse_reference", "same"]

_SORTED = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER
_STRING = pattern(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', DOTALL)
_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")


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
    if is_rounded(text, number):
        raise ValueError("a number is another integer in a double")
    return number


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_int=_integer, parse_float=_float, parse_constant=_constant)


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

    `jiter` is not asked about limits, nor about numbers that a double cannot hold: a text refused for these alone is not a disagreement.
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
