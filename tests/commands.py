"""Runs the commands as a user would: in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def wrs_verify(
    *arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """What `wrs-verify` does with these arguments."""
    return run("wrs_verify", *arguments, stdin=stdin, cwd=cwd, **environment)


def wrs_hash(*arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """What `wrs-hash` does with these arguments."""
    return run("wrs_verify.hash_cli", *arguments, stdin=stdin)


def run(
    module: str, *arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    code = f"from {module}{'.cli' if module == 'wrs_verify' else ''} import main; main()"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=120, check=False, cwd=cwd, env=os.environ | environment)
