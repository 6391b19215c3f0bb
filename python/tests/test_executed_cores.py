# SPDX-License-Identifier: Apache-2.0
"""The simulator's core does what another implementation of the instruction set does."""

from __future__ import annotations

import os
import random

from riscv_random import case
from riscv_unicorn import DATA_ADDRESS, Emulator, build, legal, simulated

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


# Opcodes of 32-bit instructions. Of 0x73 Unicorn has the registers of privileged modes too.
OPCODES = [0x03, 0x07, 0x0F, 0x13, 0x17, 0x1B, 0x23, 0x27, 0x2F, 0x33, 0x37, 0x3B]
OPCODES += [0x43, 0x47, 0x4B, 0x4F, 0x53, 0x63, 0x67, 0x6F, 0x7F]


def random_word(rng: random.Random) -> bytes:
    """A word that is an instruction in some cases."""
    word = rng.getrandbits(32) & ~0x7F | rng.choice(OPCODES)
    if rng.random() < 0.5:
        # Functions that exist, and operands that some conversions ask for.
        word = word & ~0x7F | rng.choice([0x2F, 0x33, 0x53, 0x53])
        word = word & 0x01FF_FFFF | rng.choice([0, 1, 2, 8, 16, 20, 32, 44, 80, 96, 104, 112]) << 25
        word |= rng.randrange(2) << 25
        word = word & ~(0x1F << 20) | rng.randrange(6) << 20
    return word.to_bytes(4, "little")


def is_reserved(half: int) -> bool:
    """What the manual reserves and Unicorn executes: two rows of tables 16.5 and 16.6."""
    return half & 0xE003 == 0x8000 or half & 0xFC43 == 0x9C41


def test_the_same_words_are_instructions() -> None:
    rng = random.Random(FIRST_SEED)
    halves = [half for half in range(1 << 16) if half & 3 != 3 and not is_reserved(half)]
    codes = [half.to_bytes(2, "little") for half in rng.sample(halves, 1500)]
    codes += [random_word(rng) for _ in range(3000)]
    emulator = Emulator()
    mine = legal(build("final_state"), codes)
    assert 1000 < sum(mine) < 4000, "both kinds"
    for code, is_mine in zip(codes, mine, strict=True):
        assert emulator.is_legal(code) == is_mine, code[::-1].hex()
