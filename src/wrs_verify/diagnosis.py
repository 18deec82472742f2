"""Why a public view hash does not match: hashed by another recipe, or altered afterwards.

Both answers are proofs, since nobody can find another text with a given SHA-256: where a recipe or an original value
gives the recorded hash, that is what was hashed.
"""

from __future__ import annotations

import copy
import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import combinations, islice, product
from typing import NamedTuple, TypeAlias, TypeVar

from wrs_verify import pointers
from wrs_verify.agreements import MISSING, Comparison, Odd, View
from wrs_verify.model import Json

__all__ = ["MAX_MISSES", "MAX_TRIES", "UNCOMPARED", "Alteration", "Search", "alterations", "altered", "choices", "recipe"]

#: Combinations of original values that are tried for one record at most; about a tenth of a second for a record of 20 KB.
MAX_TRIES = 3000

#: Bytes that are hashed for one record at most while they are tried, so that a large record takes little longer.
MAX_TRIED_BYTES = 100_000_000

#: Bytes that are hashed for one record at most while recipes are tried.
MAX_BYTES = 32_000_000


#: Items of one list of a view that are not found in its source, before the others are left alone: to look for each takes the whole list.
MAX_MISSES = 100

#: What `alterations` gives for items that were not looked for.
UNCOMPARED: Json = object()

#: A value that a hashed member may have had, and the pointer of the copy that says so.
_Choice: TypeAlias = tuple[Json, str]
_AnyChoice = TypeVar("_AnyChoice")

#: How many sizes of parts of what the majority says are tried before other choices are.
_LIKELY_SIZES = 4


class Alteration(NamedTuple):
    """A hashed value that was altered: where, what it is, what it was, and the copy that still says so."""

    pointer: str
    found: Json
    original: Json
    witness: str


class Search(NamedTuple):
    """What a search for altered members found: nothing, where `alterations` is empty. `exhausted` is False where it was given up."""

    alterations: tuple[Alteration, ...]
    tries: int
    exhausted: bool


def _by_utf16(names: list[str]) -> list[str]:
    return sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass"))


def _escape_slashes(text: str) -> str:
    return text.replace("/", "\\/")


def _escape_html(text: str) -> str:
    return (
        text.replace("&", "\\u0026")
        .replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )


_Order = Callable[[list[str]], list[str]]
_ORDERS: tuple[tuple[str, _Order], ...] = (
    ("", _by_utf16),
    ("with names in the order of the file", list),
    ("with names sorted by code point, not by UTF-16 code unit", sorted),
)
_LAYOUTS: tuple[tuple[str, Json], ...] = (
    ("", {"separators": (",", ":")}),
    ("with a space after each comma and colon", {}),
    ("indented by two spaces", {"indent": 2}),
    ("indented by four spaces", {"indent": 4}),
    ("indented by one space", {"indent": 1}),
    ("indented by tabs", {"indent": "\t"}),
)
_ESCAPES: tuple[tuple[str, bool, Callable[[str], str]], ...] = (
    ("", False, str),
    ("with non-ASCII characters escaped", True, str),
    ("with slashes escaped", False, _escape_slashes),
    ("with slashes and non-ASCII characters escaped", True, _escape_slashes),
    ("with <, > and & escaped", False, _escape_html),
)
_HASH_MEMBERS: tuple[tuple[str, Json], ...] = (
    ("", MISSING),
    ("with the hash member set to null", None),
    ("with the hash member set to an empty string", ""),
    ("with the hash member left in", ...),
)
_TEXTS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("", str),
    ("with its text in Unicode normalization form C", lambda text: unicodedata.normalize("NFC", text)),
    ("with its text in Unicode normalization form D", lambda text: unicodedata.normalize("NFD", text)),
    ("with CRLF line ends in its text", lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n")),
)
_ENDS: tuple[tuple[str, bytes], ...] = (("", b""), ("with a newline at the end", b"\n"), ("with CRLF at the end", b"\r\n"))

#: What is better known by another name: order, layout and escapes, by their places in the tables above.
_KNOWN = {
    (0, 0, 0): "",
    (1, 1, 1): "by Python's json.dumps(...) with its defaults",
    (2, 1, 1): "by Python's json.dumps(..., sort_keys=True)",
    (2, 0, 1): 'by Python\'s json.dumps(..., sort_keys=True, separators=(",", ":"))',
    (2, 1, 0): "by Python's json.dumps(..., sort_keys=True, ensure_ascii=False)",
    (2, 0, 0): 'by Python\'s json.dumps(..., sort_keys=True, separators=(",", ":"), ensure_ascii=False)',
    (1, 0, 0): "by JavaScript's JSON.stringify(...), or another serializer that keeps the order of the file",
    (1, 0, 3): "by PHP's json_encode(...) with its defaults",
}

