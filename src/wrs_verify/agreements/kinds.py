"""The kinds of row of which a table of copies is made. Each gives the quick side and the thorough side of one agreement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

from wrs_verify import pointers
from wrs_verify.agreements import MISSING, Agreement, Comparison, Copy, View
from wrs_verify.model import Json

__all__ = ["absent_together", "getter", "lists", "namesakes", "numbered", "same"]


def getter(pointer: str) -> Callable[[Json], Json]:
    """A function that takes the value at a pointer out of a record, quickly. It raises LookupError or TypeError where there is none."""
    tokens = pointers.split(pointer)
    if len(tokens) == 1:
        return itemgetter(tokens[0])
    if len(tokens) == 2:
        first, second = tokens
        return lambda value: value[first][second]
    if len(tokens) == 3:
        first, second, third = tokens
        return lambda value: value[first][second][third]

    def get(value: Json) -> Json:
        for token in tokens:
            value = value[token]
        return value

    return get


def same(rule: str, what: str, *places: str, piece: str | None = None) -> Agreement:
    """Every value at these pointers is the same. `piece` names the place of the statement that repeats it too."""
    get_first, *get_rest = [getter(place) for place in places]

    def holds(value: Json) -> bool:
        expected = get_first(value)
        return all([get(value) == expected for get in get_rest])

    def compare(view: View) -> Iterator[Comparison]:
        found = [(place, view.at(place)) for place in places]
        copies = [view.copy(place, value) for place, value in found if value is not MISSING]
        raw = getattr(view.pieces, piece, None) if piece else None
        if raw is not None:
            copies.append(view.stated(raw, [copy.value for copy in copies], "statement-mismatch"))
        if len(copies) > 1:
            yield Comparison(rule, what, tuple(copies))

    return Agreement(holds, compare)


def namesakes(rule: str, what: str, full: str, short: str) -> Agreement:
    """Every member of the object at `short` equals its namesake in the object at `full`."""
    get_full, get_short = getter(full), getter(short)

    def holds(value: Json) -> bool:
        names = get_full(value)
        return all([names[name] == own for name, own in get_short(value).items()])

    def compare(view: View) -> Iterator[Comparison]:
        sides = view.at(full), view.at(short)
        if all(isinstance(side, dict) for side in sides):
            yield from _namesakes(view, rule, what, (full, sides[0]), (short, sides[1]))

    return Agreement(holds, compare)


def _namesakes(view: View, rule: str, what: str, full: tuple[str, Json], short: tuple[str, Json]) -> Iterator[Comparison]:
    (full_at, full_value), (short_at, short_value) = full, short
    if isinstance(full_value, dict) and isinstance(short_value, dict):
        for name in short_value:
            if name in full_value:
                step = pointers.escape(name)
                sides = (f"{full_at}/{step}", full_value[name]), (f"{short_at}/{step}", short_value[name])
                yield from _namesakes(view, rule, f"{what} {name}", *sides)
    else:
        yield Comparison(rule, what, (view.copy(full_at, full_value), view.copy(short_at, short_value)))


def lists(rule: str, what: str, places: Mapping[str, Mapping[str, str]]) -> Agreement:
    """The lists at these pointers name the same items in the same order.

    `places` gives for each list how its items name what is compared: a word for a sentence, and the pointer within an item.
    """
    quick = [(getter(place), *_items(names.values())) for place, names in places.items()]

    def named(value: Json, get: Callable[[Json], Json], parent: str, parts: Callable[[Json], Json]) -> list[Json]:
        items = get(value)
        return list(map(parts, [item[parent] for item in items] if parent else items))

    def holds(value: Json) -> bool:
        expected = named(value, *quick[0])
        return all([named(value, *other) == expected for other in quick[1:]])

    def compare(view: View) -> Iterator[Comparison]:
        found = [(place, names, items) for place, names in places.items() if isinstance(items := view.at(place), list)]
        if len({len(items) for *_, items in found}) == 1:
            for index in range(len(found[0][2])):
                yield from _item(view, rule, what, index, [(place, names) for place, names, _ in found])
        elif found:
            copies = [
                view.copy(place, [[_inner(item, pointer) for pointer in names.values()] for item in items]) for place, names, items in found
            ]
            yield Comparison(rule, f"the list of {what}s", tuple(copies))

    return Agreement(holds, compare)


def _items(inner: Iterable[str]) -> tuple[str, Callable[[Json], Json]]:
    """The member of an item that holds all these pointers, if one does, and a function that takes their values out of it."""
    routes = [pointers.split(pointer) for pointer in inner]
    (parent,) = {"/".join(route[:-1]) for route in routes}
    return parent, itemgetter(*[route[-1] for route in routes])


def _item(view: View, rule: str, what: str, index: int, found: Sequence[tuple[str, Mapping[str, str]]]) -> Iterator[Comparison]:
    for word in found[0][1]:
        at = [f"{place}/{index}{names[word]}" for place, names in found]
        copies = [view.copy(pointer, value) for pointer in at if (value := view.at(pointer)) is not MISSING]
        if len(copies) > 1:
            yield Comparison(rule, f"the {word} of {what} {index + 1}", tuple(copies))


def _inner(item: Json, pointer: str) -> Json:
    try:
        return pointers.resolve(item, pointer)
    except KeyError:
        return None


def absent_together(rule: str, what: str, *places: str) -> Agreement:
    """These are null together. Where only some are, another rule finds it: here null protects null."""

    def holds(_: Json) -> bool:
        return True

    def compare(view: View) -> Iterator[Comparison]:
        found = [(place, view.at(place)) for place in places]
        copies = [view.copy(place, value) for place, value in found if value is not MISSING]
        if len(copies) > 1 and all(copy.value is None for copy in copies):
            yield Comparison(rule, what, tuple(copies))

    return Agreement(holds, compare)


def numbered(rule: str, what: str, place: str, member: str, prefix: str) -> Agreement:
    """The items of the list at `place` are numbered from 0 in the order in which they stand."""
    get = getter(place)

    def holds(value: Json) -> bool:
        return all([item[member] == f"{prefix}{index}" for index, item in enumerate(get(value))])

    def compare(view: View) -> Iterator[Comparison]:
        items = view.at(place)
        for index in range(len(items) if isinstance(items, list) else 0):
            pointer = f"{place}/{index}/{member}"
            found = view.at(pointer)
            if found is not MISSING:
                yield Comparison(rule, f"the {member} of {what} {index + 1}", (Copy(None, f"{prefix}{index}"), view.copy(pointer, found)))

    return Agreement(holds, compare)
