"""How far a run has come, on standard error, while somebody watches: records done, their rate, the time left, failures so far."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from wrs_verify.inputs import Selection, Source, find
from wrs_verify.model import RecordResult

__all__ = ["shown"]


@contextmanager
def shown(selection: Selection, record: Callable[[RecordResult], None]) -> Iterator[Callable[[RecordResult], None]]:
    """A function to hand results to instead of `record`, which moves the progress on and calls `record`.

    Where standard error is not a terminal it is `record` itself. The bar is gone when the context ends.
    """
    if not sys.stderr.isatty():
        yield record
        return
    from tqdm import tqdm

    with tqdm(total=_total(selection), unit=" records", file=sys.stderr, leave=False, dynamic_ncols=True, mininterval=0.2) as bar:
        failed = 0

        def counted(result: RecordResult) -> None:
            nonlocal failed
            if result.findings:
                with bar.external_write_mode(file=sys.stdout):
                    record(result)
            else:
                record(result)
            if result.verdict == "fail":
                failed += 1
                bar.set_postfix(failed=failed, refresh=False)
            bar.update()

        yield counted


def _total(selection: Selection) -> int | None:
    """How many records there are to come, where the names of files tell: not in a stream, an archive or on another machine."""
    if any(path == "-" or "://" in path for path in selection.paths):
        return None
    number = 0
    for found in find(selection):
        if isinstance(found, Source):
            if found.kind != "json":
                return None
            number += 1
    return number
