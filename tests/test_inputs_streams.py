"""JSON Lines, compression, standard input: streams, their limits, and what is wrong with them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wrs_verify.inputs import InputLimits, Item, Read, Refused, Selection, Source, find, read
from wrs_verify.inputs.streams import Budget, lines
from wrs_verify.inputs.streams import records as stream_records
from wrs_verify.model import Skipped

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: gzip.compress(data, mtime=0),
    "bz2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=0),
    "zst": lambda data: zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1}),
}
LIMITS = InputLimits()
compressions = pytest.mark.parametrize("compression", COMPRESS)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def parts_of(name: str, data: bytes, limits: InputLimits = LIMITS) -> list[Read]:
    Path(name).write_bytes(data)
    [source] = find(Selection((name,)))
    assert isinstance(source, Source)
    return list(read(source, limits))


def last_refusal(parts: list[Read]) -> Refused:
    assert isinstance(parts[-1], Refused)
    return parts[-1]


def test_each_line_is_a_record_with_its_number() -> None:
    text = '\n{"a": 1}\r\n \t\r\n{"a": "\u2028\u0085\v"}\n\n{"a": 3}'.encode()
    assert parts_of("a.jsonl", text) == [
        Item("a.jsonl", 2, b'{"a": 1}\r'),
        Item("a.jsonl", 4, '{"a": "\u2028\u0085\v"}'.encode()),
        Item("a.jsonl", 6, b'{"a": 3}'),
    ]


@pytest.mark.parametrize("text", [b"", b"\n", b" \r\n\t\n"])
def test_a_file_without_a_line_that_is_not_blank_holds_no_record(text: bytes) -> None:
    assert parts_of("a.ndjson", text) == [Skipped("a.ndjson", "holds no record")]


def test_what_only_python_takes_for_white_space_is_a_record() -> None:
    assert parts_of("a.jsonl", b"\v\n\0\n") == [Item("a.jsonl", 1, b"\v"), Item("a.jsonl", 2, b"\0")]


@given(st.lists(st.binary(max_size=6) | st.sampled_from([b"\n", b"\n\n", b" ", b"abcdefgh", b"\r\n"]), max_size=12), st.integers(1, 8))
def test_lines_do_not_depend_on_the_blocks(blocks: list[bytes], max_size: int) -> None:
    text = b"".join(blocks)
    wanted: list[tuple[int, bytes | None]] = []
    for number, line in enumerate(text.split(b"\n"), 1):
        if len(line) > max_size:
            wanted.append((number, None))
        elif line.strip(b" \t\r"):
            wanted.append((number, line))
    assert list(lines(iter([block for block in blocks if block]), max_size)) == wanted


@pytest.mark.parametrize(
    ("text", "records"),
    [
        (b"1\n2\n3\n", 3),
        (b"1\n2\n3", 3),
        (b"1\n\n\n", 1),
        (b"1\n2\n3\n4", None),
        (b"1\n2\n3\n\n", None),
        (b"\n\n\n\n5\n", None),
        (b"1\n2\n3\n" + b"x" * 200_000, None),
    ],
)
def test_the_number_of_lines_is_limited(text: bytes, records: int | None) -> None:
    limits = InputLimits(max_lines=3)
    *found, last = parts_of("a.jsonl", text, limits)
    assert all(isinstance(one, Item) for one in found)
    if records is None:
        assert last == Refused("a.jsonl", "oversized-input", "has more than 3 lines (--max-lines); those beyond were not read")
    else:
        assert isinstance(last, Item)
        assert len(found) + 1 == records
    one_by_one = [text[at : at + 1] for at in range(len(text))][:1000]
    assert [number for number, _ in lines(iter(one_by_one), 1000, last=3)] == [
        number for number, _ in lines(iter([text[:1000]]), 1000, last=3)
    ]
    # A range of lines beyond the limit is silent: the one before it tells.
    assert list(stream_records("a.jsonl", "lines", "", iter([text]), Budget(limits), 5)) == []


def test_a_line_longer_than_allowed_is_refused_and_the_next_one_read() -> None:
    long = b"x" * 1_000_000
    found = parts_of("a.jsonl", b"1\n" + long + b"\n3\n" + long, InputLimits(max_size=100))
    assert [(part[0], type(part)) for part in found] == [("a.jsonl", kind) for kind in (Item, Refused, Item, Refused)]
    assert [part.line for part in found if not isinstance(part, Skipped)] == [1, 2, 3, 4]
    refused = last_refusal(found)
    assert refused.rule == "oversized-input"
    assert "--max-size" in refused.message


@compressions
def test_compressed_texts_are_read(compression: str) -> None:
    compress = COMPRESS[compression]
    assert parts_of(f"a.json.{compression}", compress(b"{}")) == [Item(f"a.json.{compression}", None, b"{}")]
    assert parts_of(f"a.{compression}", compress(b"{}")) == [Item(f"a.{compression}", None, b"{}")]
    big = b"".join(b'{"n": %d}\n' % n for n in range(100_000))
    parts = parts_of(f"a.jsonl.{compression}", compress(big))
    assert len(parts) == 100_000
    assert parts[-1] == Item(f"a.jsonl.{compression}", 100_000, b'{"n": 99999}')


@compressions
def test_an_empty_text_is_an_empty_record_or_holds_no_line(compression: str) -> None:
    compress = COMPRESS[compression]
    assert parts_of(f"a.json.{compression}", compress(b"")) == [Item(f"a.json.{compression}", None, b"")]
    assert parts_of(f"a.jsonl.{compression}", compress(b"")) == [Skipped(f"a.jsonl.{compression}", "holds no record")]


@compressions
def test_several_compressed_streams_are_one_text(compression: str) -> None:
    compress = COMPRESS[compression]
    name = f"a.jsonl.{compression}"
    assert parts_of(name, compress(b"1\n2") + compress(b"") + compress(b"3\n4\n")) == [
        Item(name, 1, b"1"),
        Item(name, 2, b"23"),
        Item(name, 3, b"4"),
    ]


@compressions
def test_no_file_that_is_cut_off_passes_at_whatever_place(compression: str) -> None:
    data = COMPRESS[compression](b"1\n2\n3\n")
    for size in range(len(data)):
        refused = last_refusal(parts_of(f"a.jsonl.{compression}", data[:size]))
        assert refused.rule == "unreadable-input", size
        assert refused.name == f"a.jsonl.{compression}"
        assert isinstance(last_refusal(parts_of(f"a.json.{compression}", data[:size])), Refused)


@compressions
def test_a_changed_byte_never_gives_another_text(compression: str) -> None:
    text = b'{"a": "some text that is a little longer", "b": [1, 2, 3]}'
    data = COMPRESS[compression](text)
    for place in range(len(data)):
        changed = data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]
        [part] = parts_of(f"a.json.{compression}", changed)
        # A header's time stamp, say, may change.
        assert isinstance(part, Refused) or part == Item(f"a.json.{compression}", None, text), place


@compressions
def test_what_follows_the_compressed_text_is_refused(compression: str) -> None:
    parts = parts_of(f"a.jsonl.{compression}", COMPRESS[compression](b"1\n2\n") + b"garbage, more than a header is long")
    assert parts[:2] == [Item(f"a.jsonl.{compression}", 1, b"1"), Item(f"a.jsonl.{compression}", 2, b"2")]
    assert last_refusal(parts).rule == "unreadable-input"
    assert "the last record read is on line 2" in last_refusal(parts).message


def test_zero_bytes_may_follow_gzip_and_xz() -> None:
    for compression in ("gz", "xz"):
        name = f"a.json.{compression}"
        assert parts_of(name, COMPRESS[compression](b"{}") + bytes(512)) == [Item(name, None, b"{}")]


@compressions
def test_a_bomb_is_stopped_by_each_limit_in_little_memory(compression: str) -> None:
    bomb = COMPRESS[compression](bytes(70_000_000))
    for limits, option in (
        (InputLimits(max_expanded=10_000_000), "--max-expanded"),
        (InputLimits(max_ratio=100), "--max-ratio"),
    ):
        Path(f"a.jsonl.{compression}").write_bytes(bomb)
        [source] = find(Selection((f"a.jsonl.{compression}",)))
        assert isinstance(source, Source)
        tracemalloc.start()
        refused = last_refusal(list(read(source, limits._replace(max_size=1_000_000))))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert refused.rule == "oversized-input"
        assert option in refused.message
        # One record's text, some blocks, and what the decompressor itself asks for (bzip2: 3.6 MB).
        assert peak < 12_000_000
    assert "--max-size" in last_refusal(parts_of(f"a.json.{compression}", bomb)).message


def test_texts_that_shrink_well_are_no_bombs() -> None:
    line = b'{"abstract": "' + b"word " * 5000 + b'"}\n'
    parts = parts_of("a.jsonl.zst", COMPRESS["zst"](b"".join(line.replace(b"word", b"%04d" % n, 1) for n in range(1000))))
    assert sum(isinstance(part, Item) for part in parts) == 1000


def test_decompressors_get_no_more_memory_than_they_should() -> None:
    huge = lzma.compress(b"{}", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 29}])
    assert last_refusal(parts_of("a.json.xz", huge)).rule == "unreadable-input"
    # A Zstandard frame with a window of 2 GiB (RFC 8878, section 3.1.1.1.2), and an empty last block.
    assert last_refusal(parts_of("a.json.zst", b"\x28\xb5\x2f\xfd\x00" + bytes([21 << 3]) + b"\x01\x00\x00")).rule == "unreadable-input"
    assert parts_of("a.json.zst", b"\x28\xb5\x2f\xfd\x00" + bytes([17 << 3]) + b"\x01\x00\x00") == [Item("a.json.zst", None, b"")]


def test_a_file_that_cannot_be_read_to_its_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(io.RawIOBase):
        blocks: ClassVar = [b"1\n2\n3"]

        def read(self, _: int = -1, /) -> bytes:
            if self.blocks:
                return self.blocks.pop()
            raise OSError(5, "Input/output error")

    def fdopen(descriptor: int, _: str) -> Failing:
        os.close(descriptor)
        return Failing()

    monkeypatch.setattr(os, "fdopen", fdopen)
    Path("a.jsonl").touch()
    [source] = find(Selection(("a.jsonl",)))
    assert isinstance(source, Source)
    parts = list(read(source))
    assert parts[:2] == [Item("a.jsonl", 1, b"1"), Item("a.jsonl", 2, b"2")]
    assert last_refusal(parts).message == "reading failed: Input/output error; the last record read is on line 2"


def standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes, limits: InputLimits = LIMITS) -> list[Read]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    [source] = find(Selection(("-",)))
    assert isinstance(source, Source)
    return list(read(source, limits))


@pytest.mark.parametrize(
    "text",
    [
        b'{"a": 1}',
        b'{"a": 1}\n \n',
        b'{\n "a": 1\n}\n',
        b'{"a": {},\n "b": 1}\n',
        b'{"a": "}\\"}",\n "b": 1}\n',
        b"\n\n[\n1]",
        b"not JSON\nat all",
        b"1\n2\n",
    ],
)
def test_standard_input_is_a_record(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    [item] = standard_input(monkeypatch, text)
    assert isinstance(item, Item)
    assert (item.name, item.line, item.data.rstrip()) == ("-", None, text.rstrip())


@pytest.mark.parametrize("text", [b'{"a": "{"}\n{"b": 2}', b'\n {"a": "\\\\"}\n\n{"b": 2}\n{', b"[]\nnot JSON", b"{}\r\n{}\r\n"])
def test_standard_input_is_json_lines_if_its_first_line_is_whole_and_others_follow(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    assert standard_input(monkeypatch, text) == [
        Item("-", number, line) for number, line in enumerate(text.split(b"\n"), 1) if line.strip()
    ]


def test_standard_input_may_hold_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (b"", b" \n\n"):
        assert standard_input(monkeypatch, text) == [Skipped("-", "holds no record")]
    monkeypatch.setattr(sys, "stdin", None)
    [source] = find(Selection(("-", "-")))
    assert isinstance(source, Source)
    assert list(read(source)) == [Refused("-", "unreadable-input", "standard input is closed")]


@pytest.mark.parametrize("text", [b"{" * 1000, b" " * 1000, b" " * 1000 + b"{}", b"{\n" + b" " * 1000, b"\n" * 1000 + b"{}"])
def test_standard_input_is_limited(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    assert last_refusal(standard_input(monkeypatch, text, InputLimits(max_size=500))).rule == "oversized-input"


def test_json_lines_from_standard_input_may_be_longer_than_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b'{"a": 1}\n' * 100_000
    assert len(standard_input(monkeypatch, text, InputLimits(max_size=500))) == 100_000
