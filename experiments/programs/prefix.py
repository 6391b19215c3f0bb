# SPDX-License-Identifier: Apache-2.0
"""Prefix sums, with and without a rank's own value."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.rank
values = np.array([rank + 1, 2 * rank], dtype="i4")
up_to, before = np.zeros(2, "i4"), np.zeros(2, "i4")
comm.Scan(values, up_to)
comm.Exscan(values, before, op=MPI.SUM)
highest = np.empty(1)
comm.Scan(np.array([float((rank * 7) % 5)]), highest, op=MPI.MAX)
words = comm.scan(chr(ord("a") + rank))
earlier = comm.exscan(chr(ord("a") + rank))
found = comm.gather((up_to.tolist(), before.tolist(), float(highest[0]), words, earlier))
if rank == 0:
    for line in found:
        print(*line)
