# SPDX-License-Identifier: Apache-2.0
"""Halo exchange of a grid of ranks with nonblocking messages; columns by a derived datatype."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
dims = MPI.Compute_dims(comm.size, 2)
cart = comm.Create_cart(dims, periods=[True, False])
height, width = 4, 6
block = np.zeros((height + 2, width + 2))
block[1:-1, 1:-1] = cart.rank + np.arange(height * width).reshape(height, width) / 100

column = MPI.DOUBLE.Create_vector(height, 1, width + 2)
column.Commit()
up, down = cart.Shift(0, 1)
left, right = cart.Shift(1, 1)
for _ in range(3):
    flat = block.reshape(-1)

    def column_of(index: int, flat: np.ndarray = flat) -> list:
        """A column without its ends, as a buffer."""
        return [flat[width + 2 + index :], 1, column]

    requests = [
        cart.Irecv(block[0], source=up, tag=1),
        cart.Irecv(block[-1], source=down, tag=2),
        cart.Irecv(column_of(0), source=left, tag=3),
        cart.Irecv(column_of(width + 1), source=right, tag=4),
        cart.Isend(block[-2].copy(), dest=down, tag=1),
        cart.Isend(block[1].copy(), dest=up, tag=2),
        cart.Isend(column_of(width), dest=right, tag=3),
        cart.Isend(column_of(1), dest=left, tag=4),
    ]
    MPI.Request.Waitall(requests)
    around = block[:-2, 1:-1] + block[2:, 1:-1] + block[1:-1, :-2] + block[1:-1, 2:]
    block[1:-1, 1:-1] = around / 4
column.Free()

sums = cart.gather((cart.coords, round(float(block[1:-1, 1:-1].sum()), 9)), root=0)
if cart.rank == 0:
    print("grid of ranks:", list(dims))
    for coords, total in sums:
        print(list(coords), total)
