# SPDX-License-Identifier: Apache-2.0
"""Many requests at once: whichever is over first, objects and buffers, synchronous sends."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
others = [other for other in range(size) if other != rank]

sends = [comm.isend({"from": rank, "to": other}, dest=other, tag=10 + rank) for other in others]
receives = [comm.irecv(source=other, tag=10 + other) for other in others]
found = MPI.Request.waitall(receives)
MPI.Request.waitall(sends)
assert [one["from"] for one in found] == others

stores = [np.zeros(other + 1) for other in others]
receives = [comm.Irecv(store, source=other) for other, store in zip(others, stores, strict=True)]
sends = [comm.Issend(np.full(rank + 1, float(rank)), dest=other) for other in others]
order, statuses = [], []
while True:
    status = MPI.Status()
    index = MPI.Request.Waitany(receives, status)
    if index == MPI.UNDEFINED:
        break
    order.append(others[index])
    statuses.append((status.Get_source(), status.Get_count(MPI.DOUBLE)))
MPI.Request.Waitall(sends)
sums = [float(store.sum()) for store in stores]

pending = comm.irecv(source=MPI.ANY_SOURCE, tag=99)
is_over, nothing = pending.test()
comm.send("last", dest=rank, tag=99)
while not is_over:
    is_over, nothing = pending.test()
lines = comm.gather((sorted(order), sorted(statuses), sums, nothing), root=0)
if rank == 0:
    for line in lines:
        print(*line)
