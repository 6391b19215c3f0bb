# SPDX-License-Identifier: Apache-2.0
"""Collectives of neighbours in a grid or a graph: messages along its edges.

Between two ranks with several edges, the first message sent is for the first edge of the receiver.
In a grid, what is sent in a direction arrives from the opposite one, also where both neighbours of
a dimension are the same rank: there the receives of each pair of edges begin in reverse order.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from noccl.programs.buffers import Buffer, read, read_blocks
from noccl.programs.constants import PROC_NULL
from noccl.programs.failures import MpiError
from noccl.programs.link import call_site
from noccl.programs.mpi_values import VALUES
from noccl.programs.vector_collectives import VectorCollectives

if TYPE_CHECKING:
    from collections.abc import Sequence


class NeighbourCollectives(VectorCollectives):
    """The blocking ones; the topology of the communicator has the edges."""

    __slots__ = ()

    def _edges(self) -> tuple[list[int], list[int]]:
        """Ranks that this one receives from and sends to."""
        topology = self._alive("Neighbor_alltoall").topology
        if topology is None:
            raise MpiError(
                "neighbours: the communicator has none; accepted: a grid or a graph",
                error_class=VALUES["ERR_TOPOLOGY"],
            )
        sources, destinations = topology.edges_of(self._rank)
        return list(sources), list(destinations)

    def Neighbor_allgather(self, sendbuf: Any, recvbuf: Any) -> None:
        """The buffer of this rank for each neighbour, and theirs, by edge."""
        where, (sources, destinations) = call_site(), self._edges()
        data = read(sendbuf, "sendbuf").take()
        into = self._equal_blocks(recvbuf, "recvbuf", len(sources), writable=True)
        self._agree(where, "Neighbor_allgather")
        self._put_some(into, self._along_edges([data] * len(destinations), where))

    def Neighbor_allgatherv(self, sendbuf: Any, recvbuf: Any) -> None:
        """The same, each buffer to its place."""
        where, (sources, destinations) = call_site(), self._edges()
        data = read(sendbuf, "sendbuf").take()
        into = read_blocks(recvbuf, "recvbuf", len(sources), writable=True)
        self._agree(where, "Neighbor_allgatherv")
        self._put_some(into, self._along_edges([data] * len(destinations), where))

    def Neighbor_alltoall(self, sendbuf: Any, recvbuf: Any) -> None:
        """A block for each neighbour, and theirs for this rank, by edge."""
        where, (sources, destinations) = call_site(), self._edges()
        blocks = self._equal_blocks(sendbuf, "sendbuf", len(destinations))
        into = self._equal_blocks(recvbuf, "recvbuf", len(sources), writable=True)
        self._agree(where, "Neighbor_alltoall")
        self._put_some(into, self._along_edges([block.take() for block in blocks], where))

    def Neighbor_alltoallv(self, sendbuf: Any, recvbuf: Any) -> None:
        """The same with a length per edge."""
        where, (sources, destinations) = call_site(), self._edges()
        blocks = read_blocks(sendbuf, "sendbuf", len(destinations))
        into = read_blocks(recvbuf, "recvbuf", len(sources), writable=True)
        self._agree(where, "Neighbor_alltoallv")
        self._put_some(into, self._along_edges([block.take() for block in blocks], where))

    def Neighbor_alltoallw(self, sendbuf: Any, recvbuf: Any) -> None:
        """The same with a datatype per edge, displacements in bytes."""
        where, (sources, destinations) = call_site(), self._edges()
        blocks = self._blocks_of_kinds(sendbuf, "sendbuf", len(destinations))
        into = self._blocks_of_kinds(recvbuf, "recvbuf", len(sources), writable=True)
        self._agree(where, "Neighbor_alltoallw")
        self._put_some(into, self._along_edges([block.take() for block in blocks], where))

    def neighbor_allgather(self, sendobj: Any) -> list[Any]:
        """The object of this rank for each neighbour, and theirs; None without a neighbour."""
        where, (_, destinations) = call_site(), self._edges()
        self._agree(where, "neighbor_allgather")
        data = pickle.dumps(sendobj, pickle.HIGHEST_PROTOCOL)
        return _loaded(self._along_edges([data] * len(destinations), where))

    def neighbor_alltoall(self, sendobj: Sequence[Any]) -> list[Any]:
        """An object for each neighbour, and theirs; None without a neighbour."""
        where, (_, destinations) = call_site(), self._edges()
        self._agree(where, "neighbor_alltoall")
        if len(sendobj) != len(destinations):
            raise MpiError(f"{len(sendobj)} objects: accepted: {len(destinations)}, one per edge")
        blocks = [pickle.dumps(value, pickle.HIGHEST_PROTOCOL) for value in sendobj]
        return _loaded(self._along_edges(blocks, where))

    def _along_edges(self, blocks: Sequence[bytes], where: str) -> list[bytes | None]:
        """Sends a block along each edge; what has come along each, None without a neighbour."""
        self._compose()
        sources, destinations = self._edges()
        order = list(range(len(sources)))
        if self._state.topology.ARE_PAIRS:
            order = [edge ^ 1 for edge in order]
        receives = [
            (edge, self._receive_bytes(sources[edge], where))
            for edge in order
            if sources[edge] != PROC_NULL
        ]
        sends = [
            self._send_bytes(data, to, where)
            for to, data in zip(destinations, blocks, strict=True)
            if to != PROC_NULL
        ]
        came = self._all_of([number for _, number in receives] + sends, where)
        found: list[bytes | None] = [None] * len(sources)
        for (edge, _), data in zip(receives, came, strict=False):
            found[edge] = data or b""
        return found

    def _equal_blocks(
        self, spec: Any, name: str, count: int, *, writable: bool = False
    ) -> list[Buffer]:
        if count == 0:
            return []
        first = read(spec, name, writable=writable, blocks=count)
        return [first.part(index * first.count, first.count) for index in range(count)]

    def _put_some(self, into: list[Buffer], blocks: list[bytes | None]) -> None:
        for edge, (buffer, data) in enumerate(zip(into, blocks, strict=True)):
            if data is not None:
                self._put(buffer, data, edge)


def _loaded(blocks: list[bytes | None]) -> list[Any]:
    return [None if data is None else pickle.loads(data) for data in blocks]  # noqa: S301 - own
