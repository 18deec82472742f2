"""Inputs that cannot be read as one JSON value that every reader reads alike. The parser words what it found."""

from __future__ import annotations

from collections.abc import Iterator

from wrs_verify.model import Problem
from wrs_verify.rules import Found, rule


def _found(problem: Problem) -> Iterator[Found]:
    yield Found(problem.pointer, problem.message, problem.expected, problem.actual)


@rule("unreadable-input", "error", "input")
def unreadable_input(problem: Problem) -> Iterator[Found]:
    """An input could not be read: a file without permission, one that vanished, a damaged archive.

    Why: what was not read was not checked, and must not pass.

    Mend: make the file readable, or make the archive anew; the message says what the system or the archive's reader said.
    """
    return _found(problem)


@rule("oversized-input", "error", "input")
def oversized_input(problem: Problem) -> Iterator[Found]:
    """An input is larger than the limit, before or after decompression.

    Why: a record is a few kilobytes; an input without bounds can fill memory or run for days. Nothing is read past the limit.

    Mend: if the input is honest, raise the limit with the option that the message names.
    """
    return _found(problem)


@rule("invalid-json", "error", "input")
def invalid_json(problem: Problem) -> Iterator[Found]:
    """The text is not JSON (RFC 8259), or is not UTF-8.

    Why: readers that are lenient in different ways read different records out of such a text.

    Mend: write the record with a JSON library, as UTF-8 without a byte order mark. The place is that of the first mistake.
    """
    return _found(problem)


@rule("duplicate-name", "error", "input")
def duplicate_name(problem: Problem) -> Iterator[Found]:
    """An object has two members of one name.

    Why: one reader takes the first, another the last (RFC 8259, section 4), so that a hash over one says nothing about what another reader
    shows. I-JSON forbids it (RFC 7493, section 2.3).

    Mend: keep the member that was meant and stamp the record anew.
    """
    return _found(problem)


@rule("not-i-json", "error", "input")
def not_i_json(problem: Problem) -> Iterator[Found]:
    """A number or a string that not every reader can hold: an integer beyond ±(2^53−1), a number beyond a double, a lone surrogate.

    Also a number with a fraction or an exponent that a double turns into another integer, as it makes 1 of 1.0000000000000001.

    Why: readers round, overflow or replace it, each in its own way (RFC 7493, sections 2.1 and 2.2), and its canonical form is not defined.

    Mend: write such a number as a string, and text as Unicode characters.
    """
    return _found(problem)


@rule("too-deep", "error", "input")
def too_deep(problem: Problem) -> Iterator[Found]:
    """Arrays and objects are nested deeper than the limit.

    Why: a record has a handful of levels; deep nesting serves to exhaust a parser's stack.

    Mend: if the input is honest, raise the limit with `--max-depth`.
    """
    return _found(problem)


@rule("too-many-findings", "error", "input")
def too_many_findings(problem: Problem) -> Iterator[Found]:
    """A record has more findings than are listed, or a rule about the whole drop or its history has.

    The message counts the others; the level is that of the worst among them.

    Why: a hostile record can break rules in millions of places, and a report of them all would fill a disk. Errors are left out last.

    Mend: correct what is listed and verify again, or have more listed with `--max-findings`.
    """
    return _found(problem)


@rule("too-many-references", "error", "input")
def too_many_references(problem: Problem) -> Iterator[Found]:
    """A record names more entries, as related or as results that are part of it, than are looked for. The others were not followed.

    Why: a record names a handful; hundreds of thousands serve to keep the rules of the drop busy.

    Mend: if the record is honest, have more followed with `--max-references`.
    """
    return _found(problem)


@rule("unsafe-path", "error", "input")
def unsafe_path(problem: Problem) -> Iterator[Found]:
    """A member of an archive has a name that leads out of the folder it is unpacked to or through a link, or that two members share.

    Two names are shared if they are those of one file on some systems, such as `a.json` and `A.json`.

    Why: whoever unpacks the archive overwrites files elsewhere, or gets another record than the one that was verified.

    Mend: make the archive anew, with relative names, each once.
    """
    return _found(problem)
