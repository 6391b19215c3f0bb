# SPDX-License-Identifier: Apache-2.0
"""Persistent collectives, buffered sends, status of requests, in-place forms, matched probes."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
right, left = (rank + 1) % size, (rank - 1) % size
lines = []

own, block, every = np.zeros(2), np.zeros(2), np.zeros(2 * size)
parts = np.zeros(2 * size)
counts = [2] * size
begun = {
    "barrier": (comm.Barrier_init(), None),
    "bcast": (comm.Bcast_init(own, root=size - 1), own),
    "gather": (comm.Gather_init(own, every, root=0), every),
    "scatter": (comm.Scatter_init(parts, block, root=0), block),
    "allgather": (comm.Allgather_init(own, every), every),
    "allgatherv": (comm.Allgatherv_init(own, [every, counts]), every),
    "alltoall": (comm.Alltoall_init(parts, every), every),
    "alltoallv": (comm.Alltoallv_init([parts, counts], [every, counts]), every),
    "reduce": (comm.Reduce_init(own, block, op=MPI.MAX, root=0), block),
    "allreduce": (comm.Allreduce_init(own, block), block),
    "blocks": (comm.Reduce_scatter_block_init(parts, block), block),
    "scatterv": (comm.Reduce_scatter_init(parts, block, counts), block),
    "scan": (comm.Scan_init(own, block), block),
    "exscan": (comm.Exscan_init(own, block), block),
}
for name, (request, result) in begun.items():
    for step in range(2):
        own[:], parts[:] = rank + step, np.arange(2 * size) * (rank + 1 + step)
        block[:] = every[:] = -1
        request.Start()
        request.Wait()
        lines.append((name, None if result is None else result.tolist()))
    request.Free()
    lines.append((bool(request), request == MPI.REQUEST_NULL))

MPI.Attach_buffer(bytearray(4096 + 8 * MPI.BSEND_OVERHEAD))
for value in range(3):
    comm.bsend({"of": rank, "value": value}, dest=right, tag=value)
comm.Bsend(np.full(4, rank, "i4"), dest=right, tag=9)
comm.Ibsend(np.full(4, rank + 1, "i4"), dest=right, tag=9).Wait()
again = comm.Bsend_init(np.full(4, rank + 2, "i4"), dest=right, tag=9)
again.Start()
again.Wait()
lines.append([comm.recv(source=left, tag=value) for value in (2, 0, 1)])
came = np.empty((3, 4), "i4")
for row in came:
    comm.Recv(row, source=left, tag=9)
lines.append((came.tolist(), len(MPI.Detach_buffer()) > 4096))

status = MPI.Status()
request = comm.irecv(source=left, tag=4)
comm.send("seen", dest=right, tag=4)
while not request.Get_status(status):
    pass
lines.append(
    (status.Get_source() == left, status.tag, bool(request), request.wait(), bool(request))
)
requests = [comm.isend(rank, dest=right, tag=5), comm.irecv(source=left, tag=5)]
while not MPI.Request.Get_status_all(requests):
    pass
lines.append((sorted(MPI.Request.Get_status_some(requests)), MPI.Request.waitall(requests)[1]))
lines.append(
    (MPI.Request.testsome(requests), MPI.Request.Testany(requests), requests[0] == MPI.REQUEST_NULL)
)
both = np.full(3, rank, "i4")
comm.Isendrecv_replace(both, dest=right, source=left).Wait()
lines.append(both.tolist())
comm.isend(np.arange(rank + 1), dest=right, tag=6).Free()
message = comm.mprobe(source=left, tag=6, status=status)
lines.append((message.recv().tolist(), message == MPI.MESSAGE_NULL))
lines.append((comm.Mprobe(MPI.PROC_NULL) == MPI.MESSAGE_NO_PROC, comm.Iprobe(tag=77)))

for place in (MPI.IN_PLACE, None):
    row = np.full(size, -1, "i4")
    row[rank] = rank
    comm.Allgather(place, row)
    total = np.full(2, rank, "i4")
    comm.Allreduce(place, total)
    before = np.full(2, rank, "i4")
    comm.Scan(place, before)
    shared = np.arange(size, dtype="i4")
    comm.Reduce_scatter_block(place, shared)
    swapped = np.arange(size, dtype="i4") + 10 * rank
    comm.Alltoall(place, swapped)
    root = np.full(2, rank, "i4")
    comm.Reduce(place if rank == 0 else root, root if rank == 0 else None)
    lines.append(
        (row.tolist(), total.tolist(), before.tolist(), shared[0], swapped.tolist(), root.tolist())
    )

found = comm.gather(lines)
if rank == 0:
    for line in zip(*found, strict=True):
        print(*line)
