"""Verifies the integrity and provenance of published research records (WRS records).

    from wrs_verify import verify_bytes, verify_paths

`verify_bytes` verifies one record, `verify_paths` whatever is under some paths. Both give named tuples that are documented in
`wrs_verify.model`, and neither raises on any content: what is wrong with it is a finding.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from wrs_verify._version import VERSION as __version__

if TYPE_CHECKING:
    from wrs_verify.engine import Options, verify_bytes
    from wrs_verify.execution import verify_paths
    from wrs_verify.inputs import InputLimits, MissingPath
    from wrs_verify.model import Allowance, Allowed, Coverage, Finding, HashCheck, Hashes, Limits, RecordResult, Related, Report, Skipped

__all__ = [
    "Allowance",
    "Allowed",
    "Coverage",
    "Finding",
    "HashCheck",
    "Hashes",
    "InputLimits",
    "Limits",
    "MissingPath",
    "Options",
    "RecordResult",
    "Related",
    "Report",
    "Skipped",
    "__version__",
    "verify_bytes",
    "verify_paths",
]

_HOMES = {
    "InputLimits": "inputs",
    "MissingPath": "inputs",
    "Options": "engine",
    "verify_bytes": "engine",
    "verify_paths": "execution",
}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use: the commands start sooner for it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES.get(name, 'model')}"), name)
