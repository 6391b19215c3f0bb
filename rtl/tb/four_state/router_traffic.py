# SPDX-License-Identifier: Apache-2.0
"""Unicasts through a router without a collective unit: each leaves once, in order."""

from __future__ import annotations

import random
from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from common import flits, handshake
from common.cases import cases
from common.flits import PORTS
from common.pauses import pauses

NUM_FLITS = cases(100, 300)
MAX_CYCLES = 4000
PAYLOAD_BITS = 72
HERE = (2, 1)


def routes() -> list[tuple[flits.Coord, flits.Coord, int, int]]:
    """Initiator and target of unicasts that come by, and by which ports."""
    pairs = ((start, end) for start in flits.routers() for end in flits.routers() if start != end)
    return [
        (start, end, came_by, port)
        for start, end in pairs
        for at, came_by, port in flits.path(start, end)
        if at == HERE
    ]


def flit(start: flits.Coord, end: flits.Coord, number: int) -> int:
    """A flit with a number to know it by."""
    fields = {"dst_x": end[0], "dst_y": end[1], "src_x": start[0], "src_y": start[1]}
    return flits.pack("req", fields) << PAYLOAD_BITS | number


def quiet(dut) -> None:
    """Nothing comes, and there is no unit."""
    dut.position_i.value = HERE[0] << flits.constants()["Y_BITS"] | HERE[1]
    for port in (dut.in_valid_i, dut.out_ready_i, dut.join_absorb_i, dut.join_forward_i):
        port.value = 0
    for port in (dut.join_candidate_i, dut.join_goes_on_i, dut.result_valid_i):
        port.value = 0


@cocotb.test()
async def every_flit_leaves_once_in_order(dut) -> None:
    rng = random.Random(cocotb.RANDOM_SEED)
    quiet(dut)
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)
    queues = {port: deque() for port in PORTS}
    expected = {(i, o): deque() for i in PORTS for o in PORTS}
    for number in range(NUM_FLITS):
        start, end, came_by, port = rng.choice(routes())
        queues[came_by].append(flit(start, end, number))
        expected[came_by, port].append(flit(start, end, number))
    idles = {port: pauses("rarely", random.Random(rng.random())) for port in PORTS}
    stalls = {port: pauses("bursts", random.Random(rng.random())) for port in PORTS}
    offered: set[int] = set()
    for _ in range(MAX_CYCLES):
        offered |= {i for i in PORTS if queues[i] and not next(idles[i])}
        for i in offered:
            dut.in_flit_i[i].value = queues[i][0]
        dut.in_valid_i.value = sum(1 << i for i in offered)
        ready = {o for o in PORTS if not next(stalls[o])}
        dut.out_ready_i.value = sum(1 << o for o in ready)
        await FallingEdge(dut.clk_i)
        accepts, offers = int(dut.in_ready_o.value), int(dut.out_valid_o.value)
        for i in [i for i in offered if accepts >> i & 1]:
            queues[i].popleft()
            offered.remove(i)
        for o in [o for o in ready if offers >> o & 1]:
            found = int(dut.out_flit_o[o].value)
            (source,) = [i for i in PORTS if expected[i, o] and expected[i, o][0] == found]
            expected[source, o].popleft()
        if not any(expected.values()):
            return
        await RisingEdge(dut.clk_i)
    raise AssertionError(f"{sum(map(len, expected.values()))} flits never left")
