# SPDX-License-Identifier: Apache-2.0
"""Which transfers the registers of the DMA engine start and which they refuse, at each limit."""

from __future__ import annotations

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from common import handshake, runner

BUILD = runner.Build("noccl_dma_registers")
OWN, REMOTE = 0x2000_0000, 0x2004_0000
SRC, DST, BYTES, ROWS, SRC_STRIDE, DST_STRIDE, KIND, MASK, START, OPEN, ERROR = range(11)
REFUSED = 2**64 - 1
# Of the queue in front of the channels; of the status register.
PLACES, IDS = 2, 16


def test_refusals() -> None:
    runner.run(BUILD, __file__)


async def access(dut, register: int, value: int | None = None, **more: int) -> int:
    """A register is read or written, with other inputs in that cycle."""
    dut.access_i.value = 1
    dut.is_write_i.value = value is not None
    dut.register_i.value = register
    dut.write_i.value = value or 0
    for name, level in more.items():
        getattr(dut, name).value = level
    await FallingEdge(dut.clk_i)
    found = int(dut.read_o.value)
    await RisingEdge(dut.clk_i)
    dut.access_i.value = 0
    for name in more:
        getattr(dut, name).value = 0
    return found


async def started(dut, num_bytes: int = 64, rows: int = 1) -> None:
    """Resets, and describes a transfer; nobody takes one."""
    for name in ("access_i", "is_write_i", "register_i", "write_i", "transfer_ready_i"):
        getattr(dut, name).value = 0
    dut.done_i.value = dut.done_has_error_i.value = 0
    dut.l1_base_i.value = OWN
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)
    for register, value in ((SRC, OWN), (DST, REMOTE), (BYTES, num_bytes), (ROWS, rows)):
        await access(dut, register, value)


async def is_offered(dut) -> bool:
    """A transfer waits for a channel."""
    await FallingEdge(dut.clk_i)
    return bool(dut.transfer_valid_o.value)


@cocotb.test()
async def what_is_no_transfer_does_not_start(dut) -> None:
    await started(dut)
    for num_bytes, rows in ((0, 1), (1, 0), (0, 0), (1 << 32, 1), (1, 1 << 16)):
        await access(dut, BYTES, num_bytes)
        await access(dut, ROWS, rows)
        assert await access(dut, START) == REFUSED, (num_bytes, rows)
        assert await access(dut, OPEN) == 0
        assert not await is_offered(dut)
        await RisingEdge(dut.clk_i)
    # The least, and the most that the registers hold.
    for number, (num_bytes, rows) in enumerate(((1, 1), (2**32 - 1, 2**16 - 1))):
        await access(dut, BYTES, num_bytes)
        await access(dut, ROWS, rows)
        assert await access(dut, START) == number
        assert await access(dut, OPEN) == 2 ** (number + 1) - 1
        assert await is_offered(dut)
        await RisingEdge(dut.clk_i)


@cocotb.test()
async def a_transfer_does_not_start_while_the_queue_is_full(dut) -> None:
    await started(dut)
    for number in range(PLACES):
        assert await access(dut, START) == number
    for _ in range(3):
        assert await access(dut, START) == REFUSED
        assert await access(dut, OPEN) == 2**PLACES - 1
    # A channel takes one: another one starts, and no more.
    await access(dut, OPEN, transfer_ready_i=1)
    assert await access(dut, START) == PLACES
    assert await access(dut, START) == REFUSED
    assert await access(dut, OPEN) == 2 ** (PLACES + 1) - 1


@cocotb.test()
async def no_transfer_starts_under_an_id_that_is_open(dut) -> None:
    await started(dut)
    for number in range(IDS):
        assert await access(dut, START) == number
        await access(dut, OPEN, transfer_ready_i=1)
    assert await access(dut, START) == REFUSED
    # Ids are given in order: that of a later transfer does not help.
    await access(dut, OPEN, done_i=0b10)
    assert await access(dut, START) == REFUSED
    assert await access(dut, OPEN) == 2**IDS - 1 - 0b10
    await access(dut, OPEN, done_i=0b01, done_has_error_i=0b01)
    assert await access(dut, ERROR) == 0b01
    for number in range(2):
        assert await access(dut, START) == number
        await access(dut, OPEN, transfer_ready_i=1)
    assert await access(dut, ERROR) == 0
    assert await access(dut, START) == REFUSED
