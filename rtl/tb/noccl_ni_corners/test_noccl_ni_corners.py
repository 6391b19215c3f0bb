# SPDX-License-Identifier: Apache-2.0
"""Corners of the network interface, by its parts: full queues, failures at a time, names in use."""

from __future__ import annotations

import itertools

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from common import flits, runner
from common.ni_corners import (
    ATOMIC,
    DECERR,
    NARROW_WRITE,
    OKAY,
    READ_NARROW,
    REDUCE,
    SLVERR,
    WRITE,
    beat,
    contribution,
    cycle,
    memory_responds,
    registers_respond,
    request,
    response,
    start,
)

# Parameters that the bench leaves as they are.
RESPONSES = READS = 4
COUNTERS = flits.constants()["MAX_OPEN_REDUCTIONS"]


def test_corners() -> None:
    runner.run(runner.Build("noccl_ni_corners_tb"), __file__)


# ------------------------------------------------------------ worst response


@cocotb.test()
async def the_worst_of_three_responses_wins_wherever_it_comes(dut) -> None:
    await start(dut)
    codes = (OKAY, SLVERR, DECERR)
    # Four members: three responses, one of them for two.
    for responses in itertools.product(codes, repeat=3):
        for others in ((0, 0, 1), (0, 1, 0), (1, 0, 0)):
            opens = {"opens_i": 1, "open_id_i": 5, "open_mask_i": 0b0101}
            await cycle(dut, opens, lambda: None)
            for i, (resp, other) in enumerate(zip(responses, others, strict=True)):
                values = {
                    "responded_i": 1,
                    "responded_name_i": 5,
                    "responded_others_i": other,
                    "responded_resp_i": resp,
                }
                seen = await cycle(
                    dut, values, lambda: (int(dut.is_whole_o.value), int(dut.total_resp_o.value))
                )
                assert seen == (i == 2, max(responses[: i + 1])), responses


@cocotb.test()
async def a_failure_before_the_last_beat_is_told_with_it(dut) -> None:
    await start(dut)
    for kind, first, last in itertools.product(
        (WRITE, REDUCE), (OKAY, SLVERR, DECERR), (OKAY, SLVERR)
    ):
        for left in (1, 0):
            assert (await beat(dut, kind, 9, left))[0]
        assert await memory_responds(dut, first) is None
        told = await memory_responds(dut, last)
        assert told is not None
        assert told["resp"] == max(first, last)


@cocotb.test()
async def a_fifth_burst_that_fails_is_not_forgotten(dut) -> None:
    await start(dut)
    bursts = range(5)
    for tag in bursts:
        assert (await beat(dut, WRITE, tag, 1))[0]
        assert await memory_responds(dut, SLVERR) is None
    for tag in bursts:
        assert (await beat(dut, WRITE, tag, 0))[0]
        told = await memory_responds(dut, OKAY)
        assert told is not None
        assert (told["tag"], told["resp"]) == (tag, SLVERR)


@cocotb.test()
async def data_and_responses_carry_what_the_memory_returns(dut) -> None:
    await start(dut)
    for resp in (OKAY, SLVERR, DECERR):
        assert (await request(dut, kind=NARROW_WRITE, tag=3))["taken"]
        told = await registers_respond(dut, resp)
        assert told is not None
        assert told["resp"] == resp
        for kind in (READ_NARROW, ATOMIC):
            assert (await request(dut, kind=kind, tag=3))["taken"]
            if kind == ATOMIC:
                assert await registers_respond(dut, resp) is None, (
                    "an atomic gets its response with data"
                )
            values = {"reg_r_valid_i": 1, "reg_r_resp_i": resp}
            header = await cycle(dut, values, lambda: int(dut.data_hdr_o.value))
            assert flits.unpack("rsp", header)["resp"] == resp
        await cycle(dut, {"ask_valid_i": 1}, lambda: None)
        values = {"mem_r_valid_i": 1, "mem_r_resp_i": resp}
        assert await cycle(dut, values, lambda: int(dut.read_data_resp_o.value)) == resp


# ------------------------------------------------------------ full queues


@cocotb.test()
async def beats_wait_while_as_many_responses_are_pending_as_are_noted(dut) -> None:
    await start(dut)
    for tag in range(RESPONSES):
        assert (await beat(dut, WRITE, tag, 0))[0]
    assert not (await beat(dut, WRITE, RESPONSES, 0))[0]
    for tag in range(RESPONSES):
        told = await memory_responds(dut, OKAY)
        assert told is not None
        assert told["tag"] == tag
    assert (await beat(dut, WRITE, RESPONSES, 0))[0]


