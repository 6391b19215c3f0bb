# SPDX-License-Identifier: Apache-2.0
"""Rank 0 hands out tasks to whoever is free; results do not depend on who did what."""

from mpi4py import MPI

WORK, END = 1, 2
comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
tasks = list(range(3, 40))


def collatz(number: int) -> int:
    """Steps from a number down to 1."""
    steps = 0
    while number != 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        steps += 1
    return steps


if size == 1:
    results = {task: collatz(task) for task in tasks}
elif rank == 0:
    results = {}
    status = MPI.Status()
    waiting, busy = list(tasks), 0
    for worker in range(1, size):
        if waiting:
            comm.send(waiting.pop(0), dest=worker, tag=WORK)
            busy += 1
        else:
            comm.send(None, dest=worker, tag=END)
    while busy:
        task, steps = comm.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
        results[task] = steps
        worker = status.Get_source()
        if waiting:
            comm.send(waiting.pop(0), dest=worker, tag=WORK)
        else:
            comm.send(None, dest=worker, tag=END)
            busy -= 1
else:
    compute = getattr(comm, "compute", None)
    status = MPI.Status()
    while True:
        task = comm.recv(source=0, tag=MPI.ANY_TAG, status=status)
        if status.Get_tag() == END:
            break
        steps = collatz(task)
        if compute is not None:
            compute(cycles=10 * steps)
        comm.send((task, steps), dest=0, tag=WORK)
if rank == 0:
    print("tasks:", len(results), "steps:", sum(results.values()))
    print("most:", max(results.items(), key=lambda item: (item[1], item[0])))
