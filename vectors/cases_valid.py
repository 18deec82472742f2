"""The valid records: they make up the folder `valid/`, which as a whole is a drop that passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from builder import record, target, text
from cases import CONTENT, Case, Expected, note, warning

BEYOND = note("people-beyond-byline", "/version/record/contributors")
UNFOLLOWED = note("unknown-reference", "/entry/related/0")
NOT_ASSESSED = warning("unknown-term", "/entry/assessment_disposition/status")


def backwards(value: Any) -> Any:
    """The same value, with the members of every object in the opposite order."""
    if isinstance(value, dict):
        return {name: backwards(value[name]) for name in reversed(value)}
    return [backwards(item) for item in value] if isinstance(value, list) else value


def nested(levels: int) -> Any:
    """Arrays in arrays, so many levels of them."""
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


def escaped(document: Any) -> bytes:
    """JSON text in which much is escaped that need not be: non-ASCII characters, solidi, letters of names."""
    written = text(document, ascii_only=True).replace(b"/", rb"\/")
    return written.replace(b'"title":', rb'"\u0074itle":').replace(b'"edition":', rb'"e\u0064itio\u006E":').replace(rb"\u00e9", rb"\u00E9")


def respelt(document: Any) -> bytes:
    """JSON text in which whole numbers are written as fractions and with exponents: the values are the same."""
    written = text(document)
    for plain, spelt in (
        (b'"version": 1', b'"version": 1.0'),
        (b'"year": 2024', b'"year": 20.24E+2'),
        (b'"revision": 1', b'"revision": 10e-1'),
    ):
        if plain not in written:
            raise ValueError(f"the record has no {plain!r}")
        written = written.replace(plain, spelt)
    return written


def valid(name: str, comment: str, data: bytes, *findings: Expected) -> Case:
    return Case("valid", name, comment, {f"valid/{name}.json": data}, findings)


def named(name: str, **choices: Any) -> dict[str, Any]:
    """A record with an entry id, and so a record id, of its own: two of one id would be findings of the drop."""
    return record(f"example-{name}", **choices)


FIRST_VERSION = named("versions", title="A title that both versions have")
SECOND_VERSION = named(
    "versions",
    title="A title that both versions have",
    summary="A second placeholder summary.",
    version=2,
    previous=target(FIRST_VERSION),
)

#: Two sentences that are written from right to left.
HEBREW_AND_ARABIC = (
    "\u05ea\u05e7\u05e6\u05d9\u05e8 \u05dc\u05d3\u05d5\u05d2\u05de\u05d4. "
    "\u0645\u0644\u062e\u0635 \u0644\u0644\u062a\u062c\u0631\u0628\u0629."
)

#: Names that sort differently by UTF-16 code units (RFC 8785, section 3.2.3), by code points and by bytes, or that languages trip over.
ODD_NAMES = (
    "\U0001f600",
    "\ue000",
    "\ufb33",
    "é",
    "e\u0301",
    "z",
    "",
    "a",
    "__proto__",
    "constructor",
    'a"b',
    "a/b~c",
    "\\",
    "\r",
    "\x7f",
    "10",
    "9",
    "1",
)

#: Numbers that RFC 8785, section 3.2.2.3, writes otherwise than Python, or that are the last of their kind.
ODD_NUMBERS = (0.5, 0.1, 1e20, 1e21, 1e-6, 1e-7, -0.0, 5e-324, 1.7976931348623157e308, 2**53 - 1, 1 - 2**53)

RECORDS: Sequence[Case] = [
    valid("plain", "Two people, one source, a grade; indented by two spaces.", text(named("plain")), CONTENT),
    valid("compact", "The whole record on one line, without a space between the tokens.", text(named("compact"), indent=None), CONTENT),
    valid(
        "crlf",
        "Indented by four spaces, lines that end with CR LF: layout is not part of the record.",
        text(named("crlf"), indent=4, newline="\r\n"),
        CONTENT,
    ),
    Case(
        "valid",
        "versions",
        "Two versions of a record: the first has no previous one, the second refers to it by its target triple.",
        {"valid/versions-1.json": text(FIRST_VERSION), "valid/versions-2.json": text(SECOND_VERSION)},
        [CONTENT._replace(input=f"valid/versions-{number}.json") for number in (1, 2)],
    ),
    valid(
        "not-assessed",
        "No grade: both grades and the points are null, and the disposition says so in a term that no published record shows.",
        text(named("not-assessed", graded=False)),
        NOT_ASSESSED,
        CONTENT,
    ),
    valid(
        "many-people",
        "Sixty people, of whom the first 25 are contributors: how many more there are is a note.",
        text(named("many-people", people=60, byline=range(25))),
        BEYOND,
        CONTENT,
    ),
    valid("one-person", "One person: nothing to join in the statement.", text(named("one-person", people=1)), CONTENT),
    valid(
        "not-ascii",
        "Letters with accents, composed and decomposed, Han, Arabic and Hebrew letters, emoji, a zero width joiner: as UTF-8.",
        text(
            named(
                "not-ascii",
                title="Exemple accentu\u00e9, e\u0301 d\u00e9compos\u00e9 \u2014 \u793a\u4f8b\u6807\u9898 \U0001f469\u200d\U0001f52c",
                summary=HEBREW_AND_ARABIC,
                boundary="\u00dcberhaupt nichts als Platzhalter, na\u00efve \U00010348\u2026",
                people=["Ex\u00e9mple Auteur", "\u4f8b \u4f5c\u8005", "\u0645\u0624\u0644\u0641 \u0645\u062b\u0627\u0644"],
            )
        ),
        CONTENT,
    ),
    valid(
        "escapes",
        "The same characters escaped: \\u00E9, a surrogate pair, \\/ and letters of member names. Escapes are spelling, not content.",
        escaped(
            named(
                "escapes",
                title='Ex\u00e9mple of escapes: a/b, \U0001f600, a "quoted" word and a back\\slash',
                related=[{"every short escape": '"\\/\b\f\n\r\t', "controls": "\x00\x1f\x7f\u2028\u2029"}],
            )
        ),
        CONTENT,
        UNFOLLOWED,
    ),
    valid(
        "backwards",
        "The members of every object in the opposite order: order is not part of the record.",
        text(backwards(named("backwards"))),
        CONTENT,
    ),
    valid(
        "numbers",
        "1.0 for 1, 20.24E+2 for 2024, 10e-1 for 1: the same numbers, and so the same canonical form and hash.",
        respelt(named("numbers")),
        CONTENT,
    ),
    valid(
        "odd-names",
        "A free-form object whose names sort differently by UTF-16 code units, code points and bytes, or mean something to some language.",
        text(named("odd-names", related=[{name: number for number, name in enumerate(ODD_NAMES)}])),
        CONTENT,
        UNFOLLOWED,
    ),
    valid(
        "odd-numbers",
        "Free-form numbers whose canonical form is not how they are written here: 1e21, 1e-7, -0, the smallest and the largest double.",
        text(named("odd-numbers", related=[{"numbers": ODD_NUMBERS}])),
        CONTENT,
        UNFOLLOWED,
    ),
    valid(
        "deep",
        "Arrays nested 150 levels deep, within the limit.",
        text(named("deep", related=[{"nested": nested(146)}]), indent=None),
        CONTENT,
        UNFOLLOWED,
    ),
    valid(
        "markup",
        "Brackets, parentheses, bars and back slashes in title, names and sources: the statement repeats them as they are.",
        text(
            named(
                "markup",
                title=r"A title [with brackets] (and parentheses) | a bar \ a back slash",
                people=["Example (Ex) Author", "O'Example-Author, Jr.", "Author [7]"],
                sources=[
                    (r"Example [2024] (part \ one) | two", "https://example.org/a_(b)/c?d=e&f=g#h"),
                    ("Example: 100% of 3 * 4 = 12", "https://example.org/%7Ef/g;h=i,j"),
                ],
            )
        ),
        CONTENT,
    ),
    valid(
        "quoted-headings",
        "The summary and the boundary quote the statement's own headings in the middle of a line, where they are not headings.",
        text(
            named(
                "quoted-headings",
                summary="A placeholder that quotes ## Scientific scope and ## People and systems in its text.",
                boundary="It also quotes ## Original sources and - [Example source 1] (https://example.org/source/1) in its text.",
            )
        ),
        CONTENT,
    ),
    valid("several-sources", "Three sources, in the same order everywhere.", text(named("several-sources", sources=3)), CONTENT),
    valid("modifier-plus", "A grade with the modifier +.", text(named("modifier-plus", band="A", modifier="+")), CONTENT),
    valid(
        "modifier-minus",
        "A grade with the modifier -, which no published record shows.",
        text(named("modifier-minus", modifier="-")),
        CONTENT,
    ),
    valid(
        "whole-version",
        "Nothing was left out of this view: the content hash is that of /version without source_ref, export_view and public_view_hash.",
        text(named("whole-version", content="version")),
    ),
    valid(
        "whole-record",
        "Nothing was left out of this view: the content hash is that of /version/record.",
        text(named("whole-record", content="record")),
    ),
]

DROP = Case(
    "valid",
    "the-whole-drop",
    "The folder as a drop: what each record gives, and nothing about the drop.",
    {},
    [finding._replace(input=finding.input or next(iter(case.files))) for case in RECORDS for finding in case.findings],
    inputs=["valid"],
)

CASES: Sequence[Case] = [*RECORDS, DROP]
