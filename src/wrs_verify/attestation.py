"""Signs statements about inputs, and checks that a signed one covers the inputs that are at hand (in-toto, DSSE v1).

DSSE: https://github.com/secure-systems-lab/dsse. Keys are PEM files: Ed25519, ECDSA on a NIST curve, RSA. This needs the extra `[sign]`.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from wrs_verify.execution.work import Setup, parts, reads
from wrs_verify.inputs import InputLimits, Item, Selection, find
from wrs_verify.model import Finding, Json, Skipped
from wrs_verify.report.intoto import PREDICATE, STATEMENT
from wrs_verify.safe import terminal, value, visible

if TYPE_CHECKING:
    from securesystemslib.signer import SSlibKey

__all__ = ["PAYLOAD_TYPE", "AttestationError", "faults", "public_key", "signer", "statement"]

PAYLOAD_TYPE = "application/vnd.in-toto+json"

#: Inputs that are named where many are not covered.
_NAMED = 10


class AttestationError(Exception):
    """A key cannot be used, or a statement cannot be trusted. The message is for users."""


def signer(pem: bytes) -> Callable[[bytes], bytes]:
    """A function that makes a signed DSSE envelope of a payload.

    Args:
        pem: a private key that is not encrypted.

    Raises:
        AttestationError: it is none.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import UnsupportedAlgorithmError
    from securesystemslib.signer import CryptoSigner

    try:
        # What this cannot sign with is refused by the next line.
        made = CryptoSigner(load_pem_private_key(pem, None))
    except (ValueError, TypeError, UnsupportedAlgorithm, UnsupportedAlgorithmError) as error:
        raise AttestationError("this is not a private key in PEM, without a password, of Ed25519, ECDSA or RSA") from error

    def sign(payload: bytes) -> bytes:
        envelope = Envelope(payload, PAYLOAD_TYPE, {})
        envelope.sign(made)
        return json.dumps(envelope.to_dict()).encode() + b"\n"

    return sign


