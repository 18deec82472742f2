"""The command `wrs-verify`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from wrs_verify import config, execution, progress
from wrs_verify._version import VERSION
from wrs_verify.engine import Options
from wrs_verify.history.errors import WAIT, HistoryError, HistoryLocked
from wrs_verify.history.merkle import read_root
from wrs_verify.inputs import InputLimits, MissingPath, Selection, Source, find
from wrs_verify.mistakes import MAX_DEPTH
from wrs_verify.model import Json, Limits
from wrs_verify.report import FORMATS, STEP_SUMMARY
from wrs_verify.report import Options as ReportOptions
from wrs_verify.report.output import OutputError, Reports, Spec, parse_specs
from wrs_verify.safe import terminal, visible

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


def _read_file(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{terminal(name)} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _needs_signing() -> None:
    from importlib.util import find_spec

    if find_spec("securesystemslib") is None or find_spec("cryptography") is None:
        raise click.UsageError("signatures need the extra [sign]: pip install 'wrs-verify[sign]'")


def _sign_key(context: click.Context, _parameter: click.Parameter, name: str | None) -> Callable[[bytes], bytes] | None:
    if name is None or context.resilient_parsing:
        return None
    _needs_signing()
    from wrs_verify import attestation

    try:
        return attestation.signer(_read_file(name))
    except attestation.AttestationError as error:
        raise click.BadParameter(f"{terminal(name)}: {error}") from error


def _attested(file: str, key: str | None, selection: Selection, limits: InputLimits) -> int:
    """Check inputs against an attestation, print what is wrong, and return the exit status."""
    if key is None:
        raise click.UsageError("--attestation goes with --public-key")
    _needs_signing()
    from wrs_verify import attestation

    envelope, pem = _read_file(file), _read_file(key)
    try:
        found = list(attestation.faults(attestation.statement(envelope, pem), selection, limits))
    except attestation.AttestationError as error:
        found = [str(error)]
    except MissingPath as error:
        raise click.UsageError(str(error)) from error
    for fault in found:
        click.echo(f"{terminal(file)}: {fault}".encode())
    click.echo("FAIL: the attestation does not vouch for these inputs" if found else "PASS: the attestation covers exactly these inputs")
    return FAILED if found else PASSED


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


def _root(_context: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[int, bytes] | None:
    try:
        return None if text is None else read_root(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


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
@click.option("--sign-key", metavar="PEM", callback=_sign_key, help="Sign the report intoto with the private key in this file.")
@click.option(
    "--attestation",
    metavar="FILE",
    help="Verify nothing anew: check that the signed intoto report in this file covers exactly these inputs, and that they passed.",
)
@click.option("--public-key", metavar="PEM", help="The key that must have signed it, in this file.")
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
    "--max-lines",
    type=_COUNT,
    metavar="N",
    default=InputLimits().max_lines,
    show_default=True,
    help="Lines of one JSON Lines input, blank ones too.",
)
@click.option(
    "--max-findings",
    type=_COUNT,
    metavar="N",
    default=Limits().max_findings,
    show_default=True,
    help="Findings of one record that are listed; the others are counted.",
)
@click.option("--history", metavar="FILE", help="Compare with what earlier runs saw, and remember this one if nothing fails.")
@click.option("--expect-root", metavar="SIZE:ROOT", callback=_root, help="The history must extend the one that had this size and root.")
@click.option("--complete-drop", is_flag=True, help="These are all records: tell which of the last complete drop are missing.")
@click.option(
    "--history-wait", type=click.FloatRange(0), metavar="SECONDS", default=WAIT, show_default=True, help="Wait for a locked history."
)
@click.option("--pins", metavar="FILE", help="Compare with a pin file, which wrs-history export --pins writes.")
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
      2  wrong usage, a bad configuration, or a history that cannot be used
      3  nothing to verify: no record was found
      4  incomplete: an internal error, a lost worker, interrupted, a history in use, or a report that was not written
    """
    strict = given["strict"] or given["pre_publication"]
    options = Options(
        strict=strict,
        require_content=given["require_content"] or given["pre_publication"],
        double_check=given["double_check"],
        limits=Limits(given["max_size"], given["max_depth"], given["max_findings"]),
        notes_placed=given["verbose"] or any(spec.format != "text" for spec in reports),
        levels=configured.levels,
        allowances=configured.allowances,
        now=given["now"],
        input_digests=any(spec.format == "intoto" for spec in reports),
    )
    if given["sign_key"] and not options.input_digests:
        raise click.UsageError("--sign-key goes with --report intoto")
    limits = InputLimits(given["max_size"], given["max_expanded"], given["max_ratio"], given["max_members"], given["max_lines"])
    selection, processes = Selection(paths, given["include"], given["exclude"]), given["jobs"] or os.cpu_count() or 1
    if given["attestation"]:
        sys.exit(_attested(given["attestation"], given["public_key"], selection, limits))
    if given["public_key"]:
        raise click.UsageError("--public-key goes with --attestation")
    job = execution.Job(selection, options, limits, processes, given["sources"], given["cluster"], _remember(given))
    shown = ReportOptions(
        version=VERSION,
        quiet=given["quiet"],
        verbose=given["verbose"],
        only_failures=given["only_failures"],
        colour=_colour(),
        width=_width(),
        configuration=configured.described,
        sign=given["sign_key"],
        settings=_settings(options, given),
    )
    sys.exit(_run(job, (*reports, *_step_summary(reports)), shown, configured.name))


