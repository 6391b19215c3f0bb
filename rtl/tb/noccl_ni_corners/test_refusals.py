# SPDX-License-Identifier: Apache-2.0
"""What the AXI ports of the network interface serve and refuse, at both sides of each limit.

Each clause that refuses something has a fault in `tools/rtl_guards.py` that a test here notices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

import rtl_guards
from common import handshake, runner
from common.ni_tile import CLUSTER_BASE, COLUMN_BIT, JOIN, L1_BYTES, MULTICAST, ROW_BIT, UNICAST

SLVERR, DECERR = 2, 3
BUILD = runner.Build("noccl_ni_refusals_tb", package=rtl_guards.PADDED)
# Of no region; in the memory tiles' region.
UNMAPPED = 0x1000_0000
MEMORY_BASE = 0x7000_0000
# Behind all places of clusters.
REGION_BYTES = 4 * COLUMN_BIT
RESERVED = 3
OUTSIDE = 1 << 40

FIXED, INCR, WRAP, RESERVED_BURST = range(4)
LINE_SIZE, WORD_SIZE = 6, 3
# AXI5: AWATOP.
LOAD_ADD, LOAD_CLEAR, STORE_ADD = 0b100000, 0b100001, 0b010000
BIG_ENDIAN_ADD, SWAP, COMPARE = 0b101000, 0b110000, 0b110001

# LEN, SIZE and BURST of the wide port, and the response to what is refused.
BURSTS = (
    (0, LINE_SIZE, INCR, None),
    (15, LINE_SIZE, INCR, None),
    (16, LINE_SIZE, INCR, None),
    (63, LINE_SIZE, INCR, None),
    (64, LINE_SIZE, INCR, SLVERR),
    (127, LINE_SIZE, INCR, SLVERR),
    (255, LINE_SIZE, INCR, SLVERR),
    # AXI allows 256 beats of 16 bytes: they do not cross 4 KiB.
    (255, 4, INCR, SLVERR),
    (3, LINE_SIZE - 1, INCR, SLVERR),
    (3, LINE_SIZE + 1, INCR, SLVERR),
    (0, 0, INCR, SLVERR),
    (0, LINE_SIZE, FIXED, SLVERR),
    (15, LINE_SIZE, FIXED, SLVERR),
    (1, LINE_SIZE, WRAP, SLVERR),
    (15, LINE_SIZE, WRAP, SLVERR),
    (3, LINE_SIZE, RESERVED_BURST, SLVERR),
)
# Address, and the response: an unaligned one begins within a line, whose strobes say what counts.
PLACES = (
    (CLUSTER_BASE, None),
    (CLUSTER_BASE + 8, None),
    (CLUSTER_BASE + L1_BYTES - 64, None),
    (CLUSTER_BASE + L1_BYTES, DECERR),
    (UNMAPPED, DECERR),
)


def test_refusals() -> None:
    runner.run(BUILD, __file__)


async def start(dut) -> None:
    for port, names in (("write", ("aw_valid", "w_valid", "aw", "w_last")), ("decode", ("aw",))):
        for name in names:
            getattr(dut, f"{port}_{name}_i").value = 0
    for port in ("read", "word"):
        for name in ("ar_valid", "data_valid", "ar"):
            getattr(dut, f"{port}_{name}_i").value = 0
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)


async def cycle(dut, values: Mapping[str, int], see: Callable[[], list[int]]) -> list[int]:
    """A cycle with these inputs, after which nothing is offered; what is seen in it."""
    for name, value in values.items():
        getattr(dut, name).value = value
    await FallingEdge(dut.clk_i)
    seen = see()
    await RisingEdge(dut.clk_i)
    for name in values:
        if name.endswith("valid_i"):
            getattr(dut, name).value = 0
    return seen


def packed(*fields: tuple[int, int]) -> int:
    """Fields with their bits as a number, the highest first."""
    value = 0
    for field, bits in fields:
        value = value << bits | field
    return value


def awuser(opcode: int, mask: int) -> tuple[int, int]:
    return (((opcode << 48 | mask) << 6) << 3) << 4, 63


# ------------------------------------------------------------ wide port


async def written(dut, address: int, burst: tuple[int, int, int], opcode: int, mask: int) -> tuple:
    """Offers a burst beat by beat: how many beats leave, and the responses to what was refused."""
    length, size, kind = burst
    fields = [(0, 3), (address, 48), (length, 8), (size, 3), (kind, 2), (0, 1)]
    dut.write_aw_i.value = packed(*fields, awuser(opcode, mask))
    beats, responses = 0, []
    for left in range(length + 3, -1, -1):
        # Two cycles are left for the response.
        dut.write_aw_valid_i.value = left == length + 3
        dut.write_w_valid_i.value = left >= 3
        dut.write_w_last_i.value = left == 3
        await FallingEdge(dut.clk_i)
        assert dut.write_aw_ready_o.value == (left == length + 3 or left < 3), (burst, left)
        assert dut.write_w_ready_o.value == (left >= 3), (burst, left)
        beats += int(dut.write_beat_valid_o.value)
        if dut.write_refused_valid_o.value:
            responses.append(int(dut.write_refused_resp_o.value))
        await RisingEdge(dut.clk_i)
    return beats, responses


@cocotb.test()
async def a_wide_write_is_served_up_to_64_incrementing_lines(dut) -> None:
    await start(dut)
    cases = [(CLUSTER_BASE, burst, UNICAST, 0, resp) for *burst, resp in BURSTS]
    one = (0, LINE_SIZE, INCR)
    cases += [(address, one, UNICAST, 0, resp) for address, resp in PLACES]
    cases += [(UNMAPPED, (255, LINE_SIZE, INCR), UNICAST, 0, DECERR)]
    cases += [(CLUSTER_BASE, one, UNICAST, ROW_BIT, DECERR)]
    for opcode in (MULTICAST, JOIN):
        cases += [(CLUSTER_BASE, one, opcode, ROW_BIT, None)]
        cases += [(CLUSTER_BASE, one, opcode, OUTSIDE, DECERR)]
        cases += [(CLUSTER_BASE, (64, LINE_SIZE, INCR), opcode, ROW_BIT, SLVERR)]
    for address, burst, opcode, mask, resp in cases:
        beats = burst[0] + 1
        expected = (beats, []) if resp is None else (0, [resp])
        case = (hex(address), burst, opcode, mask)
        assert await written(dut, address, tuple(burst), opcode, mask) == expected, case


# ------------------------------------------------------------ reads


async def read(dut, port: str, ar: int) -> list[int] | None:
    """Codes of a refused read's beats; nothing if it is served."""

    async def seen(values: Mapping[str, int], *names: str) -> list[int]:
        return await cycle(
            dut, values, lambda: [int(getattr(dut, f"{port}_{name}_o").value) for name in names]
        )

    asked = {f"{port}_ar_valid_i": 1, f"{port}_ar_i": ar}
    is_taken, is_served = await seen(asked, "ar_ready", "req_valid")
    assert is_taken
    if is_served:
        assert await seen({f"{port}_data_valid_i": 1}, "r_valid", "r_last") == [1, 1]
        return None
    codes, is_last = [], 0
    while not is_last:
        is_valid, is_last, code = await seen({}, "r_valid", "r_last", "r_resp")
        assert is_valid, "a refused read has as many beats as it asked for"
        codes.append(code)
    return codes


