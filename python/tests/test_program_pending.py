# SPDX-License-Identifier: Apache-2.0
"""Requests that ranks complete themselves, messages in parts, objects with buffers of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import noccl
from tests.test_program_window_order import NETWORKS
from tests.test_programs import run


@pytest.mark.parametrize("network", NETWORKS)
def test_a_message_in_parts_leaves_with_the_last(network: str) -> None:
    def program(comm: Any) -> Any:
        values, found = np.arange(6.0) + 10 * comm.rank, []
        into = np.zeros(6)
        sent = comm.Psend_init(values, 3, 1 - comm.rank, 7)
        received = comm.Precv_init(into, 3, 1 - comm.rank, 7)
        for number in range(2):
            received.Start()
            sent.Start()
            # No other receive takes it.
            other = comm.Irecv(np.zeros(6), 1 - comm.rank)
            sent.Pready(2)
            assert not received.Parrived(2)
            sent.Pready_range(0, 1)
            comm.Send(values, 1 - comm.rank, 9)
            while not received.Parrived(1):
                pass
            received.Wait()
            other.Wait()
            sent.Wait()
            found.append(into.sum() + number)
            values += 1
        return found

    values = noccl.run_program(program, network, ranks=2).values
    assert values == [[75.0, 82.0], [15.0, 22.0]]


def test_parts_are_ready_once_and_awaited_when_all_are() -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        sent = comm.Psend_init(np.zeros(4), 2, 0)
        for request in (sent, comm.Send_init(b"", 0)):
            with pytest.raises(MPI.Exception):
                request.Pready(0)
        sent.Start()
        sent.Pready(1)
        with pytest.raises(MPI.Exception, match="once for each of 2"):
            sent.Pready(1)
        with pytest.raises(MPI.Exception, match="Pready of all parts"):
            sent.Wait()
        return sent.Test()

    assert run(program, 1).values == [False]


def test_a_generalized_request_is_over_when_its_rank_says_so() -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        called = []
        request = MPI.Grequest.Start(
            lambda status: status.Set_source(5), lambda: called.append("free"), called.append
        )
        message = comm.isend("object", 0)
        index, _ = MPI.Request.waitany([request, message])
        assert (index, request.Test(), called) == (1, False, [])
        request.Cancel()
        with pytest.raises(MPI.Exception, match="after Complete"):
            MPI.Request.Waitall([request])
        request.complete(42)
        statuses = [MPI.Status()]
        found = MPI.Request.waitall([request], statuses)
        comm.recv()
        return found, statuses[0].source, called

    assert run(program, 1).values == [([42], 5, [False, "free"])]


def test_objects_with_buffers_arrive_by_pkl5() -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI
        from mpi4py.util import pkl5

        own, array = pkl5.Intracomm(comm), np.arange(100_000.0)
        if comm.rank == 0:
            own.send({"array": array, "name": "first"}, 1, 3)
            own.ssend([array, array[:3]], 1, 4)
            return own.bcast(None, 1)
        status = MPI.Status()
        one = own.recv(status=status)
        message = own.mprobe(tag=4)
        two = message.irecv().wait()
        assert status.Get_count() > array.nbytes
        assert (one["array"] == array).all()
        return own.bcast([one["name"], status.tag, float(two[0].sum() + two[1].sum())], 1)

    expected = ["first", 3, 4999950003.0]
    assert noccl.run_program(program, "collective_noc_4x4", ranks=2).values == [expected] * 2


def test_kinds_of_fortran_by_range_and_precision() -> None:
    def program(_: Any) -> Any:
        from mpi4py import MPI

        made = [MPI.Datatype.Create_f90_integer(r) for r in (2, 4, 9, 18)]
        made += [MPI.Datatype.Create_f90_real(p, r) for p, r in ((6, 37), (7, 37), (6, 38))]
        made.append(MPI.Datatype.Create_f90_complex(15, MPI.UNDEFINED))
        with pytest.raises(MPI.Exception, match="19 digits"):
            MPI.Datatype.Create_f90_integer(19)
        return [one.Get_size() for one in made], made[0].decode()[1:]

    assert run(program, 1).values == [([1, 2, 4, 8, 4, 8, 8, 16], ("F90_INTEGER", {"r": 2}))]


def test_errors_are_also_those_of_python() -> None:
    def program(comm: Any) -> bool:
        from mpi4py import MPI

        readonly = np.zeros(3)
        readonly.flags.writeable = False
        calls: list[tuple[type[BaseException], Callable[[], None]]] = [
            (BufferError, lambda: comm.Recv(readonly, MPI.PROC_NULL + 1)),
            (BufferError, lambda: comm.Send(np.zeros(3, ">i4"), 0)),
            (BufferError, lambda: comm.Send(np.zeros((4, 4))[:, 1], 0)),
            (KeyError, lambda: comm.Send([b"abcd", "no such"], 0)),
            (TypeError, lambda: comm.Send([object(), 1, "i"], 0)),
            (ValueError, lambda: comm.Send([bytearray(5), None, 0, "i"], 0)),
            (ValueError, lambda: comm.Allreduce([readonly, MPI.DOUBLE], [np.zeros(3), MPI.REAL8])),
        ]
        for error, call in calls:
            with pytest.raises(MPI.Exception) as caught:
                call()
            assert isinstance(caught.value, error)
        return True

    assert run(program, 1).values == [True]
