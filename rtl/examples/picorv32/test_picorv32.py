# SPDX-License-Identifier: Apache-2.0
"""Cores of somebody else around the exported network: a barrier and a multicast in C.

As a chip team would: `noccl rtl` writes the network, the tools read its file list. PicoRV32 comes
from the package `pythondata-cpu-picorv32`, the compiler is the one that `noccl build` fetches.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import pythondata_cpu_picorv32

import rtl_tools

HERE = Path(__file__).parent
NOCCL = rtl_tools.ROOT / ".venv" / "bin" / "noccl"
CORE = Path(pythondata_cpu_picorv32.data_location) / "picorv32.v"
NUM_TILES = 4
# 3270 on 30 November 2026.
MOST_CYCLES = 4000
RV32 = ["-march=rv32i", "-mabi=ilp32", "-O2", "-Wall", "-Werror", "-ffreestanding", "-nostdlib"]
VERILATOR = ["verilator", "--cc", "--exe", "--build", "--no-timing", "-Wno-fatal"]
VERILATOR += ["--top-module", "pico_chip", "--prefix", "Vpico_chip", "-Mdir", "../verilated"]


def run(*command: str | Path, cwd: Path = HERE) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=rtl_tools.environment(is_optimized=False),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def chip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The simulator of the chip."""
    folder = tmp_path_factory.mktemp("picorv32")
    run(NOCCL, "rtl", "--spec", HERE / "spec.toml", "-o", folder / "hardware")
    files = [HERE / f"pico_{name}.sv" for name in ("memory", "tile", "chip")]
    command = [*VERILATOR, "-f", "noccl.f", CORE, *files, HERE / "main.cpp"]
    run(*command, cwd=folder / "hardware")
    return folder / "verilated" / "Vpico_chip"


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The compiler of RISC-V programs, fetched on first use."""
    folder = tmp_path_factory.mktemp("compiler")
    (folder / "empty.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
    said = run(NOCCL, "build", "empty.c", "-o", "empty.elf", "--verbose", cwd=folder)
    found = re.search(r"^\S*gcc\b", said, re.MULTILINE)
    assert found, said
    return found[0]


def program(compiler: str, folder: Path, *options: str) -> Path:
    """The program as words of the memory, in hexadecimal."""
    elf, binary = folder / "program.elf", folder / "program.bin"
    command = [*RV32, *options, "-T", HERE / "program.ld", HERE / "program.c", "-o", elf]
    run(compiler, *command)
    run(f"{compiler.removesuffix('gcc')}objcopy", "-O", "binary", elf, binary)
    data = binary.read_bytes()
    words = [data[i : i + 8].ljust(8, b"\0")[::-1].hex() for i in range(0, len(data), 8)]
    text = folder / "program.hex"
    text.write_text("\n".join(words) + "\n", encoding="utf-8")
    return text


def results(chip: Path, text: Path) -> tuple[int, list[int]]:
    """Cycles, and the result of every tile."""
    cycles, *values = map(int, re.findall(r"\d+", run(chip, f"+program={text}")))
    assert len(values) == NUM_TILES
    return cycles, values


def test_tiles_meet_at_a_barrier_and_get_a_multicast(
    chip: Path, compiler: str, tmp_path: Path
) -> None:
    cycles, values = results(chip, program(compiler, tmp_path))
    assert values == [1] * NUM_TILES
    assert cycles < MOST_CYCLES


def test_without_barriers_tiles_go_on_too_early(chip: Path, compiler: str, tmp_path: Path) -> None:
    _, values = results(chip, program(compiler, tmp_path, "-DWITHOUT_BARRIERS"))
    assert set(values) == {2}


def test_a_store_to_no_tile_ends_the_program(chip: Path, compiler: str, tmp_path: Path) -> None:
    _, values = results(chip, program(compiler, tmp_path, "-DTILE_BYTES=0x10000000u"))
    assert 3 in values
