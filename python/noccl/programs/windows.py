# SPDX-License-Identifier: Apache-2.0
"""`MPI.Win`: memory of a rank that others read and write.

An access is a message to the target's tile, whose library carries it out and sends what was read.
So one rank's accesses to another are carried out in the order of their calls, each as a whole: an
accumulate is atomic, whatever its datatype. `window_server` says when.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from noccl.programs.buffer_forms import whole
from noccl.programs.buffers import memory as bytes_of
from noccl.programs.comm import Intracomm
from noccl.programs.constants import BOTTOM
from noccl.programs.described import Described
from noccl.programs.failures import MpiError
from noccl.programs.groups import Group
from noccl.programs.link import call_site
from noccl.programs.memories import MpiBuffer
from noccl.programs.mpi_lookup import mpi
from noccl.programs.mpi_values import VALUES
from noccl.programs.window_access import Accesses
from noccl.programs.window_state import WinState

if TYPE_CHECKING:
    from collections.abc import Callable

_FACTS: dict[int, Callable[[WinState], int]] = {
    VALUES["WIN_BASE"]: lambda state: (
        MpiBuffer.frombuffer(state.exposed.memory).address if len(state.exposed.memory) else 0
    ),
    VALUES["WIN_SIZE"]: lambda state: len(state.exposed.memory),
    VALUES["WIN_DISP_UNIT"]: lambda state: state.disp_units[state.comm._rank],
    VALUES["WIN_CREATE_FLAVOR"]: lambda state: state.flavor,
    VALUES["WIN_MODEL"]: lambda _: VALUES["WIN_UNIFIED"],
}


class Win(Accesses, Described):
    """A window, as one of its ranks sees it."""

    __slots__ = ()
    ERROR_CLASS = VALUES["ERR_WIN"]
    NULL_NAME = "MPI_WIN_NULL"

    @classmethod
    def Create(cls, memory: Any, disp_unit: int = 1, info: Any = None, comm: Any = None) -> Self:
        """A window of a buffer of this rank; None for no memory."""
        raw = memoryview(b"")
        if memory is not None and memory is not BOTTOM:
            raw, _ = bytes_of(memory, "memory", writable=True)
        return cls._collective("Create", raw, disp_unit, info, comm)

    @classmethod
    def Allocate(cls, size: int, disp_unit: int = 1, info: Any = None, comm: Any = None) -> Self:
        """A window of so many bytes."""
        return cls._collective("Allocate", _zeros(size), disp_unit, info, comm)

    @classmethod
    def Allocate_shared(
        cls, size: int, disp_unit: int = 1, info: Any = None, comm: Any = None
    ) -> Self:
        """The same, of ranks that share a memory: each rank alone."""
        given = mpi().COMM_SELF if comm is None else comm
        if given._size > 1:
            raise MpiError(
                f"Win.Allocate_shared at {call_site()}: {given._size} ranks, whose tiles share no "
                "memory; accepted: COMM_SELF, Split_type(COMM_TYPE_SHARED)",
                error_class=VALUES["ERR_RMA_SHARED"],
            )
        return cls._collective("Allocate_shared", _zeros(size), disp_unit, info, given)

    @classmethod
    def _collective(
        cls, call: str, memory: memoryview, disp_unit: int, info: Any, comm: Any
    ) -> Self:
        given: Intracomm = mpi().COMM_SELF if comm is None else comm
        given._alive(f"Win.{call}")
        unit = whole("disp_unit", disp_unit)
        if not unit:
            raise MpiError("disp_unit: 0; accepted: 1 or more", error_class=VALUES["ERR_DISP"])
        # A communicator of its own: fences are in no order with the collectives of `comm`.
        found = given._split(0, given._rank, call_site(), f"Win.{call}")
        own = given._other(Intracomm, found)
        flavor = VALUES[f"WIN_FLAVOR_{call.removeprefix('Allocate_').upper()}"]
        made = cls()
        made._state = state = WinState(own, memory, flavor)
        facts = np.empty((own._size, 2), np.int64)
        own.Allgather(np.array([len(memory), unit], np.int64), facts)
        state.sizes, state.disp_units = facts[:, 0].tolist(), facts[:, 1].tolist()
        state.info = dict(info.items()) if info else {}
        return made

    def Free(self) -> None:
        """Ends the window, in all ranks."""
        state, where = self._idle("Free"), call_site()
        state.comm._agree(where, "Win.Free")
        state.complete(state.reached(), where)
        state.comm.Barrier()
        self._end_attributes()
        del state.server.windows[state.comm._number]
        state.comm.Free()
        self._state = None

    def Get_attr(self, keyval: int) -> Any:
        """Value of a key, None without one."""
        state = self._window("Get_attr")
        return _FACTS[keyval](state) if keyval in _FACTS else super().Get_attr(keyval)

    attrs: property = property(
        lambda self: tuple(
            self.Get_attr(VALUES[f"WIN_{name}"]) for name in ("BASE", "SIZE", "DISP_UNIT")
        )
    )
    flavor: property = property(lambda self: self.Get_attr(VALUES["WIN_CREATE_FLAVOR"]))
    model: property = property(lambda self: self.Get_attr(VALUES["WIN_MODEL"]))

    def tomemory(self) -> MpiBuffer:
        """The memory of this rank."""
        return MpiBuffer.frombuffer(self._window("tomemory").exposed.memory)

    def Shared_query(self, rank: int) -> tuple[MpiBuffer, int]:
        """Memory of a rank and its unit of displacements; of another rank no memory."""
        state = self._window("Shared_query")
        comm = state.comm
        first = 0 if comm._size == 1 else -1
        asked = first if rank == VALUES["PROC_NULL"] else comm._rank_of("rank", rank)
        if asked != comm._rank:
            return MpiBuffer(), 1
        return self.tomemory(), state.disp_units[asked]

    def Get_group(self) -> Group:
        """The ranks of the window."""
        return self._window("Get_group").comm.Get_group()

    group: property = property(Get_group)
    group_rank: property = property(lambda self: self._window("group_rank").comm._rank)
    group_size: property = property(lambda self: self._window("group_size").comm._size)


def _zeros(size: int) -> memoryview:
    return memoryview(bytearray(whole("size", size)))
