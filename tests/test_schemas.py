"""The schemas of the record profiles: what they promise to every validator that reads them, not only to ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from importlib import resources
from itertools import product
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
import regress
from hypothesis import given
from hypothesis import strategies as st

from wrs_verify import validation

PREFIX = "urn:wrs-verify:schema:"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
ALL = sorted(
    file.name.removesuffix(".schema.json") for file in resources.files("wrs_verify.schemas").iterdir() if file.name.endswith(".schema.json")
)


def parts(part: Any) -> Iterator[dict[str, Any]]:
    """Every object in a schema, itself first."""
    if isinstance(part, dict):
        yield part
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from parts(each)


def reachable(name: str) -> set[str]:
    """The schema of that name, and all that it refers to."""
    found, new = set(), {name}
    while new:
        found |= new
        refs = {part["$ref"] for each in new for part in parts(validation.schema(each)) if "$ref" in part}
        new = {ref.partition("#")[0].removeprefix(PREFIX) for ref in refs if ref.startswith(PREFIX)} - found
    return found


RECORDS = sorted({each for profile in validation.profiles() for each in reachable(profile)})
FORMS = {name: part for name, part in validation.schema("wrs-values-1")["$defs"].items() if "pattern" in part}

EXAMPLES = {
    "date": "2024-02-29",
    "dateTime": "2026-10-16T00:00:00Z",
    "uuid": "urn:uuid:400e5070-8da1-4a64-a592-13522eb9d09e",
    "sha256": "sha256:" + "0123456789abcdef" * 4,
    "slug": "mudigere-et-al-neo-zionex-2021",
    "url": "https://arxiv.org/abs/2104.05158v1",
    "ratingsEdition": "ratings-e039106f30dec177",
    "gradeEdition": "2026-10-28.1",
    "points": "125000",
}


def verdicts(form: str, text: str) -> set[bool]:
    """What each kind of regular expression says of a text: Python's, that of Rust, and that of ECMAScript."""
    pattern = FORMS[form]["pattern"]
    newline = FORMS[form]["not"]["pattern"]
    return {
        re.search(pattern, text) is not None and re.search(newline, text) is None,
        FAST[form].is_valid(text),
        regress.Regex(pattern, "u").find(text) is not None and regress.Regex(newline, "u").find(text) is None,
    }


FAST = {name: jsonschema_rs.Draft202012Validator(part, pattern_options=jsonschema_rs.RegexOptions()) for name, part in FORMS.items()}


def test_each_profile_that_the_records_name_has_a_schema() -> None:
    assert set(RECORDS) >= {
        "wrs-published-research-view-1",
        "wrs-published-grade-1",
        "wrs-public-editorial-view-1",
        "wrs-local-research-notes-0.1",
        "wrs-target-triple-1",
    }


@pytest.mark.parametrize("name", ALL)
def test_is_a_schema(name: str) -> None:
    schema = validation.schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema_rs.meta.validate(schema)
    assert schema["$schema"] == DIALECT
    assert schema["$id"] == PREFIX + name
    assert schema["title"]
    assert schema["description"]


@pytest.mark.parametrize("name", RECORDS)
def test_no_reference_leaves_the_schemas(name: str) -> None:
    for ref in (part["$ref"] for part in parts(validation.schema(name)) if "$ref" in part):
        document, _, pointer = ref.partition("#")
        assert not document or document.startswith(PREFIX)
        target: Any = validation.schema(document.removeprefix(PREFIX) or name)
        for step in pointer.split("/")[1:]:
            target = target[step]
        assert isinstance(target, dict)


@pytest.mark.parametrize("name", ALL)
def test_no_schema_refers_to_itself(name: str) -> None:
    # The slow validator reads schemas with every reference resolved, which takes an end.
    def follow(document: str, part: Any, above: tuple[str, ...]) -> None:
        for ref in (each["$ref"] for each in parts(part) if isinstance(each.get("$ref"), str)):
            urn, _, pointer = ref.partition("#")
            home = urn.removeprefix(PREFIX) or document
            assert f"{home}#{pointer}" not in above
            target: Any = validation.schema(home)
            for step in pointer.split("/")[1:]:
                target = target[step]
            follow(home, {key: each for key, each in target.items() if key != "$defs"}, (*above, f"{home}#{pointer}"))

    follow(name, validation.schema(name), (f"{name}#",))


