# SPDX-License-Identifier: Apache-2.0
"""The recorder of MPI programs: what it writes is what the program has called."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
RECORDER = ROOT / "programs" / "recorder"
# What test_calls.c calls in six ranks; the replay of this file is tested in crates/noccl-program.
(CALLS,) = (ROOT / "crates" / "noccl-program" / "tests").rglob("calls.messages")
TOOLS = Path(sys.executable).parent


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorder, compiled as its head says."""
    built = tmp_path_factory.mktemp("recorder") / "libnoccl_recorder.so"
    flags = ["-O2", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]
    source = RECORDER / "noccl_recorder.c"
    command: list[str | Path] = [TOOLS / "mpicc", *flags, "-fPIC", "-shared", source]
    subprocess.run([*command, "-o", built], check=True, capture_output=True, timeout=120)
    return built


def record(
    library: Path, ranks: int, trace: Path, program: Path
) -> subprocess.CompletedProcess[str]:
    """Runs a program under the recorder."""
    preload: list[str | Path] = ["-genv", "LD_PRELOAD", library]
    command = [TOOLS / "mpiexec", "-n", str(ranks), *preload, program]
    environment = {**os.environ, "NOCCL_MESSAGES": str(trace)}
    return subprocess.run(
        command, env=environment, check=False, capture_output=True, text=True, timeout=120
    )


def compiled(folder: Path, source: str | Path) -> Path:
    """A program in C, from its file or its text."""
    if isinstance(source, str):
        text, source = source, folder / "program.c"
        source.write_text(text, encoding="utf-8")
    built = folder / "program"
    subprocess.run([TOOLS / "mpicc", source, "-o", built], check=True, timeout=120)
    return built


def reader() -> Callable[[str, int], list[list[str]]]:
    """The reader that the page of the format shows."""
    page = (ROOT / "docs" / "formats" / "messages.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(def records.*?)```", page, re.DOTALL)
    assert found
    names: dict[str, Callable[[str, int], list[list[str]]]] = {}
    exec(found[1], names)  # Of a page of the repository.
    return names["records"]


def calls(text: str, rank: int) -> list[list[str]]:
    """A rank's records without times; waits that follow each other are one."""
    found: list[list[str]] = []
    for record in reader()(text, rank):
        if record[0] == "wait" and found and found[-1][0] == "wait":
            found[-1] = ["wait", *sorted(found[-1][1:] + record[1:], key=int)]
        elif record[0] != "compute":
            found.append(record)
    return found


def test_every_call_is_recorded(library: Path, tmp_path: Path) -> None:
    trace = tmp_path / "calls.messages"
    done = record(library, 6, trace, compiled(tmp_path, RECORDER / "test_calls.c"))
    assert done.returncode == 0, done.stderr
    text, expected = trace.read_text(encoding="utf-8"), CALLS.read_text(encoding="utf-8")
    assert text.startswith("noccl-messages 1\nranks 6\nunit ns\nsource ")
    for rank in range(6):
        assert calls(text, rank) == calls(expected, rank)


def test_a_computation_takes_the_time_of_its_thread(library: Path, tmp_path: Path) -> None:
    program = compiled(
        tmp_path,
        "#include <mpi.h>\n#include <time.h>\n#include <unistd.h>\n"
        "int main(void) {\n"
        "  MPI_Init(0, 0);\n"
        "  struct timespec time;\n"
        "  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time); while (time.tv_nsec < 300000000);\n"
        "  MPI_Barrier(MPI_COMM_WORLD);\n"
        "  usleep(200000);\n"
        "  MPI_Barrier(MPI_COMM_WORLD);\n"
        "  return MPI_Finalize();\n"
        "}\n",
    )
    trace = tmp_path / "time.messages"
    assert record(library, 1, trace, program).returncode == 0
    records = reader()(trace.read_text(encoding="utf-8"), 0)
    times = [int(words[1]) for words in records if words[0] == "compute"]
    assert [words[0] for words in records[:4]] == ["compute", "barrier", "compute", "barrier"]
    assert 100_000_000 < times[0] < 300_000_001
    assert times[1] < 20_000_000


def test_what_cannot_be_replayed_ends_the_program(library: Path, tmp_path: Path) -> None:
    program = compiled(
        tmp_path,
        "#include <mpi.h>\nint main(void) {\n  MPI_Request request;\n  MPI_Init(0, 0);\n"
        "  MPI_Ibarrier(MPI_COMM_WORLD, &request);\n  return MPI_Finalize();\n}\n",
    )
    trace = tmp_path / "none.messages"
    done = record(library, 1, trace, program)
    assert done.returncode != 0
    expected = "noccl_recorder: MPI_Ibarrier; accepted: collectives that block"
    assert expected in done.stderr
    assert not trace.exists()
