# SPDX-License-Identifier: Apache-2.0
"""`MPI.buffer`, `Alloc_mem` and addresses: memory that a program asks MPI for; `MPI.Pickle`."""

from __future__ import annotations

import contextlib
import ctypes
import operator
import pickle
from typing import Any, Self

import numpy as np

from noccl.programs.constants import BOTTOM
from noccl.programs.failures import MpiError
from noccl.programs.foreign_memory import array_of

_WORD_BITS = 64


class MpiBuffer(np.ndarray[Any, np.dtype[np.uint8]]):
    """Bytes with mpi4py's names: an array of NumPy, so that every library can use them.

    Attributes:
        obj: Whose bytes they are; None of an empty or released one.
    """

    format = "B"
    _obj: Any

    def __new__(cls, *buf: Any) -> Self:
        """The bytes of another buffer; without one, none."""
        return cls.frombuffer(*buf) if buf else np.zeros(0, np.uint8).view(cls)

    def __array_finalize__(self, parent: Any) -> None:
        self._obj = getattr(parent, "_obj", None)

    @classmethod
    def allocate(cls, nbytes: int, clear: bool = False) -> Self:  # noqa: ARG003 - always zeros
        """So many bytes of zeros."""
        if nbytes < 0:
            raise ValueError("expecting non-negative buffer length")
        return cls.frombuffer(bytearray(nbytes))

    @classmethod
    def frombuffer(cls, obj: Any, readonly: bool = False) -> Self:
        """The bytes of another buffer."""
        array = array_of(obj, "buf")
        given: Any = obj if array is None else array
        view = memoryview(given).cast("B")
        made = (np.frombuffer(view, np.uint8) if len(view) else np.zeros(0, np.uint8)).view(cls)
        made._obj = obj
        if readonly:
            made.flags.writeable = False
        return made

    @classmethod
    def fromaddress(cls, address: int, nbytes: int, readonly: bool = False) -> Self:
        """Bytes of this process."""
        if nbytes < 0 or (nbytes and not address):
            raise ValueError(f"address {address}, {nbytes} bytes; accepted: an address, 0 or more")
        raw = (ctypes.c_char * nbytes).from_address(address) if nbytes else bytearray()
        return cls.frombuffer(raw, readonly)

    obj: property = property(lambda self: self._obj)

    @property
    def address(self) -> int:
        """Address of the first byte."""
        return 0 if self._obj is None else int(self.ctypes.data)

    @property
    def nbytes(self) -> int:
        """Number of bytes."""
        return 0 if self._obj is None else self.size

    @property
    def readonly(self) -> bool:
        """Can they not be written?"""
        return self._obj is not None and not self.flags.writeable

    def __len__(self) -> int:
        return self.nbytes

    def __getitem__(self, item: Any) -> Any:
        found = super().__getitem__(_index(item))
        return found if isinstance(found, np.ndarray) else int(found)

    def __setitem__(self, item: Any, value: Any) -> None:
        if self.readonly:
            raise TypeError("cannot modify read-only memory")
        with contextlib.suppress(TypeError):
            # Of whatever elements: their bytes.
            value = np.frombuffer(memoryview(value).cast("B"), np.uint8)
        super().__setitem__(_index(item), value)

    def __delitem__(self, item: Any) -> None:
        raise NotImplementedError("bytes of a buffer cannot be taken out; accepted: a slice")

    def __eq__(self, other: object) -> Any:
        try:
            return self.tobytes() == memoryview(other).tobytes()  # type: ignore[arg-type]
        except TypeError:
            return NotImplemented

    def __ne__(self, other: object) -> Any:
        is_equal = self.__eq__(other)
        return is_equal if is_equal is NotImplemented else not is_equal

    def __bool__(self) -> bool:
        return self.nbytes > 0

    __hash__ = None

    def cast(self, format: str, *shape: Any) -> memoryview:  # noqa: A002 - mpi4py's
        """The same bytes as numbers."""
        return self.data.cast(format, *shape)  # type: ignore[call-overload, no-any-return]

    def tobytes(self, order: str | None = None) -> bytes:  # noqa: ARG002
        """A copy."""
        return super().tobytes()

    def toreadonly(self) -> Self:
        """The same bytes, which cannot be written."""
        made = type(self).frombuffer(self, readonly=True)
        made._obj = self._obj
        return made

    def release(self) -> None:
        """Lets go of the bytes, which stay as long as another object uses them."""
        self._obj = None