@pytest.mark.parametrize("name", ALL)
def test_a_resolved_schema_refers_to_nothing(name: str) -> None:
    whole = validation.resolved(name)
    assert not any(isinstance(part.get("$ref"), str) for part in parts(whole))
    assert whole.get("properties", {}).keys() == validation.schema(name).get("properties", {}).keys()


@pytest.mark.parametrize("name", RECORDS)
def test_every_object_of_known_form_is_closed(name: str) -> None:
    for part in parts(validation.schema(name)):
        if isinstance(part.get("properties"), dict) and "required" in part:
            assert part["type"] == "object"
            assert part["additionalProperties"] is False
            assert set(part["required"]) <= set(part["properties"])
        assert ("properties" in part) == ("additionalProperties" in part) == ("required" in part)


@pytest.mark.parametrize("name", RECORDS)
def test_no_vocabulary_is_empty_or_repeats_itself(name: str) -> None:
    for terms in (part["enum"] for part in parts(validation.schema(name)) if "enum" in part):
        assert terms
        assert len({json.dumps(each) for each in terms}) == len(terms)


@pytest.mark.parametrize("name", RECORDS)
def test_patterns_mean_the_same_everywhere(name: str) -> None:
    for part in parts(validation.schema(name)):
        pattern = part.get("pattern")
        if pattern is None or pattern == "\n":
            continue
        assert pattern.isascii()
        assert pattern.startswith("^")
        assert pattern.endswith("$")
        assert not re.search(r"\\[^\[\]]", pattern), "only brackets are escaped: \\d, \\w, \\s and \\p differ between engines"
        assert not re.search(r"\(\?[^:]", pattern), "no look-around: not every engine has it"
        assert "|" not in re.sub(r"\(.*\)", "", pattern), "an alternative outside of brackets would escape ^ or $"
        assert part["not"] == {"type": "string", "pattern": "\n"}, "in Python $ also matches before a last newline"
        assert part["title"]
    assert not any("not" in part and "pattern" not in part for part in parts(validation.schema(name)))


def test_every_form_has_an_example() -> None:
    assert EXAMPLES.keys() == FORMS.keys()


@pytest.mark.parametrize("form", FORMS)
def test_forms_take_their_example_and_nothing_around_it(form: str) -> None:
    text = EXAMPLES[form]
    assert verdicts(form, text) == {True}
    for other in ("", text + "\n", "\n" + text, text + " ", " " + text, text + "\r", text + "\u2028", text + "\0", text + "\n" + text):
        assert verdicts(form, other) == {False}, other


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("zero", "\N{ARABIC-INDIC DIGIT ZERO}\N{FULLWIDTH DIGIT ZERO}\N{DEVANAGARI DIGIT ZERO}", ids=ascii)
def test_digits_of_other_scripts_are_no_digits(form: str, zero: str) -> None:
    text = EXAMPLES[form].translate({ord("0") + digit: ord(zero) + digit for digit in range(10)})
    assert text != EXAMPLES[form]
    assert verdicts(form, text) == {False}


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_engines_agree_on_near_misses(form: str, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(re.compile(FORMS[form]["pattern"], re.ASCII)) | st.just(EXAMPLES[form]))
    start = data.draw(st.integers(0, len(text)))
    put = data.draw(st.text(st.sampled_from("\n\r \t\0/:.-+@[]()<>\"'\\^`{|}%#?0129aAzZfFgT\u0660\u017f\u212a\u2028é"), max_size=2))
    text = text[:start] + put + text[start + data.draw(st.integers(0, 2)) :]
    assert len(verdicts(form, text)) == 1, text


