# SPDX-License-Identifier: Apache-2.0
"""Access patterns of a chain's tile: where each word lies, a model written from their page."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

STRIDE_BITS = 19
NUM_LOOPS = 5
NUM_CHANNELS = 8


@dataclass(frozen=True)
class Pattern:
    """Words of a beat `spatial` words apart; `loops` are (iterations, stride), innermost first."""

    spatial: int
    loops: tuple[tuple[int, int], ...]
    channels: int = 0xFF
    byte_enable: int = 0xFF

    def bits(self) -> int:
        """The packed structure, lowest field first."""
        padded = [*self.loops, *[(1, 0)] * (NUM_LOOPS - len(self.loops))]
        fields = [self.spatial, *(n for n, _ in padded), *(stride for _, stride in padded)]
        value = 0
        for i, part in enumerate(fields):
            value |= (part % (1 << STRIDE_BITS)) << (STRIDE_BITS * i)
        value |= self.channels << (STRIDE_BITS * len(fields))
        return value | self.byte_enable << (STRIDE_BITS * len(fields) + NUM_CHANNELS)

    def num_beats(self) -> int:
        count = 1
        for iterations, _ in self.loops:
            count *= iterations
        return count

    def beats(self, base: int) -> Iterator[list[int]]:
        """Addresses in words of each beat's eight words."""
        ranges = [range(iterations) for iterations, _ in reversed(self.loops)]
        strides = [stride for _, stride in reversed(self.loops)]
        for indices in itertools.product(*ranges):
            first = base + sum(i * stride for i, stride in zip(indices, strides, strict=True))
            yield [(first + self.spatial * c) % (1 << STRIDE_BITS) for c in range(NUM_CHANNELS)]


def blocked(rows: int, columns: int, block_rows: int, block_columns: int) -> Pattern:
    """A matrix of bytes in blocks, read as 8 x 8 bytes a beat, one block after the other.

    A block lies in one piece, row after row; so do blocks of a row of blocks.
    """
    return Pattern(
        spatial=block_columns // 8,
        loops=(
            (block_columns // 8, 1),
            (columns // block_columns, block_rows * block_columns // 8),
            (block_rows // 8, block_columns),
            (rows // block_rows, columns * block_rows // 8),
        ),
    )


def address(row: int, column: int, columns: int, block_rows: int, block_columns: int) -> int:
    """Byte address of an element of such a matrix."""
    block = (row // block_rows) * columns * block_rows + (
        column // block_columns
    ) * block_rows * block_columns
    return block + (row % block_rows) * block_columns + column % block_columns
