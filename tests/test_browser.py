"""The HTML report in a real browser: filters, keyboard, pictures, both themes, accessibility, and records that attack the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import AXE, Browser, browser, missing
from commands import wrs_verify
from report_samples import ATTACK, ERROR, NOTE, WARNING, attacked, result, unreadable, write
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from wrs_verify.model import Allowed, HashCheck, RecordResult, Skipped

PROJECT = Path(__file__).resolve().parent.parent
OPENED = ".rows details[open] "

#: Each would set a global if the page took it for markup or for a script.
ATTACKS = (
    ATTACK,
    "<script>window.owned = 1</script>",
    "</script><script>window.owned = 1</script>",
    "<!--<script>window.owned = 1</script>",
    '"><img src=x onerror="window.owned = 1">',
    "'><svg onload=window.owned=1>",
    "javascript:window.owned=1",
    "</style></title></textarea><iframe srcdoc='<script>parent.owned = 1</script>'>",
    "{{ 7 * 7 }}${window.owned = 1}`${window.owned = 1}`",
    "\u2028window.owned = 1\u2029\u202e\x1b[31m\x00\ud800",
    "__proto__",
)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The browser of all these tests."""
    with browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run over all vectors, good and bad."""
    page = tmp_path_factory.mktemp("page") / "page.html"
    assert wrs_verify("vectors", f"--report=html={page}", "--jobs", "1", cwd=PROJECT).returncode == 1
    return page


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A page with something of everything, on which what matches can be told."""
    records = [
        *(result(f"good-{number}.json") for number in range(3)),
        result("bad.json", [ERROR, WARNING]),
        result("excused.json", [NOTE])._replace(allowed=(Allowed(WARNING, "known to part", "2030-12-31"),)),
        unreadable("worse.json"),
    ]
    drop = ERROR._replace(rule="equivocation", message="two contents", input="bad.json", line=None, column=None)
    return made(tmp_path, *records, findings=[drop], skipped=[Skipped("notes.txt", "not a record file (.txt)")])


def made(folder: Path, *results: RecordResult, **more: Any) -> Path:
    """A page of these results."""
    page = folder / "page.html"
    page.write_text(write("html", results, **more)[0], encoding="utf-8")
    return page


def paths(shown: Browser) -> list[str]:
    return shown.texts(".rows > li > details > summary .path")


def find(shown: Browser, path: str) -> None:
    """Leave the one record of that path in the list."""
    box = shown.driver.find_element(By.ID, "search")
    box.clear()
    box.send_keys(path)
    assert len(paths(shown)) == 1


def test_filters_and_search(shown: Browser, mixed: Path) -> None:
    shown.open(mixed)
    good = [f"good-{number}.json" for number in range(3)]
    assert paths(shown) == ["bad.json", *good, "bad.json", "excused.json", "worse.json", "notes.txt"]
    verdicts = {label.text: label for label in shown.driver.find_elements(By.CSS_SELECTOR, "fieldset label")}
    assert list(verdicts) == ["all 8", "failed 2", "passed 4", "outside records 1", "skipped 1"]
    for label, left in (
        ("failed 2", ["bad.json", "worse.json"]),
        ("outside records 1", ["bad.json"]),
        ("skipped 1", ["notes.txt"]),
        ("passed 4", [*good, "excused.json"]),
    ):
        verdicts[label].click()
        assert paths(shown) == left
        assert shown.texts("#matches") == [f"{len(left)} of 8 match"]
    level, rule = (Select(shown.driver.find_element(By.ID, name)) for name in ("level", "rule"))
    level.select_by_value("allowed")
    assert paths(shown) == ["excused.json"]
    verdicts["all 8"].click()
    level.select_by_value("error")
    assert paths(shown) == ["bad.json", "bad.json", "worse.json"]
    rule.select_by_value("text-mismatch")
    assert paths(shown) == []
    level.select_by_value("warning")
    assert paths(shown) == ["bad.json"]
    level.select_by_value("")
    assert paths(shown) == ["bad.json", "excused.json"]
    rule.select_by_value("")
    box = shown.driver.find_element(By.ID, "search")
    box.send_keys("THIS invalid")
    assert paths(shown) == ["worse.json"]
    assert shown.texts("#matches") == ["1 of 8 match"]
    assert shown.complaints() == []


