"""Manual pages of the commands, made of what the commands know of themselves, as roff with the macros of man(7).

What `man` shows is `docs/man/*.1`; `docs/make.py` writes them.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

import click

from wrs_verify import cli, hash_cli, history_cli
from wrs_verify._version import VERSION

__all__ = ["NAMES", "Described", "context", "manual_page", "options", "roff", "statuses", "summary"]

NAMES: dict[click.Command, str] = {cli.command: "wrs-verify", hash_cli.command: "wrs-hash", history_cli.command: "wrs-history"}

#: A manual page has a date (man(7), TH): the day on which a version was last prepared, since the same bytes must come out on any day.
_DATE = "2026-12-01"

_FILES = {
    "wrs-verify.toml": "The configuration, in the current directory: options, levels of rules, allowances. --config names another.",
    "pyproject.toml": "Where there is no wrs-verify.toml, the table tool.wrs-verify in it.",
}
_ENVIRONMENT = {
    "NO_COLOR": "If it is set and not empty, text has no colours.",
    "FORCE_COLOR": "If it is set and not empty, text has colours also where standard output is not a terminal.",
    "GITHUB_STEP_SUMMARY": "With --report github, the file that the whole report is added to.",
    "TMPDIR": "Where temporary files are made, for some reports and for large drops.",
}
_EXAMPLES = {
    "wrs-verify": {
        "wrs-verify drop/": "Verify every record in a directory.",
        "wrs-verify drop/ --strict --report text --report json=report.json": "A gate: warnings fail too, and a report for other programs.",
        "wrs-verify --explain public-view-hash": "What a rule checks, why, and how to mend what it finds.",
    },
    "wrs-hash": {
        "wrs-hash record.json": "The hashes that a record states, and those that it has.",
        "wrs-hash --stamp record.json": "Write the right public view hash into a record that was changed on purpose.",
    },
    "wrs-history": {
        "wrs-history runs history.db": "List the runs.",
        "wrs-history check history.db --expect-root SIZE:ROOT": "Check a history as a whole, and that it extends an earlier one.",
    },
}


class Described(NamedTuple):
    """An option as it is shown to users. `metavar` and `default` are empty where there is none."""

    names: str
    metavar: str
    help: str
    default: str


def context(command: click.Command, name: str | None = None) -> click.Context:
    """A context in which a command can be asked about itself."""
    return click.Context(command, info_name=name or NAMES.get(command), **command.context_settings)


def options(command: click.Command) -> Iterator[Described]:
    """The options of a command."""
    for parameter in command.get_params(context(command)):
        if isinstance(parameter, click.Option):
            names = ", ".join(sorted(parameter.opts, key=len))
            default = f"[default: {parameter.default:,}]" if parameter.show_default else ""
            help_ = " ".join((parameter.help or "").split())
            yield Described(names, "" if parameter.is_flag else parameter.metavar or "", help_, default)


def statuses(command: click.Command) -> list[tuple[str, str]]:
    """The exit statuses of a command, as its help lists them, each with what it means."""
    return re.findall(r"^\s*([0-9])  (.*)$", command.help or "", re.MULTILINE)


def summary(command: click.Command) -> str:
    """What a command is for: its help without the exit statuses."""
    return inspect.cleandoc((command.help or "").partition("\b")[0]).strip()


def manual_page(command: click.Command) -> str:
    """The manual page of a command of `NAMES`."""
    return "".join(_page(command, NAMES[command]))


def _page(command: click.Command, name: str) -> Iterator[str]:
    yield '.\\" Made by docs/make.py: change that, or the options of the command, and run `make docs`.\n'
    yield f'.TH {roff(name.upper())} 1 {_DATE} "wrs\\-verify {roff(VERSION)}" "User Commands"\n'
    first, *more = summary(command).split("\n\n")
    purpose = re.split("[.,:]", first)[0]  # what `apropos` shows
    yield f".SH NAME\n{roff(name)} \\- {roff(purpose[0].lower() + purpose[1:])}\n"
    yield ".SH SYNOPSIS\n"
    yield from _usage(command, name)
    yield f".SH DESCRIPTION\n{roff(first)}\n"
    for paragraph in more:
        yield f".PP\n{roff(paragraph)}\n"
    yield ".SH OPTIONS\n"
    yield from _options(command)
    if isinstance(command, click.Group):
        yield ".SH COMMANDS\n"
        for part_name, part in command.commands.items():
            yield f".SS {roff(f'{name} {part_name}')}\n"
            yield from _usage(part, f"{name} {part_name}")
            yield "".join(f".PP\n{roff(paragraph)}\n" for paragraph in summary(part).split("\n\n"))
            yield from _options(part)
    yield from _list("EXIT STATUS", dict(statuses(command)))
    if command is cli.command:
        yield from _list("FILES", _FILES)
        yield from _list("ENVIRONMENT", _ENVIRONMENT)
    yield from _list("EXAMPLES", _EXAMPLES[name])
    others = [f".BR {roff(other)} (1)" for other in sorted(NAMES.values()) if other != name]
    yield ".SH SEE ALSO\n" + " ,\n".join(others) + "\n"


def _usage(command: click.Command, name: str) -> Iterator[str]:
    pieces = " ".join(command.collect_usage_pieces(context(command, name)))
    yield f".B {roff(name)}\n.I {roff(pieces)}\n"


def _options(command: click.Command) -> Iterator[str]:
    for option in options(command):
        metavar = f" \\fI{roff(option.metavar)}\\fR" if option.metavar else ""
        yield f".TP\n\\fB{roff(option.names)}\\fR{metavar}\n{roff(' '.join(filter(None, (option.help, option.default))))}\n"


def _list(title: str, entries: dict[str, str]) -> Iterator[str]:
    yield f".SH {title}\n"
    for term, meaning in entries.items():
        yield f".TP\n.B {roff(term)}\n{roff(meaning)}\n"


def roff(text: str) -> str:
    """Text as lines of roff: no request, no escape, and hyphens that can be copied into a shell."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    lines = textwrap.wrap(escaped, 78, break_long_words=False, break_on_hyphens=False)
    return "\n".join(f"\\&{line}" if line.startswith(".") else line for line in lines)
