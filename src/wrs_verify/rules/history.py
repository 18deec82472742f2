"""Whether what was published before is still as it was, compared with a history of earlier runs (`--history`) or a pin file (`--pins`).

A history trusts what it sees first. It tells that something changed since, not which of the two is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wrs_verify.model import Change, Past, Sighting
from wrs_verify.profile import PROFILES
from wrs_verify.rules import Found, quote, rule

__all__ = ["ABSENCE"]

#: The rules that say that something is not in the drop. They are silent where not all of it was looked at.
ABSENCE = frozenset({"version-rollback", "record-withdrawn"})


@rule("history-rewritten", "error", "history")
def history_rewritten(changes: Iterable[Change]) -> Iterator[Found]:
    """A version of a record was seen before with another content hash, or a pin file gives it another hash.

    Why: a version is published once. Nothing in a record is signed, so whoever changes one can stamp it anew, and every check inside
    the record passes; only memory tells.

    Mend: publish the version as it was, and the change as a version of its own. Where the change is right and what was seen before
    was wrong, the history can no longer be extended: keep it, and begin a new one (see docs/history.md).
    """
    for now, was in changes:
        assert now is not None  # noqa: S101 (these changes are all of records that are there)
        profile = PROFILES[now.profile]
        if now.content_hash != was.content_hash:
            what, pointer, old, new = "content hash", f"{profile.targets[0]}/content_hash", was.content_hash, now.content_hash
        else:  # pins are reviewed by people: another view of the same content must be too
            what, pointer, old, new = "public view hash", profile.public_view_hash, was.view, now.view
        message = f"{_version(now)} has the {what} {_hash(new)}, but had {_hash(old)}, {_first(was)}"
        yield _found(now, pointer, message, _hash(old), _hash(new))


@rule("version-rollback", "error", "history")
def version_rollback(changes: Iterable[Change]) -> Iterator[Found]:
    """A newer version of a record was seen before, and only older ones are in this run.

    It is not said of a run that did not come to its end.

    Why: whoever puts an old version back in the place of a newer one undoes its corrections, with a record that is whole in itself.

    Mend: verify the newest version too. A correction that is to be taken back is taken back by a newer version.
    """
    for now, was in changes:
        assert now is not None  # noqa: S101 (as above)
        message = (
            f"{_version(now)} is the newest here, but version {was.version} with the content hash {_hash(was.content_hash)} "
            f"was {_first(was)}"
        )
        yield _found(now, f"{PROFILES[now.profile].targets[0]}/version", message, was.version, now.version)


@rule("view-reissued", "warning", "history")
def view_reissued(changes: Iterable[Change]) -> Iterator[Found]:
    """The same content was last seen with another public view, as its hash was computed.

    It is said once: when the run passes, the new view is the one that is remembered.

    Why: the view can be made anew for good reasons, to redact less or more. But readers are shown something else under the same name,
    and what changed deserves a look.

    Mend: compare the two views. If the new one is meant, there is nothing to do; with `--strict`, let one run pass in which `[levels]` of
    the configuration makes `view-reissued` a note. That run remembers the new view.
    """
    for now, was in changes:
        assert now is not None  # noqa: S101 (as above)
        message = f"{_version(now)} has the public view hash {_hash(now.view)}, but last had {_hash(was.view)}, {_first(was)}"
        yield _found(now, PROFILES[now.profile].public_view_hash, message, _hash(was.view), _hash(now.view))


@rule("record-withdrawn", "warning", "history")
def record_withdrawn(changes: Iterable[Change]) -> Iterator[Found]:
    """With `--complete-drop`: a record of the last complete drop is not in this one, in any version.

    It is not said of a run that did not come to its end.

    Why: a record that is left out leaves no other trace: nothing that is there is wrong.

    Mend: put the record back, or see that its withdrawal is meant; when the run passes, it is no longer expected.
    """
    for _, was in changes:
        entry = f", the entry {quote(was.entry_id)}" if was.entry_id is not None else ""
        last = f", and in the last complete drop, run {was.last[0]} ({was.last[1]})" if was.last else ""
        message = f"the record {quote(was.record_id)}{entry}, is not here; its version {was.version} was {_first(was)}{last}"
        yield Found(None, message, {"record_id": was.record_id, "version": was.version, "content_hash": _hash(was.content_hash)})


@rule("grade-changed", "note", "history")
def grade_changed(changes: Iterable[Change]) -> Iterator[Found]:
    """The grade of the same content changed, though the edition of the grade did not.

    Why: the grade is in no hashed part of a record. A new grade is to come in a new edition.

    Mend: nothing, or restore the grade that the edition gave.
    """
    for now, was in changes:
        assert now is not None  # noqa: S101 (as above)
        edition = quote(now.grade_edition)
        alike = ", which differ in other members" if now.grade_said == was.grade_said else ""
        said = f"now {quote(now.grade_said)}, before {quote(was.grade_said)}"
        message = f"the grade of {_version(now)} in the edition {edition} changed{alike}: {said}, {_first(was)}"
        yield _found(now, PROFILES[now.profile].grade, message, _hash(was.grade), _hash(now.grade))


def _found(now: Sighting, pointer: str, message: str, expected: str | int | None, actual: str | int | None) -> Found:
    return Found(pointer, message, expected, actual, (), now.input, now.line)


def _version(now: Sighting) -> str:
    return f"version {now.version} of the record {quote(now.record_id)}"


def _first(was: Past) -> str:
    """When and where it was first seen."""
    return f"as pinned in {was.place}" if was.place else f"first seen in run {was.run} ({was.time})"


def _hash(digest: bytes | None) -> str | None:
    return None if digest is None else f"sha256:{digest.hex()}"