#: What is tried together with no, one, and two departures in what is hashed. Rare escapes go with the compact layout only.
_TRIED = (
    [
        *_KNOWN,
        *(
            (order, layout, escapes)
            for order, layout, escapes in product(range(len(_ORDERS)), range(len(_LAYOUTS)), range(len(_ESCAPES)))
            if (escapes < 2 or layout == 0) and (order, layout, escapes) not in _KNOWN
        ),
    ],
    [*_KNOWN],
    [(0, 0, 0)],
)


def recipe(value: dict[str, Json], member: str, recorded: str) -> str | None:
    """Name the wrong recipe that gives a recorded hash.

    Args:
        value: the object that was hashed, with its hash member.
        member: the name of that member.
        recorded: the hash, `sha256:` and 64 hex digits.

    Returns:
        The recipe in words, to follow "it was hashed"; None where no known recipe gives that hash.
    """
    left = MAX_BYTES
    for text, change in _TEXTS:
        for held, stands in _HASH_MEMBERS:
            departed = [name for name in (text, held) if name]
            holding = _holding(value, member, stands)
            for places, made in _serialized(_changed(holding, change) if text else holding, _TRIED[len(departed)]):
                left -= len(made)
                for end, tail in _ENDS:
                    if "sha256:" + sha256(made + tail).hexdigest() == recorded:
                        return ", ".join(name for name in (*_named(*places), *departed, end) if name)
                if left < 0:
                    return None
    return None


def _holding(value: dict[str, Json], member: str, stands: Json) -> dict[str, Json]:
    if stands is ...:
        return value
    rest = {name: item for name, item in value.items() if name != member}
    return rest if stands is MISSING else {**rest, member: stands}


def _changed(value: Json, change: Callable[[str], str]) -> Json:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_changed(item, change) for item in value]
    return {change(name): _changed(item, change) for name, item in value.items()} if isinstance(value, dict) else value


def _serialized(value: Json, tried: Iterable[tuple[int, int, int]]) -> Iterator[tuple[tuple[int, int, int], bytes]]:
    ordered: dict[int, Json] = {}
    for order, layout, escapes in tried:
        if order not in ordered:
            ordered[order] = _ordered(value, _ORDERS[order][1])
        _, ascii_only, escape = _ESCAPES[escapes]
        text = json.dumps(ordered[order], ensure_ascii=ascii_only, **_LAYOUTS[layout][1])
        yield (order, layout, escapes), escape(text).encode("utf-8", "surrogatepass")


def _ordered(value: Json, order: _Order) -> Json:
    if isinstance(value, list):
        return [_ordered(item, order) for item in value]
    return {name: _ordered(value[name], order) for name in order(list(value))} if isinstance(value, dict) else value


def _named(order: int, layout: int, escapes: int) -> list[str]:
    known = _KNOWN.get((order, layout, escapes))
    return [known] if known is not None else [_ORDERS[order][0], _LAYOUTS[layout][0], _ESCAPES[escapes][0]]


