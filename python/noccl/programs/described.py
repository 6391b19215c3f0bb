# SPDX-License-Identifier: Apache-2.0
"""What communicators and windows have alike: a name, an info, an error handler, attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noccl.programs.attributes import Attributes
from noccl.programs.handles import Handle
from noccl.programs.info import NAMED, Errhandler, Info

if TYPE_CHECKING:
    from collections.abc import Callable


class WithErrhandler(Handle):
    """The methods of what has an error handler."""

    __slots__ = ()

    @classmethod
    def Create_errhandler(cls, errhandler_fn: Callable[[Any, int], None]) -> Errhandler:
        """An error handler that `Call_errhandler` calls."""
        return Errhandler.of(errhandler_fn)

    def Get_errhandler(self) -> Any:
        """What `Set_errhandler` was given; `ERRORS_RETURN` before."""
        found = self._alive("Get_errhandler").errhandler
        return Errhandler(NAMED["ERRORS_RETURN"] if found is None else found)

    def Set_errhandler(self, errhandler: Any) -> None:
        """Keeps the error handler; errors are exceptions whatever it is."""
        errhandler._alive("Set_errhandler")
        self._alive("Set_errhandler").errhandler = Errhandler(errhandler)

    def Call_errhandler(self, errorcode: int) -> None:
        """Calls the error handler: MPI's raise the error."""
        self.Get_errhandler()(self, errorcode)


class Described(Attributes, WithErrhandler):
    """The methods.

    Attributes:
        NULL_NAME: What the name of a null object is.
    """

    __slots__ = ()
    NULL_NAME = ""

    def Get_name(self) -> str:
        """The name."""
        return self.NULL_NAME if self._state is None else str(self._state.name)

    def Set_name(self, name: str) -> None:
        """Replaces the name."""
        self._alive("Set_name").name = name

    name: property = property(Get_name, Set_name)

    def _attributes(self) -> dict[int, Any]:
        attributes: dict[int, Any] = self._alive("Get_attr").attributes
        return attributes

    def Get_info(self) -> Info:
        """What `Set_info` was given."""
        return Info.Create(self._alive("Get_info").info)

    def Set_info(self, info: Any) -> None:
        """Keeps keys with values; nothing depends on them."""
        self._alive("Set_info").info = dict(info.items())

    info: property = property(Get_info, Set_info)
