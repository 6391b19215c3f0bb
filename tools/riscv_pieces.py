# SPDX-License-Identifier: Apache-2.0
"""Pieces of random code, and which registers they may write.

x2, x8 and x9 point into the data and x4 counts rounds: they are not written. f0 to f15 hold
doubles and f16 to f31 singles, since the other implementation does not check the boxing of
operands.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

STACK, COUNT, LINK, SCRATCH, BASES = 2, 4, 5, 6, (8, 9)
FIXED = {STACK, COUNT, *BASES}

Piece = bytes | Callable[[int], bytes]


@dataclass
class Pieces:
    """Makes pieces of code: bytes, or what depends on the distance to a later piece."""

    rng: random.Random
    pieces: list[tuple[Piece, int, int]] = field(default_factory=list)

    def rd(self) -> int:
        """A register that may be written."""
        return self.rng.choice([r for r in range(32) if r not in FIXED])

    def rs(self) -> int:
        """Any register."""
        return self.rng.randrange(32)

    def small_rd(self) -> int:
        """The same in three bits: x10 to x15."""
        return self.rng.randrange(2, 8)

    def small(self) -> int:
        """Any of x8 to x15 in three bits."""
        return self.rng.randrange(8)

    def immediate(self) -> int:
        """Twelve bits, often near the ends."""
        return self.rng.choice([0, 1, -1, 2047, -2048, self.rng.randrange(-2048, 2048)])

    def put(self, piece: bytes) -> None:
        """Appends instructions."""
        self.pieces.append((piece, len(piece), 0))

    def put_forward(self, make: Callable[[int], bytes], length: int) -> None:
        """Appends a jump over one to three pieces."""
        self.pieces.append((make, length, self.rng.randrange(1, 4)))

    def code(self) -> bytes:
        """All pieces, laid out."""
        starts = [0]
        for _, length, _ in self.pieces:
            starts.append(starts[-1] + length)
        parts = []
        for index, (piece, _, over) in enumerate(self.pieces):
            if isinstance(piece, bytes):
                parts.append(piece)
            else:
                target = min(index + 1 + over, len(self.pieces))
                parts.append(piece(starts[target] - starts[index]))
        return b"".join(parts)

    def float_register(self, is_single: bool) -> int:
        """A register of the format."""
        return self.rng.randrange(16) + 16 * is_single
