# SPDX-License-Identifier: Apache-2.0
"""Memory that Python's buffers do not give: arrays of other libraries (DLPack), addresses."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.programs.constants import BOTTOM
from noccl.programs.failures import MpiError
from noccl.programs.mpi_values import VALUES

if TYPE_CHECKING:
    from noccl.programs.layouts import Layout

_CPU = 1
# Letters of NumPy by DLPack's codes of types.
_LETTERS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
_BITS = 8


class _Tensor(ctypes.Structure):
    """The head of DLPack's DLManagedTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


def array_of(data: Any, name: str) -> np.ndarray[Any, Any] | None:
    """The array of an object with DLPack's methods; None without them.

    The capsule is read and kept, not consumed, so that its owner frees it; NumPy's reader would
    give an array that cannot be written.

    Raises:
        MpiError: It is not in the memory of this process.
    """
    if not hasattr(data, "__dlpack__"):
        if hasattr(data, "__cuda_array_interface__"):
            raise _elsewhere(name)
        return None
    device = data.__dlpack_device__()[0] if hasattr(data, "__dlpack_device__") else _CPU
    if device != _CPU:
        raise _elsewhere(name)
    capsule = data.__dlpack__()
    read = ctypes.pythonapi.PyCapsule_GetPointer
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _Tensor.from_address(read(capsule, b"dltensor"))
    letter = _LETTERS.get(tensor.code)
    if letter is None or tensor.lanes != 1:
        raise MpiError(
            f"{name}: DLPack's type {tensor.code}; accepted: integers, fractions, complex numbers",
            error_class=VALUES["ERR_TYPE"],
        )
    element = np.dtype(f"{letter}{tensor.bits // _BITS}")
    shape = tuple(tensor.shape[index] for index in range(tensor.ndim))
    strides = None
    if tensor.strides:
        strides = tuple(tensor.strides[index] * element.itemsize for index in range(tensor.ndim))
    if 0 in shape or not tensor.data:
        return np.zeros(shape, element)
    reach = sum((length - 1) * (strides or [0] * tensor.ndim)[i] for i, length in enumerate(shape))
    size = (reach if strides else element.itemsize * (math.prod(shape) - 1)) + element.itemsize
    raw: Any = (ctypes.c_char * size).from_address(tensor.data + tensor.byte_offset)
    raw.owner = capsule, data
    return np.ndarray(shape, element, raw, strides=strides)


def _elsewhere(name: str) -> MpiError:
    return MpiError(
        f"{name}: memory of an accelerator; accepted: a copy in the memory of the process",
        error_class=VALUES["ERR_BUFFER"],
    )


def at_addresses(data: Any, datatype: Layout, count: int) -> tuple[memoryview, int] | None:
    """The bytes of items whose datatype has addresses as displacements, and where they begin.

    None if the data are not BOTTOM.
    """
    if data is not BOTTOM and not (data is None and datatype.reach(count)[1]):
        return None
    first, last = datatype.reach(count)
    if first <= 0:
        raise MpiError(
            f"BOTTOM with {datatype.label}: accepted: a datatype of addresses (Get_address)",
            error_class=VALUES["ERR_BUFFER"],
        )
    raw = (ctypes.c_char * (last - first)).from_address(first)
    return memoryview(raw).cast("B"), -first
