# SPDX-License-Identifier: Apache-2.0
"""Two groups of ranks that send to each other, and locks and counters of ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import noccl
from tests.test_program_window_order import NETWORKS

RANKS = 5


def two(comm: Any) -> tuple[Any, int]:
    """The communicator of ranks 0 and 1 and of the others; which group the rank is in."""
    side = int(comm.rank >= 2)
    own = comm.Split(side, comm.rank)
    return own.Create_intercomm(0, comm, 0 if side else 2, 3), side


@pytest.mark.parametrize("network", NETWORKS)
def test_ranks_send_to_those_of_the_other_group(network: str) -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        both, side = two(comm)
        assert (both.size, both.remote_size) == ((3, 2) if side else (2, 3))
        status = MPI.Status()
        # A message in the communicator of all ranks is none of the two groups.
        other = comm.isend("world", (comm.rank + 1) % RANKS, 7)
        found = []
        for peer in range(both.remote_size):
            both.send((comm.rank, peer), peer, 7)
        for _ in range(both.remote_size):
            one = both.recv(None, MPI.ANY_SOURCE, 7, status)
            found.append((status.source, one))
        other.wait()
        assert comm.recv(tag=7) == "world"
        with pytest.raises(MPI.Exception, match="other group"):
            both.Send(np.zeros(1), both.remote_size)
        return sorted(found)

    values = noccl.run_program(program, network, ranks=RANKS).values
    for rank, found in enumerate(values):
        others, own = (range(2), rank - 2) if rank >= 2 else (range(2, RANKS), rank)
        assert found == [(source, (world, own)) for source, world in enumerate(others)]


@pytest.mark.parametrize("network", NETWORKS)
def test_collectives_give_each_group_what_the_other_has(network: str) -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        both, side = two(comm)
        total, gathered = np.zeros(2), np.zeros(both.remote_size)
        both.Allreduce(np.array([comm.rank, 1.0]), total)
        both.Allgather(np.array([float(comm.rank)]), gathered)
        root = 1 if not side else (MPI.ROOT if both.rank == 1 else MPI.PROC_NULL)
        sent = both.bcast({"from": comm.rank} if root == MPI.ROOT else None, root)
        swapped = both.alltoall([(comm.rank, peer) for peer in range(both.remote_size)])
        merged = both.Merge(high=not side)
        with pytest.raises(NotImplementedError, match="blocking calls"):
            both.Ibarrier()
        both.Barrier()
        return total.tolist(), gathered.tolist(), sent, swapped, merged.rank

    low, high = [2.0, 3.0, 4.0], [0.0, 1.0]
    for rank, found in enumerate(noccl.run_program(program, network, ranks=RANKS).values):
        others, own = (high, rank - 2) if rank >= 2 else (low, rank)
        swapped = [(int(other), own) for other in others]
        sent = {"from": 3} if rank < 2 else None
        merged = rank - 2 if rank >= 2 else rank + 3
        assert found == ([sum(others), len(others)], others, sent, swapped, merged)


def test_groups_with_a_common_rank_are_refused() -> None:
    def program(comm: Any) -> bool:
        from mpi4py import MPI

        group = comm.Get_group()
        with pytest.raises(MPI.Exception, match="is in both groups"):
            MPI.Intercomm.Create_from_groups(group, 0, group, 0)
        return True

    assert noccl.run_program(program, "tilepro64_4x4", ranks=2).values == [True] * 2


@pytest.mark.parametrize("network", NETWORKS)
def test_locks_and_counters_order_ranks(network: str) -> None:
    def program(comm: Any) -> Any:
        from mpi4py.util import sync

        mutex, counter = sync.Mutex(comm=comm), sync.Counter(comm=comm)
        semaphore, condition = sync.Semaphore(2, comm=comm), sync.Condition(comm=comm)
        own = []
        for _ in range(3):
            with mutex:
                first = next(counter)
                comm.compute(cycles=300)
                # Nobody else has counted meanwhile.
                own.append((first, next(counter) - first))
        with semaphore:
            is_left = semaphore.acquire(blocking=False)
            if is_left:
                semaphore.release()
        with pytest.raises(RuntimeError, match="acquire before"):
            mutex.release()
        comm.Barrier()
        with condition:
            if comm.rank:
                condition.wait()
        woken = 0
        while comm.rank == 0 and woken < comm.size - 1:
            with condition:
                woken += condition.notify()
        for one in (mutex, counter, semaphore, condition):
            one.free()
        return own, woken

    values = noccl.run_program(program, network, ranks=3).values
    firsts = sorted(first for own, _ in values for first, _ in own)
    assert firsts == list(range(0, 18, 2))
    assert all(gap == 1 for own, _ in values for _, gap in own)
    assert [woken for _, woken in values] == [2, 0, 0]
