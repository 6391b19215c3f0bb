# SPDX-License-Identifier: Apache-2.0
"""Random programs of one-sided communication: simulation, a plain model and real MPI agree."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noccl
from tests.case_numbers import IS_LONG
from tests.one_sided_in_c import found as found_in_c
from tests.one_sided_in_c import source
from tests.one_sided_programs import PHASES, Program, made, modelled, performed
from tests.test_program_window_order import NETWORKS
from tests.test_programs import run
from tests.test_programs_of_calls import report, said

NUM_REAL = 10_000 if IS_LONG else 150
NUM_IN_C = 400 if IS_LONG else 25
NOCCL = Path(sys.executable).parent / "noccl"


def found_here(program: Program, ranks: int) -> list[Any]:
    return run(lambda comm: performed(comm, program), ranks).values


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 5))
def test_random_programs_find_what_the_model_finds(seed: int, ranks: int) -> None:
    program = made(seed, ranks)
    assert found_here(program, ranks) == modelled(program, ranks)


@pytest.mark.parametrize("network", NETWORKS)
def test_random_programs_find_the_same_on_every_network(network: str) -> None:
    programs = [made(seed, 4) for seed in range(12)]
    assert {one["sync"] for program in programs for one in program["phases"]} == set(PHASES)
    together = noccl.run_program(
        lambda comm: [performed(comm, program) for program in programs], network, ranks=4
    )
    for number, program in enumerate(programs):
        values = [found[number] for found in together.values]
        assert values == modelled(program, 4), number


def test_random_programs_in_c_find_what_the_model_finds(tmp_path: Path) -> None:
    programs = [made(seed, 4) for seed in range(1000, 1000 + NUM_IN_C)]
    written, program = tmp_path / "program.c", tmp_path / "program.elf"
    written.write_text(source(programs, 4))
    built = said(NOCCL, "build", written, "-o", program, "--calls")
    assert built.returncode == 0, built.stderr
    for network in ("tilepro64_4x4", "collective_noc_4x4", "torrent_4x4"):
        ranks = report(program, 4, network)["ranks"]
        consoles = [iter(rank["console"].splitlines()) for rank in ranks]
        for number, one in enumerate(programs):
            values = [list(found_in_c(lines, len(one["phases"]))) for lines in consoles]
            assert values == modelled(one, 4), (network, 1000 + number)


def test_random_programs_find_what_they_find_in_real_mpi() -> None:
    script = Path(__file__).with_name("one_sided_programs.py")
    command = [Path(sys.executable).parent / "mpiexec", "-n", "3", sys.executable, script]
    done = subprocess.run(
        [*map(str, command), "0", str(NUM_REAL)], check=True, capture_output=True, text=True
    )
    real = json.loads(done.stdout)
    assert len(real) == NUM_REAL
    for seed, values in enumerate(real):
        program = made(seed, 3)
        assert values == modelled(program, 3) == found_here(program, 3), seed
