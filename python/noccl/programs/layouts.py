# SPDX-License-Identifier: Apache-2.0
"""Which bytes of a buffer the items of a datatype are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from noccl.programs.handles import Copied
from noccl.programs.mpi_values import VALUES

if TYPE_CHECKING:
    import numpy.typing as npt

_OF_A_COPY = (
    *("alignment", "basic_bytes", "code", "element", "engine_element", "extent", "is_contiguous"),
    *("label", "lower_bound", "offsets", "size"),
)


class Origin:
    """What all copies of a datatype share.

    Attributes:
        attributes: Values by key.
        bases: Datatypes that it was made from.
        combiner: What has made it; NAMED if it is one of MPI's.
        name: What `Get_name` says.
        values: Arguments of what has made it.
    """

    __slots__ = ("attributes", "bases", "combiner", "name", "values")

    def __init__(
        self, combiner: str, values: dict[str, Any], bases: tuple[Any, ...] = (), name: str = ""
    ) -> None:
        self.attributes: dict[int, Any] = {}
        # Handles of its own, since a program frees those that it gave.
        self.bases: tuple[Any, ...] = tuple(Layout.__new__(type(base), base) for base in bases)
        self.combiner: str = combiner
        self.name: str = name
        self.values: dict[str, Any] = values

    @property
    def is_named(self) -> bool:
        """Is it one of MPI's?"""
        return self.combiner == "NAMED"

    @property
    def is_given(self) -> bool:
        """Is it one of MPI's, also of Fortran's kinds?"""
        return self.is_named or self.combiner.startswith("F90_")

    def call(self) -> tuple[str, dict[str, Any], tuple[Any, ...]]:
        """What makes the datatype again."""
        return self.combiner, self.values, self.bases


class Layout(Copied):
    """The bytes of an item, and how far items are apart.

    Attributes:
        label: What errors call it.
        element: Type of the elements for reductions; None for mixtures.
        engine_element: The engine's name for it; empty if it has none.
        code: mpi4py's code of the type; empty if it has none.
        size: Bytes of data.
        extent: Bytes from one item to the next.
        lower_bound: Offset of the first byte of the extent.
        offsets: Offset of each byte of data, shape (size,); None if they are 0 to size - 1.
        basic_bytes: Bytes of one basic element.
        alignment: Of which number of bytes a compiler makes the offset a multiple.
        is_contiguous: Do the bytes of items stand side by side?
    """

    __slots__ = _OF_A_COPY
    ERROR_CLASS = VALUES["ERR_TYPE"]
    _state: Origin | None
    alignment: int
    basic_bytes: int
    code: str
    element: np.dtype[Any] | None
    engine_element: str
    extent: int
    is_contiguous: bool
    label: str
    lower_bound: int
    offsets: npt.NDArray[np.intp] | None
    size: int

    def __new__(cls, datatype: Any = None) -> Self:
        """A copy of the same datatype; without one, a null datatype."""
        made = super().__new__(cls, datatype)
        source = _NULL if datatype is None else datatype
        for name in _OF_A_COPY:
            setattr(made, name, getattr(source, name))
        return made

    @classmethod
    def of(
        cls,
        label: str,
        element: np.dtype[Any] | None,
        origin: Origin,
        *,
        engine_element: str = "",
        code: str = "",
        offsets: npt.NDArray[np.intp] | None = None,
        size: int | None = None,
        extent: int | None = None,
        lower_bound: int = 0,
        alignment: int | None = None,
    ) -> Self:
        """A datatype by its bytes."""
        made = cls()
        made._state = origin
        made.label = label
        made.element = element
        made.engine_element = engine_element
        made.code = code
        made.basic_bytes = 1 if element is None else element.itemsize
        if alignment is None:
            alignment = 1 if element is None else element.alignment
        made.alignment = alignment
        made.size = made.basic_bytes if size is None else size
        made.extent = made.size if extent is None else extent
        made.lower_bound = lower_bound
        if offsets is not None and _are_in_order(offsets):
            offsets = None
        made.offsets = offsets
        made.is_contiguous = offsets is None and made.extent == made.size
        return made

    def byte_offsets(self, count: int) -> npt.NDArray[np.intp]:
        """Offset of each byte of so many items, shape (count * size,)."""
        one = np.arange(self.size) if self.offsets is None else self.offsets
        starts = np.arange(count) * self.extent
        return np.asarray((starts[:, None] + one[None, :]).reshape(-1), dtype=np.intp)

    def reach(self, count: int) -> tuple[int, int]:
        """First and last offset, the last excluded, of the bytes of so many items."""
        if count == 0 or self.size == 0:
            return 0, 0
        first, last = self._true_bounds()
        beyond = (count - 1) * self.extent
        return first + min(0, beyond), last + max(0, beyond)

    def _true_bounds(self) -> tuple[int, int]:
        if self.offsets is None or not self.size:
            return 0, self.size
        return int(self.offsets.min()), int(self.offsets.max()) + 1


def _are_in_order(offsets: npt.NDArray[np.intp]) -> bool:
    """Are they 0, 1, 2 ...? Most are not, which their ends show."""
    last = offsets.size - 1
    if last < 0:
        return True
    return int(offsets[0]) == 0 and int(offsets[-1]) == last and bool((np.diff(offsets) == 1).all())


class _Null:
    """Fields of a null datatype: of no data."""

    label, code, engine_element = "DATATYPE_NULL", "", ""
    element = offsets = None
    size = extent = lower_bound = 0
    basic_bytes = alignment = 1
    is_contiguous = True


_NULL: Any = _Null()
