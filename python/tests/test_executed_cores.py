# SPDX-License-Identifier: Apache-2.0
"""The simulator's core does what another implementation of the instruction set does."""

from __future__ import annotations

import os

from riscv_random import case
from riscv_unicorn import DATA_ADDRESS, Emulator, build, simulated

# About 1000 instructions a case.
CASES = int(os.environ.get("NOCCL_INSTRUCTION_CASES", "300"))
# Kept apart from other streams; a failure names the seed.
FIRST_SEED = 1_000_000
# At once, so that texts stay small.
BATCH = 500


def test_random_instructions_leave_the_same_registers_and_memory() -> None:
    program, emulator = build("final_state"), Emulator()
    executed = 0
    for first in range(FIRST_SEED, FIRST_SEED + CASES, BATCH):
        seeds = range(first, min(first + BATCH, FIRST_SEED + CASES))
        cases = [case(seed, 250, 4, DATA_ADDRESS) for seed in seeds]
        for seed, each, (mine, count) in zip(seeds, cases, simulated(program, cases), strict=True):
            differences = mine.differences(emulator.run(each))
            assert not differences, f"seed {seed}: {', '.join(differences[:5])}"
            executed += count
    print(f"{executed} instructions")
