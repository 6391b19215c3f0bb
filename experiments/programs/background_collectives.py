# SPDX-License-Identifier: Apache-2.0
"""Collectives that do not block: several at once, ended in any order, beside blocking ones."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
lines = []


def show(name, *values):
    """Keeps what this rank has got."""
    lines.append((name, [np.asarray(value).tolist() for value in values]))


# All kinds at once, ended together; rank 0 comes to them last.
if rank != 0:
    comm.send(rank, dest=0, tag=3)
else:
    show("sum", sum(comm.recv(source=other, tag=3) for other in range(1, size)))
own = np.arange(4, dtype="i8") + 10 * rank
blocks = np.arange(2 * size, dtype="i8") + 100 * rank
root = size - 1
spread = own.copy()
gathered = np.zeros(4 * size, dtype="i8")
dealt, everywhere, swapped = np.zeros(2, dtype="i8"), np.zeros(4 * size, dtype="i8"), blocks * 0
total, reduced, prefix, before = (np.full(4, -1, dtype="i8") for _ in range(4))
block = np.zeros(2, dtype="i8")
requests = [
    comm.Ibarrier(),
    comm.Ibcast(spread, root=root),
    comm.Igather(own, gathered if rank == root else None, root=root),
    comm.Iscatter(blocks if rank == 0 else None, dealt, root=0),
    comm.Iallgather(own, everywhere),
    comm.Ialltoall(blocks, swapped),
    comm.Ireduce(own, reduced if rank == root else None, op=MPI.MAX, root=root),
    comm.Iallreduce(own, total),
    comm.Ireduce_scatter_block(blocks, block),
    comm.Iscan(own, prefix),
    comm.Iexscan(own, before),
]
neighbour = comm.sendrecv(rank, dest=(rank + 1) % size, source=(rank - 1) % size)
MPI.Request.Waitall(requests)
show("all", spread, gathered, dealt, everywhere, swapped, reduced, total, block, prefix, before)
show("neighbour", neighbour)

# Ended in another order than begun, with a blocking collective between them.
first, second = np.zeros(1), np.zeros(1)
one = comm.Iallreduce(np.array([1.0 + rank]), first, op=MPI.PROD)
other = comm.Iallreduce(np.array([0.5 * rank]), second)
show("blocking", comm.allreduce(rank))
other.Wait()
show("second", second)
one.Wait()
show("first", first)

# In place, of other element types, with an operator of the script's own.
places = np.zeros(size, dtype="f4")
places[rank] = rank + 0.25
taken = np.array([rank, -rank], dtype="i4")
affine = MPI.Op.Create(
    lambda left, right, _: np.frombuffer(right, dtype="i8").__setitem__(
        slice(None), 2 * np.frombuffer(left, dtype="i8") + np.frombuffer(right, dtype="i8")
    ),
    commute=False,
)
mixed = np.zeros(1, dtype="i8")
requests = [
    comm.Iallgather(MPI.IN_PLACE, places),
    comm.Iallreduce(MPI.IN_PLACE, taken, op=MPI.MIN),
    comm.Iallreduce(np.array([rank + 1], dtype="i8"), mixed, op=affine),
]
while not MPI.Request.Testall(requests):
    pass
show("in place", places, taken, mixed)
show("null", [bool(request) for request in requests])

# Blocks of different lengths.
counts = [index % 3 for index in range(size)]
joined = np.zeros(sum(counts), dtype="i8")
ragged = np.full(counts[rank], rank, dtype="i8")
part = np.zeros(counts[rank], dtype="i8")
exchanged = np.zeros(size * counts[rank], dtype="i8")
reduced = np.zeros(counts[rank], dtype="i8")
requests = [
    comm.Igatherv(ragged, [joined, counts] if rank == 0 else None, root=0),
    comm.Iscatterv([np.arange(sum(counts), dtype="i8"), counts] if rank == 0 else None, part),
    comm.Ialltoallv([np.repeat(np.arange(size), counts), counts], [exchanged, counts[rank]]),
    comm.Ireduce_scatter(np.arange(sum(counts), dtype="i8") + rank, reduced, counts),
]
while (index := MPI.Request.Waitany(requests)) != MPI.UNDEFINED:
    show("over", index >= 0)
show("ragged", joined, part, exchanged, reduced)
total = np.zeros(sum(counts), dtype="i8")
comm.Iallgatherv(ragged, [total, counts]).Wait()
show("all ragged", total)

# On halves of the ranks and on all of them at the same time.
half = comm.Split(rank % 2, -rank)
of_half, of_all = np.zeros(1, dtype="i8"), np.zeros(1, dtype="i8")
inner = half.Iallreduce(np.array([rank], dtype="i8"), of_half)
outer = comm.Iallreduce(np.array([rank], dtype="i8"), of_all)
compute = getattr(comm, "compute", None)
if compute is not None:
    compute(cycles=2000 * (rank + 1))
is_over = outer.Test()
while not is_over:
    is_over = outer.Test()
inner.Wait()
show("halves", of_half, of_all)

for line in comm.gather(lines, root=0) or []:
    for name, values in line:
        print(name, *values)