@cocotb.test()
async def no_response_is_lost_while_the_response_plane_is_blocked(dut) -> None:
    await start(dut)
    dut.wide_response_ready_i.value = 0
    dut.narrow_response_ready_i.value = 0
    for tag in range(RESPONSES):
        assert (await beat(dut, WRITE, tag, 0))[0]
        await memory_responds(dut, OKAY)
        assert (await request(dut, kind=NARROW_WRITE, tag=tag))["taken"]
        await registers_respond(dut, OKAY)
    # One more of each: the memory's response has to wait.
    assert (await beat(dut, WRITE, RESPONSES, 0))[0]
    assert (await request(dut, kind=NARROW_WRITE, tag=RESPONSES))["taken"]
    dut.mem_b_valid_i.value = dut.reg_b_valid_i.value = 1
    dut.mem_b_resp_i.value = dut.reg_b_resp_i.value = OKAY
    for _ in range(3):
        await FallingEdge(dut.clk_i)
        assert (dut.mem_b_ready_o.value, dut.reg_b_ready_o.value) == (0, 0)
        await RisingEdge(dut.clk_i)
    dut.wide_response_ready_i.value = dut.narrow_response_ready_i.value = 1
    tags: dict[str, list[int]] = {"wide": [], "narrow": []}
    for _ in range(2 * RESPONSES):
        await FallingEdge(dut.clk_i)
        for port, of in tags.items():
            if getattr(dut, f"{port}_response_valid_o").value:
                of.append(response(int(getattr(dut, f"{port}_response_o").value))["tag"])
        is_taken = [dut.mem_b_ready_o.value == 1, dut.reg_b_ready_o.value == 1]
        await RisingEdge(dut.clk_i)
        for name, taken in zip(("mem_b_valid_i", "reg_b_valid_i"), is_taken, strict=True):
            if taken:
                getattr(dut, name).value = 0
    assert tags == {"wide": [*range(RESPONSES + 1)], "narrow": [*range(RESPONSES + 1)]}


@cocotb.test()
async def an_atomic_waits_while_the_queue_of_who_asked_for_data_is_full(dut) -> None:
    await start(dut)
    for tag in range(READS):
        assert (await request(dut, kind=READ_NARROW, tag=tag))["taken"]
    for _ in range(3):
        seen = await request(dut, kind=ATOMIC, tag=READS)
        assert (seen["taken"], seen["writes"]) == (0, 0)
    assert not (await request(dut, kind=READ_NARROW, tag=READS))["reads"]
    tags = []
    for i in range(READS + 1):
        values = {"reg_r_valid_i": 1, "reg_r_resp_i": OKAY}
        header = await cycle(dut, values, lambda: int(dut.data_hdr_o.value))
        tags.append(flits.unpack("rsp", header)["tag"])
        if i == 0:
            assert (await request(dut, kind=ATOMIC, tag=READS))["writes"]
            assert await registers_respond(dut, OKAY) is None
    assert tags == [*range(READS + 1)]


@cocotb.test()
async def a_barrier_waits_while_all_counters_are_in_use(dut) -> None:
    await start(dut)
    for tag in range(COUNTERS):
        seen = await contribution(dut, tag, 0, 1, 1)
        assert (seen["taken"], seen["writes"]) == (1, 0)
    # Neither a part of it nor the whole one goes by.
    for count in (1, 2):
        seen = await contribution(dut, COUNTERS, 0, 1, count)
        assert (seen["taken"], seen["writes"]) == (0, 0)
    assert (await contribution(dut, 0, 0, 1, 1))["writes"]
    assert not (await contribution(dut, COUNTERS, 0, 1, 1))["writes"]
    for tag in range(1, COUNTERS + 1):
        told = await registers_respond(dut, OKAY)
        assert told is not None
        assert (told["tag"], told["resp"]) == (tag - 1, OKAY)
        assert (await contribution(dut, tag, 0, 1, 1))["writes"]


# ------------------------------------------------------------ marks


@cocotb.test()
async def a_marked_sum_writes_nothing_and_gets_an_error_response(dut) -> None:
    await start(dut)
    full = (1 << 64) - 1
    for left in (5, 4, 3, 2, 1, 0):
        assert await beat(dut, REDUCE, 7, left, SLVERR) == (True, 0)
        told = await memory_responds(dut, OKAY)
        assert (told is None) == (left > 0)
    assert told is not None
    assert (told["is_join"], told["resp"]) == (1, SLVERR)
    # Marks of many bursts at a time take no place among the failures that must be remembered.
    for tag in range(2 * RESPONSES):
        assert await beat(dut, REDUCE, tag, 1, SLVERR) == (True, 0)
        await memory_responds(dut, OKAY)
    assert await beat(dut, WRITE, 50, 0) == (True, full)
    told = await memory_responds(dut, OKAY)
    assert told is not None
    assert told["resp"] == OKAY


@cocotb.test()
async def a_barrier_whose_name_is_in_use_gets_an_error_response(dut) -> None:
    await start(dut)
    # Others by base, by mask, in parts and as a whole.
    for base, mask, parts in ((2, 1, (1, 1)), (0, 3, (1, 2, 1)), (0, 3, (4,)), (1, 0, (1,))):
        first = await contribution(dut, 6, 0, 1, 1)
        assert (first["taken"], first["writes"]) == (1, 0)
        for count in parts[:-1]:
            assert not (await contribution(dut, 6, base, mask, count))["writes"]
        seen = await contribution(dut, 6, base, mask, parts[-1])
        assert (seen["taken"], seen["writes"], seen["strobe"]) == (1, 1, 0)
        told = await registers_respond(dut, OKAY)
        assert told is not None
        assert (told["mask_x"], told["resp"]) == (mask, SLVERR)
        last = await contribution(dut, 6, 0, 1, 1)
        assert (last["writes"], last["strobe"]) == (1, 0xFF)
        told = await registers_respond(dut, OKAY)
        assert told is not None
        assert (told["mask_x"], told["resp"]) == (1, OKAY)
        # Free again: for whomever.
        assert (await contribution(dut, 6, base, mask, mask.bit_count() * 2 or 1))["strobe"] == 0xFF
        assert (await registers_respond(dut, OKAY) or {})["resp"] == OKAY
