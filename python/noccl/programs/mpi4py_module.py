# SPDX-License-Identifier: Apache-2.0
"""The module `mpi4py`, in place of the real one while a program runs.

One module serves all ranks; what differs per rank, such as `COMM_WORLD`, is looked up when it is
asked for. A real mpi4py that was imported before is put back afterwards.
"""

from __future__ import annotations

import contextlib
import sys
import types
from typing import TYPE_CHECKING, Any

from noccl.errors import ProgramError
from noccl.programs import comm, constants, datatypes, named_datatypes, operators
from noccl.programs.cartesian import Cartcomm, compute_dims
from noccl.programs.groups import Group
from noccl.programs.probes import Message
from noccl.programs.requests import Prequest, Request
from noccl.programs.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from noccl.programs.hub import Hub
    from noccl.programs.link import Link

_PER_RANK: dict[str, Callable[[Link], Any]] = {"COMM_WORLD": comm.world, "COMM_SELF": comm.alone}
_VERSION = (4, 1)


class Module(types.ModuleType):
    """`mpi4py.MPI`: one object for all ranks.

    Args:
        hub: Runs the ranks.
        processor: Name of the network.
    """

    def __init__(self, hub: Hub, processor: str) -> None:
        super().__init__("mpi4py.MPI", "MPI on a simulated network.")
        self._hub = hub
        self._processor = processor
        self._found: dict[tuple[str, int], Any] = {}
        self._is_finalized: set[int] = set()
        for name, value in vars(constants).items():
            if name.isupper() and not name.startswith(("INTERNAL", "KEYVAL", "MOST", "TAG_UB")):
                setattr(self, name, value)
        self.TAG_UB = constants.KEYVAL_TAG_UB
        self.__dict__.update(named_datatypes.NAMED)
        self.__dict__.update(operators.NAMED)
        self.__dict__.update(_TYPES)
        names = set(self.__dict__) | set(_PER_RANK) | _functions()
        self.__all__ = sorted(name for name in names if not name.startswith("_"))

    def __getattr__(self, name: str) -> Any:
        make = _PER_RANK.get(name)
        if make is None:
            raise AttributeError(f"MPI.{name}: not provided; docs/programs.md lists what is")
        link = self._link()
        key = (name, link.rank)
        if key not in self._found:
            self._found[key] = make(link)
        return self._found[key]

    def _link(self) -> Link:
        rank = self._hub.current
        if rank is None:
            raise ProgramError("MPI: no rank runs; accepted: calls while a program runs")
        return self._hub.links[rank]

    def Wtime(self) -> float:
        """Simulated seconds since the start."""
        link = self._link()
        return link.session.now(link.rank) / (link.session.clock_ghz * 1e9)

    def Wtick(self) -> float:
        """Seconds of a cycle."""
        return 1 / (self._link().session.clock_ghz * 1e9)

    def Get_processor_name(self) -> str:
        """Network and rank."""
        return f"{self._processor}:{self._link().rank}"

    def Init(self) -> None:
        """Does nothing: a rank begins initialised."""

    def Init_thread(self, required: int = constants.THREAD_MULTIPLE) -> int:
        """Does nothing: a rank begins initialised."""
        return min(required, constants.THREAD_SERIALIZED)

    def Finalize(self) -> None:
        """Notes that the rank has called it."""
        self._is_finalized.add(self._link().rank)

    def Is_initialized(self) -> bool:
        """Always True."""
        return True

    def Is_finalized(self) -> bool:
        """Has the rank called Finalize?"""
        return self._link().rank in self._is_finalized

    def Query_thread(self) -> int:
        """What threads of a rank may do."""
        return constants.THREAD_SERIALIZED

    def Get_version(self) -> tuple[int, int]:
        """MPI's version."""
        return _VERSION

    def Get_library_version(self) -> str:
        """What this is."""
        from noccl import __version__  # noqa: PLC0415 - only here

        return f"NoCCL {__version__}"

    @staticmethod
    def Get_address(location: Any) -> int:
        """Address of a buffer."""
        import numpy as np  # noqa: PLC0415 - only here

        return int(np.frombuffer(location, np.uint8).ctypes.data)

    @staticmethod
    def Compute_dims(nnodes: int, dims: Any) -> list[int]:
        """Lengths of a grid of so many ranks."""
        return compute_dims(nnodes, dims)


_TYPES: dict[str, Any] = {
    "Cartcomm": Cartcomm,
    "Comm": comm.Comm,
    "Datatype": datatypes.Datatype,
    "Exception": ProgramError,
    "Group": Group,
    "Intracomm": comm.Intracomm,
    "Message": Message,
    "Op": operators.Op,
    "Prequest": Prequest,
    "Request": Request,
    "Status": Status,
    "COMM_NULL": None,
    "REQUEST_NULL": None,
    "GROUP_EMPTY": Group(),
    "BOTTOM": None,
    "INFO_NULL": None,
    "ERRORS_RETURN": "ERRORS_RETURN",
    "ERRORS_ARE_FATAL": "ERRORS_ARE_FATAL",
    "VERSION": _VERSION[0],
    "SUBVERSION": _VERSION[1],
}


def _functions() -> set[str]:
    return {name for name in vars(Module) if not name.startswith("_")}


class _Settings(types.SimpleNamespace):
    """`mpi4py.rc`: takes every setting, uses none."""

    def __call__(self, **settings: Any) -> None:
        self.__dict__.update(settings)


@contextlib.contextmanager
def installed(hub: Hub, processor: str) -> Iterator[Module]:
    """Has `import mpi4py` give the stand-in, until the block is left in whatever manner."""
    package = types.ModuleType("mpi4py", "MPI on a simulated network.")
    module = Module(hub, processor)
    package.__path__ = []
    package.__dict__.update(MPI=module, rc=_Settings(), __version__="4.1.0", profile=_nothing)
    before = {name: sys.modules[name] for name in _ours()}
    for name in before:
        del sys.modules[name]
    sys.modules["mpi4py"], sys.modules["mpi4py.MPI"] = package, module
    try:
        yield module
    finally:
        for name in _ours():
            del sys.modules[name]
        sys.modules.update(before)


def _ours() -> list[str]:
    return [name for name in sys.modules if name.partition(".")[0] == "mpi4py"]


def _nothing(*_: Any, **__: Any) -> None:
    pass
