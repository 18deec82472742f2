"""Records whose texts and lists do not agree with their copies: the rest of the agreement family of rules.

Which copy is odd is said in `cases_agreement`. The statement is a hashed copy of what it repeats.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from builder import ROLE_NOTE, record
from cases import Case, Expected, altered, as_error, error, note, warning

STATEMENT = "/version/record/statement"
STRICT = ["--strict"]
BEYOND = note("people-beyond-byline", "/version/record/contributors")


def swapped(text: str, other: str) -> Callable[[str], str]:
    """A change of a text that holds `text` once."""

    def replace(whole: str) -> str:
        if whole.count(text) != 1:
            raise ValueError(f"{text!r} must occur once in {whole!r}")
        return whole.replace(text, other)

    return replace


def backwards(items: list[Any]) -> list[Any]:
    return items[::-1]


def text_mismatch() -> list[Case]:
    rule = "text-mismatch"

    def case(name: str, comment: str, changes: dict[str, Any], *pointers: str, strict: bool = False) -> Case:
        found = [as_error(warning(rule, pointer)) if strict else warning(rule, pointer) for pointer in pointers or changes]
        return altered(rule, name, comment, changes, *found, arguments=STRICT if strict else ())

    accented = record("example-accents", title="Un titre accentu\u00e9")
    decomposed = unicodedata.normalize("NFD", "Un titre accentu\u00e9")
    scopes = {"/published_grade/scope": "Another scope.", "/entry/published_grade/scope": "Another scope."}
    return [
        case("entry-title", "The entry has another title.", {"/entry/title": "Another title"}),
        case("strict", "With --strict a warning fails.", {"/entry/title": "Another title"}, strict=True),
        case("grade-title", "The grade has another title.", {"/published_grade/title": "Another title"}),
        case("letter-case", "The entry's title in other letters.", {"/entry/title": "An example Title"}),
        case("space", "A space after the title.", {"/entry/title": "An example title "}),
        altered(
            rule,
            "normalization",
            "The same letters to the eye, decomposed: not the same text.",
            {"/entry/title": decomposed},
            warning(rule, "/entry/title"),
            base=accented,
        ),
        case(
            "hashed-title",
            "The hashed title is another: the statement, hashed too, sides with the copies.",
            {"/version/record/title": "Another title"},
        ),
        case(
            "title-and-statement",
            "The hashed title and the statement's heading are another: they are believed.",
            {"/version/record/title": "Another title", STATEMENT: swapped("# An example title", "# Another title")},
            "/entry/title",
            "/published_grade/title",
        ),
        case("entry-summary", "The entry has another summary.", {"/entry/summary": "Another summary."}),
        case(
            "what-changed",
            "Both grades tell of another change.",
            {"/published_grade/what_changed": "Another.", "/entry/published_grade/what_changed": "Another."},
        ),
        case("entry-boundary", "The entry has another boundary.", {"/entry/boundary": "Another boundary."}),
        case("scopes", "The scope of both grades is not the summary, a space and the boundary.", scopes),
        case(
            "evidence-summary",
            "The evidence summary does not end with the boundary.",
            {"/published_grade/evidence_summary": "A placeholder sentence on the evidence."},
        ),
        case("entry-area", "The entry is of another area.", {"/entry/area": "Another area"}),
        case("context", "The grade is of another context.", {"/published_grade/context": "Another area"}),
        altered(
            rule,
            "one-scope",
            "The scope of the full grade alone: it is also not what its short copy says, which is an error, and told alone.",
            {"/published_grade/scope": "Another scope."},
            error("grade-mismatch", "/published_grade/scope"),
        ),
    ]


def source_mismatch() -> list[Case]:
    rule = "source-mismatch"

    def case(name: str, comment: str, changes: dict[str, Any], *pointers: str, more: Sequence[Expected] = ()) -> Case:
        found = [warning(rule, pointer) for pointer in pointers or changes]
        return altered(rule, name, comment, changes, *found, *more, base=record(f"example-{name}", people=1, sources=2))

    extra = {"id": "example-source-3", "title": "Example source 3", "url": "https://example.org/source/3"}
    leaves = ("/entry/sources/0/title", "/entry/sources/0/url", "/entry/sources/1/title", "/entry/sources/1/url")
    elsewhere = "https://example.org/elsewhere"
    return [
        case("entry-address", "The entry sends readers elsewhere.", {"/entry/sources/0/url": elsewhere}),
        case("reference-title", "The grade's reference has another title.", {"/published_grade/references/1/title": "Another source"}),
        case(
            "evidence",
            "The evidence cites another title, under a right hash.",
            {"/version/record/evidence/1/source/citation": "Another source"},
        ),
        case(
            "evidence-id",
            "The evidence is numbered from 1.",
            {"/version/record/evidence/0/id": "source-1", "/version/record/evidence/1/id": "source-2"},
        ),
        case(
            "contributor",
            "A contributor is cited from a work that is none of the sources.",
            {"/version/record/contributors/0/source": {"citation": "Another source", "url": elsewhere}},
        ),
        case(
            "contributor-address",
            "A contributor is cited from one of the sources at another address.",
            {"/version/record/contributors/0/source/url": elsewhere},
        ),
        case(
            "hashed-address",
            "The hashed address is another: evidence and statement, hashed too, side with the copies.",
            {"/version/record/sources/1/url": elsewhere},
        ),
        case("fewer", "The entry has one source only.", {"/entry/sources": lambda items: items[:1]}),
        case("more", "The entry has a source more.", {"/entry/sources": lambda items: [*items, extra]}),
        case("order", "The entry has the sources in the opposite order.", {"/entry/sources": backwards}, *leaves),
    ]


def people_mismatch() -> list[Case]:
    rule = "people-mismatch"
    three = record("example-three", people=3)
    beyond = record("example-beyond", people=3, byline=range(2))

    def case(
        name: str, comment: str, changes: dict[str, Any], *pointers: str, base: dict[str, Any] = three, more: Sequence[Expected] = ()
    ) -> Case:
        return altered(rule, name, comment, changes, *[warning(rule, pointer) for pointer in pointers or changes], *more, base=base)

    def added(items: list[Any]) -> list[Any]:
        return [*items, {**items[0], "name": "Mallory Example"}]

    def exchanged(items: list[Any]) -> list[Any]:
        return [items[1], items[0], *items[2:]]

    return [
        case("entry-name", "The entry names another person.", {"/entry/humans/1": "Mallory Example"}),
        case("spelling", "A space more in a name.", {"/entry/humans/1": "Example  Author 2"}),
        case("left-out", "The entry leaves out the last person.", {"/entry/humans": lambda names: names[:-1]}),
        case("smuggled-in", "The entry names a person more.", {"/entry/humans": lambda names: [*names, "Mallory Example"]}),
        case(
            "order",
            "The entry names the first two people in the other order.",
            {"/entry/humans": exchanged},
            "/entry/humans/0",
            "/entry/humans/1",
        ),
        case(
            "contributor",
            "A contributor is none of the people; the statement, hashed too, sides with the entry.",
            {"/version/record/contributors/1/name": "Mallory Example"},
        ),
        case(
            "contributor-order",
            "The first two contributors stand in the other order: the second is out of it.",
            {"/version/record/contributors": exchanged},
            "/version/record/contributors/1/name",
        ),
        case(
            "contributor-added",
            "A fourth contributor is none of the three people.",
            {"/version/record/contributors": added},
            "/version/record/contributors/3/name",
        ),
        case(
            "statement",
            "The statement names another person than entry and contributors.",
            {STATEMENT: swapped("Example Author 2", "Mallory Example")},
        ),
        case(
            "beyond-byline",
            "The statement names another person beyond the contributors: it is hashed, the entry is not.",
            {STATEMENT: swapped("Example Author 3", "Mallory Example")},
            "/entry/humans/2",
            base=beyond,
            more=[BEYOND],
        ),
    ]


def people_beyond_byline() -> list[Case]:
    family = "people-beyond-byline"

    def case(name: str, comment: str, byline: Sequence[int], *findings: Expected, arguments: Sequence[str] = ()) -> Case:
        return altered(family, name, comment, {}, *findings, base=record("example-byline", people=12, byline=byline), arguments=arguments)

    return [
        case("last", "The last person of twelve is not a contributor.", range(11), BEYOND),
        case("between", "Only the second, the fifth and the eleventh are contributors, in this order.", (1, 4, 10), BEYOND),
        case("strict", "--strict raises warnings, not notes.", range(11), BEYOND, arguments=STRICT),
        case("all", "Everybody is a contributor: nothing to note.", range(12)),
    ]


def credit_mismatch() -> list[Case]:
    rule = "credit-mismatch"
    note, did = "/entry/human_role_note", "/published_grade/roles/0/did"

    def case(name: str, comment: str, changes: dict[str, Any], *pointers: str) -> Case:
        return altered(rule, name, comment, changes, *[warning(rule, pointer) for pointer in pointers or changes])

    second = {"who": "Somebody else", "credit": "SCIENCE", "did": "All of it."}
    return [
        case("entry", "The entry has another note than the grade and the statement.", {note: "Another note."}),
        case("role", "The grade's role says another thing.", {did: "All of it."}),
        case("no-roles", "The grade has no roles, so that its copy of the note is gone.", {"/published_grade/roles": []}),
        case(
            "second-role",
            "A second role says another thing.",
            {"/published_grade/roles": lambda roles: [*roles, second]},
            "/published_grade/roles/1/did",
        ),
        case(
            "statement",
            "The statement has another note: it is hashed, the other two are not.",
            {STATEMENT: swapped(ROLE_NOTE, "Another note.")},
            note,
            did,
        ),
        altered(
            rule,
            "not-assessed",
            "Without a grade the statement alone repeats the note.",
            {note: "Another note."},
            warning(rule, note),
            warning("unknown-term", "/entry/assessment_disposition/status"),
            base=record("example-no-grade", graded=False),
        ),
    ]


def statement_mismatch() -> list[Case]:
    rule = "statement-mismatch"

    def case(name: str, comment: str, alteration: Callable[[str], str]) -> Case:
        return altered(rule, name, comment, {STATEMENT: alteration}, warning(rule, STATEMENT), base=record(f"example-{name}", sources=2))

    def sources_first(text: str) -> str:
        start, scope, rest = text.partition("## Scientific scope")
        between, sources, links = rest.partition("## Original sources")
        return f"{start}{sources}{links}\n{scope}{between}"

    second = "- [Example source 2](https://example.org/source/2)\n"
    return [
        case("title", "The heading is another title.", swapped("# An example title", "# Another title")),
        altered(
            rule,
            "no-heading",
            "The title is not a heading, so that the text there stands nowhere.",
            {STATEMENT: swapped("# An example title", "An example title")},
            warning(rule, STATEMENT),
            warning(rule, STATEMENT),
        ),
        case("summary", "The summary is another.", swapped("A placeholder summary", "Another placeholder summary")),
        case("boundary", "The boundary is another.", swapped("A placeholder boundary", "Another placeholder boundary")),
        altered(
            rule,
            "scope-heading",
            "The boundary stands under another heading, so that the text there stands nowhere.",
            {STATEMENT: swapped("## Scientific scope", "## Scope")},
            warning(rule, STATEMENT),
            warning(rule, STATEMENT),
        ),
        altered(
            rule,
            "scope-in-code",
            "The heading of the boundary stands in a block of code: there is no such section, and the summary goes on with it.",
            {STATEMENT: swapped("## Scientific scope", "    ## Scientific scope")},
            warning(rule, STATEMENT),
            warning(rule, STATEMENT),
        ),
        case("link-address", "A link leads elsewhere.", swapped("https://example.org/source/1", "https://example.org/elsewhere")),
        case("link-text", "A link reads otherwise.", swapped("[Example source 2]", "[Another source]")),
        case("link-left-out", "The second source is left out.", swapped(second, "")),
        case("link-added", "A third link is not a source.", swapped(second, second + "- [More](https://example.org/more)\n")),
        case(
            "reference",
            "An address for a label in brackets, which no reader sees: it makes a link of text elsewhere.",
            swapped("## People and systems", "[example]: https://example.org/elsewhere\n\n## People and systems"),
        ),
        case(
            "references",
            "Two such labels, one within a quote and one in two lines: what they do is the same.",
            swapped(
                "## People and systems", "> [1]: <javascript:alert(1)>\n\n[Two\n words]:\n /elsewhere 'A title'\n\n## People and systems"
            ),
        ),
        case("section-order", "The sources stand before the scope.", sources_first),
        altered(
            rule,
            "no-headings",
            "The statement is one word: every place is missing from it, and every other check runs all the same.",
            {STATEMENT: "x", "/entry/target/version": 7, "/entry/title": "Another title"},
            *[warning(rule, STATEMENT)] * 5,
            error("target-mismatch", "/entry/target/version"),
            warning("text-mismatch", "/entry/title"),
        ),
        case("too-long", "A statement of more than 100,000 characters is not taken apart.", lambda text: text + "\n\n" + "x" * 100_000),
        case("before-the-title", "Text stands before the title.", lambda text: "This is retracted.\n\n" + text),
        case("hidden-in-html", "The whole statement follows a tag of HTML.", lambda text: "<div hidden>\n\n" + text),
        case("unknown-section", "A section that no other member predicts.", lambda text: text + "\n## Retraction\n\nRetracted.\n"),
        case("linked-title", "The title's heading is a link.", swapped("# An example title", "# [An example title](https://example.org)")),
        case(
            "image",
            "A picture stands in the summary.",
            swapped("A placeholder summary", "A ![](https://example.org/x.gif)placeholder summary"),
        ),
        altered(
            rule,
            "link-in-a-title",
            "A source's title, the same in all copies, closes its link and opens another.",
            {},
            warning(rule, STATEMENT),
            base=record("example-link-in-a-title", sources=[("Paper](https://example.org/other) [mirror", "https://example.org/source/1")]),
        ),
        *marked_texts(),
        case(
            "more-people",
            "A paragraph with more names follows the people.",
            swapped(f"\n\n{ROLE_NOTE}", f"\n\nMallory Example\n\n{ROLE_NOTE}"),
        ),
    ]


def marked_texts() -> list[Case]:
    """Texts that are the same in all copies, and in the statement are shown as something else than text."""
    rule, address = "statement-mismatch", "https://example.org/elsewhere"

    def case(name: str, comment: str, pointer: str | None, **choices: Any) -> Case:
        found = [warning(rule, pointer)] if pointer else []
        return altered(rule, name, comment, {}, *found, base=record(f"example-{name}", **choices))

    title, summary, source = "/version/record/title", "/version/record/summary", "/version/record/sources/0"
    return [
        case("marked-title", "The title is a link in the statement.", title, title=f"An [example title]({address})"),
        case("marked-summary", "The summary shows a picture.", summary, summary=f"A placeholder ![]({address}.gif) summary."),
        case("marked-summary-html", "The summary holds HTML.", summary, summary="A placeholder <s>summary</s>."),
        case("marked-summary-heading", "The summary is a quotation with a heading.", summary, summary="> # Retracted"),
        case(
            "marked-boundary",
            "The boundary holds an address in angle brackets.",
            "/version/record/scope/description",
            boundary=f"A <{address}>",
        ),
        case("marked-name", "A person's name is a link.", "/entry/humans", people=[f"[Example Author]({address})", "Example Author 2"]),
        case(
            "marked-source", "A source's title ends with a backslash, so that there is no link.", source, sources=[("A source\\", address)]
        ),
        case("cut-off-address", "The address is cut off where the link ends.", source, sources=[("A source", f"{address})/more")]),
        case("html-in-a-source", "A source's title holds HTML.", source, sources=[("A <b>source</b>", address)]),
        case(
            "not-marked",
            "Signs that mean nothing to Markdown as they stand here.",
            None,
            title="A title with [brackets] and *stars*",
            summary="A placeholder: p < 0.05, a_b_c, 1 > 0, \\alpha, R&D, see [1] and [2]: here.",
            sources=[("A [bracketed] source", "https://example.org/a_(b)?c=1&d=2")],
        ),
    ]


CASES: Sequence[Case] = [
    *text_mismatch(),
    *source_mismatch(),
    *people_mismatch(),
    *people_beyond_byline(),
    *credit_mismatch(),
    *statement_mismatch(),
]
