"""Makes a drop to measure on: `python benchmarks/drop.py FOLDER COUNT`.

The records have the shapes and sizes of published ones, invented placeholder text, and hashes that are right. Every one has an id, texts,
names and sources of its own, so that nothing that was worked out for one serves for another. The same bytes come out on every machine.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import rfc8785

sys.path.append(str(Path(__file__).resolve().parent.parent / "vectors"))

import builder

__all__ = ["make", "name_of", "record"]

#: Stands for a record's number in a shape's texts. It is as long as the numbers, so that no length depends on them.
_NUMBER = "NNNNNNN"


class _Shape(NamedTuple):
    """A record's bytes, the canonical bytes that its two hashes are of, and what stands there for its own id and hashes."""

    text: bytes
    source: bytes
    version: bytes
    record_id: bytes
    content: bytes
    view: bytes


def make(folder: Path, count: int) -> None:
    """Write that many records into a new folder, a file each."""
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / name_of(number)).write_bytes(record(number))


def name_of(number: int) -> str:
    """The name of a record's file."""
    return f"record-{number:07}.json"


def record(number: int) -> bytes:
    """The text of a record: by turns one indented, of 10 people, and one on a single line, of 53 people."""
    shape = _shapes()[number % 2]
    own = {_NUMBER.encode(): b"%07d" % number, shape.record_id: builder.urn(f"example-{number:07}").encode()}
    own[shape.content] = _hash(_filled(shape.source, own))
    own[shape.view] = _hash(_filled(shape.version, own))
    return _filled(shape.text, own)


@cache
def _shapes() -> tuple[_Shape, _Shape]:
    small = builder.text(_document(people=10, contributors=10, citation_length=84, address_length=186, sources=1))
    large = builder.text(_document(people=53, contributors=31, citation_length=88, address_length=70, sources=2))
    return _shape(small), _shape(re.sub(rb"\n *", b" ", large).strip())


def _document(*, people: int, contributors: int, citation_length: int, address_length: int, sources: int) -> dict[str, Any]:
    """A record with the lengths of published ones. Citation and address count most, since each contributor repeats them."""
    return builder.record(
        f"example-{_NUMBER}",
        title=_text("An example title", 50),
        summary=_text("A placeholder summary of what an invented work did.", 215),
        boundary=_text("A placeholder boundary: what the invented work did not do.", 385),
        people=[f"Author {_NUMBER} {n + 1}" for n in range(people)],
        byline=range(contributors),
        sources=[
            (_text(f"Example source {n + 1}", citation_length), f"https://example.org/{n + 1}/{_NUMBER}".ljust(address_length, "x"))
            for n in range(sources)
        ],
    )


def _text(beginning: str, length: int) -> str:
    """Placeholder text of that length, with the number in it."""
    return (f"{beginning} {_NUMBER}" + " and more" * length)[: length - 1] + "."


def _shape(text: bytes) -> _Shape:
    document = json.loads(text)
    version = document["version"]
    source = builder.source_version(version)
    del source["content_hash"]
    triple, view = version["source_ref"], version.pop("public_view_hash")
    places = (triple["record_id"].encode(), triple["content_hash"].encode(), view.encode())
    return _Shape(text, rfc8785.dumps(source), rfc8785.dumps(version), *places)


def _filled(text: bytes, own: dict[bytes, bytes]) -> bytes:
    for place, value in own.items():
        text = text.replace(place, value)
    return text


def _hash(data: bytes) -> bytes:
    return b"sha256:" + hashlib.sha256(data).hexdigest().encode()


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]))
