# SPDX-License-Identifier: Apache-2.0
"""`Topocomm`: communicators whose ranks have neighbours."""

from __future__ import annotations

from typing import Any, Self

from noccl.programs.comm import Intracomm
from noccl.programs.neighbours import NeighbourCollectives
from noccl.programs.prequests import Prequest
from noccl.programs.requests import Request


class Topocomm(NeighbourCollectives, Intracomm):
    """A grid or a graph of ranks."""

    __slots__ = ()

    def __new__(cls, comm: Any = None, *_: Any, **__: Any) -> Self:
        """A copy of the same communicator; without one, a null communicator."""
        made = super().__new__(cls, comm)
        if comm and made._state.topology is None:
            raise TypeError(f"{cls.__name__} of a communicator without topology")
        return made

    @property
    def degrees(self) -> tuple[int, int]:
        """Numbers of edges in and out."""
        sources, destinations = self._edges()
        return len(sources), len(destinations)

    inoutedges: property = property(lambda self: self._edges())
    inedges: property = property(lambda self: self._edges()[0])
    outedges: property = property(lambda self: self._edges()[1])
    indegree: property = property(lambda self: self.degrees[0])
    outdegree: property = property(lambda self: self.degrees[1])

    def Ineighbor_allgather(self, sendbuf: Any, recvbuf: Any) -> Request:
        """The buffer of this rank for each neighbour, and theirs, by edge."""
        return self._begin("Neighbor_allgather", sendbuf, recvbuf)

    def Ineighbor_allgatherv(self, sendbuf: Any, recvbuf: Any) -> Request:
        """The same, each buffer to its place."""
        return self._begin("Neighbor_allgatherv", sendbuf, recvbuf)

    def Ineighbor_alltoall(self, sendbuf: Any, recvbuf: Any) -> Request:
        """A block for each neighbour, and theirs for this rank, by edge."""
        return self._begin("Neighbor_alltoall", sendbuf, recvbuf)

    def Ineighbor_alltoallv(self, sendbuf: Any, recvbuf: Any) -> Request:
        """The same with a length per edge."""
        return self._begin("Neighbor_alltoallv", sendbuf, recvbuf)

    def Ineighbor_alltoallw(self, sendbuf: Any, recvbuf: Any) -> Request:
        """The same with a datatype per edge, displacements in bytes."""
        return self._begin("Neighbor_alltoallw", sendbuf, recvbuf)

    def Neighbor_allgather_init(self, sendbuf: Any, recvbuf: Any, info: object = None) -> Prequest:  # noqa: ARG002 - mpi4py's
        """The buffer of this rank for each neighbour, and theirs, by edge."""
        return self._again("Neighbor_allgather", sendbuf, recvbuf)

    def Neighbor_allgatherv_init(self, sendbuf: Any, recvbuf: Any, info: object = None) -> Prequest:  # noqa: ARG002
        """The same, each buffer to its place."""
        return self._again("Neighbor_allgatherv", sendbuf, recvbuf)

    def Neighbor_alltoall_init(self, sendbuf: Any, recvbuf: Any, info: object = None) -> Prequest:  # noqa: ARG002
        """A block for each neighbour, and theirs for this rank, by edge."""
        return self._again("Neighbor_alltoall", sendbuf, recvbuf)

    def Neighbor_alltoallv_init(self, sendbuf: Any, recvbuf: Any, info: object = None) -> Prequest:  # noqa: ARG002
        """The same with a length per edge."""
        return self._again("Neighbor_alltoallv", sendbuf, recvbuf)

    def Neighbor_alltoallw_init(self, sendbuf: Any, recvbuf: Any, info: object = None) -> Prequest:  # noqa: ARG002
        """The same with a datatype per edge, displacements in bytes."""
        return self._again("Neighbor_alltoallw", sendbuf, recvbuf)
