# SPDX-License-Identifier: Apache-2.0
"""Derived datatypes: blocks of items, parts of arrays, structures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from noccl.programs.failures import MpiError
from noccl.programs.layouts import Origin
from noccl.programs.mpi_values import VALUES
from noccl.programs.type_contents import Contents

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

_BLOCK, _CYCLIC, _NONE, _DEFAULT = (
    VALUES[f"DISTRIBUTE_{name}"] for name in ("BLOCK", "CYCLIC", "NONE", "DFLT_DARG")
)
_ORDER_C = VALUES["ORDER_C"]


class Derived(Contents):
    """What makes a datatype from others."""

    __slots__ = ()

    def Create_contiguous(self, count: int) -> Self:
        """Items side by side."""
        values = {"count": count}
        if count > 0 and self.is_contiguous and self.lower_bound == 0:
            # Without a number per byte: programs make these of millions of bytes.
            self._alive("Create_contiguous")
            return self.of(
                "contiguous",
                self.element,
                Origin("CONTIGUOUS", values, (self,)),
                engine_element=self.engine_element,
                size=count * self.size,
                alignment=self.alignment,
            )
        starts = [index * self.extent for index in range(count)]
        return self._derived("CONTIGUOUS", values, starts)

    def Create_vector(self, count: int, blocklength: int, stride: int) -> Self:
        """Blocks of items, their starts `stride` items apart."""
        values = {"count": count, "blocklength": blocklength, "stride": stride}
        return self._strided("VECTOR", values, stride * self.extent)

    def Create_hvector(self, count: int, blocklength: int, stride: int) -> Self:
        """Blocks of items, their starts `stride` bytes apart."""
        values = {"count": count, "blocklength": blocklength, "stride": stride}
        return self._strided("HVECTOR", values, stride)

    def _strided(self, combiner: str, values: dict[str, Any], stride: int) -> Self:
        count, length = values["count"], values["blocklength"]
        return self._blocks(
            combiner, values, [length] * count, [index * stride for index in range(count)]
        )

    def Create_indexed(self, blocklengths: Sequence[int], displacements: Sequence[int]) -> Self:
        """Blocks of items at displacements in items."""
        values = {"blocklengths": list(blocklengths), "displacements": list(displacements)}
        starts = [start * self.extent for start in displacements]
        return self._blocks("INDEXED", values, blocklengths, starts)

    def Create_hindexed(self, blocklengths: Sequence[int], displacements: Sequence[int]) -> Self:
        """Blocks of items at displacements in bytes."""
        values = {"blocklengths": list(blocklengths), "displacements": list(displacements)}
        return self._blocks("HINDEXED", values, blocklengths, displacements)

    def Create_indexed_block(self, blocklength: int, displacements: Sequence[int]) -> Self:
        """Blocks of equal length at displacements in items."""
        values = {"blocklength": blocklength, "displacements": list(displacements)}
        starts = [start * self.extent for start in displacements]
        return self._blocks("INDEXED_BLOCK", values, [blocklength] * len(starts), starts)

    def Create_hindexed_block(self, blocklength: int, displacements: Sequence[int]) -> Self:
        """Blocks of equal length at displacements in bytes."""
        values = {"blocklength": blocklength, "displacements": list(displacements)}
        lengths = [blocklength] * len(displacements)
        return self._blocks("HINDEXED_BLOCK", values, lengths, displacements)

    def _blocks(
        self,
        combiner: str,
        values: dict[str, Any],
        blocklengths: Sequence[int],
        displacements: Sequence[int],
    ) -> Self:
        if any(length < 0 for length in blocklengths):
            raise MpiError(
                f"blocks of {self.label}: a negative length; accepted: 0 or more",
                error_class=VALUES["ERR_ARG"],
            )
        pairs = zip(blocklengths, displacements, strict=True)
        starts = [start + index * self.extent for length, start in pairs for index in range(length)]
        return self._derived(combiner, values, starts)

    def Create_subarray(
        self,
        sizes: Sequence[int],
        subsizes: Sequence[int],
        starts: Sequence[int],
        order: int = _ORDER_C,
    ) -> Self:
        """A part of an array of items; the extent is that of the whole array."""
        lists = {"sizes": list(sizes), "subsizes": list(subsizes), "starts": list(starts)}
        ranges = [range(s, s + n) for s, n in zip(starts, subsizes, strict=True)]
        items = _indices(sizes, ranges, order)
        return self._of_array("SUBARRAY", lists | {"order": order}, sizes, items)

    def Create_darray(
        self,
        size: int,
        rank: int,
        gsizes: Sequence[int],
        distribs: Sequence[int],
        dargs: Sequence[int],
        psizes: Sequence[int],
        order: int = _ORDER_C,
    ) -> Self:
        """The part of a rank of an array that ranks in a grid share."""
        values = {
            "size": size,
            "rank": rank,
            "gsizes": list(gsizes),
            "distribs": list(distribs),
            "dargs": list(dargs),
            "psizes": list(psizes),
            "order": order,
        }
        coords = np.unravel_index(rank, tuple(psizes))
        rows = zip(gsizes, distribs, dargs, psizes, coords, strict=True)
        kept = [_dealt(*row[:4], int(row[4])) for row in rows]
        return self._of_array("DARRAY", values, gsizes, _indices(gsizes, kept, order))

    def _of_array(
        self, combiner: str, values: dict[str, Any], sizes: Sequence[int], items: list[int]
    ) -> Self:
        extent = int(np.prod(sizes)) * self.extent
        starts = [index * self.extent for index in items]
        return self._derived(combiner, values, starts, extent=extent, lower_bound=0)

    def Create_resized(self, lb: int, extent: int) -> Self:
        """The same bytes with another lower bound and extent."""
        values = {"lb": lb, "extent": extent}
        return self._derived("RESIZED", values, [0], extent=extent, lower_bound=lb)

    Resized = Create_resized

    @classmethod
    def Create_struct(
        cls,
        blocklengths: Sequence[int],
        displacements: Sequence[int],
        datatypes: Sequence[Any],
    ) -> Self:
        """Blocks of items of several datatypes at displacements in bytes."""
        rows = [row for row in zip(blocklengths, displacements, datatypes, strict=True) if row[0]]
        parts = [start + kind.byte_offsets(length) for length, start, kind in rows]
        bounds = [
            (start + kind.lower_bound, start + kind.lower_bound + length * kind.extent)
            for length, start, kind in rows
        ]
        first = min((low for low, _ in bounds), default=0)
        # As compilers do: the next one begins where its largest element may stand.
        alignment = max((kind.alignment for _, _, kind in rows), default=1)
        extent = max((high for _, high in bounds), default=0) - first
        elements = {kind.element for kind in datatypes}
        values = {"blocklengths": list(blocklengths), "displacements": list(displacements)}
        return cls.of(
            "struct",
            elements.pop() if len(elements) == 1 else None,
            Origin("STRUCT", values, tuple(datatypes)),
            offsets=np.concatenate(parts) if parts else np.zeros(0, np.intp),
            size=sum(part.size for part in parts),
            extent=extent + -extent % alignment,
            lower_bound=first,
            alignment=alignment,
        )

    @classmethod
    def Match_size(cls, typeclass: int, size: int) -> Self:
        """The datatype of Fortran with so many bytes."""
        from noccl.programs.named_datatypes import NAMED  # noqa: PLC0415 - a circle otherwise

        names = {
            VALUES["TYPECLASS_REAL"]: "REAL",
            VALUES["TYPECLASS_INTEGER"]: "INTEGER",
            VALUES["TYPECLASS_COMPLEX"]: "COMPLEX",
            VALUES["TYPECLASS_LOGICAL"]: "LOGICAL",
        }
        found: Any = NAMED.get(f"{names.get(typeclass, 'class ')}{size}")
        if not found:
            raise MpiError(
                f"Match_size: class {typeclass} of {size} bytes; accepted: REAL of 4, 8, 16, "
                "INTEGER of 1, 2, 4, 8, COMPLEX of 8, 16, 32, LOGICAL of 1",
                error_class=VALUES["ERR_ARG"],
            )
        return found  # type: ignore[no-any-return]

    @classmethod
    def Get_value_index(cls, value: Any, index: Any) -> Self:
        """The pair of a value and an index; DATATYPE_NULL if there is none."""
        from noccl.programs.named_datatypes import NAMED  # noqa: PLC0415 - a circle otherwise

        value._alive("Get_value_index")
        index._alive("Get_value_index")
        name = "INT_INT" if value.label == "INT" else f"{value.label}_INT"
        is_pair = index == NAMED["INT"] and name in NAMED and not NAMED[name].code
        return NAMED[name] if is_pair else cls()  # type: ignore[return-value]

    def _derived(
        self,
        combiner: str,
        values: dict[str, Any],
        starts: Sequence[int],
        *,
        extent: int | None = None,
        lower_bound: int | None = None,
    ) -> Self:
        self._alive(f"Create_{combiner.lower()}")
        one = np.arange(self.size) if self.offsets is None else self.offsets
        places: npt.NDArray[np.intp] = np.asarray(starts, dtype=np.intp)
        offsets = np.asarray((places[:, None] + one[None, :]).reshape(-1), dtype=np.intp)
        if lower_bound is None:
            lower_bound = int(places.min()) + self.lower_bound if places.size else 0
        if extent is None:
            end = int(places.max()) + self.lower_bound + self.extent if places.size else 0
            extent = end - lower_bound
        return self.of(
            combiner.lower(),
            self.element,
            Origin(combiner, values, (self,)),
            engine_element=self.engine_element,
            offsets=offsets,
            size=offsets.size,
            extent=extent,
            lower_bound=lower_bound,
            alignment=self.alignment,
        )


def _indices(sizes: Sequence[int], kept: Sequence[Sequence[int]], order: int) -> list[int]:
    """Numbers of the kept items of an array, in the order of the array in memory."""
    layout = "C" if order == _ORDER_C else "F"
    places = np.arange(int(np.prod(sizes))).reshape(tuple(sizes), order=layout)  # type: ignore[call-overload]
    return sorted(int(index) for index in places[np.ix_(*kept)].ravel())


def _dealt(length: int, distribution: int, argument: int, ranks: int, rank: int) -> list[int]:
    """Indices of a dimension that a rank has."""
    if distribution == _NONE:
        return list(range(length))
    if distribution not in {_BLOCK, _CYCLIC}:
        raise MpiError(
            f"distribution {distribution}: accepted: DISTRIBUTE_BLOCK, _CYCLIC, _NONE",
            error_class=VALUES["ERR_ARG"],
        )
    block = argument
    if argument == _DEFAULT:
        block = -(-length // ranks) if distribution == _BLOCK else 1
    return [index for index in range(length) if index // block % ranks == rank]
