# SPDX-License-Identifier: Apache-2.0
"""Windows: ghost cells by Put, a column by Get, tickets, sums under a lock, an elected rank."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
left, right = (rank - 1) % size, (rank + 1) % size

# Ghost cells: each rank writes its edges into its neighbours' rows.
row = np.zeros(6)
row[1:5] = rank * 10.0 + np.arange(4)
window = MPI.Win.Create(row, row.itemsize, comm=comm)
window.Fence(MPI.MODE_NOPRECEDE)
window.Put(row[1:2], left, 5)
window.Put(row[4:5], right, 0)
window.Fence(MPI.MODE_NOSUCCEED)
rows = comm.gather(row.tolist())

# The same between neighbours only.
row[[0, 5]] = -1
window.Post(comm.Get_group().Incl(sorted({left, right})))
window.Start(comm.Get_group().Incl(sorted({left, right})))
window.Put(row[1:2], left, 5)
window.Put(row[4:5], right, 0)
window.Complete()
window.Wait()
again = comm.gather(row.tolist())
window.Free()

# A column of the next rank's matrix.
matrix = np.arange(12, dtype="i4").reshape(3, 4) + 100 * rank
window = MPI.Win.Create(matrix, 4, comm=comm)
column, kind = np.zeros(3, "i4"), MPI.INT.Create_vector(3, 1, 4).Commit()
window.Lock(right, MPI.LOCK_SHARED)
window.Rget(column, right, [2, 1, kind]).Wait()
window.Unlock(right)
columns = comm.gather(column.tolist())
window.Free()

# Tickets of rank 0, one after the other, and a sum that one rank at a time reads and writes.
window = MPI.Win.Allocate(24 if rank == 0 else 0, 8, comm=comm)
counters = np.frombuffer(window.tomemory(), "i8")
counters[:] = 0
comm.Barrier()
tickets, one, ticket, total = [], np.ones(1, "i8"), np.zeros(1, "i8"), np.zeros(1, "i8")
window.Lock_all()
for _ in range(3):
    window.Fetch_and_op(one, ticket, 0, 0, MPI.SUM)
    window.Flush(0)
    tickets.append(int(ticket[0]))
window.Unlock_all()
for _ in range(2):
    window.Lock(0, MPI.LOCK_EXCLUSIVE)
    window.Get(total, 0, 1)
    window.Flush(0)
    total += rank + 1
    window.Put(total, 0, 1)
    window.Unlock(0)

# The rank that finds 0 writes its number; the others find it.
own, found = np.array([rank + 1]), np.zeros(1, "i8")
window.Lock(0, MPI.LOCK_SHARED)
window.Compare_and_swap(own, np.zeros(1, "i8"), found, 0, 2)
window.Unlock(0)
comm.Barrier()
taken = comm.gather((tickets, int(found[0])))
is_unified = window.model == MPI.WIN_UNIFIED
if rank == 0:
    window.Lock(0)
    elected = int(counters[2])
    print(rows, again, columns)
    print(sorted(sum((one for one, _ in taken), [])), counters[:2].tolist())
    print(all(one == sorted(one) for one, _ in taken), is_unified)
    print(sorted(one for _, one in taken) == [0] + [elected] * (size - 1))
    window.Unlock(0)
window.Free()
