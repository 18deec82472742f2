"""Runs the examples in a page of documentation, and puts what they print where the page says what they print.

What a block in a page is, its fence tells:

* `console`: commands after `$ `, each followed by what it prints, errors included;
* `sh`: commands that must succeed;
* `python`: a program that must succeed; a block `text output` after it is what it prints;
* `json`, `toml`, `yaml`: must parse;
* `text`: not run, since it is no example.

Any other fence is an error. A block of commands that cannot be run begins with a comment that says so to the reader (`NOT_RUN`) and why.
All blocks of a page run in one folder, with a copy of the vectors in it. `make` runs there as
`make --dry-run` in the project: a target that is not there is found out, and nothing is made. The virtual environment that it would make is
there, and activating it does nothing.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

__all__ = ["NOT_RUN", "BlockError", "not_run", "refreshed"]

PROJECT = Path(__file__).resolve().parent.parent

NOT_RUN = "# Not run by the tests:"

#: Stands between what two commands print.
_BETWEEN = "\x1e"
_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ ((?:[^\n]*\\\n)*[^\n]*)\n", re.MULTILINE)


class BlockError(ValueError):
    """A block is of no known kind, or did not run as it must."""


def not_run(page: str) -> list[str]:
    """The blocks of a page that are not run, without their first line."""
    return [block.partition("\n")[2] for _, block in _BLOCK.findall(page) if block.startswith(NOT_RUN)]


def refreshed(page: str) -> str:
    """The page, with what its examples print as they print it now.

    Raises:
        BlockError: see there.
    """
    with TemporaryDirectory(prefix="wrs-verify-docs-") as name:
        folder = Path(name)
        hidden = shutil.ignore_patterns(".*", "__pycache__")
        shutil.copytree(PROJECT / "vectors", folder / "vectors", ignore=hidden)
        (folder / ".bin").mkdir()
        (folder / ".venv/bin").mkdir(parents=True)
        (folder / ".venv/bin/activate").touch()
        make = folder / ".bin/make"
        make.write_text(f'#!/bin/sh\nexec {shutil.which("make")} --dry-run --directory "{PROJECT}" "$@" >/dev/null\n')
        make.chmod(0o755)
        runner = _Runner(folder)
        return _BLOCK.sub(runner.block, page)


class _Runner:
    """Runs the blocks of one page, in order."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._printed: str | None = None
        path = os.pathsep.join([str(folder / ".bin"), str(Path(sys.executable).parent), "/usr/bin", "/bin"])
        self._environment = {"PATH": path, "HOME": str(folder), "LC_ALL": "C.UTF-8"}

    def block(self, found: re.Match[str]) -> str:
        """A block with its output as it is now."""
        kind, text = found[1], found[2]
        printed, self._printed = self._printed, None
        if kind in ("console", "sh", "python") and not text.startswith(NOT_RUN):
            text = {"console": self._console, "sh": self._sh, "python": self._python}[kind](text)
        elif kind == "text output" and printed is not None:
            text = printed
        elif kind in ("json", "toml", "yaml"):
            {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}[kind](text)
        elif kind not in ("console", "sh", "text"):
            raise BlockError(f"a block is fenced with {kind!r}, which cannot be here:\n{text}")
        return f"```{kind}\n{text}```"

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 (the project's own examples)
            command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )

    def _console(self, text: str) -> str:
        commands = _COMMAND.findall(text)
        if not commands or not text.startswith("$ "):
            raise BlockError(f"a console block must begin with a command:\n{text}")
        # `$?` is the status of the command before, as if they had been typed one after another.
        script = "".join(f"{command}\nstatus=$?; printf '\\036'; (exit $status)\n" for command in commands)
        outputs = self._run("bash", "-c", script).stdout.split(_BETWEEN)
        if len(outputs) != len(commands) + 1:
            raise BlockError(f"a console block broke off:\n{text}{outputs[-1]}")
        return "".join(f"$ {command}\n{output}" for command, output in zip(commands, outputs, strict=False))

    def _sh(self, text: str) -> str:
        self._must("bash", "-euc", text)
        return text

    def _python(self, text: str) -> str:
        self._printed = self._must(sys.executable, "-W", "error", "-c", text)
        return text

    def _must(self, *command: str) -> str:
        done = self._run(*command)
        if done.returncode:
            raise BlockError(f"an example ends with status {done.returncode}:\n{command[-1]}\n{done.stdout}")
        return done.stdout
