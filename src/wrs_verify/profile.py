"""What the verifier knows of a profile: its schema by name, its hash recipes, its table of copies.

To add a profile: a schema in `schemas/`, and a declaration here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from wrs_verify.agreements import Agreement, View, research_view
from wrs_verify.model import Json

__all__ = ["PROFILES", "SHARED", "Profile", "Recipe", "profile_of"]

#: The route to the large value that several recipes take their hash over: its canonical form is written once.
SHARED = ("version", "record")


class Recipe(NamedTuple):
    """What a hash is taken over: the RFC 8785 canonical form of the object at `route`, without the members `without`."""

    origin: str
    route: tuple[str, ...]
    without: frozenset[str] = frozenset()


class Profile(NamedTuple):
    """A profile of whole documents.

    `hashed` is the part that the public view hash covers, recorded at `public_view_hash`; `view_only` are the members of it that
    a view has of its own, not of its source. `content_hash` is where the content hash is recorded, and `contents` are the parts
    of a view that would give it if nothing was left out of the view. `rebuilt` makes a hashed text anew that repeats other
    members (see `agreements.research_view.rebuilt`). `previous` is where a record refers to the version before it, `edition`
    where the ratings edition stands, `grade` where the grade. `lists` are the arrays whose items may name other entries: as text, or in
    the first of these members that an item has.
    """

    name: str
    hashed: str
    public_view_hash: str
    public_view: Recipe
    content_hash: str
    contents: tuple[Recipe, ...]
    source: Recipe
    view_only: frozenset[str]
    targets: tuple[str, ...]
    entry_id: str
    previous: str
    edition: str
    grade: str
    lists: Mapping[str, tuple[str, ...]]
    table: tuple[Agreement, ...]
    rebuilt: Callable[[View, Mapping[str, Json]], tuple[str, Json] | None]


_RESEARCH_VIEW = Profile(
    name="wrs-published-research-view-1",
    hashed="/version",
    public_view_hash="/version/public_view_hash",
    public_view=Recipe("version", ("version",), frozenset({"public_view_hash"})),
    content_hash="/version/source_ref/content_hash",
    contents=(
        Recipe("version", ("version",), frozenset({"source_ref", "export_view", "public_view_hash"})),
        Recipe("record", ("version", "record")),
    ),
    # By analogy with the public view hash: the publisher's own rule for source versions is not published.
    source=Recipe("source", (), frozenset({"content_hash"})),
    view_only=frozenset({"kind", "source_ref", "export_view", "public_view_hash"}),
    targets=research_view.TARGETS,
    entry_id="/entry/id",
    previous="/version/previous",
    edition="/edition",
    grade="/published_grade",
    # The form of their items is not known. The id of a subresult may well be its own, and no entry's.
    lists={"/entry/related": ("entry_id", "id"), "/entry/subresults": ("entry_id",)},
    table=research_view.TABLE,
    rebuilt=research_view.rebuilt,
)

PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in (_RESEARCH_VIEW,)}


def profile_of(value: Json) -> Profile | None:
    """The profile that a record names, where it is one that is known here."""
    name = value.get("profile") if isinstance(value, dict) else None
    return PROFILES.get(name) if isinstance(name, str) else None
