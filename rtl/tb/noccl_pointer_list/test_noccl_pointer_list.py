# SPDX-License-Identifier: Apache-2.0
"""The published list of pointers: each destination comes once, between its neighbours."""

from __future__ import annotations

import os
import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from common import handshake, runner


@pytest.mark.parametrize("num_destinations", [1, 2, 8])
def test_properties_hold(num_destinations: int) -> None:
    parameters = {"NumDestinations": num_destinations}
    environment = {"NUM_DESTINATIONS": str(num_destinations)}
    runner.run(runner.Build("noccl_pointer_list", parameters), __file__, environment)


@cocotb.test()
async def every_destination_stands_between_its_neighbours(dut) -> None:
    rng = random.Random(cocotb.RANDOM_SEED)
    most = int(os.environ["NUM_DESTINATIONS"])
    for signal in (dut.write_i, dut.index_i, dut.pointer_i, dut.step_i):
        signal.value = 0
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)
    for _ in range(5):
        count = rng.randint(1, most)
        pointers = [rng.getrandbits(48) | 1 for _ in range(count + 1)]
        pointers += [0] * (most - count)
        order = list(enumerate(pointers))
        rng.shuffle(order)
        dut.write_i.value = 1
        for index, pointer in order:
            dut.index_i.value = index
            dut.pointer_i.value = pointer
            await RisingEdge(dut.clk_i)
        dut.write_i.value = 0
        dut.step_i.value = 1
        padded = [*pointers, 0, 0]
        for i in range(count):
            await FallingEdge(dut.clk_i)
            seen = [int(s.value) for s in (dut.previous_o, dut.destination_o, dut.next_o)]
            assert seen == padded[i : i + 3]
            await RisingEdge(dut.clk_i)
        dut.step_i.value = 0
