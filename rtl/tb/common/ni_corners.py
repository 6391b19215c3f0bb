# SPDX-License-Identifier: Apache-2.0
"""Network and memory around the parts of the network interface, in the hands of a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cocotb.triggers import FallingEdge, RisingEdge

from common import flits, handshake

OKAY, SLVERR, DECERR = 0, 2, 3
WRITE, REDUCE = 0, 1
READ_NARROW, NARROW_WRITE, BARRIER, ATOMIC = 0, 2, 3, 4
INPUTS = [
    "wide_valid_i",
    "mem_ready_i",
    "mem_b_valid_i",
    "wide_response_ready_i",
    "req_valid_i",
    "reg_ready_i",
    "reg_b_valid_i",
    "reg_r_valid_i",
    "narrow_response_ready_i",
    "data_ready_i",
    "opens_i",
    "responded_i",
    "ask_valid_i",
    "mem_r_valid_i",
]


def response(value: int) -> Mapping[str, int]:
    """Fields of a response, from the lowest bits up."""
    c = flits.constants()
    widths = {
        "resp": 2,
        "tag": c["TAG_BITS"],
        "mask_y": c["REGION_Y_BITS"],
        "mask_x": c["REGION_X_BITS"],
        "src": c["X_BITS"] + c["Y_BITS"],
        "is_join": 1,
    }
    fields = {}
    for name, bits in widths.items():
        fields[name] = value & ((1 << bits) - 1)
        value >>= bits
    return fields


async def start(dut) -> None:
    for name in INPUTS:
        getattr(dut, name).value = 0
    for name in ("mem_ready_i", "wide_response_ready_i", "reg_ready_i", "narrow_response_ready_i"):
        getattr(dut, name).value = 1
    dut.data_ready_i.value = 1
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)


async def cycle(dut, values: Mapping[str, int], see: Callable[[], object]) -> object:
    """A cycle with these inputs, which are as before afterwards; what is seen in it."""
    for name, value in values.items():
        getattr(dut, name).value = value
    await FallingEdge(dut.clk_i)
    seen = see()
    await RisingEdge(dut.clk_i)
    for name in values:
        if name in INPUTS:
            getattr(dut, name).value = name.endswith("ready_i")
    return seen


async def beat(dut, kind: int, tag: int, left: int, resp: int = OKAY) -> tuple[bool, int]:
    """Offers a wide beat for a cycle: is it taken, and with what strobe?"""
    header = flits.pack("wide", {"kind": kind, "tag": tag, "left": left, "resp": resp, "src_x": 1})
    values = {"wide_valid_i": 1, "wide_hdr_i": header}

    def see() -> tuple[bool, int]:
        is_taken = bool(dut.wide_ready_o.value)
        # The memory takes whatever it is offered, and must not see a beat that waits.
        assert (dut.mem_aw_valid_o.value, dut.mem_w_valid_o.value) == (is_taken, is_taken)
        return is_taken, int(dut.mem_w_strb_o.value)

    return await cycle(dut, values, see)


async def memory_responds(dut, resp: int) -> Mapping[str, int] | None:
    """The memory responds to a wide beat: the response sent in that cycle, if any."""
    values = {"mem_b_valid_i": 1, "mem_b_resp_i": resp}

    def see() -> Mapping[str, int] | None:
        assert dut.mem_b_ready_o.value == 1
        return response(int(dut.wide_response_o.value)) if dut.wide_response_valid_o.value else None

    return await cycle(dut, values, see)


async def request(dut, **fields: int) -> Mapping[str, int]:
    """Offers a narrow request for a cycle: is it taken, and does it reach the memory?"""
    values = {"req_valid_i": 1, "req_hdr_i": flits.pack("req", fields)}

    def see() -> Mapping[str, int]:
        return {
            "taken": int(dut.req_ready_o.value),
            "writes": int(dut.reg_aw_valid_o.value) & int(dut.reg_w_valid_o.value),
            "reads": int(dut.reg_ar_valid_o.value),
            "strobe": int(dut.reg_w_strb_o.value),
        }

    return await cycle(dut, values, see)


async def registers_respond(dut, resp: int) -> Mapping[str, int] | None:
    """The memory responds to a narrow write."""
    values = {"reg_b_valid_i": 1, "reg_b_resp_i": resp}

    def see() -> Mapping[str, int] | None:
        assert dut.reg_b_ready_o.value == 1
        return (
            response(int(dut.narrow_response_o.value))
            if dut.narrow_response_valid_o.value
            else None
        )

    return await cycle(dut, values, see)


async def contribution(dut, tag: int, base: int, mask: int, count: int) -> Mapping[str, int]:
    """A contribution to a barrier of a set in one row."""
    return await request(dut, kind=BARRIER, tag=tag, base_x=base, mask_x=mask, count=count)
