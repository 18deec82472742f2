"""The command `wrs-hash`."""

from __future__ import annotations

import sys
from typing import NoReturn

import click

from wrs_verify import canonical, completion, pointers
from wrs_verify._version import VERSION
from wrs_verify.inputs import InputLimits, Item, MissingPath, Selection, Source, find, read
from wrs_verify.model import HashCheck, Json, Limits
from wrs_verify.parsing import ParseError
from wrs_verify.profile import PROFILES, SHARED
from wrs_verify.record import Record
from wrs_verify.report import standard_output
from wrs_verify.report.output import OutputError, replace_file
from wrs_verify.safe import terminal, visible

__all__ = ["command", "main"]

_UNWRITTEN = 4


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("file", metavar="FILE", shell_complete=completion.files)
@click.option("as_canonical", "--canonical", is_flag=True, help="Write the canonical form (RFC 8785) of any JSON document, and no newline.")
@click.option("--pointer", metavar="P", help="With --canonical: of the one value in it that this JSON Pointer (RFC 6901) points to.")
@click.option("--stamp", is_flag=True, help="Write the right public view hash into the file, and change no other byte.")
@click.version_option(VERSION, prog_name="wrs-hash", message="%(prog)s %(version)s")
def command(file: str, as_canonical: bool, pointer: str | None, stamp: bool) -> NoReturn:
    """Print the hashes that a record states, and those that it has.

    FILE is a record, or - for standard input.

    \b
    Exit status:
      0  done, and every hash that could be computed is as recorded
      1  the file is not JSON or not a record, or a hash is not as recorded
      2  wrong usage
      4  the file, or standard output, could not be written
    """
    if pointer is not None and not as_canonical:
        raise click.UsageError("--pointer goes with --canonical")
    if stamp and as_canonical:
        raise click.UsageError("--stamp and --canonical do not go together")
    if stamp and file == "-":
        raise click.UsageError("--stamp writes into a file, not to standard output")
    data = _data(file)
    document = _document(data, file)
    if as_canonical:
        _write_canonical(document, pointer)
    record = Record(document)
    if record.profile is None:
        _fail(f"{terminal(file)} names no profile that is known here ({', '.join(PROFILES)})")
    if stamp:
        _stamp(record, data, file)
    _print(record)
    sys.exit(1 if "mismatch" in (record.public_view.status, record.content.status) else 0)


def _data(file: str) -> bytes:
    try:
        found = list(find(Selection((file,))))
    except MissingPath as error:
        raise click.UsageError(str(error)) from error
    if len(found) != 1 or not isinstance(found[0], Source):
        raise click.UsageError(f"{terminal(file)} is not a file that holds one record")
    parts = list(read(found[0], InputLimits(max_members=2)))
    if len(parts) != 1 or not isinstance(parts[0], Item):
        _fail("; ".join(str(part[-1]) for part in parts if not isinstance(part, Item)) or f"{terminal(file)} holds more than one record")
    return parts[0].data


def _document(data: bytes, file: str) -> canonical.Document:
    try:
        return canonical.read(data, Limits(), share=SHARED)
    except ParseError as error:
        problem = error.problems[0]
        at = pointers.position(data, problem.offset) if problem.offset is not None else None
        place = f":{at[0]}:{at[1]}" if at else ""
        _fail(f"{terminal(file)}{place}: {problem.message}")


def _write_canonical(document: canonical.Document, pointer: str | None) -> NoReturn:
    made = document.canonical
    if pointer:
        try:
            made = canonical.canonical(pointers.resolve(document.value, pointer))
        except ValueError as error:
            raise click.UsageError(visible(str(error))) from error
        except KeyError:
            _fail(f"the document has no value at {terminal(pointer)}")
    sys.stdout.buffer.write(made)
    sys.stdout.buffer.flush()
    sys.exit(0)


def _stamp(record: Record, data: bytes, file: str) -> NoReturn:
    """Put the computed hash where the text has the recorded one."""
    assert record.profile is not None  # noqa: S101 (the caller made sure)
    computed = record.public_view.computed
    route: list[Json] = list(pointers.split(record.profile.public_view_hash))
    places = [(begin, end) for kind, begin, end, path in pointers.scan(data) if kind in ("string", "literal", "number") and path == route]
    if computed is None or len(places) != 1:
        _fail(f"{terminal(file)} has no {record.profile.public_view_hash} to write the hash into; put it there with any text as its value")
    begin, end = places[0]
    if record.public_view.status == "match":
        click.echo(f"{computed} is in the file already")
        sys.exit(0)
    try:
        replace_file(file, data[:begin] + f'"{computed}"'.encode() + data[end:])
    except OutputError as error:
        click.echo(f"wrs-hash: {error}", err=True)
        sys.exit(_UNWRITTEN)
    click.echo(f"{computed} written into {terminal(file)}")
    sys.exit(0)


def _print(record: Record) -> None:
    for name, check in (("public view", record.public_view), ("content", record.content)):
        click.echo(f"{name}: {_said(check)}")
    click.echo(f"document: {canonical.digest(record.document.canonical)}")


def _said(check: HashCheck) -> str:
    recorded = terminal(check.recorded or "no hash")
    if check.status == "match":
        return f"{recorded}, recomputed" + (f" from /{check.origin}" if check.origin else "")
    if check.status == "mismatch":
        return f"{recorded} is recorded, but computed is {check.computed}"
    return f"{recorded} is recorded; it cannot be computed, since its input is not in the file"


def _fail(message: str) -> NoReturn:
    click.echo(f"wrs-hash: {message}", err=True)
    sys.exit(1)


def main() -> None:
    """Run the command with the arguments of the process."""
    standard_output.run(command, "wrs-hash", _UNWRITTEN)
