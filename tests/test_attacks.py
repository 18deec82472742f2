"""A drop whose every text is an attack, through every format of the report: nothing in it is more than text where it is shown.

The HTML page is looked at in `test_report_html.py`.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import wrs_verify
from markdown_it import MarkdownIt
from test_hostile_drop import ATTACKS

from wrs_verify import validation
from wrs_verify.model import Json
from wrs_verify.report import FORMATS

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "vectors"))

import builder

TEXTS = (
    *ATTACKS,
    "%0A::error::owned%0D%0A::add-mask::a",
    "file=a,line=1::owned",
    "{0} {1} [owned](https://example.org) ![](https://example.org/x.gif) <https://example.org>",
    "<!--<script>",
    "</script><svg onload=alert(1)>",
    "\u200bPASS: 1 record passed\n\nPASS: 1 record passed",
)
#: Texts that no I-JSON text can hold: what is reported is said of the bytes.
RAW = {
    "surrogate": rb'{"profile": "\ud800\x1b", "\udfff::error::": "\ud800]]>"}'.replace(rb"\x1b", b"\x1b"),
    "names": b'{"::error::": 1, "::error::": 2, "<script>\\u001b[2J": [NaN]}',
    "bytes": b'{"a": "\xff\x1b]0;owned\x07"}',
}


def attacking(value: Json, text: str) -> Json:
    """The value with every text in it replaced, and with a member of such a name in every object."""
    if isinstance(value, dict):
        return {name: attacking(member, text) for name, member in value.items()} | {text: text}
    if isinstance(value, list):
        return [attacking(item, text) for item in value]
    return text if isinstance(value, str) else value


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every format of a run over such records, in files of such names."""
    drop, folder = tmp_path_factory.mktemp("drop"), tmp_path_factory.mktemp("reports")
    record = builder.record("one", related=["one"])
    for number, text in enumerate(TEXTS):
        attack = attacking(record, text) | {"profile": record["profile"]}
        name = text.replace("/", " ").replace("\x00", " ").lstrip(".")
        (drop / f"{name[:40]}{number}.json").write_text(json.dumps(attack), "utf-8")
        (drop / f"{number}.json").write_text(json.dumps(builder.change(record, {"/entry/title": text, "/entry/result": text})))
        (drop / f"::error::{name[:20]}{number}.txt").write_text(text, "utf-8")
    for stem, data in RAW.items():
        (drop / f"{stem}.json").write_bytes(data)
    options = [f"--report={name}={folder / name}" for name in FORMATS if name != "html"]
    done = wrs_verify(".", *options, "--verbose", "--jobs", "1", cwd=drop, GITHUB_STEP_SUMMARY=str(folder / "page"))
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
    return {file.name: file.read_bytes().decode() for file in folder.iterdir()}


@pytest.mark.parametrize("name", sorted({*FORMATS, "page"} - {"html"}))
def test_no_character_hides_moves_or_turns_anything(written: dict[str, str], name: str) -> None:
    harmful = {
        character
        for character in written[name]
        if character != "\n"
        and (unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") or ord(character) & 0xFFFE == 0xFFFE)
    }
    assert harmful == set()


def test_text(written: dict[str, str]) -> None:
    lines = written["text"].splitlines()
    assert not [line for line in lines if line.lstrip().startswith("::") or "##[" in line or "##vso[" in line]
    assert len([line for line in lines if line.startswith("PASS")]) == 0
    assert len([line for line in lines if line.startswith("FAIL: ")]) == 1


def test_json(written: dict[str, str]) -> None:
    report = json.loads(written["json"])
    assert validation.is_valid("wrs-verify-report-1", report)
    assert report["verdict"] == "fail"
    assert report["counts"]["records"] == len(report["records"]) == 2 * len(TEXTS) + len(RAW)
    assert {
        finding["actual"] for record in report["records"] for finding in record["findings"] if finding["pointer"] == "/entry/title"
    } == set(TEXTS)


def test_junit(written: dict[str, str]) -> None:
    assert "]]>" not in written["junit"]
    assert "<!" not in written["junit"]
    root = ET.fromstring(written["junit"])
    assert {element.tag for element in root.iter()} <= {
        *("testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out", "properties", "property"),
    }
    assert len(root.findall("testsuite[@name='records']/testcase")) == 2 * len(TEXTS) + len(RAW)


def test_sarif(written: dict[str, str]) -> None:
    (run,) = json.loads(written["sarif"])["runs"]
    texts = [text for result in run["results"] for text in messages(result)]
    assert len(texts) > len(TEXTS)
    for text in texts:
        assert not re.search(r"[\[\]]", re.sub(r"\\.", "", text)), text
        assert not re.search(r"[{}]", re.sub(r"\{\{|\}\}", "", text)), text
    uris = {place["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"] for place in result["locations"]}
    assert all(re.fullmatch(r"[A-Za-z0-9._~!$&'()*+,;=@/%-]+", uri) and ":" not in uri for uri in uris)


def messages(value: Json) -> Iterator[str]:
    """Every message in a part of a SARIF log."""
    if isinstance(value, dict):
        if isinstance(value.get("message"), dict):
            yield value["message"]["text"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from messages(item)


def test_github(written: dict[str, str]) -> None:
    *annotations, last = written["github"].splitlines()
    assert last.startswith("FAIL: ")
    for line in annotations:
        found = re.fullmatch(r"::(?:error|warning|notice) ((?:[a-z]+=[^,:\r\n]*,?)+)::(.*)", line)
        assert found, line
        assert [part.partition("=")[0] for part in found[1].split(",")] in (
            ["file", "line", "col", "title"],
            ["file", "title"],
            ["file", "line", "title"],
        )
        for text in found[2].split("%0A"):
            assert re.sub("%25", "", text).count("%") == 0
            assert not text.lstrip().startswith("::")


def test_step_summary(written: dict[str, str]) -> None:
    """Read as GitHub does, no text is a link, a picture, HTML, a heading or a cell of the table."""
    page = written["page"]
    tokens = MarkdownIt("commonmark").enable("table").parse(page)
    inner = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in inner} <= {"text", "text_special", "html_inline"}
    assert {child.content for child in inner if child.type == "html_inline"} == {"<br>"}
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h3"]
    assert {token.type for token in tokens} & {"html_block", "fence", "code_block", "bullet_list_open", "blockquote_open"} <= {
        "bullet_list_open"
    }
    rows = [token for token in tokens if token.type == "tr_open"]
    cells = [token for token in tokens if token.type in ("th_open", "td_open")]
    report = json.loads(written["json"])
    assert len(rows) == 1 + sum(report["counts"][level] for level in ("errors", "warnings", "notes"))
    assert len(cells) == 4 * len(rows)


def test_intoto(written: dict[str, str]) -> None:
    statement, report = json.loads(written["intoto"]), json.loads(written["json"])
    assert len(statement["subject"]) == len(report["records"])
    assert statement["predicate"]["result"] == "FAILED"
