# SPDX-License-Identifier: Apache-2.0
"""A failed beat is reported with its burst's last one; with too many every response is an error."""

from __future__ import annotations

import random

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from common import handshake, runner
from common.cases import cases

ENTRIES = 4
OKAY, SLVERR, DECERR = 0, 2, 3
NUM_BEATS = cases(1000, 3000)


def test_properties_hold() -> None:
    runner.run(runner.Build("noccl_ni_failed", {"Entries": ENTRIES}), __file__)


async def started(dut) -> None:
    dut.taken_i.value = 0
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)


async def respond(dut, name: int, resp: int, *, is_last: bool, is_taken: bool = True) -> int:
    """The memory responds to a beat; the response of its burst."""
    dut.taken_i.value = is_taken
    dut.is_last_i.value = is_last
    dut.name_i.value = name
    dut.resp_i.value = resp
    await FallingEdge(dut.clk_i)
    told = int(dut.resp_o.value)
    await RisingEdge(dut.clk_i)
    dut.taken_i.value = 0
    return told


@cocotb.test()
async def the_worst_response_of_a_burst_is_given_with_its_last_beat(dut) -> None:
    rng = random.Random(cocotb.RANDOM_SEED)
    await started(dut)
    worst: dict[int, int] = {}
    for _ in range(NUM_BEATS):
        name = rng.choice([*worst, rng.randrange(256)])
        resp = rng.choice([OKAY, OKAY, SLVERR, DECERR])
        is_last, is_taken = rng.random() < 0.4, rng.random() < 0.8
        if len(worst) == ENTRIES and name not in worst and not is_last:
            resp = OKAY
        told = await respond(dut, name, resp, is_last=is_last, is_taken=is_taken)
        assert told == max(resp, worst.get(name, OKAY))
        if is_taken and is_last:
            worst.pop(name, None)
        elif is_taken and told != OKAY:
            worst[name] = told


@cocotb.test()
async def with_more_failed_bursts_than_entries_every_response_is_an_error_until_reset(dut) -> None:
    await started(dut)
    for name in range(ENTRIES):
        await respond(dut, name, SLVERR, is_last=False)
    assert await respond(dut, 99, OKAY, is_last=True) == OKAY
    assert await respond(dut, ENTRIES, DECERR, is_last=False) == DECERR
    assert await respond(dut, ENTRIES, OKAY, is_last=True) == SLVERR
    for name in range(ENTRIES):
        assert await respond(dut, name, OKAY, is_last=True) == SLVERR
    assert await respond(dut, 99, OKAY, is_last=True) == SLVERR
    assert await respond(dut, 99, DECERR, is_last=True) == DECERR
    await started(dut)
    assert await respond(dut, 99, OKAY, is_last=True) == OKAY
