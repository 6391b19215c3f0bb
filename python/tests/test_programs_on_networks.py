# SPDX-License-Identifier: Apache-2.0
"""Programs on the engine's networks: values as in real MPI, cycles that repeat, errors that end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noccl
from tests.program_outputs import SCRIPTS, agree, real

NETWORKS = ["tilepro64_4x4", "collective_noc_4x4", "torrent_4x5"]
RANKS = 6


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_prints_what_it_prints_in_real_mpi(
    path: Path, network: str, capsys: pytest.CaptureFixture[str]
) -> None:
    result = noccl.run_script(path, network, ranks=RANKS)
    agree(capsys.readouterr().out, real(RANKS)[str(path)])
    assert result.cycles > 0


def exchange(comm: Any) -> list[Any]:
    """Some of everything."""
    from mpi4py import MPI

    rank, size = comm.rank, comm.size
    total, block = np.empty(3), np.empty(1)
    comm.Allreduce(np.arange(3.0) + rank, total)
    comm.Reduce_scatter_block(np.full(size, float(rank)), block)
    everyone = np.empty(size, int)
    comm.Allgather(np.array([rank]), everyone)
    swapped = np.empty(size, int)
    comm.Alltoall(everyone * 10 + rank, swapped)
    part = comm.Split(rank % 2, -rank)
    names = part.allgather(rank)
    product = comm.allreduce(rank + 1, op=MPI.PROD)
    comm.Barrier()
    return [total.tolist(), float(block[0]), everyone.tolist(), swapped.tolist(), names, product]


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("ranks", [1, 2, 5, 16])
def test_values_are_those_of_mpi_and_cycles_repeat(network: str, ranks: int) -> None:
    one, other = (noccl.run_program(exchange, network, ranks=ranks) for _ in range(2))
    numbers = range(ranks)
    for rank, value in enumerate(one.values):
        total = [ranks * i + sum(numbers) for i in range(3)]
        swapped = [10 * rank + source for source in numbers]
        names = sorted((r for r in numbers if r % 2 == rank % 2), reverse=True)
        product = int(np.prod([r + 1 for r in numbers]))
        expected = [total, float(sum(numbers)), list(numbers), swapped, names, product]
        assert value == expected
    assert one.values == other.values
    assert one.timeline.arrow.equals(other.timeline.arrow)
    assert one.ranks.arrow.equals(other.ranks.arrow)


@pytest.mark.parametrize("network", NETWORKS)
def test_the_parts_of_a_ranks_time_add_up(network: str) -> None:
    result = noccl.run_program(exchange, network, ranks=4)
    for row in result.ranks.rows():
        parts = [row[f"{part}_cycles"] for part in ("compute", "send", "receive", "wait")]
        assert sum(parts) == row["finish_cycle"]
    assert result.cycles == max(result.ranks["finish_cycle"])


@pytest.mark.parametrize("network", NETWORKS)
def test_long_and_empty_messages_arrive(network: str) -> None:
    sizes = [0, 1, 7, 128, 4097, 60_000]

    def program(comm: Any) -> Any:
        other = comm.rank ^ 1
        found = []
        for size in sizes:
            sent = np.random.default_rng(size + comm.rank).integers(0, 256, size).astype("u1")
            expected = np.random.default_rng(size + other).integers(0, 256, size).astype("u1")
            came = np.zeros(size, "u1")
            comm.Sendrecv(sent, other, recvbuf=came, source=other)
            whole = np.zeros(size, "u1")
            comm.Bcast(sent if comm.rank == 0 else whole)
            whole = sent if comm.rank == 0 else whole
            first = np.random.default_rng(size).integers(0, 256, size).astype("u1")
            found.append(np.array_equal(came, expected) and np.array_equal(whole, first))
        return found

    assert noccl.run_program(program, network, ranks=2).values == [[True] * len(sizes)] * 2


@pytest.mark.parametrize("network", NETWORKS)
def test_a_receive_of_any_tag_takes_no_part_of_a_collective(network: str) -> None:
    def program(comm: Any) -> Any:
        if comm.rank:
            comm.gather(comm.rank)
            comm.send("mine", dest=0, tag=3)
            return None
        request = comm.irecv()
        return comm.gather(comm.rank), request.wait()

    values = noccl.run_program(program, network, ranks=2).values
    assert values[0] == ([0, 1], "mine")


@pytest.mark.parametrize("network", NETWORKS)
def test_a_loop_of_tests_lets_time_pass(network: str) -> None:
    def program(comm: Any) -> Any:
        if comm.rank:
            comm.compute(cycles=2000)
            comm.send("late", dest=0)
            return None
        request, tests = comm.irecv(), 1
        while not request.Test():
            tests += 1
        while not comm.iprobe(source=0, tag=9):
            comm.isend("own", dest=0, tag=9)
        return tests > 10, request.wait(), comm.recv(source=0, tag=9)

    assert noccl.run_program(program, network, ranks=2).values[0] == (True, "late", "own")


@pytest.mark.parametrize("network", NETWORKS)
def test_alone_a_rank_sends_to_itself(network: str) -> None:
    def program(comm: Any) -> Any:
        from mpi4py import MPI

        alone = MPI.COMM_SELF
        alone.isend(comm.rank, dest=0)
        return alone.recv(), alone.allreduce(5), MPI.Wtime() > 0

    assert noccl.run_program(program, network, ranks=3).values[2] == (2, 5, True)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize(
    ("program", "said"),
    [
        (lambda c: c.recv(source=1 - c.rank), r"rank 0.*test_programs_on.*rank 1"),
        (lambda c: c.rank or c.recv(source=1), r"rank 0.*test_programs_on"),
        (lambda c: c.Barrier() if c.rank else c.bcast(1), "Barrier.*bcast|bcast.*Barrier"),
        (lambda c: 1 // c.rank, "rank 0.*ZeroDivisionError"),
        (
            lambda c: c.Send(np.zeros(3), 1) if c.rank == 0 else c.Recv(np.zeros(2), 0),
            "16 bytes.*24 bytes",
        ),
        (lambda c: c.send(1, dest=5), "destination 5"),
    ],
)
def test_what_is_wrong_is_said_and_ends(network: str, program: Any, said: str) -> None:
    with pytest.raises(noccl.ProgramError, match=f"(?s){said}"):
        noccl.run_program(program, network, ranks=2)


def test_more_ranks_than_tiles_are_refused() -> None:
    with pytest.raises(noccl.NocclError, match="17 ranks"):
        noccl.run_program(exchange, "tilepro64_4x4", ranks=17)


def test_cycles_are_limited() -> None:
    with pytest.raises(noccl.NocclError, match="100"):
        noccl.run_program(exchange, "tilepro64_4x4", ranks=16, max_cycles=100)
