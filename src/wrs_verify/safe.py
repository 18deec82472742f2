"""Makes foreign text safe for the place where it goes.

Names of files, members and values come from strangers: on a terminal they may move the cursor, hide text or turn its
direction round. What is unsafe is one fixed set, the same under every version of Python, so that a report does not depend
on the Unicode version that an interpreter knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial

from wrs_verify.model import Json

__all__ = [
    "command_data",
    "command_property",
    "contrast",
    "html_json",
    "json_text",
    "markdown",
    "sarif",
    "shorten",
    "source",
    "terminal",
    "uri",
    "value",
    "visible",
    "xml",
]

# Controls, formats, separators, surrogates, private use (categories Cc, Cf, Zl, Zp, Cs, Co), noncharacters, what Unicode calls
# default-ignorable (invisible in most fonts), and every blank but U+0020: two texts that differ must also look different.
_UNSAFE = (
    "\x00-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    + "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 14))
    + "\U000e0000-\U0010ffff"
)
_ESCAPED = r"[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}"
# Compiled where they are needed, which is seldom: together they cost a tenth of the time in which the program starts.
_unsafe = cache(partial(re.compile, f"[{_UNSAFE}]"))
# A backslash is doubled only where it would read as the start of an escape, so that C:\data and \alpha stay as they are.
_for_terminal = cache(partial(re.compile, rf"[{_UNSAFE}]|\\(?=\\|{_ESCAPED}|[{_UNSAFE}])"))
_command = cache(partial(re.compile, r"#(?=#(?:vso)?\[)"))
_url = cache(partial(re.compile, r"[a-z][a-z0-9+.-]*://"))
_punctuation = cache(partial(re.compile, r"[!-/:-@\[-`{-~]"))
_for_json_string = cache(partial(re.compile, rf'[{_UNSAFE}"\\]'))
_escape = re.compile(rf'\\u[d][89ab][0-9a-f]{{2}}\\u[d][c-f][0-9a-f]{{2}}|\\(?:[\\"bf]|{_ESCAPED})')

_PLAIN = bytes(range(0x20, 0x7F))
_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_SHORT_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\\": r"\\"}
_JSON_ESCAPES = _SHORT_ESCAPES | {'"': r"\"", "\b": r"\b", "\f": r"\f"}

#: Integers of more bits than this are not written out: Python takes quadratic time for it, and refuses at 4,300 digits.
_MAX_INTEGER_BITS = 10_000
_MAX_NESTING = 20


def terminal(text: str) -> str:
    r"""Foreign text for one line of a terminal or a log: whatever is unsafe becomes an escape that can be seen.

    Escapes are `\n`, `\r`, `\t`, `\x1b`, `\u202e`, `\U000e0001`. A backslash of the text that would read as the start of one
    is doubled, every other one is left alone: different texts give different results.

    Args:
        text: any string, lone surrogates included.

    Returns:
        Text without a control, invisible or direction-changing character, and without what a CI service takes for a command
        in its log: `::` at the beginning, `##[` and `##vso[` anywhere.
    """
    if text.isascii() and text.isprintable() and "\\" not in text and "##" not in text and not text.startswith("::"):
        return text
    text = _command().sub(r"\\x23", _for_terminal().sub(_terminal_escape, text))
    return rf"\x3a{text[1:]}" if text.startswith("::") else text


def visible(text: str) -> str:
    """Our own sentence for one line of a terminal, where foreign values in it were already quoted by `value`.

    As `terminal`, but backslashes are left alone, so that an escape in the sentence is not escaped again, and a sentence does not begin
    with `::`.
    """
    if not _harmless(text):
        text = _unsafe().sub(_terminal_escape, text)
    return _command().sub(r"\\x23", text) if "##" in text else text


def source(text: str) -> list[str]:
    """The characters of a piece of source on one line, each as a terminal shows it: one that is unsafe as an escape of several characters.

    As with `visible`, backslashes are left alone: source has escapes of its own. What a CI service takes for a command is broken up.
    """
    shown = list(text) if _harmless(text) else [visible(character) for character in text]
    for found in _command().finditer(text):
        shown[found.start()] = r"\x23"
    return shown


def json_text(text: str) -> str:
    r"""The same JSON text, in which every unsafe character stands as a `\uXXXX` escape.

    Args:
        text: a JSON text (RFC 8259) without unsafe characters between its tokens, such as a newline.
    """
    if _harmless(text):
        return text
    return _unsafe().sub(_json_escape, text)


def html_json(text: str) -> str:
    r"""The same JSON text for a `script` element of HTML, which it can neither end nor turn into a comment.

    As `json_text`, and `<`, `>` and `&` stand as escapes too: these can only be in strings. So it ends no element, begins no `<!--`
    (https://html.spec.whatwg.org, section 4.12.1.3), and means the same in XHTML.
    """
    return json_text(text).replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def shorten(text: str, width: int) -> str:
    """The text itself where it fits, else its beginning and its end around an ellipsis; an escape is never split.

    Args:
        text: what `terminal`, `visible` or `value` gave.
        width: the most code points of the result, at least 1.
    """
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    head = width - 1 - tail
    resume = len(text) - tail
    if "\\" in text:
        for found in _escape.finditer(text):
            start, end = found.span()
            if start < head < end:
                head = start
            if start < resume < end:
                resume = end
            if start >= resume:
                break
    return f"{text[:head]}…{text[resume:]}"


def contrast(one: Json, other: Json, width: int) -> tuple[str, str]:
    """Two values as `value` shows them, but two long strings around the first place where they differ: cut elsewhere, they may look alike.

    Args:
        one, other: values as any of the parsers gives them.
        width: the most code points of each result, at least 20; escapes may add to it.
    """
    if not (isinstance(one, str) and isinstance(other, str)) or max(len(one), len(other)) + 2 <= width:
        return value(one, width), value(other, width)
    differ = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, differ - width // 3)
    return _excerpt(one, start, width - 4), _excerpt(other, start, width - 4)


def _excerpt(text: str, start: int, length: int) -> str:
    end = start + length
    return _quoted(f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}")


def value(json_value: Json, width: int) -> str:
    """A JSON value as a short JSON text on one line, safe on a terminal. Looks at no more of the value than it shows.

    A string or a number is cut in the middle, an array or an object at its end. What is not cut is the JSON text of the value,
    except that an integer too long to be written out is described in parentheses, and that what is nested very deep is left out.

    Args:
        json_value: a value as any of the parsers gives it.
        width: the most code points of the result, at least 1.
    """
    if isinstance(json_value, str):
        if len(json_value) > 2 * width:
            json_value = json_value[:width] + json_value[-width:]
        return shorten(_quoted(json_value), width)
    if not isinstance(json_value, dict | list | tuple):
        return shorten(_scalar(json_value), width)
    text = ""
    for piece in _pieces(json_value, width, _MAX_NESTING):
        text += piece
        if len(text) > width:
            return _cut(text, width, "…}" if isinstance(json_value, dict) else "…]")
    return text


def _harmless(text: str) -> bool:
    """Whether nothing in a text is unsafe. Only what is not plain ASCII is looked at closely, which takes much longer."""
    if text.isascii() and text.isprintable():
        return True
    rest = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN).decode("utf-8", "surrogatepass")
    return _unsafe().search(rest) is None


def _pieces(json_value: Json, width: int, nesting: int) -> Iterator[str]:
    """The JSON text of a value, bit by bit. A string longer than the width is left unfinished: it is cut anyway."""
    if isinstance(json_value, str):
        yield _quoted(json_value) if len(json_value) <= width else _quoted(json_value[:width])[:-1]
    elif not isinstance(json_value, dict | list | tuple):
        yield _scalar(json_value)
    elif not nesting:
        yield "…"
    elif isinstance(json_value, dict):
        yield "{"
        for index, (name, member) in enumerate(json_value.items()):
            if index:
                yield ", "
            yield from _pieces(name, width, nesting)
            yield ": "
            yield from _pieces(member, width, nesting - 1)
        yield "}"
    else:
        yield "["
        for index, item in enumerate(json_value):
            if index:
                yield ", "
            yield from _pieces(item, width, nesting - 1)
        yield "]"


def _cut(text: str, width: int, end: str) -> str:
    """The beginning of a text and then the given end; an escape is never split."""
    head = max(width - len(end), 0)
    for found in _escape.finditer(text):
        if found.start() < head < found.end():
            head = found.start()
    return (text[:head] + end)[:width]


def _scalar(scalar: Json) -> str:
    """The JSON text of a number, a boolean or null, whatever type a parser has given it."""
    if scalar is None:
        return "null"
    if isinstance(scalar, bool):
        return "true" if scalar else "false"
    if isinstance(scalar, int) and scalar.bit_length() > _MAX_INTEGER_BITS:
        return f"(an integer of about {scalar.bit_length() * 30103 // 100000 + 1} digits)"
    return visible(str(scalar))


def _quoted(text: str) -> str:
    if text.isascii() and text.isprintable() and "\\" not in text and '"' not in text and "##" not in text:
        return f'"{text}"'
    escaped = _command().sub(r"\\u0023", _for_json_string().sub(_json_escape, text))
    return f'"{escaped}"'


def _terminal_escape(found: re.Match[str]) -> str:
    character = found[0]
    short = _SHORT_ESCAPES.get(character)
    if short is not None:
        return short
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(found: re.Match[str]) -> str:
    """RFC 8259, section 7: beyond U+FFFF an escape is a pair of surrogates."""
    character = found[0]
    short = _JSON_ESCAPES.get(character)
    if short is not None:
        return short
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 | code & 0x3FF:04x}"


def xml(text: str) -> str:
    """Foreign text for the content of an XML element, or for an attribute in quotes (XML 1.0, sections 2.2 and 2.4).

    What XML cannot hold at all (most controls, surrogates, U+FFFE and U+FFFF) becomes a visible escape, as does all else that is unsafe.

    Args:
        text: any string; one that `terminal`, `visible` or `value` gave is not escaped twice.
    """
    text = visible(text)
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        text = text.replace(character, entity)
    return text


def sarif(text: str) -> str:
    r"""Foreign text for a SARIF message, in which `[text](target)` is a link and `{0}` a placeholder (2.1.0, sections 3.11.5 and 3.11.6).

    Backslashes and square brackets get a backslash, and braces are doubled, as those sections say. Controls are left to the JSON text.
    """
    text = text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return text.replace("{", "{{").replace("}", "}}")


def uri(name: str) -> str:
    """The name of an input as a URI reference (RFC 3986): percent-encoded UTF-8, but for the slashes.

    A URL that was given stays one, an absolute path becomes a `file:` URI, and any other name a relative reference: whatever a file
    in a folder is called, it has neither a scheme nor a host.
    """
    if _url().match(name):
        return _percent_encoded(name, b"/:?#@!$&'()*+,;=%[]")
    return ("file://" if name.startswith("/") else "") + _percent_encoded(name, b"/!$&'()*+,;=@")


def _percent_encoded(text: str, kept: bytes) -> str:
    data = text.encode("utf-8", "backslashreplace")
    return "".join(chr(byte) if byte in _UNRESERVED or byte in kept else f"%{byte:02X}" for byte in data)


def command_data(text: str) -> str:
    """Foreign text for the message of a workflow command of GitHub, which ends where the line does; `%0A` is a line break in it.

    Source: https://docs.github.com/actions/reference/workflow-commands-for-github-actions and the toolkit that writes such commands.
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def command_property(text: str) -> str:
    """Foreign text for a property of a workflow command of GitHub: as `command_data`, and without what ends a property."""
    return command_data(text).replace(":", "%3A").replace(",", "%2C")


def markdown(text: str) -> str:
    """Foreign text for a line of Markdown (https://github.github.com/gfm): no markup, link, HTML or cell of a table begins in it.

    Every ASCII punctuation character gets a backslash, which section 6.1 allows for all of them; what is unsafe becomes a visible escape.
    """
    return _punctuation().sub(r"\\\g<0>", visible(text))