def test_a_record_opens_by_mouse(shown: Browser, vectors: Path) -> None:
    shown.open(vectors)
    find(shown, "public-view-hash/title-and-summary.json")
    assert shown.texts(".rows .inside") == []
    shown.driver.find_element(By.CSS_SELECTOR, ".rows summary").click()
    shown.until("document.querySelector('.rows .inside')")
    assert shown.texts(f"{OPENED}.finding h3") == [
        "error public-view-hash",
        "warning text-mismatch",
        "warning text-mismatch",
        "note content-unavailable",
    ]
    assert shown.texts(f"{OPENED}.place code")[:2] == [
        "vectors/public-view-hash/title-and-summary.json:147:25",
        "/version/public_view_hash",
    ]
    # The line, with what is meant marked; what differs; what it was, proved.
    assert shown.texts(f"{OPENED}.excerpt mark")[2] == '"Another title"'
    title = f"{OPENED}.finding:nth-of-type(3) .pair "
    assert (shown.texts(f"{title}dd"), shown.texts(f"{title}ins"), shown.texts(f"{title}del")) == (
        ['"An example title"', '"Another title"'],
        [" example"],
        ["other"],
    )
    assert shown.texts(f"{OPENED}.altered li > code") == ["/version/record/summary", "/version/record/title"]
    assert shown.texts(f"{OPENED}.altered li:last-child dd") == ['"An example title"', '"Another title"']
    assert shown.texts(f"{OPENED}.status") == ["another hash", "not recomputed"]
    assert shown.complaints() == []


def open_only(shown: Browser) -> None:
    """Open the first row, and wait until all of its inside is there."""
    shown.driver.find_element(By.CSS_SELECTOR, ".rows summary").click()
    shown.until("document.querySelector('.rows .inside')")


TITLES = (("An example title", "A better title"), ("An example title", "A cure for everything"), ("A better title", "An example title"))


@pytest.mark.parametrize(("wanted", "found"), TITLES)
def test_a_record_opens_whatever_differs(shown: Browser, tmp_path: Path, wanted: str, found: str) -> None:
    shown.open(made(tmp_path, result("a.json", [WARNING._replace(expected=wanted, actual=found)]), result("b.json")))
    open_only(shown)
    assert shown.texts(f"{OPENED}.pair dd") == [f'"{wanted}"', f'"{found}"']
    assert len(shown.texts(f"{OPENED}.pair :is(ins, del)")) == 2
    assert len(shown.texts(f"{OPENED}.copies")) == 1
    assert shown.complaints() == []


def test_where_marking_fails_the_texts_are_shown(shown: Browser, tmp_path: Path) -> None:
    shown.open(made(tmp_path, result("a.json", [WARNING._replace(expected="one two four", actual="one three four")]), result("b.json")))
    shown.run("window.Uint16Array = undefined")
    open_only(shown)
    assert shown.texts(f"{OPENED}.pair dd") == ['"one two four"', '"one three four"']
    assert shown.texts(f"{OPENED}.pair :is(ins, del)") == []
    assert len(shown.complaints()) == 1


def test_every_vector_opens(shown: Browser, vectors: Path) -> None:
    shown.open(vectors)
    opened = 0
    while True:
        rows = len(paths(shown))
        shown.run("for (const row of document.querySelectorAll('.rows details')) row.open = true")
        shown.until(f"document.querySelectorAll('.rows .inside').length === {rows}")
        opened += rows
        following = shown.driver.find_element(By.CSS_SELECTOR, ".pages button:last-child")
        if not following.is_enabled():
            break
        following.click()
    assert shown.texts("#matches") == [f"{opened} in the list"]
    assert shown.complaints() == []


def test_a_file_that_cannot_be_read_says_so(shown: Browser, vectors: Path) -> None:
    shown.open(vectors)
    find(shown, "invalid-json/bad-escape.json")
    (message,) = shown.texts(".rows .entry")
    assert "escape" in message
    open_only(shown)
    assert shown.texts(f"{OPENED}.message") == [message]
    assert shown.texts(f"{OPENED}.status") == ["not read", "not read"]


