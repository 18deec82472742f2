"""Standard output of a command: how wide it is, whether it shows colours, and what becomes of a command that cannot write to it."""

from __future__ import annotations

import os
import sys

import click

__all__ = ["colour", "run", "width"]


def colour() -> bool:
    """Whether it shows colours (https://no-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def width() -> int | None:
    """The columns of the terminal; None where it is none."""
    return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout is not None and sys.stdout.isatty() else None


def run(command: click.Command, name: str, unwritten: int) -> None:
    """Run a command with the arguments of the process; that it cannot write ends it with a line and a status, and no traceback.

    Args:
        command: it prints, and ends the process with its status.
        name: of the command.
        unwritten: the exit status where standard output cannot be written.
    """
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed")
        try:
            command(prog_name=name)
        finally:
            sys.stdout.flush()
    except OSError as error:
        click.echo(f"{name}: cannot write: {error.strerror or error}", err=True)
        os._exit(unwritten)  # what is left in the buffer would fail again when Python flushes it at its end
