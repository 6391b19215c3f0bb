# SPDX-License-Identifier: Apache-2.0
"""Calls given to other ranks: `mpi4py.futures` within the ranks of a communicator."""

import concurrent.futures
import math
import operator

from mpi4py import MPI
from mpi4py.futures import MPICommExecutor, as_completed, wait

comm = MPI.COMM_WORLD
root = comm.size - 1
lines = []
with MPICommExecutor(comm, root=root) as executor:
    if executor is not None:
        lines.append(list(executor.map(math.factorial, range(12))))
        lines.append(list(executor.starmap(pow, [(2, 5), (3, 2), (10, 3)])))
        lines.append(sorted(executor.map(abs, range(-9, 0), unordered=True)))
        futures = {executor.submit(operator.mul, value, value): value for value in range(20)}
        lines.append(sorted(futures[done] * done.result() for done in as_completed(futures)))
        failing = [executor.submit(operator.truediv, 1, value) for value in (0, 1, 2)]
        done, pending = concurrent.futures.wait(failing)
        lines.append((len(done), len(pending), [type(one.exception()).__name__ for one in failing]))
        done, _ = wait(failing, return_when=concurrent.futures.FIRST_COMPLETED)
        called = []
        last = executor.submit(divmod, 17, 5)
        last.add_done_callback(lambda future: called.append(future.result()))
        lines.append((bool(done), last.result(), last.done(), called))
    else:
        assert comm.rank != root
# Whoever has done calls takes part again.
for line in comm.bcast(lines, root=root):
    if comm.rank == 0:
        print(line)
with MPICommExecutor() as executor:
    if executor is not None:
        print(sum(executor.map(operator.neg, range(30), chunksize=4)))
