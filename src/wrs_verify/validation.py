"""Does a value have the form that its profile's JSON Schema asks for, and if not, what is wrong where?

Two validators that share nothing but the schemas: `jsonschema_rs` answers yes or no, fast; `jsonschema` finds every violation,
slowly, and here its errors are put into words for people. Each is imported at its first use, since either import takes
longer than checking a thousand records with the fast one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import jsonschema_rs
    from jsonschema.exceptions import ValidationError

    from wrs_verify.model import Json

__all__ = ["Violation", "is_valid", "profiles", "resolved", "schema", "violations"]

_SUFFIX = ".schema.json"

#: A hostile record can hold millions of violations. The search ends here, in about a second; nobody reads more.
_MOST = 10_000

_ERROR = "schema-violation"
_TOO_MANY = "too-many-violations"

#: Characters of a value that a message shows.
_SHOWN = 80

#: Members of an object among which one that is misspelt is looked for.
_LOOKED_AT = 200

#: An error of jsonschema's, complete: its type says that each part of it may yet be unset.
_Error: TypeAlias = Any


class Violation(NamedTuple):
    """One way in which a value is not what its schema asks for.

    `pointer` is the JSON Pointer (RFC 6901) of the offending value; of the member itself where it is not expected; of the object
    that lacks it where one is missing. `rule` is the finding's. `actual` is None where there is nothing.
    """

    pointer: str
    keyword: str
    rule: str
    message: str
    expected: Json
    actual: Json


def is_valid(profile: str, value: Json) -> bool:
    """Tell whether a value satisfies a schema: exactly when `violations` finds none.

    Args:
        profile: the name of a schema, such as `wrs-published-research-view-1`.
        value: a JSON value, as a strict parser gives it.

    Raises:
        KeyError: there is no schema of that name.
    """
    try:
        return _fast(profile).is_valid(value)
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 and so Rust cannot hold
        return next(_slow(profile).iter_errors(value), None) is None


def violations(profile: str, value: Json, limit: int) -> tuple[list[Violation], int]:
    """Find all that violates a schema.

    Args:
        profile: the name of a schema.
        value: a JSON value, as a strict parser gives it: integers are such as a double can hold (RFC 7493, section 2.2).
        limit: how many violations are kept at most.

    Returns:
        The violations by pointer, keyword and message, and how many there are. Where there are more than `limit`, terms and members
        that are merely unfamiliar are left out before errors are. The search ends after 10,000, and that is a violation of its own.

    Raises:
        KeyError: there is no schema of that name.
    """
    errors = _telling(_slow(profile), value)
    found = [_violation(error) for error in islice(errors, _MOST)]
    if next(errors, None) is not None:
        message = f"there are more than {_MOST:,} violations; the rest of the record was not looked at"
        found.append(Violation("", "", _TOO_MANY, message, None, None))
    kept = sorted(found, key=lambda each: (each.rule not in (_TOO_MANY, _ERROR), each[:4]))[:limit]
    return sorted(kept, key=lambda each: each[:4]), len(found)


@cache
def profiles() -> frozenset[str]:
    """Name the profiles of whole documents: schemas that demand a `profile` of their own name, and are not a part of another."""
    schemas = _schemas()
    parts = {ref.partition("#")[0] for each in schemas.values() for ref in _references(each)}
    return frozenset(
        name
        for name, each in schemas.items()
        if each.get("properties", {}).get("profile", {}).get("const") == name and each["$id"] not in parts
    )


def schema(name: str) -> dict[str, Json]:
    """Load the JSON Schema of that name, as an object of the caller's own.

    Raises:
        KeyError: there is none. (A name is compared with those of the files that there are; it never becomes a path.)
    """
    for file in resources.files("wrs_verify.schemas").iterdir():
        if file.name == name + _SUFFIX:
            loaded: dict[str, Json] = json.loads(file.read_text(encoding="utf-8"))
            return loaded
    raise KeyError(name)


def resolved(name: str) -> dict[str, Json]:
    """Load a schema with each reference replaced by what it refers to: one tree, from which to read the form of each value.

    Raises:
        KeyError: there is no schema of that name.
    """
    whole: dict[str, Json] = _inlined(name, _schemas()[name])
    return whole


@cache
def _schemas() -> dict[str, dict[str, Json]]:
    """All schemas by name, in the order of their names. Not to be altered."""
    files = resources.files("wrs_verify.schemas").iterdir()
    texts = sorted((file.name, file.read_text(encoding="utf-8")) for file in files if file.name.endswith(_SUFFIX))
    return {name.removesuffix(_SUFFIX): json.loads(text) for name, text in texts}


def _references(part: Json) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from _references(each)


@cache
def _fast(profile: str) -> jsonschema_rs.Validator:
    import jsonschema_rs

    schemas = _schemas()
    return jsonschema_rs.Draft202012Validator(
        schemas[profile],
        registry=jsonschema_rs.Registry([(each["$id"], each) for each in schemas.values()]),
        pattern_options=jsonschema_rs.RegexOptions(),  # the engine that takes linear time, whatever the text
    )


@cache
def _slow(profile: str) -> Any:
    from jsonschema import Draft202012Validator, validators

    keywords = {"required": _each_missing, "additionalProperties": _each_unexpected}
    validator_class = validators.extend(Draft202012Validator, keywords)  # type: ignore[no-untyped-call]
    return validator_class(resolved(profile))


def _inlined(document: str, part: Json) -> Json:
    """A part of a schema, with what it refers to in the place of each reference. (So jsonschema takes a third of the time.)

    No schema here refers to itself. A title or description beside a reference wins over that of what is referred to.
    """
    if isinstance(part, list):
        return [_inlined(document, each) for each in part]
    if not isinstance(part, dict):
        return part
    inlined = {key: _inlined(document, each) for key, each in part.items() if key not in ("$schema", "$id", "$defs", "$ref")}
    if isinstance(part.get("$ref"), str):
        urn, _, pointer = part["$ref"].partition("#")
        if urn:
            document = next(name for name, each in _schemas().items() if each["$id"] == urn)
        target = _schemas()[document]
        for step in pointer.split("/")[1:]:
            target = target[step]
        whole = _inlined(document, target)
        asserts = inlined.keys() - {"title", "description"}
        inlined = {**inlined, "allOf": [*inlined.get("allOf", []), whole]} if asserts else {**whole, **inlined}
    return inlined


def _each_missing(validator: Any, names: list[str], instance: Json, _schema: Json) -> Iterator[ValidationError]:
    """The keyword `required`, with an error whose message is the bare name of the member that is missing."""
    from jsonschema.exceptions import ValidationError

    if validator.is_type(instance, "object"):
        yield from (ValidationError(name) for name in names if name not in instance)


def _each_unexpected(validator: Any, others: Any, instance: Json, part: Json) -> Iterator[ValidationError]:
    """The keyword `additionalProperties`, with an error for each member that is not allowed, at that member."""
    from jsonschema.exceptions import ValidationError

    if validator.is_type(instance, "object"):
        for name, member in instance.items():
            if name in part.get("properties", {}):
                continue
            if others is False:
                yield ValidationError(name, path=[name], instance=member)
            else:
                yield from validator.descend(member, others, path=name)


def _telling(validator: Any, value: Json) -> Iterator[_Error]:
    """The errors, without those that say again of a value what another error says."""
    error: _Error
    for error in validator.iter_errors(value):
        part = error.schema
        if error.validator == "enum" and "type" in part:
            types = [part["type"]] if isinstance(part["type"], str) else part["type"]
            if not any(validator.is_type(error.instance, each) for each in types):
                continue
        if error.validator == "not" and "pattern" in part and re.search(part["pattern"], error.instance) is None:
            continue
        yield error


def _violation(error: _Error) -> Violation:
    keyword = str(error.validator)
    expected = error.validator_value
    actual = error.instance
    if keyword == "required":
        expected, actual = error.message, None
    elif keyword == "pattern" or (keyword == "not" and "pattern" in error.schema):  # the halves of a form: its pattern, and no newline
        keyword = "pattern"
    if keyword in _UNLIKE_VALUES:
        expected = None
    return Violation(
        "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in error.absolute_path),
        keyword,
        _RULES.get(keyword, _ERROR),
        _WORDINGS.get(keyword, _any_other)(error),
        expected,
        actual,
    )


#: What these ask for is no value that could stand there: the message says it in words.
_UNLIKE_VALUES = frozenset({"additionalProperties", "pattern", "type"})

_RULES = {"enum": "unknown-term", "additionalProperties": "unknown-member"}

_TYPES = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}


def _wrong_type(error: _Error) -> str:
    types = [error.validator_value] if isinstance(error.validator_value, str) else error.validator_value
    return f"{_show(error.instance)} stands where {' or '.join(_TYPES[each] for each in types)} is expected"


def _unknown_term(error: _Error) -> str:
    terms = ", ".join(each if isinstance(each, str) else _show(each) for each in error.validator_value)
    return f"{_show(error.instance)} is not a term that this profile knows ({terms}): unfamiliar, not necessarily wrong"


def _form(error: _Error) -> str:
    """What a pattern stands for, in words: a pattern of real dates tells people nothing."""
    form: str = error.schema.get("title", f"text of the form {error.schema['pattern']}")
    return form


def _too_short(error: _Error) -> str:
    least = error.validator_value
    return "the text is empty" if not error.instance else f"{_show(error.instance)} has fewer than {least} characters"


def _missing(error: _Error) -> str:
    """Which member is missing, and by which unknown one it may be meant."""
    from difflib import get_close_matches

    known = error.schema.get("properties", ())
    strange = [name for name in islice(error.instance, _LOOKED_AT) if name not in known and len(name) <= 2 * len(error.message)]
    meant = [_show(name) for name in get_close_matches(error.message, strange, 1)]
    return f"the member {_show(error.message)} is missing" + "".join(f"; is {name} meant to be it?" for name in meant)


def _any_other(error: _Error) -> str:
    return f"{_show(error.instance)} does not keep to the schema's {error.validator} ({_show(error.validator_value)})"


_WORDINGS: dict[str, Callable[[_Error], str]] = {
    "additionalProperties": lambda error: (
        f"the member {_show(error.message)} is not one that this profile knows: unfamiliar, not necessarily wrong"
    ),
    "const": lambda error: f"{_show(error.instance)} stands where {_show(error.validator_value)} is expected",
    "enum": _unknown_term,
    "maximum": lambda error: f"{_show(error.instance)} is more than {error.validator_value}",
    "minLength": _too_short,
    "minimum": lambda error: f"{_show(error.instance)} is less than {error.validator_value}",
    "pattern": lambda error: f"{_show(error.instance)} is not {_form(error)}",
    "required": _missing,
    "type": _wrong_type,
}


def _show(value: Json) -> str:
    """A value as JSON, shortened in the middle; of an array or object, only how large it is."""
    if isinstance(value, dict | list):
        kind, part = ("an object", "member") if isinstance(value, dict) else ("an array", "item")
        return f"{kind} of {len(value)} {part}{'s' * (len(value) != 1)}"
    half = _SHOWN // 2 - 1
    if isinstance(value, str) and len(value) > _SHOWN:
        value = value[:half] + "\N{HORIZONTAL ELLIPSIS}" + value[-half:]
    text = json.dumps(value, ensure_ascii=False)
    return text if isinstance(value, str) or len(text) <= _SHOWN else text[:half] + "\N{HORIZONTAL ELLIPSIS}" + text[-half:]
