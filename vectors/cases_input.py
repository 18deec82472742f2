"""Inputs that are not records because they can't be read as JSON: the input family of rules.

The place of these findings is a matter of the parser, so that no pointer is stated.
"""

from __future__ import annotations

import bz2
import io
import tarfile
import zipfile
import zlib
from collections.abc import Sequence

from builder import record, text
from cases import CONTENT, Case, Expected, error, files, note, warning

PLAIN = text(record("example-input"))


def broken(
    family: str, name: str, comment: str, data: bytes, *findings: Expected, arguments: Sequence[str] = (), suffix: str = ".json"
) -> Case:
    """A case of one input that gives one finding of its family, unless others are named."""
    return Case(family, name, comment, files(family, name, data, suffix), findings or [error(family)], arguments)


def replaced(old: str, new: str | bytes) -> bytes:
    """The text of the plain record, with the one place that reads `old` changed."""
    if PLAIN.count(old.encode()) != 1:
        raise ValueError(f"{old!r} must occur once in the record")
    return PLAIN.replace(old.encode(), new.encode() if isinstance(new, str) else new)


def related(member: str) -> bytes:
    """The plain record with a free-form object of one member, given as JSON text."""
    return replaced('"related": []', '"related": [{' + member + "}]")


def gzipped(data: bytes, crc: int) -> bytes:
    """A gzip file (RFC 1952) of one stored block (RFC 1951, section 3.2.4): zlib's own output differs between its versions."""
    length = len(data).to_bytes(2, "little")
    block = b"\x01" + length + bytes(255 - byte for byte in length) + data
    return b"\x1f\x8b\x08" + bytes(6) + b"\xff" + block + crc.to_bytes(4, "little") + len(data).to_bytes(4, "little")


def enclosed(levels: int, before: str, core: str, after: str) -> bytes:
    return (before * levels + core + after * levels).encode()


def no_json() -> list[Case]:
    def case(name: str, comment: str, data: bytes) -> Case:
        return broken("invalid-json", name, comment, data)

    return [
        case("truncated", "The last brace is missing: the file was cut off.", PLAIN.rstrip()[:-1]),
        case("trailing-comma", "A comma after the last member of the record.", replaced('"SOURCE_LINKED_NOTE"', '"SOURCE_LINKED_NOTE",')),
        case("single-quotes", "A string in single quotes.", replaced('"Example topic"', "'Example topic'")),
        case("comment", "A comment, which JSON does not have.", replaced('"Example topic",', '"Example topic", // a comment')),
        case("not-a-number", "NaN, which many parsers take, is not JSON.", related('"number": NaN')),
        case("leading-zero", "A number with a leading zero.", replaced('"year": 2024', '"year": 02024')),
        case("control-character", "A tab stands in a string as itself instead of as \\t.", replaced("Example topic", "Example\ttopic")),
        case("bad-escape", "\\x is not an escape of JSON.", replaced("Example topic", r"Example \x41topic")),
        case("two-documents", "A second value follows the record.", PLAIN + b"{}\n"),
        case("empty", "A file of no bytes: it stands where a record should be, and is none.", b""),
        case("blank", "White space only.", b" \n"),
        case("byte-order-mark", "A byte order mark before the record (RFC 8259, section 8.1).", b"\xef\xbb\xbf" + PLAIN),
        case("utf-16", "The record in UTF-16; records are in UTF-8.", b"\xff\xfe" + PLAIN.decode().encode("utf-16-le")),
        case("latin-1", "A letter in ISO 8859-1: a byte that is not UTF-8.", replaced("Example topic", b"Ex\xe9mple topic")),
        case("overlong", "A solidus as the overlong form C0 AF, which is not UTF-8.", replaced("Example topic", b"Example\xc0\xaftopic")),
        case(
            "utf-8-surrogate",
            "Half of a surrogate pair written as three bytes, which is not UTF-8.",
            replaced("Example topic", b"\xed\xa0\xbd"),
        ),
    ]


