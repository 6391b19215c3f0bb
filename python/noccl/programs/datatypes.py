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
        return self._derived("contiguous", [index * self.extent for index in range(count)])

    def Create_vector(self, count: int, blocklength: int, stride: int) -> Datatype:
        """Blocks of items, their starts `stride` items apart."""
        return self.Create_hvector(count, blocklength, stride * self.extent)

    def Create_hvector(self, count: int, blocklength: int, stride: int) -> Datatype:
        """Blocks of items, their starts `stride` bytes apart."""
        return self.Create_hindexed(
            [blocklength] * count, [index * stride for index in range(count)]
        )

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
        starts = [start + index * self.extent for length, start in pairs for index in range(length)]
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
        items = [int(index) * self.extent for index in sorted(part.ravel())]
        extent = int(np.prod(sizes)) * self.extent
        return self._derived("subarray", items, extent=extent, lower_bound=0)

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
        rows = list(zip(blocklengths, displacements, datatypes, strict=True))
        parts = [start + kind.byte_offsets(length) for length, start, kind in rows if length]
        bounds = [
            (start + kind.lower_bound, start + kind.lower_bound + length * kind.extent)
            for length, start, kind in rows
            if length
        ]
        first = min((low for low, _ in bounds), default=0)
        # As compilers do: the next one begins where its largest element may stand.
        alignment = max((kind.basic_bytes for _, _, kind in rows), default=1)
        extent = max((high for _, high in bounds), default=0) - first
        elements = {kind.element for kind in datatypes}
        return Datatype(
            "struct",
            elements.pop() if len(elements) == 1 else None,
            offsets=np.concatenate(parts) if parts else np.zeros(0, np.intp),
            size=sum(part.size for part in parts),
            extent=extent + -extent % alignment,
            lower_bound=first,
        )

    def _derived(
        self,
        name: str,
        starts: Sequence[int],
        *,
        extent: int | None = None,
        lower_bound: int | None = None,
    ) -> Datatype:
        one = np.arange(self.size) if self.offsets is None else self.offsets
        places = np.asarray(starts, dtype=np.intp)
        if places.size and places.min() < 0:
            raise ProgramError(f"{name} of {self.name}: negative displacement; accepted: 0 or more")
        offsets = np.asarray((places[:, None] + one[None, :]).reshape(-1), dtype=np.intp)
        if lower_bound is None:
            lower_bound = int(places.min()) + self.lower_bound if places.size else 0
        if extent is None:
            end = int(places.max()) + self.lower_bound + self.extent if places.size else 0
            extent = end - lower_bound
        return Datatype(
            name,
            self.element,
            engine_element=self.engine_element,
            offsets=offsets,
            size=offsets.size,
            extent=extent,
            lower_bound=lower_bound,
        )
