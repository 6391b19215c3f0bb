# SPDX-License-Identifier: Apache-2.0
"""Wide writes that are open, by their book-keeping alone: names, reductions, own copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from common import flits, handshake, runner

C = flits.constants()
IDS = 1 << C["WIDE_ID_BITS"]
REDUCTIONS = C["MAX_OPEN_REDUCTIONS"]
ROOT = (1, 1)
OKAY, SLVERR, DECERR = 0, 2, 3
B, GROUP_B = 0, 3
# Copies whose response from the memory is open: the module's default.
RESPONSES = 4
VALIDS = ("opens_i", "rsp_valid_i", "copy_valid_i", "mem_b_valid_i")


def test_open_writes() -> None:
    runner.run(runner.Build("noccl_ni_open_tb"), __file__)


async def start(dut) -> None:
    for name in (*VALIDS, "channel_i", "id_i", "is_join_i", "tag_i", "copy_is_last_i"):
        getattr(dut, name).value = 0
    dut.dst_i.value = ROOT[0] << C["Y_BITS"] | ROOT[1]
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)


async def cycle(dut, see: Callable[[], Any], **values: int) -> Any:
    """A cycle with these inputs, nothing valid afterwards; what is seen in it."""
    for name, value in values.items():
        getattr(dut, name).value = value
    await FallingEdge(dut.clk_i)
    seen = see()
    await RisingEdge(dut.clk_i)
    for name in VALIDS:
        getattr(dut, name).value = 0
    return seen


async def may_start(dut, channel: int, id_: int, tag: int | None = None, opens: int = 0) -> bool:
    """May a write of this name start; with a tag, a reduction? It does if it `opens`."""
    asks = {"channel_i": channel, "id_i": id_, "is_join_i": tag is not None, "tag_i": tag or 0}
    return await cycle(dut, lambda: bool(dut.may_start_o.value), **asks, opens_i=opens)


async def opens(dut, channel: int, id_: int, tag: int | None = None) -> None:
    assert await may_start(dut, channel, id_, tag, opens=1)


async def responds(dut, kind: int, tag: int) -> list[tuple[int, int]]:
    """A response from the router: which channel gets B, and for which id?"""
    fields = {"kind": kind, "tag": tag, "src_x": ROOT[0], "src_y": ROOT[1], "count": 1}

    def see() -> list[tuple[int, int]]:
        assert dut.rsp_ready_o.value == 1
        valid = int(dut.b_valid_o.value)
        channels = [channel for channel in range(C["WIDE_CHANNELS"]) if valid >> channel & 1]
        return [(channel, int(dut.b_id_o[channel].value)) for channel in channels]

    return await cycle(dut, see, rsp_valid_i=1, rsp_hdr_i=flits.pack("rsp", fields))


async def copies(dut, *, is_last: bool, tag: int) -> bool:
    """A beat of a copy: is it taken?"""
    values = {"copy_valid_i": 1, "copy_is_last_i": is_last, "copy_tag_i": tag}
    return await cycle(dut, lambda: bool(dut.copy_ready_o.value), **values)


async def memory_responds(dut, code: int) -> tuple[int, int] | None:
    """The memory responds to a copy: tag and code of the transaction that is over, if one is."""

    def see() -> tuple[int, int] | None:
        assert dut.mem_b_ready_o.value == 1
        over = int(dut.own_tag_o.value), int(dut.own_resp_o.value)
        return over if dut.own_valid_o.value else None

    return await cycle(dut, see, mem_b_valid_i=1, mem_b_resp_i=code)


@cocotb.test()
async def a_name_is_open_from_its_first_beat_to_its_response(dut) -> None:
    await start(dut)
    for channel in range(C["WIDE_CHANNELS"]):
        for id_ in range(IDS):
            await opens(dut, channel, id_)
            assert not await may_start(dut, channel, id_)
    for channel in range(C["WIDE_CHANNELS"]):
        for id_ in range(IDS):
            assert await responds(dut, B, channel * IDS + id_) == [(channel, id_)]
            assert await may_start(dut, channel, id_)


@cocotb.test()
async def no_more_reductions_are_open_than_the_limit(dut) -> None:
    await start(dut)
    for tag in range(REDUCTIONS):
        await opens(dut, tag % 2, tag // 2, tag)
    # Neither a further one nor one of a name that is open; a write may.
    assert not await may_start(dut, 2, 0, REDUCTIONS)
    assert await may_start(dut, 2, 0)
    assert await responds(dut, GROUP_B, 5) == [(1, 2)]
    assert not await may_start(dut, 2, 0, 4)
    await opens(dut, 2, 0, REDUCTIONS)
    assert not await may_start(dut, 3, 0, 5)
    # Their responses find them by root and tag.
    assert await responds(dut, GROUP_B, REDUCTIONS) == [(2, 0)]
    assert await responds(dut, GROUP_B, 4) == [(0, 2)]


@cocotb.test()
async def an_own_copy_has_the_worst_response_of_its_beats(dut) -> None:
    await start(dut)
    for codes in ((SLVERR, OKAY, OKAY), (OKAY, OKAY, OKAY), (OKAY, DECERR, SLVERR)):
        for beat in range(3):
            assert await copies(dut, is_last=beat == 2, tag=IDS + 3)
        for code in codes[:2]:
            assert await memory_responds(dut, code) is None
        assert await memory_responds(dut, codes[2]) == (IDS + 3, max(codes))


@cocotb.test()
async def own_copies_wait_while_as_many_have_no_response(dut) -> None:
    await start(dut)
    for _ in range(RESPONSES):
        assert await copies(dut, is_last=True, tag=2)
    assert not await copies(dut, is_last=True, tag=2)
    assert await memory_responds(dut, OKAY) == (2, OKAY)
    assert await copies(dut, is_last=True, tag=2)
