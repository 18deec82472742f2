"""Other programs that validate JSON against a schema, installed into a folder of the benchmark's own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from measuring import Command, CommandFailed, once

__all__ = ["Peer", "installed"]


class Peer(NamedTuple):
    """A program: its version, and its commands, the fullest first; or why it is not measured."""

    name: str
    commands: tuple[Command, ...] = ()
    version: str = ""
    missing: str = ""


class _NotInstalled(Exception):
    """Its message says why."""


class _Kind(NamedTuple):
    """How a program is installed, and how it is told to validate all files of a folder, in one invocation."""

    requirement: str
    install: Callable[[Path, str], tuple[Path, str]]
    variants: dict[str, Callable[[Path, Path, Path], Sequence[str | Path]]]


def installed(home: Path, schema: Path, valid: Path, broken: Path) -> list[Peer]:
    """Install each program under `home`, unless it is there, and see that it tells a valid record from a broken one.

    Args:
        home: where to install.
        schema: the schema's file.
        valid: a folder with a valid record.
        broken: a folder with a record that violates the schema.
    """
    peers = []
    for name, kind in _KINDS.items():
        try:
            program, version = kind.install(home, kind.requirement)
            commands = tuple(_command(f"{name}{variant}", program, schema, make) for variant, make in kind.variants.items())
            for command in commands:
                _prove(command, valid, broken)
            peers.append(Peer(name, commands, version))
        except (_NotInstalled, OSError) as error:
            peers.append(Peer(name, missing=str(error)))
    return peers


def _command(name: str, program: Path, schema: Path, make: Callable[[Path, Path, Path], Sequence[str | Path]]) -> Command:
    return Command(name, lambda folder: make(program, schema, folder))


def _prove(command: Command, valid: Path, broken: Path) -> None:
    try:
        once(command, valid)
    except CommandFailed as error:
        print(error, file=sys.stderr)
        raise _NotInstalled("it does not accept a valid record") from error
    try:
        once(command, broken)
    except CommandFailed:
        return
    raise _NotInstalled("it accepts a record that violates the schema")


def _from_pip(home: Path, requirement: str) -> tuple[Path, str]:
    environment = home / "python"
    python = environment / "bin/python"
    if not _stamped(environment, requirement):
        _run("making a virtual environment", sys.executable, "-m", "venv", environment)
        _run("pip", python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement)
        _stamp(environment, requirement)
    name = requirement.partition(">=")[0]
    code = f"from importlib.metadata import version; print(version({name!r}))"
    return environment / "bin" / name, _run("python", python, "-c", code)


def _from_npm(home: Path, requirement: str) -> tuple[Path, str]:
    name = requirement.rpartition("@")[0]
    short = name.rpartition("/")[2]
    folder = home / short
    if shutil.which("npm") is None:
        raise _NotInstalled("npm is not there")
    if not _stamped(folder, requirement):
        folder.mkdir(parents=True, exist_ok=True)
        _run("npm", "npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, requirement)
        _stamp(folder, requirement)
    version = json.loads((folder / "node_modules" / name / "package.json").read_text(encoding="utf-8"))["version"]
    node = _run("node", "node", "--version").removeprefix("v")
    return folder / "node_modules/.bin" / short.removesuffix("-cli"), f"{version} on Node.js {node}"


def _run(what: str, *command: str | Path) -> str:
    """What a command prints. Of one that fails, the message goes to standard error only: it holds addresses and paths of this machine."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)  # noqa: S603
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        raise _NotInstalled(f"{what} failed with status {done.returncode}")
    return done.stdout.strip()


def _stamped(folder: Path, requirement: str) -> bool:
    stamp = folder / "installed"
    return stamp.is_file() and stamp.read_text() == requirement


def _stamp(folder: Path, requirement: str) -> None:
    (folder / "installed").write_text(requirement)


#: The oldest versions that these options were tried with. Ten thousand short names fit on a command line.
_KINDS = {
    "check-jsonschema": _Kind(
        "check-jsonschema>=0.39",
        _from_pip,
        {"": lambda program, schema, folder: [program, "--schemafile", schema, *sorted(file.name for file in folder.iterdir())]},
    ),
    "ajv-cli": _Kind(
        "ajv-cli@>=5.0.0",
        _from_npm,
        {"": lambda program, schema, _: [program, "validate", "--spec=draft2020", "--strict=false", "-s", schema, "-d", "*.json"]},
    ),
    "@sourcemeta/jsonschema": _Kind(
        "@sourcemeta/jsonschema@>=16.11.0",
        _from_npm,
        {
            "": lambda program, schema, _: [program, "validate", schema, "."],
            " --fast": lambda program, schema, _: [program, "validate", "--fast", schema, "."],
        },
    ),
}
