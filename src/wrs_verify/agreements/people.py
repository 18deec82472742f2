"""The rows of the table of copies that are about people: who they are, and the note on what they did."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from operator import contains, itemgetter

from wrs_verify.agreements import STATEMENT, Agreement, Comparison, Copy, Odd, View
from wrs_verify.agreements.kinds import getter
from wrs_verify.model import Json

__all__ = ["CONTRIBUTORS", "NOTE", "PEOPLE", "credit", "people"]

PEOPLE = "/entry/humans"
CONTRIBUTORS = "/version/record/contributors"
NOTE = "/entry/human_role_note"
_ROLES = "/published_grade/roles"

#: What stands between two names in the statement.
_JOINT = "; "


def people() -> Agreement:
    """The names of the entry are those of the statement; the contributors are among them, in the same order."""
    humans, contributors = getter(PEOPLE), getter(CONTRIBUTORS)

    def holds(value: Json) -> bool:
        names = humans(value)
        rest = iter(names)  # consumed as it is searched, so that the order counts
        return all(map(contains, repeat(rest), map(itemgetter("name"), contributors(value)))) and _JOINT not in "\n".join(names)

    def compare(view: View) -> Iterator[Comparison | Odd]:
        found = view.at(PEOPLE)
        names = [name for name in found if isinstance(name, str)] if isinstance(found, list) else []
        for index, name in enumerate(names):
            if _JOINT in name:
                message = f"a name that holds a semicolon cannot be told from {name.count(_JOINT) + 1} names in the statement"
                yield Odd("people-mismatch", f"{PEOPLE}/{index}", message, actual=name, related=(STATEMENT,))
        stated = _stated_names(view, names)
        copies: list[list[Copy]] = [[] for _ in stated if len(stated) == len(names)]
        for index, row in enumerate(copies):
            row += [view.copy(STATEMENT, stated[index], part=True), view.copy(f"{PEOPLE}/{index}", names[index])]
        if stated and not copies and isinstance(found, list):
            yield Comparison("people-mismatch", "the list of people", (view.copy(STATEMENT, stated, part=True), view.copy(PEOPLE, names)))
        yield from _contributors(view, stated or names, copies)
        for index, row in enumerate(copies):
            yield Comparison("people-mismatch", f"the name of person {index + 1}", tuple(row))

    return Agreement(holds, compare)


def _stated_names(view: View, names: list[str]) -> list[str]:
    """The names under "People and systems": those of the entry, where the text reads as that, since a name may hold a semicolon."""
    raw = view.pieces.people if view.pieces else None
    if raw is None:
        return []
    joined = _JOINT.join(names)
    text: str = view.stated(raw, [joined]).value
    return names if text == joined else text.split(_JOINT)


def _contributors(view: View, names: list[str], copies: list[list[Copy]]) -> Iterator[Odd]:
    """Pair each contributor with a person, in order; one who is none of them is taken for the next person after the last pair."""
    items = view.at(CONTRIBUTORS)
    last = -1
    places = {name: index for index, name in reversed(list(enumerate(names)))}
    for index, item in enumerate(items if isinstance(items, list) else []):
        name = item.get("name") if isinstance(item, dict) else None
        if not isinstance(name, str) or not names:
            continue
        pointer = f"{CONTRIBUTORS}/{index}/name"
        place = places.get(name, -1)
        if place <= last:
            place = next((at for at in range(last + 1, len(names)) if names[at] == name), -1) if name in places else -1
        if place > last:
            last = place
            if copies:
                copies[place].append(view.copy(pointer, name))
        elif name in places:
            yield Odd("people-mismatch", pointer, "this contributor stands out of the order of the people", actual=name, related=(PEOPLE,))
        elif last + 1 < len(copies):
            last += 1
            copies[last].append(view.copy(pointer, name))
        else:
            yield Odd("people-mismatch", pointer, "this contributor is none of the people", actual=name, related=(PEOPLE,))


def credit() -> Agreement:
    """The note on people's roles is the same in the entry, in the grade's roles, and as a paragraph of the statement."""
    note, roles = getter(NOTE), getter(_ROLES)

    def holds(value: Json) -> bool:
        expected, found = note(value), roles(value)
        return bool(found) and all([role["did"] == expected for role in found])

    def compare(view: View) -> Iterator[Comparison | Odd]:
        found = view.at(_ROLES)
        if found == [] and isinstance(view.at(NOTE), str):
            yield Odd(
                "credit-mismatch", _ROLES, "the grade has no roles, and so not the note on people's roles", actual=[], related=(NOTE,)
            )
        places = [NOTE, *[f"{_ROLES}/{index}/did" for index in range(len(found) if isinstance(found, list) else 0)]]
        copies = [view.copy(place, text) for place in places if isinstance(text := view.at(place), str)]
        if view.pieces and view.pieces.people is not None:
            texts = [copy.value for copy in copies]
            paragraphs = [view.stated(raw, texts) for raw in (*view.pieces.credit, "\n\n".join(view.pieces.credit))]
            copies.append(next((copy for copy in paragraphs if copy.value in texts), paragraphs[-1]))
        if len(copies) > 1:
            yield Comparison("credit-mismatch", "the note on people's roles", tuple(copies))

    return Agreement(holds, compare)
