# SPDX-License-Identifier: Apache-2.0
"""One-sided communication: when accesses are carried out, whatever their target does meanwhile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import noccl
from tests.test_program_errors import fails
from tests.test_programs import run

NETWORKS = ["tilepro64_4x4", "collective_noc_4x4", "torrent_4x5", "smart_4x4"]


@pytest.mark.parametrize("network", NETWORKS)
def test_a_target_that_computes_or_has_ended_is_accessed(network: str) -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        memory = np.full(2, comm.rank)
        window = MPI.Win.Create(memory, 8, comm=comm)
        if comm.rank == 0:
            comm.compute(cycles=500)
            return memory
        found = np.zeros(1, int)
        for wait in (0, 3000):
            comm.compute(cycles=wait)
            window.Lock(0)
            window.Fetch_and_op(np.ones(1, int), found, 0, 0)
            window.Unlock(0)
        return int(found[0])

    values = noccl.run_program(program, network, ranks=3).values
    assert values[0].tolist() == [4, 0]
    assert sorted(values[1:]) == [2, 3]


@pytest.mark.parametrize("network", NETWORKS)
def test_exclusive_locks_exclude_and_shared_ones_do_not(network: str) -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        window: Any = MPI.Win.Allocate(8, 8, comm=comm)
        memory = np.frombuffer(window.tomemory(), int)
        value = np.zeros(1, int)
        for _ in range(3):
            window.Lock(0)
            if comm.rank == 0:
                # Loads and stores of the owner are excluded too.
                before = int(memory[0])
                comm.compute(cycles=50)
                memory[0] = before + 1
            else:
                window.Get(value, 0)
                window.Flush(0)
                comm.compute(cycles=50)
                window.Put(value + 1, 0)
            window.Unlock(0)
        comm.Barrier()
        total = int(memory[0])
        # All at once, since each waits for the others while it has the lock.
        window.Lock(0, MPI.LOCK_SHARED)
        comm.Barrier()
        window.Unlock(0)
        window.Lock_all(MPI.MODE_NOCHECK)
        window.Put(value, 0)
        window.Flush_local(0)
        window.Unlock_all()
        window.Free()
        return total

    assert noccl.run_program(program, network, ranks=4).values[0] == 12


LATE = 1000


def fenced(comm: Any, window: Any, memory: Any) -> None:
    if comm.rank == 0:
        comm.compute(cycles=LATE)
        memory[:] = 0
    window.Fence()
    if comm.rank:
        window.Put(memory[1:], 0, comm.rank)
    comm.compute(cycles=LATE * comm.rank)
    window.Fence()


def posted(comm: Any, window: Any, memory: Any) -> None:
    group = comm.Get_group()
    for _ in range(2):
        if comm.rank == 0:
            comm.compute(cycles=LATE)
            memory[:] = 0
            window.Post(group.Excl([0]))
            window.Wait()
        else:
            window.Start(group.Incl([0]))
            comm.compute(cycles=LATE * comm.rank)
            window.Put(memory[1:], 0, comm.rank)
            window.Complete()


def polled(comm: Any, window: Any, memory: Any) -> None:
    if comm.rank == 0:
        memory[:] = 0
        window.Post(comm.Get_group().Excl([0]))
        assert not window.Test()
        while not window.Test():
            pass
    else:
        window.Start(comm.Get_group().Incl([0]))
        comm.compute(cycles=LATE * comm.rank)
        window.Put(memory[1:], 0, comm.rank)
        window.Complete()


def locked(comm: Any, window: Any, memory: Any) -> None:
    if comm.rank == 0:
        window.Lock(0)
        comm.compute(cycles=LATE)
        memory[:] = 0
        window.Unlock(0)
    else:
        comm.compute(cycles=LATE // 2)
        window.Lock_all()
        window.Put(memory[1:], 0, comm.rank)
        window.Put(memory[1:], 0, comm.rank)
        window.Unlock_all()
    comm.Barrier()
    # All locks have been returned.
    window.Lock(0)
    window.Unlock(0)
    comm.Barrier()


def apart(comm: Any, window: Any, memory: Any) -> None:
    """Rank 0 begins accesses to another window long before."""
    from mpi4py import MPI

    other, group = MPI.Win.Allocate(8, 8, comm=comm), comm.Get_group()
    if comm.rank == 0:
        other.Post(group.Excl([0]))
        comm.compute(cycles=LATE)
        memory[:] = 0
        window.Post(group.Excl([0]))
        window.Wait()
        other.Wait()
    else:
        window.Start(group.Incl([0]))
        other.Start(group.Incl([0]))
        window.Put(memory[1:], 0, comm.rank)
        window.Complete()
        other.Complete()


@pytest.mark.parametrize("phase", [fenced, posted, polled, locked, apart])
def test_accesses_lie_between_their_synchronizations(phase: Any) -> None:
    """Rank 0 clears its memory late and before, and reads it after."""

    def program(comm: Any) -> list[int]:
        from mpi4py import MPI

        memory = np.full(3, 7) if comm.rank == 0 else np.array([0, comm.rank])
        window = MPI.Win.Create(memory, 8, comm=comm)
        phase(comm, window, memory)
        return memory.tolist() if comm.rank == 0 else []

    assert run(program, 3).values[0] == [0, 1, 2]


def test_windows_do_not_meet() -> None:
    """Of two windows, and of messages and collectives of the communicator."""

    def program(comm: Any) -> Any:
        from mpi4py import MPI

        one, other = both = [MPI.Win.Allocate(8, 8, comm=comm) for _ in range(2)]
        group, values = comm.Get_group(), np.array([1, 2])
        for window in (one, other):
            window.Post(group)
        for window in (other, one):
            window.Start(group)
        request = comm.irecv()
        for target in range(comm.size):
            other.Accumulate(values[1:], target)
            one.Accumulate(values[:1], target)
        one.Complete()
        other.Complete()
        assert not request.Test()
        for window in (other, one):
            window.Wait()
        comm.send("mine", dest=comm.rank)
        sums = [int(window.tomemory()[0]) for window in both]
        begun = comm.Ibarrier()
        one.Fence()
        other.Free()
        begun.Wait()
        return [*sums, request.wait()]

    assert run(program, 3).values == [[3, 6, "mine"]] * 3


def put(rank: int, first: int = 0, count: int = 2) -> Any:
    return rank, lambda w, _: w.Put(np.zeros(count), 0, first)


def add(rank: int, name: str = "SUM") -> Any:
    return rank, lambda w, m: w.Accumulate(np.zeros(2), 0, op=getattr(m, name))


def get(rank: int) -> Any:
    return rank, lambda w, _: w.Get(np.zeros(2), 0)


def fetch(rank: int) -> Any:
    return rank, lambda w, m: w.Fetch_and_op(np.zeros(1), np.zeros(1), 0, 1, m.NO_OP)


def spaced(rank: int, first: int) -> Any:
    return rank, lambda w, m: w.Put(
        np.zeros(2), 0, [first, 1, m.DOUBLE.Create_vector(2, 1, 2).Commit()]
    )


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ([put(1), put(2, 1)], "bytes 8 to 16 of the window of rank 0 between the same two fences"),
        ([get(1), put(2)], r"1 in Win\.Get at .*order.* 2 in Win\.Put at .*order"),
        ([put(1), add(2)], "Put.*Accumulate"),
        ([add(1), get(2)], "Accumulate.*Get"),
        ([add(1), add(2, "MAX")], "Accumulate.*Accumulate"),
        ([put(1), put(1)], "rank 1 in.*rank 1 in"),
        ([add(1), get(1)], "rank 1 in.*rank 1 in"),
        ([add(1), add(2), add(1), get(2)], "rank 1 in.*rank 2 in"),
        ([spaced(1, 0), spaced(2, 2)], "bytes 16 to 24"),
        ([get(1), get(2), fetch(1)], ""),
        ([put(1), put(2, 2)], ""),
        ([put(1), put(2, 1, 0)], ""),
        ([add(1), add(2), add(1), fetch(2)], ""),
        ([add(1), add(1, "MAX")], ""),
        ([spaced(1, 0), spaced(2, 1)], ""),
    ],
)
def test_conflicts_between_fences_are_reported_with_both_calls(calls: Any, said: str) -> None:
    def program(comm: Any) -> None:
        from mpi4py import MPI

        window = MPI.Win.Allocate(40, 8, comm=comm)
        for _ in range(2):
            window.Fence()
            for rank, call in calls:
                # In their order, whoever they are of.
                comm.Barrier()
                if comm.rank == rank:
                    call(window, MPI)
        window.Fence(MPI.MODE_NOSUCCEED)
        window.Lock(0)
        window.Put(np.ones(2), 0)
        window.Unlock(0)

    fails(program, said, ranks=3) if said else run(program, 3)
