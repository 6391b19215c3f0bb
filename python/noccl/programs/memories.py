# SPDX-License-Identifier: Apache-2.0
"""`MPI.buffer`, `Alloc_mem` and addresses: memory that a program asks MPI for; `MPI.Pickle`."""

from __future__ import annotations

import pickle
from typing import Any, Self

import numpy as np

from noccl.programs.constants import BOTTOM
from noccl.programs.failures import MpiError
from noccl.programs.foreign_memory import array_of

_WORD_BITS = 64


class MpiBuffer(np.ndarray[Any, np.dtype[np.uint8]]):
    """Bytes with mpi4py's names: an array of NumPy, so that every library can use them."""

    def __new__(cls, buf: Any = b"") -> Self:
        """The bytes of another buffer."""
        return cls.frombuffer(buf)

    @classmethod
    def allocate(cls, nbytes: int, clear: bool = False) -> Self:  # noqa: ARG003 - always zeros
        """So many bytes of zeros."""
        if nbytes < 0:
            raise ValueError("expecting non-negative buffer length")
        return cls.frombuffer(bytearray(nbytes))

    @classmethod
    def frombuffer(cls, obj: Any, readonly: bool = False) -> Self:
        """The bytes of another buffer."""
        view = memoryview(obj).cast("B")
        empty = np.zeros(0, np.uint8)
        made = (np.frombuffer(view, np.uint8) if len(view) else empty).view(cls)
        if readonly:
            made.flags.writeable = False
        return made

    @property
    def address(self) -> int:
        """Address of the first byte."""
        return int(self.ctypes.data) if self.nbytes else 0

    obj: property = property(lambda self: self.base)
    readonly: property = property(lambda self: not self.flags.writeable)
    format = "B"

    def __setitem__(self, item: Any, value: Any) -> None:
        plain = isinstance(value, bytes | bytearray | memoryview)
        super().__setitem__(item, np.frombuffer(value, np.uint8) if plain else value)

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
        return type(self).frombuffer(self, readonly=True)

    def release(self) -> None:
        """Does nothing: the bytes go when nobody uses them."""


def address_of(location: Any) -> int:
    """Address of the first byte of a buffer; 0 of BOTTOM."""
    if location is None or location is BOTTOM:
        return 0
    array = array_of(location, "location")
    return MpiBuffer.frombuffer(location if array is None else array).address


def alloc_mem(size: int, info: object = None) -> MpiBuffer:  # noqa: ARG001 - mpi4py's
    """So many bytes."""
    if size < 0:
        raise MpiError(f"Alloc_mem: {size} bytes; accepted: 0 or more")
    return MpiBuffer.allocate(size)


def free_mem(mem: Any) -> None:
    """Does nothing: what nobody uses goes by itself."""


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

    PROTOCOL = pickle.HIGHEST_PROTOCOL
    THRESHOLD = 1 << 18

    def __init__(
        self, dumps: Any = None, loads: Any = None, protocol: int | None = None, threshold: int = 0
    ) -> None:
        self._dumps = pickle.dumps if dumps is None else dumps
        self._loads = pickle.loads if loads is None else loads
        self._has_protocol = dumps is None or protocol is not None
        if protocol is not None:
            self.PROTOCOL = protocol
        if threshold:
            self.THRESHOLD = threshold

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
            buffers.append(raw)
            return False

        return pickle.dumps(obj, pickle.HIGHEST_PROTOCOL, buffer_callback=apart), buffers

    def loads_oob(self, data: Any, buffers: Any) -> Any:
        """The object of bytes and buffers."""
        return pickle.loads(data, buffers=buffers)  # noqa: S301 - the program's own
