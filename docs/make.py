"""Make the generated documentation: `python docs/make.py`.

It writes `docs/rules.md`, `docs/options.md`, the table of options in `README.md`, the examples of `wrs-verify --explain`, and what the
examples in all pages print. The same bytes come out on every machine; `tests/test_docs.py` sees that they are up to date.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
from blocks import refreshed
from examples import examples

from wrs_verify import cli, diagnosis, hash_cli, history_cli
from wrs_verify.explain import LABELS, documentation, leeway
from wrs_verify.rules import FAMILIES, Rule, rules

__all__ = ["contents", "main"]

PROJECT = Path(__file__).resolve().parent.parent
EXAMPLES = "src/wrs_verify/examples.json"
MADE = "<!-- Made by docs/make.py: change that, the docstrings of the rules or the vectors, and run `make docs`. -->\n"
MARKED = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end of \2 -->)", re.DOTALL)

NAMES: dict[click.Command, str] = {cli.command: "wrs-verify", hash_cli.command: "wrs-hash", history_cli.command: "wrs-history"}

LEVELS = """\
An *error* fails the run. A *warning* fails it with `--strict`. A *note* never fails it; the one exception is
`content-unavailable`, which is an error with `--require-content`. `--pre-publication` is both options. A
[configuration](configuration.md) can raise the level of any rule; whether it can be lowered or allowed stands under its name.
"""


def main() -> None:
    """Write what has changed. The examples come first, since the pages show what the command prints of them."""
    (PROJECT / EXAMPLES).write_text(examples_file(), encoding="utf-8")
    for name, text in contents().items():
        (PROJECT / name).write_text(text, encoding="utf-8")


def contents() -> dict[str, str]:
    """Every page as it should be: its path in the project, and its text."""
    made = {"docs/rules.md": "".join(rules_page()), "docs/options.md": "".join(options_page())}
    written = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
    for file in written:
        name = file.relative_to(PROJECT).as_posix()
        if name not in made:
            made[name] = refreshed(MARKED.sub(marked, file.read_text(encoding="utf-8")))
    return made


def marked(found: re.Match[str]) -> str:
    """What belongs between two marks in a written page."""
    parts = {"options": options_table, "statuses": statuses_table, "limits": limits_table}
    alone = {"bounds": bounds, "parsing": parsing_table}
    inside = alone[found[2]]() if found[2] in alone else parts[found[2]](cli.command)
    return found[1] + "".join(inside) + found[3]


def parsing_table() -> Iterator[str]:
    """What becomes of the texts about which JSON leaves parsers free; a test sees that it does."""
    yield "| text | is |\n| --- | --- |\n"
    for name, refusing in json.loads((PROJECT / "tests/parsing.json").read_bytes()).items():
        decision = f"refused: {', '.join(f'[`{rule}`](rules.md#{rule})' for rule in refusing)}" if refusing else "read"
        yield f"| `{name}` | {decision} |\n"


def bounds() -> Iterator[str]:
    """How far the search for an explanation goes."""
    yield f"- At most {diagnosis.MAX_TRIES:,} combinations of original values are tried for one record: first what most copies say, all\n"
    yield "  of it and parts of it, then what any copy says. Where the search was given up, the message says after how many.\n"
    million = diagnosis.MAX_BYTES // 1_000_000
    yield f"- Mistakes are tried, the likeliest first, until {million} million bytes have been hashed for one record.\n"


def examples_file() -> str:
    """The package's data file with the examples."""
    return json.dumps(examples(), indent=1, ensure_ascii=True) + "\n"


def rules_page() -> Iterator[str]:
    """All rules by family."""
    known = examples()
    yield f"# Rules\n\n{MADE}\nWhat is checked, why, and how to mend what is found: `wrs-verify --explain RULE` shows the same.\n"
    yield f"\n{LEVELS}\nThe examples can be run in a checkout of the project.\n"
    for family in FAMILIES:
        yield f"\n## {family}\n\n{first_line(family)}\n\n| rule | level | |\n| --- | --- | --- |\n"
        members = [rule for rule in rules().values() if rule.family == family]
        for rule in members:
            yield f"| [`{rule.name}`](#{rule.name}) | {rule.level} | {cell(documentation(rule).summary)} |\n"
        for rule in members:
            yield from rule_section(rule, known)


