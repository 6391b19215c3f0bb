# SPDX-License-Identifier: Apache-2.0
"""Element types and operators in NumPy and ml_dtypes, independent of hardware and simulator.

Sums are those of the libraries; which NaN they give is left open there, so NaN results are replaced
by the canonical one. Minimum and maximum are written out, since the libraries leave open which zero
they return.
"""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike, NDArray

OPERATORS = ("sum", "min", "max", "and", "or")

Bits = NDArray[np.unsignedinteger]


@dataclass(frozen=True)
class Element:
    """An element type.

    Attributes:
        name: Its name in files.
        code: Its code in the hardware.
        width_bits: Its width.
        cycles: Latency of an operation.
        number: NumPy's type.
        mantissa_bits: Without the hidden one; None for integers.
        canonical_nan: The NaN that results are; None for integers.
    """

    name: str
    code: int
    width_bits: int
    cycles: int
    number: DTypeLike
    mantissa_bits: int | None = None
    canonical_nan: int | None = None

    @property
    def bits(self) -> np.dtype[np.unsignedinteger]:
        """The unsigned integer of this width."""
        return np.dtype(f"u{self.width_bits // 8}")

    @property
    def is_float(self) -> bool:
        """Is it a floating-point type?"""
        return self.canonical_nan is not None

    @property
    def operators(self) -> tuple[str, ...]:
        """Those that it accepts."""
        return OPERATORS[:3] if self.is_float else OPERATORS


ELEMENTS = (
    Element("fp64", 0, 64, 3, np.float64, 52, 0x7FF8_0000_0000_0000),
    Element("fp32", 1, 32, 2, np.float32, 23, 0x7FC0_0000),
    Element("fp16", 2, 16, 1, np.float16, 10, 0x7E00),
    Element("bf16", 3, 16, 1, ml_dtypes.bfloat16, 7, 0x7FC0),
    Element("fp8_e4m3", 4, 8, 1, ml_dtypes.float8_e4m3fn, 3, 0x7F),
    Element("fp8_e5m2", 5, 8, 1, ml_dtypes.float8_e5m2, 2, 0x7E),
    Element("int8", 6, 8, 1, np.int8),
    Element("int16", 7, 16, 1, np.int16),
    Element("int32", 8, 32, 2, np.int32),
    Element("int64", 9, 64, 3, np.int64),
)
BY_NAME = {element.name: element for element in ELEMENTS}


def combine(element: Element, operator: str, a: Bits, b: Bits) -> Bits:
    """The result of an operation on bit patterns."""
    if operator == "and":
        return a & b
    if operator == "or":
        return a | b
    x, y = a.view(element.number), b.view(element.number)
    if operator == "sum":
        with np.errstate(all="ignore"):
            total = np.asarray(x + y, element.number)
        return _canonical(element, total.view(element.bits))
    return _selected(element, operator, a, b)


def _is_nan(element: Element, bits: Bits) -> NDArray[np.bool_]:
    if not element.is_float:
        return np.zeros(bits.shape, bool)
    with np.errstate(invalid="ignore"):
        return np.isnan(bits.view(element.number))


def _canonical(element: Element, bits: Bits) -> Bits:
    if element.canonical_nan is None:
        return bits
    return np.where(_is_nan(element, bits), element.bits.type(element.canonical_nan), bits)


def _selected(element: Element, operator: str, a: Bits, b: Bits) -> Bits:
    """IEEE 754-2019 minimumNumber and maximumNumber."""
    wide = np.float64 if element.is_float else np.int64
    with np.errstate(invalid="ignore"):
        x, y = (v.view(element.number).astype(wide) for v in (a, b))
        less, equal = x < y, x == y
    if element.is_float:
        less |= equal & np.signbit(x)
    takes_a = less if operator == "min" else ~less
    result = np.where(takes_a, a, b)
    result = np.where(_is_nan(element, a), b, result)
    result = np.where(_is_nan(element, b), a, result)
    return _canonical(element, result)


def special_values(element: Element) -> Bits:
    """Bit patterns at the edges of a type, of both signs."""
    width = element.width_bits
    if width == 8:
        return np.arange(256, dtype=element.bits)
    top = (1 << (width - 1)) - 1
    if element.mantissa_bits is None:
        edges = [0, 1, 2, top, top - 1, top >> 1, 0x55 * (top // 0xFF)]
    else:
        mantissa = element.mantissa_bits
        one = 1 << mantissa
        infinity = top ^ (one - 1)
        middle = (infinity // one // 2) * one
        edges = [0, 1, 2, 3, one - 1, one, one + 1, 2 * one, 2 * one - 1]  # around the smallest
        edges += [infinity - 1, infinity - one, infinity - 2 * one + 1]  # the largest
        edges += [infinity, infinity + 1, infinity + one // 2, top]  # infinity, NaN of both kinds
        # One, and what is just at, below and above half of its last place, and far below.
        distances = (0, 1, 2, 3, mantissa, mantissa + 1, mantissa + 2, mantissa + 3, mantissa + 4)
        for distance in distances:
            at = middle - distance * one
            edges += [at, at + 1, at - 1, at + one // 2, at + one - 1]
    sign = 1 << (width - 1)
    return np.array(sorted({value | s for value in edges for s in (0, sign)}), dtype=element.bits)


def special_pairs(element: Element) -> tuple[Bits, Bits]:
    """All pairs of edges; for 8 bits all pairs there are."""
    values = special_values(element)
    a, b = np.meshgrid(values, values)
    return a.ravel(), b.ravel()


def random_pairs(element: Element, count: int, rng: np.random.Generator) -> tuple[Bits, Bits]:
    """Random operands: half of any kind, half of them near each other in exponent or magnitude."""
    raw = rng.integers(0, 1 << 64, size=(2, count), dtype=np.uint64)
    a, b = (raw >> np.uint64(64 - element.width_bits)).astype(element.bits)
    if element.mantissa_bits is None:
        return a, b
    one = element.bits.type
    kind = rng.integers(0, 4, size=count)
    sign = one(1) << one(element.width_bits - 1)
    exponents = (a & ~sign) >> one(element.mantissa_bits) << one(element.mantissa_bits)
    steps = rng.integers(0, element.mantissa_bits + 5, size=count).astype(element.bits)
    mantissas = b & one((1 << element.mantissa_bits) - 1)
    # The same number but for its last bits; the same exponent or a few less; subnormal.
    near = (a & ~sign) ^ rng.integers(0, 4, size=count).astype(element.bits) | (b & sign)
    less = exponents - (steps << one(element.mantissa_bits)) | mantissas
    b = np.where(kind == 1, near, b)
    b = np.where(kind == 2, (less & ~sign) | (b & sign), b)
    b = np.where(kind == 3, mantissas | (b & sign), b)
    swap = rng.integers(0, 2, size=count).astype(bool)
    return np.where(swap, b, a), np.where(swap, a, b)
