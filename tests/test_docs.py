"""The pages of documentation: what is generated is up to date, every example runs and prints what it says, every link leads somewhere."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

PROJECT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", *sorted(file.relative_to(PROJECT).as_posix() for file in (PROJECT / "docs").glob("*.md"))]
LINKING = [*PAGES, "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "vectors/README.md"]

#: The blocks of commands that are not run. One more must be a decision.
NOT_RUN = {
    "README.md": ["python3 -m pip install .\n"],
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
    assert sorted(made()) == sorted(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_up_to_date(page: str) -> None:
    assert text(page) == made()[page], "run `make docs`"


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
    page = "```sh\necho x > file\n```\n\n```console\n$ cat file\nx\n$ ls\ndrop\nfile\nvectors\n```\n"
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


@pytest.mark.parametrize("block", ["```json\n{,}\n```\n", "```toml\n= 1\n```\n"])
def test_data_must_parse(block: str) -> None:
    with pytest.raises(ValueError, match="line 1"):
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
            assert f"]({Path(page).name})" in text("docs/index.md")
