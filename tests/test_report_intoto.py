"""The in-toto report: what it states, a signature that others can verify, and that it vouches for nothing but what it covers."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from commands import wrs_verify
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import ATTACK, ERROR, FINDINGS, OPTIONS, RESULTS, WARNING, attacked, result, write

from wrs_verify import attestation
from wrs_verify.attestation import PAYLOAD_TYPE, AttestationError
from wrs_verify.cli import command
from wrs_verify.model import Finding, RecordResult
from wrs_verify.signing import USED

VALID = Path(__file__).parent.parent / "vectors" / "valid" / "whole-record.json"
DIGEST = "a" * 64


def stated(*results: RecordResult, **more: Any) -> Any:
    text, _ = write("intoto", [one._replace(text_digest=DIGEST) for one in results], **more)
    made = json.loads(text)
    assert (made["_type"], made["predicateType"]) == (
        "https://in-toto.io/Statement/v1",
        "https://in-toto.io/attestation/test-result/v0.1",
    )
    return made


def test_the_statement() -> None:
    made = stated(result("a.json"), result("b.jsonl", [WARNING], line=3), result("c.json", [ERROR]), findings=[ERROR, WARNING])
    assert made["subject"] == [{"name": name, "digest": {"sha256": DIGEST}} for name in ("a.json", "b.jsonl:3", "c.json")]
    predicate = made["predicate"]
    assert predicate["result"] == "FAILED"
    assert predicate["passedTests"] == ["a.json"]
    assert predicate["warnedTests"] == ["b.jsonl:3"]
    assert predicate["failedTests"] == ["c.json", "schema-violation a.json"]
    assert predicate["configuration"][0]["uri"] == "pkg:pypi/wrs-verify@1.0"
    assert predicate["wrsVerify"]["counts"]["errors"] == 2


def test_passed_is_stated_of_nothing_but_a_pass() -> None:
    assert stated(result())["predicate"]["result"] == "PASSED"
    predicate = stated(result(), verdict="incomplete")["predicate"]
    assert (predicate["result"], predicate["failedTests"]) == ("FAILED", ["incomplete"])


def test_a_record_whose_bytes_are_not_known_is_no_subject() -> None:
    made = json.loads(write("intoto", [result("a.json"), result("b.json")._replace(text_digest=DIGEST)])[0])
    assert [one["name"] for one in made["subject"]] == ["b.json"]
    assert made["predicate"]["passedTests"] == ["a.json", "b.json"]


@pytest.mark.parametrize("signed", [False, True])
def test_a_statement_about_nothing_is_not_made(signed: bool, keys: Path, tmp_path: Path) -> None:
    file = tmp_path / "statement.json"
    file.write_text("as it was")
    (tmp_path / "empty").mkdir()
    key: list[str | Path] = ["--sign-key", keys / "ours.pem"] if signed else []
    done = wrs_verify(tmp_path / "empty", "--report", f"intoto={file}", "--report", "json", *key)
    assert (done.returncode, json.loads(done.stdout)["counts"]["inputs"]) == (3, 0)
    assert done.stderr == b"wrs-verify: there is no intoto report: a statement is about something, and no record was read\n"
    assert [one.name for one in sorted(tmp_path.iterdir())] == ["empty", "statement.json"]
    assert file.read_text() == "as it was"


def test_a_statement_about_nothing_that_could_be_read_is_not_made(tmp_path: Path) -> None:
    (tmp_path / "a.json.gz").write_bytes(b"no gzip")
    done = wrs_verify(tmp_path, "--report", "intoto")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"there is no intoto report" in done.stderr


def test_an_attack_stays_text() -> None:
    made = stated(attacked(), findings=attacked().findings)
    assert made["predicate"]["wrsVerify"]["counts"]["allowed"] == 1
    assert made["subject"][0]["name"] == ATTACK.replace("\ud800", "\\ud800") + ":1"


@settings(max_examples=40)
@given(st.lists(RESULTS, min_size=1, max_size=3), st.lists(FINDINGS, max_size=2))
def test_read_back_whatever_the_records_hold(results: list[RecordResult], findings: Sequence[Finding]) -> None:
    predicate = stated(*results, findings=findings)["predicate"]
    assert len(predicate["passedTests"] + predicate["warnedTests"]) == sum(one.verdict == "pass" for one in results)
    assert (predicate["result"] == "PASSED") == (not predicate["failedTests"])


def pem(key: Any) -> tuple[bytes, bytes]:
    """A private and a public key."""
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return private, key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


KEYS: dict[str, tuple[Callable[[], Any], Callable[[Any, bytes, bytes], None]]] = {
    "ed25519": (ed25519.Ed25519PrivateKey.generate, lambda key, sig, data: key.verify(sig, data)),
    "ecdsa": (lambda: ec.generate_private_key(ec.SECP256R1()), lambda key, sig, data: key.verify(sig, data, ec.ECDSA(hashes.SHA256()))),
    "rsa": (
        lambda: rsa.generate_private_key(65537, 2048),
        lambda key, sig, data: key.verify(
            sig, data, padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.DIGEST_LENGTH), hashes.SHA256()
        ),
    ),
}


@pytest.mark.parametrize("kind", KEYS)
def test_the_envelope_is_verified_without_our_code(kind: str) -> None:
    """Pre-authentication encoding and envelope as DSSE v1 has them, with `cryptography` alone."""
    key = KEYS[kind][0]()
    private, public = pem(key)
    text, _ = write("intoto", [result()._replace(text_digest=DIGEST)], OPTIONS._replace(sign=attestation.signer(private)))
    envelope = json.loads(text)
    payload = base64.b64decode(envelope["payload"], validate=True)
    (signature,) = envelope["signatures"]
    kind_of = envelope["payloadType"].encode()
    signed = b"DSSEv1 %d %b %d %b" % (len(kind_of), kind_of, len(payload), payload)
    KEYS[kind][1](key.public_key(), base64.b64decode(signature["sig"], validate=True), signed)
    assert envelope["payloadType"] == PAYLOAD_TYPE == "application/vnd.in-toto+json"
    assert json.loads(payload)["predicate"]["result"] == "PASSED"
    assert attestation.statement(text.encode(), attestation.public_key(public)) == json.loads(payload)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    for name in ("ours", "theirs"):
        private, public = pem(ed25519.Ed25519PrivateKey.generate())
        (folder / f"{name}.pem").write_bytes(private)
        (folder / f"{name}.pub").write_bytes(public)
    return folder


@pytest.fixture
def drop(tmp_path: Path, keys: Path) -> Path:
    """A folder of two good records, and beside it what was signed about it."""
    folder = tmp_path / "drop"
    folder.mkdir()
    shutil.copy(VALID, folder / "a.json")
    good = sorted(file for file in VALID.parent.glob("*.json") if file != VALID)[0]
    shutil.copy(good, folder / "b.json")
    assert sign(folder, keys).returncode == 0
    return folder


def sign(folder: Path, keys: Path) -> Any:
    return wrs_verify(folder, "--report", f"intoto={folder.parent}/signed.json", "--sign-key", keys / "ours.pem")


def check(folder: Path, keys: Path, key: str = "ours", **more: Any) -> tuple[int, str]:
    done = wrs_verify(folder, "--attestation", folder.parent / "signed.json", "--public-key", keys / f"{key}.pub", **more)
    assert done.stderr == b""
    return done.returncode, done.stdout.decode()


def test_an_attestation_covers_exactly_these_inputs(drop: Path, keys: Path) -> None:
    assert check(drop, keys) == (0, "PASS: the attestation covers exactly these inputs\n")
    subjects = attestation.statement((drop.parent / "signed.json").read_bytes(), attestation.public_key((keys / "ours.pub").read_bytes()))[
        "subject"
    ]
    assert [one["digest"]["sha256"] for one in subjects] == [
        hashlib.sha256((drop / name).read_bytes()).hexdigest() for name in ("a.json", "b.json")
    ]


def test_another_key_another_byte_one_more_and_one_less(drop: Path, keys: Path) -> None:
    assert check(drop, keys, "theirs")[0] == 1
    (drop / "c.json").write_bytes(VALID.read_bytes())
    status, text = check(drop, keys)
    assert (status, "it does not cover" in text, "c.json" in text) == (1, True, True)
    (drop / "c.json").unlink()
    (drop / "a.json").write_bytes(VALID.read_bytes() + b" ")
    status, text = check(drop, keys)
    assert (status, text.count("it does not cover"), text.count("it covers what is not here:")) == (1, 1, 1)
    (drop / "a.json").unlink()
    status, text = check(drop, keys)
    assert (status, text.count("it does not cover"), text.count("it covers what is not here:")) == (1, 0, 1)
    (drop / "b.json").unlink()
    assert "no record was found" in check(drop, keys)[1]


def test_what_cannot_be_read_is_not_covered(drop: Path, keys: Path) -> None:
    (drop / "c.json.gz").write_bytes(gzip.compress(b"{}")[:-4])
    assert check(drop, keys)[0] == 1


def test_a_run_that_failed_vouches_for_nothing(drop: Path, keys: Path) -> None:
    (drop / "a.json").write_bytes(b"{}")
    assert sign(drop, keys).returncode == 1
    status, text = check(drop, keys)
    assert (status, 'is "FAILED", not PASSED' in text) == (1, True)


@pytest.fixture
def envelope(drop: Path) -> Any:
    return json.loads((drop.parent / "signed.json").read_bytes())


def test_nothing_that_is_not_signed_is_believed(envelope: Any, keys: Path) -> None:
    public = attestation.public_key((keys / "ours.pub").read_bytes())
    payload = json.loads(base64.b64decode(envelope["payload"]))
    payload["subject"].append({"name": "x", "digest": {"sha256": DIGEST}})
    tampered: list[Any] = [
        envelope | {"payload": base64.b64encode(json.dumps(payload).encode()).decode()},
        envelope | {"payloadType": "text/plain"},
        envelope | {"signatures": []},
        envelope | {"signatures": [{"sig": ""}]},
        envelope | {"signatures": [{"keyid": envelope["signatures"][0]["keyid"]}]},
        envelope | {"payload": 1},
        envelope | {"payload": "*"},
        envelope | {"payload": envelope["payload"] + "!!"},
        [],
        None,
        payload,
    ]
    for one in tampered:
        with pytest.raises(AttestationError):
            attestation.statement(json.dumps(one).encode(), public)
    twice = json.dumps(envelope)[:-1].encode() + b', "payload": "e30="}'
    for data in (b"", b"\xff", b"[" * 100_000, twice):
        with pytest.raises(AttestationError):
            attestation.statement(data, public)
    without = envelope | {"signatures": [{"sig": envelope["signatures"][0]["sig"]}]}
    assert attestation.statement(json.dumps(without).encode(), public)["subject"]


@pytest.mark.parametrize(
    "change",
    [
        {"_type": "https://in-toto.io/Statement/v0.1"},
        {"predicateType": "https://slsa.dev/provenance/v1"},
        {"predicate": None},
        {"subject": []},
        {"subject": [{"name": 1, "digest": {"sha256": 2}}]},
        {"predicate": {}},
        {"predicate": {"result": "PASSED"}},
        {"predicate": {"result": "PASSED", "passedTests": "a.json"}},
    ],
)
def test_a_signed_statement_of_another_kind_vouches_for_nothing(change: Any, drop: Path, envelope: Any) -> None:
    from wrs_verify.inputs import InputLimits, Selection

    made = json.loads(base64.b64decode(envelope["payload"]))
    assert list(attestation.faults(made, Selection((str(drop),)), InputLimits())) == []
    assert list(attestation.faults(made | change, Selection((str(drop),)), InputLimits()))


def test_a_statement_that_names_an_input_twice_vouches_for_nothing(drop: Path, envelope: Any) -> None:
    from wrs_verify.inputs import InputLimits, Selection

    made = json.loads(base64.b64decode(envelope["payload"]))
    selection = Selection((str(drop),))
    first, second = made["subject"]
    for subjects in ([first, second, first], [first, second | {"name": first["name"]}]):
        assert f"it names more than once {first['name']}" in list(
            attestation.faults(made | {"subject": subjects}, selection, InputLimits())
        )


def test_signed_json_that_can_be_read_in_two_ways_vouches_for_nothing(keys: Path) -> None:
    sign_it = attestation.signer((keys / "ours.pem").read_bytes())
    with pytest.raises(AttestationError, match="not JSON"):
        attestation.statement(sign_it(b'{"subject": [], "subject": [1]}'), attestation.public_key((keys / "ours.pub").read_bytes()))


def test_the_same_bytes_twice_are_covered_as_often_as_they_are_stated(drop: Path, keys: Path) -> None:
    (drop / "c.json").write_bytes((drop / "a.json").read_bytes())
    assert "it does not cover" in check(drop, keys)[1]
    assert sign(drop, keys).returncode == 0
    assert check(drop, keys)[0] == 0


#: Options that ask for what --attestation does not do, each with a value if it needs one.
UNUSED = [
    "--strict", "--pre-publication", "--require-content", "--double-check", "--complete-drop", "--quiet", "--verbose", "--only-failures",
    "--report=text", "--sources=.", "--history=h.db", "--expect-root=0:" + "0" * 64, "--history-wait=1", "--pins=p", "--jobs=1",
    "--cluster=tcp://x:1", "--max-depth=5", "--max-findings=5", "--max-references=5",
    "--now=2030-01-01", "--sign-key=ours.pem",
]  # fmt: skip


@pytest.mark.parametrize("option", UNUSED)
def test_an_option_that_an_attestation_does_not_use_is_refused(option: str, drop: Path, keys: Path) -> None:
    attested: list[str | Path] = ["--attestation", drop.parent / "signed.json", "--public-key", "ours.pub"]
    done = wrs_verify(drop, *attested, option, cwd=keys)
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"{option.partition('=')[0]} does not go with --attestation" in done.stderr.decode()


def test_every_option_is_used_with_an_attestation_or_refused() -> None:
    given = {option.partition("=")[0].removeprefix("--").replace("-", "_") for option in UNUSED}
    known = {option.name: option for option in command.params if option.expose_value}
    known["report"] = known.pop("reports")
    assert given | USED == set(known)
    assert not given & USED


def test_the_inputs_that_are_compared_can_be_chosen_and_a_configuration_is_not_silent_about_it(drop: Path, keys: Path) -> None:
    (drop / "draft.json").write_text("{}")
    assert check(drop, keys)[0] == 1
    attested: list[str | Path] = ["--attestation", drop.parent / "signed.json", "--public-key", keys / "ours.pub"]
    assert wrs_verify(drop, *attested, "--exclude", "draft*").returncode == 0
    configuration = drop.parent / "c.toml"
    configuration.write_text('strict = true\nexclude = ["draft*"]\n')
    done = wrs_verify(drop, *attested, "--config", "c.toml", cwd=drop.parent)
    assert done.stdout.decode() == "PASS: the attestation covers exactly these inputs\n  configuration: c.toml: sets exclude\n"
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sign-key", "ours.pem"], "--sign-key goes with --report intoto"),
        (["--report", "intoto", "--sign-key", "ours.pub"], "not a private key"),
        (["--report", "intoto", "--sign-key", "none"], "cannot be read"),
        (["--attestation", "ours.pem"], "--attestation goes with --public-key"),
        (["--public-key", "ours.pub"], "--public-key goes with --attestation"),
        (["--attestation", "ours.pub", "--public-key", "ours.pem"], "ours.pem: this is a private key"),
        (["--attestation", "ours.pub", "--public-key", str(VALID)], "this is not a public key in PEM"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, keys: Path) -> None:
    done = wrs_verify(VALID, *arguments, cwd=keys)
    assert done.returncode == 2
    assert message in done.stderr.decode()
