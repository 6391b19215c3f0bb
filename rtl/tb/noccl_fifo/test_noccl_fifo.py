# SPDX-License-Identifier: Apache-2.0
"""Properties of the FIFO: nothing lost, doubled or reordered; registered ready; latency."""

from __future__ import annotations

import os
import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from common import handshake, runner
from common.cases import cases
from common.pauses import KINDS, pauses

NUM_ITEMS = cases(100, 300)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_properties_hold_for_every_depth(depth: int) -> None:
    build = runner.Build("noccl_fifo_tb", {"Depth": depth, "Width": 32})
    runner.run(build, __file__, {"DEPTH": str(depth)})


def test_depth_zero_is_refused() -> None:
    with pytest.raises(RuntimeError, match="DepthAtLeastOne"):
        runner.compile_bench(runner.Build("noccl_fifo_tb", {"Depth": 0}))


def depth() -> int:
    return int(os.environ["DEPTH"])


async def started(dut) -> None:
    for signal in (dut.valid_i, dut.ready_i, dut.data_i):
        signal.value = 0
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)


def sides(dut, idle: str, back_pressure: str) -> tuple[handshake.Source, handshake.Sink]:
    rng = random.Random(cocotb.RANDOM_SEED)
    source = handshake.Source(dut.clk_i, dut.valid_i, dut.ready_o, dut.data_i, pauses(idle, rng))
    sink = handshake.Sink(
        dut.clk_i, dut.valid_o, dut.ready_i, dut.data_o, pauses(back_pressure, rng)
    )
    return source, sink


@cocotb.test()
@cocotb.parametrize(idle=KINDS, back_pressure=KINDS)
async def items_leave_once_and_in_order(dut, idle: str, back_pressure: str) -> None:
    await started(dut)
    source, sink = sides(dut, idle, back_pressure)
    rng = random.Random(cocotb.RANDOM_SEED + 1)
    items = [rng.getrandbits(32) for _ in range(NUM_ITEMS)]
    cocotb.start_soon(source.send(items))
    cocotb.start_soon(sink.run())
    await sink.take(NUM_ITEMS, max_cycles=100 * NUM_ITEMS)
    for _ in range(50):
        await RisingEdge(dut.clk_i)
    assert sink.items == items


@cocotb.test()
async def an_item_is_offered_in_the_next_cycle_and_one_passes_per_cycle(dut) -> None:
    await started(dut)
    source, sink = sides(dut, "never", "never")
    cocotb.start_soon(source.send(range(NUM_ITEMS)))
    cocotb.start_soon(sink.run())
    await sink.take(NUM_ITEMS, max_cycles=3 * NUM_ITEMS)
    # The sink counts from the cycle in which the first item is offered to the FIFO.
    cycles_per_item = 1 if depth() >= 2 else 2
    assert sink.cycles == [1 + i * cycles_per_item for i in range(NUM_ITEMS)]


@cocotb.test()
async def ready_does_not_follow_a_pop_in_the_same_cycle(dut) -> None:
    await started(dut)
    dut.valid_i.value = 1
    for _ in range(depth()):
        await FallingEdge(dut.clk_i)
        assert dut.ready_o.value == 1
        await RisingEdge(dut.clk_i)
    dut.ready_i.value = 1
    await FallingEdge(dut.clk_i)
    assert dut.ready_o.value == 0, "full, although an item leaves"
    await FallingEdge(dut.clk_i)
    assert dut.ready_o.value == 1


@cocotb.test()
async def nothing_is_offered_after_reset(dut) -> None:
    await started(dut)
    await FallingEdge(dut.clk_i)
    assert dut.valid_o.value == 0
    assert dut.ready_o.value == 1