def test_a_hash_that_is_not_there_says_so(shown: Browser, tmp_path: Path) -> None:
    record = result("a.json")
    hashes = record.hashes._replace(public_view=HashCheck("unavailable", None, "sha256:" + "0" * 64))
    shown.open(made(tmp_path, record._replace(hashes=hashes)))
    shown.until("document.querySelector('.copies')")
    assert shown.texts(f"{OPENED}.status") == ["none recorded", "not recomputed"]
    assert shown.texts(".copies .head") == ["/version", "no hash", "not hashed"]


def rows(shown: Browser) -> list[tuple[str, str, str]]:
    """What each row says of why: its path, the rules, and the entry or the message."""
    every = shown.run(
        "return [...document.querySelectorAll('.rows > li')].map(row => ['.path', '.why', '.entry'].map("
        "part => row.querySelector(part)?.textContent ?? ''))"
    )
    return [tuple(each) for each in every]


def test_a_row_says_why(shown: Browser, tmp_path: Path) -> None:
    """The rules of the worst findings, and the entry, or where there is none the first message. Errors outside the records stand first."""
    many = [
        ERROR._replace(rule=rule) for rule in ("date-order", "schema-violation", "date-order", "text-mismatch", "overclaim", "too-deep")
    ]
    records = [
        result("good.json"),
        result("bad.json", [NOTE, WARNING, ERROR]),
        result("warned.json", [NOTE, WARNING]),
        unreadable("worse.json"),
        result("many.json", many),
        result("nameless.json")._replace(entry_id=None),
    ]
    warned = WARNING._replace(rule="mixed-editions", message="two editions", input="", line=None, column=None)
    failed = ERROR._replace(rule="equivocation", message="two contents", input="bad.json", line=None, column=None)
    shown.open(made(tmp_path, *records, findings=[warned, failed], skipped=[Skipped("notes.txt", "not a record file (.txt)")]))
    assert rows(shown) == [
        ("bad.json", "equivocation", "two contents"),
        ("good.json", "", "an-entry"),
        ("bad.json", "schema-violation", "an-entry"),
        ("warned.json", "text-mismatch", "an-entry"),
        ("worse.json", "invalid-json", "this is not JSON"),
        ("many.json", "date-order, schema-violation, text-mismatch and 2 more", "an-entry"),
        ("nameless.json", "", NOTE.message),
        ("the whole run", "mixed-editions", "two editions"),
        ("notes.txt", "", "not a record file (.txt)"),
    ]


@pytest.mark.parametrize("width", [1280, 800])
def test_the_badges_of_a_row_stand_side_by_side(shown: Browser, tmp_path: Path, width: int) -> None:
    path = "a-folder-with-a-long-name/" * 4 + "record.json"
    record = result(path, [ERROR] * 12 + [WARNING] * 10 + [NOTE])._replace(allowed=(Allowed(WARNING, "known", "2030-12-31"),))
    shown.open(made(tmp_path, record, result("b.json")), width=width)
    tops = "return [...document.querySelectorAll('.rows > li:first-child summary .badge')].map(one => one.getBoundingClientRect().top)"
    badges = shown.run(tops)
    assert len(badges) == 4
    assert len(set(badges)) == 1
    assert shown.run("return document.documentElement.scrollWidth <= innerWidth")


def test_filters_are_cleared(shown: Browser, mixed: Path) -> None:
    shown.open(mixed)
    button = shown.driver.find_element(By.ID, "clear")
    assert not button.is_displayed()
    shown.driver.find_elements(By.CSS_SELECTOR, "fieldset label")[1].click()
    for name, value in (("level", "warning"), ("rule", "text-mismatch")):
        Select(shown.driver.find_element(By.ID, name)).select_by_value(value)
    shown.driver.find_element(By.ID, "search").send_keys("nothing like it")
    assert shown.texts("#matches") == ["0 of 8 match"]
    button.click()
    assert shown.texts("#matches") == ["8 in the list"]
    assert len(paths(shown)) == 8
    assert not button.is_displayed()
    controls = "return [...document.querySelectorAll('#search, #level, #rule, fieldset :checked')].map(one => one.value)"
    assert shown.run(controls) == ["", "", "", ""]
    assert shown.run("return document.activeElement.id") == "search"


