"""The configuration: options of the command, levels of rules, and allowances, as TOML (https://toml.io/en/v1.0.0).

It is read from the file that `--config` names, else from `wrs-verify.toml` in the current directory, else from the table
`tool.wrs-verify` of the `pyproject.toml` there; docs/configuration.md says what it holds. It can weaken a run, and whoever writes
it is trusted: no other directory is searched, least of all the one that is verified. Every mistake in it ends the command.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import click

from wrs_verify import pointers, policy
from wrs_verify.model import Allowance, Json, Level
from wrs_verify.rules import quote, rules
from wrs_verify.safe import terminal, visible

__all__ = ["Config", "ConfigError", "defaults", "load"]

_NAME, _PROJECT = "wrs-verify.toml", "pyproject.toml"
_TABLE = "wrs-verify"
_HEADER = re.compile(r"[ \t]*\[\[[ \t]*(?:tool[ \t]*\.[ \t]*wrs-verify[ \t]*\.[ \t]*)?allow[ \t]*\]\][ \t]*(?:#.*)?")
_RECORD = re.compile(r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NEEDED, _KNOWN = ("rule", "record", "reason", "until"), ("rule", "record", "version", "pointer", "reason", "until")
#: The reference time, which end dates are judged by, is for whoever runs the command to state; an attestation takes the place of a run.
_NOT_HERE = ("now", "attestation", "public_key")


class ConfigError(ValueError):
    """The configuration cannot be used. The message names the file and the key, and is for users."""


class Config(NamedTuple):
    """A configuration. `name` is the file as it was named, None where there is none; `prefix` stands before its keys in messages."""

    name: str | None = None
    prefix: str = ""
    options: Mapping[str, Json] = {}
    levels: Mapping[str, Level] = {}
    allowances: tuple[Allowance, ...] = ()

    @property
    def described(self) -> str | None:
        """In a line, what the configuration does to a run, so that it does nothing unseen; None where there is none."""
        if self.name is None:
            return None
        parts = [f"sets {', '.join(sorted(self.options))}"] if self.options else []
        changed = [
            f"{rule} {level} (was {rules()[rule].level})" for rule, level in sorted(self.levels.items()) if level != rules()[rule].level
        ]
        parts += [f"levels changed: {', '.join(changed)}"] if changed else []
        number = len(self.allowances)
        parts += [f"{number} allowance{'' if number == 1 else 's'}"] if number else []
        return f"{terminal(self.name)}: {'; '.join(parts) or 'changes nothing'}"


def load(path: str | None = None) -> Config:
    """Read a configuration.

    Args:
        path: the file; None stands for the one in the current directory, if there is one.

    Raises:
        ConfigError: it cannot be read, or something in it is wrong.
    """
    if path == "":
        raise ConfigError("--config names no file")
    name = path or next((name for name in (_NAME, _PROJECT) if os.path.lexists(name)), None)
    if name is None:
        return Config()
    try:
        data = _read(name)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{terminal(name)}: {getattr(error, 'strerror', None) or error}") from error
    project = Path(name).name == _PROJECT
    # Another tool's alone: what is wrong with it is not for us to say. A table's name may be written with escapes.
    others = project and path is None and _TABLE.encode() not in data
    if others and b"\\" not in data:
        return Config()
    try:
        text, table = _parsed(name, data)
    except ConfigError:
        if others:
            return Config()
        raise
    if project:
        found = _project_table(name, table)
        if found is None:
            if path is None:
                return Config()
            _refuse(name, f"tool.{_TABLE}", "there is no such table")
        return _config(name, f"tool.{_TABLE}.", text, found)
    return _config(name, "", text, table)


def _read(name: str) -> bytes:
    """A regular file alone: a pipe of that name would be waited for, and a device may have no end."""
    with open(name, "rb", opener=_at_once) as stream:  # a Path takes no opener
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise ValueError("this is not a regular file")
        return stream.read()


def _at_once(name: str, flags: int) -> int:
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def _parsed(name: str, data: bytes) -> tuple[str, dict[str, Any]]:
    import tomllib  # most runs have no configuration

    try:
        text = data.decode()
        return text, tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{terminal(name)}: this is not TOML: {visible(str(error))}") from error


def _project_table(name: str, table: Mapping[str, Any]) -> dict[str, Any] | None:
    tool = table.get("tool")
    found = tool.get(_TABLE) if isinstance(tool, dict) else None
    if found is not None and not isinstance(found, dict):
        _refuse(name, f"tool.{_TABLE}", "this must be a table")
    return found


def _config(name: str, prefix: str, text: str, table: dict[str, Any]) -> Config:
    levels, allow = table.pop("levels", {}), table.pop("allow", [])
    if not isinstance(levels, dict):
        _refuse(name, f"{prefix}levels", "this must be a table of rules and their levels")
    for rule, level in levels.items():
        if fault := policy.level_fault(rule, level):
            _refuse(name, f"{prefix}levels.{rule}", fault)
    if not isinstance(allow, list) or not all(isinstance(each, dict) for each in allow):
        _refuse(name, f"{prefix}allow", "this must be an array of tables")
    return Config(name, prefix, table, levels, tuple(_allowances(name, prefix, text, allow)))


def _allowances(name: str, prefix: str, text: str, tables: list[dict[str, Any]]) -> Iterator[Allowance]:
    lines: list[int | None] = [number for number, line in enumerate(text.split("\n"), 1) if _HEADER.fullmatch(line.rstrip("\r"))]
    if len(lines) != len(tables):  # they are written in another way, or such a line stands in a text
        lines = [None] * len(tables)
    for number, (table, line) in enumerate(zip(tables, lines, strict=True), 1):
        place = name if line is None else f"{name}:{line}"
        for key in table:
            if key not in _KNOWN:
                _refuse(place, f"{prefix}allow.{key}", f"there is no such key; there are {', '.join(_KNOWN)}")
        for key in _NEEDED:
            if key not in table:
                which = "" if line else f" (allowance {number} of {len(tables)})"
                _refuse(place, f"{prefix}allow.{key}", f"this is missing{which}; an allowance needs {', '.join(_NEEDED)}")
        for key, fault in _faults(table):
            if fault:
                _refuse(place, f"{prefix}allow.{key}", fault)
        until = _day(table["until"])
        assert until is not None  # noqa: S101 (that was found)
        yield Allowance(
            table["rule"], table["record"], table["reason"].strip(), until, table.get("version"), table.get("pointer"), name, line
        )


def _faults(table: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """The keys of an allowance, each with what is wrong with it."""
    rule, record, reason, version, pointer = (table.get(key) for key in ("rule", "record", "reason", "version", "pointer"))
    fault = policy.allowance_fault(rule) if isinstance(rule, str) else f"{quote(rule)} is not a rule"
    yield "rule", fault
    if isinstance(rule, str) and fault is None:
        yield "pointer", policy.pointer_fault(rule, pointer)
    if not isinstance(record, str) or not _RECORD.fullmatch(record):
        yield "record", f"{quote(record)} is not a record id: urn:uuid: and a lower-case UUID"
    if version is not None and (not isinstance(version, int) or isinstance(version, bool) or version < 1):
        yield "version", f"{quote(version)} is not a version, which is an integer from 1"
    if pointer is not None and not _is_pointer(pointer):
        yield "pointer", f"{quote(pointer)} is not a JSON Pointer"
    if not isinstance(reason, str) or not reason.strip():
        yield "reason", "an allowance needs a reason, in words"
    if _day(table["until"]) is None:
        yield "until", f"{quote(table['until'])} is not a date such as 2030-12-31"


def _is_pointer(pointer: Json) -> bool:
    try:
        return isinstance(pointer, str) and pointers.split(pointer) is not None
    except ValueError:
        return False


def _day(value: Json) -> date | None:
    """The date that a TOML date, or a text, gives. A date-time is none: the day ends when it ends."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if isinstance(value, str) and _DATE.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            return None
    return None


