# SPDX-License-Identifier: Apache-2.0
"""`MPI.Session`: the ranks of a program by the names of MPI, all of them or the rank alone."""

from __future__ import annotations

from typing import Any, Self

from noccl.programs.buffered import Store
from noccl.programs.described import WithErrhandler
from noccl.programs.failures import MpiError
from noccl.programs.groups import Group
from noccl.programs.handles import Copied
from noccl.programs.info import Errhandler, Info
from noccl.programs.mpi_lookup import mpi
from noccl.programs.mpi_values import VALUES
from noccl.programs.requests import Request

_SETS = ("mpi://WORLD", "mpi://SELF")
# Of `Store`: the buffer of sessions.
_OF_SESSION = -2


class _SessionState:
    """What all copies of a session share."""

    def __init__(self, info: Any, errhandler: Any) -> None:
        self.info: dict[str, str] = dict(info.items()) if info else {}
        self.errhandler = None if errhandler is None else Errhandler(errhandler)


class Session(Copied, WithErrhandler):
    """A session; a program may have many, all of the same ranks."""

    __slots__ = ()
    ERROR_CLASS = VALUES["ERR_SESSION"]

    @classmethod
    def Init(cls, info: Any = None, errhandler: Any = None) -> Self:
        """A new session."""
        made = cls()
        made._state = _SessionState(info, errhandler)
        return made

    def Finalize(self) -> None:
        """Ends the session."""
        self._alive("Finalize")
        self._forget()

    def free(self) -> None:
        """Ends the session; does nothing to a null one."""
        if self:
            self.Finalize()

    def Get_info(self) -> Info:
        """What `Init` was given."""
        return Info.Create(self._alive("Get_info").info)

    def Get_num_psets(self, info: Any = None) -> int:  # noqa: ARG002 - mpi4py's
        """Number of named sets of ranks."""
        self._alive("Get_num_psets")
        return len(_SETS)

    def Get_nth_pset(self, n: int, info: Any = None) -> str:  # noqa: ARG002 - mpi4py's
        """Name of a set of ranks."""
        self._alive("Get_nth_pset")
        if not 0 <= n < len(_SETS):
            raise MpiError(
                f"Get_nth_pset: {n}; accepted: 0 to {len(_SETS) - 1}",
                error_class=VALUES["ERR_ARG"],
            )
        return _SETS[n]

    def Get_pset_info(self, pset_name: str) -> Info:
        """Number of ranks of a set, as `mpi_size`."""
        group = self.Create_group(pset_name)
        return Info.Create({"mpi_size": str(group.Get_size())})

    def Create_group(self, pset_name: str) -> Group:
        """The ranks of a set."""
        self._alive("Create_group")
        if pset_name not in _SETS:
            raise MpiError(
                f"set of ranks {pset_name!r}: accepted: {', '.join(_SETS)}",
                error_class=VALUES["ERR_ARG"],
            )
        comm = mpi().COMM_WORLD if pset_name == _SETS[0] else mpi().COMM_SELF
        group: Group = comm.Get_group()
        return group

    def Attach_buffer(self, buf: Any) -> None:
        """Attaches a buffer for buffered sends."""
        link = mpi().COMM_SELF._link
        Store.of(link).attach(_OF_SESSION, buf)

    def Detach_buffer(self) -> Any:
        """Waits for the buffered sends; returns the buffer."""
        link = mpi().COMM_SELF._link
        return Store.of(link).detach(_OF_SESSION, link)

    def Flush_buffer(self) -> None:
        """Waits for the buffered sends."""
        link = mpi().COMM_SELF._link
        Store.of(link).flush(_OF_SESSION, link)

    def Iflush_buffer(self) -> Request:
        """The same with a request, which is over."""
        self.Flush_buffer()
        return Request(mpi().COMM_SELF._link)
