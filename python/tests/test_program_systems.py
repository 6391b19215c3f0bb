# SPDX-License-Identifier: Apache-2.0
"""One program on several systems: `noccl run program --systems`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import noccl
import repository

NOCCL = Path(sys.executable).with_name("noccl")
CG = repository.ROOT / "programs" / "examples" / "conjugate_gradient.c"
SUMS = """
import numpy as np
from mpi4py import MPI
comm = MPI.COMM_WORLD
window = MPI.Win.Create(np.zeros(2), 8, comm=comm)
for _ in range(3):
    comm.compute(cycles=100)
    comm.Allreduce(np.full(64, 1.0), np.empty(64))
window.Fence()
if comm.rank == 1:
    window.Put(np.ones(1), 0)
window.Fence()
window.Free()
"""


def said(*command: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    words = [NOCCL, "run", "program", *command]
    run = subprocess.run([str(word) for word in words], capture_output=True, check=False, text=True)
    assert run.returncode == code, run.stderr
    return run


def compared(*command: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said(*command, "--json").stdout)
    return found


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    path = tmp_path / "sums.py"
    path.write_text(SUMS)
    return path


def test_a_script_runs_on_all_systems(sums: Path) -> None:
    found = compared(sums, "--ranks", 4, "--systems", "all")
    rows = {row["spec"]: row for row in found["rows"]}
    assert len(rows) == 7
    assert found["left_out"] == []
    for spec, row in rows.items():
        alone = noccl.run_script(sums, spec, ranks=4)
        assert row["cycles"] == alone.cycles, spec
        parts = ("computing", "sending", "receiving", "waiting")
        assert sum(row[part] for part in parts) == pytest.approx(1)
        # Of what waits, no part is in no call.
        assert sum(row["calls"].values()) >= row["waiting"] - 1e-9
    times = [row["time_us"] for row in rows.values()]
    assert rows["tilepro64_2x2"]["speedup"] == pytest.approx(1)
    assert max(row["speedup"] for row in rows.values()) == pytest.approx(max(times) / min(times))
    (sum_of_all,) = [one for one in found["collectives"] if one["call"].startswith("all_reduce")]
    assert sum_of_all["count"] == 3
    assert sum_of_all["cycles"] <= sum_of_all["software_cycles"]
    assert sum_of_all["fastest"] != "SMART", "its routers add integers alone"
    saved = 3 * (sum_of_all["software_cycles"] - sum_of_all["cycles"]) / 1e3
    assert sum_of_all["saved_us"] == pytest.approx(saved)
    assert "the fastest mechanism of each collective saves" in found["conclusion"]


def test_a_compiled_program_runs_on_named_systems_as_alone(tmp_path: Path) -> None:
    program = tmp_path / "cg.elf"
    subprocess.run([NOCCL, "build", CG, "-o", program, "--calls"], check=True, capture_output=True)
    specs = ["torrent_4x4", "ideal_4x4"]
    found = compared(program, "--ranks", 16, "--systems", ",".join(specs))
    for spec, row in zip(specs, found["rows"], strict=True):
        alone = json.loads(said(program, "--ranks", 16, "--spec", spec, "--json").stdout)
        assert (row["spec"], row["cycles"]) == (spec, alone["cycles"])
        assert row["calls"]["all_reduce"] > 0
    assert any(one["call"].startswith("all_reduce") for one in found["collectives"])
    text = said(program, "--ranks", 16, "--systems", ",".join(specs)).stdout
    assert "cg ok" not in text
    assert text.startswith("cg.elf with 16 ranks\n\nsystem ")


def test_a_program_that_fails_says_why_for_each_system(tmp_path: Path) -> None:
    script = tmp_path / "wrong.py"
    script.write_text("from mpi4py import MPI\nMPI.COMM_WORLD.recv(source=1)\n")
    found = said(script, "--ranks", 2, "--systems", "torrent_2x2,smart_2x2", code=1).stdout
    for spec in ("torrent_2x2", "smart_2x2"):
        assert f"not run: {spec}: no rank can continue after cycle 0" in found
    assert "the program runs on no system" in found


def test_what_cannot_be_compared_is_refused(sums: Path, tmp_path: Path) -> None:
    program = tmp_path / "ring.elf"
    ring = repository.ROOT / "programs" / "examples" / "ring.c"
    subprocess.run([NOCCL, "build", ring, "-o", program], check=True, capture_output=True)
    for command, part in [
        ((sums, "--systems", "torrent_2x2,nothing"), "no preset 'nothing'"),
        ((sums, "--systems", "all", "--spec", "torrent_2x2"), "--spec"),
        ((sums, "--systems", "all", "--record", tmp_path / "trace"), "--record"),
        ((program, "--systems", "all"), "a program of noccl build --calls"),
    ]:
        assert part in said(*command, "--ranks", 4, code=2).stderr, command


BESIDE = """
#include <mpi.h>
static float a[64], b[64];
int main(int c, char **v) {
  MPI_Request request;
  MPI_Init(&c, &v);
  for (int i = 0; i < 3; i++) {
    MPI_Iallreduce(a, b, 64, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
}
"""


def test_collectives_that_do_not_block_are_compared_too(tmp_path: Path) -> None:
    source, program = tmp_path / "beside.c", tmp_path / "beside.elf"
    source.write_text(BESIDE)
    subprocess.run([NOCCL, "build", source, "-o", program, "--calls"], check=True)
    command = [program, "--ranks", "4", "--json"]
    compared = json.loads(said(*command, "--systems", "collective_noc_2x2").stdout)
    rows = [(row["call"], row["count"]) for row in compared["collectives"]]
    assert [count for _, count in rows] == [3]
    assert rows[0][0] == "all_reduce of 256 B"
    trace = tmp_path / "beside.messages"
    said(program, "--ranks", "4", "--record", trace)
    assert trace.read_text().count("\n# begins allreduce 0 ") == 12
    replay = subprocess.run([NOCCL, "run", "messages", trace], capture_output=True, check=False)
    assert replay.returncode == 0, replay.stderr
