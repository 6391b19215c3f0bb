# SPDX-License-Identifier: Apache-2.0
"""Whole programs on Unicorn: an ELF file in, console, registers and memory out."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unicorn import riscv_const as names
from unicorn import unicorn_const as constants

from riscv_unicorn import MEMORY_BASE, engine

PORTS_BASE, PORTS_BYTES = 0x0F00_0000, 0x1000
CONSOLE, END = PORTS_BASE + 0x88, PORTS_BASE + 0x90


@dataclass(frozen=True)
class Ended:
    """What a program leaves."""

    console: bytes
    code: int
    x: list[int]
    f: list[int]
    fcsr: int
    memory: bytes


def loads(file: bytes) -> tuple[int, list[tuple[int, bytes]]]:
    """Entry and content of the segments of an ELF file that is known to be good."""
    entry, headers = struct.unpack_from("<QQ", file, 24)
    (count,) = struct.unpack_from("<H", file, 56)
    found = []
    for at in range(headers, headers + 56 * count, 56):
        kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", file, at)
        if kind == 1:
            found.append((address, file[offset : offset + length]))
    return entry, found


def run(program: Path, memory_bytes: int) -> Ended:
    """Executes a program up to its end port."""
    uc: Any = engine()(constants.UC_ARCH_RISCV, constants.UC_MODE_RISCV64)
    uc.mem_map(MEMORY_BASE, memory_bytes)
    uc.mem_map(PORTS_BASE, PORTS_BYTES)
    entry, segments = loads(program.read_bytes())
    for address, content in segments:
        uc.mem_write(address, content)
    console, codes = bytearray(), []

    def on_write(uc: Any, _: int, address: int, __: int, value: int, ___: Any) -> None:  # noqa: ANN401 - as the package has it
        if address == CONSOLE:
            console.append(value & 0xFF)
        elif address == END:
            codes.append(value & 0xFFFF_FFFF)
            uc.emu_stop()

    end = PORTS_BASE + PORTS_BYTES - 1
    uc.hook_add(constants.UC_HOOK_MEM_WRITE, on_write, begin=PORTS_BASE, end=end)
    uc.reg_write(names.UC_RISCV_REG_MSTATUS, 1 << 13)
    uc.reg_write(names.UC_RISCV_REG_SP, MEMORY_BASE + memory_bytes)
    uc.emu_start(entry, 0)
    return Ended(
        bytes(console),
        codes[0],
        [uc.reg_read(names.UC_RISCV_REG_X0 + i) for i in range(32)],
        [uc.reg_read(names.UC_RISCV_REG_F0 + i) for i in range(32)],
        uc.reg_read(names.UC_RISCV_REG_FCSR),
        bytes(uc.mem_read(MEMORY_BASE, memory_bytes)),
    )
