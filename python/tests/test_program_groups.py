# SPDX-License-Identifier: Apache-2.0
"""Communicators that a part of the ranks makes, sessions, and what MPI has for ranks that fail."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noccl
from tests.test_program_window_order import NETWORKS

NOCCL = Path(sys.executable).parent / "noccl"


def of_odd(comm: Any) -> list[Any]:
    """What the odd ranks find in a communicator of their own, in reverse order."""
    if comm.rank % 2 == 0:
        return []
    own = comm.Create_group(comm.Get_group().Incl([3, 1]))
    again = comm.Create_group(comm.Get_group().Incl([3, 1]))
    total = np.zeros(1, np.int64)
    own.Allreduce(np.array([comm.rank]), total)
    given = own.sendrecv(comm.rank, 1 - own.rank, source=1 - own.rank)
    # Messages of one are none of the other.
    request = again.isend("again", 1 - own.rank)
    first = own.sendrecv("own", 1 - own.rank, source=1 - own.rank)
    second = again.recv()
    request.wait()
    return [own.rank, own.size, int(total[0]), given, first, second, own.Compare(again)]


@pytest.mark.parametrize("network", NETWORKS)
def test_a_part_of_the_ranks_makes_a_communicator(network: str) -> None:
    values = noccl.run_program(of_odd, network, ranks=4).values
    rest = [4, "own", "again", 1]
    assert values == [[], [1, 2, rest[0], 3, *rest[1:]], [], [0, 2, rest[0], 1, *rest[1:]]]


def test_a_group_without_the_caller_is_refused() -> None:
    def program(comm: Any) -> int:
        from mpi4py import MPI

        group = comm.Get_group().Incl([1])
        if comm.rank == 1:
            return int(comm.Create_group(group).size)
        with pytest.raises(MPI.Exception, match="without the caller") as caught:
            comm.Create_group(group)
        return int(caught.value.Get_error_class() == MPI.ERR_GROUP)

    assert noccl.run_program(program, "collective_noc_4x4", ranks=2).values == [1, 1]


def test_a_recorded_group_is_replayed(tmp_path: Path) -> None:
    path = tmp_path / "odd.messages"
    noccl.run_program(of_odd, "collective_noc_4x4", ranks=4, has_timeline=True).write_messages(path)
    lines = path.read_text().splitlines()
    made = [line for line in lines if line.startswith("group")]
    assert [line.split()[2:] for line in made] == [["3", "1"]] * 4
    command = [str(NOCCL), "run", "messages", str(path), "--spec", "collective_noc_4x4"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_sessions_name_the_ranks() -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        session = MPI.Session.Init()
        names = [session.Get_nth_pset(n) for n in range(session.Get_num_psets())]
        sizes = [session.Get_pset_info(name).Get("mpi_size") for name in names]
        group = MPI.Group.Create_from_session_pset(session, names[0])
        made = MPI.Intracomm.Create_from_group(group)
        total = made.allreduce(made.rank)
        session.Finalize()
        with pytest.raises(MPI.Exception) as caught:
            session.Get_num_psets()
        assert caught.value.Get_error_class() == MPI.ERR_SESSION
        return names, sizes, total, comm.Compare(made) == MPI.CONGRUENT

    found = noccl.run_program(program, "tilepro64_4x4", ranks=3).values
    assert found == [(["mpi://WORLD", "mpi://SELF"], ["3", "1"], 3, True)] * 3


def test_no_rank_has_failed() -> None:
    def program(comm: Any) -> Any:
        flag = np.array([0b110 | comm.rank], np.int32)
        comm.Iagree(flag).Wait()
        shrunk = comm.Shrink()
        failed = comm.Get_failed().Get_size()
        return comm.Agree(6 | comm.rank), int(flag[0]), shrunk.size, failed, comm.Ack_failed()

    assert noccl.run_program(program, "tilepro64_4x4", ranks=2).values == [(6, 6, 2, 0, 0)] * 2


def test_objects_of_mpi_are_pickled_as_what_they_are() -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        names = (
            "INT DATATYPE_NULL SUM COMM_WORLD GROUP_EMPTY INFO_ENV ERRORS_RETURN MESSAGE_NO_PROC"
        )
        for name in names.split():
            one = getattr(MPI, name)
            assert pickle.loads(pickle.dumps(one)) is one
            copied = pickle.loads(pickle.dumps(type(one)(one)))
            assert copied is not one
            assert copied == one
        with pytest.raises(ValueError, match="cannot pickle"):
            pickle.dumps(comm.Dup())
        with pytest.raises(TypeError, match="unhashable"):
            hash(comm)
        return True

    assert noccl.run_program(program, "tilepro64_4x4", ranks=2).values == [True] * 2
