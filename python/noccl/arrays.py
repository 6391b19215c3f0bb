# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays as payload: which arrays the network takes, and as what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.errors import ArgumentError

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
    if element not in _ELEMENTS:
        raise ArgumentError(f"element '{element}'; accepted: {', '.join(_ELEMENTS)}")
    if _ELEMENTS[element] != dtype.name:
        raise ArgumentError(
            f"inputs: type {dtype.name} for element '{element}'; accepted: {_ELEMENTS[element]}"
        )
    return element


def require_shape(name: str, array: npt.NDArray[Any], shape: str, *, num_dimensions: int) -> None:
    """Refuses an array that has not this many dimensions, is empty or holds no plain numbers.

    Raises:
        ArgumentError: What is wrong with it and what would be accepted.
    """
    if array.ndim != num_dimensions or array.size == 0:
        raise ArgumentError(f"{name}: shape {array.shape}; accepted: {shape}, no size 0")
    if array.dtype.hasobject:
        raise ArgumentError(f"{name}: holds Python objects; accepted: numbers")
    if array.dtype.byteorder == ">":
        raise ArgumentError(f"{name}: big-endian; accepted: little-endian numbers")
