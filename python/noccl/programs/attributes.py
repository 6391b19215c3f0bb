# SPDX-License-Identifier: Apache-2.0
"""Attributes of communicators and datatypes: values that a program stores under keys of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noccl.programs import constants
from noccl.programs.failures import MpiError, as_mpi_errors, last_used_code
from noccl.programs.mpi_values import VALUES

if TYPE_CHECKING:
    from collections.abc import Callable

    Copy = Callable[[Any, int, Any], Any]
    Delete = Callable[[Any, int, Any], None]

_FIRST_KEY = 1
# Which values a copy of the object gets, and what is called when one goes.
_keys: dict[int, tuple[Copy | None, Delete | None]] = {}
_num_keys = _FIRST_KEY
_PREDEFINED = {
    VALUES["TAG_UB"]: constants.TAG_UB,
    VALUES["IO"]: constants.ANY_SOURCE,
    VALUES["WTIME_IS_GLOBAL"]: 1,
    VALUES["APPNUM"]: 0,
}


class Attributes:
    """The methods; the class of the object says where its attributes are."""

    __slots__ = ()

    def _attributes(self) -> dict[int, Any]:
        raise NotImplementedError

    @classmethod
    def Create_keyval(
        cls,
        copy_fn: Copy | bool | None = None,
        delete_fn: Delete | None = None,
        nopython: bool = False,  # noqa: ARG003 - mpi4py's
    ) -> int:
        """A new key."""
        global _num_keys  # noqa: PLW0603 - numbers are not given again
        _num_keys += 1
        copied: Any = (lambda _, __, value: value) if copy_fn is True else copy_fn or None
        _keys[_num_keys] = (copied, delete_fn)
        return _num_keys

    @classmethod
    def Free_keyval(cls, keyval: int) -> int:
        """Ends a key."""
        _known(keyval)
        del _keys[keyval]
        return VALUES["KEYVAL_INVALID"]

    def Get_attr(self, keyval: int) -> Any:
        """Value of a key, None without one."""
        attributes = self._attributes()
        if keyval == VALUES["LASTUSEDCODE"]:
            return last_used_code()
        if keyval in _PREDEFINED:
            return _PREDEFINED[keyval]
        if keyval == VALUES["UNIVERSE_SIZE"]:
            return None
        if keyval not in _keys and keyval not in attributes:
            _known(keyval)
        return attributes.get(keyval)

    def Set_attr(self, keyval: int, attrval: Any) -> None:
        """Sets the value of a key."""
        _known(keyval)
        if keyval in self._attributes():
            self.Delete_attr(keyval)
        self._attributes()[keyval] = attrval

    def Delete_attr(self, keyval: int) -> None:
        """Takes a key out."""
        _known(keyval)
        attributes = self._attributes()
        if keyval in attributes:
            self._gone(keyval, attributes[keyval])
            del attributes[keyval]

    def _gone(self, keyval: int, value: Any) -> None:
        _, delete = _keys.get(keyval, (None, None))
        if delete is not None:
            with as_mpi_errors():
                delete(self, keyval, value)

    def _copy_attributes(self, into: Attributes) -> None:
        """Gives a duplicate the values that its keys copy."""
        for keyval, value in self._attributes().items():
            copy, _ = _keys.get(keyval, (None, None))
            with as_mpi_errors():
                found = NotImplemented if copy is None else copy(self, keyval, value)
            if found is not NotImplemented:
                into._attributes()[keyval] = found

    def _end_attributes(self) -> None:
        """Takes all keys out, as the object ends."""
        attributes = self._attributes()
        for keyval in list(attributes)[::-1]:
            self._gone(keyval, attributes.pop(keyval))


def _known(keyval: int) -> None:
    if keyval not in _keys:
        raise MpiError(
            f"key {keyval}: accepted: what Create_keyval has returned",
            error_class=VALUES["ERR_KEYVAL"],
        )
