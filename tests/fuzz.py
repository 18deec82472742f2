"""Looks for input on which engines disagree, or a reader crashes: `python tests/fuzz.py [--seconds N] [TARGET...]`.

Targets: `differential` (generated texts, and the vectors altered, to the fast and the reference engines), `verify` (all of
`verify_bytes` and the renderers) and `archives` (the readers of archives, compression and lines); the last two are guided by
coverage, with atheris, and start from the vectors. The time is for all targets together. What is found is left in `build/fuzz`,
and the exit status is 1: make a vector of it.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import hashlib
import io
import json
import lzma
import random
import subprocess
import sys
import tarfile
import time
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wrs_verify import canonical, engine, parsing, report, validation
from wrs_verify.inputs import InputLimits
from wrs_verify.inputs.shapes import Item, Stop
from wrs_verify.inputs.streams import Budget, expand, records
from wrs_verify.inputs.tars import read_tar
from wrs_verify.inputs.zips import read_zip
from wrs_verify.model import Json, Limits

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PROJECT = Path(__file__).resolve().parent.parent
FOUND = PROJECT / "build" / "fuzz"
VECTORS = PROJECT / "vectors"
PROFILE = "wrs-published-research-view-1"

LIMITS = Limits()
INPUT_LIMITS = InputLimits(max_size=1_000_000, max_expanded=10_000_000)
CHECKS = engine.Options(double_check=True)

#: What texts are made of: each is a place where some parser, validator or canonicalizer is known to have gone wrong.
NUMBERS = """
    0 -0 0.0 -0.0 1e0 1E+2 1e-2 1.0 123456789012345680000 1e21 1e-7 5e-324 2.2250738585072014e-308 1.7976931348623157e308 1e308 1e309 1e400
    -1e400 1e-400 9007199254740991 9007199254740992 -9007199254740991 -9007199254740993 18446744073709551616 0.1 333333333.33333329 01 -01
    +1 .5 1. 1e 1e+ - NaN Infinity 4.35 0.000001 9.999999999999997e22 100000000000000000000000 2e-3 -1e-999999999 99999999999999999999999
