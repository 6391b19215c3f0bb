# SPDX-License-Identifier: Apache-2.0
"""The arithmetic: every result is that of NumPy and of the simulator, bit-exact and in time.

Edges pair by pair (of 8-bit types all pairs), then random operands, `NOCCL_PAIRS` of each type and
operator.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from common import program, runner, simulator
from noccl_compute_slice import formats
from noccl_compute_slice.formats import Bits, Element

NUM_PAIRS = int(os.environ.get("NOCCL_PAIRS", "100000"))
NUM_LANES = 2
CASES = [(element, operator) for element in formats.ELEMENTS for operator in element.operators]
NAMES = [f"{element.name}-{operator}" for element, operator in CASES]


@pytest.fixture(scope="module")
def slice_program() -> Path:
    main = Path(__file__).with_name("reduce_file.cpp")
    return program.compile_program(
        runner.Build("noccl_compute_slice_tb", {"NumLanes": NUM_LANES}), main
    )


@pytest.fixture(scope="module")
def rust_program() -> Path:
    return simulator.program("fold_file")


def filtered(command: list[str], operands: list[Bits]) -> Bits:
    """Sends operands through a program that combines them; all are padded to whole beats."""
    beat = NUM_LANES * 64 // (8 * operands[0].itemsize)
    padding = -len(operands[0]) % beat
    data = b"".join(np.pad(operand, (0, padding)).tobytes() for operand in operands)
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return np.frombuffer(done.stdout, operands[0].dtype)[: len(operands[0])]


def by_slice(program: Path, element: Element, operator: str, operands: list[Bits]) -> Bits:
    code = formats.OPERATORS.index(operator)
    cycles = element.cycles * (len(operands) - 1)
    arguments = [element.code, code, len(operands), cycles]
    return filtered([str(program), *map(str, arguments)], operands)


def check(element: Element, operands: list[Bits], found: Bits, expected: Bits) -> None:
    wrong = np.flatnonzero(found != expected)
    if len(wrong):
        first = wrong[0]
        digits = element.width_bits // 4
        values = [f"{int(operand[first]):0{digits}x}" for operand in operands]
        text = f"{' and '.join(values)} give {int(found[first]):0{digits}x}"
        pytest.fail(f"{text}, not {int(expected[first]):0{digits}x}; {len(wrong)} are wrong")


@pytest.mark.parametrize(("element", "operator"), CASES, ids=NAMES)
def test_edges_combine_as_in_numpy(slice_program: Path, element: Element, operator: str) -> None:
    operands = list(formats.special_pairs(element))
    found = by_slice(slice_program, element, operator, operands)
    check(element, operands, found, formats.combine(element, operator, *operands))


@pytest.mark.parametrize(("element", "operator"), CASES, ids=NAMES)
def test_random_operands_combine_as_in_numpy(
    slice_program: Path, element: Element, operator: str
) -> None:
    rng = np.random.default_rng([element.code, formats.OPERATORS.index(operator)])
    operands = list(formats.random_pairs(element, NUM_PAIRS, rng))
    found = by_slice(slice_program, element, operator, operands)
    check(element, operands, found, formats.combine(element, operator, *operands))


@pytest.mark.parametrize(("element", "operator"), CASES, ids=NAMES)
def test_two_and_three_operands_combine_as_in_the_simulator(
    slice_program: Path, rust_program: Path, element: Element, operator: str
) -> None:
    rng = np.random.default_rng([element.code, formats.OPERATORS.index(operator), 3])
    pairs = zip(
        formats.special_pairs(element),
        formats.random_pairs(element, NUM_PAIRS // 4, rng),
        strict=True,
    )
    two = [np.concatenate(pair) for pair in pairs]
    three = [*two, rng.permutation(two[0])]
    for operands in (two, three):
        rust = filtered([str(rust_program), element.name, operator, str(len(operands))], operands)
        check(element, operands, by_slice(slice_program, element, operator, operands), rust)
