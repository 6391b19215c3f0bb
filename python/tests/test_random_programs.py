# SPDX-License-Identifier: Apache-2.0
"""Random programs of messages, collectives, datatypes: simulations agree with real MPI."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import noccl
from tests.case_numbers import IS_LONG
from tests.random_programs import STEPS, made, performed
from tests.test_program_window_order import NETWORKS

# A case of the long suites has 500 programs, so that it ends in time.
CASES = range(20) if IS_LONG else range(1)
NUM_PROGRAMS = 500 if IS_LONG else 120
# Programs of one run.
BATCH = 30


def real(ranks: int, first: int, last: int) -> list[Any]:
    command = [str(Path(sys.executable).parent / "mpiexec"), "-n", str(ranks), sys.executable]
    command += ["-m", "tests.random_programs", str(first), str(last)]
    folder = Path(__file__).parents[1]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    found: list[Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("case", CASES)
def test_random_programs_find_what_they_find_in_real_mpi(case: int) -> None:
    start = case * NUM_PROGRAMS
    programs = [made(seed, 3) for seed in range(start, start + NUM_PROGRAMS)]
    assert {step["step"] for program in programs for step in program} == set(STEPS)
    expected = real(3, start, start + NUM_PROGRAMS)
    assert len(expected) == NUM_PROGRAMS
    for first in range(0, NUM_PROGRAMS, BATCH):
        network = NETWORKS[first // BATCH % len(NETWORKS)]
        batch = programs[first : first + BATCH]
        result = noccl.run_program(
            lambda comm, batch=batch: [performed(comm, one) for one in batch], network, ranks=3
        )
        for number, values in enumerate(zip(*result.values, strict=True)):
            found = json.loads(json.dumps(values))
            assert found == expected[first + number], (network, start + first + number)