def altered(
    view: View, choices: Mapping[str, Sequence[_Choice]], likely: Mapping[str, _Choice], hashes: Callable[[Json], bool], size: int
) -> Search:
    """Find the hashed values that were altered, by putting back what their copies say until the recorded hash comes out.

    Args:
        view: the record, whose hash does not match.
        choices: for the pointer of a hashed value that has other copies: what those say, each with the pointer of such a copy.
        likely: of these, what the majority says of the values that it finds odd; tried first.
        hashes: whether a hashed part gives the recorded hash.
        size: how many bytes are hashed for that, about, or what takes as long.
    """
    part = copy.deepcopy(view.at(view.hashed.rstrip("/")))
    choices, likely = _replaceable(view, choices), _replaceable(view, likely)
    places = {pointer: _place(part, pointer.removeprefix(view.hashed.rstrip("/"))) for pointer in {**choices, **likely}}
    tries, most = 0, min(MAX_TRIES, max(1, MAX_TRIED_BYTES // size))
    for chosen in islice(_trials(choices, likely), most):
        tries += 1
        for pointer, (original, _) in chosen.items():
            holder, name, _ = places[pointer]
            holder[name] = original
        if hashes(part):
            proved = [Alteration(at, view.at(at), original, witness) for at, (original, witness) in sorted(chosen.items())]
            return Search(tuple(proved), tries, exhausted=True)
        for pointer in chosen:
            holder, name, value = places[pointer]
            holder[name] = value
    return Search((), tries, exhausted=tries < most)


def _replaceable(view: View, choices: Mapping[str, _AnyChoice]) -> dict[str, _AnyChoice]:
    """Those that can be put back. Of a list the table compares what it makes of the items, and what lies in an object is put back apart."""
    above = {pointer[:end] for pointer in choices for end, char in enumerate(pointer) if char == "/"}
    return {pointer: said for pointer, said in choices.items() if pointer not in above and not isinstance(view.at(pointer), list)}


def choices(comparisons: Iterable[Comparison | Odd]) -> dict[str, list[_Choice]]:
    """What the copies of each hashed value say that it was, the most frequent first."""
    found: dict[str, list[_Choice]] = {}
    for item in comparisons:
        if isinstance(item, Comparison):
            for mine in item.copies:
                if mine.hashed and not mine.part and mine.pointer is not None:
                    said = [other for other in item.copies if other.value != mine.value]
                    said.sort(key=lambda other: -sum(other.value == each.value for each in said))
                    known = found.setdefault(mine.pointer, [])
                    known += [
                        (other.value, other.pointer or "the profile") for other in said if all(other.value != value for value, _ in known)
                    ]
    return {pointer: said for pointer, said in found.items() if said}


def _trials(choices: Mapping[str, Sequence[_Choice]], likely: Mapping[str, _Choice]) -> Iterator[Mapping[str, _Choice]]:
    """What the majority says, and parts of that; then everything that any copy says, and parts of that."""
    if likely:
        yield likely
        yield from _parts({pointer: [choice] for pointer, choice in likely.items()}, islice(_sizes(len(likely)), _LIKELY_SIZES))
    if choices:
        yield {pointer: said[0] for pointer, said in choices.items()}
    yield from _parts(choices, _sizes(len(choices)))


def _sizes(count: int) -> Iterator[int]:
    """One, all but one, two, ...: an attacker changed a few values, or a few copies are out of date."""
    return iter(sorted(range(1, count + 1), key=lambda size: (min(size, count - size + 1), size)))


def _parts(choices: Mapping[str, Sequence[_Choice]], sizes: Iterable[int]) -> Iterator[dict[str, _Choice]]:
    for size in sizes:
        for names in combinations(choices, size):
            for values in product(*[choices[name] for name in names]):
                yield dict(zip(names, values, strict=True))


def _place(part: Json, pointer: str) -> tuple[Json, str | int, Json]:
    """What holds the value at a pointer, under which name or number, and the value."""
    holder, last = pointers.resolve(part, pointer.rpartition("/")[0]), pointers.split(pointer)[-1]
    name = int(last) if isinstance(holder, list) else last
    return holder, name, holder[name]


def alterations(source: Json, view: Json, at: str) -> Iterator[tuple[str, Json, Json]]:
    """What a view shows otherwise than its source.

    A view may leave out members of objects and items of lists, but what it shows must be there, and lists must be in the same order.

    Yields:
        The pointer in the view, what the source says there (MISSING where it has nothing), and what the view shows; for a list, after
        `MAX_MISSES` of its items, the list's pointer, UNCOMPARED, and the items that come after these.
    """
    if isinstance(source, dict) and isinstance(view, dict):
        for name, shown in view.items():
            pointer = f"{at}/{pointers.escape(name)}"
            if name in source:
                yield from alterations(source[name], shown, pointer)
            else:
                yield pointer, MISSING, shown
    elif isinstance(source, list) and isinstance(view, list):
        if len(source) == len(view):
            for index, shown in enumerate(view):
                yield from alterations(source[index], shown, f"{at}/{index}")
        else:
            start = misses = 0
            for index, shown in enumerate(view):
                if misses == MAX_MISSES:
                    yield at, UNCOMPARED, view[index:]
                    break
                place = next((place for place in range(start, len(source)) if _shows(source[place], shown)), None)
                if place is None:
                    misses += 1
                    yield f"{at}/{index}", MISSING, shown
                else:
                    start = place + 1
    elif isinstance(source, bool) is not isinstance(view, bool) or source != view:
        yield at, source, view


def _shows(source: Json, view: Json) -> bool:
    return next(alterations(source, view, ""), None) is None
