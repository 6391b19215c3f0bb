# SPDX-License-Identifier: Apache-2.0
"""Collectives that do not block, on the engine's networks: what goes on beside what, and errors.

`experiments/programs/background_collectives.py` compares their values with those of real MPI.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import noccl

RANKS = 4
"""A square, which S1's routers take as a group."""
LONG = 20_000


def reduction(comm: Any, length: int, *, is_beside: bool) -> float:
    """A sum of some numbers, and some computing that does not need them."""
    own, total = np.full(length, float(comm.rank)), np.empty(length)
    if is_beside:
        request = comm.Iallreduce(own, total)
        comm.compute(cycles=LONG)
        request.Wait()
    else:
        comm.Allreduce(own, total)
        comm.compute(cycles=LONG)
    return float(total[-1])


def cycles(network: str, length: int, *, is_beside: bool) -> int:
    result = noccl.run_program(
        lambda comm: reduction(comm, length, is_beside=is_beside), network, ranks=RANKS
    )
    assert set(result.values) == {sum(range(RANKS))}
    # Algorithms of the network send no messages of ranks.
    assert bool(result.ranks["messages"].sum()) == (is_beside and network == "tilepro64_4x4")
    return result.cycles


def test_a_reduction_in_the_network_goes_on_while_its_ranks_compute() -> None:
    beside, blocking = (
        cycles("collective_noc_4x4", 512, is_beside=is_beside) for is_beside in (True, False)
    )
    # The routers add by the floating-point units of the tiles: 64 cycles for 4 KiB.
    assert LONG + 64 <= beside < LONG + 80
    assert blocking >= beside + 40


def test_a_reduction_in_software_takes_the_core_when_its_rank_waits() -> None:
    # Its later steps begin when the rank waits.
    assert LONG + 50 < cycles("tilepro64_4x4", 1, is_beside=True) < LONG + 500
    # A message for which its receiver has no space keeps the core of its sender.
    assert cycles("tilepro64_4x4", 64, is_beside=True) > 2 * LONG


@pytest.mark.parametrize("network", ["collective_noc_4x4", "tilepro64_4x4", "torrent_4x5"])
def test_messages_and_blocking_calls_pass_a_collective_to_which_a_rank_has_not_come(
    network: str,
) -> None:
    def program(comm: Any) -> tuple[int, int, int]:
        first, second = (np.empty(1, dtype="i8") for _ in range(2))
        own = np.array([comm.rank], dtype="i8")
        if comm.rank == 1:
            came = comm.recv(source=0)
            request = comm.Iallreduce(own, first)
        else:
            request = comm.Iallreduce(own, first)
            comm.compute(cycles=300)
            came = 0
            if comm.rank == 0:
                comm.send(5, dest=1)
        other = comm.Iallreduce(2 * own, second)
        comm.Barrier()
        other.Wait()
        request.Wait()
        return int(first[0]), int(second[0]), came

    total = sum(range(RANKS))
    result = noccl.run_program(program, network, ranks=RANKS)
    assert result.values == [(total, 2 * total, 5 * (rank == 1)) for rank in range(RANKS)]


@pytest.mark.parametrize("network", ["torrent_4x4", "collective_noc_4x4", "tilepro64_4x4"])
def test_a_program_with_two_communicators_may_begin_them_in_any_order(network: str) -> None:
    def program(comm: Any) -> list[float]:
        other = comm.Dup()
        comms = [other, comm] if comm.rank else [comm, other]
        found = [np.empty(2000) for _ in comms]
        own = np.full(2000, comm.rank + 1.0)
        requests = [
            one.Iallreduce(own if one == comm else 2 * own, into)
            for one, into in zip(comms, found, strict=True)
        ]
        for request in requests:
            request.Wait()
        return [float(found[comms.index(one)][-1]) for one in (comm, other)]

    # Routers of Torrent's network would keep the contributions of each for those of the other.
    result = noccl.run_program(program, network, ranks=2)
    assert result.values == [[3.0, 6.0]] * 2


def test_a_test_does_not_pass_by_messages_that_came_before_its_own() -> None:
    def program(comm: Any) -> float:
        found = np.zeros(1)
        if comm.rank == 0:
            request = comm.Irecv(found, source=2)
            while not request.Test():
                pass
            comm.Recv(np.zeros(1), source=1)
        elif comm.rank == 1:
            comm.Send(np.ones(1), dest=0)
        else:
            comm.compute(cycles=1000)
            comm.Send(np.full(1, 7.0), dest=0)
        return float(found[0])

    result = noccl.run_program(program, "tilepro64_4x4", ranks=3, max_cycles=10_000)
    assert result.values[0] == 7.0


def failure(program: Any, network: str = "collective_noc_4x4") -> str:
    with pytest.raises(noccl.ProgramError) as caught:
        noccl.run_program(program, network, ranks=2, max_cycles=100_000)
    return str(caught.value)


def test_calls_that_differ_are_told_with_both_places() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            comm.Iallreduce(np.ones(1), np.empty(1)).Wait()
        else:
            comm.Allreduce(np.ones(1), np.empty(1))

    told = failure(program)
    first = program.__code__.co_firstlineno
    assert f"test_program_background.py:{first + 2} calls Iallreduce(op=SUM" in told
    assert f"test_program_background.py:{first + 4} calls Allreduce(op=SUM" in told


def test_a_collective_that_not_all_call_is_named_where_it_is_waited_for() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            request = comm.Igather(np.ones(1), np.empty(2))
            request.Wait()

    told = failure(program)
    line = program.__code__.co_firstlineno + 2
    assert "rank 0 waits for its Igather called at " in told
    assert f"test_program_background.py:{line} at " in told


def test_an_operator_that_raises_ends_the_program_with_its_rank() -> None:
    from noccl.programs.operators import Op

    def bad(left: object, right: object, kind: object) -> None:
        raise ValueError("no sum today")

    def program(comm: Any) -> None:
        request = comm.Iallreduce(np.ones(1), np.empty(1), op=Op.Create(bad))
        comm.compute(cycles=10 * (comm.rank + 1))
        request.Wait()

    told = failure(program)
    assert "rank 0" in told
    assert "no sum today" in told


def test_a_buffer_that_does_not_fit_is_refused_where_it_is_called() -> None:
    def program(comm: Any) -> str:
        try:
            comm.Iallreduce(np.ones(2), np.empty(1))
        except noccl.ProgramError as error:
            return str(error)
        return ""

    result = noccl.run_program(program, "collective_noc_4x4", ranks=2)
    assert all("16 bytes are sent to where 8 are received" in value for value in result.values)
