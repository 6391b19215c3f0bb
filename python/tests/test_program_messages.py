# SPDX-License-Identifier: Apache-2.0
"""Messages between ranks and requests, on a session without a network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from noccl.programs.result import ProgramResult
from noccl.programs.run import run_on
from tests.ideal_session import MESSAGE_CYCLES, IdealSession


def run(function: Callable[[Any], Any], ranks: int = 4, **options: Any) -> ProgramResult:
    return run_on(IdealSession(ranks), function, ranks, name="ideal", **options)


def test_an_any_tag_receive_takes_no_part_of_a_collective() -> None:
    def program(comm: Any) -> Any:
        if comm.rank == 0:
            request = comm.irecv()
            everyone = comm.gather(comm.rank, root=0)
            return request.wait(), everyone
        comm.gather(comm.rank, root=0)
        if comm.rank == 1:
            comm.send("mine", dest=0, tag=3)
        return None

    assert run(program, 3).values[0] == ("mine", [0, 1, 2])


def test_a_loop_of_tests_lets_time_pass() -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        if comm.rank == 1:
            comm.compute(cycles=500)
            comm.send("late", dest=0)
            return None
        request, tests = comm.irecv(source=1), 1
        while not request.Test():
            tests += 1
        assert not comm.iprobe()
        return tests, round(MPI.Wtime() * 1e9), request.wait()

    tests, cycle, _ = run(program, 2).values[0]
    assert tests > 10
    assert 500 + MESSAGE_CYCLES <= cycle < 700


def test_requests_report_each_end_once() -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        if comm.rank == 1:
            for tag in (2, 1, 0):
                comm.compute(cycles=10)
                comm.send(tag, dest=0, tag=tag)
            return None
        requests = [comm.irecv(source=1, tag=tag) for tag in range(3)]
        status = MPI.Status()
        order = [MPI.Request.waitany(requests, status) for _ in range(3)]
        assert status.Get_tag() == 0
        assert MPI.Request.Waitany(requests) == MPI.UNDEFINED
        assert MPI.Request.testall(requests)[0]
        assert not any(requests)
        return order

    assert run(program, 2).values[0] == [(2, 2), (1, 1), (0, 0)]


def test_a_cancelled_receive_takes_no_message() -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        request = comm.irecv(source=0)
        request.Cancel()
        status = MPI.Status()
        request.Wait(status)
        comm.send("for the other", dest=0)
        return status.Is_cancelled(), comm.recv(source=0)

    assert run(program, 1).values == [(True, "for the other")]


def test_a_matched_probe_receives_what_it_has_found() -> None:
    def program(comm: Any) -> Any:
        comm.send(["a", comm.rank], dest=0, tag=4)
        if comm.rank:
            return None
        return sorted(comm.mprobe().recv()[1] for _ in range(comm.size))

    assert run(program, 3).values[0] == [0, 1, 2]


def test_messages_to_nobody_are_over_at_once() -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        status, value = MPI.Status(), np.array([7])
        comm.Send(value, dest=MPI.PROC_NULL)
        comm.Sendrecv(value, MPI.PROC_NULL, recvbuf=value, source=MPI.PROC_NULL, status=status)
        received = comm.recv(source=MPI.PROC_NULL)
        return received, value[0], status.Get_source() == MPI.PROC_NULL, status.Get_count()

    result = run(program, 2)
    assert result.values == [(None, 7, True, 0)] * 2
    assert result.cycles == 0


@given(st.binary(max_size=300), st.integers(0, 5))
def test_bytes_arrive_as_they_were_sent_none_included(data: bytes, more: int) -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        status, into = MPI.Status(), bytearray(len(data) + more)
        comm.Isend([data, MPI.BYTE], dest=(comm.rank + 1) % 2)
        comm.Recv(into, status=status)
        everyone = comm.allgather(data)
        assert everyone == [data, data]
        return bytes(into[: status.Get_count(MPI.BYTE)])

    assert run(program, 2).values == [data, data]
