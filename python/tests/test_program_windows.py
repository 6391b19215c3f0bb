# SPDX-License-Identifier: Apache-2.0
"""One-sided communication: what each call does, and what is said of wrong ones.

`experiments/programs/one_sided.py` compares a script with real MPI on every network.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import noccl
from tests.ideal_session import MESSAGE_CYCLES
from tests.test_program_errors import fails
from tests.test_programs import run


def test_a_window_knows_what_it_was_made_of() -> None:
    def program(comm: Any) -> None:
        from mpi4py import MPI

        memory = np.arange(5.0 + comm.rank)
        window: Any = MPI.Win.Create(memory, 8, MPI.Info.Create({"no_locks": "no"}), comm)
        base, size, unit = window.attrs
        assert (base, size, unit) == (memory.ctypes.data, memory.nbytes, 8)
        assert window.Get_attr(MPI.WIN_BASE) == base
        assert (window.flavor, window.model) == (MPI.WIN_FLAVOR_CREATE, MPI.WIN_UNIFIED)
        assert window.Get_group() == comm.Get_group() == window.group
        assert (window.group_rank, window.group_size) == (comm.rank, comm.size)
        assert window.info["no_locks"] == "no"
        assert (window.name, MPI.WIN_NULL.Get_name()) == ("", "MPI_WIN_NULL")
        window.name = "cells"
        assert MPI.Win(window).Get_name() == "cells"
        assert MPI.Win(window) == window != MPI.WIN_NULL
        key = MPI.Win.Create_keyval()
        window.Set_attr(key, "x")
        assert window.Get_attr(key) == "x"
        window.Set_errhandler(MPI.ERRORS_ARE_FATAL)
        assert window.Get_errhandler() == MPI.ERRORS_ARE_FATAL
        assert np.array_equal(np.frombuffer(window.tomemory()), memory)
        window.tomemory()[:8] = np.array([7.0]).tobytes()
        assert memory[0] == 7
        window.Sync()
        window.Free()
        assert not window
        assert window == MPI.WIN_NULL
        without = MPI.Win.Create(None, comm=comm)
        assert without.attrs == (0, 0, 1)
        without.Free()
        alone = MPI.Win.Allocate(16, 4)
        assert (alone.group_size, alone.flavor) == (1, MPI.WIN_FLAVOR_ALLOCATE)
        assert alone.attrs[1:] == (16, 4)

    run(program, 3)


def test_a_shared_window_is_of_a_rank_alone() -> None:
    def program(comm: Any) -> None:
        from mpi4py import MPI

        window = MPI.Win.Allocate_shared(8, 4, comm=comm.Split_type(MPI.COMM_TYPE_SHARED))
        memory, unit = window.Shared_query(0)
        memory[:] = b"12345678"
        assert (window.tomemory().tobytes(), unit) == (b"12345678", 4)
        assert window.flavor == MPI.WIN_FLAVOR_SHARED
        refused: list[tuple[Callable[[], object], str]] = [
            (lambda: MPI.Win.Allocate_shared(8, comm=comm), "share no memory"),
            (MPI.Win.Create_dynamic, "names no memory of a tile; accepted: Create, Allocate"),
        ]
        for make, said in refused:
            with pytest.raises(MPI.Exception, match=said):
                make()
        among = MPI.Win.Allocate(8, comm=comm)
        own, others = among.Shared_query(comm.rank)[0], among.Shared_query(1 - comm.rank)[0]
        assert (own.nbytes, others.nbytes) == (8, 0)

    run(program, 2)


def test_an_access_takes_the_cycles_of_its_messages() -> None:
    def program(comm: Any) -> list[int]:
        from mpi4py import MPI

        window = MPI.Win.Allocate(64, comm=comm)
        data, took = np.zeros(8), []

        def time(call: Any) -> None:
            begin = MPI.Wtime()
            call()
            took.append(round((MPI.Wtime() - begin) * 1e9))

        if comm.rank == 0:
            time(lambda: window.Lock(1))
            time(lambda: window.Put(data, 1))
            time(lambda: window.Flush(1))
            time(lambda: window.Flush(1))
            time(lambda: window.Get(data, 1))
            time(lambda: window.Flush(1))
            time(lambda: window.Unlock(1))
            time(lambda: window.Lock(0))
            time(lambda: window.Unlock(0))
        comm.Barrier()
        return took

    both = 2 * MESSAGE_CYCLES
    result = run(program, 2)
    assert result.values[0] == [both, 0, both, 0, 0, both, both, 0, 0]
    # Lock, Put, Flush, Get, Unlock have 32 bytes each; Put and the response to Get have data.
    assert result.ranks["bytes"].tolist()[0] - result.ranks["bytes"].tolist()[1] == 5 * 32


def test_a_missing_rank_and_none_are_targets() -> None:
    def program(comm: Any) -> None:
        from mpi4py import MPI

        window = MPI.Win.Allocate(8, comm=comm)
        window.Lock(MPI.PROC_NULL)
        window.Put(np.zeros(99), MPI.PROC_NULL)
        assert window.Rget(np.zeros(99), MPI.PROC_NULL).Test()
        window.Unlock(MPI.PROC_NULL)
        window.Fence()
        window.Put([None, 0, MPI.INT], 0, 8)
        window.Fence()

    run(program, 2)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda w, _: w.Put(np.zeros(1), 0), r"no access to rank 0.*after Fence, Lock or Start"),
        (lambda w, _: w.Unlock(1), "rank 1 is not locked"),
        (lambda w, _: w.Flush(1), "nothing is locked; accepted: between Lock and Unlock"),
        (lambda w, _: (w.Lock(0), w.Lock(0)), "rank 0 is locked already"),
        (lambda w, _: (w.Lock_all(), w.Lock(1)), "rank 1 is locked already"),
        (lambda w, _: (w.Lock_all(), w.Fence()), "ranks are locked; accepted: after Unlock"),
        (lambda w, _: w.Unlock_all(), "nothing is locked"),
        (lambda w, _: w.Complete(), "after Start"),
        (lambda w, _: w.Wait(), "after Post"),
        (lambda w, _: w.Lock(0, 3), "type 3; accepted: LOCK_EXCLUSIVE, LOCK_SHARED"),
        (lambda w, _: w.Lock(2), "rank 2: no such rank"),
        (lambda w, _: (w.Fence(), w.Put(np.zeros(5), 1)), "bytes 0 to 40 of .* 1; accepted: 0 to"),
        (lambda w, _: (w.Fence(), w.Get(np.zeros(1), 1, 4)), "bytes 32 to 40 of the window"),
        (lambda w, _: (w.Fence(), w.Put(np.zeros(1), 1, -1)), "bytes -8 to 0"),
        (lambda w, _: (w.Fence(), w.Put(np.zeros(1), 1, [0, 2])), "8 bytes for 16 bytes"),
        (lambda w, _: (w.Fence(), w.Put(np.zeros(1), 1, "x")), "target: str; accepted: a displ"),
        (lambda w, _: (w.Fence(), w.Fetch_and_op(np.zeros(2), np.zeros(2), 1)), "one item of a"),
        (
            lambda w, _: (w.Fence(), w.Fetch_and_op(np.zeros(1), np.zeros(1, int), 1)),
            "datatypes DOUBLE, LONG; accepted: one datatype",
        ),
        (
            lambda w, m: (w.Fence(), w.Accumulate(np.zeros(1), 1, op=m.BAND)),
            "operator BAND on DOUBLE: not defined",
        ),
        (
            lambda w, m: (w.Fence(), w.Accumulate(np.zeros(1), 1, op=m.Op.Create(print))),
            "accepted: a predefined one",
        ),
        (lambda w, m: m.Win.Create(b"1234"), "memory: cannot be written"),
        (lambda w, m: m.Win.Allocate(-1), "size: -1; accepted: 0 or more"),
        (lambda w, m: m.Win.Allocate(8, 0), "disp_unit: 0; accepted: 1 or more"),
        (lambda w, m: m.WIN_NULL.Fence(), "Win.Fence: the Win is null"),
        (
            lambda w, m: w.Fence() if w.group_rank else w.Free(),
            r"Win\.F\w+\(\).*Win\.F\w+\(\); accepted: the same call",
        ),
    ],
)
def test_a_wrong_call_is_named(call: Any, said: str) -> None:
    def program(comm: Any) -> None:
        from mpi4py import MPI

        call(MPI.Win.Create(np.zeros(4), 8, comm=comm), MPI)

    fails(program, said)


def test_ranks_that_wait_for_each_other_are_named_with_their_calls() -> None:
    def program(comm: Any) -> None:
        from mpi4py import MPI

        window = MPI.Win.Allocate(8, comm=comm)
        if comm.rank == 0:
            window.Post(comm.Get_group().Incl([1]))
            window.Wait()
        window.Lock(1)
        comm.recv(source=1)

    with pytest.raises(noccl.ProgramError) as caught:
        noccl.run_program(program, "collective_noc_4x4", ranks=3)
    said = str(caught.value)
    assert "rank 0 waits for its Win.Wait called at" in said
    assert "waits for a message from rank 1 of a window at" in said
