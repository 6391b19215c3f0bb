# SPDX-License-Identifier: Apache-2.0
"""MPI's datatypes: which bytes of a buffer belong to a message.

A datatype is a type of the elements and, unless its bytes stand side by side, the offsets of its
bytes within one extent. That takes a number per byte, and in exchange every derived datatype is
made, packed and unpacked alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.errors import ProgramError
from noccl.programs import constants

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


class Datatype:
    """A datatype, predefined or derived.

    Attributes:
        name: MPI's name.
        element: Type of the elements for reductions; None for mixtures.
        engine_element: The engine's name for it; empty if it has none.
        size: Bytes of data.
        extent: Bytes from one item to the next.
        lower_bound: Offset of the first byte of the extent.
        offsets: Offset of each byte of data, shape (size,); None if they are 0 to size - 1.
        basic_bytes: Bytes of one basic element.
        is_contiguous: Do the bytes of items stand side by side?
    """

    __slots__ = (
        "basic_bytes",
        "element",
        "engine_element",
        "extent",
        "is_contiguous",
        "lower_bound",
        "name",
        "offsets",
        "size",
    )

    def __init__(
        self,
        name: str,
        element: np.dtype[Any] | None,
        *,
        engine_element: str = "",
        offsets: npt.NDArray[np.intp] | None = None,
        size: int | None = None,
        extent: int | None = None,
        lower_bound: int = 0,
    ) -> None:
        self.name = name
        self.element = element
        self.engine_element = engine_element
        self.basic_bytes = 1 if element is None else element.itemsize
        self.size = self.basic_bytes if size is None else size
        self.extent = self.size if extent is None else extent
        self.lower_bound = lower_bound
        if offsets is not None and np.array_equal(offsets, np.arange(self.size)):
            offsets = None
        self.offsets = offsets
        self.is_contiguous = offsets is None and self.extent == self.size

    def __repr__(self) -> str:
        return f"<Datatype {self.name}>"

    def byte_offsets(self, count: int) -> npt.NDArray[np.intp]:
        """Offset of each byte of so many items, shape (count * size,)."""
        one = np.arange(self.size) if self.offsets is None else self.offsets
        starts = np.arange(count) * self.extent
        return np.asarray((starts[:, None] + one[None, :]).reshape(-1), dtype=np.intp)

    def reach(self, count: int) -> int:
        """Bytes that a buffer of so many items must have."""
        if count == 0 or self.size == 0:
            return 0
        last = self.size if self.offsets is None else int(self.offsets.max()) + 1
        return (count - 1) * self.extent + last

    def Get_size(self) -> int:
        """Bytes of data."""
        return self.size

    def Get_extent(self) -> tuple[int, int]:
        """Lower bound and extent in bytes."""
        return self.lower_bound, self.extent

    def Get_true_extent(self) -> tuple[int, int]:
        """Lower bound and extent of the data in bytes."""
        first = 0 if self.offsets is None else int(self.offsets.min())
        return first, self.reach(1) - first

    def Get_name(self) -> str:
        """MPI's name."""
        return self.name

    def Set_name(self, name: str) -> None:
        """Replaces the name."""
        self.name = name

    def Commit(self) -> Datatype:
        """Does nothing: a datatype is ready when it is made."""
        return self

    def Free(self) -> None:
        """Does nothing: what nobody uses goes by itself."""

    def Dup(self) -> Datatype:
        """The same datatype."""
        return self

    def Create_contiguous(self, count: int) -> Datatype:
        """Items side by side."""
        return self._derived("contiguous", [k * self.extent for k in range(count)])

    def Create_vector(self, count: int, blocklength: int, stride: int) -> Datatype:
        """Blocks of items, their starts `stride` items apart."""
        return self.Create_hvector(count, blocklength, stride * self.extent)

    def Create_hvector(self, count: int, blocklength: int, stride: int) -> Datatype:
        """Blocks of items, their starts `stride` bytes apart."""
        return self.Create_hindexed([blocklength] * count, [k * stride for k in range(count)])

    def Create_indexed(self, blocklengths: Sequence[int], displacements: Sequence[int]) -> Datatype:
        """Blocks of items at displacements in items."""
        return self.Create_hindexed(blocklengths, [d * self.extent for d in displacements])

    def Create_indexed_block(self, blocklength: int, displacements: Sequence[int]) -> Datatype:
        """Blocks of equal length at displacements in items."""
        return self.Create_indexed([blocklength] * len(displacements), displacements)

    def Create_hindexed(
        self, blocklengths: Sequence[int], displacements: Sequence[int]
    ) -> Datatype:
        """Blocks of items at displacements in bytes."""
        pairs = zip(blocklengths, displacements, strict=True)
        starts = [start + k * self.extent for length, start in pairs for k in range(length)]
        return self._derived("indexed", starts)

    def Create_subarray(
        self,
        sizes: Sequence[int],
        subsizes: Sequence[int],
        starts: Sequence[int],
        order: int = constants.ORDER_C,
    ) -> Datatype:
        """A part of an array of items; the extent is that of the whole array."""
        layout = "C" if order == constants.ORDER_C else "F"
        places = np.arange(int(np.prod(sizes))).reshape(tuple(sizes), order=layout)  # type: ignore[call-overload]
        part = places[tuple(slice(s, s + n) for s, n in zip(starts, subsizes, strict=True))]
        # In the order of the array in memory.
        items = [int(k) * self.extent for k in sorted(part.ravel())]
        return self._derived("subarray", items, extent=int(np.prod(sizes)) * self.extent)

    def Create_resized(self, lb: int, extent: int) -> Datatype:
        """The same bytes with another lower bound and extent."""
        return self._derived("resized", [0], extent=extent, lower_bound=lb)

    @staticmethod
    def Create_struct(
        blocklengths: Sequence[int],
        displacements: Sequence[int],
        datatypes: Sequence[Datatype],
    ) -> Datatype:
        """Blocks of items of several datatypes at displacements in bytes."""
        rows = zip(blocklengths, displacements, datatypes, strict=True)
        parts = [start + kind.byte_offsets(length) for length, start, kind in rows]
        offsets = np.concatenate(parts) if parts else np.zeros(0, np.intp)
        extent = int(offsets.max()) + 1 if offsets.size else 0
        elements = {kind.element for kind in datatypes}
        element = elements.pop() if len(elements) == 1 else None
        return Datatype("struct", element, offsets=offsets, size=offsets.size, extent=extent)

    def _derived(
        self,
        name: str,
        starts: Sequence[int],
        *,
        extent: int | None = None,
        lower_bound: int = 0,
    ) -> Datatype:
        one = np.arange(self.size) if self.offsets is None else self.offsets
        places = np.asarray(starts, dtype=np.intp)
        if places.size and places.min() < 0:
            raise ProgramError(f"{name} of {self.name}: negative displacement; accepted: 0 or more")
        offsets = np.asarray((places[:, None] + one[None, :]).reshape(-1), dtype=np.intp)
        if extent is None:
            extent = int(places.max()) + self.extent if places.size else 0
        return Datatype(
            name,
            self.element,
            engine_element=self.engine_element,
            offsets=offsets,
            size=offsets.size,
            extent=extent,
            lower_bound=lower_bound,
        )