def test_the_keyboard_alone_will_do(shown: Browser, mixed: Path) -> None:
    def press(*keys: str) -> None:
        ActionChains(shown.driver).send_keys(*keys).perform()

    def focused() -> str:
        return str(shown.run("return document.activeElement.querySelector('.path')?.textContent ?? document.activeElement.id"))

    shown.open(mixed)
    press(Keys.TAB)
    assert shown.run("return document.activeElement.textContent") == "Skip to the records"
    press("/")
    assert focused() == "search"
    press("json")
    assert len(paths(shown)) == 7
    for _ in range(5):
        press(Keys.TAB)
    assert focused() == "bad.json"
    press(Keys.ARROW_DOWN)
    assert focused() == "good-0.json"
    press(Keys.ENTER)
    shown.until("document.querySelector('.rows .inside')")
    assert shown.texts(f"{OPENED}> summary .path") == ["good-0.json"]
    press(Keys.ARROW_UP)
    assert focused() == "bad.json"
    press(Keys.ARROW_UP)
    assert focused() == "search"
    for key in (Keys.ARROW_DOWN, Keys.ENTER):
        press(key)
        assert focused() == "bad.json"
        press("/")
    assert len(shown.texts(f"{OPENED}> summary")) == 1
    press("nothing like it", Keys.ENTER, Keys.ARROW_DOWN)
    assert (focused(), paths(shown)) == ("search", [])


def test_what_is_allowed_skipped_or_outside_says_why(shown: Browser, mixed: Path) -> None:
    shown.open(mixed)
    shown.run("for (const row of document.querySelectorAll('.rows details')) row.open = true")
    shown.until("document.querySelectorAll('.rows .inside').length === 8")
    assert shown.texts(".finding.allowed .message") == [WARNING.message, "Allowed until 2030-12-31: known to part"]
    assert shown.texts(".inside > p") == ["Not read: not a record file (.txt)"]
    assert shown.texts(".rows > li:first-child .message") == ["two contents"]
    assert shown.texts(".rows > li:first-child .badge") == ["1 error", "error"]


def picture(shown: Browser) -> dict[str, str]:
    """How each copy stands in the picture of the record that is open, by its pointer."""
    script = "return [...document.querySelectorAll('.rows details[open] .copy title')].map(one => one.textContent)"
    return dict(text.split(": ") for text in shown.run(script))


@pytest.mark.parametrize(
    ("path", "core", "expected"),
    [
        ("valid/plain.json", "match", {"agreeing": 33}),
        ("target-mismatch/all-copies.json", "match", {"agreeing": 28, "differing": 5}),
        ("public-view-hash/title-and-summary.json", "mismatch", {"agreeing": 28, "beside a hashed value that differs": 5}),
        ("public-view-hash/newline.json", "mismatch", {"agreeing": 33}),
        ("valid/not-assessed.json", "match", {"agreeing": 14, "not there": 19}),
        ("schema-violation/no-points.json", "match", {"agreeing": 30, "not compared": 3}),
        ("schema-violation/missing-copy.json", "match", {"agreeing": 32, "not compared": 1}),
        ("schema-violation/missing-members.json", "match", {"agreeing": 14, "not compared": 19}),
    ],
)
def test_the_picture_of_the_copies(shown: Browser, vectors: Path, path: str, core: str, expected: dict[str, int]) -> None:
    shown.open(vectors)
    find(shown, path)
    open_only(shown)
    found: dict[str, int] = {}
    for state in picture(shown).values():
        found[state] = found.get(state, 0) + 1
    assert found == expected
    assert shown.run("return document.querySelector('.core').classList.contains(arguments[0])", core)
    assert shown.run("return document.querySelector('.copies').getAttribute('role')") == "img"


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize(
    ("path", "legend", "label"),
    [
        ("valid/plain.json", ["33 agreeing"], "/version: hash matches. Copies: 33 agreeing"),
        (
            "public-view-hash/title.json",
            ["31 agreeing", "2 beside a hashed value that differs", "1 hashed value differs from its copies: title"],
            "/version: hash differs. Copies: 31 agreeing, 2 beside a hashed value that differs, "
            "1 hashed value differs from its copies: title",
        ),
        (
            "public-view-hash/title-and-summary.json",
            ["28 agreeing", "5 beside a hashed value that differs", "2 hashed values differ from their copies: title, summary"],
            "/version: hash differs. Copies: 28 agreeing, 5 beside a hashed value that differs, "
            "2 hashed values differ from their copies: title, summary",
        ),
        (
            "text-mismatch/entry-title.json",
            ["32 agreeing", "1 differing"],
            "/version: hash matches. Copies: 32 agreeing, 1 differing. Differing: /entry/title",
        ),
        (
            "statement-mismatch/link-text.json",
            ["33 agreeing", "1 hashed value does not fit the rest: statement"],
            "/version: hash matches. Copies: 33 agreeing, 1 hashed value does not fit the rest: statement",
        ),
        (
            "schema-violation/hashed-part.json",
            ["33 agreeing", "2 hashed values not compared: sources, people"],
            "/version: hash matches. Copies: 33 agreeing, 2 hashed values not compared: sources, people",
        ),
    ],
)
def test_the_legend_of_the_picture(shown: Browser, vectors: Path, path: str, legend: list[str], label: str, width: int) -> None:
    """All that the picture shows stands in its legend and in its label: of the copies, and of what was hashed."""
    shown.open(vectors, width=width)
    find(shown, path)
    open_only(shown)
    assert [text.strip() for text in shown.texts("figcaption span")] == legend
    assert shown.run("return document.querySelector('.copies').getAttribute('aria-label')") == label
    looks = "return [...new Set([...document.querySelectorAll(arguments[0])].map(one => one.getAttribute('class')))].sort()"
    assert shown.run(looks, ".copies .mark") == shown.run(looks, "figcaption .mark")
    assert set(shown.run(looks, ".copies .line")) <= set(shown.run(looks, "figcaption .line"))


