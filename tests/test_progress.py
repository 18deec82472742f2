"""Progress, as somebody at a terminal sees it."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

from commands import wrs_verify

VALID = Path(__file__).resolve().parent.parent / "vectors" / "valid" / "plain.json"


def test_progress_on_a_terminal(tmp_path: Path) -> None:
    for number in range(400):
        (tmp_path / f"{number:03}.json").write_bytes(VALID.read_bytes() if number % 4 else b"{}")
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    command = [sys.executable, "-m", "wrs_verify", str(tmp_path), "--jobs", "1", "--report", f"json={tmp_path / 'report'}"]
    with subprocess.Popen(command, stderr=terminal, stdout=subprocess.DEVNULL) as process:
        os.close(terminal)
        seen = read_all(controller).decode()
        assert process.wait(timeout=60) == 1
    assert "/400" in seen
    assert "records/s" in seen
    assert "failed=" in seen


def read_all(controller: int) -> bytes:
    seen = b""
    while True:
        try:
            part = os.read(controller, 4096)
        except OSError:  # the other end was closed
            part = b""
        if not part:
            os.close(controller)
            return seen
        seen += part


def test_no_progress_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(VALID.read_bytes())
    assert wrs_verify(tmp_path).stderr == b""
