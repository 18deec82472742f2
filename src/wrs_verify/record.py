"""A record as the rules look at it: its value, its profile, and what was worked out of it, each thing once and when it is needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar, overload

from wrs_verify import agreements, canonical, coverage, pointers, validation
from wrs_verify.agreements import Comparison, Judgement, Odd, View, judge
from wrs_verify.agreements.kinds import getter
from wrs_verify.model import Coverage, HashCheck, Json
from wrs_verify.profile import Profile, Recipe, profile_of

__all__ = ["Record", "Source"]

#: More violations than validation ever gives. How many findings are listed is the engine's matter.
_ALL = 1_000_000
_NOTHING = HashCheck("unavailable")


_Value = TypeVar("_Value")


class _lazy(Generic[_Value]):
    """A property that is worked out once, when it is first asked for. `functools.cached_property` takes a lock for it in Python 3.11."""

    def __init__(self, compute: Callable[[Any], _Value]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, record: None, kind: type) -> _lazy[_Value]: ...
    @overload
    def __get__(self, record: object, kind: type) -> _Value: ...
    def __get__(self, record: object | None, kind: type) -> _lazy[_Value] | _Value:
        if record is None:
            return self
        value = record.__dict__[self._name] = self._compute(record)
        return value


class Source(NamedTuple):
    """The source version that a record is a view of, and what it is called."""

    name: str
    document: canonical.Document


class Record:
    """A parsed record.

    Args:
        document: the text as it was parsed.
        source: its source version, where that is at hand.
    """

    def __init__(self, document: canonical.Document, source: Source | None = None) -> None:
        value = document.value
        self.value = value
        self.document = document
        self.source = source
        self.profile = profile_of(value)
        self.valid = self.profile is not None and validation.is_valid(self.profile.name, value)

    def at(self, pointer: str) -> Json:
        """The value at a pointer, or None where there is none."""
        try:
            return _getter(pointer)(self.value)
        except (LookupError, TypeError):  # there is none, or an array lies on the way to it
            pass
        try:
            return pointers.resolve(self.value, pointer)
        except KeyError:
            return None

    @_lazy
    def references(self) -> list[tuple[str, tuple[str, ...], list[Json]]]:
        """The lists in which it names entries: the pointer of each, the members of an item that may hold the id, and the items."""
        lists = self.profile.lists.items() if self.profile else ()
        return [(pointer, names, items) for pointer, names in lists if isinstance(items := self.at(pointer), list)]

    @_lazy
    def violations(self) -> list[validation.Violation]:
        """What the profile's schema finds fault with."""
        if self.valid or self.profile is None:
            return []
        return validation.violations(self.profile.name, self.value, _ALL)[0]

    @_lazy
    def public_view(self) -> HashCheck:
        """The public view hash: unavailable where the record has none, or no view."""
        if self.profile is None:
            return _NOTHING
        recorded = self.at(self.profile.public_view_hash)
        computed = self._computed(self.profile.public_view)
        if not isinstance(recorded, str) or computed is None:
            return HashCheck("unavailable", recorded if isinstance(recorded, str) else None, computed)
        return HashCheck("match" if recorded == computed else "mismatch", recorded, computed)

    @_lazy
    def trusted(self) -> bool:
        """Whether the hashed part is as it was when it was hashed."""
        return self.public_view.status == "match"

    @_lazy
    def content(self) -> HashCheck:
        """The content hash: recomputed where its input is at hand."""
        recorded = self.at(self.profile.content_hash) if self.profile else None
        if self.profile is None or not isinstance(recorded, str):
            return _NOTHING
        if self.source is not None:
            made = canonical.form(self.source.document, self.profile.source.route, self.profile.source.without)
            computed = canonical.digest(made or b"")
            return HashCheck("match" if computed == recorded else "mismatch", recorded, computed, "source")
        for recipe in self.profile.contents:
            if self._computed(recipe) == recorded:
                return HashCheck("match", recorded, recorded, recipe.origin)
        return HashCheck("unavailable", recorded)

    def _computed(self, recipe: Recipe) -> str | None:
        made = canonical.form(self.document, recipe.route, recipe.without)
        return None if made is None else canonical.digest(made)

    def hash_if(self, recipe: Recipe, part: Json) -> str:
        """The hash that this record would have by a recipe if what it is taken over were another value, with no number in it changed."""
        made = canonical.form(self.document._replace(value=part, share=(), shared=None), (), recipe.without)
        return canonical.digest(made or b"")

    @_lazy
    def agrees(self) -> bool:
        """Whether every copy agrees, by the quick side of the table; False says: compare."""
        return self.valid and self.profile is not None and agreements.holds(self.profile.table, self.value)

    @_lazy
    def view(self) -> View:
        """The record as its profile's table looks at it."""
        return View(self.value, self.profile.hashed if self.profile else "", trusted=self.trusted)

    @_lazy
    def comparisons(self) -> list[Comparison | Odd]:
        """Every comparison of copies that the record allows."""
        return agreements.compare(self.profile.table, self.view) if self.profile else []

    @_lazy
    def odds(self) -> list[Odd]:
        """What the table finds wrong that is not a difference between copies: nothing where all is well by its quick side."""
        return [] if self.agrees else [item for item in self.comparisons if isinstance(item, Odd)]

    @_lazy
    def judgements(self) -> list[tuple[Comparison, Judgement]]:
        """The comparisons that found copies to differ, and what is believed: nothing where all agree by the table's quick side."""
        found: list[tuple[Comparison, Judgement]] = []
        blamed: set[str | None] = set()
        for item in [] if self.agrees else self.comparisons:
            if isinstance(item, Comparison):
                judgement = judge(item.copies, trusted=self.trusted, blamed=blamed)
                blamed |= {copy.pointer for copy in judgement.odd}
                if judgement.odd:
                    found.append((item, judgement))
        return found

    @_lazy
    def coverage(self) -> Coverage | None:
        """Which values are protected, and by what; None without a known profile."""
        if self.profile is None:
            return None
        shape = _shape_of(self.profile.name)(self.value) if self.agrees and self.trusted else None
        known = _known_coverage.get((self.profile.name, shape)) if shape is not None else None
        if known is None:
            known = self._covered(self.profile)
            if shape is not None:
                if len(_known_coverage) >= _MAX_SHAPES:
                    _known_coverage.clear()
                _known_coverage[self.profile.name, shape] = known
        return known

    def _covered(self, profile: Profile) -> Coverage:
        invalid = {violation.pointer for violation in self.violations}
        comparisons = [item for item in self.comparisons if isinstance(item, Comparison)]
        return coverage.cover(profile, self.value, comparisons, invalid, trusted=self.trusted)


_getter = lru_cache(maxsize=4096)(getter)

#: The coverage of the shapes seen last, so that a drop of like records works each out once.
_known_coverage: dict[tuple[str, coverage.Shape], Coverage] = {}
_MAX_SHAPES = 4096
_shape_of = lru_cache(coverage.shape_of)