@cocotb.test()
async def a_wide_read_is_served_up_to_64_incrementing_lines(dut) -> None:
    await start(dut)
    cases = [(CLUSTER_BASE, burst, resp) for *burst, resp in BURSTS]
    cases += [(address, [0, LINE_SIZE, INCR], resp) for address, resp in PLACES]
    cases += [(UNMAPPED, [255, LINE_SIZE, INCR], DECERR)]
    for address, (length, size, kind), resp in cases:
        ar = packed((0, 5), (address, 48), (length, 8), (size, 3), (kind, 2))
        expected = None if resp is None else [resp] * (length + 1)
        assert await read(dut, "read", ar) == expected, (hex(address), length, size, kind)


@cocotb.test()
async def a_narrow_read_is_served_of_one_beat(dut) -> None:
    await start(dut)
    cases = [(CLUSTER_BASE, length, SLVERR if length else None) for length in (0, 1, 15, 255)]
    cases += [(address, 0, resp) for address, resp in PLACES]
    cases += [(UNMAPPED, 1, DECERR)]
    # A beat has no next address, and each size has its bytes: neither kind nor size is looked at.
    for address, length, resp in cases:
        for size, kind in ((WORD_SIZE, INCR), (0, INCR), (WORD_SIZE, FIXED), (WORD_SIZE, WRAP)):
            ar = packed((0, 3), (address, 48), (length, 8), (size, 3), (kind, 2))
            expected = None if resp is None else [resp] * (length + 1)
            assert await read(dut, "word", ar) == expected, (hex(address), length, size, kind)


# ------------------------------------------------------------ narrow writes, addresses


async def decoded(dut, address: int, opcode: int = UNICAST, mask: int = 0, **more: int):
    """The response to a narrow write if it is refused."""
    fields = [(0, 3), (address, 48), (more.get("length", 0), 8), (more.get("size", WORD_SIZE), 3)]
    fields += [(more.get("kind", INCR), 2), (more.get("atop", 0), 6), awuser(opcode, mask)]
    is_error, resp = await cycle(
        dut,
        {"decode_aw_i": packed(*fields)},
        lambda: [int(dut.decode_is_error_o.value), int(dut.decode_resp_o.value)],
    )
    return resp if is_error else None


