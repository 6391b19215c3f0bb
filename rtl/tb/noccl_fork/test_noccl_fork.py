# SPDX-License-Identifier: Apache-2.0
"""Properties of the fork: every selected output takes an item once, in a cycle of its own."""

from __future__ import annotations

import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from common import handshake, runner
from common.cases import cases
from common.pauses import KINDS, pauses

NUM_ITEMS = cases(100, 400)


@pytest.mark.parametrize("num_outputs", [1, 2, 5])
def test_properties_hold_for_every_number_of_outputs(num_outputs: int) -> None:
    runner.run(runner.Build("noccl_fork", {"NumOutputs": num_outputs}), __file__)


@cocotb.test()
@cocotb.parametrize(idle=KINDS, back_pressure=KINDS)
async def every_selected_output_takes_each_item_once(dut, idle: str, back_pressure: str) -> None:
    rng = random.Random(cocotb.RANDOM_SEED)
    num_outputs = len(dut.select_i)
    idles = pauses(idle, rng)
    stalls = [pauses(back_pressure, rng) for _ in range(num_outputs)]
    dut.valid_i.value = 0
    dut.ready_i.value = 0
    dut.select_i.value = 0
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)
    for _ in range(NUM_ITEMS):
        while next(idles):
            # Without an item the selection is noise.
            dut.valid_i.value = 0
            dut.select_i.value = rng.getrandbits(num_outputs)
            await FallingEdge(dut.clk_i)
            assert int(dut.valid_o.value) == 0
            await RisingEdge(dut.clk_i)
        selected = rng.randrange(1, 1 << num_outputs)
        dut.valid_i.value = 1
        dut.select_i.value = selected
        open_outputs = selected
        while open_outputs:
            ready = sum((not next(stall)) << i for i, stall in enumerate(stalls))
            dut.ready_i.value = ready
            await FallingEdge(dut.clk_i)
            assert int(dut.valid_o.value) == open_outputs
            open_outputs &= ~ready
            assert bool(dut.ready_o.value) == (open_outputs == 0)
            await RisingEdge(dut.clk_i)
