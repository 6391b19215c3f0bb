# SPDX-License-Identifier: Apache-2.0
"""What all of MPI's objects have: whether they are null, copies, numbers for other languages.

An object of mpi4py holds a handle. A copy, such as `Intracomm(comm)`, holds the same handle and is
equal; `Free` leaves a null handle behind. Here the handle is the object's `_state`, None if null.
"""

from __future__ import annotations

from typing import Any, Self

from noccl.programs.failures import MpiError
from noccl.programs.mpi_lookup import mpi
from noccl.programs.mpi_values import VALUES

# Modules of the classes of `MPI`, and of classes that extend them as those of programs do.
_OURS = ("noccl.programs.", "mpi4py.")
_OTHERS = "noccl.programs.stand_in."
# Objects by number: a number is what a program hands to another language and back.
_numbers: dict[int, int] = {}
_objects: dict[int, Any] = {}


class Handle:
    """An object of MPI.

    Attributes:
        ERROR_CLASS: Class of the error when a null object is used.
    """

    __slots__ = ("__weakref__", "_state")
    ERROR_CLASS = VALUES["ERR_ARG"]
    _state: Any

    def __bool__(self) -> bool:
        return self._state is not None

    def __eq__(self, other: object) -> bool:
        if not (isinstance(other, type(self)) or isinstance(self, type(other))):
            return NotImplemented
        assert isinstance(other, Handle)  # noqa: S101 - one is of the other's class
        return self._state is other._state

    # As in mpi4py: what is equal to another after `Free` is no key.
    __hash__ = None  # type: ignore[assignment]

    def _alive(self, call: str) -> Any:
        """The state of an object that is not null.

        Raises:
            MpiError: It is null.
        """
        state = self._state
        if state is None:
            kind = type(self).__name__
            raise MpiError(
                f"{kind}.{call}: the {kind} is null; accepted: one that has not been freed",
                error_class=self.ERROR_CLASS,
            )
        return state

    def toint(self) -> int:
        """Number of the object, 0 if it is null."""
        state = self._state
        if not self or state is None:
            return 0
        number = _numbers.setdefault(id(state), len(_numbers) + 1)
        _objects[number] = self
        return number

    py2f = toint
    handle: property = property(toint)

    @classmethod
    def fromint(cls, arg: int, /) -> Any:
        """The object of a number; a null one if there is none."""
        found = _objects.get(arg)
        copied: Any = cls
        return cls() if found is None else found if isinstance(found, cls) else copied(found)

    @classmethod
    def f2py(cls, arg: int) -> Any:
        """The object of a number; a null one if there is none."""
        return cls.fromint(arg)

    @classmethod
    def fromhandle(cls, handle: int) -> Any:
        """The object of a number; a null one if there is none."""
        return cls.fromint(handle)

    def free(self) -> None:
        """Ends the object; does nothing to a null one and to those of the module itself."""
        if not self:
            return
        if not self._is_predefined():
            self.Free()  # type: ignore[attr-defined]
        elif not any(value is self for _, value in mpi().named_objects()):
            self._forget()

    def _is_predefined(self) -> bool:
        return False

    def _forget(self) -> None:
        """Leaves a null object."""
        self._state = None

    def __reduce__(self) -> Any:
        alike = ""
        for name, value in mpi().named_objects():
            if value is self:
                return _constant, (name,)
            if type(value) in type(self).__mro__ and value._state is self._state:
                alike = alike or name
        if self._state is None:
            return type(self), ()
        if alike:
            return _copied, (type(self), alike)
        raise ValueError(f"cannot pickle {type(self).__name__}")


class Copied(Handle):
    """An object whose class makes copies: without an argument, a null object."""

    __slots__ = ()

    def __new__(cls, of: Any = None, *_: Any, **__: Any) -> Self:
        """A copy of the same handle; without one, a null object."""
        made = object.__new__(cls)
        is_alike = of is None or isinstance(of, cls | _provided(cls))
        if not (is_alike or issubclass(cls, type(of))):
            raise TypeError(f"{cls.__name__} of {type(of).__name__}; accepted: a {cls.__name__}")
        made._state = None if of is None else of._state
        return made


def _provided(cls: type) -> type:
    """The class itself or, of a class of the program, the one of `MPI` that it extends."""
    kinds = (kind for kind in cls.__mro__ if kind.__module__.startswith(_OURS))
    return next(kind for kind in kinds if not kind.__module__.startswith(_OTHERS))


def _constant(name: str) -> Any:
    """The object of the module with this name."""
    return getattr(mpi(), name)


def _copied(kind: type, name: str) -> Any:
    """A copy of an object of the module."""
    return kind(_constant(name))


def forget() -> None:
    """Forgets the numbers of a program that has ended."""
    _numbers.clear()
    _objects.clear()
