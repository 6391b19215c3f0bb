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

from noccl.programs import (
    comm,
    constants,
    datatypes,
    groups,
    handles,
    info,
    memories,
    mpi_names,
    named_datatypes,
    operators,
    probes,
    refused_names,
)
from noccl.programs.cartesian import Cartcomm
from noccl.programs.failures import MpiError
from noccl.programs.graphs import Distgraphcomm, Graphcomm
from noccl.programs.handles import Handle
from noccl.programs.intercomm import Intercomm
from noccl.programs.mpi_functions import Functions
from noccl.programs.mpi_sessions import Session
from noccl.programs.mpi_values import VALUES
from noccl.programs.pending import Grequest
from noccl.programs.prequests import Prequest
from noccl.programs.probes import Message
from noccl.programs.requests import Request
from noccl.programs.stand_in import package as stand_in
from noccl.programs.status import Status
from noccl.programs.topologies import Topocomm
from noccl.programs.windows import Win

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from noccl.programs.hub import Hub
    from noccl.programs.link import Link

_PER_RANK: dict[str, Callable[[Link], Any]] = {"COMM_WORLD": comm.world, "COMM_SELF": comm.alone}


class Module(Functions, types.ModuleType):
    """`mpi4py.MPI`: one object for all ranks.

    Args:
        hub: Runs the ranks.
        processor: Name of the network.
    """

    def __init__(self, hub: Hub, processor: str) -> None:
        super().__init__("mpi4py.MPI", "MPI on a simulated network.")
        self.__file__: str | None = __file__
        self._hub = hub
        self._processor = processor
        self._found: dict[tuple[str, int], Any] = {}
        self._is_finalized: set[int] = set()
        self._is_initialized: set[int] = set()
        self._settings = stand_in.Settings()
        for names in (VALUES, named_datatypes.NAMED, operators.NAMED, groups.NAMED, info.NAMED):
            self.__dict__.update(names)
        self.__dict__.update(_OBJECTS)
        self.__dict__.update(_CLASSES)
        for name, row in mpi_names.refused().items():
            if row.kind == "function":
                self.__dict__[name] = refused_names.function(name, row)
        self.__all__ = sorted(name for name in known_names() if not name.startswith("_"))

    def __getattr__(self, name: str) -> Any:
        make = _PER_RANK.get(name)
        if make is None:
            raise AttributeError(f"MPI.{name}: mpi4py has no such name")
        link = self._link()
        key = (name, link.rank)
        if key not in self._found:
            self._found[key] = make(link)
        return self._found[key]

    def named_objects(self) -> Iterator[tuple[str, Handle]]:
        """The objects with a handle that have a name here."""
        for name in _PER_RANK:
            yield name, getattr(self, name)
        for name, value in vars(self).items():
            if isinstance(value, Handle):
                yield name, value

    def __dir__(self) -> list[str]:
        return sorted(known_names())


def _classes() -> dict[str, type]:
    """The classes by mpi4py's names, which they get too; what is refused is added to each."""
    provided: dict[str, type] = {
        "Comm": comm.Comm,
        "Intracomm": comm.Intracomm,
        "Intercomm": Intercomm,
        "Topocomm": Topocomm,
        "Cartcomm": Cartcomm,
        "Graphcomm": Graphcomm,
        "Distgraphcomm": Distgraphcomm,
        "Datatype": datatypes.Datatype,
        "Errhandler": info.Errhandler,
        "Info": info.Info,
        "Exception": MpiError,
        "Group": groups.Group,
        "Message": Message,
        "Op": operators.Op,
        "Request": Request,
        "Prequest": Prequest,
        "Status": Status,
        "Win": Win,
        "Grequest": Grequest,
        "Session": Session,
        "Pickle": memories.Pickle,
        "buffer": memories.MpiBuffer,
        "InPlaceType": constants.InPlaceType,
        "BottomType": constants.BottomType,
        "BufferAutomaticType": constants.BufferAutomaticType,
    }
    for name, kind in provided.items():
        refused_names.add_to(kind, name)
    return provided | {
        "memory": memories.MpiBuffer,
        "File": refused_names.make("File", error="ERR_FILE"),
    }


_CLASSES = _classes()
_OBJECTS: dict[str, Any] = {
    "COMM_NULL": comm.Comm(),
    "REQUEST_NULL": Request(),
    "OP_NULL": operators.Op(),
    "MESSAGE_NULL": Message(),
    "WIN_NULL": Win(),
    "MESSAGE_NO_PROC": probes.NO_PROC,
    "IN_PLACE": constants.IN_PLACE,
    "BOTTOM": constants.BOTTOM,
    "BUFFER_AUTOMATIC": constants.BUFFER_AUTOMATIC,
    "pickle": memories.Pickle(),
    **{f"{name.upper()}_NULL": _CLASSES[name]() for name in ("File", "Session")},
    "_typedict": named_datatypes.BY_CODE,
    "_typedict_c": named_datatypes.C_TYPES,
    "_typedict_f": named_datatypes.FORTRAN_TYPES,
    "_keyval_registry": {},
}


def known_names() -> set[str]:
    """All names of the module."""
    return {name for row in mpi_names.TABLE if not row.owner for name in row.names}


@contextlib.contextmanager
def installed(hub: Hub, processor: str) -> Iterator[Module]:
    """Has `import mpi4py` give the stand-in, until the block is left in whatever manner."""
    handles.forget()
    module = Module(hub, processor)
    package, finder = stand_in.made(module), stand_in.Finder()
    before = {name: sys.modules[name] for name in _ours()}
    for name in before:
        del sys.modules[name]
    sys.modules |= {"mpi4py": package, "mpi4py.MPI": module, "mpi4py.rc": package.rc}
    sys.meta_path.insert(0, finder)
    try:
        yield module
    finally:
        sys.meta_path.remove(finder)
        for name in _ours():
            del sys.modules[name]
        sys.modules.update(before)


def _ours() -> list[str]:
    return [name for name in sys.modules if name.partition(".")[0] == "mpi4py"]