def public_key(pem: bytes) -> SSlibKey:
    """The key of a PEM file.

    Raises:
        AttestationError: it is not a public key that can be used.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from securesystemslib.signer import SSlibKey

    try:
        return SSlibKey.from_crypto(load_pem_public_key(pem))
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        if b"PRIVATE KEY-----" in pem:
            raise AttestationError("this is a private key, not the public one that goes with it") from error
        raise AttestationError("this is not a public key in PEM, of Ed25519, ECDSA or RSA") from error


def statement(envelope: bytes, key: SSlibKey) -> Json:
    """The payload of a DSSE envelope, as JSON, if a trusted key has signed it.

    Args:
        envelope: its JSON text.
        key: the public key that is trusted.

    Raises:
        AttestationError: this is not an envelope, or none of its signatures is by that key.
    """
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import UnverifiedSignatureError, VerificationError
    from securesystemslib.signer import Signature

    payload, kind, signatures = _opened(envelope)
    signed = Envelope(payload, kind, {}).pae()
    for signature in signatures:
        try:
            # A key id is a hint (DSSE, protocol), which nothing signs: the key alone decides.
            key.verify_signature(Signature(key.keyid, signature.hex()), signed)
        except (UnverifiedSignatureError, VerificationError):
            continue
        if kind != PAYLOAD_TYPE:
            raise AttestationError(f"what is signed is {value(kind, 80)}, not {PAYLOAD_TYPE}")
        return _json(payload, "what is signed is not JSON")
    raise AttestationError("it has no signature by the public key")


def _opened(envelope: bytes) -> tuple[bytes, str, list[bytes]]:
    stated = _json(envelope, "this is no DSSE envelope: it is not JSON")
    try:
        payload, kind, signatures = stated["payload"], stated["payloadType"], [one["sig"] for one in stated["signatures"]]
        if not isinstance(kind, str):
            raise TypeError
        return _base64(payload), kind, [_base64(one) for one in signatures]
    except (LookupError, TypeError, ValueError) as error:
        raise AttestationError("this is no DSSE envelope") from error


def _base64(text: str) -> bytes:
    return base64.b64decode(text.replace("-", "+").replace("_", "/") if isinstance(text, str) else b"*", validate=True)


def _json(data: bytes, fault: str) -> Json:
    """JSON in which no name stands twice: what another reader would take for the other value vouches for nothing."""
    try:
        return json.loads(data, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise AttestationError(fault) from error


def _distinct(members: list[tuple[str, Json]]) -> dict[str, Json]:
    made = dict(members)
    if len(made) != len(members):
        raise ValueError("a name stands twice")
    return made


def faults(stated: Json, selection: Selection, limits: InputLimits) -> Iterator[str]:
    """What keeps a statement from vouching for some inputs: nothing, if it says that exactly these passed.

    Inputs are compared by the bytes of their records, not by name: a drop may be in another folder.

    Args:
        stated: the statement, whose signature was verified.
        selection: the inputs.
        limits: how they are read.

    Raises:
        wrs_verify.inputs.MissingPath: a path does not exist.
    """
    subjects = list(_subjects(stated))
    if not subjects:
        yield "it is not an in-toto statement (v1) of test results (v0.1) about any input"
        return
    names = Counter(name for name, _ in subjects)
    yield from _named("it names more than once", [name for name, times in names.items() if times > 1])
    yield from _result(stated["predicate"], set(names))
    wanted = Counter(digest for _, digest in subjects)
    strange = []
    number = 0
    for one in _read(selection, limits):
        if isinstance(one, str):
            yield one
            continue
        number += 1
        digest = hashlib.sha256(one.data).hexdigest()
        if wanted[digest]:
            wanted[digest] -= 1
        else:
            strange.append(one.name if one.line is None else f"{one.name}:{one.line}")
    if not number:
        yield "no record was found"
    yield from _named("it does not cover", strange)
    missing = []
    for name, digest in subjects:
        if wanted[digest]:
            wanted[digest] -= 1
            missing.append(name)
    yield from _named("it covers what is not here:", missing)


def _subjects(stated: Json) -> Iterator[tuple[str, str]]:
    """The names and digests of a statement's subjects; none where it is not what it should be."""
    try:
        right = (stated["_type"], stated["predicateType"], isinstance(stated["predicate"], dict)) == (STATEMENT, PREDICATE, True)
        found = [(subject["name"], subject["digest"]["sha256"]) for subject in stated["subject"]] if right else []
    except (LookupError, TypeError):
        return
    if all(isinstance(part, str) for pair in found for part in pair):
        yield from found


def _result(predicate: dict[str, Json], names: set[str]) -> Iterator[str]:
    if predicate.get("result") != "PASSED":
        yield f"the result that it states is {value(predicate.get('result'), 80)}, not PASSED"
    failed, passed, warned = (predicate.get(kind, []) for kind in ("failedTests", "passedTests", "warnedTests"))
    if not all(isinstance(tests, list) and all(isinstance(name, str) for name in tests) for tests in (failed, passed, warned)):
        yield "its lists of tests are not lists of names"
        return
    yield from _named("it states a failure of", failed)
    yield from _named("it does not state that these passed:", sorted(names.difference(passed, warned, failed)))


def _read(selection: Selection, limits: InputLimits) -> Iterator[Item | str]:
    """The records of the inputs, as a run reads them, and in words what cannot be read. What a run skips is skipped here."""
    for part in parts(find(selection), Setup(limits=limits)):
        for one in reads(part, limits):
            if isinstance(one, Item):
                yield one
            elif not isinstance(one, Skipped):
                name = one.input if isinstance(one, Finding) else one.name
                yield f"{terminal(name)}: {visible(one.message)}"


def _named(said: str, names: list[str]) -> Iterator[str]:
    for name in islice(names, _NAMED):
        yield f"{said} {terminal(name)}"
    if len(names) > _NAMED:
        yield f"{said} {len(names) - _NAMED} more"
