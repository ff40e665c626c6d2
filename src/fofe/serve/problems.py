"""What is wrong with the fields of a request, in plain sentences."""

from collections.abc import Sequence
from itertools import groupby, islice
from typing import Any

from pydantic import BaseModel

from fofe.base.settings import did_you_mean

MOST_NAMED = 5
"""How many fields are named at most; a client may send any number."""
LONGEST_NAME = 60

_MUST_BE = {
    "string_type": "a string",
    "string_too_long": "a string of at most {max_length} characters",
    "list_type": "a list of strings",
    "too_long": "a list of at most {max_length} strings",
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "literal_error": "{expected}",
}


def problems(fields: type[BaseModel], errors: Sequence[Any]) -> str:
    """The mistakes that pydantic found, a sentence for each field.

    Values are not repeated: they may be long or no valid text.
    """
    by_field = groupby(errors, key=lambda one: str(one["loc"][0]) if one["loc"] else "")
    return "; ".join(_problem(fields, name, list(found)) for name, found in islice(by_field, MOST_NAMED))


def _problem(fields: type[BaseModel], name: str, found: Sequence[Any]) -> str:
    """What is wrong with a field; there is a mistake for each of the types that it may have."""
    kind = found[0]["type"]
    if not name:
        return "body: send a JSON object"
    if kind == "missing":
        return f"{name} is missing"
    if kind == "extra_forbidden":
        name = name[:LONGEST_NAME]
        return f"unknown field {name!r} ({did_you_mean(name, fields.model_fields, 'fields')})"
    for one in found:
        if isinstance(one["loc"][-1], int):  # an item of a list, which need not be a string then
            return f"{name}[{one['loc'][-1]}] must be {_must_be(one)}"
    return f"{name} must be {' or '.join(map(_must_be, found))}"


def _must_be(mistake: Any) -> str:
    known = _MUST_BE.get(mistake["type"])
    return known.format(**mistake.get("ctx", {})) if known else "valid"
