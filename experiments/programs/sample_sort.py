# SPDX-License-Identifier: Apache-2.0
"""Sample sort: samples choose the limits, one exchange of all with all moves the keys."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
keys = np.sort(np.random.default_rng(rank).integers(0, 10_000, 50 + 7 * rank))

samples = keys[:: max(1, len(keys) // size)][:size].tolist()
ordered = sorted(sum(comm.allgather(samples), []))
limits = [ordered[len(ordered) * other // size] for other in range(1, size)]

ends = np.searchsorted(keys, limits, side="right")
counts = np.diff(np.concatenate([[0], ends, [len(keys)]])).astype(int)
incoming = np.empty(size, dtype=int)
comm.Alltoall(counts, incoming)
mine = np.empty(incoming.sum(), dtype=keys.dtype)
comm.Alltoallv([keys, counts], [mine, incoming])
mine.sort()

lengths = comm.gather(len(mine), root=0)
whole = np.empty(sum(lengths), dtype=keys.dtype) if rank == 0 else None
comm.Gatherv(mine, [whole, lengths] if rank == 0 else None, root=0)
if rank == 0:
    print("keys:", len(whole), "sorted:", bool(np.all(np.diff(whole) >= 0)))
    print("per rank:", lengths)
    print("some:", whole[:: len(whole) // 10].tolist())
