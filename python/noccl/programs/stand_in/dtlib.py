# SPDX-License-Identifier: Apache-2.0
"""`mpi4py.util.dtlib`: datatypes of NumPy's types, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.programs.datatypes import Datatype
from noccl.programs.mpi_values import VALUES

if TYPE_CHECKING:
    from collections.abc import Callable


def from_numpy_dtype(dtype: Any) -> Datatype:
    """The datatype of a type of NumPy."""
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise ValueError("NumPy datatype with object entries")
    if not dtype.isnative:
        raise ValueError("NumPy datatype with non-native byteorder")
    if dtype.fields:
        fields = [dtype.fields[name] for name in dtype.names or ()]
        kinds = [from_numpy_dtype(field[0]) for field in fields]
        offsets = [int(field[1]) for field in fields]
        struct = Datatype.Create_struct([1] * len(fields), offsets, kinds)
        return struct.Create_resized(0, dtype.itemsize)
    if dtype.subdtype:
        base, shape = dtype.subdtype
        kind = from_numpy_dtype(base)
        if len(shape) == 1:
            return kind.Create_contiguous(shape[0])
        return kind.Create_subarray(shape, shape, (0,) * len(shape))
    return Datatype.fromcode(dtype.char).Dup()


def to_numpy_dtype(datatype: Datatype) -> np.dtype[Any]:
    """The type of NumPy of a datatype."""
    if not datatype:
        raise ValueError("cannot convert null MPI datatype to NumPy")
    base, combiner, values = datatype.decode()
    if combiner == "RESIZED" and base.combiner == VALUES["COMBINER_STRUCT"]:
        return _struct(base, datatype.extent)
    makers: dict[str, Callable[[], np.dtype[Any]]] = {
        "NAMED": lambda: _named(datatype),
        "DUP": lambda: to_numpy_dtype(base),
        "CONTIGUOUS": lambda: np.dtype((to_numpy_dtype(base), (values["count"],))),
        "SUBARRAY": lambda: _array(base, values),
        "STRUCT": lambda: _struct(datatype, datatype.extent),
    }
    if combiner.startswith("F90_"):
        return _named(datatype)
    if combiner in {"VECTOR", "HVECTOR"}:
        return _vector(base, combiner, values, datatype.extent)
    if combiner in {"INDEXED", "HINDEXED", "INDEXED_BLOCK", "HINDEXED_BLOCK"}:
        return _indexed(base, combiner, values)
    if combiner not in makers:
        raise ValueError("cannot convert MPI datatype to NumPy")
    return makers[combiner]()


def _named(datatype: Datatype) -> np.dtype[Any]:
    if datatype.code:
        return np.dtype(datatype.typechar)
    assert datatype.element is not None and datatype.element.fields is not None  # noqa: PT018, S101 - a pair
    value, index = (datatype.element.fields[name][0] for name in ("value", "index"))
    return np.dtype([("f0", value), ("f1", index)], align=True)


def _array(base: Datatype, values: dict[str, Any]) -> np.dtype[Any]:
    sizes = values["sizes"]
    if values["subsizes"] != sizes or any(values["starts"]):
        raise ValueError("cannot convert subarray MPI datatype to NumPy")
    is_fortran = values["order"] == VALUES["ORDER_FORTRAN"]
    return np.dtype((to_numpy_dtype(base), tuple(sizes[::-1] if is_fortran else sizes)))


def _struct(datatype: Datatype, extent: int) -> np.dtype[Any]:
    _, _, values = datatype.decode()
    formats = [
        to_numpy_dtype(kind) if length == 1 else np.dtype((to_numpy_dtype(kind), (length,)))
        for kind, length in zip(values["datatypes"], values["blocklengths"], strict=True)
    ]
    return _fields(formats, values["displacements"], extent)


def _vector(base: Datatype, combiner: str, values: dict[str, Any], extent: int) -> np.dtype[Any]:
    stride = values["stride"] * (base.extent if combiner == "VECTOR" else 1)
    block = np.dtype((to_numpy_dtype(base), (values["blocklength"],)))
    count = values["count"]
    return _fields([block] * count, [stride * index for index in range(count)], extent)


def _indexed(base: Datatype, combiner: str, values: dict[str, Any]) -> np.dtype[Any]:
    displacements = values["displacements"]
    lengths = values.get("blocklengths") or [values.get("blocklength")] * len(displacements)
    stride = 1 if combiner.startswith("H") else base.extent
    element = to_numpy_dtype(base)
    formats = [np.dtype((element, (length,))) for length in lengths]
    return _fields(formats, [start * stride for start in displacements], None)


def _fields(formats: list[np.dtype[Any]], offsets: list[int], extent: int | None) -> np.dtype[Any]:
    names = [f"f{index}" for index in range(len(formats))]
    spec: dict[str, Any] = {"names": names, "formats": formats, "offsets": offsets}
    if extent is not None:
        spec["itemsize"] = extent
    try:
        aligned: np.dtype[Any] = np.dtype(spec, align=True)  # type: ignore[call-overload]
    except ValueError:
        # An offset that no compiler would choose.
        packed: np.dtype[Any] = np.dtype(spec)  # type: ignore[call-overload]
        return packed
    return aligned
