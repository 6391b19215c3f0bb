# SPDX-License-Identifier: Apache-2.0
"""`MPI.Info` and `MPI.Errhandler`: keys with values, and what would happen at an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from noccl.programs.failures import MpiError
from noccl.programs.handles import Copied
from noccl.programs.mpi_values import VALUES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_NONE = object()


class Info(Copied):
    """Keys with values, in the order in which they were set."""

    __slots__ = ()
    ERROR_CLASS = VALUES["ERR_INFO"]
    _state: dict[str, str] | None

    @classmethod
    def Create(
        cls, items: Info | Mapping[str, str] | Iterable[tuple[str, str]] | None = None
    ) -> Self:
        """An Info with these items."""
        made = cls()
        made._state = {}
        if items:
            made.update(items)
        return made

    @classmethod
    def Create_env(cls, args: Sequence[str] | None = None) -> Self:  # noqa: ARG003 - mpi4py's
        """An empty Info: nothing has started the ranks that would say something of it."""
        return cls.Create()

    def _known(self) -> dict[str, str]:
        known: dict[str, str] = self._alive("items")
        return known

    def Free(self) -> None:
        """Ends it."""
        self._known()
        self._forget()

    def Dup(self) -> Self:
        """An Info with the same items."""
        return type(self).Create(dict(self._known()))

    def copy(self) -> Self:
        """An Info with the same items; of a null one, a null one."""
        return type(self)() if self._state is None else self.Dup()

    def Get(self, key: str) -> str | None:
        """Value of a key, None without one."""
        return self._known().get(key)

    def Set(self, key: str, value: str) -> None:
        """Sets the value of a key."""
        if len(key) > VALUES["MAX_INFO_KEY"] or not key:
            raise MpiError(f"key {key!r}: accepted: 1 to {VALUES['MAX_INFO_KEY']} characters")
        self._known()[key] = value

    def Delete(self, key: str) -> None:
        """Takes a key out."""
        if key not in self._known():
            raise MpiError(f"key {key!r}: not set", error_class=VALUES["ERR_INFO_NOKEY"])
        del self._known()[key]

    def Get_nkeys(self) -> int:
        """Number of keys."""
        return len(self._known())

    def Get_nthkey(self, n: int) -> str:
        """The key of a number."""
        if not 0 <= n < len(self._known()):
            raise MpiError(
                f"key number {n}: accepted: 0 to {len(self._known()) - 1}",
                error_class=VALUES["ERR_ARG"],
            )
        return list(self._known())[n]

    def __len__(self) -> int:
        return 0 if self._state is None else len(self._state)

    def __bool__(self) -> bool:
        return self._state is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, key: str) -> bool:
        return self._state is not None and key in self._state

    def __getitem__(self, item: str) -> str:
        if item not in self:
            raise KeyError(item)
        return self._known()[item]

    def __setitem__(self, item: str, value: str) -> None:
        self._check_key(item)
        self.Set(item, value)

    def __delitem__(self, item: str) -> None:
        if item not in self:
            raise KeyError(item)
        self.Delete(item)

    def __reduce__(self) -> Any:
        if self._state is None or self._is_predefined():
            return super().__reduce__()
        return type(self).Create, (dict(self._state),)

    def _is_predefined(self) -> bool:
        return self._state is NAMED["INFO_ENV"]._state

    def _check_key(self, key: str) -> None:
        """Raises `KeyError` of a null Info, as the methods of mpi4py do that dictionaries have."""
        if self._state is None:
            raise KeyError(key)

    def get(self, key: str, default: str | None = None) -> str | None:
        """Value of a key."""
        return default if self._state is None else self._state.get(key, default)

    def keys(self) -> list[str]:
        """All keys."""
        return list(self._state or ())

    def values(self) -> list[str]:
        """All values."""
        return list((self._state or {}).values())

    def items(self) -> list[tuple[str, str]]:
        """All keys with their values."""
        return list((self._state or {}).items())

    def update(
        self, items: Info | Mapping[str, str] | Iterable[tuple[str, str]] = (), **kwds: str
    ) -> None:
        """Sets many."""
        self._check_key("update")
        rows: Any = items.items() if hasattr(items, "items") else items
        for key, value in [*rows, *kwds.items()]:
            self.Set(key, value)

    def pop(self, key: str, *default: Any) -> Any:
        """Takes a key out and returns its value."""
        if key not in self and not default:
            raise KeyError(key)
        return self._known().pop(key, *default) if self._state is not None else default[0]

    def popitem(self) -> tuple[str, str]:
        """Takes the last key out."""
        if not len(self):
            raise KeyError("popitem: the Info has no keys")
        return self._known().popitem()

    def clear(self) -> None:
        """Takes all keys out."""
        if self._state is not None:
            self._state.clear()


class Errhandler(Copied):
    """What would happen at an error: here an exception, whatever the handler."""

    __slots__ = ()
    ERROR_CLASS = VALUES["ERR_ERRHANDLER"]

    @classmethod
    def of(cls, function: Callable[[Any, int], None] | str) -> Errhandler:
        """A handler that calls a function, or one of MPI's by name."""
        made = cls()
        made._state = [function]
        return made

    def __call__(self, owner: Any, code: int) -> None:
        """What `Call_errhandler` does."""
        function = self._alive("call")[0]
        if not isinstance(function, str):
            function(owner, code)
        elif function != "ERRORS_RETURN":
            raise MpiError(code)

    def Free(self) -> None:
        """Ends it."""
        self._alive("Free")
        self._state = None

    def _is_predefined(self) -> bool:
        return self._state is not None and isinstance(self._state[0], str)


NAMED: dict[str, Any] = {
    name: Errhandler.of(name) for name in ("ERRORS_ABORT", "ERRORS_ARE_FATAL", "ERRORS_RETURN")
} | {
    "ERRHANDLER_NULL": Errhandler(),
    "INFO_NULL": Info(),
    "INFO_ENV": Info.Create(),
}
"""The predefined objects by name."""
