# SPDX-License-Identifier: Apache-2.0
"""Communicators of rows and of columns of a grid of ranks."""

from mpi4py import MPI

comm = MPI.COMM_WORLD
height, width = MPI.Compute_dims(comm.size, 2)
x, y = comm.rank % width, comm.rank // width
row = comm.Split(color=y, key=x)
column = comm.Split(color=x, key=-y)

row_sum = row.allreduce(comm.rank)
column_ranks = column.allgather(comm.rank)
first = row.bcast(comm.rank if row.rank == 0 else None, root=0)
odd = comm.Split(color=comm.rank % 2 if comm.rank % 2 else MPI.UNDEFINED)
odd_size = odd.size if odd != MPI.COMM_NULL else 0
found = comm.gather((y, x, row_sum, column_ranks, first, odd_size), root=0)
world = comm.Get_group()
others = row.Get_group().Translate_ranks(list(range(row.size)), world)
if comm.rank == 0:
    print("grid:", height, "x", width)
    print("row of rank 0:", list(others))
    for line in found:
        print(*line)
row.Free()
column.Free()
