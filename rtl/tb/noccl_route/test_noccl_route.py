# SPDX-License-Identifier: Apache-2.0
"""Properties of routing: at every router and input the hardware goes where the simulator goes."""

from __future__ import annotations

import os
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from common import handshake, runner, simulator
from common.cases import sample


def vectors_of(preset: str) -> str:
    """All routing vectors of a network, by the crate that computes its routes."""
    return simulator.output("hardware", preset, "vectors")


@pytest.mark.parametrize("preset", ["collective_noc_4x4", "collective_noc_8x8"])
def test_hardware_and_network_agree_on_every_vector(preset: str, tmp_path: Path) -> None:
    text = sample(vectors_of(preset))
    file = tmp_path / "vectors.hex"
    file.write_text(text, encoding="utf-8")
    num_vectors = len(text.splitlines())
    build = runner.Build("noccl_route_tb", {"NumVectors": num_vectors}, configuration=preset)
    environment = {"VECTORS": str(file), "NUM_VECTORS": str(num_vectors)}
    runner.run(build, __file__, environment, plusargs=[f"+vectors={file}"])


@cocotb.test()
async def every_vector_agrees(dut) -> None:
    num_vectors = int(os.environ["NUM_VECTORS"])
    await handshake.start(dut.clk_i, dut.rst_ni)
    await ClockCycles(dut.clk_i, num_vectors + 2)
    num_agreed = int(dut.num_agreed_o.value)
    if num_agreed != num_vectors:
        line = Path(os.environ["VECTORS"]).read_text(encoding="utf-8").splitlines()[num_agreed]
        raise AssertionError(f"vector {num_agreed}: {line}")
