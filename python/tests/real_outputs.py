# SPDX-License-Identifier: Apache-2.0
"""What programs in C print in real MPI: stored, since its ranks poll and so take many seconds.

The files are of a digest of the source, so that a changed program is noticed. `NOCCL_CASES=long`
compares them with real MPI, `NOCCL_WRITE_GOLDEN=1` writes them anew.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import repository
from tests.case_numbers import IS_LONG

SOURCES = repository.ROOT / "programs" / "tests"
STORED = Path(__file__).with_name("real_mpi")
TOOLS = Path(sys.executable).parent


def real_output(name: str, ranks: int, *arguments: str, folder: str = "ranks") -> str:
    """What a program of a folder of `programs/tests` prints in real MPI, started in the folder."""
    source, path = SOURCES / folder / f"{name}.c", STORED / f"{name}_{ranks}.txt"
    head = f"{name}.c {hashlib.sha256(source.read_bytes()).hexdigest()[:16]}\n"
    if "NOCCL_WRITE_GOLDEN" in os.environ:
        path.write_text(head + measured(source, ranks, arguments), encoding="utf-8")
    stored_head, _, stored = path.read_text(encoding="utf-8").partition("\n")
    assert f"{stored_head}\n" == head, f"{path.name} is stale: run with NOCCL_WRITE_GOLDEN=1"
    if IS_LONG:
        assert measured(source, ranks, arguments) == stored
    return stored


def measured(source: Path, ranks: int, arguments: tuple[str, ...]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "native"
        made: list[str | Path] = [TOOLS / "mpicc", "-O2", source, "-o", program, "-lm"]
        subprocess.run(made, check=True)
        command: list[str | Path] = [TOOLS / "mpiexec", "-n", str(ranks), program, *arguments]
        run = subprocess.run(command, capture_output=True, check=True, text=True, cwd=source.parent)
        return run.stdout
