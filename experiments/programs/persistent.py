# SPDX-License-Identifier: Apache-2.0
"""Requests that begin many times, and tests that let time pass."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
outgoing, incoming = np.array([rank], dtype="i8"), np.empty(1, dtype="i8")
send = comm.Send_init(outgoing, dest=(rank + 1) % size, tag=1)
receive = comm.Recv_init(incoming, source=(rank - 1) % size, tag=1)
seen = []
for _ in range(size):
    MPI.Prequest.Startall([send, receive])
    while not receive.Test():
        pass
    send.Wait()
    seen.append(int(incoming[0]))
    outgoing[0] = incoming[0]
requests = [comm.Irecv(np.empty(1), source=other, tag=2) for other in range(size)]
for other in range(size):
    comm.Isend(np.array([1.0]), dest=other, tag=2)
left = size
while left:
    left -= len(MPI.Request.Waitsome(requests))
rows = comm.gather(seen, root=0)
if rank == 0:
    print("back at its origin:", all(row[-1] == other for other, row in enumerate(rows)))
    print("rank 0 saw:", rows[0])
