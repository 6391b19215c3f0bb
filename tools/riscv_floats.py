# SPDX-License-Identifier: Apache-2.0
"""Random floating-point instructions."""

from __future__ import annotations

from riscv_encodings import b_type, i_type, r_type
from riscv_pieces import BASES, SCRATCH, Pieces


class Floats(Pieces):
    """Makes instructions of F and D."""

    def float(self) -> None:
        """Floating-point operation of either format."""
        rng, is_double = self.rng, self.rng.randrange(2)
        mine = [self.float_register(not is_double) for _ in range(4)]
        rounding = rng.choice([7, 7, 7, 0, 1, 2, 3, 4])
        kind = rng.randrange(8)
        if kind < 3:
            f7 = rng.choice([0, 4, 8, 12]) | is_double
            self.put(r_type(0x53, rounding, f7, *mine[:3]))
        elif kind == 3:
            self.fused(is_double, rounding, mine)
        elif kind == 4:
            if rng.random() < 0.5:
                self.put(r_type(0x53, rng.randrange(3), 0x10 | is_double, *mine[:3]))
            else:
                self.minimum(is_double, mine)
        elif kind == 5:
            self.put(r_type(0x53, rounding, 0x2C | is_double, mine[0], mine[1], 0))
        elif kind == 6:
            self.float_to_integer(is_double, rounding, mine)
        else:
            self.integer_to_float(is_double, rounding, mine)

    def minimum(self, is_double: int, mine: list[int]) -> None:
        """Fmin and fmax; zero is subtracted from the operands, which leaves no signalling NaN."""
        zero = r_type(0x53, 0, 0x68 | is_double, mine[3], 0, 0)
        quiet = [r_type(0x53, 0, 4 | is_double, r, r, mine[3]) for r in mine[1:3]]
        least = r_type(0x53, self.rng.randrange(2), 0x14 | is_double, *mine[:3])
        self.put(b"".join([zero, *quiet, least]))

    def fused(self, is_double: int, rounding: int, mine: list[int]) -> None:
        """Fused operations; infinity times zero plus a NaN is avoided by replacing an operand."""
        rd, a, b, c = mine
        opcode = self.rng.choice([0x43, 0x47, 0x4B, 0x4F])
        operation = r_type(opcode, rounding, c << 2 | is_double, rd, a, b)
        if self.rng.random() < 0.5:
            # A sum with a number: what is no number, does not equal itself, becomes zero.
            test = r_type(0x53, 2, 0x50 | is_double, SCRATCH, c, c)
            replace = r_type(0x53, 0, 0x68 | is_double, c, 0, 0)
            skip = b_type(1, SCRATCH, 0, 8)
        else:
            # A factor that is neither infinite nor zero: classes 0, 3, 4 and 7 become an address.
            test = r_type(0x53, 1, 0x70 | is_double, SCRATCH, a, 0)
            test += i_type(0x13, 7, SCRATCH, SCRATCH, 0b1001_1001)
            replace = r_type(0x53, 0, 0x68 | is_double, a, BASES[0], 0)
            skip = b_type(0, SCRATCH, 0, 8)
        self.put(test + skip + replace + operation)

    def float_to_integer(self, is_double: int, rounding: int, mine: list[int]) -> None:
        """Comparison, class, conversion and move to an integer register."""
        rng, rd = self.rng, self.rd()
        kind = rng.randrange(4)
        if kind == 0:
            self.put(r_type(0x53, rng.randrange(3), 0x50 | is_double, rd, mine[0], mine[1]))
        elif kind == 1:
            self.put(r_type(0x53, rng.randrange(2), 0x70 | is_double, rd, mine[0], 0))
        else:
            self.put(r_type(0x53, rounding, 0x60 | is_double, rd, mine[0], rng.randrange(4)))

    def integer_to_float(self, is_double: int, rounding: int, mine: list[int]) -> None:
        """Conversions from integers and from the other format, moves, control registers."""
        rng = self.rng
        other = self.float_register(bool(is_double))
        kind = rng.randrange(5)
        if kind == 0:
            self.put(r_type(0x53, 0, 0x78 | is_double, mine[0], self.rs(), 0))
        elif kind == 1:
            self.put(r_type(0x53, rounding, 0x68 | is_double, mine[0], self.rs(), rng.randrange(4)))
        elif kind == 2:
            self.put(r_type(0x53, rounding, 0x20 | is_double, mine[0], other, 1 - is_double))
        elif kind == 3:
            # Flags: any access. Both registers with the mode: only modes that exist.
            self.put(i_type(0x73, rng.choice([1, 2, 3, 5, 6, 7]), self.rd(), self.rs(), 1))
        else:
            number = rng.choice([2, 3])
            value = rng.randrange(5) << 5 * (number - 2)
            if number == 2:
                self.put(i_type(0x73, 5, self.rd(), value, 2))
            else:
                load = i_type(0x13, 0, SCRATCH, 0, value)
                self.put(load + i_type(0x73, 1, self.rd(), SCRATCH, 3))
