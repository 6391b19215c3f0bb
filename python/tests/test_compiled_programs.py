# SPDX-License-Identifier: Apache-2.0
"""Programs in C: the core prints what the host's processor prints, and ends as Unicorn does.

`noccl build` fetches its compiler the first time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import repository
import riscv_programs
from riscv_unicorn import build

SOURCES = repository.ROOT / "programs" / "tests"
MEMORY_BYTES = 4 << 20
# The same arithmetic for the host: no sums fused with products.
NATIVE = ["cc", "-O2", "-ffp-contract=off", "-w"]


@dataclass(frozen=True)
class Executed:
    console: bytes
    code: int
    x: list[int]
    f: list[int]
    fcsr: int
    memory: bytes


@pytest.fixture(scope="module")
def execute() -> Path:
    return build("execute")


def compiled(source: Path, folder: Path) -> Path:
    program = folder / f"{source.stem}.elf"
    command = Path(sys.executable).parent / "noccl"
    subprocess.run([command, "build", source, "-o", program], check=True)
    return program


def executed(execute: Path, program: Path, folder: Path) -> Executed:
    registers, memory = folder / "registers", folder / "memory"
    options = ["--memory-bytes", str(MEMORY_BYTES)]
    options += ["--registers", str(registers), "--memory", str(memory)]
    run = subprocess.run([execute, program, *options], capture_output=True, check=False)
    found = json.loads(registers.read_text())
    return Executed(run.stdout, run.returncode, **found, memory=memory.read_bytes())


def same_float(mine: int, theirs: int) -> bool:
    """Unicorn does not box singles."""
    is_single = mine >> 32 == 0xFFFF_FFFF
    return mine == theirs or (is_single and mine & 0xFFFF_FFFF == theirs & 0xFFFF_FFFF)


@pytest.mark.parametrize("name", ["sort", "sparse", "matrix", "format", "heap"])
def test_a_program_prints_what_it_prints_natively_and_ends_as_on_unicorn(
    name: str, execute: Path, tmp_path: Path
) -> None:
    source = SOURCES / f"{name}.c"
    native = tmp_path / name
    subprocess.run([*NATIVE, source, "-o", native, "-lm"], check=True)
    wanted = subprocess.run([native], capture_output=True, check=False)
    program = compiled(source, tmp_path)
    mine = executed(execute, program, tmp_path)
    assert mine.console.decode() == wanted.stdout.decode()
    assert mine.code == wanted.returncode
    theirs = riscv_programs.run(program, MEMORY_BYTES)
    assert (mine.console, mine.code, mine.fcsr) == (theirs.console, theirs.code, theirs.fcsr)
    assert mine.x == theirs.x
    assert all(same_float(a, b) for a, b in zip(mine.f, theirs.f, strict=True))
    assert mine.memory == theirs.memory


def test_a_program_that_does_not_compile_is_refused_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "wrong.c").write_text("int main(void) {\n  return unknown;\n}\n")
    (tmp_path / "unlinked.c").write_text("int absent(void);\nint main(void) { return absent(); }\n")
    (tmp_path / "out.elf").write_text("as before")
    command = [str(Path(sys.executable).parent / "noccl"), "build", "-o", "out.elf"]
    for source, part in [
        ("wrong.c", "wrong.c:2:10: error"),
        ("unlinked.c", "unlinked.c:2: absent is"),
    ]:
        run = subprocess.run(
            [*command, source], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (run.returncode, run.stdout) == (2, "")
        assert part in run.stderr
    assert (tmp_path / "out.elf").read_text() == "as before"


def test_options_reach_the_compiler(execute: Path, tmp_path: Path) -> None:
    include, kept = tmp_path / "include", tmp_path / "kept"
    include.mkdir()
    (include / "value.h").write_text("#define VALUE 30\n")
    source = '#include "value.h"\nint main(void) { return VALUE + ADDED; }\n'
    (tmp_path / "sum.c").write_text(source)
    noccl = Path(sys.executable).parent / "noccl"
    options = ["-I", str(include), "-D", "ADDED=12", "-O", "s", "--keep", str(kept)]
    options += ["--verbose", "--json"]
    run = subprocess.run(
        [noccl, "build", tmp_path / "sum.c", "-o", tmp_path / "sum.elf", *options],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "-DADDED=12" in run.stderr.replace("-D ADDED", "-DADDED")
    assert {"sum.i", "sum.s", "sum.o", "program.map"} <= {file.name for file in kept.iterdir()}
    assert json.loads(run.stdout)["code_bytes"] > 0
    assert executed(execute, tmp_path / "sum.elf", tmp_path).code == 42


# Numbers and their bits.
Numbers = NDArray[np.float64]
# Stated in programs/runtime/include/math.h; a long double has eleven bits more, hence the 0.001.
ULPS = {"exp": 0.51, "log": 0.51, "pow": 0.51, "sin": 0.8, "cos": 0.8}
ULPS |= {"tan": 2.0, "log2": 0.51, "log10": 0.51}


def rounded_away(x: Numbers) -> Numbers:
    whole = np.trunc(x)
    rounded: Numbers = np.copysign(np.abs(whole) + (np.abs(x - whole) >= 0.5), x)
    return rounded


EXACT: dict[str, Callable[[Numbers, Numbers], Numbers]] = {
    "floor": lambda x, _: np.floor(x),
    "ceil": lambda x, _: np.ceil(x),
    "trunc": lambda x, _: np.trunc(x),
    "round": lambda x, _: rounded_away(x),
    "sqrt": lambda x, _: np.sqrt(x),
    "fabs": lambda x, _: np.abs(x),
    "modf": lambda x, _: np.modf(x)[0],
    "frexp": lambda x, _: np.frexp(x)[0] + np.where(np.isfinite(x), np.frexp(x)[1], 0),
    "fmod": np.fmod,
    "copysign": np.copysign,
    "ldexp": lambda x, y: np.ldexp(x, y.astype(int)),
    "fmin": lambda x, y: np.where((x == 0) & (y == 0) & np.signbit(x), x, np.fmin(x, y)),
    "fmax": lambda x, y: np.where((x == 0) & (y == 0) & ~np.signbit(x), x, np.fmax(x, y)),
}


def results(text: str) -> dict[str, tuple[Numbers, Numbers, Numbers]]:
    rows = defaultdict(list)
    for line in text.splitlines():
        name, *bits = line.split()
        rows[name].append([int(word, 16) for word in bits])
    columns = {name: np.array(found, dtype=np.uint64).T.copy() for name, found in rows.items()}
    return {name: tuple(of.view(np.float64)) for name, of in columns.items()}


def ulps(mine: Numbers, exact: NDArray[np.longdouble]) -> float:
    """The largest error in units of the last place; infinite if a special result differs."""
    nearest = exact.astype(np.float64)
    is_ordinary = np.isfinite(nearest) & np.isfinite(mine)
    same = (nearest == mine) | (np.isnan(nearest) & np.isnan(mine))
    steps = np.abs(np.spacing(np.where(is_ordinary, nearest, 1)))
    errors = np.abs(np.where(is_ordinary, mine - exact, 0)) / steps
    return float(np.max(np.where(is_ordinary, errors, np.where(same, 0, np.inf))))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_mathematical_functions_err_at_most_as_stated(execute: Path, tmp_path: Path) -> None:
    run = executed(execute, compiled(SOURCES / "math.c", tmp_path), tmp_path)
    found = results(run.console.decode())
    assert found.keys() == ULPS.keys() | EXACT.keys()
    for name, (x, y, mine) in found.items():
        if name in EXACT:
            wanted = EXACT[name](x, y)
            same = (wanted.view(np.uint64) == mine.view(np.uint64)) | (
                np.isnan(wanted) & np.isnan(mine)
            )
            assert same.all(), f"{name}({x[~same][0]!r}, {y[~same][0]!r}) = {mine[~same][0]!r}"
        else:
            arguments = [x.astype(np.longdouble), y.astype(np.longdouble)][: 1 + (name == "pow")]
            function = np.power if name == "pow" else getattr(np, name)
            error = ulps(mine, function(*arguments))
            print(f"{name} {error:.3f}")
            assert error <= ULPS[name], name
