"""Make the generated documentation: `python docs/make.py`.

It writes `docs/rules.md`, `docs/options.md`, the manual pages in `docs/man`, the table of options in `README.md`, the examples of
`wrs-verify --explain`, and what the examples in all pages print. The same bytes come out on every machine; `tests/test_docs.py` sees
that they are up to date.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from blocks import refreshed
from examples import PLAIN, SOURCED, examples
from manual import NAMES, context, manual_page, options, statuses, summary

import wrs_verify
from wrs_verify import cli, diagnosis, execution, hash_cli, history_cli, model
from wrs_verify.explain import LABELS, documentation, leeway
from wrs_verify.rules import FAMILIES, Rule, rules

__all__ = ["contents", "main"]

PROJECT = Path(__file__).resolve().parent.parent
EXAMPLES = "src/wrs_verify/examples.json"
MADE = "<!-- Made by docs/make.py: change that, the docstrings of the rules or the vectors, and run `make docs`. -->\n"
MARKED = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end of \2 -->)", re.DOTALL)

LEVELS = """\
An *error* fails the run. A *warning* fails it with `--strict`. A *note* never fails it; the one exception is
`content-unavailable`, which is an error with `--require-content`. `--pre-publication` is both options. A
[configuration](configuration.md) can raise the level of any rule; whether it can be lowered or allowed stands under its name.
"""


def main() -> None:
    """Write what has changed. The examples come first, since the pages show what the command prints of them."""
    (PROJECT / EXAMPLES).write_text(examples_file(), encoding="utf-8")
    (PROJECT / "docs/man").mkdir(exist_ok=True)
    for name, text in contents().items():
        (PROJECT / name).write_text(text, encoding="utf-8")


def contents() -> dict[str, str]:
    """Every page as it should be: its path in the project, and its text."""
    made = {"docs/rules.md": "".join(rules_page()), "docs/options.md": "".join(options_page())}
    made |= {f"docs/man/{name}.1": manual_page(command) for command, name in NAMES.items()}
    written = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
    for file in written:
        name = file.relative_to(PROJECT).as_posix()
        if name not in made:
            made[name] = refreshed(MARKED.sub(marked, file.read_text(encoding="utf-8")))
    return made


def marked(found: re.Match[str]) -> str:
    """What belongs between two marks in a written page."""
    parts = {"options": options_table, "statuses": statuses_table, "limits": limits_table}
    alone = {"bounds": bounds, "parsing": parsing_table, "signatures": signatures}
    inside = alone[found[2]]() if found[2] in alone else parts[found[2]](cli.command)
    return found[1] + "".join(inside) + found[3]


def parsing_table() -> Iterator[str]:
    """What becomes of the texts about which JSON leaves parsers free; a test sees that it does."""
    yield "| text | is |\n| --- | --- |\n"
    for name, refusing in json.loads((PROJECT / "tests/parsing.json").read_bytes()).items():
        decision = f"refused: {', '.join(f'[`{rule}`](rules.md#{rule})' for rule in refusing)}" if refusing else "read"
        yield f"| `{name}` | {decision} |\n"


def signatures() -> Iterator[str]:
    """The functions of the Python interface, and the types that they take and give."""
    public = [getattr(wrs_verify, name) for name in wrs_verify.__all__]
    types = {one.__name__: one for one in [*public, model.Counts, model.Excerpt, execution.Remember] if hasattr(one, "_fields")}
    parts = [signature(wrs_verify.verify_bytes), signature(wrs_verify.verify_paths), *[members(types[name]) for name in sorted(types)]]
    yield "```text\n" + "\n".join(parts) + "```\n"


def signature(function: Callable[..., object]) -> str:
    found = inspect.signature(function)
    lines = []
    for name, parameter in found.parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY and not any(line.startswith("*") for line in lines):
            lines.append("*")
        star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        lines.append(f"{star}{name}: {parameter.annotation}{default(parameter.default)}")
    return f"{function.__name__}(\n" + "".join(f"    {line},\n" for line in lines) + f") -> {found.return_annotation}\n"


def members(kind: Any) -> str:
    lines = []
    for name, annotation in kind.__annotations__.items():
        lines.append(f"    {name}: {annotation.__forward_arg__}{default(kind._field_defaults.get(name, inspect.Parameter.empty))}\n")
    return f"{kind.__name__}:\n{''.join(lines)}"


def default(value: object) -> str:
    """How a signature shows a default."""
    if value is inspect.Parameter.empty:
        return ""
    return f" = {type(value).__name__}()" if hasattr(value, "_fields") else f" = {value!r}"


def bounds() -> Iterator[str]:
    """How far the search for an explanation goes."""
    tried, hashed = diagnosis.MAX_TRIED_BYTES // 1_000_000, diagnosis.MAX_BYTES // 1_000_000
    yield f"- At most {diagnosis.MAX_TRIES:,} combinations of original values are tried for one record, and fewer for a large one, until\n"
    yield f"  {tried} million bytes have been hashed; where only the slower canonicalizer can write them, each counts for many.\n"
    yield "  First comes what most copies say, all of it and parts of it, then what any copy says.\n"
    yield "  Where the search was given up, the message says after how many.\n"
    yield f"- Mistakes are tried, the likeliest first, until {hashed} million bytes have been hashed for one record.\n"


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


def rule_section(rule: Rule, known: dict[str, Any]) -> Iterator[str]:
    """One rule."""
    said = documentation(rule)
    yield f"\n### {rule.name}\n\n*{rule.level.capitalize()}; {leeway(rule)}.*\n\n"
    yield "\n\n".join([*said.what, f"**Why:** {said.why[0]}", *said.why[1:], f"**Mend:** {said.mend[0]}", *said.mend[1:]]) + "\n"
    if rule.name not in known:
        alone = " by itself" if rule.scope == "history" else ""
        yield f"\nThere is no example: no record brings this about{alone}.\n"
        return
    fails, passes = known[rule.name]["fails"], known[rule.name]["passes"]
    said_of_it = [fails["says"]] if fails["says"] else []
    yield from block(LABELS[rule.level], [f"$ {fails['command']}", *said_of_it], fails["lines"])
    # Of the other example only what is not the same, and not how the sample record is checked once more.
    command = [] if passes["command"].endswith((f"{PLAIN}.json", f"{SOURCED}.json")) else [f"$ {passes['command']}"]
    yield from block("Passes", command, [line for line in passes["lines"] if line not in fails["lines"]])


def block(label: str, *parts: Iterable[str]) -> Iterator[str]:
    """A block of an example, a blank line between its parts; nothing without any line."""
    texts = ["".join(f"{line}\n" for line in part) for part in parts]
    if any(texts):
        yield f"\n{label}:\n\n```text\n" + "\n".join(text for text in texts if text) + "```\n"


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
    return f"```text\n{command.get_usage(context(command, name))}\n```\n\n{summary(command)}\n\n"


def statuses_table(command: click.Command) -> Iterator[str]:
    """The exit statuses of a command."""
    yield "| exit status | meaning |\n| --- | --- |\n"
    for status, meaning in statuses(command):
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
    for option in options(command):
        metavar, default = (f" {part}" if part else "" for part in (option.metavar, option.default))
        yield f"| `{option.names}{metavar}` | {cell(option.help)}{default} |\n"


def cell(text: str) -> str:
    """Text for a cell of a table, in which `<` is no markup."""
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    main()