def duplicates() -> list[Case]:
    def case(name: str, comment: str, data: bytes, *findings: Expected) -> Case:
        return broken("duplicate-name", name, comment, data, *findings)

    double = error("duplicate-name")
    topic = '"topic": "Example topic",'
    return [
        case(
            "other-value",
            "topic twice, with two values: one parser takes the first, another the last.",
            replaced(topic, topic + '"topic": "Other",'),
        ),
        case("same-value", "topic twice with one value: still no record that all parsers read alike.", replaced(topic, topic + topic)),
        case("escaped", "topic twice, once with an escaped letter: the same name.", replaced(topic, topic + r'"t\u006fpic": "Other",')),
        case(
            "whole-record",
            "version twice: a whole second version, unseen by whoever takes the first.",
            replaced('"target": {\n    "record_id"', '"version": {}, "target": {\n    "record_id"'),
        ),
        case("free-form", "Twice the same name in an object that no schema describes.", related('"name": 1, "name": 1')),
        case("empty-name", "The empty name twice.", related('"": 1, "": 2')),
        case(
            "two-names",
            "Two names in two objects: each is reported.",
            replaced(topic, topic + topic).replace(b'"area"', b'"area": "x", "area"'),
            double,
            double,
        ),
    ]


def not_i_json() -> list[Case]:
    def case(name: str, comment: str, data: bytes, *findings: Expected) -> Case:
        return broken("not-i-json", name, comment, data, *findings)

    one = error("not-i-json")
    return [
        case("large-integer", "2^53 + 1, which a double holds as 2^53 (RFC 7493, section 2.2).", related('"number": 9007199254740993')),
        case("negative-integer", "-(2^53 + 1).", related('"number": -9007199254740993')),
        case("overflow", "1e400, which a double holds as infinity.", related('"number": 1e400')),
        case("negative-overflow", "-1e400.", related('"number": -1e400')),
        case(
            "rounded",
            "A version that a double holds as 1, and that is not 1 to a reader that keeps its digits. The hash is that of 1.",
            PLAIN.replace(b'"version": 1,', b'"version": 1.0000000000000001,'),
            *[one] * PLAIN.count(b'"version": 1,'),
        ),
        case(
            "rounded-up",
            "2^53 + 1 with a fraction of zero, which is an even number to readers with doubles.",
            related('"a": 9007199254740993.0'),
        ),
        case(
            "lone-high-surrogate",
            "The first half of a surrogate pair alone (RFC 7493, section 2.1).",
            replaced("Example topic", r"\ud83d topic"),
        ),
        case("lone-low-surrogate", "The second half of a surrogate pair alone.", replaced("Example topic", r"\ude00 topic")),
        case(
            "swapped-surrogates", "Both halves of a pair, in the wrong order.", replaced("Example topic", r"\ude00\ud83d topic"), one, one
        ),
        case("surrogate-in-a-name", "A lone surrogate in a member's name.", related(r'"\ud83d": 1')),
        case(
            "two-places",
            "A large integer and a lone surrogate: each is reported.",
            related(r'"a": 9007199254740993, "b": "\udead"'),
            one,
            one,
        ),
    ]


def too_deep() -> list[Case]:
    def case(name: str, comment: str, data: bytes, *findings: Expected, arguments: Sequence[str] = ()) -> Case:
        return broken("too-deep", name, comment, data, *findings, arguments=arguments)

    return [
        case("arrays", "201 nested arrays; the limit is 200.", enclosed(201, "[", "", "]")),
        case("objects", "201 nested objects.", enclosed(200, '{"a":', "{}", "}")),
        case("very-deep", "5000 nested arrays, which exhaust the stack of a careless parser.", enclosed(5000, "[", "", "]")),
        case(
            "at-the-limit",
            "200 nested arrays are read, and are not a record of a known profile.",
            enclosed(200, "[", "", "]"),
            error("unknown-profile", ""),
        ),
        case("free-form", "A record that holds arrays nested 200 deep, five levels down.", related('"nested": ' + "[" * 200 + "]" * 200)),
        case("lower-limit", "An ordinary record has six levels.", PLAIN, arguments=["--max-depth", "5"]),
        case("exact-limit", "An ordinary record has six levels.", PLAIN, CONTENT, arguments=["--max-depth", "6"]),
    ]


