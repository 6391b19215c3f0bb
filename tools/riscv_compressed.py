# SPDX-License-Identifier: Apache-2.0
"""Random compressed instructions."""

from __future__ import annotations

from riscv_encodings import bit, compressed_branch, compressed_j, half, i_type, word
from riscv_pieces import BASES, LINK, STACK, Pieces


class Compressed(Pieces):
    """Makes compressed instructions."""

    def compressed(self) -> None:
        """Compressed instruction that does not jump."""
        kinds = [self.compressed_immediate, self.compressed_register, self.compressed_memory]
        self.rng.choice(kinds)()

    def compressed_immediate(self) -> None:
        """Immediate forms of quadrants 0, 1 and 2."""
        rng, rd, value = self.rng, self.rd(), self.rng.randrange(64)
        split = bit(value, 5) << 12 | bit(value, 0, 5) << 2
        kind = rng.randrange(8)
        if kind == 7:
            self.stack_pointer()
        elif kind == 0:
            self.put(half(rng.randrange(1, 256) << 5 | self.small_rd() << 2))
        elif kind == 1:
            self.put(half(0x0001 | split | rd << 7))
        elif kind == 2:
            self.put(half(0x2001 | split | (rd or 1) << 7))
        elif kind == 3:
            self.put(half(0x4001 | split | rd << 7))
        elif kind == 4:
            nonzero = split or 1 << 2
            self.put(half(0x6001 | nonzero | (rd or 1) << 7))
        elif kind == 5:
            self.put(half(0x8001 | split | rng.randrange(3) << 10 | self.small_rd() << 7))
        else:
            self.put(half(0x0002 | split | rd << 7))

    def stack_pointer(self) -> None:
        """c.addi16sp, whose result is kept elsewhere; the stack pointer is restored."""
        value = self.rng.randrange(1, 64)
        places = [(5, 12), (0, 6), (2, 5), (3, 3), (4, 4), (1, 2)]
        add = half(0x6101 | sum(bit(value, source) << to for source, to in places))
        keep = half(0x8002 | (self.rd() or 1) << 7 | STACK << 2)
        self.put(add + keep + i_type(0x13, 0, STACK, BASES[0], 0))

    def compressed_register(self) -> None:
        """Register forms."""
        rng = self.rng
        operation = rng.choice([0, 0x20, 0x40, 0x60, 0x1000, 0x1020])
        small = half(0x8C01 | operation | self.small_rd() << 7 | self.small() << 2)
        add = rng.randrange(2) << 12
        full = half(0x8002 | add | (self.rd() or 1) << 7 | rng.randrange(1, 32) << 2)
        self.put(rng.choice([small, full]))

    def compressed_memory(self) -> None:
        """Loads and stores from a base or the stack pointer."""
        rng, base = self.rng, self.rng.randrange(2)
        f3 = rng.choice([1, 2, 3, 5, 6, 7])
        if rng.random() < 0.5:
            offset = rng.randrange(32)
            if f3 in {2, 6}:
                place = bit(offset, 1, 3) << 10 | bit(offset, 0) << 6 | bit(offset, 4) << 5
            else:
                place = bit(offset, 0, 3) << 10 | bit(offset, 3, 2) << 5
            register = self.small_rd() if f3 < 4 and f3 != 1 else self.small()
            self.put(half(f3 << 13 | place | base << 7 | register << 2))
        elif f3 < 4:
            register = rng.randrange(16) if f3 == 1 else self.rd() or 1
            offset = rng.getrandbits(5) << 2 | rng.randrange(2) << 12
            self.put(half(f3 << 13 | offset | register << 7 | 2))
        else:
            register = rng.randrange(16) if f3 == 5 else self.rs()
            self.put(half(f3 << 13 | rng.getrandbits(6) << 7 | register << 2 | 2))

    def compressed_jump(self) -> None:
        """c.j, c.beqz, c.bnez, c.jr, c.jalr."""
        rng, rs1 = self.rng, self.small()
        kind = rng.randrange(4)
        if kind == 0:
            self.put_forward(compressed_j, 2)
        elif kind < 3:
            f3 = 5 + kind
            self.put_forward(lambda distance: compressed_branch(f3, rs1, distance), 2)
        else:
            here = word(LINK << 7 | 0x17)
            link = rng.randrange(2) << 12
            self.put_forward(
                lambda distance: (
                    here + i_type(0x13, 0, LINK, LINK, distance) + half(0x8002 | link | LINK << 7)
                ),
                10,
            )
