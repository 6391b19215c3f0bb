# SPDX-License-Identifier: Apache-2.0
"""Random programs on executed cores: they end well, and faults of the library are noticed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import noccl
import repository

SOURCES = repository.ROOT / "programs" / "stress"
NOCCL = Path(sys.executable).parent / "noccl"

WRONG_BARRIER = """
void no_barrier(void) {}
"""

WRONG_BYTE = """
#undef MPI_Recv
#include <mpi.h>
int wrong_receive(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Status *status) {
  MPI_Recv(data, count, type, from, tag, comm, status);
  *(char *)data ^= 1;
  return MPI_SUCCESS;
}
"""


def ran(folder: Path, *options: str) -> list[str]:
    """What the ranks print of the program as its sources have it, with a fault."""
    program = folder / "program.elf"
    sources = sorted(str(path) for path in SOURCES.glob("*.c"))
    build = [str(NOCCL), "build", *sources, *options, "-o", str(program)]
    made = subprocess.run(build, capture_output=True, check=False, text=True)
    assert made.returncode == 0, made.stderr
    run = [str(NOCCL), "run", str(program), "--program", "--ranks", "6", "--json"]
    done = subprocess.run(
        [*run, "--spec", "tilepro64_4x4"], capture_output=True, check=True, text=True
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return [rank["console"] for rank in report["ranks"]]


def syncs(console: str) -> list[tuple[int, int]]:
    lines = (line.split() for line in console.splitlines() if line.startswith("sync "))
    return [(int(entered), int(left)) for _, entered, left in lines]


def num_early(consoles: list[str]) -> int:
    """Barriers and collectives that a rank has left before all have entered."""
    together = zip(*(syncs(console) for console in consoles), strict=True)
    return sum(
        min(left for _, left in ranks) < max(entered for entered, _ in ranks) for ranks in together
    )


def test_random_programs_end_with_the_right_bytes() -> None:
    network = noccl.load("tilepro64_4x4")
    report = noccl.stress(network, num_seeds=20, kinds=["executed_program"], has_variants=True)
    assert (report.completed, report.wrong) == (20, 0), report.failures


def test_a_program_without_faults_tells_none(tmp_path: Path) -> None:
    consoles = ran(tmp_path)
    assert all(console.endswith("faults 0\n") for console in consoles)
    assert num_early(consoles) == 0


def test_a_barrier_that_does_nothing_is_noticed(tmp_path: Path) -> None:
    source = tmp_path / "barrier.c"
    source.write_text(WRONG_BARRIER, encoding="utf-8")
    assert num_early(ran(tmp_path, str(source), "-D", "nm_barrier=no_barrier")) > 0


def test_a_wrong_byte_is_noticed(tmp_path: Path) -> None:
    source = tmp_path / "byte.c"
    source.write_text(WRONG_BYTE, encoding="utf-8")
    consoles = ran(tmp_path, str(source), "-D", "MPI_Recv=wrong_receive")
    assert any("message of" in console for console in consoles)


def test_reductions_of_overlapping_communicators_fit_into_the_routers() -> None:
    """Of all ranks and of nine, open together, stood before one of them sent messages."""
    stress = [str(NOCCL), "stress", "--spec", "collective_noc_4x4", "--only", "program"]
    seed = ["--first-seed", "1435", "--seeds", "1"]
    done = subprocess.run([*stress, *seed], capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr + done.stdout
