"""The command `wrs-history`."""

from __future__ import annotations

import contextlib
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NoReturn

import click

from wrs_verify import completion
from wrs_verify._version import VERSION
from wrs_verify.canonical import canonical
from wrs_verify.history import pins, proofs
from wrs_verify.history.checks import verify_drop, verify_records
from wrs_verify.history.entries import ENTRY_COLUMNS, RUN_COLUMNS, Entry, Run, entry_of
from wrs_verify.history.errors import DAMAGED, WAIT, HistoryError, HistoryLocked
from wrs_verify.history.merkle import read_root
from wrs_verify.history.store import Expected, expect, opened
from wrs_verify.history.tree import Tree, read_tree, texts, verify_all, verify_start
from wrs_verify.model import Limits
from wrs_verify.parsing import ParseError, parse
from wrs_verify.report import standard_output
from wrs_verify.safe import terminal

__all__ = ["command", "main"]

_FAILED, _USAGE, _INCOMPLETE = 1, 2, 4
_UNKNOWN = "\nwithout --expect-root nothing says that its root is the right one"


def expected_root(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Expected | None:
    """The size and the root that an option names."""
    try:
        return None if text is None else Expected(*read_root(text))
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, prog_name="wrs-history", message="%(prog)s %(version)s")
def command() -> None:
    """Look at a history of runs, which wrs-verify --history keeps, and prove that it was only added to.

    \b
    Exit status:
      0  done, and what was checked holds
      1  a proof does not hold, or there is no such record, entry or size
      2  wrong usage, or the history cannot be used
      4  the history is in use by another program, or the output could not be written
    """


@command.command()
@click.argument("file", shell_complete=completion.files)
def runs(file: str) -> None:
    """List the runs, oldest first."""
    with _history(file) as (database, _):
        for row in database.execute(f"SELECT {RUN_COLUMNS} FROM history.runs ORDER BY number"):
            run = Run._make(row)
            drop = ", a complete drop" if run.drop_run == run.number else ""
            did = f"checked {run.checked}, added {run.records}{drop}"
            click.echo(f"{run.number}  {terminal(run.time)}  wrs-verify {terminal(run.tool)}  {did}")


@command.command()
@click.argument("file", shell_complete=completion.files)
def records(file: str) -> None:
    """List the records.

    A line each: id, newest version, entry id, and in which runs it was first seen and last changed.
    """
    query = "SELECT record_id, max(version), entry_id, min(run), max(run) FROM history.entries GROUP BY record_id ORDER BY record_id"
    with _history(file) as (database, _):
        for record_id, version, entry_id, first, last in database.execute(query):
            seen = f"first seen in run {first}, last changed in run {last}"
            click.echo(f"{terminal(record_id)}  version {version}  {terminal(entry_id or '-')}  {seen}")


@command.command()
@click.argument("file", shell_complete=completion.files)
@click.argument("record_id")
def show(file: str, record_id: str) -> None:
    """Show the life of one record.

    That is every entry that the history has of it. RECORD_ID is as records writes it: urn:uuid:...
    """
    time = "SELECT time FROM history.runs WHERE number = run"
    query = f"SELECT {ENTRY_COLUMNS}, ({time}) FROM history.entries WHERE record_id = ? ORDER BY leaf"
    with _history(file) as (database, tree):
        verify_records(database, tree, "SELECT ? AS record_id", (record_id,))
        found = database.execute(query, (record_id,)).fetchall()
        for row in found:
            click.echo("\n".join(_life(entry_of(row[:-1]), row[-1])))
        if not found:
            _fail(f"the history has no record {terminal(record_id)}")


def _life(entry: Entry, time: str) -> Iterator[str]:
    leaf, run, seen = entry
    yield f"run {run} of {time}: version {seen.version} (entry {leaf} of the tree)"
    for name, digest in (("content hash", seen.content_hash), ("public view hash", seen.view), ("document hash", seen.document)):
        yield f"  {name}: sha256:{digest.hex()}"
    yield f"  entry id: {terminal(seen.entry_id or '-')}; edition: {terminal(seen.edition or '-')}"
    if seen.grade is not None:
        yield f"  grade: {terminal(seen.grade_said or '-')} (edition {terminal(seen.grade_edition or '-')})"
    if seen.previous is not None:
        yield f"  follows version {seen.version - 1} with the content hash sha256:{seen.previous.hex()}"
    yield f"  SHA-256 of the input: {seen.text.hex()}"


