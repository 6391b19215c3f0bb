# SPDX-License-Identifier: Apache-2.0
"""Collectives of neighbours in grids and graphs: blocking, non-blocking, persistent."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
dims = MPI.Compute_dims(size, 2)
around = [(rank + step) % size for step in (1, 2)]
before = [(rank - step) % size for step in (1, 2)]
ends = list(np.cumsum([2] * size))
pairs = [edge for other in range(size) for edge in ((other - 1) % size, (other + 1) % size)]
weights = [rank + 1, rank + 2]

open_grid = comm.Create_cart(dims, periods=[False, True])
graph = comm.Create_graph(ends, pairs)
adjacent = comm.Create_dist_graph_adjacent(before, around, weights, weights)
spread = comm.Create_dist_graph([rank], [2], around)
kinds = {"grid": open_grid, "graph": graph, "adjacent": adjacent}
lines = [
    (
        open_grid.topo,
        open_grid.Shift(0, 1),
        open_grid.Shift(1, 2),
        open_grid.Sub([False, True]).dims,
    ),
    (graph.topo, graph.neighbors, graph.Get_neighbors_count(0), graph.dims),
    (adjacent.Get_dist_neighbors(), adjacent.Get_dist_neighbors_count()),
    # In which order MPI has the neighbours that other ranks have given is not defined.
    [sorted(found) for found in (*spread.inoutedges, spread.neighbor_allgather(rank))],
    spread.Get_dist_neighbors_count(),
    [topo.Get_topology() for topo in kinds.values()] == [MPI.CART, MPI.GRAPH, MPI.DIST_GRAPH],
    (
        comm.Cart_map(dims),
        comm.Graph_map(ends, pairs),
        type(open_grid.Dup()).__name__,
        comm.is_topo,
        graph.is_topo,
    ),
]
for name, topo in kinds.items():
    n, m = topo.indegree, topo.outdegree
    lines.append((name, topo.degrees, topo.neighbor_allgather(rank * 2)))
    lines.append(topo.neighbor_alltoall([(rank, edge) for edge in range(m)]))
    own = np.arange(3, dtype="i4") + 10 * rank
    each = np.arange(3 * m, dtype="i4") + 100 * rank
    came, all_of = np.full((2, 3 * n), -1, "i4")
    topo.Neighbor_allgather(own, came)
    topo.Neighbor_alltoall(each, all_of)
    lines.append((came.tolist(), all_of.tolist()))
    counts = [2] * m, [2] * n
    came, all_of = np.full((2, 4 * n), -1, "i4")
    requests = [
        topo.Ineighbor_allgatherv([own, 2], [came, (counts[1], [3 * e for e in range(n)])]),
        topo.Ineighbor_alltoallv([each, counts[0]], [all_of, counts[1]]),
    ]
    MPI.Request.Waitall(requests)
    lines.append((came.tolist(), all_of.tolist()))
    came = np.full(n, -1, "i4")
    offsets = [4 * edge for edge in range(max(n, m))]
    again = topo.Neighbor_alltoallw_init(
        [each, ([1] * m, offsets[:m]), [MPI.INT] * m], [came, ([1] * n, offsets[:n]), [MPI.INT] * n]
    )
    for step in range(2):
        each[:] += step
        again.Start()
        again.Wait()
        lines.append((came.tolist(), bool(again)))
    again.Free()

found = comm.gather(lines)
if rank == 0:
    for line in zip(*found, strict=True):
        print(line)
