# SPDX-License-Identifier: Apache-2.0
"""Powers of a matrix on a vector: rows divided among ranks, the vector gathered everywhere."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rows = 3
total = rows * comm.size
places = np.arange(comm.rank * rows, (comm.rank + 1) * rows)
matrix = 1.0 / (1 + places[:, None] + np.arange(total)[None, :])

own = np.ones(rows)
vector = np.empty(total)
for _ in range(10):
    comm.Allgather([own, MPI.DOUBLE], [vector, MPI.DOUBLE])
    own = matrix @ vector
    norm = np.array([own @ own])
    comm.Allreduce(MPI.IN_PLACE, norm, op=MPI.SUM)
    own /= np.sqrt(norm[0])
if comm.rank == 0:
    print(f"largest eigenvalue: {np.sqrt(norm[0]):.10f}")