def _remember(given: Mapping[str, Any]) -> execution.Remember | None:
    """What the records are to be compared with.

    Raises:
        click.UsageError: an option needs another one.
    """
    history, pins = given["history"], given["pins"]
    for option in ("expect_root", "complete_drop"):
        if given[option] and history is None:
            raise click.UsageError(f"--{option.replace('_', '-')} goes with --history")
    if history is None and pins is None:
        return None
    return execution.Remember(history, pins, given["expect_root"], given["complete_drop"], given["history_wait"])


def _settings(options: Options, given: Mapping[str, Any]) -> dict[str, Json]:
    """What a reader of an attestation must know of how was checked. Not the time, which is another in every run."""
    flags = {name: getattr(options, name) for name in ("strict", "require_content", "double_check")}
    allowances = [{key: str(value) for key, value in one._asdict().items() if value is not None} for one in options.allowances]
    more = {"sources": bool(given["sources"]), "include": given["include"], "exclude": given["exclude"]}
    return flags | more | {"levels": dict(options.levels), "allowances": allowances, "limits": options.limits._asdict()}


def _step_summary(specs: Iterable[Spec]) -> Iterable[Spec]:
    """The page that goes with annotations of GitHub, where the environment names a file for it."""
    file = os.environ.get("GITHUB_STEP_SUMMARY")
    return [Spec(STEP_SUMMARY, file, append=True)] if file and any(spec.format == "github" for spec in specs) else []


def _run(job: execution.Job, specs: tuple[Spec, ...], shown: ReportOptions, kept: str | None) -> int:
    """Do the job, write its reports, and return the exit status. `kept` is the configuration that was read."""
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGINT, _interrupt)
    if sys.stdout is None:
        click.echo("wrs-verify: standard output is closed", err=True)
        return INCOMPLETE
    try:
        files = [spec.file for spec in specs if spec.file is not None]
        _keep_inputs([job.selection, Selection(job.sources)], files)
        _keep_memory(job.remember, files, kept)
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
    except HistoryError as error:
        click.echo(f"wrs-verify: {error}", err=True)
        return USAGE
    except HistoryLocked as error:
        click.echo(f"wrs-verify: {error}", err=True)
        return INCOMPLETE
    except execution.ClusterError as error:
        click.echo(f"wrs-verify: {error}", err=True)
        return INCOMPLETE
    except execution.Interrupted:
        return INCOMPLETE
    return _status(ending)


def _keep_inputs(selections: list[Selection], files: list[str]) -> None:
    """Refuse to write a report over something that is to be verified, or over a source version.

    Raises:
        click.UsageError: a report's file is an input.
        MissingPath: a path does not exist.
    """
    existing = {os.path.realpath(file) for file in files if Path(file).exists()}
    found = chain.from_iterable(find(selection) for selection in selections) if existing else ()
    if any(isinstance(one, Source) and os.path.realpath(one.path) in existing for one in found):
        raise click.UsageError("a report cannot be written over an input")


def _keep_memory(remember: execution.Remember | None, files: list[str], configuration: str | None) -> None:
    """Refuse to write a report over the history, the pins or the configuration, or to take one of these for another.

    Raises:
        click.UsageError: two of them are one file.
    """
    kept = [file for file in (remember.history, remember.pins) if file is not None] if remember else []
    kept += [configuration] if configuration is not None else []
    paths = [os.path.realpath(file) for file in [*kept, *files]]
    if len(set(paths)) < len(paths) and kept:
        raise click.UsageError("a history, a pin file, a configuration and a report cannot be one file")


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
