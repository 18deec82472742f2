"""Paths in, record texts out: files, folders, JSON Lines, compression, archives, standard input, URLs.

`find` lists what there is, cheaply and in the order of the names; `read` reads one thing of that list, as a stream. Every
thing found gives at least one record (`Item`), is passed over with a reason (`Skipped`), or is `Refused`.
"""

from __future__ import annotations

from wrs_verify.inputs.listing import find
from wrs_verify.inputs.ranges import Range, read_range
from wrs_verify.inputs.reading import read
from wrs_verify.inputs.shapes import Found, InputLimits, Item, MissingPath, Read, Refused, Selection, Source

__all__ = ["Found", "InputLimits", "Item", "MissingPath", "Range", "Read", "Refused", "Selection", "Source", "find", "read", "read_range"]
