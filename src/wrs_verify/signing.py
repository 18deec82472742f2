"""The options of `wrs-verify` about signatures: a key to sign with, and a run that checks an attestation instead of the records."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from wrs_verify.inputs import InputLimits, MissingPath, Selection
from wrs_verify.safe import terminal

__all__ = ["USED", "attestation_faults", "sign_key"]

#: What else may be given with --attestation: which inputs there are, and how they are read.
USED = frozenset(
    ["paths", "attestation", "public_key", "include", "exclude", "max_size", "max_expanded", "max_ratio", "max_members", "max_lines"]
)


def sign_key(context: click.Context, _parameter: click.Parameter, name: str | None) -> Callable[[bytes], bytes] | None:
    """What signs with the private key in the file that `--sign-key` names."""
    if name is None or context.resilient_parsing:
        return None
    _needs_extra()
    from wrs_verify import attestation

    try:
        return attestation.signer(_read_file(name))
    except attestation.AttestationError as error:
        raise click.BadParameter(f"{terminal(name)}: {error}") from error


def attestation_faults(context: click.Context, selection: Selection, limits: InputLimits) -> list[str]:
    """What keeps the attestation of `--attestation` from vouching for the inputs, each in words; none where it does.

    Raises:
        click.UsageError: another option than those that choose inputs or limit them was given, a file cannot be read, or the key is none.
    """
    _refuse_unused(context)
    file, key = context.params["attestation"], context.params["public_key"]
    if key is None:
        raise click.UsageError("--attestation goes with --public-key")
    _needs_extra()
    from wrs_verify import attestation

    envelope, pem = _read_file(file), _read_file(key)
    try:
        trusted = attestation.public_key(pem)
    except attestation.AttestationError as error:
        raise click.UsageError(f"{terminal(key)}: {error}") from error
    try:
        return list(attestation.faults(attestation.statement(envelope, trusted), selection, limits))
    except attestation.AttestationError as error:
        return [str(error)]
    except MissingPath as error:
        raise click.UsageError(str(error)) from error


def _refuse_unused(context: click.Context) -> None:
    """An option that asks for something which is not done is refused. One of the configuration is meant for runs, and is passed over."""
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE and parameter.expose_value and name not in USED:
            raise click.UsageError(f"{parameter.opts[0]} does not go with --attestation, which verifies nothing anew")


def _needs_extra() -> None:
    from importlib.util import find_spec

    if find_spec("securesystemslib") is None or find_spec("cryptography") is None:
        raise click.UsageError("signatures need the extra [sign]: pip install 'wrs-verify[sign]'")


def _read_file(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{terminal(name)} cannot be read: {getattr(error, 'strerror', None) or error}") from error
