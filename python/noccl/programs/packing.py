# SPDX-License-Identifier: Apache-2.0
"""`Pack` and `Unpack`: items of a datatype as bytes side by side, of this machine or big-endian."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.programs.failures import MpiError
from noccl.programs.mpi_values import VALUES
from noccl.programs.type_contents import Contents

if TYPE_CHECKING:
    from noccl.programs.buffers import Buffer

_EXTERNAL = "external32"


class Packing(Contents):
    """The methods; a position is an index of a byte of the packed data."""

    __slots__ = ()

    def Pack_size(self, count: int, comm: Any) -> int:  # noqa: ARG002 - mpi4py's
        """Bytes of so many items when they are packed."""
        self._alive("Pack_size")
        return count * self.size

    def Pack(self, inbuf: Any, outbuf: Any, position: int, comm: Any) -> int:  # noqa: ARG002
        """Packs what a buffer has behind a position; returns the position behind it."""
        return self._pack(inbuf, outbuf, position, is_external=False)

    def Unpack(self, inbuf: Any, position: int, outbuf: Any, comm: Any) -> int:  # noqa: ARG002
        """Fills a buffer from packed bytes; returns the position behind what it has read."""
        return self._unpack(inbuf, position, outbuf, is_external=False)

    def Pack_external_size(self, datarep: str, count: int) -> int:
        """Bytes of so many items in big-endian form."""
        self._check(datarep)
        return count * self.size

    def Pack_external(self, datarep: str, inbuf: Any, outbuf: Any, position: int) -> int:
        """As `Pack`, in big-endian form."""
        self._check(datarep)
        return self._pack(inbuf, outbuf, position, is_external=True)

    def Unpack_external(self, datarep: str, inbuf: Any, position: int, outbuf: Any) -> int:
        """As `Unpack`, from big-endian form."""
        self._check(datarep)
        return self._unpack(inbuf, position, outbuf, is_external=True)

    def _pack(self, inbuf: Any, outbuf: Any, position: int, *, is_external: bool) -> int:
        data = self._items(inbuf, "inbuf").take()
        packed = _bytes_of(outbuf, "outbuf", writable=True)
        end = position + len(data)
        _inside(end, packed, position)
        packed[position:end] = self._swapped(data) if is_external else data
        return end

    def _unpack(self, inbuf: Any, position: int, outbuf: Any, *, is_external: bool) -> int:
        packed = _bytes_of(inbuf, "inbuf", writable=False)
        into = self._items(outbuf, "outbuf")
        end = position + into.size
        _inside(end, packed, position)
        data = packed[position:end].tobytes()
        into.put(self._swapped(data) if is_external else data)
        return end

    def _items(self, data: Any, name: str) -> Buffer:
        """As many items as the buffer has."""
        from noccl.programs.buffers import Buffer  # noqa: PLC0415 - a circle otherwise

        self._alive("Pack")
        raw = _bytes_of(data, name, writable=name == "outbuf")
        usable = max(0, len(raw) - self.lower_bound)
        count = usable // self.extent if self.extent > 0 else 0
        found = Buffer(raw, 0, count, self)  # type: ignore[arg-type]
        found.check(name)
        return found

    def _swapped(self, data: bytes) -> bytes:
        element = self.element
        if element is None or element.names is not None:
            raise MpiError(
                "packing in big-endian form: accepted: a datatype of one kind of elements",
                error_class=VALUES["ERR_TYPE"],
            )
        return bytes(np.frombuffer(data, element).byteswap().tobytes())

    def _check(self, datarep: str) -> None:
        self._alive("Pack_external")
        if datarep != _EXTERNAL:
            raise MpiError(f"datarep {datarep!r}: accepted: {_EXTERNAL!r}")


def _bytes_of(data: Any, name: str, *, writable: bool) -> memoryview:
    from noccl.programs.buffers import memory  # noqa: PLC0415 - a circle otherwise

    return memory(data, name, writable=writable)[0]


def _inside(end: int, packed: memoryview, position: int) -> None:
    if position < 0 or end > len(packed):
        raise MpiError(
            f"position {position}: bytes up to {end} of {len(packed)}; accepted: a longer buffer",
            error_class=VALUES["ERR_ARG"],
        )
