# SPDX-License-Identifier: Apache-2.0
"""What is wrong in a program is said with ranks and call sites, and the program ends."""

from __future__ import annotations

import re
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from noccl import ArgumentError, ProgramError
from noccl.programs.run import run_on
from tests.ideal_session import IdealSession

HERE = r"test_program_errors\.py:\d+"


def run(function: Callable[[Any], Any], ranks: int = 2, **options: Any) -> None:
    run_on(IdealSession(ranks), function, ranks, name="ideal", **options)


def fails(function: Callable[[Any], Any], *patterns: str, ranks: int = 2) -> ProgramError:
    with pytest.raises(ProgramError) as caught:
        run(function, ranks)
    for pattern in patterns:
        assert re.search(pattern, str(caught.value)), f"{pattern} not in {caught.value}"
    return caught.value


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (lambda c: c.Bcast(np.zeros(2)), lambda c: c.Bcast(np.zeros(3)), "bytes=16.*bytes=24"),
        (lambda c: c.bcast(1, 0), lambda c: c.bcast(1, 1), r"root=0.*root=1"),
        (lambda c: c.Barrier(), lambda c: c.bcast(1), r"Barrier\(\).*bcast\(root=0\)"),
        (lambda c: c.gather(1), lambda c: c.scatter([1, 2]), "gather.*scatter"),
        (lambda c: c.allreduce(1), lambda c: c.allreduce(1, max), "op=SUM.*op=function"),
        (
            lambda c: c.Allreduce(np.zeros(2), np.zeros(2)),
            lambda c: c.Allreduce(np.zeros(1), np.zeros(1)),
            "bytes=16.*bytes=8",
        ),
        (lambda c: c.Split(0), lambda c: c.Barrier(), "Split.*Barrier"),
    ],
)
def test_collectives_that_differ_are_named_with_both_call_sites(
    one: Callable[[Any], Any], other: Callable[[Any], Any], said: str
) -> None:
    error = fails(
        lambda comm: one(comm) if comm.rank == 0 else other(comm),
        rf"rank 0 at .*{HERE} calls .*rank 1 at .*{HERE} calls",
        said,
    )
    assert error.rank == 1


