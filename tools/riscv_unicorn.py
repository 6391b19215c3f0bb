# SPDX-License-Identifier: Apache-2.0
"""Executes code twice: on the simulator's core, and on Unicorn, which is QEMU's translator.

What Unicorn 2.1.4 (QEMU 5.0.1) does otherwise than the manual, and the comparison therefore leaves
out: it does not check that operands of single precision are boxed and does not box results, so
registers of singles are compared in their lower half; `fmin` and `fmax` of a signalling NaN return
a NaN instead of the number; infinity times zero plus a quiet NaN does not raise the invalid flag.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import unicorn
from unicorn import riscv_const as names
from unicorn import unicorn_const as constants

import repository
from riscv_random import DATA_BYTES, MIDDLE, Case

MEMORY_BASE = 0x1000_0000
MEMORY_BYTES = 1 << 20
DATA_OFFSET = 1 << 19
DATA_ADDRESS = MEMORY_BASE + DATA_OFFSET
# Number of the exception.
ILLEGAL = 2
# Far more than a case has; reached only by a loop that does not end.
MOST_INSTRUCTIONS = 10_000_000


@dataclass(frozen=True)
class State:
    """What a case leaves."""

    pc: int
    x: list[int]
    f: list[int]
    fcsr: int
    data: bytes

    def differences(self, other: State) -> list[str]:
        """Where two states differ."""
        found = [] if self.pc == other.pc else [f"pc {self.pc:#x} {other.pc:#x}"]
        rows = [("x", self.x, other.x), ("f", self.f, other.f)]
        for name, mine, theirs in rows:
            pairs = enumerate(zip(mine, theirs, strict=True))
            found += [f"{name}{i} {a:#x} {b:#x}" for i, (a, b) in pairs if a != b]
        if self.fcsr != other.fcsr:
            found.append(f"fcsr {self.fcsr:#x} {other.fcsr:#x}")
        if self.data != other.data:
            at = next(
                i for i, (a, b) in enumerate(zip(self.data, other.data, strict=True)) if a != b
            )
            found.append(f"data at {at}")
        return found


def build(example: str) -> Path:
    """An example of `noccl-riscv`.

    Of the whole workspace and in its profile, as the Rust tests build it: otherwise all that it
    needs would be compiled again.
    """
    command = ["cargo", "build", "--release", "--quiet", "--workspace", "--locked"]
    subprocess.run([*command, "--example", example], cwd=repository.ROOT, check=True)
    target = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"],
        cwd=repository.ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return Path(json.loads(target.stdout)["target_directory"]) / "release" / "examples" / example


def comparable(f: list[int]) -> list[int]:
    """Registers as both implementations keep them: of singles the lower half."""
    return [bits if i < 16 else bits & 0xFFFF_FFFF for i, bits in enumerate(f)]


def outcomes(program: Path, cases: Iterable[Case], instructions: int) -> Iterator[dict[str, Any]]:
    """What the simulator's core leaves of each case."""
    lines = [
        json.dumps(
            {
                "code": case.code.hex(),
                "data": case.data.hex(),
                "data_offset": DATA_OFFSET,
                "registers": {"x": case.x, "f": case.f, "fcsr": case.fcsr},
                "memory_bytes": MEMORY_BYTES,
                "instructions": instructions,
            }
        )
        for case in cases
    ]
    run = subprocess.run(
        [program], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    return map(json.loads, run.stdout.splitlines())


def simulated(program: Path, cases: Iterable[Case]) -> Iterator[tuple[State, int]]:
    """States at the breakpoint that ends each case, with the number of instructions."""
    for found in outcomes(program, cases, MOST_INSTRUCTIONS):
        if "breakpoint" not in found["trap"]:
            raise AssertionError(f"ended by {found['trap'] or 'the limit of instructions'}")
        registers = found["registers"]
        state = State(
            found["pc"],
            registers["x"],
            comparable(registers["f"]),
            registers["fcsr"],
            bytes.fromhex(found["data"]),
        )
        yield state, found["retired_instructions"]


def legal(program: Path, codes: Iterable[bytes]) -> list[bool]:
    """Of each single instruction: is it one for the simulator's core?"""
    x = [0] + [DATA_ADDRESS + MIDDLE] * 31
    cases = [Case(code, x, [0] * 32, 0, bytes(8)) for code in codes]
    return ["illegal" not in found["trap"] for found in outcomes(program, cases, 1)]


def engine() -> Any:  # noqa: ANN401 - the package has no types
    """The emulator's constructor."""
    return getattr(unicorn, "Uc")  # noqa: B009 - hidden from the type checker


class Emulator:
    """Unicorn with the memory of one core."""

    def __init__(self) -> None:
        self.uc = engine()(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV64)
        self.uc.mem_map(MEMORY_BASE, MEMORY_BYTES)
        self.x = [names.UC_RISCV_REG_X0 + i for i in range(32)]
        self.f = [names.UC_RISCV_REG_F0 + i for i in range(32)]

    def run(self, case: Case) -> State:
        """The state at the breakpoint that ends the code."""
        uc = self.uc
        end = MEMORY_BASE + len(case.code) - 4
        uc.ctl_flush_tb()
        uc.mem_write(MEMORY_BASE, case.code)
        uc.mem_write(DATA_ADDRESS, case.data)
        # Bit 13 of mstatus: the floating-point unit is on.
        uc.reg_write(names.UC_RISCV_REG_MSTATUS, 1 << 13)
        for register, value in zip(self.x, case.x, strict=True):
            uc.reg_write(register, value)
        for register, value in zip(self.f, case.f, strict=True):
            uc.reg_write(register, value)
        uc.reg_write(names.UC_RISCV_REG_FCSR, case.fcsr)
        uc.emu_start(MEMORY_BASE, end)
        return State(
            uc.reg_read(names.UC_RISCV_REG_PC),
            [uc.reg_read(register) for register in self.x],
            comparable([uc.reg_read(register) for register in self.f]),
            uc.reg_read(names.UC_RISCV_REG_FCSR),
            bytes(uc.mem_read(DATA_ADDRESS, DATA_BYTES)),
        )

    def is_legal(self, code: bytes) -> bool:
        """Is this one instruction of the set? It is executed, on addresses in the data."""
        uc = self.uc
        uc.ctl_flush_tb()
        uc.mem_write(MEMORY_BASE, code + bytes(4))
        uc.reg_write(names.UC_RISCV_REG_MSTATUS, 1 << 13)
        uc.reg_write(names.UC_RISCV_REG_FCSR, 0)
        for register in self.x[1:]:
            uc.reg_write(register, DATA_ADDRESS + MIDDLE)
        causes: list[int] = []
        hook = uc.hook_add(constants.UC_HOOK_INTR, lambda _, cause, __: causes.append(cause))
        # What else goes wrong, as a jump to nowhere, is no matter of the instruction.
        with contextlib.suppress(Exception):
            uc.emu_start(MEMORY_BASE, MEMORY_BASE + MEMORY_BYTES, count=1)
        uc.hook_del(hook)
        return ILLEGAL not in causes
