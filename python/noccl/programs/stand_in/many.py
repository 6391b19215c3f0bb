# SPDX-License-Identifier: Apache-2.0
"""Requests or messages that are those of one object, for `mpi4py.util.pkl5`."""

from __future__ import annotations

from typing import Any, Self

from noccl.programs.mpi_lookup import mpi


class Many(tuple[Any, ...]):
    """Requests or messages that are those of one object.

    Attributes:
        KIND: Class of each.
        NULL: Name of the null one.
    """

    KIND: type
    NULL = ""

    def __new__(cls, of: Any = None) -> Self:
        """Of many, of one, or a null one."""
        given = getattr(mpi(), cls.NULL) if of is None else of
        return super().__new__(cls, (given,) if isinstance(given, cls.KIND) else given)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, self.KIND):
            return all(one == other for one in self)
        return tuple(self) == tuple(other) if isinstance(other, type(self)) else NotImplemented

    def __ne__(self, other: object) -> bool:
        is_equal = self.__eq__(other)
        return is_equal if is_equal is NotImplemented else not is_equal

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return any(self)

    def free(self) -> None:
        """Ends each."""
        for one in self:
            one.free()
