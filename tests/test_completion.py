"""Completion in shells: what a key press would show, asked of the real shells through the functions that the commands give them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import PROJECT

from wrs_verify.report import FORMATS
from wrs_verify.rules import rules

BIN = Path(sys.executable).parent

#: Completes the words that it is given, the last of which is begun, and prints what it offers. `-o default` offers files.
BASH = """
compopt() { printf 'compopt %s %s\\n' "$@"; }
eval "$(env "_$(echo "$1" | tr a-z- A-Z_)_COMPLETE=bash_source" "$1")"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
"_$(echo "$1" | tr - _)_completion" "$1"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def complete(*words: str, cwd: Path = PROJECT) -> list[str]:
    env = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"}
    command = ["bash", "--norc", "-c", BASH, "bash", *words]
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, encoding="utf-8", check=False)
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]


def test_options_formats_rules_and_files() -> None:
    assert complete("wrs-verify", "--re") == ["--report", "--require-content"]
    assert complete("wrs-verify", "--report", "") == list(FORMATS)
    assert complete("wrs-verify", "--report", "js") == ["json"]
    assert complete("wrs-verify", "--explain", "public") == ["public-view-hash"]
    assert complete("wrs-verify", "--explain", "") == sorted(rules())
    for words in ([""], ["drop"], ["--sources", ""], ["--history", ""], ["--config", ""], ["--report", "json", "=", "re"]):
        assert complete("wrs-verify", *words) == ["compopt -o default"], words


def test_the_other_commands() -> None:
    assert complete("wrs-hash", "--st") == ["--stamp"]
    assert complete("wrs-hash", "") == ["compopt -o default"]
    assert complete("wrs-history", "ch") == ["check"]
    assert complete("wrs-history", "check", "--e") == ["--expect-root"]
    assert complete("wrs-history", "check", "") == ["compopt -o default"]


def test_a_bad_configuration_does_not_stop_it(tmp_path: Path) -> None:
    (tmp_path / "wrs-verify.toml").write_text("= wrong")
    assert complete("wrs-verify", "--strict", "--list", cwd=tmp_path) == ["--list-rules"]


@pytest.mark.parametrize("command", ["wrs-verify", "wrs-hash", "wrs-history"])
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_command_gives_each_shell_a_script(shell: str, command: str) -> None:
    variable = f"_{command.replace('-', '_').upper()}_COMPLETE"
    done = subprocess.run(
        [BIN / command], env=os.environ | {variable: f"{shell}_source"}, capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{variable}={shell}_complete" in done.stdout


def test_a_run_does_not_load_what_completion_needs() -> None:
    code = "import sys; from wrs_verify import cli; assert 'click.shell_completion' not in sys.modules, 'a run would wait for it'"
    subprocess.run([sys.executable, "-c", code], check=True)
