# SPDX-License-Identifier: Apache-2.0
"""Where the smallest and the largest value is."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
value = float((comm.rank * 5 + 3) % 7)
smallest = comm.allreduce((value, comm.rank), op=MPI.MINLOC)
largest = comm.reduce((value, comm.rank), op=MPI.MAXLOC, root=0)

pair = np.dtype([("value", "f8"), ("rank", "i4")], align=True)
mine = np.zeros(2, pair)
mine["value"], mine["rank"] = [value, -value], comm.rank
found = np.zeros(2, pair)
comm.Allreduce([mine, MPI.DOUBLE_INT], [found, MPI.DOUBLE_INT], op=MPI.MINLOC)
if comm.rank == 0:
    print("smallest:", smallest, "largest:", largest)
    print("pairs:", found["value"].tolist(), found["rank"].tolist())