def oversized() -> list[Case]:
    def case(name: str, comment: str, data: bytes, *findings: Expected, limit: int, suffix: str = ".json") -> Case:
        return broken("oversized-input", name, comment, data, *findings, arguments=["--max-size", str(limit)], suffix=suffix)

    return [
        case("one-byte-more", "The record's text is a byte longer than the limit.", PLAIN, limit=len(PLAIN) - 1),
        case("exact", "The record's text is as long as the limit: it is read.", PLAIN, CONTENT, limit=len(PLAIN)),
        case(
            "expanding",
            "Some fifty bytes that expand to a million: the limit is on what comes out.",
            bz2.compress(b" " * 1_000_000),
            limit=100_000,
            suffix=".json.bz2",
        ),
        broken(
            "oversized-input",
            "lines",
            "Four lines, three of them blank, where three are allowed.",
            b"\n\n\n{}\n",
            arguments=["--max-lines", "3"],
            suffix=".jsonl",
        ),
    ]


def too_many() -> list[Case]:
    rule = "too-many-findings"
    two = replaced('"area"', '"first": 0, "second": 0, "area"')
    return [
        broken(
            rule,
            "unreadable",
            "Three things are wrong with the text, and one is listed: the other two are counted.",
            two.replace(b'"first": 0, "second": 0', b'"a": 0, "a": 0, "a": 1e400'),
            error("duplicate-name"),
            error(rule),
            arguments=["--max-findings", "1"],
        ),
        broken(
            rule,
            "drop",
            "Three related entries are not here, and of the rule that says so one finding is listed.",
            replaced('"related": []', '"related": ["first-entry", "second-entry", "third-entry"]'),
            CONTENT,
            warning("dangling-reference", "/entry/related/0"),
            warning(rule, input=""),
            arguments=["--max-findings", "1"],
        ),
        broken(
            rule,
            "unfamiliar",
            "Two unknown members, of which one is listed: what is not listed is not an error.",
            two,
            warning("unknown-member"),
            warning(rule),
            arguments=["--max-findings", "1"],
        ),
    ]


def too_many_references() -> list[Case]:
    rule = "too-many-references"
    return [
        broken(
            rule,
            "several",
            "Five entries are named, one of them twice, where three are followed: the first of the second list is the third of them.",
            replaced('"related": []', '"related": ["first-entry", "second-entry"]').replace(
                b'"subresults": []', b'"subresults": ["third-entry", "first-entry", "fourth-entry"]'
            ),
            CONTENT,
            error(rule, "/entry/subresults"),
            *(warning("dangling-reference", pointer) for pointer in ("/entry/related/0", "/entry/related/1", "/entry/subresults/0")),
            arguments=["--max-references", "3"],
        ),
        broken(
            rule,
            "unknown",
            "Two items of a form that is not known count like any others, and so does one that is here twice.",
            replaced('"related": []', '"related": [{"first": "a"}, {"second": "b"}, "third-entry", "third-entry"]'),
            CONTENT,
            error(rule, "/entry/related"),
            *(note("unknown-reference", f"/entry/related/{index}") for index in (0, 1)),
            warning("dangling-reference", "/entry/related/2"),
            arguments=["--max-references", "3"],
        ),
    ]


