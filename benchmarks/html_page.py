"""Measures the page of the HTML report: `python benchmarks/html_page.py [RECORDS]`, with 10,000 records if not told.

In such a drop every tenth record has an altered title. It prints how large the page is, how long a browser takes to show it, and how long
each filter takes until its rows are laid out. It needs Debian's chromium and chromium-driver.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import drop

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

from browsing import Browser, browser

#: What is chosen in turns, and what gives all records back: a control, its value, the event that tells of it.
_FILTERS = (
    ("search, one letter", "#search", "e", "input"),
    ("search, a path", "#search", "record-0009990", "input"),
    ("search, nothing matches", "#search", "nothing like it", "input"),
    ("level", "#level", "warning", "change"),
    ("rule", "#rule", "text-mismatch", "change"),
)
_ROUNDS = 7

_MEASURE = """
const [selector, value, event] = arguments;
const control = document.querySelector(selector), start = performance.now();
control.value = value;
control.dispatchEvent(new Event(event));
document.body.getBoundingClientRect();
return [performance.now() - start, document.querySelectorAll('.rows > li').length, document.getElementById('matches').textContent];
"""


def make(folder: Path, records: int) -> Path:
    """The page of a run over such a drop."""
    drop.make(folder / "drop", records)
    for number in range(0, records, 10):
        file = folder / "drop" / drop.name_of(number)
        text = file.read_text(encoding="utf-8")
        before, name, after = text.partition('"title":')
        file.write_text(before + name + after.replace('"', '"Altered: ', 1), encoding="utf-8")
    page = folder / "page.html"
    command = [Path(sys.executable).with_name("wrs-verify"), "drop", f"--report=html={page}"]
    subprocess.run(command, cwd=folder, check=False, capture_output=True)  # noqa: S603 (as a user would)
    return page


def measure(shown: Browser, page: Path) -> None:
    """Print what was measured, in milliseconds: the first time, in which a search gathers its text, and the median."""
    shown.open(page)
    loaded = shown.run("return performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    print(f"{page.stat().st_size / 1e6:.1f} MB, shown after {loaded:.0f} ms")
    for name, selector, value, event in _FILTERS:
        times = []
        for _ in range(_ROUNDS):
            milliseconds, _, matches = shown.run(_MEASURE, selector, value, event)
            times.append(milliseconds)
            shown.run(_MEASURE, selector, "", event)
        print(f"{name}: {times[0]:.0f} ms the first time, {median(times):.0f} ms the median; {matches}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        made = make(folder, int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
        with browser(folder / "profile") as started:
            measure(started, made)
