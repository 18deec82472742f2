"""Runs commands, each in a process of its own, and measures time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["Command", "CommandFailed", "Measured", "once", "repeated"]

#: Seconds after which a command is not run again: a slow one need not be measured as often, since what disturbs it is a smaller part.
_ENOUGH = 60


class Command(NamedTuple):
    """A command that checks all files of a folder: its name, and its arguments for a folder, in which it is run."""

    name: str
    arguments: Callable[[Path], Sequence[str | Path]]


class Measured(NamedTuple):
    """What a run took: seconds by the clock, seconds of processors, and bytes of memory at the peak of its largest process."""

    seconds: float
    processor: float
    peak: int


class CommandFailed(RuntimeError):
    """A command did not end with status 0."""


def once(command: Command, folder: Path) -> Measured:
    """Measure one run over a folder.

    The peak is the largest that any one process of the command had: two processes may hold nearly twice as much together. Linux gives
    no less than what this process had at its own peak, since the command began as a copy of it; so this one is kept small.

    Raises:
        CommandFailed: with what the command said, where it ended with another status than 0.
        OSError: there is no such program.
    """
    with tempfile.TemporaryFile() as said:
        begun = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603 (commands of our own)
            command.arguments(folder), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            end = said.read().decode(errors="replace")[-2000:]
            raise CommandFailed(f"{command.name} ended with status {process.returncode} on {folder}\n{end}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit)


def repeated(runs: Sequence[tuple[Command, Path]], rounds: int) -> list[list[Measured]]:
    """Measure several commands by turns, so that what disturbs the machine meanwhile disturbs all of them.

    Returns:
        For each command what its runs took: a run a round, or fewer where they take long.

    Raises:
        CommandFailed: see `once`.
    """
    taken: list[list[Measured]] = [[] for _ in runs]
    for number in range(rounds):
        for (command, folder), so_far in zip(runs, taken, strict=True):
            if sum(each.seconds for each in so_far) < _ENOUGH:
                print(f"round {number + 1} of {rounds}: {command.name}, {folder.name}", file=sys.stderr)
                so_far.append(once(command, folder))
    return taken