def test_a_copy_that_was_not_compared_never_agrees(shown: Browser, tmp_path: Path) -> None:
    """Without a coverage, with a list of pointers cut short, or with the copy among what nothing protects."""
    base = result("a.json", [])
    coverage = base.coverage
    assert coverage is not None
    graded = ("/published_grade/edition", "/entry/title", "/entry/humans/3", "/published_grade/roles")
    records = {
        "no coverage": base._replace(coverage=None),
        "cut short": base._replace(coverage=coverage._replace(unprotected=3)),
        "unprotected": base._replace(coverage=coverage._replace(unprotected=4, unprotected_pointers=graded)),
    }
    states = {}
    for name, record in records.items():
        shown.open(made(tmp_path, record))
        shown.until("document.querySelector('.copies')")
        states[name] = picture(shown)
    assert set(states["no coverage"].values()) == set(states["cut short"].values()) == {"not compared"}
    doubted = {pointer for pointer, state in states["unprotected"].items() if state != "agreeing"}
    assert doubted == {"/entry/title", "/entry/humans", "/published_grade/roles"}


def test_pages_of_rows(shown: Browser, tmp_path: Path) -> None:
    shown.open(made(tmp_path, *(result(f"{number:04}.json") for number in range(1030))))
    assert len(paths(shown)) == 50
    assert shown.texts(".pages span") == ["1 to 50 of 1,030"]
    previous, following = shown.driver.find_elements(By.CSS_SELECTOR, ".pages button")
    assert (previous.is_enabled(), following.is_enabled()) == (False, True)
    for _ in range(20):
        shown.driver.find_element(By.CSS_SELECTOR, ".pages button:last-child").click()
    assert paths(shown) == [f"{number:04}.json" for number in range(1000, 1030)]
    assert shown.run("return document.activeElement.querySelector('.path').textContent") == "1000.json"
    find(shown, "0042")


def replaced(value: Any, text: str) -> Any:
    """The value, with another attack in the place of the one of the samples."""
    if isinstance(value, str):
        return value.replace(ATTACK, text)
    if isinstance(value, dict):
        return {replaced(name, text): replaced(member, text) for name, member in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(replaced(item, text) for item in value))
    return type(value)(replaced(item, text) for item in value) if isinstance(value, list | tuple) else value


def test_hostile_records_run_nothing(shown: Browser, tmp_path: Path) -> None:
    records = [replaced(attacked(), text) for text in ATTACKS]
    outside = [record.findings[0] for record in records]
    shown.open(made(tmp_path, *records, findings=outside, skipped=[Skipped(text, text) for text in ATTACKS]))
    assert len(paths(shown)) == 3 * len(ATTACKS)
    shown.run("for (const row of document.querySelectorAll('.rows details')) row.open = true")
    shown.until(f"document.querySelectorAll('.rows .inside').length >= {3 * len(ATTACKS)}")
    shown.run("for (const row of document.querySelectorAll('.inside details')) row.open = true")
    shown.driver.find_element(By.ID, "search").send_keys("<img src=x onerror")
    assert len(paths(shown)) == 3
    assert shown.run("return [window.owned, Object.prototype.input, document.scripts.length]") == [None, None, 1]
    assert shown.run("return document.querySelectorAll('#app :is(script, img, iframe, a, base, style, object)').length") == 0
    assert shown.complaints() == []


