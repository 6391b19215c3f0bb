# SPDX-License-Identifier: Apache-2.0
"""Memory that Python's buffers do not give: arrays of other libraries (DLPack), addresses."""

from __future__ import annotations

import contextlib
import ctypes
import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.programs.failures import BufferMpiError, ValueMpiError
from noccl.programs.mpi_values import VALUES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from noccl.programs.buffers import Buffer
    from noccl.programs.datatypes import Datatype

_CPU = 1
# Letters of NumPy by DLPack's codes of types.
_LETTERS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
# Two numbers in each element: a complex number.
_PARTS = 2
# What a capsule with a version has before the tensor: version, owner, function, flags.
_VERSIONED_BYTES = 32
_MAJOR = 1


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
    if hasattr(data, "__dlpack_device__"):
        kind, number = data.__dlpack_device__()
        operator.index(number)
        if operator.index(kind) != _CPU:
            raise _elsewhere(name)
    capsule = data.__dlpack__()
    tensor, is_readonly = _tensor_of(capsule)
    element = _element_of(tensor)
    shape, fills_gaplessly = _shape_of(tensor)
    count = math.prod(shape)
    if not fills_gaplessly:
        raise BufferMpiError(f"{name}: DLPack: items that do not stand side by side")
    if not count or not tensor.data:
        return np.zeros(0, element)
    raw: Any = (ctypes.c_char * (count * element.itemsize)).from_address(
        tensor.data + tensor.byte_offset
    )
    raw.owner = capsule, data
    if element.kind == "V":
        element, count = np.dtype(np.uint8), count * element.itemsize
    array: np.ndarray[Any, Any] = np.ndarray((count,), element, raw)
    array.flags.writeable = not is_readonly
    return array


def _element_of(tensor: _Tensor) -> np.dtype[Any]:
    """NumPy's type of the elements; of those that it does not know the bytes."""
    num_bytes = tensor.lanes * tensor.bits // 8
    letter = "c" if tensor.lanes == _PARTS else _LETTERS.get(tensor.code, "")
    with contextlib.suppress(TypeError):
        return np.dtype(f"{letter}{num_bytes}") if letter else np.dtype(f"V{num_bytes}")
    return np.dtype(f"V{num_bytes}")


def _shape_of(tensor: _Tensor) -> tuple[tuple[int, ...], bool]:
    """Lengths of the dimensions; do the items stand side by side, in C's order or Fortran's?

    Raises:
        BufferMpiError: The dimensions are none.
    """
    if tensor.ndim < 0 or (tensor.ndim and not tensor.shape):
        raise BufferMpiError(f"DLPack: {tensor.ndim} dimensions without lengths")
    shape = tuple(tensor.shape[index] for index in range(tensor.ndim))
    if any(length < 0 for length in shape):
        raise BufferMpiError(f"DLPack: lengths {shape}; accepted: 0 or more")
    if not tensor.strides:
        return shape, True
    strides = [tensor.strides[index] for index in range(tensor.ndim)]
    return shape, any(
        _are_dense(zip(shape[::order], strides[::order], strict=True)) for order in (1, -1)
    )


def _are_dense(rows: Iterable[tuple[int, int]]) -> bool:
    """Do the items of dimensions, the last of which is the fastest, stand side by side?"""
    step = 1
    for length, stride in reversed(list(rows)):
        if length > 1 and stride != step:
            return False
        step *= length
    return True


def _tensor_of(capsule: Any) -> tuple[_Tensor, bool]:
    """The tensor of a capsule, which stays valid as long as the capsule does; is it read-only?"""
    api = ctypes.pythonapi
    api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    if api.PyCapsule_IsValid(capsule, b"dltensor_versioned"):
        start = api.PyCapsule_GetPointer(capsule, b"dltensor_versioned")
        major = ctypes.c_uint32.from_address(start).value
        if major != _MAJOR:
            raise BufferMpiError(f"DLPack: version {major}; accepted: {_MAJOR}")
        flags = ctypes.c_uint64.from_address(start + _VERSIONED_BYTES - 8).value
        return _Tensor.from_address(start + _VERSIONED_BYTES), bool(flags & 1)
    if api.PyCapsule_IsValid(capsule, b"dltensor"):
        return _Tensor.from_address(api.PyCapsule_GetPointer(capsule, b"dltensor")), False
    raise BufferMpiError("DLPack: a capsule of another kind", error_class=VALUES["ERR_BUFFER"])


def _elsewhere(name: str) -> BufferMpiError:
    return BufferMpiError(
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
        raise ValueMpiError(
            f"BOTTOM with {datatype.label}: accepted: a datatype of addresses (Get_address)",
            error_class=VALUES["ERR_BUFFER"],
        )
    raw = (ctypes.c_char * (last - first)).from_address(first + start)
    return Buffer(memoryview(raw).cast("B"), -first, count, datatype)
