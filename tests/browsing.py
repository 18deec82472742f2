"""A real browser for tests: Debian's Chromium, driven by its own driver, without a network."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

__all__ = ["AXE", "Browser", "browser", "missing"]

#: The accessibility audit, an npm package that `make test` installs where there is npm.
AXE = Path(__file__).resolve().parent.parent / "node_modules/axe-core/axe.min.js"

_ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def missing(what: str) -> NoReturn:
    """Skip the test, saying what it needs; in CI, which installs everything, fail it."""
    if os.environ.get("CI"):
        pytest.fail(f"needs {what}")
    pytest.skip(f"needs {what}")


class Browser:
    """A page in a browser, and what a test asks of it."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, page: Path, *, theme: str = "light", width: int = 1400) -> None:
        """Show a page in a window of that width."""
        media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        window = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", window)
        self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        self.driver.get(page.as_uri())

    def run(self, script: str, *arguments: object) -> Any:
        """What a function body in JavaScript returns."""
        return self.driver.execute_script(script, *arguments)

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that a CSS selector finds."""
        return list(self.run("return [...document.querySelectorAll(arguments[0])].map(one => one.textContent)", selector))

    def until(self, script: str) -> None:
        """Wait until an expression in JavaScript is true."""
        for _ in range(100):
            if self.run(f"return Boolean({script})"):
                return
            time.sleep(0.05)
        pytest.fail(f"never came: {script}")

    def complaints(self) -> list[str]:
        """What the browser has logged since the page was opened: errors of scripts, and what the policy has stopped."""
        return [entry["message"] for entry in self.driver.get_log("browser")]  # type: ignore[no-untyped-call]


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser with a new profile in that folder. Its own driver is named, so that nothing is downloaded."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        missing("Chromium and its driver: the Debian packages chromium and chromium-driver")
    options = Options()
    options.binary_location = binary
    for argument in (*_ARGUMENTS, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(executable_path=driver))
    try:
        yield Browser(started)
    finally:
        started.quit()