def _index(item: Any) -> Any:
    """An index of mpi4py's buffers; those of other forms are NumPy's own, for its functions.

    Raises:
        IndexError: A slice with gaps.
        TypeError: No index.
    """
    if isinstance(item, tuple) or item is Ellipsis:
        return item
    if not isinstance(item, slice):
        return operator.index(item)
    if item.step not in (None, 1):
        raise IndexError("slice with a step; accepted: consecutive bytes")
    return item


def address_of(location: Any) -> int:
    """Address of the first byte of a buffer; 0 of BOTTOM."""
    if location is None or location is BOTTOM:
        return 0
    return MpiBuffer.frombuffer(location).address


def alloc_mem(size: int, info: object = None) -> MpiBuffer:  # noqa: ARG001 - mpi4py's
    """So many bytes."""
    if size < 0:
        raise MpiError(f"Alloc_mem: {size} bytes; accepted: 0 or more")
    return MpiBuffer.allocate(size)


def free_mem(mem: Any) -> None:
    """Lets go of the bytes."""
    if isinstance(mem, MpiBuffer):
        mem.release()


def aint_add(base: int, disp: int) -> int:
    """An address and a displacement."""
    return _signed(base + disp)


def aint_diff(addr1: int, addr2: int) -> int:
    """The distance of two addresses."""
    return _signed(addr1 - addr2)


def _signed(value: int) -> int:
    half = 1 << (_WORD_BITS - 1)
    return (value + half) % (1 << _WORD_BITS) - half


class Pickle:
    """How objects become bytes; messages of objects use Python's pickle always."""

    def __init__(
        self,
        dumps: Any = None,
        loads: Any = None,
        protocol: int | None = None,
        threshold: int | None = None,
    ) -> None:
        self._dumps = pickle.dumps if dumps is None else dumps
        self._loads = pickle.loads if loads is None else loads
        self._has_protocol = dumps is None or protocol is not None
        self.PROTOCOL = protocol
        self.THRESHOLD = threshold

    @property
    def PROTOCOL(self) -> int:
        """Protocol of pickle; None and negative numbers stand for the highest."""
        return self._protocol

    @PROTOCOL.setter
    def PROTOCOL(self, protocol: int | None) -> None:
        highest = pickle.HIGHEST_PROTOCOL
        self._protocol: int = highest if protocol is None or protocol < 0 else protocol

    @property
    def THRESHOLD(self) -> int:
        """From how many bytes on a buffer stands apart; None stands for 256 KiB."""
        return self._threshold

    @THRESHOLD.setter
    def THRESHOLD(self, threshold: int | None) -> None:
        self._threshold: int = 1 << 18 if threshold is None else threshold

    def dumps(self, obj: Any) -> bytes:
        """Bytes of an object."""
        data: bytes = self._dumps(obj, self.PROTOCOL) if self._has_protocol else self._dumps(obj)
        return data

    def loads(self, data: Any) -> Any:
        """The object of bytes."""
        return self._loads(data)

    def dumps_oob(self, obj: Any) -> tuple[bytes, list[Any]]:
        """Bytes of an object, its large buffers apart."""
        buffers: list[Any] = []

        def apart(buffer: Any) -> bool:
            raw = buffer.raw()
            if raw.nbytes < self.THRESHOLD:
                return True
            buffers.append(MpiBuffer(raw))
            return False

        return pickle.dumps(obj, pickle.HIGHEST_PROTOCOL, buffer_callback=apart), buffers

    def loads_oob(self, data: Any, buffers: Any) -> Any:
        """The object of bytes and buffers."""
        return pickle.loads(data, buffers=buffers)  # noqa: S301 - the program's own
