# SPDX-License-Identifier: Apache-2.0
"""Conjugate gradients for a tridiagonal system, rows divided among ranks."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
rows = 8
total = rows * size


def dot(x: np.ndarray, y: np.ndarray) -> float:
    """Scalar product of vectors that are divided among ranks."""
    own, found = np.array([x @ y]), np.empty(1)
    comm.Allreduce(own, found, op=MPI.SUM)
    return float(found[0])


def apply(x: np.ndarray) -> np.ndarray:
    """2.5 on the diagonal, -1 beside it."""
    before, after = np.zeros(1), np.zeros(1)
    lower = rank - 1 if rank > 0 else MPI.PROC_NULL
    upper = rank + 1 if rank < size - 1 else MPI.PROC_NULL
    comm.Sendrecv(x[-1:], upper, recvbuf=before, source=lower)
    comm.Sendrecv(x[:1], lower, recvbuf=after, source=upper)
    wide = np.concatenate([before, x, after])
    return 2.5 * x - wide[:-2] - wide[2:]


right = np.sin(np.arange(rank * rows, (rank + 1) * rows) + 1.0)
solution = np.zeros(rows)
residual = right.copy()
direction = residual.copy()
norm = dot(residual, residual)
iterations = 0
while norm > 1e-20 and iterations < total:
    image = apply(direction)
    step = norm / dot(direction, image)
    solution += step * direction
    residual -= step * image
    norm, before = dot(residual, residual), norm
    direction = residual + norm / before * direction
    iterations += 1

error = np.abs(apply(solution) - right).max()
largest = comm.allreduce(float(error), op=MPI.MAX)
whole = np.empty(total) if rank == 0 else None
comm.Gather(solution, whole, root=0)
if rank == 0:
    print("iterations:", iterations)
    print("residual below 1e-9:", largest < 1e-9)
    print("solution:", " ".join(f"{value:.9f}" for value in whole[:: max(1, total // 8)]))