def defaults(config: Config, context: click.Context) -> dict[str, Json]:
    """The configuration's options as the default map of the command: what the command line gives comes before it.

    Every value is checked as the command line's own would be, whether or not it will be used.

    Raises:
        ConfigError: there is no such option, or it cannot have that value.
    """
    options = {
        text.removeprefix("--"): option
        for option in context.command.params
        if isinstance(option, click.Option) and option.expose_value and option.name not in _NOT_HERE
        for text in option.opts
        if text.startswith("--")
    }
    made = {}
    for key, value in config.options.items():
        option, place = options.get(key), f"{config.prefix}{key}"
        if option is None or option.name is None:
            _refuse(config.name, place, "there is no such option" + _like(key, [*options, "levels", "allow"]))
        if fault := _type_fault(option, value):
            _refuse(config.name, place, fault)
        try:
            cast = option.type_cast_value(context, value)
            if option.callback:
                option.callback(context, option, cast)
        except click.BadParameter as error:
            _refuse(config.name, place, error.message)
        made[option.name] = value
    return made


def _type_fault(option: click.Option, value: Json) -> str | None:
    """What TOML's types alone tell. Click itself would take 10.5 for 10, and a text for a list of its characters."""
    if option.is_flag:
        return None if isinstance(value, bool) else "this must be true or false"
    if option.multiple:
        return None if isinstance(value, list) and all(isinstance(each, str) for each in value) else "this must be an array of strings"
    if isinstance(option.type, click.types.IntParamType):
        return None if isinstance(value, int) and not isinstance(value, bool) else "this must be an integer"
    return None if isinstance(value, str) else "this must be a string"


def _like(key: str, names: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(key, names, 1)
    return f"; did you mean {close[0]}?" if close else ""


def _refuse(place: str | None, key: str, fault: str) -> NoReturn:
    raise ConfigError(f"{terminal(place or '')}: {terminal(key)}: {visible(fault)}")
