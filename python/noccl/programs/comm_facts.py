# SPDX-License-Identifier: Apache-2.0
"""What a communicator knows without a message: its ranks, its topology, its end."""

from __future__ import annotations

from typing import Any, NoReturn

from noccl.programs import constants
from noccl.programs.described import Described
from noccl.programs.endpoint import Endpoint
from noccl.programs.failures import MpiError
from noccl.programs.groups import Group
from noccl.programs.link import call_site
from noccl.programs.mpi_values import VALUES


class Facts(Described, Endpoint):
    """The methods that need no other rank."""

    __slots__ = ()
    NULL_NAME = "MPI_COMM_NULL"

    def Get_rank(self) -> int:
        """Number of this rank."""
        return self._rank

    def Get_size(self) -> int:
        """Number of ranks."""
        return self._size

    @property
    def rank(self) -> int:
        """`Get_rank`."""
        return self._rank

    @property
    def size(self) -> int:
        """`Get_size`."""
        return self._size

    def compute(self, *, cycles: float) -> None:
        """Keeps this rank's core busy for so many cycles; fractions are rounded.

        Python code takes no simulated time by itself: what it stands for is stated here.

        Raises:
            ProgramError: A negative number.
        """
        whole = round(cycles)
        if whole < 0:
            raise MpiError(f"compute: {cycles} cycles; accepted: 0 or more")
        if whole:
            link = self._link
            link.check()
            link.session.compute(link.rank, whole, call_site())
            link.block()

    def Is_inter(self) -> bool:
        """Is there a second group?"""
        return self._alive("Is_inter").remote is not None

    def Is_intra(self) -> bool:
        """Is there one group?"""
        return self._alive("Is_intra").remote is None

    is_inter: property = property(Is_inter)
    is_intra: property = property(Is_intra)

    def Get_topology(self) -> int:
        """CART, GRAPH, DIST_GRAPH or UNDEFINED."""
        topology = self._alive("Get_topology").topology
        return constants.UNDEFINED if topology is None else int(topology.KIND)

    topology: property = property(lambda self: self.Get_topology())
    is_topo: property = property(lambda self: self.Get_topology() != constants.UNDEFINED)

    def Abort(self, errorcode: int = 0) -> NoReturn:
        """Ends the program in all ranks."""
        from noccl.programs.hub import AbortCalled  # noqa: PLC0415 - a circle otherwise

        raise AbortCalled(errorcode)

    def Free(self) -> None:
        """Ends the communicator."""
        state = self._alive("Free")
        if state.is_predefined:
            raise MpiError(
                f"Free of {state.name}: accepted: a communicator that the program has made",
                error_class=VALUES["ERR_COMM"],
            )
        self._end_attributes()
        self._forget()

    def _forget(self) -> None:
        self._state = None  # type: ignore[assignment]
        self._number = -1
        for name in ("_rank", "_size", "members", "_link"):
            delattr(self, name)

    Disconnect = Free

    def Get_group(self) -> Group:
        """The ranks of this communicator."""
        return Group.of(self.members, self._link.rank)

    group: property = property(Get_group)

    def Compare(self, comm: Any) -> int:
        """IDENT, CONGRUENT, SIMILAR or UNEQUAL."""
        if self._alive("Compare") is comm._alive("Compare"):
            return constants.IDENT
        found = self.Get_group().Compare(comm.Get_group())
        return constants.CONGRUENT if found == constants.IDENT else found

    def _is_predefined(self) -> bool:
        return self._state.is_predefined

    def __repr__(self) -> str:
        if not self:
            return f"<{type(self).__name__} null>"
        return f"<{type(self).__name__} rank {self._rank} of {self._size}>"

    def __getattr__(self, name: str) -> Any:
        if name in {"_rank", "_size", "members", "_link", "_known", "_agreements"}:
            raise self._is_null(f"at {call_site()}")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
