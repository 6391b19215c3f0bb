# SPDX-License-Identifier: Apache-2.0
"""A multicast by a list of destinations: walked router by router, each gets it once."""

from __future__ import annotations

import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from common import handshake, runner

NORTH, EAST, SOUTH, WEST, LOCAL = range(5)
STEP = {NORTH: (0, 1), EAST: (1, 0), SOUTH: (0, -1), WEST: (-1, 0)}
WIDTH, HEIGHT = 5, 4


@pytest.mark.parametrize("num_destinations", [4, 8, 16])
def test_properties_hold(num_destinations: int) -> None:
    build = runner.Build("noccl_list_route_tb", {"NumDestinations": num_destinations})
    runner.run(build, __file__)


async def started(dut) -> None:
    for signal in (dut.num_consumers_i, dut.request_valid_i, dut.request_x_i, dut.request_y_i):
        signal.value = 0
    for signal in (dut.header_ready_i, dut.x_i, dut.y_i, dut.serves_i):
        signal.value = 0
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)


async def collect(dut, consumers: list[tuple[int, int]]) -> None:
    """Requests in order; before the last one there is no header."""
    dut.num_consumers_i.value = len(consumers)
    for x, y in consumers:
        dut.request_valid_i.value = 1
        dut.request_x_i.value, dut.request_y_i.value = x, y
        await FallingEdge(dut.clk_i)
        assert dut.request_ready_o.value
        assert not dut.header_valid_o.value
        await RisingEdge(dut.clk_i)
    await FallingEdge(dut.clk_i)
    assert not dut.request_ready_o.value, "a request of the next transfer waits"
    dut.request_valid_i.value = 0
    assert dut.header_valid_o.value
    await RisingEdge(dut.clk_i)


async def branches(dut, position: tuple[int, int], serves: int) -> dict[int, int]:
    """Outputs of a router with what they serve."""
    dut.x_i.value, dut.y_i.value = position
    dut.serves_i.value = serves
    await FallingEdge(dut.clk_i)
    ports = int(dut.ports_o.value)
    found = {p: int(dut.serves_o[p].value) for p in range(5)}
    await RisingEdge(dut.clk_i)
    assert ports == sum((found[p] != 0) << p for p in found)
    return {p: served for p, served in found.items() if served}


@cocotb.test()
async def every_destination_gets_it_once_on_a_shortest_path(dut) -> None:
    rng = random.Random(cocotb.RANDOM_SEED)
    size = len(dut.serves_i)
    tiles = [(x, y) for x in range(WIDTH) for y in range(HEIGHT)]
    await started(dut)
    for _ in range(20):
        consumers = rng.sample(tiles, rng.randint(1, size))
        source = rng.choice(tiles)
        await collect(dut, consumers)
        serves = int(dut.header_serves_o.value)
        assert serves == (1 << len(consumers)) - 1
        arrived: dict[int, int] = {}
        flits = [(source, serves, 0)]
        while flits:
            position, served, num_hops = flits.pop()
            for port, rest in (await branches(dut, position, served)).items():
                if port == LOCAL:
                    members = [i for i in range(size) if rest >> i & 1]
                    assert all(consumers[i] == position and i not in arrived for i in members)
                    arrived.update(dict.fromkeys(members, num_hops))
                else:
                    dx, dy = STEP[port]
                    flits.append(((position[0] + dx, position[1] + dy), rest, num_hops + 1))
        hops = [abs(x - source[0]) + abs(y - source[1]) for x, y in consumers]
        assert [arrived[i] for i in range(len(consumers))] == hops
        dut.header_ready_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.header_ready_i.value = 0
        await FallingEdge(dut.clk_i)
        assert not dut.header_valid_o.value
        await RisingEdge(dut.clk_i)
