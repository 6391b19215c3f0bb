# SPDX-License-Identifier: Apache-2.0
"""Programs with credits (`noccl build --credits`): same values, bounded queues."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import repository
from tests.case_numbers import cases

SOURCES = repository.ROOT / "programs"
NOCCL = Path(sys.executable).parent / "noccl"
CREDITS = [1, 2, 8]
UNITS_SENT = 10
# One credit and 16 ranks wait for each other most.
RANKS = {1: (6, 16), 2: cases((6,), (6, 16)), 8: cases((6,), (6, 16))}


def noccl(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(NOCCL), *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, check=False, text=True, timeout=300)


def built(folder: Path, units: int | None, sources: list[str], *options: str) -> Path:
    program = folder / f"credits_{units}.elf"
    paths = [SOURCES / source for source in sources]
    of_credits = [] if units is None else ["--credits", units]
    made = noccl("build", *paths, "-o", program, *options, *of_credits)
    assert made.returncode == 0, made.stderr
    return program


def report(program: Path, ranks: int, *options: object) -> dict[str, Any]:
    # A library that waits in a circle for credits may poll for ever.
    limit = ["--spec", "tilepro64_4x4", "--max-cycles", 50_000_000]
    ran = noccl("run", program, "--program", "--ranks", ranks, "--json", *limit, *options)
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    assert all(rank["exit_code"] == 0 for rank in found["ranks"])
    return found


def console(found: dict[str, Any]) -> list[str]:
    return [rank["console"] for rank in found["ranks"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("without")


@functools.cache
def without_credits(folder: Path, ranks: int, *sources: str) -> dict[str, Any]:
    """The same for all numbers of credits."""
    program = built(folder, None, list(sources))
    return report(program, ranks, "--program-memory", "16MiB")


@pytest.mark.parametrize("units", CREDITS)
@pytest.mark.parametrize("name", ["collectives", "mpi", "mpi_groups", "mpi_requests"])
def test_values_are_those_without_credits(
    tmp_path: Path, folder: Path, name: str, units: int
) -> None:
    """All send before they receive, collectives follow each other, some sends wait."""
    source = f"tests/ranks/{name}.c"
    program = built(tmp_path, units, [source])
    for ranks in (6,) if name == "mpi" else RANKS[units]:
        wanted = console(without_credits(folder, ranks, source))
        assert wanted[0]
        assert console(report(program, ranks)) == wanted


def test_a_recorded_program_returns_credits_while_it_waits(tmp_path: Path) -> None:
    """The recorder's functions stand in place of the library's that wait."""
    cores = SOURCES / "recorder" / "cores"
    sources = [f"recorder/cores/{path.name}" for path in sorted(cores.glob("*.c"))]
    program = built(tmp_path, 1, ["tests/ranks/mpi.c", *sources], "-I", str(cores))
    trace = tmp_path / "mpi.messages"
    assert console(report(program, 6, "--record", trace))[0] == "ok\n"
    assert "library send" in trace.read_text()


@pytest.mark.parametrize("units", cases([1, 8], CREDITS))
def test_values_depend_on_no_fifo(tmp_path: Path, units: int) -> None:
    """A store of 37 words holds less than the credits that 15 ranks may return at once."""
    program = built(tmp_path, units, ["tests/ranks/collectives.c"])
    small = ["-P", "core.receive_store_words=37", "-P", "router.udn.input_fifo_flits=1"]
    assert console(report(program, 16, *small))[0] == "ok\n"


def results(found: dict[str, Any]) -> list[str]:
    """What a kernel has found, without its cycles."""
    lines: list[str] = found["ranks"][0]["console"].splitlines()
    return [line for line in lines if not line.startswith("npb elapsed")]


@pytest.mark.parametrize("units", CREDITS)
def test_a_kernel_finds_what_it_finds_without_credits(
    tmp_path: Path, folder: Path, units: int
) -> None:
    sources = [f"npb/{name}.c" for name in ("is", "random", "report")]
    program = built(tmp_path, units, sources)
    for ranks in cases((4,), (4, 16)):
        wanted = without_credits(folder, ranks, *sources)
        found = report(program, ranks, "--program-memory", "16MiB")
        assert results(found) == results(wanted)
        assert found["cycles"] > wanted["cycles"]


@pytest.mark.parametrize("units", [None, *CREDITS])
def test_no_more_units_than_credits_stand_before_a_receiver(
    tmp_path: Path, units: int | None
) -> None:
    """Three senders to a rank that takes nothing; a barrier's credits may still be pending."""
    program = built(tmp_path, units, ["tests/ranks/credits.c"], "-I", str(SOURCES / "nocmsg"))
    come, *left = (int(text) for text in console(report(program, 4)))
    most = UNITS_SENT if units is None else units
    fewest = most if most in (1, 2, UNITS_SENT) else most // 2
    assert all(fewest <= sent <= most for sent in left), left
    assert come == sum(left)


@pytest.mark.parametrize("units", CREDITS)
def test_a_random_program_ends_with_the_right_bytes(tmp_path: Path, units: int) -> None:
    program = built(
        tmp_path, units, [f"stress/{n}.c" for n in ("stress", "messages", "collectives")]
    )
    for ranks in (6, 11, 16):
        assert all(text.endswith("faults 0\n") for text in console(report(program, ranks)))


def test_numbers_of_credits_that_there_are_not_are_refused(tmp_path: Path) -> None:
    source, program = SOURCES / "examples" / "ring.c", tmp_path / "ring.elf"
    for options, part in (
        (["--credits", 0], "--credits '0': accepted: a whole number, 1 or more"),
        (["--credits", 256], "--credits '256': accepted: a smaller whole number"),
        (["--credits", 1, "--calls"], "cannot be used with"),
    ):
        made = noccl("build", source, "-o", program, *options)
        assert made.returncode == 2, made.stderr
        assert part in made.stderr
    assert not program.exists()
