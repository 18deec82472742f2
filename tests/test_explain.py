"""The documentation of the rules: `--explain`, `--list-rules`, and that the examples are true."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from wrs_verify import policy
from wrs_verify.cli import command
from wrs_verify.explain import LABELS, Example, UnknownRule, documentation, examples, explain, leeway, listing
from wrs_verify.rules import FAMILIES, Found, Rule, rules

PROJECT = Path(__file__).resolve().parent.parent
RULES = list(rules().values())


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_is_documented(rule: Rule) -> None:
    known = documentation(rule)
    assert all(known)
    assert known.summary.endswith(".")
    assert known.what[0].startswith(known.summary)
    assert len(known.summary) <= 160
    for text in (*known.what, *known.why, *known.mend):
        assert text.endswith(".")
        assert "  " not in text


@pytest.mark.parametrize(
    "text",
    [None, "", "What.", "What.\n\nWhy: so.", "What.\n\nMend: so.\n\nWhy: so.", "Why: so.\n\nMend: so.", "What.\n\nWhy so.\n\nMend: so."],
)
def test_a_docstring_without_its_three_parts_is_refused(text: str | None) -> None:
    def check(_: object) -> Iterator[Found]:
        return iter(())

    check.__doc__ = text
    with pytest.raises(ValueError, match="some-rule"):
        documentation(Rule("some-rule", "error", "record", "claims", check))


def test_a_docstring_is_taken_apart() -> None:
    def check(_: object) -> Iterator[Found]:
        """What is wrong: it is
        (see RFC 1, section 2.3) no good. A second sentence.

        More of it.

        Why: because.

        And because.

        Mend: do.
        """
        return iter(())

    known = documentation(Rule("some-rule", "error", "record", "claims", check))
    assert known.what == ("What is wrong: it is (see RFC 1, section 2.3) no good. A second sentence.", "More of it.")
    assert known.why == ("because.", "And because.")
    assert known.mend == ("do.",)
    assert known.summary == "What is wrong: it is (see RFC 1, section 2.3) no good."


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_explain_says_all_that_is_known(rule: Rule) -> None:
    done = run("--explain", rule.name)
    assert done.exit_code == 0
    words = " ".join(done.stdout.split())
    known = documentation(rule)
    assert words.startswith(f"{rule.name}: {rule.level}, of the family {rule.family}; {leeway(rule)} ")
    for text in (*known.what, f"Why: {known.why[0]}", *known.why[1:], f"Mend: {known.mend[0]}", *known.mend[1:]):
        assert text in words
    for label, example in zip((LABELS[rule.level], "Passes"), examples().get(rule.name, ()), strict=False):
        assert f"{label}: {example.command}" in words


@pytest.mark.parametrize("width", [1, 40, 80, 100])
def test_explain_keeps_to_the_width(width: int) -> None:
    for rule in RULES:
        commands = {f"{label}: {example.command}" for label in (*LABELS.values(), "Passes") for example in examples().get(rule.name, ())}
        for line in explain(rule.name, width).splitlines():
            longest_word = max(map(len, line.split()), default=0)
            assert len(line) <= max(width, 34) or line in commands or longest_word >= width - 4


def test_an_unknown_rule_is_wrong_usage() -> None:
    done = run("--explain", "grade-mismatches")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert 'there is no rule "grade-mismatches"; did you mean grade-mismatch ' in done.stderr
    hostile = run("--explain", "\x1b[2Jxyz")
    assert hostile.exit_code == 2
    assert "\x1b" not in hostile.stderr
    assert "--list-rules lists them" in hostile.stderr
    with pytest.raises(UnknownRule):
        explain("", 80)


@pytest.mark.parametrize("arguments", [["--list-rules"], ["--explain", "overclaim"]])
def test_neither_option_looks_at_a_path(arguments: list[str]) -> None:
    alone = run(*arguments)
    assert alone.exit_code == 0
    assert alone.stderr == ""
    assert run("no/such/path", *arguments).stdout == alone.stdout


def test_the_list_has_a_line_for_each_rule() -> None:
    lines = run("--list-rules").stdout.splitlines()
    assert [line.split(maxsplit=3) for line in lines] == [
        [rule.name, rule.level, rule.family, documentation(rule).summary] for rule in RULES
    ]


def test_the_order_is_that_of_the_families() -> None:
    found = [rule.family for rule in RULES]
    assert list(dict.fromkeys(found)) == list(FAMILIES)
    assert found == sorted(found, key=FAMILIES.index)


def test_the_list_keeps_to_the_width() -> None:
    lines = listing(90).splitlines()
    assert max(map(len, lines)) <= 90
    assert len(lines) > len(RULES)
    assert " ".join(" ".join(lines).split()) == " ".join(listing(None).split())


def test_leeway_is_what_a_configuration_may_do() -> None:
    said = {rule.name: leeway(rule) for rule in RULES}
    assert said["public-view-hash"] == "cannot be lowered or allowed"
    assert said["content-unavailable"] == "cannot be allowed"
    assert said["overclaim"] == "can be lowered or allowed in a record"
    assert said["schema-violation"] == "can be allowed at one place in a record"
    assert said["mixed-editions"] == "can be lowered"
    for name, text in said.items():
        assert ("can be" in text and "allowed" in text) == (policy.allowance_fault(name) is None)


def test_every_rule_that_an_input_can_break_has_examples() -> None:
    assert list(examples()) == [rule.name for rule in RULES if rule.scope not in ("run", "history")]


def found(example: Example, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(PROJECT)
    name, *arguments = shlex.split(example.command)
    assert name == "wrs-verify"
    report = json.loads(run(*arguments, "--jobs", "1", "--report", "json").stdout)
    return [finding["rule"] for record in report["records"] for finding in record["findings"]] + [
        finding["rule"] for finding in report["findings"]
    ]


@pytest.mark.parametrize("name", examples())
def test_one_example_has_the_defect_and_the_other_has_not(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fails, passes = examples()[name]
    assert name in found(fails, monkeypatch)
    assert name not in found(passes, monkeypatch)
    assert fails.says
    assert not passes.says
    assert all(len(line) <= 96 and line.isprintable() for line in (*fails.lines, *passes.lines))
