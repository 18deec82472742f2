"""The pages of documentation: what is generated is up to date, every example runs and prints what it says, every link leads somewhere."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
import yaml

PROJECT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", *sorted(file.relative_to(PROJECT).as_posix() for file in (PROJECT / "docs").rglob("*.md"))]
MANUAL = sorted(file.relative_to(PROJECT).as_posix() for file in (PROJECT / "docs/man").iterdir())
LINKING = [*PAGES, "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "vectors/README.md"]

#: The blocks of commands that are not run. One more must be a decision.
NOT_RUN = {
    "README.md": ["python3 -m pip install .\n"],
    "docs/how-to/by-hand.md": [
        "mkdir -p ~/.config/fish/completions\n"
        "_WRS_VERIFY_COMPLETE=fish_source wrs-verify > ~/.config/fish/completions/wrs-verify.fish\n"
        "_WRS_HASH_COMPLETE=fish_source wrs-hash > ~/.config/fish/completions/wrs-hash.fish\n"
        "_WRS_HISTORY_COMPLETE=fish_source wrs-history > ~/.config/fish/completions/wrs-history.fish\n"
    ],
    "docs/how-to/gate.md": [
        "pre-commit install\npre-commit run --all-files --verbose\n",
        "docker build -t wrs-verify .\n"
        'docker run --rm --read-only --tmpfs /tmp --network none -v "$PWD/drop:/drop:ro" wrs-verify /drop --strict\n',
    ],
    "docs/cluster.md": [
        "dask scheduler --host 10.0.0.1 --port 8786\n"
        "dask worker tcp://10.0.0.1:8786 --nworkers -1 --nthreads 1\n"
        "wrs-verify --cluster tcp://10.0.0.1:8786 /data/drop --report json=report.json\n"
    ],
}

sys.path.insert(0, str(PROJECT / "docs"))

blocks = importlib.import_module("blocks")


@cache
def maker() -> ModuleType:
    # Not by its name, which the vectors' own script has too.
    spec = importlib.util.spec_from_file_location("docs_make", PROJECT / "docs/make.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text(page: str) -> str:
    return (PROJECT / page).read_text(encoding="utf-8")


def test_the_examples_of_the_rules_are_up_to_date() -> None:
    assert text(maker().EXAMPLES) == maker().examples_file(), "run `make docs`"


@cache
def made() -> dict[str, str]:
    return dict(maker().contents())


def test_every_page_is_made_anew() -> None:
    assert sorted(made()) == sorted([*PAGES, *MANUAL])


@pytest.mark.parametrize("page", [*PAGES, *MANUAL])
def test_a_page_is_up_to_date(page: str) -> None:
    assert text(page) == made()[page], "run `make docs`"


@pytest.mark.parametrize("page", MANUAL)
def test_man_formats_a_page_without_a_warning(page: str) -> None:
    if shutil.which("man") is None:
        reason = "needs man"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    env = os.environ | {"LC_ALL": "C.UTF-8", "MANWIDTH": "80"}
    command = ["man", "--warnings", "--local-file", str(PROJECT / page)]
    done = subprocess.run(command, env=env, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "EXIT STATUS" in done.stdout


def test_text_is_no_request_to_the_formatter() -> None:
    made = importlib.import_module("manual").roff(".so /etc/passwd 'x' \\fB -- " + "word " * 20 + ".br " * 20)
    assert not any(line.startswith((".", "'")) for line in made.splitlines())
    assert "\\efB \\-\\-" in made


def test_what_is_not_run_is_known() -> None:
    assert {page: skipped for page in PAGES if (skipped := blocks.not_run(text(page)))} == NOT_RUN


def test_stale_output_is_replaced() -> None:
    page = "Text.\n\n```console\n$ echo one; false\nstale\n$ echo $?\n$ echo two \\\n  three >&2\nstale\nstale\n```\n\nMore.\n"
    assert blocks.refreshed(page) == (
        "Text.\n\n```console\n$ echo one; false\none\n$ echo $?\n1\n$ echo two \\\n  three >&2\ntwo three\n```\n\nMore.\n"
    )


def test_the_output_of_a_program_is_replaced() -> None:
    page = "```python\nprint(1)\n```\n\nprints\n\n```text output\nstale\n```\n"
    assert blocks.refreshed(page) == page.replace("stale", "1")
    alone = page.partition("prints\n\n")[2]
    with pytest.raises(blocks.BlockError, match="text output"):
        blocks.refreshed(alone)


def test_blocks_of_a_page_share_a_folder() -> None:
    page = "```sh\necho x > file\n```\n\n```console\n$ cat file\nx\n$ ls\nfile\nvectors\n```\n"
    assert blocks.refreshed(page) == page
    with pytest.raises(blocks.BlockError):
        blocks.refreshed("```sh\ncat file\n```\n")


@pytest.mark.parametrize(
    "block",
    [
        "```\nwrs-verify drop\n```\n",
        "```bash\nwrs-verify drop\n```\n",
        "```console skip\n$ wrs-verify drop\n```\n",
        "```sh\nfalse\ntrue\n```\n",
        "```sh\nwrs-verify no-such-file\n```\n",
        "```sh\nmake no-such-target\n```\n",
        "```python\nraise SystemExit(1)\n```\n",
        "```python\nimport wrs_verify\nwrs_verify.no_such_name\n```\n",
        "```python\nimport warnings\nwarnings.warn('deprecated')\n```\n",
        "```console\nwrs-verify drop\n```\n",
        "```console\n$ exit 1\n$ echo unreached\n```\n",
    ],
)
def test_a_block_that_cannot_be_an_example_is_an_error(block: str) -> None:
    with pytest.raises(blocks.BlockError):
        blocks.refreshed(block)


@pytest.mark.parametrize("block", ["```json\n{,}\n```\n", "```toml\n= 1\n```\n", "```yaml\n{\n```\n"])
def test_data_must_parse(block: str) -> None:
    with pytest.raises((ValueError, yaml.YAMLError), match=r"line [12]"):
        blocks.refreshed(block)


def test_a_block_that_says_so_is_not_run() -> None:
    page = f"```sh\n{blocks.NOT_RUN} it fails.\nfalse\n```\n"
    assert blocks.refreshed(page) == page
    assert blocks.not_run(page) == ["false\n"]


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    outside = re.sub(r"^```.*?^```$", "", text(page), flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", outside, re.MULTILINE)}


@pytest.mark.parametrize("page", LINKING)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", text(page), flags=re.MULTILINE | re.DOTALL)):
        if "://" not in target:
            path, _, anchor = target.partition("#")
            file = (PROJECT / page).parent.joinpath(path).resolve() if path else PROJECT / page
            assert file.exists(), target
            assert not anchor or anchor in anchors(file.relative_to(PROJECT).as_posix()), target


def test_the_contents_name_every_page() -> None:
    for page in PAGES:
        if page not in ("README.md", "docs/index.md"):
            assert f"]({page.removeprefix('docs/')})" in text("docs/index.md")
