"""The canonical form of a JSON value (RFC 8785), and SHA-256 over it."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import orjson

from wrs_verify.model import Json

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CanonicalError", "canonical", "digest", "fast", "reference"]

_OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER

#: UTF-8 writes a character above U+FFFF with one of these first, and no other.
_ASTRAL = tuple(bytes([byte]) for byte in range(0xF0, 0xF5))


class CanonicalError(ValueError):
    """A value has no canonical form: it is not in the domain of I-JSON (RFC 7493)."""


def canonical(value: Json) -> bytes:
    """The canonical form of any JSON value.

    Raises:
        CanonicalError: a number that a double cannot hold, a lone surrogate, or nesting too deep for this machine.
    """
    made = None if _any(value, _is_float) else fast(value)
    return reference(value) if made is None else made


def fast(value: Json) -> bytes | None:
    """The canonical form of a value without floats, or None where only `reference` can tell.

    `orjson` sorts names by code point, RFC 8785 (section 3.2.3) by UTF-16 code unit: with a name above U+FFFF they may differ.
    """
    try:
        made = orjson.dumps(value, option=_OPTIONS)
    except TypeError:
        return None
    if not made.isascii() and any([byte in made for byte in _ASTRAL]) and _any(value, _has_astral_name):
        return None
    return made


def reference(value: Json) -> bytes:
    """The canonical form, by the reference canonicalizer.

    Raises:
        CanonicalError: as `canonical`.
    """
    import rfc8785

    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise CanonicalError(str(error) or type(error).__name__) from error


def digest(data: bytes) -> str:
    """`sha256:` and the SHA-256 in 64 lower-case hex digits (FIPS 180-4)."""
    return "sha256:" + sha256(data).hexdigest()


def _any(value: Json, test: Callable[[Json], bool]) -> bool:
    """Whether some value within a value passes a test."""
    stack = [value]
    while stack:
        one = stack.pop()
        if test(one):
            return True
        if isinstance(one, dict):
            stack += one.values()
        elif isinstance(one, list | tuple):
            stack += one
    return False


def _is_float(value: Json) -> bool:
    return isinstance(value, float)


def _has_astral_name(value: Json) -> bool:
    return isinstance(value, dict) and any(max(name, default="") > "\uffff" for name in value)