@command.command()
@click.argument("file", shell_complete=completion.files)
@click.option("as_pins", "--pins", is_flag=True, help="Write a pin file instead: each version as it was last seen.")
def export(file: str, as_pins: bool) -> None:
    """Write all entries as JSON Lines.

    A line is a leaf of the tree, in order, so that the root can be worked out from the lines. The whole history is checked before.
    """
    with _history(file, whole=True) as (database, tree):
        lines: Iterable[str] = (text.decode() for _, text in texts(database, 0, tree.size))
        for line in pins.lines(database) if as_pins else lines:
            click.echo(line.encode())


@command.command()
@click.argument("file", shell_complete=completion.files)
@click.option("--leaf", type=click.IntRange(0), metavar="N", help="Prove that entry N, counted from 0, is in the tree.")
@click.option("--since", type=click.IntRange(1), metavar="SIZE", help="Prove that a history of this size was only added to since.")
def prove(file: str, leaf: int | None, since: int | None) -> None:
    """Write a proof that others can check.

    It proves, as in RFC 9162, that an entry is in the history, or that an earlier history was only added to. wrs-history check checks it.
    """
    if (leaf is None) == (since is None):
        raise click.UsageError("either --leaf or --since is needed")
    with _history(file) as (database, tree):
        if (leaf or 0) >= tree.size or (since or 0) > tree.size:
            _fail(f"the history has {tree.size} entries and runs, counted from 0; there is no {since or leaf}")
        made = proofs.prove_consistency(database, tree, since) if since else proofs.prove_inclusion(database, tree, leaf or 0)
        if proofs.fault(made, None):
            raise HistoryError(f"{DAMAGED}a proof of this would not hold")
        click.echo(canonical(made))


@command.command()
@click.argument("file", shell_complete=completion.files)
@click.option("expected", "--expect-root", metavar="SIZE:ROOT", callback=expected_root, help="A root that you trust, as reports state it.")
def check(file: str, expected: Expected | None) -> None:
    """Check a history as a whole, or a proof.

    FILE is a history or a proof. With --expect-root, a history must extend the one that had this size and root; a proof must be about
    that root: that of its tree or, where it proves that a history was only added to, of the older tree.
    """
    proof = _proof(file)
    if proof is not None:
        fault = proofs.fault(proof, expected)
        if fault:
            _fail(f"the proof {terminal(file)} does not hold: {fault}")
        click.echo("the proof holds" + ("" if expected else _UNKNOWN))
        return
    with _history(file, whole=True) as (database, tree):
        if expected is not None:
            expect(database, tree, expected)
        number = f"{tree.runs} {'run' if tree.runs == 1 else 'runs'}"
        click.echo(f"the history is whole: {number}, root {tree.size}:{tree.root.hex()}{'' if expected else _UNKNOWN}")


def _proof(file: str) -> object | None:
    """A proof, if that is what the file is: it begins as a JSON object does."""
    limits = Limits()
    try:
        with Path(file).open("rb") as stream:
            data = stream.read(limits.max_size + 1)
        return parse(data, limits) if data.lstrip()[:1] == b"{" else None
    except OSError:
        return None  # that it cannot be read is said when it is opened as a history
    except ParseError as error:
        _fail(f"the proof {terminal(file)} cannot be read: {error.problems[0].message}")


@contextlib.contextmanager
def _history(file: str, *, whole: bool = False) -> Iterator[tuple[sqlite3.Connection, Tree]]:
    """A history as it stands at one moment, looked at as before a run, or as a whole."""
    try:
        with opened(file, WAIT) as database:
            database.execute("BEGIN")
            tree = read_tree(database)
            if whole:
                verify_all(database, tree)
                verify_drop(database, tree)
            else:
                verify_start(database, tree)
            yield database, tree
    except (HistoryError, HistoryLocked) as error:
        click.echo(f"wrs-history: {error}", err=True)
        sys.exit(_USAGE if isinstance(error, HistoryError) else _INCOMPLETE)


def _fail(message: str) -> NoReturn:
    click.echo(f"wrs-history: {message}", err=True)
    sys.exit(_FAILED)


def main() -> None:
    """Run the command with the arguments of the process."""
    standard_output.run(command, "wrs-history", _INCOMPLETE)
