# SPDX-License-Identifier: Apache-2.0
"""MPI's datatypes: which bytes of a buffer belong to a message.

A datatype is a type of the elements and, unless its bytes stand side by side, the offsets of its
bytes within one extent. That takes a number per byte, and in exchange every derived datatype is
made, packed and unpacked alike.
"""

from __future__ import annotations

from typing import Any, Self

from noccl.programs.attributes import Attributes
from noccl.programs.derived import Derived
from noccl.programs.failures import MpiError
from noccl.programs.fortran_types import FortranTypes
from noccl.programs.layouts import Origin
from noccl.programs.mpi_values import VALUES
from noccl.programs.packing import Packing


class Datatype(Derived, FortranTypes, Packing, Attributes):
    """A datatype, predefined or derived."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<Datatype {self.label}>"

    def _attributes(self) -> dict[int, Any]:
        attributes: dict[int, Any] = self._alive("Get_attr").attributes
        return attributes

    def Get_size(self) -> int:
        """Bytes of data."""
        self._alive("Get_size")
        return self.size

    def Get_extent(self) -> tuple[int, int]:
        """Lower bound and extent in bytes."""
        self._alive("Get_extent")
        return self.lower_bound, self.extent

    def Get_true_extent(self) -> tuple[int, int]:
        """Lower bound and extent of the data in bytes."""
        self._alive("Get_true_extent")
        first, last = self._true_bounds()
        return first, last - first

    lb: property = property(lambda self: self.Get_extent()[0])
    ub: property = property(lambda self: sum(self.Get_extent()))
    true_lb: property = property(lambda self: self.Get_true_extent()[0])
    true_ub: property = property(lambda self: sum(self.Get_true_extent()))
    true_extent: property = property(lambda self: self.Get_true_extent()[1])

    def Get_name(self) -> str:
        """MPI's name; of a derived datatype what `Set_name` has given."""
        return "MPI_DATATYPE_NULL" if self._state is None else self._state.name

    def Set_name(self, name: str) -> None:
        """Replaces the name."""
        self._alive("Set_name").name = name

    name: property = property(Get_name, Set_name)

    def Commit(self) -> Self:
        """Does nothing: a datatype is ready when it is made."""
        self._alive("Commit")
        return self

    def Free(self) -> None:
        """Ends the datatype; what has begun with it ends as usual."""
        if self._alive("Free").is_given:
            raise MpiError(
                f"Free of {self.label}: accepted: a datatype that the program has made",
                error_class=VALUES["ERR_TYPE"],
            )
        self._end_attributes()
        self._state = None

    def Dup(self) -> Self:
        """A datatype of the same bytes."""
        self._alive("Dup")
        made = type(self)(self)
        made._state = Origin("DUP", {}, (self,))
        self._copy_attributes(made)
        return made

    Create_dup = Dup

    def _is_predefined(self) -> bool:
        return self._state is not None and self._state.is_given

    @property
    def typechar(self) -> str:
        """NumPy's character of the elements; V of what is none."""
        return self.typestr[:1] if self.typestr[:1] == "V" else self._character()

    @property
    def typestr(self) -> str:
        """NumPy's type; V and the extent of what is none."""
        plain = self.is_contiguous and self.element is not None and self.element.names is None
        if not plain or self.element is None or self.size != self.element.itemsize:
            return f"V{self.extent}"
        size = "1" if self.element.kind in "SU" else str(self.size)
        return f"{self.element.kind}{size}"

    def _character(self) -> str:
        if self.code and not self.code[-1].isdigit():
            return self.code
        return self.element.char if self.element is not None else "V"

    def tocode(self) -> str:
        """Code of the type, as `fromcode` takes it."""
        if not self.code:
            raise ValueError("cannot map to character code or type string")
        return self.code

    @classmethod
    def fromcode(cls, code: str) -> Datatype:
        """The datatype of a code."""
        from noccl.programs.named_datatypes import BY_CODE  # noqa: PLC0415 - a circle otherwise

        plain = code.lstrip("=@|<") if isinstance(code, str) else code
        if plain not in BY_CODE:
            raise ValueError(f"cannot map code {code!r} to MPI datatype")
        return BY_CODE[plain]

    def __reduce__(self) -> Any:
        if self._state is None or self._state.is_named:
            return super().__reduce__()
        return again, self._state.call()


def again(combiner: str, values: dict[str, Any], bases: tuple[Datatype, ...]) -> Datatype:
    """Makes a derived datatype as another was made."""
    if combiner == "DUP":
        return bases[0].Dup()
    if combiner == "STRUCT":
        return Datatype.Create_struct(values["blocklengths"], values["displacements"], bases)
    owner = bases[0] if bases else Datatype
    made: Datatype = getattr(owner, f"Create_{combiner.lower()}")(**values)
    return made
