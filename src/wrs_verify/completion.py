"""What a shell offers for the values of options and arguments: click asks for it when a key is pressed, and never in a run.

https://click.palletsprojects.com/en/stable/shell-completion/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["files", "formats", "rule_names"]


def files(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The shell's own completion of files."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(begun, type="file")]


def formats(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The formats of reports, with what each is for."""
    from click.shell_completion import CompletionItem

    from wrs_verify.report import FORMATS

    return [CompletionItem(name, help=purpose) for name, purpose in FORMATS.items() if name.startswith(begun)]


def rule_names(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """The names of the rules."""
    from wrs_verify.rules import rules

    return sorted(name for name in rules() if name.startswith(begun))
