# SPDX-License-Identifier: Apache-2.0
"""Sums of blocks, a block per rank: equal ones and ones of different length."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
equal = np.empty(2, dtype="i8")
comm.Reduce_scatter_block(np.arange(2 * size) * (rank + 1), equal, op=MPI.SUM)

counts = [1 + other % 3 for other in range(size)]
part = np.empty(counts[rank])
comm.Reduce_scatter(np.arange(sum(counts)) * 0.5 + rank, part, counts, op=MPI.SUM)
bits = np.empty(1, dtype="u2")
comm.Reduce_scatter_block(np.full(size, 1 << (rank % 16), dtype="u2"), bits, op=MPI.BOR)
found = comm.gather((equal.tolist(), part.tolist(), int(bits[0])), root=0)
if rank == 0:
    for line in found:
        print(*line)
