# SPDX-License-Identifier: Apache-2.0
"""`MPIPoolExecutor`: rank 0 continues, the others do calls until it ends.

`experiments/programs/executors.py` compares `MPICommExecutor` with that of real MPI.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from noccl import ProgramError
from tests.test_program_scripts import simulate, write

POOL = """
from mpi4py import MPI
from mpi4py.futures import MPIPoolExecutor

seen = []

def begin(value):
    seen.append(value)

def call(x):
    return MPI.COMM_WORLD.rank, seen, x * x

def fail(x):
    raise ValueError(f"no {x}")

print("begun", MPI.COMM_WORLD.rank)
if __name__ == "__main__":
    with MPIPoolExecutor(initializer=begin, initargs=(7,)) as pool:
        found = list(pool.map(call, range(6)))
        print(sorted({rank for rank, _, _ in found}), [value for _, _, value in found])
        print(found[0][1], pool.num_workers)
        future = pool.submit(fail, 3)
        print(repr(future.exception()))
    with MPIPoolExecutor(max_workers=1) as pool:
        queued = [pool.submit(call, x) for x in range(3)]
        print(queued[2].cancel(), [one.result()[0] for one in queued[:2]])
    try:
        pool.submit(call, 1)
    except RuntimeError as error:
        print(error)
    print("end", MPI.COMM_WORLD.rank)
"""


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_other_ranks_become_workers(
    ranks: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulate(write(tmp_path, main=POOL), ranks)
    lines = capsys.readouterr().out.splitlines()
    workers = list(range(1, ranks)) or [0]
    assert lines == [
        *(f"begun {rank}" for rank in range(ranks)),
        f"{workers} [0, 1, 4, 9, 16, 25]",
        f"[7] {ranks - 1}",
        "ValueError('no 3')",
        f"{ranks > 1} {[workers[0]] * 2}",
        "cannot schedule new futures after shutdown",
        "end 0",
    ]


def test_a_future_that_no_worker_has_is_refused(tmp_path: Path) -> None:
    main = (
        "from mpi4py.futures import MPICommExecutor, Future\n"
        "with MPICommExecutor() as pool:\n"
        "    if pool is not None:\n"
        "        future = pool.submit(abs, -1)\n"
        "        future.result()\n"
        "        future._state = 'RUNNING'\n"
        "        future.result()\n"
    )
    with pytest.raises(ProgramError, match="waits for a call that no worker does"):
        simulate(write(tmp_path, main=main), 2)
