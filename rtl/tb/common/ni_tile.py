# SPDX-License-Identifier: Apache-2.0
"""Bench of the network interface: a tile whose planes lead back to it, AXI models at its ports."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from common import axi, handshake
from common.pauses import pauses

# The south-west cluster of collective_noc_4x4 and its neighbours' address bits.
CLUSTER_BASE = 0x2000_0000
L1_BYTES = 0x2_0000
STRIDE = 0x4_0000
ROW_BIT = STRIDE
COLUMN_BIT = 4 * STRIDE

UNICAST, MULTICAST, JOIN = 0, 1, 2
TIMEOUT_NS = 400_000


def user(opcode: int = UNICAST, mask: int = 0, tag: int = 0) -> int:
    """AWUSER: opcode, mask, tag, operator, element from the top."""
    return (((opcode << 48 | mask) << 6 | tag) << 3) << 4


@dataclass
class Tile:
    """The interface, its bus models and the memory behind it."""

    wide_write: axi.ManagerWrite
    wide_read: axi.ManagerRead
    narrow_write: axi.ManagerWrite
    narrow_read: axi.ManagerRead | None
    memory: bytearray
    registers: bytearray


async def start(dut, back_pressure: str = "never", *, serves_atomics: bool = False) -> Tile:
    """Resets, with models at all ports; with atomics, R and registers are left to the test.

    The bus models know no atomics: R without AR, and a memory that adds.
    """
    rng = random.Random(cocotb.RANDOM_SEED)
    dut.hold_i.value = 0
    dut.s_narrow_awatop.value = 0
    cocotb.start_soon(hold_planes(dut, back_pressure, rng))
    memory, registers = bytearray(1 << 20), bytearray(1 << 20)

    def port(kind, bus, prefix: str, **more):
        made = kind(bus.from_prefix(dut, prefix), dut.clk_i, dut.rst_ni, False, **more)
        for name in ("aw_channel", "w_channel", "b_channel", "ar_channel", "r_channel"):
            channel = getattr(made, name, None)
            if channel is not None and back_pressure != "never":
                channel.set_pause_generator(pauses(back_pressure, random.Random(rng.random())))
        return made

    tile = Tile(
        port(axi.ManagerWrite, axi.WriteBus, "s_wide", max_burst_len=64),
        port(axi.ManagerRead, axi.ReadBus, "s_wide", max_burst_len=64),
        port(axi.ManagerWrite, axi.WriteBus, "s_narrow", max_burst_len=1),
        None if serves_atomics else port(axi.ManagerRead, axi.ReadBus, "s_narrow", max_burst_len=1),
        memory,
        registers,
    )
    port(axi.MemoryWrite, axi.WriteBus, "m_mem", mem=memory)
    port(axi.MemoryRead, axi.ReadBus, "m_mem", mem=memory)
    port(axi.MemoryWrite, axi.WriteBus, "m_own", mem=memory)
    if not serves_atomics:
        port(axi.MemoryWrite, axi.WriteBus, "m_reg", mem=registers)
        port(axi.MemoryRead, axi.ReadBus, "m_reg", mem=registers)
    port(axi.MemoryWrite, axi.WriteBus, "m_ownreg", mem=registers)
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)
    return tile


async def hold_planes(dut, kind: str, rng: random.Random) -> None:
    """Lets the planes stand still now and then."""
    planes: list[Iterator[bool]] = [pauses(kind, random.Random(rng.random())) for _ in range(3)]
    while True:
        dut.hold_i.value = sum(next(plane) << i for i, plane in enumerate(planes))
        await RisingEdge(dut.clk_i)


def flits(dut) -> list[int]:
    value = int(dut.num_flits_o.value)
    return [value >> 32 * i & 0xFFFF_FFFF for i in range(3)]


async def settle(dut) -> None:
    await ClockCycles(dut.clk_i, 20)
