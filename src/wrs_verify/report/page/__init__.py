"""The parts of the HTML page: templates, style and scripts, and how they are put together.

The page runs nothing but its own script: the policy in it admits one style and one script, each by its SHA-256 hash, and no
other source (https://www.w3.org/TR/CSP3/).
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from wrs_verify.model import Json

__all__ = ["render"]

#: One module in four files.
_SCRIPTS = ("differences.js", "picture.js", "record.js", "list.js")


def render(template: str, **values: Json) -> bytes:
    """A template of this package, filled in. Every value is escaped."""
    return _environment().get_template(template).render(values).encode()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_file), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["grouped"] = lambda number: f"{number:,}"
    style, script = _file("page.css"), "\n".join(map(_file, _SCRIPTS))
    environment.globals |= {
        "policy": "; ".join(
            [
                "default-src 'none'",
                f"style-src {_source(style)}",
                f"script-src {_source(script)}",
                "base-uri 'none'",
                "form-action 'none'",
                # Even the page's own script cannot make markup of a string.
                "require-trusted-types-for 'script'",
                "trusted-types 'none'",
            ]
        ),
        # Both are this package's own files, and must stand in the page as they are.
        "style": Markup(style),  # noqa: S704
        "script": Markup(script),  # noqa: S704
    }
    return environment


def _file(name: str) -> str:
    return (resources.files(__name__) / name).read_text("utf-8")


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
