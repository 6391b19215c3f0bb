# SPDX-License-Identifier: Apache-2.0
"""Random sequences of RV64IMAFDC instructions that end by themselves.

Kept true of every sequence: jumps go forward to a boundary of instructions, loads and stores stay
in the data, and registers that addresses come from are not written.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

from riscv_compressed import Compressed
from riscv_encodings import b_type, i_type, integer, j_type, number, r_type, s_type, word
from riscv_floats import Floats
from riscv_pieces import BASES, COUNT, LINK, SCRATCH, STACK

DATA_BYTES = 4096
# Where the bases point, from the start of the data.
MIDDLE = 2048


class Generator(Floats, Compressed):
    """Makes instructions of all extensions."""

    def integer(self) -> None:
        """Register or immediate operation of RV64I and M."""
        rng = self.rng
        if rng.random() < 0.5:
            f3 = rng.randrange(8)
            f7 = rng.choice([0, 1, 0x20]) if f3 in {0, 5} else rng.choice([0, 1])
            self.put(r_type(0x33, f3, f7, self.rd(), self.rs(), self.rs()))
        elif rng.random() < 0.4:
            f3, f7 = rng.choice(
                [(0, 0), (0, 0x20), (1, 0), (5, 0), (5, 0x20)] + [(f3, 1) for f3 in (0, 4, 5, 6, 7)]
            )
            self.put(r_type(0x3B, f3, f7, self.rd(), self.rs(), self.rs()))
        else:
            self.immediate_operation()

    def immediate_operation(self) -> None:
        """Immediate operations, shifts, constants."""
        rng, rd, rs1 = self.rng, self.rd(), self.rs()
        kind = rng.randrange(4)
        if kind == 0:
            f3 = rng.choice([0, 2, 3, 4, 6, 7])
            self.put(i_type(0x13, f3, rd, rs1, self.immediate()))
        elif kind == 1:
            f3, high = rng.choice([(1, 0), (5, 0), (5, 0x400)])
            self.put(i_type(0x13, f3, rd, rs1, high | rng.randrange(64)))
        elif kind == 2:
            f3, high = rng.choice([(1, 0), (5, 0), (5, 0x400)])
            shift = i_type(0x1B, f3, rd, rs1, high | rng.randrange(32))
            self.put(rng.choice([i_type(0x1B, 0, rd, rs1, self.immediate()), shift]))
        else:
            self.put(word(rng.getrandbits(20) << 12 | rd << 7 | rng.choice([0x37, 0x17])))

    def memory(self) -> None:
        """Load or store, also unaligned."""
        rng = self.rng
        base, offset = rng.choice(BASES), rng.randrange(-2048, 2040)
        kind = rng.randrange(6)
        if kind < 2:
            self.put(i_type(0x03, rng.randrange(7), self.rd(), base, offset))
        elif kind < 4:
            self.put(s_type(0x23, rng.randrange(4), base, self.rs(), offset))
        else:
            f3 = rng.choice([2, 3])
            register = self.float_register(f3 == 2)
            load = i_type(0x07, f3, register, base, offset)
            self.put(rng.choice([load, s_type(0x27, f3, base, register, offset)]))

    def atomic(self) -> None:
        """Atomic operation at an aligned address; a reservation with its store beside it."""
        rng, f3 = self.rng, self.rng.choice([2, 3])
        address = i_type(0x13, 0, SCRATCH, rng.choice(BASES), 8 * rng.randrange(-250, 250))
        f5 = rng.choice([0, 1, 4, 8, 12, 16, 20, 24, 28, 2])
        order = rng.randrange(4)
        if f5 == 2:
            reserve = r_type(0x2F, f3, 2 << 2 | order, 31, SCRATCH, 0)
            store = r_type(0x2F, f3, 3 << 2 | order, self.rd(), SCRATCH, self.rs())
            self.put(address + reserve + store)
        else:
            rd = self.rd()
            self.put(address + r_type(0x2F, f3, f5 << 2 | order, rd, SCRATCH, self.rs()))

    def jump(self) -> None:
        """Forward jump: conditional, direct, by register, compressed."""
        rng = self.rng
        kind = rng.randrange(5)
        rd, rs1, rs2, f3 = self.rd(), self.rs(), self.rs(), rng.choice([0, 1, 4, 5, 6, 7])
        if kind < 2:
            self.put_forward(lambda distance: b_type(f3, rs1, rs2, distance), 4)
        elif kind == 2:
            self.put_forward(lambda distance: j_type(rng.choice([0, 1]), distance), 4)
        elif kind == 3:
            here = word(LINK << 7 | 0x17)
            self.put_forward(lambda distance: here + i_type(0x67, 0, rd, LINK, distance), 8)
        else:
            self.compressed_jump()


@dataclass(frozen=True)
class Case:
    """Code and the state that it starts from."""

    code: bytes
    x: list[int]
    f: list[int]
    fcsr: int
    data: bytes


def case(seed: int, pieces: int, rounds: int, data_address: int) -> Case:
    """A random case: `pieces` instructions or short groups, executed `rounds` times.

    The code ends with a breakpoint.
    """
    rng = random.Random(seed)
    generator = Generator(rng)
    kinds = [generator.integer, generator.memory, generator.compressed, generator.float]
    for _ in range(pieces):
        kind = rng.choices([*kinds, generator.atomic, generator.jump], [5, 3, 4, 6, 1, 2])[0]
        kind()
    code = generator.code()
    less = i_type(0x13, 0, COUNT, COUNT, -1)
    again = b_type(0, COUNT, 0, 8) + j_type(0, -(len(code) + 8))
    x = [0, *(integer(rng) for _ in range(31))]
    for base in BASES:
        x[base] = data_address + MIDDLE
    x[STACK], x[COUNT] = data_address + MIDDLE, rounds
    f = [number(rng, False) for _ in range(16)]
    f += [0xFFFF_FFFF << 32 | number(rng, True) for _ in range(16)]
    data = b"".join(struct.pack("<Q", integer(rng)) for _ in range(DATA_BYTES // 8))
    fcsr = rng.randrange(5) << 5 | rng.choice([0, 1, rng.randrange(32)])
    return Case(code + less + again + word(0x0010_0073), x, f, fcsr, data)