@cocotb.test()
async def a_narrow_write_is_served_of_one_beat_and_as_one_kind_of_atomic(dut) -> None:
    await start(dut)
    for atop in (0, LOAD_ADD):
        for length, expected in ((0, None), (1, SLVERR), (15, SLVERR), (255, SLVERR)):
            assert await decoded(dut, CLUSTER_BASE, atop=atop, length=length) == expected
        for more in ({"size": 0}, {"size": 2}, {"kind": FIXED}, {"kind": WRAP}):
            assert await decoded(dut, CLUSTER_BASE + 4, atop=atop, **more) is None
    for atop in (LOAD_CLEAR, STORE_ADD, BIG_ENDIAN_ADD, SWAP, COMPARE):
        assert await decoded(dut, CLUSTER_BASE, atop=atop) == SLVERR
        assert await decoded(dut, UNMAPPED, atop=atop) == DECERR
    for opcode in (MULTICAST, JOIN):
        assert await decoded(dut, CLUSTER_BASE, opcode, ROW_BIT) is None
        assert await decoded(dut, CLUSTER_BASE, opcode, ROW_BIT, atop=LOAD_ADD) == SLVERR
        assert await decoded(dut, CLUSTER_BASE, opcode, ROW_BIT, length=1) == SLVERR


@cocotb.test()
async def an_address_is_served_up_to_the_edges_of_its_region(dut) -> None:
    await start(dut)
    for atop in (0, LOAD_ADD):
        for column, row in ((0, 0), (2, 0), (0, 2), (2, 2), (3, 0), (0, 3), (3, 3)):
            tile = CLUSTER_BASE + column * COLUMN_BIT + row * ROW_BIT
            expected = DECERR if 3 in (column, row) else None
            assert await decoded(dut, tile, atop=atop) == expected
            assert await decoded(dut, tile + L1_BYTES - 8, atop=atop) == expected
            assert await decoded(dut, tile + L1_BYTES, atop=atop) == DECERR
        for address, expected in (
            (CLUSTER_BASE - 8, DECERR),
            (CLUSTER_BASE + REGION_BYTES, DECERR),
            (CLUSTER_BASE | OUTSIDE, DECERR),
            (UNMAPPED, DECERR),
            (MEMORY_BASE, None),
            (MEMORY_BASE + (3 << 20) - 8, None),
            (MEMORY_BASE + (3 << 20), DECERR),
            (MEMORY_BASE - 8, DECERR),
        ):
            assert await decoded(dut, address, atop=atop) == expected, hex(address)
        for mask in (1, ROW_BIT, COLUMN_BIT, OUTSIDE):
            assert await decoded(dut, CLUSTER_BASE, UNICAST, mask, atop=atop) == DECERR


@cocotb.test()
async def a_set_is_served_if_all_its_members_are_there(dut) -> None:
    await start(dut)
    for bit in (ROW_BIT, COLUMN_BIT):
        for base, mask, expected in (
            (0, 0, None),
            (0, bit, None),
            (0, 2 * bit, None),
            # Members 2 and 3, 1 and 3; all four.
            (2 * bit, bit, DECERR),
            (bit, 2 * bit, DECERR),
            (0, 3 * bit, DECERR),
            # Bits of the offset, of the region's base.
            (0, bit | 1, DECERR),
            (0, ROW_BIT >> 1, DECERR),
            (0, REGION_BYTES, DECERR),
            (0, OUTSIDE, DECERR),
        ):
            assert await decoded(dut, CLUSTER_BASE + base, MULTICAST, mask) == expected, (
                base,
                mask,
            )
    # A group stands around the tile, which is the first of the region, and has its root anywhere.
    for root, mask, expected in (
        (CLUSTER_BASE, 0, None),
        (CLUSTER_BASE + 2 * COLUMN_BIT, 2 * ROW_BIT | COLUMN_BIT, None),
        (MEMORY_BASE, ROW_BIT, None),
        (CLUSTER_BASE, 3 * ROW_BIT, DECERR),
        (CLUSTER_BASE, 3 * COLUMN_BIT, DECERR),
        (CLUSTER_BASE, ROW_BIT | 1, DECERR),
        (CLUSTER_BASE, OUTSIDE, DECERR),
        (CLUSTER_BASE + 3 * ROW_BIT, ROW_BIT, DECERR),
        (UNMAPPED, ROW_BIT, DECERR),
    ):
        assert await decoded(dut, root, JOIN, mask) == expected, (hex(root), mask)
    # Clusters alone have multicasts; the fourth opcode means nothing.
    assert await decoded(dut, MEMORY_BASE, MULTICAST, 0) == DECERR
    assert await decoded(dut, CLUSTER_BASE + 3 * ROW_BIT, MULTICAST, 0) == DECERR
    assert await decoded(dut, CLUSTER_BASE, RESERVED, 0) == DECERR
    assert await decoded(dut, CLUSTER_BASE, RESERVED, ROW_BIT) == DECERR
