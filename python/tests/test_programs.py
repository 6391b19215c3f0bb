# SPDX-License-Identifier: Apache-2.0
"""What communicators do, on a session without a network."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from noccl.errors import ProgramError
from noccl.programs.result import ProgramResult
from noccl.programs.run import run_on
from tests.ideal_session import COLLECTIVE_CYCLES, MESSAGE_CYCLES, IdealSession


def run(function: Callable[[Any], Any], ranks: int = 4, **options: Any) -> ProgramResult:
    return run_on(IdealSession(ranks), function, ranks, name="ideal", **options)


def test_each_rank_returns_its_own_value_in_the_order_of_ranks() -> None:
    assert run(lambda comm: (comm.rank, comm.size), 3).values == [(0, 3), (1, 3), (2, 3)]


def test_the_clock_counts_messages_and_stated_work_but_not_python() -> None:
    def program(comm: Any) -> float:
        from mpi4py import MPI

        sum(range(1000))
        comm.compute(cycles=70)
        comm.sendrecv(None, dest=comm.rank ^ 1, source=comm.rank ^ 1)
        return float(MPI.Wtime())

    result = run(program, 2)
    assert result.cycles == 70 + MESSAGE_CYCLES
    assert result.values == pytest.approx([result.time_ns * 1e-9] * 2)
    assert result.ranks["compute_cycles"].tolist() == [70, 70]
    assert {row["what"] for row in result.timeline.rows()} == {"computes", "waits"}


def test_equal_calls_give_equal_cycles_and_timelines() -> None:
    def program(comm: Any) -> list[Any]:
        other = comm.Split(comm.rank % 2, -comm.rank)
        return [other.allgather(comm.rank), comm.scan(comm.rank)]

    one, other = run(program, 7), run(program, 7)
    assert (one.cycles, one.values) == (other.cycles, other.values)
    assert one.timeline.arrow.equals(other.timeline.arrow)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
def test_collectives_of_objects_and_of_buffers_give_the_same(ranks: int) -> None:
    def program(comm: Any) -> None:
        rank = comm.rank
        for root in range(ranks):
            assert comm.bcast(rank, root) == root
            assert comm.gather(rank, root) == (list(range(ranks)) if rank == root else None)
            sent = [other * other for other in range(ranks)] if rank == root else None
            assert comm.scatter(sent, root) == rank * rank
            joined = comm.reduce([rank], root=root)
            assert joined == (list(range(ranks)) if rank == root else None)
            buffers_with_root(comm, root)
        assert comm.allgather(rank) == list(range(ranks))
        assert comm.alltoall([(rank, other) for other in range(ranks)]) == [
            (other, rank) for other in range(ranks)
        ]
        assert comm.scan([rank]) == list(range(rank + 1))
        assert comm.exscan([rank]) == (list(range(rank)) if rank else None)
        found = np.empty(ranks, int)
        comm.Allgather(np.array([rank]), found)
        assert found.tolist() == list(range(ranks))
        comm.Alltoall(np.arange(ranks) + 100 * rank, found)
        assert found.tolist() == [100 * other + rank for other in range(ranks)]

    run(program, ranks)


def buffers_with_root(comm: Any, root: int) -> None:
    rank, ranks = comm.rank, comm.size
    whole = np.zeros((ranks, 2), int) if rank == root else None
    comm.Gather(np.array([rank, -rank]), whole, root)
    if whole is not None:
        assert whole.tolist() == [[other, -other] for other in range(ranks)]
    own = np.empty(2, int)
    comm.Scatter(whole, own, root)
    assert own.tolist() == [rank, -rank]
    values = np.full(3, rank)
    comm.Bcast(values, root)
    assert values.tolist() == [root] * 3
    total = np.empty(1) if rank == root else None
    comm.Reduce(np.array([rank + 0.5]), total, root=root)
    if total is not None:
        assert total[0] == sum(other + 0.5 for other in range(ranks))


def test_in_place_takes_the_data_from_the_receive_buffer() -> None:
    def program(comm: Any) -> list[Any]:
        from mpi4py import MPI

        rank, size = comm.rank, comm.size
        values = np.array([rank, 1])
        comm.Allreduce(MPI.IN_PLACE, values)
        everyone = np.full(size, -1)
        everyone[rank] = rank
        comm.Allgather(MPI.IN_PLACE, everyone)
        total = np.array([rank])
        comm.Reduce(MPI.IN_PLACE if rank == 1 else total, total if rank == 1 else None, root=1)
        swapped = np.arange(size) + 10 * rank
        comm.Alltoall(MPI.IN_PLACE, swapped)
        return [values.tolist(), everyone.tolist(), total.tolist(), swapped.tolist()]

    found = run(program).values
    assert found[1] == [[6, 4], [0, 1, 2, 3], [6], [1, 11, 21, 31]]
    assert found[3][2] == [3]


def test_an_operator_that_does_not_commute_sees_the_lower_ranks_left() -> None:
    def program(comm: Any) -> list[Any]:
        from mpi4py import MPI

        def join(left: Any, right: Any, datatype: Any) -> None:
            # Digits: the left number before the right one.
            a, b = np.frombuffer(left, int), np.frombuffer(right, int)
            b[:] = a * 10 ** len(str(b[0])) + b

        digits = np.empty(1, int)
        operator = MPI.Op.Create(join)
        comm.Allreduce(np.array([comm.rank + 1]), digits, operator)
        prefix = np.empty(1, int)
        comm.Scan(np.array([comm.rank + 1]), prefix, operator)
        return [int(digits[0]), int(prefix[0]), comm.allreduce(str(comm.rank), op=MPI.SUM)]

    assert run(program, 6).values[3] == [123456, 1234, "012345"]


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("PROD", "f8", 24.0), ("MAX", "u2", 4), ("MIN", "i1", 1), ("BXOR", "i4", 1 ^ 2 ^ 3 ^ 4),
        ("LAND", "i4", 1), ("LXOR", "i4", 0), ("SUM", "c16", 10 + 0j), ("BAND", "u8", 0),
        ("SUM", "u8", 10), ("LOR", "?", True), ("SUM", "f2", 10.0),
    ],
)  # fmt: skip
def test_operators_that_the_engine_lacks_are_composed(name: str, kind: str, expected: Any) -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        found = np.empty(1, kind)
        comm.Allreduce(np.array([comm.rank + 1]).astype(kind), found, getattr(MPI, name))
        block = np.empty(1, kind)
        values = np.full(comm.size, comm.rank + 1).astype(kind)
        comm.Reduce_scatter_block(values, block, getattr(MPI, name))
        assert block[0] == found[0]
        return found[0]

    assert run(program).values == [expected] * 4


def test_ranks_are_numbered_in_another_group_and_refused_outside_their_own() -> None:
    def program(comm: Any) -> Any:
        some = comm.Get_group().Incl([2, 0])
        in_others = some.Translate_ranks([1, 0], comm.Get_group().Incl([0, 1]))
        with pytest.raises(ProgramError, match="rank -2: accepted: 0 to 1"):
            some.Translate_ranks([-2])
        return some.Translate_ranks(), some.Translate_ranks([1]), in_others

    undefined = -32766
    assert run(program, 3).values == [([2, 0], [0], [0, undefined])] * 3


def test_splitting_orders_ranks_by_key_and_leaves_out_undefined() -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        color = MPI.UNDEFINED if comm.rank == 0 else comm.rank % 2
        part = comm.Split(color, -comm.rank)
        if part == MPI.COMM_NULL:
            return None
        again = part.Dup()
        group = again.Get_group()
        assert MPI.Comm.Compare(part, again) == MPI.CONGRUENT
        assert group.Translate_ranks([0], comm.group) == [part.allgather(comm.rank)[0]]
        return part.rank, part.size, again.allgather(comm.rank)

    found = run(program, 6).values
    assert found == [
        None, (2, 3, [5, 3, 1]), (1, 2, [4, 2]), (1, 3, [5, 3, 1]), (0, 2, [4, 2]),
        (0, 3, [5, 3, 1]),
    ]  # fmt: skip


def test_a_group_becomes_a_communicator_and_self_is_alone() -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        part = comm.Create(comm.Get_group().Incl([3, 1]))
        alone = MPI.COMM_SELF
        alone.send(comm.rank, dest=0)
        assert alone.recv(source=0) == comm.rank
        return None if part == MPI.COMM_NULL else part.allgather(comm.rank)

    assert run(program).values == [None, [3, 1], None, [3, 1]]


def test_grids_know_their_neighbours() -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        grid = comm.Create_cart([2, 3], periods=[False, True])
        assert grid.Get_cart_rank(grid.coords) == grid.rank
        row = grid.Sub([False, True])
        assert row.allgather(grid.rank) == [grid.coords[0] * 3 + other for other in range(3)]
        assert (MPI.Compute_dims(12, 2), MPI.Compute_dims(7, [0, 1])) == ([4, 3], [7, 1])
        return grid.coords, grid.Shift(0, 1), grid.Shift(1, 1)

    found = run(program, 6).values
    assert found[0] == ([0, 0], (-1, 3), (2, 1))
    assert found[5] == ([1, 2], (2, -1), (4, 3))


def test_zero_bytes_are_a_collective_too() -> None:
    def program(comm: Any) -> Any:
        empty = np.empty(0)
        comm.Allreduce(empty, np.empty(0))
        comm.Bcast(empty)
        comm.Allgather(empty, np.empty(0))
        comm.Gatherv(empty, [np.empty(0), [0] * comm.size] if comm.rank == 0 else None)
        comm.Alltoallv([empty, [0] * comm.size], [np.empty(0), [0] * comm.size])
        return "done"

    assert run(program, 3).values == ["done"] * 3


def test_a_barrier_ends_for_all_when_the_last_one_has_come() -> None:
    def program(comm: Any) -> float:
        from mpi4py import MPI

        comm.compute(cycles=100 * comm.rank)
        comm.Barrier()
        return round(MPI.Wtime() * 1e9)

    assert run(program, 4).values == [300 + COLLECTIVE_CYCLES] * 4


def test_mpi4py_is_the_one_of_before_when_the_program_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = types.ModuleType("mpi4py")
    monkeypatch.setitem(sys.modules, "mpi4py", before)
    monkeypatch.delitem(sys.modules, "mpi4py.MPI", raising=False)

    def program(comm: Any) -> None:
        from mpi4py import MPI
        from mpi4py.MPI import COMM_WORLD

        assert MPI.COMM_WORLD is COMM_WORLD is comm
        if comm.rank == 1:
            raise ValueError

    with pytest.raises(Exception, match="ValueError"):
        run(program, 2)
    assert sys.modules["mpi4py"] is before
    assert "mpi4py.MPI" not in sys.modules
