"""The configuration from outside: a file, a drop, and what is reported of both; and the same through the library."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from wrs_verify import Allowance, Options, validation, verify_bytes, verify_paths
from wrs_verify.cli import command
from wrs_verify.model import Json
from wrs_verify.rules import rules

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "vectors"))

import builder

DOCS = Path(__file__).resolve().parent.parent / "docs" / "configuration.md"
DAY = ("--now", "2026-06-30")
NOW = datetime(2026, 6, 30, tzinfo=UTC)
RECORD = builder.record("one")
ID: str = RECORD["target"]["record_id"]

#: Records with a finding that can be allowed, by its rule.
WRONG: Mapping[str, Json] = {
    "text-mismatch": builder.change(RECORD, {"/entry/title": "Another title"}),
    "identity-mismatch": builder.change(RECORD, {"/entry/package_id": "another"}),
    "overclaim": builder.change(RECORD, {"/scientific_verification_awarded": True}),
    "schema-violation": builder.change(RECORD, {"/entry/year": "2024"}),
    "unknown-member": builder.change(RECORD, {"/entry/more": 1}),
}


def place(rule: str) -> dict[str, str]:
    """The place that an allowance of what is wrong in `WRONG` has to name, if it has to."""
    return {"pointer": "/entry/year"} if rule == "schema-violation" else {}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current directory, with a drop in it to be filled."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drop").mkdir()
    return tmp_path


def put(record: Json, name: str = "a.json") -> None:
    Path("drop", name).write_bytes(builder.text(record))


def configure(text: str, name: str = "wrs-verify.toml") -> None:
    Path(name).write_text(text, "utf-8")


def allow(rule: str, record: str = ID, reason: str = "because", until: str = "2026-12-31", **more: Json) -> str:
    """An allowance as TOML. JSON's strings and integers are TOML's too."""
    keys = {"rule": rule, "record": record, "reason": reason, "until": until} | more
    return "\n".join(["[[allow]]", *(f"{key} = {json.dumps(value)}" for key, value in keys.items()), ""])


def allow_all(rule: str, **more: Json) -> str:
    """As `allow`; an allowance of a rule that needs a place for every place where `WRONG` or `BROKEN` break it."""
    if rules()[rule].leeway != "place":
        return allow(rule, **more)
    places = {"/entry/year", *TARGETS, "/version", "/entry", "/version/public_view_hash", "/version/source_ref", "/published_grade", ""}
    places |= {"/entry/published_grade", "/entry/assessment_disposition"}
    places |= {f"{pointer}/{name}" for pointer in TARGETS for name in ("version", "content_hash")}
    return "".join(allow(rule, pointer=place, **more) for place in sorted(places))


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(command, [*arguments, "drop"], catch_exceptions=False)
    assert "Traceback" not in done.output
    return done


def report(*arguments: str) -> Json:
    """The JSON report, valid by its schema, whose counts are those of what it lists."""
    found = json.loads(run("--report", "json", "--jobs", "1", *arguments).stdout)
    assert validation.violations("wrs-verify-report-1", found, 10) == ([], 0)
    listed = [finding for record in found["records"] for finding in record["findings"]] + found["findings"]
    for level in ("error", "warning", "note"):
        assert found["counts"][f"{level}s"] == sum(finding["level"] == level for finding in listed)
    assert found["counts"]["allowed"] == sum(len(record["allowed"]) for record in found["records"])
    return found


def outside(found: Json) -> list[tuple[str, str, str, int | None]]:
    return [(finding["rule"], finding["level"], finding["input"], finding["line"]) for finding in found["findings"]]


# What the file sets


def test_options_levels_and_their_order_of_precedence() -> None:
    put(WRONG["text-mismatch"])
    assert run().exit_code == 0
    configure("strict = true\n")
    assert run().exit_code == 1
    configure('strict = true\n[levels]\ntext-mismatch = "note"\n')
    assert run().exit_code == 0
    configure('[levels]\ntext-mismatch = "error"\n')
    assert [finding["level"] for finding in report()["records"][0]["findings"] if finding["rule"] == "text-mismatch"] == ["error"]
    configure("max-depth = 2\n")
    assert run().exit_code == 1
    assert run("--max-depth", "100").exit_code == 0
    configure('report = ["json=out.json", "text"]\nexclude = ["a.json"]\n')
    assert "NOTHING TO VERIFY" in run().stdout
    assert json.loads(Path("out.json").read_bytes())["counts"]["records"] == 0
    assert "PASS" in run("--exclude", "b.json", "--report", "text").stdout


def test_require_content_overrides_any_level() -> None:
    put(RECORD)
    configure('[levels]\ncontent-unavailable = "warning"\n')
    assert [finding["level"] for finding in report()["records"][0]["findings"]] == ["warning"]
    assert [finding["level"] for finding in report("--require-content")["records"][0]["findings"]] == ["error"]


def test_which_file_is_read() -> None:
    put(WRONG["text-mismatch"])
    configure("[tool.wrs-verify]\nstrict = true\n", "pyproject.toml")
    assert run().exit_code == 1
    configure("", "wrs-verify.toml")
    assert run().exit_code == 0
    configure("strict = true\n", "other.toml")
    assert run("--config", "other.toml").exit_code == 1
    assert run("--config", "pyproject.toml").exit_code == 1
    Path("wrs-verify.toml").unlink()
    configure('[tool.other]\nname = "wrs-verify"\n', "pyproject.toml")
    assert "configuration" not in run().stdout
    assert "tool.wrs-verify: there is no such table" in run("--config", "pyproject.toml").stderr
    configure("what is wrong here is another tool's business", "pyproject.toml")
    assert run().exit_code == 0


def test_a_configuration_in_the_drop_is_not_read() -> None:
    put(RECORD | {"profile": "another"})
    configure("no = TOML", "drop/wrs-verify.toml")
    configure("[tool.wrs-verify]\nno-such-option = 1", "drop/pyproject.toml")
    assert run().exit_code == 1
    assert "configuration" not in run().stdout


def test_the_summary_tells_what_was_configured() -> None:
    put(WRONG["text-mismatch"])
    configure('strict = true\n[levels]\ntext-mismatch = "note"\nunknown-term = "warning"\n' + allow("overclaim"))
    assert (
        "  configuration: wrs-verify.toml: sets strict; levels changed: text-mismatch note (was warning); 1 allowance\n" in run(*DAY).stdout
    )
    configure("")
    assert "  configuration: wrs-verify.toml: changes nothing\n" in run().stdout


# What is refused

REFUSALS = [
    ("strict = ", "this is not TOML"),
    ("a = [" * 5000, "this is not TOML"),
    ("strct = true", "strct: there is no such option; did you mean strict?"),
    ("max_depth = 9", "max_depth: there is no such option; did you mean max-depth?"),
    ('now = "2020-01-01"', "now: there is no such option"),
    ('config = "b.toml"', "config: there is no such option"),
    ("version = true", "version: there is no such option"),
    ('strict = "yes"', "strict: this must be true or false"),
    ("max-depth = true", "max-depth: this must be an integer"),
    ("max-depth = 10.5", "max-depth: this must be an integer"),
    ("max-depth = 0", "max-depth: 0 is not in the range"),
    ('include = "*.json"', "include: this must be an array of strings"),
    ('report = ["nonsense"]', "report: there is no report format 'nonsense'"),
    ('"\\u001b[31m" = 1', "\\x1b[31m: there is no such option"),
    ("levels = 1", "levels: this must be a table"),
    ('[levels]\nno-such-rule = "note"', 'levels.no-such-rule: there is no rule "no-such-rule"'),
    ('[levels]\ntext-mismatch = "fatal"', 'levels.text-mismatch: "fatal" is not a level; a level is one of error, warning, note'),
    ("[levels]\ntext-mismatch = []", "levels.text-mismatch: [] is not a level"),
    ('[levels]\npublic-view-hash = "warning"', "levels.public-view-hash: public-view-hash cannot be lowered: it always is an error"),
    ("allow = 1", "allow: this must be an array of tables"),
    ('[allow]\nrule = "overclaim"', "allow: this must be an array of tables"),
    (allow("no-such-rule"), 'wrs-verify.toml:1: allow.rule: there is no rule "no-such-rule"'),
    (allow("overclaim").replace('"overclaim"', "1"), "allow.rule: 1 is not a rule"),
    (allow("public-view-hash"), "allow.rule: public-view-hash cannot be allowed"),
    (allow("dangling-reference"), "allow.rule: dangling-reference cannot be allowed: it is not about one record alone"),
    (allow("unused-allowance"), "allow.rule: unused-allowance cannot be allowed: it is not about one record alone"),
    (allow("schema-violation"), "wrs-verify.toml:1: allow.pointer: schema-violation is allowed at one place only"),
    (allow("overclaim", ID.upper()), "allow.record: "),
    (allow("overclaim", reason=" \t"), "allow.reason: an allowance needs a reason"),
    (allow("overclaim").replace('reason = "because"\n', ""), "allow.reason: this is missing"),
    (allow("overclaim").replace('until = "2026-12-31"\n', ""), "allow.until: this is missing"),
    (allow("overclaim", until="2026-02-30"), 'allow.until: "2026-02-30" is not a date'),
    (allow("overclaim", until="20261231"), "allow.until: "),
    (allow("overclaim").replace('"2026-12-31"', "2026-12-31T00:00:00Z"), "allow.until: "),
    (allow("overclaim").replace('"2026-12-31"', "12:00:00"), "allow.until: "),
    (allow("overclaim", version=0), "allow.version: 0 is not a version"),
    (allow("overclaim").replace("[[allow]]", "[[allow]]\nversion = true"), "allow.version: true is not a version"),
    (allow("overclaim", pointer="entry"), 'allow.pointer: "entry" is not a JSON Pointer'),
    (allow("overclaim", line=1), "allow.line: there is no such key"),
    ("\n\n" + allow("overclaim") + allow("overclaim", reason=""), "wrs-verify.toml:8: allow.reason: "),
    ('allow = [{rule = "overclaim"}]', "allow.record: this is missing (allowance 1 of 1)"),
]


@pytest.mark.parametrize(("text", "said"), REFUSALS)
def test_every_mistake_is_a_usage_error_that_names_file_and_key(text: str, said: str) -> None:
    put(RECORD)
    configure(text)
    done = run()
    assert done.exit_code == 2
    message = done.stderr.partition("Error: ")[2]
    assert message.startswith("wrs-verify.toml")
    assert said in message
    assert done.stdout == ""


def test_other_files_that_cannot_be_used() -> None:
    put(RECORD)
    assert "none.toml: " in run("--config", "none.toml").stderr
    assert run("--config", "none.toml").exit_code == run("--config", "drop").exit_code == 2
    Path("wrs-verify.toml").write_bytes(b'report = ["\xff"]')
    assert "wrs-verify.toml: this is not TOML" in run().stderr
    Path("wrs-verify.toml").unlink()
    configure("[tool]\nwrs-verify = 1\n", "pyproject.toml")
    assert "pyproject.toml: tool.wrs-verify: this must be a table" in run().stderr
    configure('[tool.wrs-verify.levels]\ncontent-hash = "note"\n', "pyproject.toml")
    assert "pyproject.toml: tool.wrs-verify.levels.content-hash: " in run().stderr
    configure(allow("overclaim", reason="").replace("[[allow]]", "[[ tool.wrs-verify.allow ]] # why"), "pyproject.toml")
    assert "pyproject.toml:1: tool.wrs-verify.allow.reason: " in run().stderr


def test_help_and_version_do_not_need_a_good_configuration() -> None:
    configure("strict = ")
    for option in ("--help", "--version", "--list-rules"):
        assert CliRunner().invoke(command, [option]).exit_code == 0


@pytest.mark.parametrize("time", ["", "today", "2026-13-01", "0001-01-01T00:00:00+14:00", "1751241600"])
def test_no_time(time: str) -> None:
    put(RECORD)
    done = run("--now", time)
    assert done.exit_code == 2
    assert "--now" in done.stderr


# Allowances


@pytest.mark.parametrize("rule", WRONG)
def test_what_is_allowed_neither_fails_nor_warns_and_is_listed(rule: str) -> None:
    put(WRONG[rule])
    before = report("--strict", *DAY)
    wrong = [finding for finding in before["records"][0]["findings"] if finding["rule"] == rule]
    assert wrong
    assert before["verdict"] == "fail"
    configure(allow(rule, **place(rule)))
    found = report("--strict", *DAY)
    assert found["verdict"] == found["records"][0]["verdict"] == "pass"
    assert found["records"][0]["allowed"] == [finding | {"reason": "because", "until": "2026-12-31"} for finding in wrong]
    assert [finding for finding in before["records"][0]["findings"] if finding["rule"] != rule] == found["records"][0]["findings"]
    assert found["findings"] == []
    done = run("--strict", *DAY)
    assert done.exit_code == 0
    assert f"allowed[{rule}] " in done.stdout
    assert "(because, until 2026-12-31)\n" in done.stdout
    assert f"PASS: 1 record passed, {len(wrong)} finding" in done.stdout
    assert f"  allowed: {len(wrong)} finding" in done.stdout
    assert run("--strict", "--quiet", *DAY).stdout == ""


def test_an_allowed_note_stands_at_its_place() -> None:
    put(builder.record("one", people=3, byline=(0,)))
    configure(allow("people-beyond-byline"))
    assert "drop/a.json:" in run(*DAY).stdout
    line = next(line for line in run(*DAY).stdout.splitlines() if "allowed[" in line)
    one = report(*DAY)["records"][0]["allowed"][0]
    assert line.startswith(f"drop/a.json:{one['line']}:{one['column']}: allowed[people-beyond-byline] ")


@pytest.mark.parametrize(
    ("more", "matches"),
    [
        ({}, True),
        ({"version": 1}, True),
        ({"version": 2}, False),
        ({"pointer": "/entry/title"}, True),
        ({"pointer": "/entry"}, False),
        ({"pointer": ""}, False),
        ({"pointer": "/entry/title", "version": 1}, True),
        ({"record": builder.record("two")["target"]["record_id"]}, False),
        ({"rule": "people-mismatch"}, False),
    ],
)
def test_what_an_allowance_matches(more: dict[str, Json], matches: bool) -> None:
    put(WRONG["text-mismatch"])
    configure("\n" + allow(**{"rule": "text-mismatch", **more}))
    found = report(*DAY)
    assert found["counts"]["allowed"] == matches
    assert outside(found) == ([] if matches else [("unused-allowance", "warning", "wrs-verify.toml", 2)])
    assert run("--strict", *DAY).exit_code == (0 if matches else 1)


@pytest.mark.parametrize(
    ("now", "holds"),
    [
        ("2026-12-30", True),
        ("2026-12-31", True),
        ("2026-12-31T23:59:59.999999", True),
        ("2027-01-01", False),
        ("2027-01-01T00:30:00+01:00", True),
        ("2026-12-31T23:30:00-01:00", False),
    ],
)
@pytest.mark.parametrize("written", ['"2026-12-31"', "2026-12-31"])
def test_the_end_date_is_inclusive_and_in_utc(now: str, holds: bool, written: str) -> None:
    put(WRONG["overclaim"])
    configure(allow("overclaim").replace('"2026-12-31"', written))
    found = report("--now", now)
    assert found["counts"]["allowed"] == holds
    assert found["verdict"] == ("pass" if holds else "fail")
    assert outside(found) == ([] if holds else [("expired-allowance", "warning", "wrs-verify.toml", 1)])


def test_the_clock_is_the_default() -> None:
    put(WRONG["overclaim"])
    today = datetime.now(UTC).date()
    configure(allow("overclaim", until=str(today + timedelta(2))))
    assert report()["counts"]["allowed"] == 1
    configure(allow("overclaim", until=str(today - timedelta(2))))
    assert [rule for rule, *_ in outside(report())] == ["expired-allowance"]


def test_levels_of_idle_allowances() -> None:
    put(RECORD)
    configure(
        '[levels]\nunused-allowance = "error"\nexpired-allowance = "note"\n' + allow("overclaim") + allow("overclaim", until="2020-01-01")
    )
    assert outside(report(*DAY)) == [
        ("unused-allowance", "error", "wrs-verify.toml", 4),
        ("expired-allowance", "note", "wrs-verify.toml", 9),
    ]


@pytest.mark.parametrize("text", ['title = """\n[[allow]]\n"""', "strict = false"])
def test_lines_are_left_out_where_they_are_not_plain(text: str) -> None:
    put(RECORD)
    inline = f'{{rule = "overclaim", record = "{ID}", reason = "why", until = 2026-12-31}}'
    configure(f"allow = [{inline}, {inline}]\n" if "strict" in text else f'include = ["""\n[[allow]]\n""", "*.json"]\n{allow("overclaim")}')
    assert {line for _, _, _, line in outside(report(*DAY))} == {None}


# What cannot be allowed, or lowered

NEVER = {
    "public-view-hash": builder.change(RECORD, {"/version/record/title": "Another"}, stamped=False),
    "target-mismatch": builder.change(RECORD, {"/entry/target/version": 2}),
    "unknown-profile": RECORD | {"profile": "another"},
}


@pytest.mark.parametrize("rule", NEVER)
def test_hash_and_target_errors_cannot_be_allowed_through_the_library_either(rule: str) -> None:
    data = builder.text(NEVER[rule])
    assert rule in {finding.rule for finding in verify_bytes(data).findings}
    for options in (
        Options(allowances=(Allowance(rule, ID, "because", date.max),), now=NOW),
        Options(levels={rule: "note"}),
    ):
        with pytest.raises(ValueError, match=rule):
            verify_bytes(data, options=options)
        with pytest.raises(ValueError, match=rule):
            verify_paths("drop", options=options)


def test_the_leeway_of_every_rule() -> None:
    """What no configuration can take away. A rule that is added is in here, or was thought about."""
    never = {rule.name for rule in rules().values() if rule.leeway == "none"}
    assert never >= {"public-view-hash", "content-hash", "content-unavailable", "view-alters-source", "target-mismatch", "unknown-profile"}
    assert never >= {rule.name for rule in rules().values() if rule.family in ("input", "hashes", "engine")}
    assert never >= {rule.name for rule in rules().values() if rule.scope != "record" and rule.level == "error"}
    assert [rule.name for rule in rules().values() if rule.leeway == "record"] == ["version-chain"]
    assert [rule.name for rule in rules().values() if rule.leeway == "place"] == ["schema-violation"]
    assert {rule.name for rule in rules().values() if rule.level == "error" and rule.leeway == "any"} == {
        *("identity-mismatch", "grade-mismatch", "edition-mismatch", "overclaim", "disposition-mismatch"),
    }


TARGETS = ("/target", "/entry/target", "/entry/published_grade/target", "/entry/assessment_disposition/target", "/published_grade/target")
BROKEN = {
    "no public view hash": {"/version/public_view_hash": builder.REMOVE},
    "a hash of another form": {"/version/public_view_hash": "none"},
    "no hashed target": {"/version/source_ref": builder.REMOVE},
    **{f"another version in {pointer}": {f"{pointer}/version": 2} for pointer in TARGETS},
    **{f"no {pointer}": {pointer: builder.REMOVE} for pointer in TARGETS},
    "no disposition": {"/entry/assessment_disposition": builder.REMOVE},
    "null as the disposition": {"/entry/assessment_disposition": None},
    "a text as the disposition": {"/entry/assessment_disposition": "ASSESSED"},
    **{f"another type in {pointer}": {f"{pointer}/version": True} for pointer in TARGETS},
    **{f"another form in {pointer}": {f"{pointer}/content_hash": "none"} for pointer in TARGETS},
}


@pytest.mark.parametrize("changes", BROKEN.values(), ids=BROKEN)
def test_nothing_is_allowed_where_a_hash_or_a_target_is_wrong_missing_or_malformed(changes: dict[str, Json]) -> None:
    broken = builder.change(RECORD, {"/entry/title": "Another title"} | changes, stamped="/version/public_view_hash" not in changes)
    put(broken)
    before = report(*DAY)["records"]
    assert before[0]["verdict"] == "fail"
    assert "text-mismatch" in {finding["rule"] for finding in before[0]["findings"]}
    configure("".join(allow_all(rule) for rule in rules() if rules()[rule].scope == "record" and rules()[rule].leeway != "none"))
    assert report(*DAY)["records"] == before


def test_what_could_not_be_read_is_not_allowed_by_the_way() -> None:
    """A claim that is no longer a boolean cannot be read by the rule that would call it an overclaim."""
    put(builder.change(RECORD, {"/entry/year": "2024", "/scientific_verification_awarded": "true"}))
    configure(allow("schema-violation", pointer="/entry/year"))
    found = report(*DAY)
    assert [one["pointer"] for one in found["records"][0]["allowed"]] == ["/entry/year"]
    assert ("schema-violation", "/scientific_verification_awarded") in {
        (finding["rule"], finding["pointer"]) for finding in found["records"][0]["findings"] if finding["level"] == "error"
    }
    assert found["verdict"] == "fail"


def test_an_allowance_is_for_the_hashed_record_id() -> None:
    """A record cannot borrow the allowance of another by naming it where no hash covers it."""
    other = builder.change(builder.record("two"), {"/scientific_verification_awarded": True})
    borrowed = builder.change(other, dict.fromkeys((f"{pointer}/record_id" for pointer in TARGETS), ID))
    put(borrowed)
    configure(allow("overclaim"))
    assert report(*DAY)["counts"]["allowed"] == 0


def test_an_ungraded_record_can_have_allowances() -> None:
    put(builder.change(builder.record("one", graded=False), {"/entry/title": "Another title"}))
    configure(allow("text-mismatch"))
    assert report(*DAY)["counts"]["allowed"] == 1


# The same result however it is run

ALLOWANCES = st.lists(
    st.builds(
        Allowance,
        st.sampled_from(["text-mismatch", "overclaim", "people-mismatch"]),
        st.sampled_from([ID, builder.record("two")["target"]["record_id"]]),
        st.sampled_from(["a", "b"]),
        st.sampled_from([date(2026, 1, 1), date(2026, 7, 1), date(2026, 8, 1)]),
        st.sampled_from([None, 1, 2]),
        st.sampled_from([None, "/entry/title", "/scientific_verification_awarded"]),
    ),
    max_size=6,
)
BOTH = builder.change(RECORD, {"/entry/title": "Another title", "/scientific_verification_awarded": True})


@given(ALLOWANCES, st.randoms(use_true_random=False))
def test_the_order_of_allowances_does_not_matter(allowances: list[Allowance], random: Random) -> None:
    Path("drop").mkdir(exist_ok=True)
    put(BOTH)
    shuffled = list(allowances)
    random.shuffle(shuffled)
    one, other = (verify_paths("drop", options=Options(allowances=tuple(order), now=NOW)) for order in (allowances, shuffled))
    assert one == other
    assert_true(one.records[0].allowed, allowances)
    bare = verify_bytes(builder.text(BOTH), name="drop/a.json")
    assert sorted([*one.records[0].findings, *(each.finding for each in one.records[0].allowed)], key=str) == sorted(bare.findings, key=str)


def assert_true(allowed: Sequence[Json], allowances: list[Allowance]) -> None:
    """Each finding is allowed for what an unexpired allowance for it says, and no other finding could have been."""
    for one in allowed:
        assert any(
            (each.rule, each.record, each.reason, str(each.until)) == (one.finding.rule, ID, one.reason, one.until)
            and each.until >= NOW.date()
            and each.version in (None, 1)
            and each.pointer in (None, one.finding.pointer)
            for each in allowances
        )


def test_the_same_bytes_with_any_number_of_processes() -> None:
    names = [f"{number:03}" for number in range(150)]
    for number, name in enumerate(names):
        put(builder.change(builder.record(name), {"/entry/title": "Another title"} if number % 3 else {}), f"{name}.json")
    ids = [builder.record(name)["target"]["record_id"] for name in names[::7]]
    configure("".join(allow("text-mismatch", record) for record in ids) + allow("overclaim", until="2020-01-01"))
    outputs = {run("--report", "json", "--jobs", jobs, *DAY).stdout for jobs in ("1", "2", "1")}
    assert len(outputs) == 1
    found = json.loads(outputs.pop())
    assert found["counts"]["records"] == 150
    assert found["counts"]["allowed"] == sum(number % 3 > 0 for number in range(0, 150, 7))
    counted = [rule for rule, *_ in outside(found)]
    assert counted.count("unused-allowance") == sum(number % 3 == 0 for number in range(0, 150, 7))
    assert counted.count("expired-allowance") == 1


def test_a_run_that_broke_off_does_not_claim_that_an_allowance_is_unused(monkeypatch: pytest.MonkeyPatch) -> None:
    from wrs_verify import execution

    put(RECORD)

    def interrupted(*_: object) -> object:
        raise execution.Interrupted

    configure(allow("overclaim") + allow("overclaim", until="2020-01-01"))
    assert [rule for rule, *_ in outside(report(*DAY))] == ["unused-allowance", "expired-allowance"]
    monkeypatch.setattr(execution, "check", interrupted)
    found = report(*DAY)
    assert found["verdict"] == "incomplete"
    assert [rule for rule, *_ in outside(found)] == ["expired-allowance"]


def test_the_library_judges_by_the_time_that_it_is_given() -> None:
    data = builder.text(WRONG["overclaim"])
    allowance = Allowance("overclaim", ID, "because", date(2026, 6, 30))
    west = timezone(timedelta(hours=-2))
    for now, verdict in (
        (NOW, "pass"),
        (NOW.replace(tzinfo=None, hour=23), "pass"),
        (datetime(2026, 6, 30, 21, 59, tzinfo=west), "pass"),
        (datetime(2026, 6, 30, 22, 0, tzinfo=west), "fail"),
    ):
        assert verify_bytes(data, options=Options(allowances=(allowance,), now=now)).verdict == verdict
    with pytest.raises(ValueError, match="reference time"):
        verify_bytes(data, options=Options(allowances=(allowance,)))
    with pytest.raises(ValueError, match="name its pointer"):
        verify_bytes(data, options=Options(allowances=(allowance._replace(rule="schema-violation"),), now=NOW))
    with pytest.raises(ValueError, match="no reason"):
        verify_bytes(data, options=Options(allowances=(allowance._replace(reason=" "),), now=NOW))
    with pytest.raises(ValueError, match="no rule"):
        verify_bytes(data, options=Options(levels={"nonsense": "note"}))


def test_the_example_in_the_documentation_can_be_used() -> None:
    put(RECORD)
    configure(DOCS.read_text("utf-8").partition("```toml\n")[2].partition("```")[0])
    done = run(*DAY)
    assert done.exit_code != 2, done.stderr
    assert Path("report.json").is_file()


@pytest.mark.parametrize("name", ["wrs-verify.toml", "pyproject.toml", "named"])
def test_only_a_regular_file_is_read(name: str) -> None:
    """A pipe would be waited for."""
    put(RECORD)
    os.mkfifo(name)
    done = run(*(["--config", name] if name == "named" else []))
    assert (done.exit_code, f"{name}: this is not a regular file" in done.output) == (2, True)


def test_a_link_to_a_configuration_is_followed_and_an_empty_name_is_none() -> None:
    put(RECORD)
    configure("strict = true", "real.toml")
    Path("wrs-verify.toml").symlink_to("real.toml")
    assert "wrs-verify.toml: sets strict" in run().output
    done = run("--config", "")
    assert (done.exit_code, "--config names no file" in done.output) == (2, True)


@pytest.mark.parametrize(
    "text",
    [
        "[tool.wrs-verify]\nstrict = true\n",
        '[ "tool" . "wrs-verify" ]\nstrict = true\n',
        '[tool."wrs\\u002dverify"]\nstrict = true\n',
        "tool.wrs-verify.strict = true\n",
        "[tool]\nwrs-verify = { strict = true }\n",
    ],
)
def test_a_table_of_a_project_is_found_however_its_name_is_written(text: str) -> None:
    put(WRONG["text-mismatch"])
    configure(text, "pyproject.toml")
    done = run()
    assert (done.exit_code, "pyproject.toml: sets strict" in done.output) == (1, True)


@pytest.mark.parametrize("text", ["= 1\n", 'a = "\\u002d"\n= 1\n'])
def test_a_broken_file_of_other_tools_is_passed_over(text: str) -> None:
    put(RECORD)
    configure(text, "pyproject.toml")
    assert run().exit_code == 0


def test_of_quiet_and_verbose_the_command_line_has_the_last_word() -> None:
    put(RECORD)
    configure("quiet = true\n")
    assert (run(*DAY).stdout, run("--verbose", *DAY).exit_code) == ("", 0)
    assert "note[content-unavailable]" in run("--verbose", *DAY).stdout
    configure("verbose = true\n")
    assert "note[content-unavailable]" in run(*DAY).stdout
    assert run("--quiet", *DAY).stdout == ""
    configure("verbose = true\nquiet = true\n")
    assert run(*DAY).exit_code == 2
