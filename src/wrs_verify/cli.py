"""The command `wrs-verify`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from wrs_verify import config, execution, progress
from wrs_verify._version import VERSION
from wrs_verify.engine import Options
from wrs_verify.inputs import InputLimits, MissingPath, Selection, Source, find
from wrs_verify.mistakes import MAX_DEPTH
from wrs_verify.model import Limits
from wrs_verify.report import FORMATS
from wrs_verify.report import Options as ReportOptions
from wrs_verify.report.output import OutputError, Reports, Spec, parse_specs
from wrs_verify.safe import visible

__all__ = ["FAILED", "INCOMPLETE", "NOTHING", "PASSED", "USAGE", "command", "main"]

#: Exit statuses, the same in every format.
PASSED, FAILED, USAGE, NOTHING, INCOMPLETE = range(5)

_COUNT = click.IntRange(min=1)

#: Columns of prose at most, however wide the terminal is.
_READABLE = 100


def _specs(_context: click.Context, _parameter: click.Parameter, texts: Iterable[str]) -> tuple[Spec, ...]:
    try:
        return parse_specs(texts)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _cluster(context: click.Context, _parameter: click.Parameter, address: str | None) -> str | None:
    if address is None or context.resilient_parsing:
        return address
    if not address.strip():
        raise click.BadParameter("an address is needed, such as tcp://scheduler.example:8786")
    from importlib.util import find_spec

    if find_spec("distributed") is None:
        raise click.BadParameter("a cluster needs the extra [cluster]: pip install 'wrs-verify[cluster]'")
    return address


def _explain(context: click.Context, _parameter: click.Parameter, name: str | None) -> None:
    if name is None or context.resilient_parsing:
        return
    from wrs_verify import explain

    try:
        click.echo(explain.explain(name, min(_width() or _READABLE, _READABLE)).encode(), nl=False)
    except explain.UnknownRule as error:
        raise click.BadParameter(str(error)) from error
    context.exit()


def _list_rules(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    from wrs_verify import explain

    click.echo(explain.listing(_width()).encode(), nl=False)
    context.exit()


def _configure(context: click.Context, _parameter: click.Parameter, path: str | None) -> None:
    """Read the configuration before any other option is looked at: it gives them their defaults."""
    if context.resilient_parsing:
        return
    try:
        context.obj = config.load(path)
        context.default_map = config.defaults(context.obj, context)
    except config.ConfigError as error:
        raise click.UsageError(str(error), context) from error


def _time(_context: click.Context, _parameter: click.Parameter, text: str | None) -> datetime:
    """The reference time of the run, in UTC. This is the one place where the clock is read."""
    if text is None:
        return datetime.now(UTC)
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        message = f"{visible(repr(text))} is no date or date-time of ISO 8601, such as 2030-12-31 or 2030-12-31T12:00:00Z"
        raise click.BadParameter(message) from error


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "reports",
    "--report",
    metavar="FORMAT[=FILE]",
    multiple=True,
    callback=_specs,
    help=f"Write a report, to standard output or to FILE; repeatable. Formats: {', '.join(FORMATS)}.  [default: text]",
)
@click.option("--strict", is_flag=True, help="Warnings fail too.")
@click.option("--pre-publication", is_flag=True, help="--strict and --require-content.")
@click.option("--require-content", is_flag=True, help="A content hash that cannot be recomputed fails.")
@click.option("--sources", metavar="PATH", multiple=True, help="Where source versions are; repeatable.")
@click.option("--double-check", is_flag=True, help="A second, independent parser, validator and canonicalizer must agree.")
@click.option("--jobs", type=_COUNT, metavar="N", help="Processes of this machine.  [default: as many as there are cores]")
@click.option("--cluster", metavar="ADDRESS", callback=_cluster, help="Check on the workers of the Dask scheduler at this address instead.")
@click.option("--include", metavar="GLOB", multiple=True, help="Only these files of a directory; repeatable.")
@click.option("--exclude", metavar="GLOB", multiple=True, help="Not these files of a directory; repeatable.")
@click.option("--max-size", type=_COUNT, metavar="BYTES", default=Limits().max_size, show_default=True, help="Size of one record's text.")
@click.option(
    "--max-depth", type=click.IntRange(1, MAX_DEPTH), metavar="N", default=Limits().max_depth, show_default=True, help="Levels of nesting."
)
@click.option(
    "--max-expanded",
    type=_COUNT,
    metavar="BYTES",
    default=InputLimits().max_expanded,
    show_default=True,
    help="Size of one input after decompression.",
)
@click.option(
    "--max-ratio",
    type=_COUNT,
    metavar="N",
    default=InputLimits().max_ratio,
    show_default=True,
    help="How many times its size a compressed input may expand to.",
)
@click.option(
    "--max-members", type=_COUNT, metavar="N", default=InputLimits().max_members, show_default=True, help="Members of one archive."
)
@click.option(
    "--config",
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=_configure,
    help="Options, levels and allowances as TOML.  [default: wrs-verify.toml in the current directory, else pyproject.toml there]",
)
@click.option("--now", metavar="TIME", callback=_time, help="The time by which dates are judged.  [default: now]")
@click.option("--quiet", is_flag=True, help="Text: errors only, and no summary of a run that passed.")
@click.option("--verbose", is_flag=True, help="Text: notes too, every record, and what nothing protects.")
@click.option("--only-failures", is_flag=True, help="Text: of records that passed, nothing but the summary.")
@click.option(
    "--explain",
    metavar="RULE",
    is_eager=True,
    expose_value=False,
    callback=_explain,
    help="Show what a rule checks, why, how to mend what it finds, and exit.",
)
@click.option("--list-rules", is_flag=True, is_eager=True, expose_value=False, callback=_list_rules, help="List all rules and exit.")
@click.version_option(VERSION, prog_name="wrs-verify", message="%(prog)s %(version)s")
@click.pass_obj
def command(configured: config.Config, /, paths: tuple[str, ...], reports: tuple[Spec, ...], **given: Any) -> NoReturn:
    """Verify published research records: their form, their hashes, the agreement of their copies, and their claims.

    PATH is a file, a directory, an archive, a URL, or - for standard input.

    \b
    Exit status:
      0  everything was checked, and nothing failed
      1  at least one finding fails the run
      2  wrong usage, or a bad configuration
      3  nothing to verify: no record was found
      4  incomplete: an internal error, a lost worker, interrupted, or a report that could not be written
    """
    strict = given["strict"] or given["pre_publication"]
    options = Options(
        strict=strict,
        require_content=given["require_content"] or given["pre_publication"],
        double_check=given["double_check"],
        limits=Limits(given["max_size"], given["max_depth"]),
        notes_placed=given["verbose"] or any(spec.format != "text" for spec in reports),
        levels=configured.levels,
        allowances=configured.allowances,
        now=given["now"],
    )
    limits = InputLimits(given["max_size"], given["max_expanded"], given["max_ratio"], given["max_members"])
    selection, processes = Selection(paths, given["include"], given["exclude"]), given["jobs"] or os.cpu_count() or 1
    job = execution.Job(selection, options, limits, processes, given["sources"], given["cluster"])
    shown = ReportOptions(
        version=VERSION,
        quiet=given["quiet"],
        verbose=given["verbose"],
        only_failures=given["only_failures"],
        colour=_colour(),
        width=_width(),
        configuration=configured.described,
    )
    sys.exit(_run(job, reports, shown))


def _run(job: execution.Job, specs: tuple[Spec, ...], shown: ReportOptions) -> int:
    """Do the job, write its reports, and return the exit status."""
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGINT, _interrupt)
    if sys.stdout is None:
        click.echo("wrs-verify: standard output is closed", err=True)
        return INCOMPLETE
    try:
        _keep_inputs(job.selection, [spec.file for spec in specs if spec.file is not None])
        with Reports(specs, shown, sys.stdout.buffer) as reports:
            with progress.shown(job.selection, reports.record) as record:
                ending = execution.run(job, record)
            reports.finish(ending.verdict, ending.counts, ending.skipped, ending.findings, ending.summary)
    except MissingPath as error:
        raise click.UsageError(str(error)) from error
    except OutputError as error:
        if not error.closed:
            click.echo(f"wrs-verify: {error}", err=True)
        return INCOMPLETE
    except execution.ClusterError as error:
        click.echo(f"wrs-verify: {error}", err=True)
        return INCOMPLETE
    except execution.Interrupted:
        return INCOMPLETE
    return _status(ending)


def _keep_inputs(selection: Selection, files: list[str]) -> None:
    """Refuse to write a report over something that is to be verified.

    Raises:
        click.UsageError: a report's file is an input.
        MissingPath: a path does not exist.
    """
    existing = {os.path.realpath(file) for file in files if Path(file).exists()}
    if existing and any(isinstance(found, Source) and os.path.realpath(found.path) in existing for found in find(selection)):
        raise click.UsageError("a report cannot be written over an input")


def _status(ending: execution.Ending) -> int:
    if ending.verdict == "incomplete":
        return INCOMPLETE
    if ending.counts.errors:
        return FAILED
    return PASSED if ending.counts.records else NOTHING


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise execution.Interrupted


def _colour() -> bool:
    """Whether standard output shows colours (https://no-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def _width() -> int | None:
    return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout is not None and sys.stdout.isatty() else None


def main() -> None:
    """Run the command with the arguments of the process. An error of its own is no finding: the status is that of an incomplete run."""
    try:
        command(prog_name="wrs-verify")
    except Exception as error:
        click.echo(f"wrs-verify: internal error, {type(error).__name__}: {visible(str(error))}", err=True)
        sys.exit(INCOMPLETE)
