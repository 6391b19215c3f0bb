# SPDX-License-Identifier: Apache-2.0
"""Memory that Python's buffers do not give: arrays of other libraries (DLPack), addresses."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.programs.constants import BOTTOM
from noccl.programs.failures import MpiError
from noccl.programs.mpi_values import VALUES

if TYPE_CHECKING:
    from noccl.programs.layouts import Layout

_CPU = 1


def array_of(data: Any, name: str) -> np.ndarray[Any, Any] | None:
    """The array of an object with DLPack's methods; None without them.

    Raises:
        MpiError: It is not in the memory of this process.
    """
    if not hasattr(data, "__dlpack__"):
        return None
    device = data.__dlpack_device__()[0] if hasattr(data, "__dlpack_device__") else _CPU
    if device != _CPU:
        raise MpiError(
            f"{name}: memory of an accelerator; accepted: a copy in the memory of the process",
            error_class=VALUES["ERR_BUFFER"],
        )
    array = np.from_dlpack(data)
    if array.flags.writeable or not array.nbytes:
        return array
    # NumPy gives a view that cannot be written where the library's form does not say that it can.
    address = array.__array_interface__["data"][0]
    raw: Any = (ctypes.c_char * array.nbytes).from_address(address)
    raw.owner = data
    found: np.ndarray[Any, Any] = np.frombuffer(raw, array.dtype)
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise MpiError(f"{name}: the elements do not stand side by side; accepted: a copy")
    return found.reshape(array.shape, order="C" if array.flags.c_contiguous else "F")


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
