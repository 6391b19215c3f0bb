# SPDX-License-Identifier: Apache-2.0
"""Collectives of programs around the longest buffers that fit into the memory of a tile.

Longer ones are called in pieces. There is no cliff: twice the bytes take at most 2.2 times the
cycles, and a few bytes more take about as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import noccl

if TYPE_CHECKING:
    from collections.abc import Callable

NETWORKS = [
    "collective_noc_2x2",
    "torrent_2x2",
    "ideal_2x2",
    "smart_2x2",
    "tilepro64_2x2",
]
RANKS = 4
# An input and an output of 32 KiB fill the half of a scratchpad that collectives have.
SIZES = [16 << 10, 32 << 10, 33 << 10, 64 << 10]


def waited(start: Callable[[], Any]) -> Callable[[], Any]:
    """A call that begins a collective and waits for it."""
    return lambda: start().Wait()


def each(comm: Any, size: int) -> dict[str, int]:
    """Cycles of every collective whose longer buffer has so many bytes, its values compared."""
    count = size // 8
    own = np.arange(count, dtype=np.int64) * (comm.rank + 1)
    parts = own[: count // RANKS].copy()
    out = np.zeros(count, dtype=np.int64)
    part = np.zeros(count // RANKS, dtype=np.int64)
    total = np.arange(count) * sum(range(1, RANKS + 1))
    blocks = np.concatenate([parts // (comm.rank + 1) * (rank + 1) for rank in range(RANKS)])
    mine = np.arange(count).reshape(RANKS, -1)[comm.rank]
    moved = np.concatenate([mine * (rank + 1) for rank in range(RANKS)])
    sent = own.copy() if comm.rank == 1 else np.zeros_like(own)
    calls: dict[str, tuple[Callable[[], Any], Any, Any]] = {
        "Bcast": (lambda: comm.Bcast(sent, root=1), sent, np.arange(count) * 2),
        "Allreduce": (lambda: comm.Allreduce(own, out), out, total),
        "Reduce": (lambda: comm.Reduce(own, out, root=2), out, total if comm.rank == 2 else None),
        "Allgather": (lambda: comm.Allgather(parts, out), out, blocks),
        "Alltoall": (lambda: comm.Alltoall(own, out), out, moved),
        "Reduce_scatter_block": (
            lambda: comm.Reduce_scatter_block(own, part),
            part,
            total.reshape(RANKS, -1)[comm.rank],
        ),
    }
    started: dict[str, tuple[Callable[[], Any], Any, Any]] = {
        "Ibcast": (lambda: comm.Ibcast(sent, root=1), *calls["Bcast"][1:]),
        "Iallreduce": (lambda: comm.Iallreduce(own, out), *calls["Allreduce"][1:]),
        "Ireduce": (lambda: comm.Ireduce(own, out, root=2), *calls["Reduce"][1:]),
        "Iallgather": (lambda: comm.Iallgather(parts, out), *calls["Allgather"][1:]),
        "Ialltoall": (lambda: comm.Ialltoall(own, out), *calls["Alltoall"][1:]),
    }
    for name, (start, found, expected) in started.items():
        calls[name] = (waited(start), found, expected)
    cycles = {}
    for name, (call, found, expected) in calls.items():
        if found is not sent or comm.rank != 1:
            found.fill(0)
        comm.Barrier()
        begin = comm.allreduce(comm.clock())
        call()
        cycles[name] = (comm.allreduce(comm.clock()) - begin) // RANKS
        if expected is not None:
            assert np.array_equal(found, expected), (name, size, comm.rank)
    return cycles


class Timed:
    """A communicator with a clock in cycles."""

    def __init__(self, comm: Any, wtime: Any) -> None:
        self._comm, self._wtime = comm, wtime

    def clock(self) -> int:
        cycles: int = round(self._wtime() * 1e9)
        return cycles

    def __getattr__(self, name: str) -> Any:
        return getattr(self._comm, name)


def program(comm: Any) -> list[dict[str, int]]:
    from mpi4py import MPI

    return [each(Timed(comm, MPI.Wtime), size) for size in SIZES]


@pytest.mark.parametrize("network", NETWORKS)
def test_longer_buffers_take_no_more_than_their_share(network: str) -> None:
    found = noccl.run_program(program, network, ranks=RANKS).values[0]
    by_size = dict(zip(SIZES, found, strict=True))
    for name in found[0]:
        cycles = {size: by_size[size][name] for size in SIZES}
        for half, whole in [(0, 1), (1, 3)]:
            assert cycles[SIZES[whole]] <= 2.2 * cycles[SIZES[half]], (name, cycles)
        assert cycles[33 << 10] <= 1.3 * cycles[32 << 10], (name, cycles)
        assert cycles[33 << 10] >= 0.9 * cycles[32 << 10], (name, cycles)
