"""The least that a check of a drop costs: read each file, SHA-256 of its bytes, parse it. `python benchmarks/floor.py FOLDER`."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import orjson

for file in sorted(Path(sys.argv[1]).iterdir()):
    data = file.read_bytes()
    hashlib.sha256(data).hexdigest()
    orjson.loads(data)
