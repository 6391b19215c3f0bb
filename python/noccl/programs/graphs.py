# SPDX-License-Identifier: Apache-2.0
"""Graphs of ranks: one that all ranks know, and one of which each rank knows its own edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noccl.programs import constants
from noccl.programs.failures import MpiError, ValueMpiError
from noccl.programs.link import call_site
from noccl.programs.mpi_values import VALUES
from noccl.programs.topologies import Topocomm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noccl.programs.comm import Intracomm

_UNWEIGHTED, _EMPTY = VALUES["UNWEIGHTED"], VALUES["WEIGHTS_EMPTY"]


class Graph:
    """Edges of all ranks: those of rank r end before `index[r]`."""

    KIND = constants.GRAPH
    ARE_PAIRS = False

    def __init__(self, index: Sequence[int], edges: Sequence[int]) -> None:
        self.index: list[int] = [int(end) for end in index]
        self.edges: list[int] = [int(edge) for edge in edges]

    def edges_of(self, rank: int) -> tuple[list[int], list[int]]:
        """Ranks that a rank receives from and sends to."""
        found = self.edges[self.index[rank - 1] if rank else 0 : self.index[rank]]
        return found, found


class Edges:
    """Edges of one rank."""

    KIND = constants.DIST_GRAPH
    ARE_PAIRS = False

    def __init__(
        self,
        sources: Sequence[int],
        destinations: Sequence[int],
        weights: tuple[list[int], list[int]] | None,
    ) -> None:
        self.sources: list[int] = [int(rank) for rank in sources]
        self.destinations: list[int] = [int(rank) for rank in destinations]
        self.weights = weights

    def edges_of(self, rank: int) -> tuple[list[int], list[int]]:  # noqa: ARG002 - as of a graph
        """Ranks that this rank receives from and sends to."""
        return self.sources, self.destinations


class Graphcomm(Topocomm):
    """A graph that all ranks know."""

    __slots__ = ()

    def _graph(self) -> Graph:
        graph: Graph = self._alive("Get_topo").topology
        return graph

    def Get_dims(self) -> tuple[int, int]:
        """Numbers of ranks and edges."""
        return len(self._graph().index), len(self._graph().edges)

    def Get_topo(self) -> tuple[list[int], list[int]]:
        """Where the edges of each rank end, and all edges."""
        return list(self._graph().index), list(self._graph().edges)

    def Get_neighbors(self, rank: int) -> list[int]:
        """Neighbours of a rank."""
        return list(self._graph().edges_of(self._rank_of("rank", rank))[0])

    def Get_neighbors_count(self, rank: int) -> int:
        """Number of neighbours of a rank."""
        return len(self.Get_neighbors(rank))

    dims: property = property(Get_dims)
    topo: property = property(Get_topo)
    nnodes: property = property(lambda self: self.Get_dims()[0])
    nedges: property = property(lambda self: self.Get_dims()[1])
    index: property = property(lambda self: self.Get_topo()[0])
    edges: property = property(lambda self: self.Get_topo()[1])
    neighbors: property = property(lambda self: self.Get_neighbors(self._rank))
    nneighbors: property = property(lambda self: self.Get_neighbors_count(self._rank))


class Distgraphcomm(Topocomm):
    """A graph of which each rank knows its own edges."""

    __slots__ = ()

    def Get_dist_neighbors_count(self) -> tuple[int, int, bool]:
        """Numbers of edges in and out; have they weights?"""
        found: Edges = self._alive("Get_dist_neighbors_count").topology
        return len(found.sources), len(found.destinations), found.weights is not None

    def Get_dist_neighbors(
        self,
    ) -> tuple[list[int], list[int], tuple[list[int], list[int]] | None]:
        """Ranks that this one receives from, sends to, and the weights."""
        found: Edges = self._alive("Get_dist_neighbors").topology
        return list(found.sources), list(found.destinations), found.weights


def create_graph(
    comm: Intracomm, index: Sequence[int], edges: Sequence[int], where: str
) -> Graphcomm:
    """Makes the graph; COMM_NULL for ranks beyond it."""
    if len(index) > 1 and index[0] == 0 and index[-1] == len(edges):
        # As mpi4py has it: ends of edges with the begin of the first rank's before them.
        index = index[1:]
    size, count = comm.Get_size(), len(index)
    is_sorted = list(index) == sorted(index) and (not index or index[-1] == len(edges))
    if count > size or not is_sorted or any(not 0 <= edge < count for edge in edges):
        raise MpiError(
            f"graph of {count} ranks: accepted: at most {size} ranks, ascending ends of their "
            "edges, edges to ranks of the graph",
            error_class=VALUES["ERR_ARG"],
        )
    color = 0 if comm.Get_rank() < count else constants.UNDEFINED
    made: Graphcomm = comm._other(
        Graphcomm, comm._split(color, comm.Get_rank(), where, "Create_graph")
    )
    if made:
        made._state.topology = Graph(index, edges)
    return made


def create_adjacent(
    comm: Intracomm,
    sources: Sequence[int],
    destinations: Sequence[int],
    weights: tuple[Any, Any],
    where: str,
) -> Distgraphcomm:
    """Makes the graph from each rank's own neighbours."""
    sources, destinations = sources or [], destinations or []
    for rank in (*sources, *destinations):
        if rank != constants.PROC_NULL:
            comm._rank_of("neighbour", rank)
    found = comm._split(0, comm.Get_rank(), where, "Create_dist_graph_adjacent")
    made: Distgraphcomm = comm._other(Distgraphcomm, found)
    has_weights = any(_has_weights(given) for given in weights)
    lists = (_weights(weights[0], len(sources)), _weights(weights[1], len(destinations)))
    made._state.topology = Edges(sources, destinations, lists if has_weights else None)
    return made


def create_distributed(
    comm: Intracomm,
    sources: Sequence[int],
    degrees: Sequence[int],
    destinations: Sequence[int],
    weights: Any,
) -> Distgraphcomm:
    """Makes the graph from edges that any rank gives: all learn them by a message."""
    where = call_site()
    heads = [source for source, degree in zip(sources, degrees, strict=True) for _ in range(degree)]
    given = _weights(weights, len(destinations))
    rows = comm.allgather(
        (_has_weights(weights), list(zip(heads, destinations, given, strict=True)))
    )
    edges = [edge for _, some in rows for edge in some]
    own = comm.Get_rank()
    coming = [(head, weight) for head, tail, weight in edges if tail == own]
    going = [(tail, weight) for head, tail, weight in edges if head == own]
    kinds: tuple[Any, Any] = (_UNWEIGHTED, _UNWEIGHTED)
    if any(is_given for is_given, _ in rows):
        kinds = ([weight for _, weight in coming], [weight for _, weight in going])
    return create_adjacent(
        comm, [head for head, _ in coming], [tail for tail, _ in going], kinds, where
    )


def _has_weights(given: Any) -> bool:
    return not (given is None or isinstance(given, int)) or given == _EMPTY


def _weights(given: Any, count: int) -> list[int]:
    if isinstance(given, int) and given == VALUES["WEIGHTS_EMPTY"] and count:
        raise ValueMpiError(
            f"weights: WEIGHTS_EMPTY for {count} edges; accepted: a weight per edge"
        )
    return list(given) if not (given is None or isinstance(given, int)) else [1] * count
