# SPDX-License-Identifier: Apache-2.0
"""A number goes around a ring of ranks; each rank adds its own."""

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()

if size == 1:
    total = 0
elif rank == 0:
    comm.send(0, dest=1)
    total = comm.recv(source=size - 1)
else:
    total = comm.recv(source=rank - 1) + rank
    comm.send(total, dest=(rank + 1) % size)
if rank == 0:
    print("sum of ranks:", total)
