"""The canonical form of a JSON value (RFC 8785), and its hash.

`orjson` with sorted names writes the canonical form exactly when a value has no floats, no integer beyond ±(2^53-1), no name with a
character above U+FFFF, and no more than 254 levels. Everywhere else the reference writes it: `rfc8785`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import NamedTuple

import orjson

from wrs_verify.mistakes import MAX_DEPTH
from wrs_verify.model import Json, Limits
from wrs_verify.parsing import dump, parse_fast, parse_reference

__all__ = ["CanonicalError", "Document", "canonical", "canonical_reference", "digest", "form", "read"]

_OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER
_ABOVE_FFFF = (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")
_LEAVES = frozenset({str, int, bool, type(None)})


class CanonicalError(ValueError):
    """The value has no canonical form: a lone surrogate, NaN or an infinity, an unsafe integer, too deep, or no JSON value at all."""


class Document(NamedTuple):
    """A JSON text that has been read: its value, and its canonical form.

    `shared` is the canonical form of the value at `share`, which `form` need not write again; None where there is no such value.
    `plain` says that `orjson` writes the canonical form of the value and of everything in it.
    """

    value: Json
    canonical: bytes
    plain: bool
    share: tuple[str, ...] = ()
    shared: bytes | None = None


def read(data: bytes, limits: Limits, *, share: tuple[str, ...] = (), reference: bool = False) -> Document:
    """Parse a JSON text and write its canonical form.

    `share` is the route of member names to a large value that several forms contain. `reference=True` leaves out the fast
    parser and the fast canonicalizer. Raises `parsing.ParseError`.
    """
    if not reference:
        try:
            return _read_fast(data, limits, share)
        except (ValueError, TypeError):
            pass  # not wrong yet: the reference decides
    value = parse_reference(data, limits)
    plain = not reference and _is_plain(value)
    return Document(value, _write(value, plain=plain), plain)


def _read_fast(data: bytes, limits: Limits, share: tuple[str, ...]) -> Document:
    """As `read`. Raises ValueError or TypeError where the fast path does not apply."""
    value = parse_fast(data, limits)
    shared = None
    whole = value
    if share and (part := _at(value, share)) is not None:
        shared = dump(part, min(limits.max_depth, MAX_DEPTH) - len(share))
        whole = _graft(value, share, orjson.Fragment(shared))
    text = dump(whole, limits.max_depth)
    # Whatever stands above U+FFFF is written as it is, and begins with one of five bytes.
    if not text.isascii() and any(byte in text for byte in _ABOVE_FFFF) and not _is_plain(value):
        return Document(value, canonical_reference(value), plain=False)
    return Document(value, text, True, share, shared)


def form(document: Document, route: tuple[str, ...] = (), without: Collection[str] = ()) -> bytes | None:
    """The canonical form of the value at the route of member names, without some of its members. None where there is no such value."""
    value = _at(document.value, route)
    if value is None or (without and type(value) is not dict):
        return None
    if without:
        value = {name: member for name, member in value.items() if name not in without}
    rest = document.share[len(route) :]
    if document.shared is not None and document.share[: len(route)] == route:
        if not rest and not without:
            return document.shared
        if rest and rest[0] in value:
            value = _graft(value, rest, orjson.Fragment(document.shared))
    return _write(value, plain=document.plain)


def _write(value: Json, *, plain: bool) -> bytes:
    return orjson.dumps(value, option=_OPTIONS) if plain else canonical_reference(value)


def _at(value: Json, route: tuple[str, ...]) -> Json:
    """The value at the end of the route of member names; None where there is none (or where it is null)."""
    for name in route:
        if type(value) is not dict or name not in value:
            return None
        value = value[name]
    return value


def _graft(value: Json, route: tuple[str, ...], graft: orjson.Fragment) -> Json:
    """The value with another one at the end of the route; what lies on the route is copied."""
    if not route:
        return graft
    copy = value.copy()
    copy[route[0]] = _graft(copy[route[0]], route[1:], graft)
    return copy


def canonical(value: Json) -> bytes:
    """The canonical form of a value (RFC 8785). Raises CanonicalError where it has none."""
    if _is_plain(value):
        try:
            return orjson.dumps(value, option=_OPTIONS)
        except TypeError:
            pass  # an unsafe integer or a lone surrogate: the reference says which
    return canonical_reference(value)


def canonical_reference(value: Json) -> bytes:
    """As `canonical`, by `rfc8785` alone."""
    import rfc8785  # seldom needed, and one record from the command line should not wait for it

    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise CanonicalError(f"the value has no canonical form: {reason}") from error


def digest(data: bytes) -> str:
    """The SHA-256 of the bytes as the records write it: `sha256:` and 64 lower-case hex digits."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _is_plain(value: Json) -> bool:
    """Whether `orjson` writes the canonical form of the value, or refuses it: no floats, no name above U+FFFF, not too deep."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        below: list[Json] = []
        for item in level:
            kind = type(item)
            if kind is dict:
                if not all([type(name) is str and (name.isascii() or max(name) <= "\uffff") for name in item]):
                    return False
                below += item.values()
            elif kind is list:
                below += item
            elif kind not in _LEAVES:
                return False
        if not below:
            return True
        level = below
    return False
