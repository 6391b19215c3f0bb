# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays as payload: which arrays the network takes, and as what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.errors import ArgumentError
from noccl.values import kind_of, text

if TYPE_CHECKING:
    import numpy.typing as npt

_ELEMENTS = {
    "fp64": "float64",
    "fp32": "float32",
    "fp16": "float16",
    "bf16": "uint16",
    "fp8_e4m3": "uint8",
    "fp8_e5m2": "uint8",
    "int8": "int8",
    "int16": "int16",
    "int32": "int32",
    "int64": "int64",
}
"""Element type to the NumPy type that holds it; types that NumPy lacks are held as raw bits."""


def element_of(dtype: np.dtype[Any], element: str | None) -> str:
    """Element type of an array: the one named, if it fits, else the array's own.

    >>> element_of(np.dtype("float32"), None)
    'fp32'

    Raises:
        ArgumentError: The network has no such type, or it is not held like this.
    """
    if element is None:
        named = [name for name, held_as in _ELEMENTS.items() if held_as == dtype.name]
        if len(named) != 1 or dtype.name.startswith("uint"):
            accepted = ", ".join(sorted({d for d in _ELEMENTS.values() if not d.startswith("u")}))
            raise ArgumentError(
                f"inputs: type {dtype.name}; accepted: {accepted}, or uint16 and uint8 with "
                "element='bf16', 'fp8_e4m3' or 'fp8_e5m2'"
            )
        return named[0]
    if text("element", element) not in _ELEMENTS:
        raise ArgumentError(f"element '{element}'; accepted: {', '.join(_ELEMENTS)}")
    if _ELEMENTS[element] != dtype.name:
        raise ArgumentError(
            f"inputs: type {dtype.name} for element '{element}'; accepted: {_ELEMENTS[element]}"
        )
    return element


def require_plain(name: str, array: npt.NDArray[Any]) -> None:
    """Refuses what is no plain array of little-endian numbers.

    A masked array has values at masked places that nobody means; other subclasses mean something by
    their values that bytes do not carry.

    Raises:
        ArgumentError: What is wrong with it and what would be accepted.
    """
    if isinstance(array, np.ma.MaskedArray):
        raise ArgumentError(
            f"{name}: a masked array; accepted: a plain array, e.g. {name}.filled(0), which says "
            "what stands at the masked places"
        )
    if type(array) not in {np.ndarray, np.memmap}:
        raise ArgumentError(f"{name}: {type(array).__name__}; accepted: a NumPy array of numbers")
    if array.dtype.hasobject:
        raise ArgumentError(f"{name}: holds Python objects; accepted: numbers")
    if _is_big_endian(array.dtype):
        raise ArgumentError(f"{name}: big-endian; accepted: little-endian numbers")


def _is_big_endian(dtype: np.dtype[Any]) -> bool:
    if dtype.subdtype is not None:
        return _is_big_endian(dtype.base)
    fields = (dtype[name] for name in dtype.names or ())
    return dtype.byteorder == ">" or any(_is_big_endian(field) for field in fields)


def require_shape(
    name: str, values: npt.ArrayLike, shape: str, *, num_dimensions: int
) -> npt.NDArray[Any]:
    """The values, or lists of them, as an array.

    It must have this many dimensions, not be empty and hold plain numbers.

    Raises:
        ArgumentError: What is wrong with it and what would be accepted.
    """
    array = values if isinstance(values, np.ndarray) else _made(name, values, shape)
    require_plain(name, array)
    if array.ndim != num_dimensions or array.size == 0:
        raise ArgumentError(f"{name}: shape {array.shape}; accepted: {shape}, no size 0")
    return array


def _made(name: str, values: object, shape: str) -> npt.NDArray[Any]:
    """An array of lists or tuples, whose rows must be plain: making it would lose their masks."""
    if isinstance(values, (list, tuple)):
        for row in values:
            if isinstance(row, np.ndarray):
                require_plain(name, row)
        try:
            return np.asarray(values)
        except (ValueError, TypeError, OverflowError):
            # Rows of several lengths, or what has no array at all: refused as anything else is.
            pass
    raise ArgumentError(f"{name}: {kind_of(values)}; accepted: an array of numbers, {shape}")
