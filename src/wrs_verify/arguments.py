"""What becomes of the values of the options of `wrs-verify`: each is read, or refused in words, before the command starts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import click

from wrs_verify import config
from wrs_verify.history.merkle import read_root
from wrs_verify.report import standard_output
from wrs_verify.report.output import Spec, parse_specs
from wrs_verify.safe import visible

__all__ = ["cluster", "configure", "explain", "list_rules", "root", "specs", "time"]

#: Columns of prose at most, however wide the terminal is.
_READABLE = 100


def specs(_context: click.Context, _parameter: click.Parameter, texts: Iterable[str]) -> tuple[Spec, ...]:
    """The reports that are asked for."""
    try:
        found = parse_specs(texts)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    if any(spec.format == "html" for spec in found):
        from importlib.util import find_spec

        if find_spec("jinja2") is None:
            raise click.BadParameter("the report html needs the extra [html]: pip install 'wrs-verify[html]'")
    return found


def cluster(context: click.Context, _parameter: click.Parameter, address: str | None) -> str | None:
    """The address of a Dask scheduler."""
    if address is None or context.resilient_parsing:
        return address
    if not address.strip():
        raise click.BadParameter("an address is needed, such as tcp://scheduler.example:8786")
    from importlib.util import find_spec

    if find_spec("distributed") is None:
        raise click.BadParameter("a cluster needs the extra [cluster]: pip install 'wrs-verify[cluster]'")
    return address


def explain(context: click.Context, _parameter: click.Parameter, name: str | None) -> None:
    """Show what a rule checks, and end."""
    if name is None or context.resilient_parsing:
        return
    from wrs_verify.explain import UnknownRule
    from wrs_verify.explain import explain as explained

    try:
        click.echo(explained(name, min(standard_output.width() or _READABLE, _READABLE)).encode(), nl=False)
    except UnknownRule as error:
        raise click.BadParameter(str(error)) from error
    context.exit()


def list_rules(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    """List the rules, and end."""
    if not wanted or context.resilient_parsing:
        return
    from wrs_verify.explain import listing

    click.echo(listing(standard_output.width()).encode(), nl=False)
    context.exit()


def configure(context: click.Context, _parameter: click.Parameter, path: str | None) -> None:
    """Read the configuration before any other option is looked at: it gives them their defaults."""
    if context.resilient_parsing:
        return
    try:
        context.obj = config.load(path)
        context.default_map = config.defaults(context.obj, context)
    except config.ConfigError as error:
        raise click.UsageError(str(error), context) from error


def root(_context: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[int, bytes] | None:
    """The size and the root that a history must extend."""
    try:
        return None if text is None else read_root(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def time(_context: click.Context, _parameter: click.Parameter, text: str | None) -> datetime:
    """The reference time of the run, in UTC. This is the one place where the clock is read."""
    if text is None:
        return datetime.now(UTC)
    try:
        given = datetime.fromisoformat(text)
        return given.astimezone(UTC) if given.tzinfo else given.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        message = f"{visible(repr(text))} is not a date or date-time of ISO 8601, such as 2030-12-31 or 2030-12-31T12:00:00Z"
        raise click.BadParameter(message) from error
