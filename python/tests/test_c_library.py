# SPDX-License-Identifier: Apache-2.0
"""The C library of compiled programs: ranks print and end as the program does on the host.

`noccl build` fetches its compiler and its library the first time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import repository

SOURCES = repository.ROOT / "programs" / "tests" / "library"
NOCCL = Path(sys.executable).parent / "noccl"
ARGUMENTS = ["-v", "-n", "12", "file"]
STANDARD_INPUT = "3 words\n4"
INPUT = "7 2.5\nsecond line\nno end"
# How a program's messages go, and a network for it.
RUNS = [("--calls", "collective_noc_4x4"), ("", "tilepro64_4x4")]


@dataclass(frozen=True)
class Ended:
    output: str
    errors: str
    code: int


def said(*command: object, **options: Any) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command if word != ""]
    return subprocess.run(words, capture_output=True, check=False, text=True, **options)


def built(source: Path, folder: Path, *options: str) -> Path:
    program = folder / f"{source.stem}.elf"
    made = said(NOCCL, "build", source, "-o", program, *options)
    assert made.returncode == 0, made.stderr
    return program


def ran(program: Path, spec: str, *options: object) -> list[Ended]:
    run = said(NOCCL, "run", "program", program, "--ranks", 4, "--spec", spec, "--json", *options)
    ranks = json.loads(run.stdout)["ranks"]
    return [Ended(rank["console"], rank["errors"], rank["exit_code"]) for rank in ranks]


def on_host(source: Path, folder: Path, *defines: str) -> Ended:
    program = folder / "native"
    made = said("cc", "-O2", "-w", *defines, source, "-o", program, "-lm")
    assert made.returncode == 0, made.stderr
    environment = {**os.environ, "SIZE": "12"}
    run = said(program, *ARGUMENTS, cwd=folder, env=environment, input=STANDARD_INPUT)
    # A shell's code for a signal.
    code = run.returncode if run.returncode >= 0 else 128 - run.returncode
    return Ended(run.stdout, run.stderr, code)


@pytest.mark.parametrize(("messages", "spec"), RUNS)
@pytest.mark.parametrize("name", ["streams", "text", "files", "numbers", "system"])
def test_ranks_print_what_the_host_prints(
    tmp_path: Path, name: str, messages: str, spec: str
) -> None:
    source = SOURCES / f"{name}.c"
    (tmp_path / "input.txt").write_text(INPUT)
    program = built(source, tmp_path, messages)
    given = ["--env", "SIZE=12", "--file", f"{tmp_path / 'input.txt'}=input.txt"]
    (tmp_path / "standard.txt").write_text(STANDARD_INPUT)
    given += ["--file", f"{tmp_path / 'standard.txt'}=/dev/stdin"]
    first, *others = ran(program, spec, *given, "--", *ARGUMENTS)
    assert first == on_host(source, tmp_path)
    # As under mpiexec, only rank 0 has an input.
    without = first.errors.replace("input 3 words 4\n", "no input\n")
    assert others == [Ended(first.output, without, first.code)] * 3


@pytest.mark.parametrize("case", range(5))
def test_programs_end_as_on_the_host(tmp_path: Path, case: int) -> None:
    source, define = SOURCES / "ends.c", f"-DCASE={case}"
    program = built(source, tmp_path, "--calls", "-D", f"CASE={case}")
    host = on_host(source, tmp_path, define)
    for rank in ran(program, "collective_noc_4x4", "--", *ARGUMENTS):
        assert (rank.output, rank.code) == ("begun\n", host.code)
        assert rank.errors.count("assertion failed") == (1 if case == 3 else 0)


def test_streams_are_apart_and_lines_have_their_ranks(tmp_path: Path) -> None:
    program = built(SOURCES / "streams.c", tmp_path, "--calls")
    run = said(NOCCL, "run", "program", program, "--ranks", 2, "--spec", "torrent_4x4")
    assert run.stdout.startswith("rank 0: 1 printf 2.500\nrank 0:    42|42")
    assert "error" not in run.stdout
    assert run.stderr.startswith("rank 0: error 3\nrank 0: vfprintf 0.1\nrank 0: to standard error")
    assert "\nrank 1: error 3\n" in run.stderr


def test_a_sleep_takes_simulated_time(tmp_path: Path) -> None:
    source = tmp_path / "sleep.c"
    source.write_text(
        "#include <stdio.h>\n#include <time.h>\n#include <unistd.h>\n"
        'int main(void) { sleep(2); printf("%ld\\n", (long)time(NULL)); }\n'
    )
    for messages, spec in RUNS:
        program = built(source, tmp_path, messages)
        run = said(NOCCL, "run", "program", program, "--ranks", 1, "--spec", spec, "--json")
        report = json.loads(run.stdout)
        assert report["ranks"][0]["console"] == "2\n"
        # tilepro64's clock of programs is 700 MHz, that of the network of the other one 1 GHz.
        assert 1.4e9 <= report["cycles"] < 2.01e9


def test_what_nobody_defines_is_named_in_one_line_each(tmp_path: Path) -> None:
    source = tmp_path / "missing.c"
    source.write_text(
        "int MPI_Comm_rnk(int, int *); int helper(void);\n"
        "int main(void) { int r; MPI_Comm_rnk(0, &r); return r + helper() + helper(); }\n"
    )
    made = said(NOCCL, "build", source, "-o", tmp_path / "missing.elf", "--calls")
    assert made.returncode == 2
    lines = [line for line in made.stderr.splitlines() if "defined neither" in line]
    assert len(lines) == 2, made.stderr
    assert "MPI_Comm_rnk" in lines[0]
    assert "did you mean `MPI_Comm_rank`?" in lines[0]
    assert "helper is defined" in lines[1]
    assert all("docs/executed_cores.md" in line for line in lines)


def test_wrong_environment_and_files_are_refused(tmp_path: Path) -> None:
    program = built(SOURCES / "files.c", tmp_path, "--calls")
    run = [NOCCL, "run", "program", program, "--ranks", 1, "--spec", "torrent_4x4"]
    for options, part in [
        (["--env", "SIZE"], "accepted: NAME=VALUE"),
        (["--env", "=12"], "accepted: NAME=VALUE"),
        (["--file", f"{tmp_path}/absent.txt"], "absent.txt: cannot read"),
        (["--file", "=name"], "FILE=NAME"),
        (["--file", str(program), "--program-memory", "64KiB"], "a larger --program-memory"),
    ]:
        refused = said(*run, *options)
        assert refused.returncode == 2, options
        assert part in refused.stderr, refused.stderr
