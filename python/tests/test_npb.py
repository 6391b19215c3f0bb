# SPDX-License-Identifier: Apache-2.0
"""NAS parallel benchmarks: one source gives NPB's values natively and on tiles.

Natively the calls are counted: they are those of the published sources.

`NOCCL_NPB=long` runs every kernel on every grid, and counts the messages of 16 ranks.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

import repository

PROGRAMS = repository.ROOT / "programs"
TOOLS = Path(sys.executable).parent
MOST_CYCLES = 1_000_000_000
IS_LONG = os.environ.get("NOCCL_NPB") == "long"
# By number of ranks.
GRIDS = {4: "tilepro64_2x2", 8: "tilepro64_4x2", 16: "tilepro64_4x4", 32: "tilepro64_8x4"}


@dataclass(frozen=True)
class Kernel:
    name: str
    # How often rank 0 states a quantity that has a reference.
    quantities: int
    # Sums in the order of a collective differ in the last digits between MPI libraries.
    is_equal_to_the_bit: bool
    is_cheap: bool = False
    most_ranks: int = 32
    # What it states when it refuses a number of ranks.
    needs: str = "a power of two"
    # Of all ranks, natively: calls by name and bytes.
    calls: dict[int, Counter[tuple[str, int]]] = field(default_factory=dict)


def all_ranks(ranks: int, **calls: dict[int, int]) -> Counter[tuple[str, int]]:
    """Calls of each of the ranks, by bytes."""
    return Counter(
        {(name, size): ranks * count for name, by in calls.items() for size, count in by.items()}
    )


def calls_of_is(ranks: int) -> Counter[tuple[str, int]]:
    calls = all_ranks(ranks, Allreduce={2068: 11}, Alltoall={4: 11}, Alltoallv={0: 11})
    calls += all_ranks(ranks, Reduce={8: 1, 204: 1})
    calls["Send", 4] = ranks - 1
    return calls


def calls_of_cg(ranks: int) -> Counter[tuple[str, int]]:
    """As many rows of ranks as columns: 16 solutions, in each 26 products and 52 sums."""
    side = math.isqrt(ranks)
    steps = side.bit_length() - 1
    sends = {8: 16 * 52 * steps, 16: 16 * steps, 8 * 1400 // side: 16 * 26 * (steps + 1)}
    return all_ranks(ranks, Send=sends, Bcast={4: 1}, Reduce={8: 1})


def calls_of_mg(ranks: int, sends: dict[int, int]) -> Counter[tuple[str, int]]:
    return all_ranks(ranks, Send=sends, Allreduce={8: 48, 16: 40}, Reduce={8: 1})


def calls_of_ft(ranks: int) -> Counter[tuple[str, int]]:
    """A transform before the time begins, one in it, and one in each of 6 iterations."""
    return all_ranks(ranks, Alltoall={16 * 64**3 // ranks**2: 8}, Reduce={16: 6, 8: 1})


def calls_of_lu(side: int) -> Counter[tuple[str, int]]:
    """As many rows of ranks as columns: 51 steps of two sweeps over 10 planes, and 54 residuals."""
    points, neighbours = 12 // side, side - 1
    calls = all_ranks(side**2, Allreduce={8: 5, 40: 5})
    # The lines of a sweep leave out points of the cube's faces.
    for at in range(side):
        inner = points - (at == 0) - (at == side - 1)
        calls["Send", 40 * inner] += 2 * neighbours * 51 * 2 * 10
        # The surface integral: across z along x, with a corner, and along y.
        calls["Send", 16 * (points + (at < side - 1))] += neighbours
        calls["Send", 16 * points] += neighbours
    calls["Send", 80 * points * 12] += 4 * side * neighbours * 54
    # Across x and y: two sides each, all points along z.
    calls["Send", 16 * 12] += 4 * neighbours
    return calls


def faces(*local: int, exchanges: int) -> Counter[int]:
    """Bytes of the six faces of a part with so many points along each axis."""
    x, y, z = local
    return Counter({8 * y * z: 0}) + sum(
        (Counter({8 * face: 2 * exchanges}) for face in (y * z, (x + 2) * z, (x + 2) * (y + 2))),
        Counter(),
    )


# 4 ranks divide the second and the third axis. The finest level exchanges 19 times, the coarsest
# 10 times, the others 15 times.
MG_4 = faces(32, 16, 16, exchanges=19) + faces(2, 1, 1, exchanges=10)
MG_4 += faces(16, 8, 8, exchanges=15) + faces(8, 4, 4, exchanges=15) + faces(4, 2, 2, exchanges=15)
# Measured with the published sources: what each of 16 ranks sends on its four finest levels. On the
# coarsest one half of the ranks have points; they also send to the others: 560 messages together.
MG_16 = dict.fromkeys((1024, 1152, 2592), 38)
MG_16 |= dict.fromkeys((256, 320, 800, 64, 96, 288, 16, 32, 128), 30)
MG_16_COARSEST = 560

KERNELS = [
    Kernel("is", 51, True, is_cheap=True, calls={n: calls_of_is(n) for n in (4, 16)}),
    Kernel("cg", 1, True, calls={n: calls_of_cg(n) for n in (4, 16)}),
    Kernel("mg", 1, False, is_cheap=True, calls={4: calls_of_mg(4, MG_4)}),
    Kernel("ft", 12, False, calls={n: calls_of_ft(n) for n in (4, 16)}),
    Kernel(
        *("lu", 11, False),
        most_ranks=16,
        needs="a rectangle of ranks",
        calls={side**2: calls_of_lu(side) for side in (2, 4)},
    ),
]


ON_TILES = [kernel for kernel in KERNELS if IS_LONG or kernel.is_cheap]


def named(kernel: Kernel) -> str:
    return kernel.name


def sources(name: str) -> list[Path]:
    folder = PROGRAMS / "npb"
    shared = [folder / "random.c", folder / "report.c"]
    return [folder / f"{name}.c", *sorted(folder.glob(f"{name}_*.c")), *shared]


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("npb")


@cache
def native(name: str, folder: Path) -> Path:
    program = folder / f"{name}.native"
    counter = PROGRAMS / "tests" / "ranks" / "count_calls.c"
    options = ["-O2", "-ffp-contract=off", "-o", program]
    made = run(TOOLS / "mpicc", *options, *sources(name), counter, "-lm")
    assert made.returncode == 0, made.stderr
    return program


@cache
def natively(name: str, ranks: int, folder: Path) -> str:
    ran = run(TOOLS / "mpiexec", "-n", ranks, native(name, folder))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@cache
def built(name: str, folder: Path) -> Path:
    program = folder / f"{name}.elf"
    made = run(TOOLS / "noccl", "build", *sources(name), "-o", program)
    assert made.returncode == 0, made.stderr
    return program


def on_tiles(name: str, ranks: int, folder: Path) -> str:
    """What rank 0 printed."""
    options = ["--program", "--ranks", ranks, "--spec", GRIDS[ranks], "--max-cycles", MOST_CYCLES]
    ran = run(TOOLS / "noccl", "run", built(name, folder), *options)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    marked = "rank 0: "
    lines = [line.removeprefix(marked) for line in ran.stdout.splitlines() if line[:8] == marked]
    return "\n".join(lines)


def quantities(text: str) -> dict[str, list[str]]:
    """Computed value, reference, tolerance, error and `yes` or `no`, by name."""
    lines = [line.split() for line in text.splitlines() if line.startswith("npb quantity ")]
    return {name: values for _, _, name, *values in lines}


def check_values(kernel: Kernel, ranks: int, text: str) -> dict[str, list[str]]:
    lines = text.splitlines()
    assert f"npb begin {kernel.name.upper()} S {ranks}" in lines
    assert "npb verified yes" in lines
    found = quantities(text)
    assert len(found) == kernel.quantities
    for name, (computed, reference, tolerance, _, is_right) in found.items():
        allowed = float(tolerance) * abs(float(reference))
        assert abs(float(computed) - float(reference)) <= allowed, name
        assert is_right == "yes", name
    return found


def counted(text: str) -> Counter[tuple[str, int]]:
    calls: Counter[tuple[str, int]] = Counter()
    for line in text.splitlines():
        if line.startswith("calls "):
            _, _, name, size, count = line.split()
            calls[name, int(size)] += int(count)
    return calls


@pytest.mark.parametrize("kernel", KERNELS, ids=named)
def test_native_mpi_gives_the_reference_values_with_the_published_messages(
    kernel: Kernel, folder: Path
) -> None:
    text = natively(kernel.name, 4, folder)
    check_values(kernel, 4, text)
    assert counted(text) == kernel.calls[4]


@pytest.mark.parametrize("kernel", ON_TILES, ids=named)
@pytest.mark.parametrize("ranks", GRIDS if IS_LONG else [4])
def test_tiles_give_the_values_of_native_mpi(kernel: Kernel, ranks: int, folder: Path) -> None:
    if ranks > kernel.most_ranks:
        refused = run(TOOLS / "mpiexec", "-n", ranks, native(kernel.name, folder))
        assert refused.stdout.startswith("npb refused")
        return
    found = check_values(kernel, ranks, on_tiles(kernel.name, ranks, folder))
    wanted = quantities(natively(kernel.name, ranks, folder))
    if kernel.is_equal_to_the_bit:
        assert found == wanted
    else:
        values = {name: float(value[0]) for name, value in wanted.items()}
        assert {name: float(value[0]) for name, value in found.items()} == pytest.approx(
            values, rel=1e-12, abs=0
        )


def test_exchanges_of_faces_end_though_packets_of_third_parties_stand_between(folder: Path) -> None:
    """Ranks in the middle of a packet must not wait for the rest of another one."""
    kernel = next(kernel for kernel in KERNELS if kernel.name == "mg")
    check_values(kernel, 16, on_tiles("mg", 16, folder))


def test_the_counts_of_cg_are_those_of_the_published_sources() -> None:
    traced = all_ranks(16, Send={8: 1664, 2800: 1248, 16: 32}, Bcast={4: 1}, Reduce={8: 1})
    assert calls_of_cg(16) == traced


def test_the_counts_of_lu_are_those_of_the_published_sources() -> None:
    """On 16 ranks; an inner one sends 2040 lines of 3 points and 216 pairs of layers."""
    found = calls_of_lu(4)
    sends = Counter({call: count for call, count in found.items() if call[0] == "Send"})
    assert sends.total() == 27_108
    assert sends["Send", 120] == 6 * 2040
    assert sends["Send", 2880] == 12 * 216
    assert found - sends == all_ranks(16, Allreduce={40: 5, 8: 5})


@pytest.mark.skipif(not IS_LONG, reason="16 processes on two cores")
@pytest.mark.parametrize("kernel", KERNELS, ids=named)
def test_16_ranks_send_what_the_published_sources_send(kernel: Kernel, folder: Path) -> None:
    found = counted(natively(kernel.name, 16, folder))
    if kernel.name == "mg":
        wanted = calls_of_mg(16, MG_16)
        rest = found - wanted
        assert found - rest == wanted
        assert {name for name, _ in rest} == {"Send"}
        assert rest.total() == MG_16_COARSEST
    else:
        assert found == kernel.calls[16]


@pytest.mark.parametrize("kernel", KERNELS, ids=named)
def test_other_numbers_of_ranks_are_refused(kernel: Kernel, folder: Path) -> None:
    ran = run(TOOLS / "mpiexec", "-n", 3, native(kernel.name, folder))
    name = kernel.name.upper()
    assert ran.returncode == 2
    assert ran.stdout.startswith(f"npb refused: {name} needs {kernel.needs}")
    assert "found 3 ranks" in ran.stdout
    assert "npb begin" not in ran.stdout