def _pair(name: str, value: str, index: str) -> Datatype:
    """A value and an index as a C structure; the packed form has no gap."""
    fields = [("value", value), ("index", index)]
    laid_out, packed = np.dtype(fields, align=True), np.dtype(fields)
    assert laid_out.fields is not None and packed.fields is not None  # noqa: PT018, S101 - has two
    places = [(laid_out.fields[field][1], packed.fields[field][0]) for field, _ in fields]
    offsets = np.concatenate([start + np.arange(kind.itemsize) for start, kind in places])
    return Datatype(name, packed, offsets=offsets, size=packed.itemsize, extent=laid_out.itemsize)


_TABLE = (
    # MPI's names, NumPy's type, the engine's name.
    ("BYTE PACKED", "u1", "uint8"),
    ("CHAR SIGNED_CHAR INT8_T INTEGER1", "i1", "int8"),
    ("UNSIGNED_CHAR UINT8_T", "u1", "uint8"),
    ("SHORT INT16_T INTEGER2", "i2", "int16"),
    ("UNSIGNED_SHORT UINT16_T", "u2", "uint16"),
    ("INT INT32_T INTEGER INTEGER4", "i4", "int32"),
    ("UNSIGNED UNSIGNED_INT UINT32_T", "u4", "uint32"),
    ("LONG LONG_LONG INT64_T INTEGER8 AINT OFFSET COUNT", "i8", "int64"),
    ("UNSIGNED_LONG UNSIGNED_LONG_LONG UINT64_T", "u8", "uint64"),
    ("FLOAT REAL REAL4", "f4", "fp32"),
    ("DOUBLE DOUBLE_PRECISION REAL8", "f8", "fp64"),
    ("C_BOOL BOOL CXX_BOOL LOGICAL1", "?", ""),
    ("C_FLOAT_COMPLEX COMPLEX COMPLEX8 F_COMPLEX", "c8", ""),
    ("C_DOUBLE_COMPLEX DOUBLE_COMPLEX COMPLEX16 F_DOUBLE_COMPLEX", "c16", ""),
    ("LONG_DOUBLE", "g", ""),
)

