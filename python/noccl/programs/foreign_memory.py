# SPDX-License-Identifier: Apache-2.0
"""Memory that Python's buffers do not give: arrays of other libraries (DLPack), addresses."""

from __future__ import annotations

import contextlib
import ctypes
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.programs.failures import MpiError
from noccl.programs.mpi_values import VALUES

if TYPE_CHECKING:
    from noccl.programs.buffers import Buffer
    from noccl.programs.datatypes import Datatype

_CPU = 1
# Letters of NumPy by DLPack's codes of types.
_LETTERS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
# Two numbers in each element: a complex number.
_PARTS = 2
# What a capsule with a version has before the tensor: version, owner, function, flags.
_VERSIONED_BYTES = 32


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
    """The array of an object with DLPack's methods; None without them, or with Python's.

    The capsule is read and kept, not consumed, so that its owner frees it; NumPy's reader would
    give an array that cannot be written.

    Raises:
        MpiError: It is not in the memory of this process.
    """
    with contextlib.suppress(TypeError):
        memoryview(data)
        return None
    if not hasattr(data, "__dlpack__"):
        if hasattr(data, "__cuda_array_interface__"):
            raise _elsewhere(name)
        return None
    device = data.__dlpack_device__()[0] if hasattr(data, "__dlpack_device__") else _CPU
    if device != _CPU:
        raise _elsewhere(name)
    capsule = data.__dlpack__()
    tensor = _tensor_of(capsule)
    letter = _LETTERS.get(tensor.code)
    if letter is None or tensor.lanes > _PARTS:
        raise MpiError(
            f"{name}: DLPack's type {tensor.code} of {tensor.lanes} lanes; accepted: integers, "
            "fractions, complex numbers",
            error_class=VALUES["ERR_TYPE"],
        )
    element = np.dtype(
        f"{'c' if tensor.lanes == _PARTS else letter}{tensor.lanes * tensor.bits // 8}"
    )
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


def _tensor_of(capsule: Any) -> _Tensor:
    """The tensor of a capsule, which stays valid as long as the capsule does."""
    api = ctypes.pythonapi
    api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    for name, offset in ((b"dltensor_versioned", _VERSIONED_BYTES), (b"dltensor", 0)):
        if api.PyCapsule_IsValid(capsule, name):
            return _Tensor.from_address(api.PyCapsule_GetPointer(capsule, name) + offset)
    raise MpiError("DLPack: a capsule of another kind", error_class=VALUES["ERR_BUFFER"])


def _elsewhere(name: str) -> MpiError:
    return MpiError(
        f"{name}: memory of an accelerator; accepted: a copy in the memory of the process",
        error_class=VALUES["ERR_BUFFER"],
    )


def at_addresses(datatype: Datatype, count: int, start: int = 0) -> Buffer:
    """Items at addresses of the process, which their datatype has as displacements.

    Args:
        datatype: Datatype of the items.
        count: Number of items.
        start: Address that is added.

    Raises:
        MpiError: They begin at no address.
    """
    from noccl.programs.buffers import Buffer  # noqa: PLC0415 - a circle otherwise

    first, last = datatype.reach(count)
    if first == last:
        return Buffer(memoryview(b""), 0, 0, datatype)
    if first + start <= 0:
        raise MpiError(
            f"BOTTOM with {datatype.label}: accepted: a datatype of addresses (Get_address)",
            error_class=VALUES["ERR_BUFFER"],
        )
    raw = (ctypes.c_char * (last - first)).from_address(first + start)
    return Buffer(memoryview(raw).cast("B"), -first, count, datatype)
