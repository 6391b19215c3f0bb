# SPDX-License-Identifier: Apache-2.0
"""Operators of one's own: products of matrices do not commute, merged intervals do."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.rank


def product(left, right, datatype):
    """Matrices of 2 by 2, the left one of the lower rank."""
    a = np.frombuffer(left, dtype="i8").reshape(-1, 2, 2)
    b = np.frombuffer(right, dtype="i8").reshape(-1, 2, 2)
    b[:] = a @ b


def span(left, right, datatype):
    """The smallest interval that holds both."""
    a, b = np.frombuffer(left, dtype="f8"), np.frombuffer(right, dtype="f8")
    b[0], b[1] = min(a[0], b[0]), max(a[1], b[1])


matrix = np.array([[1, rank % 3], [0, 1]] if rank % 2 else [[1, 0], [rank % 3, 1]], dtype="i8")
found = np.empty_like(matrix)
times = MPI.Op.Create(product, commute=False)
comm.Allreduce(matrix, found, op=times)
prefix = np.empty_like(matrix)
comm.Scan(matrix, prefix, op=times)
times.Free()

interval = np.empty(2)
hull = MPI.Op.Create(span, commute=True)
comm.Reduce(np.array([-rank * 0.5, rank * 2.0]), interval, op=hull, root=comm.size - 1)
merged = comm.allreduce({rank % 4}, op=lambda x, y: x | y)
interval = comm.bcast(interval, root=comm.size - 1)
traces = comm.gather(int(np.trace(prefix)), root=0)
if rank == 0:
    print("product:", found.ravel().tolist())
    print("traces:", traces)
    print("interval:", interval.tolist())
    print("set:", sorted(merged))
