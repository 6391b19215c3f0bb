# SPDX-License-Identifier: Apache-2.0
"""What is easily forgotten: nothing sent, messages to oneself, types of numbers, in place."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
status = MPI.Status()

request = comm.Irecv(np.empty(4), source=rank, tag=3)
comm.Send(np.empty(0), dest=rank, tag=3)
request.Wait(status)
part = comm.Irecv(bytearray(8), source=rank, tag=4)
comm.Send(b"12345", dest=rank, tag=4)
received = MPI.Status()
part.Wait(received)
pieces = received.Get_count(MPI.INT) == MPI.UNDEFINED, received.Get_count(MPI.BYTE)
nothing = status.Get_count(MPI.DOUBLE), status.Get_source() == rank, status.Get_tag()
comm.Allreduce(np.empty(0), np.empty(0))
comm.Sendrecv(b"", MPI.PROC_NULL, recvbuf=bytearray(1), source=MPI.PROC_NULL, status=status)
nobody = status.Get_count(MPI.BYTE), comm.recv(source=MPI.PROC_NULL)

totals = []
for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c16"):
    values = (np.arange(3) + rank).astype(kind)
    total = np.empty_like(values)
    comm.Allreduce(values, total, op=MPI.SUM)
    if kind[0] in "iu":
        low = np.empty_like(values)
        comm.Allreduce(values - values.dtype.type(1), low, op=MPI.MIN)
        bits = np.empty_like(values)
        comm.Allreduce(values, bits, op=MPI.BXOR)
        total = np.concatenate([total, low, bits])
    totals.append((kind, total.tolist()))
flags = np.array([rank == 0, True, False])
every, some = np.empty_like(flags), np.empty_like(flags)
comm.Allreduce(flags, every, op=MPI.LAND)
comm.Allreduce(flags, some, op=MPI.LOR)

place = np.array([rank, 2 * rank])
comm.Allreduce(MPI.IN_PLACE, place, op=MPI.PROD)
blocks = np.full(size, rank)
comm.Allgather(MPI.IN_PLACE, blocks)
swapped = np.arange(size) + 10 * rank
comm.Alltoall(MPI.IN_PLACE, swapped)
scanned = np.array([rank + 1])
comm.Scan(MPI.IN_PLACE, scanned)
everyone = comm.gather((pieces, nothing, nobody, place.tolist(), swapped.tolist(), int(scanned[0])))
if rank == 0:
    for line in totals:
        print(*line)
    print("flags:", every.tolist(), some.tolist())
    print("blocks:", blocks.tolist())
    for line in everyone:
        print(*line)
