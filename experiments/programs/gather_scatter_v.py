# SPDX-License-Identifier: Apache-2.0
"""Blocks of different length from and to one rank, with gaps between them."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
root = size // 2
counts = [other % 4 for other in range(size)]
starts = [5 * other for other in range(size)]
source = np.arange(5 * size, dtype="i4") if rank == root else None
mine = np.full(counts[rank], -1, "i4")
comm.Scatterv([source, counts, starts, MPI.INT] if rank == root else None, mine, root=root)
mine *= 10
whole = np.zeros(5 * size, "i4") if rank == root else None
comm.Gatherv(mine, [whole, (counts, starts), MPI.INT] if rank == root else None, root=root)
everywhere = np.zeros(sum(counts), "i4")
comm.Allgatherv(mine, [everywhere, counts])
whole = comm.bcast(whole, root=root)
if rank == 0:
    print("at the root:", whole.tolist())
    print("everywhere:", everywhere.tolist())