""".split()  # noqa: SIM905 (numbers are easier to read without quotation marks)
STRINGS = (
    *(r"\n", r"\u000a", r"\u0000", r"\b", r"\/", r"\\", r"\"", r"\ud83d\ude00", r"\ud800", r"\udc00", r"\ud800\ud800", r"\udc00\ud800"),
    *(r"\uD83D\uDE00", r"\u20", r"\x", r"\uFEFF", r"\u2028", "a", "/", "é"),
    *("😀", "\u2028", "\ufeff", "ﬃ", "e\u0301", "\u00e9", "\U0010ffff", "\ufffe", "\x7f", "\x1f", "\t", "\u20ac", "$ref", "__proto__", "1"),
)
PIECES = (
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\0", b" ", b"\n", b"\f"),
    *(b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xef\xbb\xbf", b"\xc2\xa0"),
)


def texts(chance: random.Random, seeds: list[bytes]) -> Iterator[bytes]:
    """Generated documents, and seeds with parts of them altered, without end."""
    while True:
        if chance.random() < 0.8:
            yield b"".join(generated(chance, chance.randrange(1, 5)))
        else:
            yield altered(chance, chance.choice(seeds))


def generated(chance: random.Random, depth: int) -> Iterator[bytes]:
    kind = chance.randrange(3 if depth == 0 else 6)
    if kind == 0:
        yield (
            chance.choice(NUMBERS).encode()
            if chance.random() < 0.7
            else repr(chance.uniform(-1, 1) * 10.0 ** chance.randrange(-320, 308)).encode()
        )
    elif kind == 1:
        yield string(chance)
    elif kind == 2:
        yield chance.choice((b"true", b"false", b"null", b"nul", b"True", b"", b"{}", b"[]"))
    else:
        wide = chance.randrange(5)
        yield b"[" if kind == 3 else b"{"
        for index in range(wide):
            yield b"," if index else b""
            if kind != 3:
                yield string(chance) + b":"
            yield from generated(chance, depth - 1)
        yield b"]" if kind == 3 else b"}"


def string(chance: random.Random) -> bytes:
    return b'"' + "".join(chance.choices(STRINGS, k=chance.randrange(4))).encode() + b'"'


def altered(chance: random.Random, text: bytes) -> bytes:
    """A text with some places overwritten, cut out, repeated, or filled with something odd."""
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        at = chance.randrange(len(text) + 1)
        end = min(len(text), at + chance.choice((0, 1, 1, 2, 10, 100)))
        kind = chance.randrange(5)
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind == 1:
            text = text[:at] + text[at:end] * 2 + text[end:]
        elif kind == 2:
            text = text[:at] + chance.choice(PIECES) + text[end:]
        else:
            start, stop = value_at(text, at)
            text = text[:start] + b"".join(generated(chance, 2)) + text[stop:]
    return text


def value_at(text: bytes, at: int) -> tuple[int, int]:
    """Where a value may stand after a place: from behind a colon, or a bracket, to the next comma or bracket."""
    start = min((found for mark in (b":", b"[") if (found := text.find(mark, at)) >= 0), default=len(text)) + 1
    stop = min((found for mark in (b",", b"]", b"}") if (found := text.find(mark, start)) >= 0), default=len(text))
    return start, max(start, stop)


def compare(data: bytes) -> str | None:
    """How the fast and the reference engines differ about a text; None where they do not."""
    said = parsing.disagreement(data, LIMITS)
    if said:
        return said
    fast, reference = outcome(data, reference=False), outcome(data, reference=True)
    if isinstance(fast, canonical.Document) and isinstance(reference, canonical.Document):
        if not parsing.same(parsing.parse(data, LIMITS), parsing.parse(data, LIMITS, reference=True)):
            return "two values were read"
        if fast.canonical != reference.canonical:
            return "two canonical forms"
        again = outcome(fast.canonical, reference=False)
        # The canonical form of 1e20 has no exponent, so that it reads as an integer, which is beyond the safe range.
        beyond = isinstance(again, list) and {problem.rule for problem in again} == {"not-i-json"}
        if not beyond and (not isinstance(again, canonical.Document) or again.canonical != fast.canonical):
            return "the canonical form of the canonical form is another"
        if validation.is_valid(PROFILE, fast.value) != (not validation.violations(PROFILE, reference.value, 1)[1]):
            return "one validator accepts what the other refuses"
        return None
    return None if fast == reference else f"one parser refuses it, or for another reason: {fast!r:.200} {reference!r:.200}"


def outcome(data: bytes, *, reference: bool) -> canonical.Document | list[Any]:
    try:
        return canonical.read(data, LIMITS, reference=reference)
    except parsing.ParseError as error:
        return list(error.problems)


def seeds() -> list[bytes]:
    """The records and lines of the vectors, the small ones first."""
    return sorted(
        {file.read_bytes() for file in VECTORS.glob("*/*.json") if file.parent.name != "cases"}, key=lambda data: (len(data), data)
    )


def differential(seconds: float, seed: int) -> int:
    """How many texts the engines agreed about in that time; it ends at the first about which they do not."""
    end = time.monotonic() + seconds
    for number, data in enumerate(texts(random.Random(seed), seeds()), 1):  # noqa: B007 (it is what is returned)
        said = compare(data)
        if said:
            FOUND.mkdir(parents=True, exist_ok=True)
            file = FOUND / f"differential-{hashlib.sha256(data).hexdigest()[:12]}.json"
            file.write_bytes(data)
            raise AssertionError(f"{said}: {file}")
        if time.monotonic() > end:
            break
    return number


def verify_one(data: bytes) -> None:
    """All of `verify_bytes` and the renderers: no crash, no disagreement, and nothing in a report that could do harm."""
    result = engine.verify_bytes(data, options=CHECKS)
    wrong = [finding.message for finding in result.findings if finding.rule in ("internal-error", "engine-disagreement")]
    assert not wrong, wrong
    assert result.verdict == ("fail" if any(finding.level == "error" for finding in result.findings) else "pass")
    for name in ("text", "json"):
        sink = io.BytesIO()
        renderer = report.renderer(name, sink, report.Options("1", verbose=True))
        tally = report.Tally()
        tally.add(result)
        renderer.record(result)
        renderer.finish(result.verdict, tally.counts(1, 0), (), (), tally.summary())
        renderer.close()
        written = sink.getvalue().decode()
        harmful = {char for char in written if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp", "Cs", "Co")}
        assert not harmful, (name, harmful)
        if name == "json":
            assert validation.is_valid("wrs-verify-report-1", json.loads(written)), written


#: What a reader is given, how it is compressed, and whether the fuzzer's input is what was compressed: an altered stream is hardly ever
#: one that can be expanded, so that what lies behind the compression would not be reached.
KINDS = (
    *(("tar", "", False), ("zip", "", False), ("lines", "", False), ("json", "gz", False), ("lines", "bz2", False), ("json", "xz", False)),
    *(("lines", "zst", False), ("tar", "gz", False)),
    *((kind, compression, True) for kind in ("tar", "lines") for compression in ("gz", "bz2", "xz", "zst")),
)


def compressed(data: bytes, compression: str) -> bytes:
    """The data in two streams, one behind the other, as compressed files may be."""
    half = len(data) // 2
    return b"".join(_compress(part, compression) for part in (data[:half], data[half:]))


def _compress(data: bytes, compression: str) -> bytes:
    if compression == "gz":
        return gzip.compress(data, 1)
    if compression == "bz2":
        return bz2.compress(data, 1)
    return lzma.compress(data, preset=0) if compression == "xz" else zstd.compress(data, 1)


def read_one(data: bytes) -> int:
    """The readers: the first byte tells which. Whatever is wrong with the input is a `Stop`, or something that is refused.

    Returns how many records were read.
    """
    if not data:
        return 0
    kind, compression, packed = KINDS[data[0] % len(KINDS)]
    stream, budget = io.BytesIO(compressed(data[1:], compression) if packed else data[1:]), Budget(INPUT_LIMITS)
    blocks = iter(lambda: stream.read(4096), b"")
    try:
        if kind == "zip":
            found = list(read_zip("a", stream, budget))
        elif kind == "tar":
            found = list(read_tar("a", expand(blocks, compression, budget) if compression else blocks, budget))
        else:
            found = list(records("a", kind, compression, blocks, budget))
    except Stop:
        return 0
    items = [one for one in found if isinstance(one, Item)]
    assert all(len(item.data) <= INPUT_LIMITS.max_size for item in items)
    return len(items)


def corpus(target: str) -> Iterator[bytes]:
    """What fuzzing starts from."""
    if target == "verify":
        yield from seeds()
        return
    suffixes = {".tar": 0, ".zip": 1, ".jsonl": 2, ".gz": 3, ".bz2": 4, ".xz": 5, ".zst": 6, ".tgz": 7}
    for file in sorted(VECTORS.glob("*/*")):
        if file.suffix in suffixes:
            first = suffixes[file.suffix]
            alike = [kind for kind, (name, _, packed) in enumerate(KINDS) if packed and (name, "") == KINDS[first][:2]]
            yield from (bytes([kind]) + file.read_bytes() for kind in (first, *alike))
    yield from (bytes([kind]) + data for kind, data in enumerate(small_archives()))


def small_archives() -> Iterator[bytes]:
    """A valid input of each kind, in the order of the kinds."""
    tar, packed, zipped = io.BytesIO(), io.BytesIO(), io.BytesIO()
    for out, mode in ((tar, "w"), (packed, "w:gz")):
        with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
            for name in ("a.json", "b/" + "n" * 120 + ".json"):
                member = tarfile.TarInfo(name)
                member.size = 2
                archive.addfile(member, io.BytesIO(b"{}"))
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", b"{}")
        archive.writestr("b.jsonl", b"{}\n[]\n", zipfile.ZIP_BZIP2)
    yield from (tar.getvalue(), zipped.getvalue(), b"{}\n\n[]", gzip.compress(b"{}"), bz2.compress(b"{}\n"), lzma.compress(b"{}"))
    yield zstd.compress(b"{}\n")
    yield packed.getvalue()
    yield from (tar.getvalue(),) * 4
    yield from (b"{}\n\n[]",) * 4


def guided(target: str, seconds: int, seed: int) -> None:
    """Fuzz a target, guided by coverage. It does not return: libFuzzer ends the process."""
    import atheris

    folder = FOUND / target
    folder.mkdir(parents=True, exist_ok=True)
    for data in corpus(target):
        (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    one: Callable[[bytes], object] = verify_one if target == "verify" else read_one
    atheris.instrument_all()
    options = [f"-max_total_time={seconds}", f"-seed={seed}", "-max_len=60000", "-timeout=30", "-rss_limit_mb=3000", "-verbosity=1"]
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={FOUND}/{target}-", str(folder)], one)
    atheris.Fuzz()


TARGETS = ("differential", "verify", "archives")


def main() -> None:
    """Run the targets one after another, each in a process of its own, and say how many inputs each has tried."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", default=[], help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=300, help="for all targets together")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of chance")
    parser.add_argument("--only", choices=TARGETS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.only == "differential":
        print(f"{differential(given.seconds, given.seed):,} texts")
    elif given.only:
        guided(given.only, given.seconds, given.seed)
    else:
        targets = given.targets or TARGETS
        if unknown := set(targets) - set(TARGETS):
            parser.error(f"there is no target {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
        failed = [target for target in targets if not run(target, given.seconds // len(targets), given.seed)]
        sys.exit(1 if failed else 0)


def run(target: str, seconds: int, seed: int) -> bool:
    """Whether nothing was found. What the target says at its end is shown; all of it, if something was."""
    command = [sys.executable, __file__, "--only", target, "--seconds", str(seconds), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    lines: list[str] = (done.stdout + done.stderr).splitlines()
    said: list[Json] = [line for line in lines if line.endswith("texts") or line.startswith("Done ")]
    print(f"{target} (seed {seed}): {'nothing found' if done.returncode == 0 else 'FOUND SOMETHING'}: {' '.join(said) or 'no count'}")
    if done.returncode:
        print("\n".join(lines[-60:]))
    return done.returncode == 0


if __name__ == "__main__":
    main()
