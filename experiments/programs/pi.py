# SPDX-License-Identifier: Apache-2.0
"""Pi by the midpoint rule: each rank sums its share, one reduction adds the shares."""

import math
import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
intervals = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

intervals = comm.bcast(intervals, root=0)
places = (np.arange(comm.rank, intervals, comm.size) + 0.5) / intervals
share = np.array([np.sum(4 / (1 + places * places)) / intervals])
pi = np.empty(1)
comm.Reduce(share, pi, op=MPI.SUM, root=0)
if comm.rank == 0:
    print(f"pi: {pi[0]:.12f}")
    print(f"error: {abs(pi[0] - math.pi):.3e}")
