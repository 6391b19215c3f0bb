# SPDX-License-Identifier: Apache-2.0
"""Jacobi iteration for Laplace's equation on a square, rows divided among ranks.

Usage: jacobi.py [POINTS [ITERATIONS]]. The upper edge is held at 1, the other edges at 0. Each
iteration exchanges a row with both neighbours and adds up how much the solution has changed.
"""

import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
points = int(sys.argv[1]) if len(sys.argv) > 1 else 32
iterations = int(sys.argv[2]) if len(sys.argv) > 2 else 20

# Inner rows of this rank, and one row of each neighbour (or edge) above and below.
first = points * rank // size
rows = points * (rank + 1) // size - first
grid = np.zeros((rows + 2, points + 2))
if rank == 0:
    grid[0, :] = 1.0
above = rank - 1 if rank > 0 else MPI.PROC_NULL
below = rank + 1 if rank < size - 1 else MPI.PROC_NULL

# On a simulated network Python takes no time: four additions and a multiplication per point.
compute = getattr(comm, "compute", None)
change = np.empty(1)
start = MPI.Wtime()
for _ in range(iterations):
    comm.Sendrecv(grid[1], dest=above, recvbuf=grid[-1], source=below)
    comm.Sendrecv(grid[-2], dest=below, recvbuf=grid[0], source=above)
    inner = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
    if compute is not None:
        compute(cycles=5 * inner.size)
    own = np.array([np.sum((inner - grid[1:-1, 1:-1]) ** 2)])
    grid[1:-1, 1:-1] = inner
    comm.Allreduce(own, change, op=MPI.SUM)
seconds = MPI.Wtime() - start

total = comm.reduce(float(grid[1:-1, 1:-1].sum()), op=MPI.SUM, root=0)
if rank == 0:
    print(f"{points} x {points} points, {iterations} iterations")
    print(f"change: {np.sqrt(change[0]):.10f}")
    print(f"mean: {total / points**2:.10f}")
    print(f"time: {seconds * 1e6:.1f} us", file=sys.stderr)
