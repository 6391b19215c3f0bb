# SPDX-License-Identifier: Apache-2.0
"""What the scripts of `experiments/programs` print in real MPI, and when two outputs agree."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "experiments" / "programs").glob("*.py"))
# Sums of floating-point numbers are added in another order.
TOLERANCE = 1e-9
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


@functools.cache
def real(ranks: int) -> dict[str, str]:
    """What each script prints in real MPI."""
    tools = Path(sys.executable).parent
    paths = [str(path) for path in SCRIPTS]
    output = subprocess.run(
        [
            *(str(tools / "mpiexec"), "-n", str(ranks), sys.executable),
            *(str(Path(__file__).with_name("real_mpi.py")), *paths),
        ],
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    ).stdout
    found: dict[str, str] = json.loads(output)
    return found


def agree(one: str, other: str) -> None:
    """Are two outputs the same, fractions within the tolerance?"""
    assert NUMBER.sub("#", one) == NUMBER.sub("#", other)
    values = [[float(value) for value in NUMBER.findall(text)] for text in (one, other)]
    assert values[0] == pytest.approx(values[1], rel=TOLERANCE, abs=TOLERANCE)