def test_a_hostile_file_runs_nothing(shown: Browser, tmp_path: Path) -> None:
    """From the file to the page, through the command: names and values of a record, and the name of its file."""
    text = json.loads((PROJECT / "vectors/valid/plain.json").read_bytes())
    for attack in ATTACKS:
        for part in (text, text["entry"], text["version"], text["published_grade"]):
            part[attack] = attack
        text["entry"]["title"] = text["published_grade"]["title"] = "".join(ATTACKS).replace("\ud800", "")
    (tmp_path / "drop").mkdir()
    name = "drop/<img src=x onerror=window.owned=1>.json"
    (tmp_path / name).write_text(json.dumps(text))
    page = tmp_path / "page.html"
    done = wrs_verify("drop", f"--report=html={page}", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, b"")
    shown.open(page)
    shown.until("document.querySelector('.rows .inside')")
    assert paths(shown) == [name]
    assert shown.run("return window.owned") is None
    assert shown.complaints() == []


def test_the_policy_stops_what_is_not_the_page_s_own(shown: Browser, mixed: Path) -> None:
    """So that the tests above do not pass for want of a browser that would run an attack or complain of it."""
    planted = mixed.read_text(encoding="utf-8").replace("<main>", "<main><script>window.owned = 1</script><p style='color: red'>x</p>")
    mixed.write_text(planted, encoding="utf-8")
    shown.open(mixed)
    assert shown.run("return window.owned") is None
    assert len(shown.complaints()) == 2
    assert shown.run("try { document.body.innerHTML = 'x' } catch (error) { return error.name }") == "TypeError"
    mixed.write_text(planted.replace("Content-Security-Policy", "x"), encoding="utf-8")
    shown.open(mixed)
    assert shown.run("return window.owned") == 1


def test_light_and_dark(shown: Browser, mixed: Path) -> None:
    def brightness(theme: str) -> int:
        shown.open(mixed, theme=theme)
        colour = shown.run("return getComputedStyle(document.body).backgroundColor")
        return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(",")))

    assert brightness("light") > 600
    assert brightness("dark") < 150


def audited(shown: Browser) -> None:
    """An audit of what is shown by axe-core: it finds nothing, and the page does not scroll sideways."""
    if not AXE.is_file():
        missing("Node and the npm package axe-core: make node_modules/axe-core")
    shown.run(AXE.read_text(encoding="utf-8"))
    script = "const [done] = arguments; axe.run(document, {preload: false}).then(done, error => done({error: String(error)}))"
    audit = shown.driver.execute_async_script(script)
    assert "error" not in audit, audit
    assert len(audit["passes"]) > 15
    told = [(one["id"], [node["html"] for node in one["nodes"][:3]], one["nodes"][0]["failureSummary"]) for one in audit["violations"]]
    assert told == []
    assert shown.run("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [1400, 400])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessibility_of_everything_opened(shown: Browser, mixed: Path, theme: str, width: int) -> None:
    shown.open(mixed, theme=theme, width=width)
    shown.run("for (const row of document.querySelectorAll('.rows details')) row.open = true")
    shown.until("document.querySelectorAll('.rows .inside').length === 8")
    shown.run("for (const row of document.querySelectorAll('.inside details')) row.open = true")
    audited(shown)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessibility_of_a_run_with_one_record_opened(shown: Browser, vectors: Path, theme: str) -> None:
    shown.open(vectors, theme=theme)
    find(shown, "public-view-hash/title-and-summary.json")
    shown.driver.find_element(By.CSS_SELECTOR, ".rows summary").click()
    shown.until("document.querySelector('.rows .inside')")
    audited(shown)


def test_the_audit_finds_what_is_wrong(shown: Browser, mixed: Path) -> None:
    shown.open(mixed)
    shown.run("document.getElementById('search').previousSibling.remove(); document.getElementById('search').placeholder = ''")
    with pytest.raises(AssertionError, match="label"):
        audited(shown)
