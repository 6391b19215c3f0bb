# SPDX-License-Identifier: Apache-2.0
"""Sums, minima and maxima of floats are those of cvfpu, which nobody here wrote, to the bit.

Both give the same NaN: positive, quiet, nothing else; both choose a number before a NaN and -0
below +0. One format differs: cvfpu has infinities in every format, FP8 E4M3 here has numbers in
their place (as the Open Compute Project defines it). There, what has the largest exponent is no
number for cvfpu; of everything else nothing may differ, and what overflows there must have the
largest exponent here.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from common import program, runner
from noccl_compute_slice import formats, test_arithmetic
from noccl_compute_slice.formats import Bits, Element

# Those of cvfpu.
FORMATS = {"fp32": 0, "fp64": 1, "fp16": 2, "fp8_e5m2": 3, "bf16": 4, "fp8_e4m3": 5}
NUM_PAIRS = 100_000
OPERATORS = ("sum", "min", "max")


@pytest.fixture(scope="module")
def slice_program() -> Path:
    lanes = {"NumLanes": test_arithmetic.NUM_LANES}
    main = runner.TB / "noccl_compute_slice" / "reduce_file.cpp"
    return program.compile_program(runner.Build("noccl_compute_slice_tb", lanes), main)


@pytest.fixture(scope="module")
def cvfpu_program() -> Path:
    groups = ("common_cells", "cvfpu")
    build = runner.Build("noccl_cvfpu_tb", references=groups)
    return program.compile_program(build, Path(__file__).with_name("cvfpu_file.cpp"))


def operands_of(element: Element) -> list[Bits]:
    """Pairs of edges, then random ones."""
    rng = np.random.default_rng([element.code, 7])
    random_pairs = formats.random_pairs(element, NUM_PAIRS, rng)
    pairs = zip(formats.special_pairs(element), random_pairs, strict=True)
    return [np.concatenate(pair) for pair in pairs]


def by_cvfpu(program: Path, element: Element, operands: list[Bits]) -> dict[str, Bits]:
    """Its three results."""
    command = [str(program), str(FORMATS[element.name]), str(element.width_bits // 8)]
    data = b"".join(operand.tobytes() for operand in operands)
    done = subprocess.run(command, input=data, capture_output=True, check=True)
    results = np.frombuffer(done.stdout, element.bits).reshape(3, -1)
    return dict(zip(OPERATORS, results, strict=True))


def largest_exponent(element: Element, bits: Bits) -> np.ndarray:
    """What is no number in a format with infinities."""
    assert element.mantissa_bits is not None
    top = (1 << (element.width_bits - 1)) - (1 << element.mantissa_bits)
    return (bits & element.bits.type(top)) == top


@pytest.mark.parametrize("name", FORMATS)
def test_floats_combine_as_in_cvfpu(slice_program: Path, cvfpu_program: Path, name: str) -> None:
    element = formats.BY_NAME[name]
    operands = operands_of(element)
    expected = by_cvfpu(cvfpu_program, element, operands)
    for operator in OPERATORS:
        found = test_arithmetic.by_slice(slice_program, element, operator, operands)
        same = np.ones(found.shape, bool)
        if name == "fp8_e4m3":
            numbers = ~np.any([largest_exponent(element, v) for v in operands], axis=0)
            overflows = numbers & largest_exponent(element, expected[operator])
            assert largest_exponent(element, found[overflows]).all()
            same = numbers & ~overflows
            assert same.mean() > 0.7
        kept = [operand[same] for operand in operands]
        test_arithmetic.check(element, kept, found[same], expected[operator][same])
