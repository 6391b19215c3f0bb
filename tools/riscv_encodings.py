# SPDX-License-Identifier: Apache-2.0
"""Encodings of RISC-V instructions, and numbers that find mistakes.

Written from the manual and not from the simulator's decoder, so that a mistake there is not
repeated.
"""

from __future__ import annotations

import random


def word(value: int) -> bytes:
    """An instruction of 32 bits."""
    return (value & 0xFFFF_FFFF).to_bytes(4, "little")


def half(value: int) -> bytes:
    """An instruction of 16 bits."""
    return (value & 0xFFFF).to_bytes(2, "little")


def bit(value: int, low: int, count: int = 1) -> int:
    """Some bits of a number."""
    return (value >> low) & ((1 << count) - 1)


def r_type(opcode: int, f3: int, f7: int, rd: int, rs1: int, rs2: int) -> bytes:  # noqa: PLR0917 - fields
    """Register operation."""
    return word(f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode)


def i_type(opcode: int, f3: int, rd: int, rs1: int, immediate: int) -> bytes:
    """Operation with an immediate of 12 bits."""
    return word((immediate & 0xFFF) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode)


def s_type(opcode: int, f3: int, rs1: int, rs2: int, offset: int) -> bytes:
    """Store."""
    low, high = bit(offset, 0, 5), bit(offset, 5, 7)
    return word(high << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | low << 7 | opcode)


def b_type(f3: int, rs1: int, rs2: int, offset: int) -> bytes:
    """Conditional branch."""
    high = bit(offset, 12) << 6 | bit(offset, 5, 6)
    low = bit(offset, 1, 4) << 1 | bit(offset, 11)
    return word(high << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | low << 7 | 0x63)


def j_type(rd: int, offset: int) -> bytes:
    """Jump."""
    bits = bit(offset, 20) << 19 | bit(offset, 1, 10) << 9 | bit(offset, 11) << 8
    return word((bits | bit(offset, 12, 8)) << 12 | rd << 7 | 0x6F)


def compressed_j(distance: int) -> bytes:
    """c.j."""
    places = [(11, 12), (4, 11), (8, 9), (9, 10), (10, 8), (6, 7), (7, 6), (1, 3), (2, 4), (3, 5)]
    places.append((5, 2))
    return half(0xA001 | sum(bit(distance, source) << to for source, to in places))


def compressed_branch(f3: int, rs1: int, distance: int) -> bytes:
    """c.beqz and c.bnez."""
    places = [(8, 12), (3, 10), (4, 11), (6, 5), (7, 6), (1, 3), (2, 4), (5, 2)]
    offset = sum(bit(distance, source) << to for source, to in places)
    return half(f3 << 13 | offset | rs1 << 7 | 1)


def number(rng: random.Random, is_single: bool) -> int:
    """The bits of a floating-point number, often a special one."""
    exponent_bits, fraction_bits = (8, 23) if is_single else (11, 52)
    most = (1 << exponent_bits) - 1
    bias = most >> 1
    near = rng.choice([0, 1, 2, most, most - 1, bias, bias + 1, bias + fraction_bits])
    exponent = rng.choice([near, bias + rng.randrange(-8, 9), rng.randrange(most + 1)])
    fraction = rng.choice(
        [0, 1, (1 << fraction_bits) - 1, 1 << (fraction_bits - 1), rng.getrandbits(fraction_bits)]
    )
    return (rng.getrandbits(1) << exponent_bits | exponent) << fraction_bits | fraction


def integer(rng: random.Random) -> int:
    """The bits of an integer, often near the ends of a range."""
    wide = rng.getrandbits(64)
    near = rng.choice([0, 1, 2**31, 2**32, 2**63, 2**24, 2**53]) + rng.randrange(-2, 3)
    return rng.choice([wide, near % 2**64, wide >> rng.randrange(64), rng.randrange(16)])
