# SPDX-License-Identifier: Apache-2.0
"""The package `mpi4py`: its settings, which have no effect here, and its modules."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION = "4.1.2"
"""The mpi4py whose names these are."""
_HERE = __name__.rpartition(".")[0]
_MODULES = {
    "mpi4py.futures": f"{_HERE}.futures",
    "mpi4py.typing": f"{_HERE}.typing",
    "mpi4py.util": _HERE,
    "mpi4py.util.dtlib": f"{_HERE}.dtlib",
    "mpi4py.util.pkl5": f"{_HERE}.pkl5",
    "mpi4py.util.sync": f"{_HERE}.sync",
}
_ABSENT = {
    "mpi4py.bench": "noccl matrix and noccl compare",
    "mpi4py.run": "noccl run program",
    "mpi4py.util.pool": "mpi4py.futures",
}


class Settings:
    """`mpi4py.rc`: takes mpi4py's settings, uses none."""

    def __init__(self, **settings: Any) -> None:
        self.__dict__.update(
            initialize=True,
            threads=True,
            thread_level="multiple",
            finalize=None,
            fast_reduce=True,
            recv_mprobe=True,
            irecv_bufsz=32768,
            errors="exception",
        )
        self(**settings)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            known = ", ".join(self.__dict__)
            raise TypeError(f"object has no attribute {name!r}; accepted: {known}")
        self.__dict__[name] = value

    def __call__(self, **settings: Any) -> None:
        """Sets many."""
        for name, value in settings.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        return "<mpi4py.rc>"


def made(mpi: types.ModuleType) -> types.ModuleType:
    """The package around `mpi4py.MPI`."""
    package = types.ModuleType("mpi4py", "MPI on a simulated network.")
    package.__path__ = []
    package.__file__ = __file__
    package.__dict__.update(
        MPI=mpi,
        rc=mpi._settings,
        __version__=VERSION,
        profile=_nothing,
        get_config=dict,
        get_include=lambda: "",
    )
    return package


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of the package."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - Python's
        target: types.ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        """The module of a name of mpi4py's."""
        if fullname in _ABSENT:
            # Without a name, by which `from ... import` would replace the message.
            raise ModuleNotFoundError(f"{fullname}: not provided; accepted: {_ABSENT[fullname]}")
        if fullname not in _MODULES:
            return None
        is_package = fullname == "mpi4py.util"
        return importlib.machinery.ModuleSpec(fullname, self, is_package=is_package)

    def exec_module(self, module: types.ModuleType) -> None:
        """Gives the module the names of ours."""
        ours = importlib.import_module(_MODULES[module.__name__])
        # Modules of ours are none of mpi4py's.
        kept = {
            name: value
            for name, value in vars(ours).items()
            if not name.startswith("__") and not isinstance(value, types.ModuleType)
        }
        module.__dict__.update(kept, __doc__=ours.__doc__)


def _nothing(*_: Any, **__: Any) -> None:
    pass