def first_line(family: str) -> str:
    """What a family of rules is about: the first paragraph of its module's docstring."""
    text = importlib.import_module(f"wrs_verify.rules.{family}").__doc__ or ""
    return " ".join(text.partition("\n\n")[0].split())


def rule_section(rule: Rule, known: dict[str, dict[str, dict[str, object]]]) -> Iterator[str]:
    """One rule."""
    said = documentation(rule)
    yield f"\n### {rule.name}\n\n*{rule.level.capitalize()}; {leeway(rule)}.*\n\n"
    yield "\n\n".join([*said.what, f"**Why:** {said.why[0]}", *said.why[1:], f"**Mend:** {said.mend[0]}", *said.mend[1:]]) + "\n"
    if rule.name not in known:
        alone = " by itself" if rule.scope == "history" else ""
        yield f"\nThere is no example: no record brings this about{alone}.\n"
        return
    for label, example in zip((LABELS[rule.level], "Passes"), known[rule.name].values(), strict=True):
        yield f"\n{label}:\n\n```text\n$ {example['command']}\n"
        if example["says"]:
            yield f"{example['says']}\n"
        lines = example["lines"]
        if isinstance(lines, list) and lines:
            yield "\n" + "".join(f"{line}\n" for line in lines)
        yield "```\n"


def options_page() -> Iterator[str]:
    """The options and exit statuses of the commands, as the commands themselves know them."""
    yield f"# Options\n\n{MADE}"
    for command in (cli.command, hash_cli.command, history_cli.command):
        yield f"\n## {NAMES[command]}\n\n{usage(command)}"
        yield from options_table(command)
        yield "\n"
        yield from statuses_table(command)
    for name, part in history_cli.command.commands.items():
        yield f"\n### wrs-history {name}\n\n{usage(part, f'wrs-history {name}')}"
        yield from options_table(part)


def usage(command: click.Command, name: str | None = None) -> str:
    """How a command is called, and what it is for."""
    said = inspect.cleandoc((command.help or "").partition("\b")[0])
    return f"```text\n{command.get_usage(context(command, name))}\n```\n\n{said}\n\n"


def statuses_table(command: click.Command) -> Iterator[str]:
    """The exit statuses of a command, as its help lists them."""
    yield "| exit status | meaning |\n| --- | --- |\n"
    for status, meaning in re.findall(r"^\s*([0-9])  (.*)$", command.help or "", re.MULTILINE):
        yield f"| {status} | {cell(meaning)} |\n"


def limits_table(command: click.Command) -> Iterator[str]:
    """The options that limit inputs, with their defaults."""
    yield "| option | what it limits | default |\n| --- | --- | --- |\n"
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.opts[0].startswith("--max-"):
            yield f"| `{parameter.opts[0]}` | {(parameter.help or '').rstrip('.')} | {parameter.default:,} |\n"


def options_table(command: click.Command) -> Iterator[str]:
    """The options of a command with their help."""
    yield "| option | meaning |\n| --- | --- |\n"
    for parameter in command.get_params(context(command)):
        if isinstance(parameter, click.Option):
            names = ", ".join(sorted(parameter.opts, key=len))
            metavar = "" if parameter.is_flag else f" {parameter.metavar}"
            default = f" [default: {parameter.default:,}]" if parameter.show_default else ""
            yield f"| `{names}{metavar}` | {cell(' '.join((parameter.help or '').split()))}{default} |\n"


def context(command: click.Command, name: str | None = None) -> click.Context:
    return click.Context(command, info_name=name or NAMES.get(command), **command.context_settings)


def cell(text: str) -> str:
    """Text for a cell of a table, in which `<` is no markup."""
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    main()