@pytest.mark.parametrize("form", FORMS)
def test_hostile_text_takes_no_more_than_linear_time(form: str) -> None:
    # With a pattern that backtracks any worse than linearly this would not end in a working day.
    for piece in ("0", "a", ".", "-", ":", "/", "[", "1.", "a:1", "\n"):
        for start in ("", EXAMPLES[form], "https://", "https://[", "https://a:"):
            text = start + piece * (1_000_000 // len(piece)) + '"'
            assert re.search(FORMS[form]["pattern"], text) is None
            assert not FAST[form].is_valid(text)


def is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def test_dates_are_those_of_the_calendar() -> None:
    first = date(1600, 1, 1)
    real = {(first + timedelta(days)).isoformat() for days in range(146_097)}  # one whole Gregorian cycle
    pattern = re.compile(FORMS["date"]["pattern"])
    for year, month, day in product(range(1600, 2000), range(14), range(33)):
        text = f"{year}-{month:02}-{day:02}"
        assert (pattern.search(text) is not None) == FAST["date"].is_valid(text) == (text in real), text


@pytest.mark.parametrize("form", ["date", "gradeEdition", "dateTime"])
def test_dates_within_other_forms_are_as_strict(form: str) -> None:
    end = EXAMPLES[form][10:]
    years = (1000, 1100, 1200, 1582, 1900, 1999, 2000, 2023, 2024, 2100, 2400, 9996, 9999)
    for year, month, day in product(years, (0, 1, 2, 3, 4, 6, 9, 11, 12, 13), (0, 1, 28, 29, 30, 31, 32)):
        text = f"{year}-{month:02}-{day:02}"
        assert verdicts(form, text + end) == {is_date(text)}, text


@pytest.mark.parametrize(
    "text", ["0000-01-01", "0999-12-31", "10000-01-01", "2026-1-01", "20261016", "2026-W42-5", "2026-289", "-2026-10-16"]
)
def test_what_is_no_date(text: str) -> None:
    assert verdicts("date", text) == {False}


@given(
    st.datetimes(min_value=datetime(1000, 1, 1)),
    st.sampled_from(["", ".0", ".25", ".123456789"]),
    st.sampled_from(["Z", "z", "+00:00", "-00:00", "+05:30", "-23:59"]),
)
def test_times_that_exist(moment: datetime, fraction: str, offset: str) -> None:
    assert verdicts("dateTime", moment.isoformat(timespec="seconds") + fraction + offset) == {True}


@pytest.mark.parametrize(
    ("time", "good"),
    [
        ("T23:59:60Z", True),
        ("t23:59:60.5z", True),
        ("T23:59:60+00:00", False),
        ("T22:59:60Z", False),
        ("T24:00:00Z", False),
        ("T12:60:00Z", False),
        ("T12:00:61Z", False),
        ("T12:00:00", False),
        ("T12:00Z", False),
        ("T12:00:00.Z", False),
        ("T12:00:00,5Z", False),
        ("T12:00:00+24:00", False),
        ("T12:00:00+01:60", False),
        ("T12:00:00+0100", False),
        ("T12:00:00+01", False),
        ("T12:00:00 Z", False),
        (" 12:00:00Z", False),
        ("12:00:00Z", False),
    ],
)
def test_times_at_the_edge(time: str, good: bool) -> None:
    assert verdicts("dateTime", "2016-12-31" + time) == {good}


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("http://example.org", True),
        ("https://example.org:8080/a?b=c#d", True),
        ("https://[2001:db8::1]/", True),
        ("https://example.org?q", True),
        ("https://example.org/a_(b);c='d'&e=%20[0]", True),
        ("https://example.org/a@b", True),
        ("https://user@example.org/", False),
        ("https://arxiv.org:80@example.org/", False),
        ("https://arxiv.org\\@example.org/", False),
        ("https:///a", False),
        ("https:/example.org", False),
        ("//example.org", False),
        ("ftp://example.org", False),
        ("javascript://example.org", False),
        ("https://example.org/é", False),
        ("https://exämple.org/", False),
        ("https://example.org/\u202e", False),
        ("https://example.org/a b", False),
        *((f"https://example.org/{mark}", False) for mark in '<>"\\^`{|}\x7f\x00\t\u00a0'),
    ],
)
def test_urls(text: str, good: bool) -> None:
    assert verdicts("url", text) == {good}


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("uuid", "400e5070-8da1-4a64-a592-13522eb9d09e"),
        ("uuid", "urn:uuid:400E5070-8DA1-4A64-A592-13522EB9D09E"),
        ("uuid", "urn:uuid:400e50708da14a64a59213522eb9d09e"),
        ("uuid", "urn:uuid:{400e5070-8da1-4a64-a592-13522eb9d09e}"),
        ("sha256", "sha256:" + "A" * 64),
        ("sha256", "sha256:" + "0" * 63),
        ("sha256", "sha256:" + "0" * 65),
        ("sha256", "0" * 64),
        ("slug", "-a"),
        ("slug", "a/b"),
        ("slug", "A"),
        ("ratingsEdition", "ratings-E039106F30DEC177"),
        ("gradeEdition", "2026-10-28"),
        ("gradeEdition", "2026-10-28.01"),
        ("gradeEdition", "2026-02-30.1"),
        ("points", "-1"),
        ("points", "1.5"),
        ("points", "1e3"),
    ],
)
def test_near_misses(form: str, text: str) -> None:
    assert verdicts(form, text) == {False}
