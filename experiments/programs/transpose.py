# SPDX-License-Identifier: Apache-2.0
"""Transpose of a matrix whose rows are divided unevenly among ranks."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
total = 2 * size + 3
limits = [total * other // size for other in range(size + 1)]
rows = np.arange(limits[rank], limits[rank + 1])
matrix = (100.0 * rows[:, None] + np.arange(total)[None, :]).astype("f4")

counts = [len(rows) * (limits[other + 1] - limits[other]) for other in range(size)]
outgoing = np.concatenate(
    [matrix[:, limits[other] : limits[other + 1]].T.ravel() for other in range(size)]
)
incoming = np.empty(len(rows) * total, "f4")
starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
comm.Alltoallv([outgoing, counts, starts, MPI.FLOAT], [incoming, (counts, starts), MPI.FLOAT])
parts = [
    incoming[start : start + count].reshape(len(rows), -1)
    for start, count in zip(starts, counts, strict=True)
]
transposed = np.hstack(parts)
expected = 100.0 * np.arange(total)[None, :] + rows[:, None]
right = comm.allreduce(bool(np.array_equal(transposed, expected)), op=MPI.LAND)
checks = comm.gather(float(transposed.sum()), root=0)
if rank == 0:
    print("right:", right)
    print("sums:", checks)
