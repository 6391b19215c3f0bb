# SPDX-License-Identifier: Apache-2.0
"""Properties of trees: for every set, root and router the hardware says what the simulator says."""

from __future__ import annotations

import os
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from common import flits, handshake, runner, simulator
from common.cases import is_long, sample

QUESTION_BYTES = 8
EXPECTED_BYTES = 17


def vectors_of(preset: str) -> str:
    """Vectors of a network, by the simulator's own functions."""
    return simulator.output("tree_vectors", preset)


@pytest.mark.parametrize("preset", ["collective_noc_4x4", "collective_noc_8x8"])
def test_hardware_and_simulator_agree_on_every_vector(preset: str, tmp_path: Path) -> None:
    text = sample(vectors_of(preset))
    file = tmp_path / "vectors.hex"
    file.write_text(text, encoding="utf-8")
    num_vectors = len(text.splitlines())
    numbers = {"NumVectors": num_vectors}
    build = runner.Build("noccl_tree_tb", numbers, configuration=preset, is_optimized=is_long())
    environment = {"VECTORS": str(file), "NUM_VECTORS": str(num_vectors)}
    runner.run(build, __file__, environment, plusargs=[f"+vectors={file}"])


def test_vectors_are_complete_and_follow_from_the_paths_of_the_members() -> None:
    """The table itself, against hop-by-hop walks that share nothing with the formulas."""
    expected = {
        question + expected
        for join in flits.joins()
        for here in flits.routers()
        for question, expected in [line_of(join, here)]
    }
    text = vectors_of("collective_noc_4x4")
    assert {bytes.fromhex(line) for line in text.splitlines()} == expected


def line_of(join: flits.Join, here: flits.Coord) -> tuple[bytes, bytes]:
    c = flits.constants()

    def window(to: flits.Coord) -> int:
        hops = abs(to[0] - here[0]) + abs(to[1] - here[1])
        farther = max(hops - 1, 0) * c["WINDOW_BEATS_PER_HOP"]
        return min(c["WINDOW_BEATS"] + farther, c["MAX_WINDOW_BEATS"])

    inputs = join.inputs(here)
    mesh_inputs = [port in inputs and port != flits.LOCAL for port in flits.PORTS[:4]]
    froms = [join.contributor(here, p) if has else None for p, has in enumerate(mesh_inputs)]
    ahead = join.next_merge(here) if inputs else None
    expected = bytes([sum(1 << port for port in inputs)])
    expected += sum(map(len, inputs.values())).to_bytes(2, "big")
    for at in froms:
        expected += bytes(at or (0, 0))
    expected += bytes(window(at) if at else 0 for at in froms)
    expected += bytes([ahead is not None, window(ahead) if ahead else 0])
    return bytes([*here, *join.root, *join.base, *join.mask]), expected


@cocotb.test()
async def every_vector_agrees(dut) -> None:
    num_vectors = int(os.environ["NUM_VECTORS"])
    await handshake.start(dut.clk_i, dut.rst_ni)
    await ClockCycles(dut.clk_i, num_vectors + 2)
    assert int(dut.num_compared_o.value) == num_vectors
    if int(dut.num_different_o.value):
        first = int(dut.first_different_o.value)
        line = Path(os.environ["VECTORS"]).read_text().splitlines()[first]
        seen = int(dut.seen_o.value).to_bytes(EXPECTED_BYTES, "big").hex()
        raise AssertionError(f"vector {first}: {line}, hardware {seen}")
