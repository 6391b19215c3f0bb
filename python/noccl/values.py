# SPDX-License-Identifier: Apache-2.0
"""Values of arguments as the engine takes them.

Callers pass what Python and NumPy have: whole numbers of any type, lists, tuples, arrays. The
engine takes JSON text. What lies between is here, so that a value of the wrong kind is an
`ArgumentError` that names its argument, and never an exception of the conversion. NumPy is not
loaded for that: before somebody else has loaded it, no value is of its types.
"""

from __future__ import annotations

import json
import math
import operator
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from noccl.errors import ArgumentError

MOST_WHOLE = 2**64 - 1
"""Largest whole number that the engine takes anywhere."""
_SHORT = 40
"""Characters of a value that a message repeats."""
_NO_FIELDS = {"network", "schedule", "groups", "num_bytes", "sizes_bytes", "record", "on_progress"}
"""Arguments that a request does not have, or under another name."""


def request_text(arguments: Mapping[str, object] = {}, /, **fields: object) -> str:
    """A request of these fields as JSON text; the others are `arguments`, `locals()` of a function.

    >>> import numpy as np
    >>> request_text({"seed": 1, "group": 0}, bytes=(np.int64(64), 128), group="row")
    '{"seed": 1, "group": "row", "bytes": [64, 128]}'

    Raises:
        ArgumentError: A value that has no such form.
    """
    given = {name: arguments[name] for name in arguments if name not in _NO_FIELDS}
    return json.dumps({name: plain(name, value) for name, value in (given | fields).items()})


def plain(name: str, value: object) -> object:
    """A value of JSON's types that is equal to this one; `name` names it in errors.

    Raises:
        ArgumentError: There is none.
    """
    if isinstance(value, bool) or _is_of_numpy(value, "bool_"):
        return bool(value)
    if isinstance(value, str):
        return text(name, value)
    if isinstance(value, float) or _is_of_numpy(value, "floating"):
        return _finite(name, float(value))  # type: ignore[arg-type]
    if hasattr(value, "__index__") and getattr(value, "ndim", 0) == 0:
        return whole(name, value, least=-MOST_WHOLE)
    return None if value is None else _inside(name, value)


def _finite(name: str, number: float) -> float:
    if not math.isfinite(number):
        raise ArgumentError(f"{name}: {number}; accepted: finite numbers")
    return number


def _inside(name: str, values: object) -> object:
    if isinstance(values, Mapping):
        return {text(name, key): plain(f"{name}.{key}", value) for key, value in values.items()}
    return [plain(f"{name}[{index}]", value) for index, value in enumerate(items(name, values))]


def whole(name: str, value: object, *, least: int = 0, most: int = MOST_WHOLE) -> int:
    """A whole number of any type, within limits.

    >>> import numpy as np
    >>> whole("threads", np.int8(2))
    2

    Raises:
        ArgumentError: It is none, or outside the limits.
    """
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError as error:
        accepted = "accepted: a whole number"
        raise ArgumentError(f"{name}: {kind_of(value)}; {accepted}") from error
    if not least <= number <= most:
        raise ArgumentError(f"{name}: {shown_number(number)}; accepted: {least} to {most}")
    return number


def shown_number(number: int) -> str:
    """A number for messages; Python refuses to print one of more than 4300 digits."""
    return str(number) if abs(number) <= MOST_WHOLE else "a number of more than 64 bits"


def items(name: str, values: object) -> list[Any]:
    """The items of a list, a tuple, an array or anything else that has them; a text is not split.

    Raises:
        ArgumentError: It has no items.
    """
    is_split = not isinstance(values, (str, bytes, bytearray, Mapping))
    if is_split and isinstance(values, Iterable) and getattr(values, "ndim", 1) > 0:
        return list(values)
    raise ArgumentError(f"{name}: {kind_of(values)}; accepted: a list, a tuple or an array")


def several(name: str, values: object) -> list[Any]:
    """The items of a list, a tuple or an array; one text or one number is a list of itself.

    >>> several("loads", 0.1), several("kinds", ["write", "read"])
    ([0.1], ['write', 'read'])

    Raises:
        ArgumentError: It is neither.
    """
    is_one = isinstance(values, (str, int, float)) or _is_of_numpy(values, "number")
    return [values] if is_one else items(name, values)


def form(name: str, value: object) -> object:
    """The form of schedule files of a tile, a place, a group or another part of a schedule.

    Raises:
        ArgumentError: It is none.
    """
    try:
        return value.to_json()  # type: ignore[attr-defined]
    except AttributeError as error:
        accepted = "accepted: tiles, places, groups and collectives of this package"
        raise ArgumentError(f"{name}: {kind_of(value)}; {accepted}") from error


def text(name: str, value: object) -> str:
    """A text that the engine can read.

    Raises:
        ArgumentError: It is none, or holds half a character.
    """
    if not isinstance(value, str):
        raise ArgumentError(f"{name}: {kind_of(value)}; accepted: text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"{name}: {value!a}; accepted: Unicode text") from error
    return str(value)


def kind_of(value: object) -> str:
    """What a value is, for messages: its type, and the value itself if that is short."""
    shown = repr(value) if isinstance(value, (str, float, bool, type(None))) else ""
    name = type(value).__name__
    return f"{name} {shown}" if 0 < len(shown) <= _SHORT else name


def are_equal(one: object, other: object) -> bool:
    """Are two values equal, arrays by type, shape and elements?"""
    if not (_is_of_numpy(one, "ndarray") or _is_of_numpy(other, "ndarray")):
        return bool(one == other)
    import numpy as np

    if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
        return False
    return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")


def _is_of_numpy(value: object, kind: str) -> bool:
    """Is a value of this class of NumPy?"""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, getattr(numpy, kind, ()))