NAMED: dict[str, Datatype] = {}
"""The predefined datatypes by name."""
for _names, _code, _element in _TABLE:
    for _name in _names.split():
        NAMED[_name] = Datatype(_name, np.dtype(_code), engine_element=_element)
for _name, _value, _index in (
    ("FLOAT_INT", "f4", "i4"),
    ("DOUBLE_INT", "f8", "i4"),
    ("LONG_INT", "i8", "i4"),
    ("SHORT_INT", "i2", "i4"),
    ("INT_INT", "i4", "i4"),
    ("TWOINT", "i4", "i4"),
):
    NAMED[_name] = _pair(_name, _value, _index)

# As mpi4py finds the datatype of an array; the half has no name in MPI but one in the engine.
_BY_CHARACTER: dict[str, Datatype] = {
    character: NAMED[name]
    for character, name in {
        "b": "SIGNED_CHAR", "B": "UNSIGNED_CHAR", "h": "SHORT", "H": "UNSIGNED_SHORT", "i": "INT",
        "I": "UNSIGNED", "l": "LONG", "L": "UNSIGNED_LONG", "q": "LONG_LONG",
        "Q": "UNSIGNED_LONG_LONG", "f": "FLOAT", "d": "DOUBLE", "?": "C_BOOL", "g": "LONG_DOUBLE",
        "F": "C_FLOAT_COMPLEX", "D": "C_DOUBLE_COMPLEX", "c": "CHAR", "S": "CHAR",
    }.items()
}  # fmt: skip
_BY_CHARACTER["e"] = Datatype("FLOAT16", np.dtype("f2"), engine_element="fp16")


PLAIN = {code: kind for code, kind in _BY_CHARACTER.items() if code in "bBhHiIlLqQfd"}
"""Those whose arrays Python's views know, by NumPy's character."""


def of_element(element: np.dtype[Any]) -> Datatype:
    """The datatype of the elements of an array.

    Raises:
        ProgramError: There is none.
    """
    found = _BY_CHARACTER.get(element.char)
    if found is None or not element.isnative:
        raise ProgramError(
            f"array of {element}: no datatype of MPI; accepted: [array, datatype] with the "
            "datatype named, or numbers in the order of bytes of this machine"
        )
    return found


def of_code(code: str) -> Datatype:
    """The datatype of a type code of NumPy, such as `d` or `int32`, or of a name of MPI.

    Raises:
        ProgramError: There is none.
    """
    if code in NAMED:
        return NAMED[code]
    try:
        return of_element(np.dtype(code))
    except TypeError as error:
        raise ProgramError(f"datatype {code!r}: unknown; accepted: MPI's and NumPy's") from error
