"""The copies of a profile as a picture shows them: the hashed part in the middle, the copies of each thing on both sides of it.

This is the table of `agreements` in fewer rows, for the eye: a test holds it against that table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["COPIES", "Group", "Place"]


class Place(NamedTuple):
    """A copy: where it stands, and which values of it are compared whole, as the ends of their pointers; `*` is any index."""

    pointer: str
    compared: tuple[str, ...] = ("",)


class Group(NamedTuple):
    """The copies of one thing, in the hashed part and on either side of it. `rules` are those that a copy breaks which differs.

    `stated` says that a hashed copy stands in the statement, which is compared only if it can be read.
    """

    name: str
    rules: tuple[str, ...]
    hashed: tuple[str, ...]
    left: tuple[Place, ...]
    right: tuple[Place, ...] = ()
    stated: bool = False


_STATEMENT = "/version/record/statement"
_GRADE, _SHORT = "/published_grade", "/entry/published_grade"


def _target(pointer: str) -> Place:
    return Place(pointer, ("/record_id", "/version", "/content_hash"))


#: By the name of the profile.
COPIES: Mapping[str, tuple[Group, ...]] = {
    "wrs-published-research-view-1": (
        Group(
            "target",
            ("target-mismatch",),
            ("/version/source_ref", "/version/record_id", "/version/version"),
            (_target("/target"), _target("/entry/target"), _target("/entry/assessment_disposition/target")),
            (_target(f"{_GRADE}/target"), _target(f"{_SHORT}/target")),
        ),
        Group("title", ("text-mismatch",), ("/version/record/title",), (Place("/entry/title"),), (Place(f"{_GRADE}/title"),)),
        Group(
            "summary",
            ("text-mismatch",),
            ("/version/record/summary",),
            (Place("/entry/summary"),),
            (Place(f"{_GRADE}/what_changed"), Place(f"{_SHORT}/what_changed")),
        ),
        Group(
            "boundary",
            ("text-mismatch",),
            ("/version/record/scope/description",),
            (Place("/entry/boundary"),),
            # The evidence summary only ends with the boundary.
            (Place(f"{_GRADE}/scope"), Place(f"{_SHORT}/scope"), Place(f"{_GRADE}/evidence_summary", ())),
        ),
        Group("area", ("text-mismatch",), ("/version/record/scope/domain",), (Place("/entry/area"),), (Place(f"{_GRADE}/context"),)),
        Group(
            "sources",
            ("source-mismatch",),
            ("/version/record/sources", "/version/record/evidence", "/version/record/contributors"),
            (Place("/entry/sources", ("/*/title", "/*/url")),),
            (Place(f"{_GRADE}/references", ("/*/title", "/*/url")),),
        ),
        Group(
            "people",
            ("people-mismatch",),
            (_STATEMENT, "/version/record/contributors"),
            (Place("/entry/humans", ("/*",)),),
            stated=True,
        ),
        Group(
            "credit note",
            ("credit-mismatch",),
            (_STATEMENT,),
            (Place("/entry/human_role_note"),),
            (Place(f"{_GRADE}/roles", ("/*/did",)),),
            stated=True,
        ),
        Group("statement", ("statement-mismatch",), (_STATEMENT, "/version/record/sources"), ()),
        Group(
            "entry id",
            ("identity-mismatch",),
            (),
            (Place("/entry/id"), Place("/entry/package_id")),
            (Place(f"{_GRADE}/id"), Place(f"{_GRADE}/entry_id"), Place(f"{_SHORT}/id"), Place(f"{_SHORT}/entry_id")),
        ),
        Group("edition", ("edition-mismatch",), (), (Place("/edition"),), (Place("/entry/assessment_disposition/edition"),)),
        Group(
            "grade",
            ("grade-mismatch", "disposition-mismatch"),
            (),
            (Place(_SHORT, ("/band", "/modifier", "/status", "/scientific_correctness_certified")),),
            (Place(_GRADE, ("/band", "/modifier", "/status", "/scientific_correctness_certified")),),
        ),
        Group("points", ("grade-mismatch", "disposition-mismatch"), (), (Place("/entry/points"),), (Place(f"{_GRADE}/points"),)),
    )
}
