# SPDX-License-Identifier: Apache-2.0
"""FIFO and fork do what those of common_cells do in every cycle; so does the arbiter for who waits.

The arbiters differ by design in what a new request may do. Ours serves the next requester after the
last served one, as requests are now. That of common_cells chooses whom it serves next when it
serves: a request that comes later and lies between waits. Where nobody new comes, both must
choose the same; where requests come, both must serve in the same cycles, and nobody may wait longer
than a round.
"""

from __future__ import annotations

import random
from collections import Counter

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from common import handshake, runner
from common.pauses import KINDS, pauses

# The last FIFO is compared with one of another depth.
FIFOS, OUTPUTS = 5, 5
CONTROL = 1 << (FIFOS - 1)
NUM_CYCLES = 1000
ALL = (1 << OUTPUTS) - 1


def test_they_do_what_those_of_common_cells_do() -> None:
    build = runner.Build("noccl_common_cells_tb", references=("common_cells",))
    runner.run(build, __file__)


async def started(dut) -> random.Random:
    """Resets with quiet inputs."""
    quiet = (dut.push_i, dut.pop_i, dut.fork_valid_i, dut.fork_ready_i, dut.request_i)
    for signal in (*quiet, dut.ready_i, dut.cells_request_i, dut.cells_ready_i):
        signal.value = 0
    dut.data_i.value = 0
    dut.fork_select_i.value = 1
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)
    return random.Random(cocotb.RANDOM_SEED)


def together(sequences) -> int:
    """One bit of each."""
    return sum((not next(sequence)) << i for i, sequence in enumerate(sequences))


@cocotb.test()
@cocotb.parametrize(idle=KINDS, back_pressure=KINDS)
async def fifos_and_forks_agree_in_every_cycle(dut, idle: str, back_pressure: str) -> None:
    rng = await started(dut)
    pushes = [pauses(idle, random.Random(rng.random())) for _ in range(FIFOS)]
    pops = [pauses(back_pressure, random.Random(rng.random())) for _ in range(FIFOS)]
    offers = pauses(idle, random.Random(rng.random()))
    takes = [pauses(back_pressure, random.Random(rng.random())) for _ in range(OUTPUTS)]
    is_offered, is_noticed, num_left = False, False, Counter()
    for _ in range(NUM_CYCLES // 4):
        dut.push_i.value, dut.pop_i.value = together(pushes), together(pops)
        dut.data_i.value = rng.getrandbits(16)
        if not is_offered and not next(offers):
            is_offered = True
            dut.fork_select_i.value = rng.randint(1, ALL)
        dut.fork_valid_i.value = is_offered
        dut.fork_ready_i.value = together(takes)
        await FallingEdge(dut.clk_i)
        differs = int(dut.fifo_differs_o.value)
        is_noticed |= bool(differs & CONTROL)
        assert differs & ~CONTROL == 0, "the FIFOs differ"
        assert int(dut.fork_differs_o.value) == 0, "the forks differ"
        left = int(dut.leaves_o.value)
        num_left.update(i for i in range(FIFOS) if left >> i & 1)
        if is_offered and dut.fork_ready_o.value:
            is_offered = False
            num_left["fork"] += 1
        await RisingEdge(dut.clk_i)
    # FIFOs that are never full look alike.
    assert is_noticed or idle != "never" or back_pressure == "never"
    assert len(num_left) == FIFOS + 1
    assert min(num_left.values()) > NUM_CYCLES // 200


@cocotb.test()
async def arbiters_agree_while_nobody_new_asks(dut) -> None:
    rng = await started(dut)
    for requests in range(1, ALL + 1):
        # Who asks stays until served: the next ones begin with a reset.
        dut.rst_ni.value = 0
        dut.request_i.value = dut.cells_request_i.value = requests
        dut.ready_i.value = dut.cells_ready_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await RisingEdge(dut.clk_i)
        # Each has served somebody of these; ours goes on until both would serve the same one.
        dut.cells_ready_i.value = 0
        for _ in range(OUTPUTS):
            await FallingEdge(dut.clk_i)
            if int(dut.grant_o.value) == int(dut.cells_grant_o.value):
                break
            await RisingEdge(dut.clk_i)
        for _ in range(4 * OUTPUTS):
            is_ready = rng.random() < 0.7
            dut.ready_i.value = dut.cells_ready_i.value = is_ready
            await RisingEdge(dut.clk_i)
            await FallingEdge(dut.clk_i)
            assert int(dut.grant_o.value) == int(dut.cells_grant_o.value) != 0
        await RisingEdge(dut.clk_i)


class Side:
    """Who waits for an arbiter, how many items each has, how many were served since it asks."""

    def __init__(self) -> None:
        self.items: Counter[int] = Counter()
        self.passed: Counter[int] = Counter()
        self.longest = 0

    def requests(self) -> int:
        return sum(1 << i for i in range(OUTPUTS) if self.items[i])

    def serve(self, grant: int) -> None:
        served = grant.bit_length() - 1
        assert grant == 1 << served, "one at a time"
        assert self.items[served], "nobody asked"
        self.longest = max(self.longest, self.passed[served])
        self.items[served] -= 1
        self.passed.update(i for i in range(OUTPUTS) if self.items[i])
        self.passed[served] = 0


@cocotb.test()
@cocotb.parametrize(chance=[0.05, 0.15, 0.3], back_pressure=KINDS)
async def arbiters_serve_in_the_same_cycles_and_nobody_waits_longer_than_a_round(
    dut, chance: float, back_pressure: str
) -> None:
    rng = await started(dut)
    ours, cells = Side(), Side()
    stalls = pauses(back_pressure, random.Random(rng.random()))
    num_served = 0
    for _ in range(NUM_CYCLES):
        for i in range(OUTPUTS):
            if rng.random() < chance and ours.items[i] < 4 and cells.items[i] < 4:
                ours.items[i] += 1
                cells.items[i] += 1
        is_ready = not next(stalls)
        dut.request_i.value, dut.cells_request_i.value = ours.requests(), cells.requests()
        dut.ready_i.value = dut.cells_ready_i.value = is_ready
        await FallingEdge(dut.clk_i)
        grants = int(dut.grant_o.value), int(dut.cells_grant_o.value)
        assert (grants[0] == 0) == (grants[1] == 0), "only one of them serves"
        if is_ready and grants[0]:
            ours.serve(grants[0])
            cells.serve(grants[1])
            num_served += 1
        await RisingEdge(dut.clk_i)
    assert num_served > NUM_CYCLES // 30
    assert ours.longest < OUTPUTS
    assert cells.longest < OUTPUTS