def unreadable() -> list[Case]:
    def case(name: str, comment: str, data: bytes, suffix: str) -> Case:
        return broken("unreadable-input", name, comment, data, suffix=suffix)

    return [
        case("truncated", "A compressed record whose last bytes are missing.", bz2.compress(PLAIN)[:-8], ".json.bz2"),
        case("wrong-checksum", "A gzip file whose checksum is not that of its content.", gzipped(PLAIN, zlib.crc32(PLAIN) ^ 1), ".json.gz"),
        case("not-compressed", "A record named .gz that is not compressed.", PLAIN, ".json.gz"),
        case("no-archive", "A text named .zip.", b"A placeholder text, which is not an archive.\n", ".zip"),
        *ambiguous_archives(),
    ]


def ambiguous_archives() -> list[Case]:
    """Zip archives in which some tools find a record that others do not."""

    def case(name: str, comment: str, data: bytes, member: str) -> Case:
        rule = "unreadable-input"
        findings = [error(rule, input=f"{rule}/{name}.zip{member}"), CONTENT._replace(input=f"{rule}/{name}.zip!good.json")]
        return Case(rule, name, comment, files(rule, name, data, ".zip"), findings)

    hidden = zipped("hidden.json").partition(b"PK\1\2")[0]
    other = zlib.crc32(b"other.json").to_bytes(4, "little") + b"other.text"
    path = b"\x75\x70" + (len(other) + 1).to_bytes(2, "little") + b"\1" + other
    return [
        case(
            "unlisted-member",
            "Before the first member stands one that the directory does not list.",
            zipped("good.json", before=hidden),
            "",
        ),
        case(
            "two-headers",
            "A member's own header names a record, and the directory a text.",
            zipped("good.json", "other.text").replace(b"other.text", b"other.json", 1),
            "!other.text",
        ),
        case(
            "two-names",
            "A member's Unicode path field (0x7075) gives it another name than its headers do.",
            zipped("good.json", "other.json", extra=path),
            "!other.json",
        ),
        case(
            "folder-with-data",
            "A folder holds a record.",
            zipped("good.json", "other.json_").replace(b"other.json_", b"other.json/"),
            "!other.json",
        ),
    ]


def zipped(*names: str, before: bytes = b"", extra: bytes = b"") -> bytes:
    """A zip archive whose every member is the plain record, after some bytes; `extra` are the extra fields of the last one."""
    made = io.BytesIO(before)
    with zipfile.ZipFile(made, "a") as archive:
        for name in names:
            member = zipfile.ZipInfo(name)
            member.create_system = 3
            member.extra = extra if name == names[-1] else b""
            archive.writestr(member, PLAIN)
    return made.getvalue()


def unsafe_paths() -> list[Case]:
    def case(name: str, comment: str, *members: str) -> Case:
        rule = "unsafe-path"
        findings = [error(rule, input=f"{rule}/{name}.tar!{members[-1]}"), CONTENT._replace(input=f"{rule}/{name}.tar!good.json")]
        return Case(rule, name, comment, files(rule, name, tarred(members), ".tar"), findings)

    return [
        case("parent-folder", "A member's name leads out of the folder that it is unpacked to.", "good.json", "../outside.json"),
        case("absolute", "A member's name is an absolute path.", "good.json", "/outside.json"),
        case("twice", "Two members have one name: what is unpacked is the second.", "good.json", "good.json"),
        case("case", "Two members' names differ in case only: on many systems they are one file.", "good.json", "Good.JSON"),
        case("dot-at-the-end", "A name ends with a dot, which Windows drops: it is that of a record there.", "good.json", "good.json."),
    ]


def tarred(names: Sequence[str]) -> bytes:
    """A tar archive whose every member is the plain record."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(PLAIN)
            archive.addfile(member, io.BytesIO(PLAIN))
    return made.getvalue()


CASES: Sequence[Case] = [
    *no_json(),
    *duplicates(),
    *not_i_json(),
    *too_deep(),
    *oversized(),
    *too_many(),
    *too_many_references(),
    *unreadable(),
    *unsafe_paths(),
]
