"""The command `wrs-verify`."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from types import FrameType
from typing import Any, NoReturn, TypeVar

import click

from wrs_verify import arguments, completion, config, execution, guards, progress, signing
from wrs_verify._version import VERSION
from wrs_verify.engine import Options
from wrs_verify.history.errors import WAIT, HistoryError, HistoryLocked
from wrs_verify.inputs import InputLimits, MissingPath, Selection
from wrs_verify.mistakes import MAX_DEPTH
from wrs_verify.model import Json, Limits
from wrs_verify.report import FORMATS, SHOWING_EXCERPTS, STEP_SUMMARY, standard_output
from wrs_verify.report import Options as ReportOptions
from wrs_verify.report.output import OutputError, Reports, Spec
from wrs_verify.safe import terminal, visible

__all__ = ["FAILED", "INCOMPLETE", "NOTHING", "PASSED", "USAGE", "command", "main"]

#: Exit statuses, the same in every format.
PASSED, FAILED, USAGE, NOTHING, INCOMPLETE = range(5)

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _limit(name: str, metavar: str, default: int, text: str, most: int | None = None) -> Callable[[_Function], _Function]:
    """An option for a limit: `text` says of what, `most` how far it can be raised."""
    return click.option(name, type=click.IntRange(1, most), metavar=metavar, default=default, show_default=True, help=text)


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, shell_complete=completion.files)
@click.option(
    "reports",
    "--report",
    metavar="FORMAT[=FILE]",
    multiple=True,
    callback=arguments.specs,
    shell_complete=completion.formats,
    help=f"Write a report, to standard output or to FILE; repeatable. Formats: {', '.join(FORMATS)}.  [default: text]",
)
@click.option(
    "--sign-key",
    metavar="PEM",
    callback=signing.sign_key,
    shell_complete=completion.files,
    help="Sign the report intoto with the private key in this file.",
)
@click.option(
    "--attestation",
    metavar="FILE",
    shell_complete=completion.files,
    help="Verify nothing anew: check that the signed intoto report in this file covers exactly these inputs, and that they passed.",
)
@click.option("--public-key", metavar="PEM", shell_complete=completion.files, help="The key that must have signed it, in this file.")
@click.option("--strict", is_flag=True, help="Warnings fail too.")
@click.option("--pre-publication", is_flag=True, help="--strict and --require-content.")
@click.option("--require-content", is_flag=True, help="A content hash that cannot be recomputed fails.")
@click.option("--sources", metavar="PATH", multiple=True, shell_complete=completion.files, help="Where source versions are; repeatable.")
@click.option("--double-check", is_flag=True, help="A second, independent parser, validator and canonicalizer must agree.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes of this machine.  [default: as many as there are cores]")
@click.option(
    "--cluster", metavar="ADDRESS", callback=arguments.cluster, help="Check on the workers of the Dask scheduler at this address instead."
)
@click.option("--include", metavar="GLOB", multiple=True, help="Only these files of a directory; repeatable.")
@click.option("--exclude", metavar="GLOB", multiple=True, help="Not these files of a directory; repeatable.")
@_limit("--max-size", "BYTES", Limits().max_size, "Size of one record's text.")
@_limit("--max-depth", "N", Limits().max_depth, "Levels of nesting.", most=MAX_DEPTH)
@_limit("--max-expanded", "BYTES", InputLimits().max_expanded, "Size of one input after decompression.")
@_limit("--max-ratio", "N", InputLimits().max_ratio, "How many times its size a compressed input may expand to.")
@_limit("--max-members", "N", InputLimits().max_members, "Members of one archive.")
@_limit("--max-lines", "N", InputLimits().max_lines, "Lines of one JSON Lines input, blank ones too.")
@_limit(
    "--max-findings", "N", Limits().max_findings, "Findings of a record, or of a rule about several, that are listed and not only counted."
)
@_limit("--max-references", "N", Limits().max_references, "Entries that one record names and that are looked for.")
@click.option(
    "--history",
    metavar="FILE",
    shell_complete=completion.files,
    help="Compare with what earlier runs saw, and remember this one if nothing fails.",
)
@click.option(
    "--expect-root", metavar="SIZE:ROOT", callback=arguments.root, help="The history must extend the one that had this size and root."
)
@click.option("--complete-drop", is_flag=True, help="These are all records: tell which of the last complete drop are missing.")
@click.option(
    "--history-wait", type=click.FloatRange(0), metavar="SECONDS", default=WAIT, show_default=True, help="Wait for a locked history."
)
@click.option(
    "--pins",
    metavar="FILE",
    shell_complete=completion.files,
    help="Compare with a pin file, which wrs-history export --pins writes.",
)
@click.option(
    "--config",
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=arguments.configure,
    shell_complete=completion.files,
    help="Options, levels and allowances as TOML.  [default: wrs-verify.toml in the current directory, else pyproject.toml there]",
)
@click.option("--now", metavar="TIME", callback=arguments.time, help="The time by which dates are judged.  [default: now]")
@click.option("--quiet", is_flag=True, help="Text: errors only, and no summary of a run that passed.")
@click.option("--verbose", is_flag=True, help="Text: notes too, every record, and what nothing protects.")
@click.option("--only-failures", is_flag=True, help="Text: of records that passed, nothing but the summary.")
@click.option(
    "--explain",
    metavar="RULE",
    is_eager=True,
    expose_value=False,
    callback=arguments.explain,
    shell_complete=completion.rule_names,
    help="Show what a rule checks, why, how to mend what it finds, and exit.",
)
@click.option(
    "--list-rules", is_flag=True, is_eager=True, expose_value=False, callback=arguments.list_rules, help="List all rules and exit."
)
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
    if given["quiet"] and given["verbose"]:
        _settle(given, "quiet", "verbose")
    strict = given["strict"] or given["pre_publication"]
    options = Options(
        strict=strict,
        require_content=given["require_content"] or given["pre_publication"],
        double_check=given["double_check"],
        limits=Limits(given["max_size"], given["max_depth"], given["max_findings"], given["max_references"]),
        notes_placed=given["verbose"] or any(spec.format != "text" for spec in reports),
        excerpts=any(spec.format in SHOWING_EXCERPTS for spec in reports),
        levels=configured.levels,
        allowances=configured.allowances,
        now=given["now"],
        input_digests=any(spec.format == "intoto" for spec in reports),
    )
    limits = InputLimits(given["max_size"], given["max_expanded"], given["max_ratio"], given["max_members"], given["max_lines"])
    selection, processes = Selection(paths, given["include"], given["exclude"]), given["jobs"] or os.cpu_count() or 1
    if given["attestation"]:
        sys.exit(_attested(selection, limits, configured))
    if given["public_key"]:
        raise click.UsageError("--public-key goes with --attestation")
    if given["sign_key"] and not options.input_digests:
        raise click.UsageError("--sign-key goes with --report intoto")
    job = execution.Job(selection, options, limits, processes, given["sources"], given["cluster"], _remember(given))
    shown = ReportOptions(
        version=VERSION,
        quiet=given["quiet"],
        verbose=given["verbose"],
        only_failures=given["only_failures"],
        colour=standard_output.colour(),
        width=standard_output.width(),
        configuration=configured.described,
        sign=given["sign_key"],
        settings=_settings(options, given),
    )
    sys.exit(_run(job, (*reports, *_step_summary(reports)), shown, configured.name))


def _settle(given: dict[str, Any], one: str, other: str) -> None:
    """Of two options that exclude each other, the one on the command line comes before that of the configuration.

    Raises:
        click.UsageError: both are from the same place.
    """
    source = click.get_current_context().get_parameter_source
    if source(one) is source(other):
        raise click.UsageError(f"--{one} and --{other} do not go together")
    given[one if source(other) is click.core.ParameterSource.COMMANDLINE else other] = False


def _attested(selection: Selection, limits: InputLimits, configured: config.Config) -> int:
    """Check inputs against an attestation instead of verifying them, print what is wrong, and return the exit status."""
    context = click.get_current_context()
    faults = signing.attestation_faults(context, selection, limits)
    for fault in faults:
        click.echo(f"{terminal(context.params['attestation'])}: {fault}".encode())
    click.echo("FAIL: the attestation does not vouch for these inputs" if faults else "PASS: the attestation covers exactly these inputs")
    used = sorted(option for option in configured.options if option.replace("-", "_") in signing.USED)
    if used:  # it may leave files out of what is compared
        click.echo(f"  configuration: {terminal(configured.name or '')}: sets {', '.join(used)}".encode())
    return FAILED if faults else PASSED


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
        memory = (job.remember.history, job.remember.pins) if job.remember else ()
        guards.keep_apart([job.selection, Selection(job.sources)], [*memory, kept], files)
        with Reports(specs, shown, sys.stdout.buffer) as reports, ExitStack() as stack:
            record = stack.enter_context(progress.shown(job.selection, reports.record))
            ending = execution.run(job, record, lambda ending: _complete(stack, reports, ending))
            reports.publish()
    except (MissingPath, guards.OneFile) as error:
        raise click.UsageError(str(error)) from error
    except OutputError as error:
        if not error.closed:
            click.echo(f"wrs-verify: {error}", err=True)
        return INCOMPLETE
    except HistoryError as error:
        click.echo(f"wrs-verify: {error}", err=True)
        return USAGE
    except (HistoryLocked, execution.NotRemembered, execution.ClusterError) as error:
        click.echo(f"wrs-verify: {error}", err=True)
        return INCOMPLETE
    except execution.Interrupted:
        return INCOMPLETE
    return _status(ending)


def _complete(stack: ExitStack, reports: Reports, ending: execution.Ending) -> None:
    """Complete the reports. From then on no signal stops the run: a history is extended and reports are published."""
    stack.close()
    reports.complete(ending.verdict, ending.counts, ending.skipped, ending.findings, ending.summary)
    for why in reports.unstated:
        click.echo(f"wrs-verify: {why}", err=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


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


def main() -> None:
    """Run the command with the arguments of the process. An error of its own is not a finding: the status is that of an incomplete run."""
    # What a record leaves behind is freed as soon as it is checked; hardly any of it is for the garbage collector to find.
    gc.freeze()
    gc.set_threshold(50_000)
    try:
        command(prog_name="wrs-verify")
    except Exception as error:
        click.echo(f"wrs-verify: internal error, {type(error).__name__}: {visible(str(error))}", err=True)
        sys.exit(INCOMPLETE)