def test_a_message_that_is_too_long_is_refused_with_its_receive() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            comm.Send(np.zeros(3), dest=1)
        else:
            comm.Recv(np.zeros(2), source=0)

    fails(program, "24 bytes.*16 bytes", HERE)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda c: c.send(1, dest=2), "destination 2: no such rank; accepted: 0 to 1"),
        (lambda c: c.recv(source=7), "source 7"),
        (lambda c: c.send(1, dest=0, tag=-3), "tag -3: accepted: 0 to"),
        (lambda c: c.bcast(1, root=5), "root 5: accepted: 0 to 1"),
        (lambda c: c.bcast(1, root=10**5000), "root a number of more than 64 bits: accepted"),
        (lambda c: c.bcast(1, root="x"), "root str 'x'"),
        (lambda c: c.send(1, dest=0.5), "destination: float"),
        (lambda c: c.Send("text", dest=0), "buf: str; accepted"),
        (lambda c: c.Recv(b"abc", source=0), "cannot be written"),
        (lambda c: c.Send(np.zeros((4, 4))[:, 1], dest=0), "do not stand side by side"),
        (lambda c: c.Send([np.zeros(2), 3], dest=0), "3 items of DOUBLE need 24 bytes"),
        (lambda c: c.Send(np.array([None]), dest=0), "no datatype of MPI"),
        (lambda c: c.Send([np.zeros(1), 1, 2, 3, 4], dest=0), "a list of 5 items"),
        (lambda c: c.scatter([1], root=c.rank) or c.Barrier(), "1 objects for 2 ranks"),
        (lambda c: c.alltoall([1, 2, 3]), "3 objects for 2 ranks"),
        (lambda c: c.Gather(np.zeros(1), np.zeros(3)), "multiple of 2|bytes"),
        (lambda c: c.Allreduce(np.zeros(1), np.zeros(2)), "8 bytes are sent to where 16"),
        (lambda c: c.allreduce(1, op="sum"), "op: str"),
        (lambda c: c.Create_cart([3]), "3 ranks; accepted: 1 to 2"),
        (lambda c: c.compute(cycles=-1), "-1 cycles"),
        (lambda c: c.Split(-7), "color -7"),
        (lambda c: c.Split(2**31), "color 2147483648"),
        (lambda c: c.Alltoallv([np.zeros(2), [1]], [np.zeros(2), [1, 1]]), "1 for 2 ranks"),
        (lambda c: c.Ineighbor_alltoall(1), "Intracomm has no attribute 'Ineighbor_alltoall'"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_accepted(
    call: Callable[[Any], Any], said: str
) -> None:
    error = fails(call, said, rf"rank 0 \(.*{HERE}\)")
    assert error.rank == 0
    assert "test_program_errors.py" in error.rank_traceback


def test_bitwise_operators_refuse_numbers_with_fractions() -> None:
    def program(comm: Any) -> None:
        from mpi4py import MPI

        comm.Allreduce(np.zeros(1), np.zeros(1), op=MPI.BAND)

    fails(program, "operator BAND on DOUBLE: not defined")


def test_a_wait_for_a_rank_that_is_over_names_who_waits_and_where() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 1:
            comm.recv(source=0)

    fails(program, rf"nobody can go on: rank 1 waits at .*{HERE}")


def test_an_exception_ends_all_ranks_and_is_told_with_rank_and_stack() -> None:
    ended: list[Any] = []

    def inner(comm: Any) -> None:
        raise KeyError("missing")

    def program(comm: Any) -> None:
        try:
            if comm.rank == 2:
                inner(comm)
            comm.Barrier()
        finally:
            ended.append(comm.rank)
            if comm.rank == 1:
                try:
                    comm.send(1, dest=0)
                except BaseException as again:
                    # A call in an ending rank ends it again.
                    ended.append(type(again).__name__)
                    raise

    error = fails(program, rf"rank 2 \(.*{HERE}\): KeyError: 'missing'", ranks=4)
    assert isinstance(error.__cause__, KeyError)
    assert error.rank == 2
    assert "in inner" in error.rank_traceback
    # Rank 3 had not begun.
    assert ended == [2, 0, 1, "RankEnded"]


def test_an_exception_of_mpi_can_be_caught_in_the_rank() -> None:
    def program(comm: Any) -> None:
        from mpi4py import MPI

        with pytest.raises(MPI.Exception):
            comm.send(1, dest=9)
        comm.Barrier()

    run(program)


@pytest.mark.parametrize("status", [0, None])
def test_a_rank_that_exits_without_a_status_is_over(status: Any) -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            raise SystemExit(status)
        comm.compute(cycles=5)

    run(program)


def test_a_rank_that_exits_with_a_status_ends_the_program() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 1:
            raise SystemExit(3)
        comm.Barrier()

    fails(program, "rank 1 .*ended with exit status 3")


def test_abort_ends_the_program() -> None:
    fails(lambda comm: comm.Abort(7) if comm.rank else comm.Barrier(), r"rank 1 .*Abort\(7\)")


def test_an_interrupt_from_the_keyboard_stays_one() -> None:
    def program(comm: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(program)


def endless(comm: Any) -> None:
    if comm.rank == 1:
        while True:
            pass
    comm.Barrier()


def endless_whatever_is_raised(comm: Any) -> None:
    while comm.rank == 1:
        try:
            while True:
                pass
        except BaseException:
            continue
    comm.Barrier()


@pytest.mark.parametrize("program", [endless, endless_whatever_is_raised])
def test_a_rank_that_never_calls_is_ended_and_its_place_named(
    program: Callable[[Any], None],
) -> None:
    began = time.monotonic()
    with pytest.raises(ProgramError, match=rf"rank 1 has made no call.*{HERE}") as caught:
        run(program, host_seconds=0.3)
    assert caught.value.rank == 1
    assert "endless" in caught.value.rank_traceback
    assert time.monotonic() - began < 20


def test_a_rank_that_polls_for_what_never_comes_is_ended() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 1:
            while not comm.iprobe(source=0):
                pass

    with pytest.raises(ProgramError, match="ranks poll for what does not come"):
        run(program, host_seconds=0.3)


def test_a_rank_is_not_ended_where_python_ignores_exceptions() -> None:
    class Key:
        pass

    def program(comm: Any) -> None:
        keys: weakref.WeakKeyDictionary[Key, int] = weakref.WeakKeyDictionary()
        while True:
            for _ in range(50):
                # The key is collected at once: mostly a callback of a weak reference runs.
                keys[Key()] = comm.rank
            comm.iprobe(source=0)

    for _ in range(4):
        with pytest.raises(ProgramError, match="ranks poll for what does not come"):
            run(program, ranks=1, host_seconds=0.1)


def test_a_long_program_that_calls_now_and_then_is_not_ended() -> None:
    def program(comm: Any) -> int:
        for _ in range(6):
            time.sleep(0.1)
            comm.Barrier()
        return 1

    run(program, ranks=1, host_seconds=0.4)


def test_cycles_are_limited() -> None:
    session = IdealSession(1, max_cycles=1000)
    with pytest.raises(ProgramError, match="more than 1000 cycles"):
        run_on(session, lambda comm: comm.compute(cycles=1001), 1, name="ideal")


def test_a_communicator_of_another_rank_is_refused() -> None:
    shared: list[Any] = []

    def program(comm: Any) -> None:
        shared.append(comm)
        shared[0].send(1, dest=0)

    fails(program, "rank 1 uses an object of rank 0")


def test_a_freed_communicator_is_refused() -> None:
    def program(comm: Any) -> None:
        part = comm.Dup()
        part.Free()
        part.Barrier()

    fails(program, "has been freed")


def test_host_seconds_are_more_than_none() -> None:
    with pytest.raises(ArgumentError, match="host_seconds"):
        run(lambda comm: None, host_seconds=0.0)
