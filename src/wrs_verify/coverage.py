"""Which values of a record are protected, and by what.

Every leaf (string, number, boolean, null, empty container) belongs to one class, the first that applies:

* *hashed*: in the part that the public view hash covers, where that hash matches;
* *corroborated*: agreeing with a hashed copy;
* *repeated*: agreeing with other copies, none of them hashed;
* *fixed*: the profile knows one value only (or, for the public view hash itself, the rest of the record does);
* *unprotected*: a change can go unseen. A value of which only a part is watched, such as a text that must end with another,
  or a date that must not be later than another, is unprotected.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Iterator
from functools import lru_cache

from wrs_verify import pointers, validation
from wrs_verify.agreements import Comparison, judge
from wrs_verify.model import Coverage, Json
from wrs_verify.profile import Profile

__all__ = ["Shape", "cover", "leaves", "shape_of"]

#: What determines the coverage of a valid record whose copies all agree: None where its form is not closed.
Shape = Hashable


#: Of so many unprotected values the pointers are listed. A real record has a few dozen; a hostile one has millions.
_LISTED = 1000
#: No pointer in a profile's table comes near so many characters. What lies below a longer one is counted, and has no pointer of its own:
#: millions of values under a name of millions of characters would fill any memory with their pointers.
_LONG = 1000


def leaves(value: Json) -> Iterator[tuple[str, Json]]:
    """Every leaf of a JSON value with its pointer, in document order. What has a pointer longer than 1,000 characters is given whole."""
    stack = [iter([("", value)])]
    while stack:
        for at, each in stack[-1]:
            if each and isinstance(each, dict | list) and len(at) <= _LONG:
                stack.append(_children(at, each))
                break
            yield at, each
        else:
            stack.pop()


def _children(at: str, value: dict[str, Json] | list[Json]) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        return ((f"{at}/{pointers.escape(name)}", member) for name, member in value.items())
    return ((f"{at}/{index}", item) for index, item in enumerate(value))


def _size(value: Json) -> int:
    """How many leaves a value has."""
    number, pending = 0, [value]
    while pending:
        each = pending.pop()
        if each and isinstance(each, dict | list):
            pending += each.values() if isinstance(each, dict) else each
        else:
            number += 1
    return number


def cover(profile: Profile, value: Json, comparisons: Iterable[Comparison], invalid: Container[str], *, trusted: bool) -> Coverage:
    """Sort every leaf of a record into its class. Of the unprotected ones the first 1,000 are named, sorted.

    Args:
        comparisons: all that the profile's table gives for the record.
        invalid: the pointers of what its schema finds fault with.
        trusted: whether the public view hash matches.
    """
    corroborated, repeated = _agreeing(comparisons, trusted=trusted)
    fixed = _fixed(profile.name)
    counts = dict.fromkeys(("hashed", "corroborated", "repeated", "fixed"), 0)
    unprotected, listed = 0, list[str]()
    for pointer, leaf in leaves(value):
        if trusted and pointer == profile.public_view_hash:
            counts["fixed"] += 1
        elif trusted and pointer.startswith(profile.hashed + "/"):
            counts["hashed"] += _size(leaf)
        elif pointer in corroborated:
            counts["corroborated"] += 1
        elif pointer in repeated:
            counts["repeated"] += 1
        elif _general(pointer) in fixed and pointer not in invalid:
            counts["fixed"] += 1
        else:
            unprotected += _size(leaf)
            listed.append(pointer)
            if len(listed) > 2 * _LISTED:
                listed = sorted(listed, key=_order)[:_LISTED]
    return Coverage(**counts, unprotected=unprotected, unprotected_pointers=tuple(sorted(listed, key=_order)[:_LISTED]))


def _order(pointer: str) -> list[tuple[int, str]]:
    """What pointers are sorted by; indices count as numbers. Their order in the document is not that of every record of the same shape."""
    return [(len(token) if token.isdigit() else 0, token) for token in pointer.split("/")]


def _agreeing(comparisons: Iterable[Comparison], *, trusted: bool) -> tuple[set[str], set[str]]:
    """The pointers of whole leaves that agree with a hashed copy, and of those that agree with unhashed ones only.

    A leaf that some comparison finds odd is in neither: it agrees with one copy and contradicts another.
    """
    corroborated, repeated, odd = set(), set(), set()
    for comparison in comparisons:
        judgement = judge(comparison.copies, trusted=trusted)
        odd |= {copy.pointer for copy in judgement.odd}
        whole = {copy.pointer for copy in judgement.agreeing if copy.pointer is not None and not copy.part}
        if trusted and any(copy.hashed for copy in judgement.agreeing):
            corroborated |= whole
        elif len({copy.pointer for copy in judgement.agreeing}) > 1:
            repeated |= whole
    return corroborated - odd, repeated - odd


def _general(pointer: str) -> str:
    """A pointer with `*` for every index."""
    parent, slash, last = pointer.rpartition("/")
    return f"{_general_parent(parent)}{slash}{'*' if last.isdigit() else last}"


@lru_cache(maxsize=1)  # siblings come one after another, and a hostile pointer may be long
def _general_parent(pointer: str) -> str:
    return "/".join("*" if token.isdigit() else token for token in pointer.split("/"))


@lru_cache
def _fixed(profile: str) -> frozenset[str]:
    """The general pointers of the members for which a profile knows one value only."""
    return frozenset(_fixed_in(validation.resolved(profile), ""))


def _fixed_in(schema: Json, at: str) -> Iterator[str]:
    schema = _as_object(schema)
    if "const" in schema or len(schema.get("enum", ())) == 1:
        yield at
    for name, member in schema.get("properties", {}).items():
        yield from _fixed_in(member, f"{at}/{pointers.escape(name)}")
    if "items" in schema:
        yield from _fixed_in(schema["items"], f"{at}/*")


def _as_object(schema: Json) -> Json:
    """A schema with what it says of an object laid under it, where it allows an object among others."""
    return {**schema["then"], **schema} if "then" in schema else schema


class _OpenError(Exception):
    """A value whose form the profile leaves open."""


def shape_of(profile: str) -> Callable[[Json], Shape | None]:
    """A function that tells the shape of a record that is valid by a profile's schema.

    Two valid records of one shape, whose copies all agree and whose hash matches, have the same coverage: it need not be
    worked out again. The function returns None where the record holds values of a form that the schema leaves open.
    """
    measure = _measure(validation.resolved(profile)) or _nothing

    def shape(value: Json) -> Shape | None:
        try:
            return measure(value)
        except _OpenError:
            return None

    return shape


def _measure(schema: Json) -> Callable[[Json], Hashable] | None:
    """A function that measures what a schema leaves to vary in a valid value, or None where all valid values have one shape."""
    schema = _as_object(schema)
    types = schema.get("type", ())
    if "array" in types:
        measure = _measure(schema["items"])
        return len if measure is None else lambda value: tuple([measure(item) for item in value])
    if "object" in types:
        return _measure_object(schema)
    return None if types or "const" in schema or "enum" in schema else _open


def _open(value: Json) -> Hashable:
    if isinstance(value, dict | list) and value:
        raise _OpenError
    return None


def _measure_object(schema: Json) -> Callable[[Json], Hashable] | None:
    if "properties" not in schema:
        return _open
    measures = [(name, _measure(member)) for name, member in schema["properties"].items()]
    always = schema.get("required", ())
    parts = [(name, measure) for name, measure in measures if name in always and measure]
    optional = [(name, measure or _nothing) for name, measure in measures if name not in always]
    if not parts and not optional:
        return _nullness if "null" in schema["type"] else None

    if len(parts) == 1 and not optional and "null" not in schema["type"]:
        (only, measure_only) = parts[0]
        return lambda value: measure_only(value[only])

    def object_shape(value: Json) -> Hashable:
        if not isinstance(value, dict):
            return None
        fixed = tuple([measure(value[name]) for name, measure in parts])
        return (fixed, tuple([(name, measure(value[name])) for name, measure in optional if name in value])) if optional else fixed

    return object_shape


def _nothing(_: Json) -> Hashable:
    return None


def _nullness(value: Json) -> Hashable:
    return value is None
