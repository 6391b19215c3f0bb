# SPDX-License-Identifier: Apache-2.0
"""Properties of the DMA engine, behind a real network interface: bytes arrive where they should.

The bench leads the network back to the tile, so that own and remote places are the same memory, and
a plain copy of bytes in Python says what it has to hold afterwards.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from common import count, handshake, runner
from common.cases import cases
from common.pauses import KINDS, pauses

OWN = 0x2000_0000
# The tile's neighbour to the north: remote by its address.
REMOTE = OWN + 0x4_0000
UNMAPPED = 0x1000_0000
ROW_BIT = 0x4_0000
PAGE_BYTES = 4096
L1_BYTES = 0x2_0000
SRC, DST, BYTES, ROWS, SRC_STRIDE, DST_STRIDE, KIND, MASK, START, OPEN, ERROR = range(11)
UNICAST, MULTICAST, JOIN = 0, 1, 2
TIMEOUT_NS = 2_000_000


def test_properties_hold() -> None:
    runner.run(runner.Build("noccl_dma_tb"), __file__)


@dataclass(frozen=True)
class Transfer:
    """What to move; strides only matter for more than one row."""

    src: int
    dst: int
    num_bytes: int
    rows: int = 1
    src_stride: int = 0
    dst_stride: int = 0
    opcode: int = UNICAST
    mask: int = 0
    tag: int = 0


class Engine:
    """The registers, and the access to L1."""

    def __init__(self, dut) -> None:
        self.dut = dut

    async def access(self, register: int, value: int | None = None) -> int:
        self.dut.access_i.value = 1
        self.dut.is_write_i.value = value is not None
        self.dut.register_i.value = register
        self.dut.write_i.value = value or 0
        await FallingEdge(self.dut.clk_i)
        found = int(self.dut.read_o.value)
        await RisingEdge(self.dut.clk_i)
        self.dut.access_i.value = 0
        return found

    async def start(self, transfer: Transfer) -> int:
        values = {
            SRC: transfer.src,
            DST: transfer.dst,
            BYTES: transfer.num_bytes,
            ROWS: transfer.rows,
            SRC_STRIDE: transfer.src_stride,
            DST_STRIDE: transfer.dst_stride,
            KIND: transfer.opcode | transfer.tag << 32,
            MASK: transfer.mask,
        }
        for register, value in values.items():
            await self.access(register, value)
        while (number := await self.access(START)) == 2**64 - 1:
            pass
        return number

    async def wait(self) -> int:
        """Waits until all transfers are over; returns those that ended with an error."""
        while await self.access(OPEN):
            pass
        return await self.access(ERROR)

    async def fill(self, image: bytes) -> None:
        for line in range(len(image) // 64):
            self.dut.host_write_i.value = 1
            self.dut.host_line_i.value = line
            self.dut.host_data_i.value = int.from_bytes(image[64 * line : 64 * line + 64], "little")
            await RisingEdge(self.dut.clk_i)
        self.dut.host_write_i.value = 0

    async def image(self, num_bytes: int) -> bytes:
        found = bytearray()
        for line in range(num_bytes // 64):
            self.dut.host_line_i.value = line
            await FallingEdge(self.dut.clk_i)
            found += int(self.dut.host_data_o.value).to_bytes(64, "little")
            await RisingEdge(self.dut.clk_i)
        return bytes(found)


async def started(dut, back_pressure: str = "never") -> Engine:
    for signal in (dut.hold_i, dut.access_i, dut.is_write_i, dut.register_i, dut.write_i):
        signal.value = 0
    for signal in (dut.host_write_i, dut.host_line_i, dut.host_data_i, dut.mark_valid_i):
        signal.value = 0
    for signal in (dut.core_aw_valid_i, dut.core_w_valid_i, dut.core_ar_valid_i):
        signal.value = 0
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)
    cocotb.start_soon(hold(dut, back_pressure))
    return Engine(dut)


async def hold(dut, kind: str) -> None:
    rng = random.Random(cocotb.RANDOM_SEED)
    held = [pauses(kind, random.Random(rng.random())) for _ in range(4)]
    while True:
        dut.hold_i.value = sum(next(which) << i for i, which in enumerate(held))
        await RisingEdge(dut.clk_i)


def copied(image: bytearray, transfer: Transfer) -> None:
    """What a transfer does to the memory; source and destination do not overlap."""
    src, dst = (address & (L1_BYTES - 1) for address in (transfer.src, transfer.dst))
    for _ in range(transfer.rows):
        image[dst : dst + transfer.num_bytes] = image[src : src + transfer.num_bytes]
        src += transfer.src_stride
        dst += transfer.dst_stride


def random_transfer(rng: random.Random, place: int, size: int) -> Transfer:
    """A transfer inside `size` bytes from `place`: source in the lower half, destination above."""
    rows = rng.choice([1, 1, 1, 2, 5])
    longest = size // 2 // rows
    num_bytes = min(rng.choice([1, 7, 64, 65, 200, 1000, 5000]), longest - 64)
    stride = num_bytes + rng.choice([0, 1, 13, 64])
    stride = min(stride, longest)
    lower = place + rng.randrange(64)
    upper = place + size // 2 + rng.randrange(64)
    src = rng.choice([OWN, REMOTE]) + lower
    opcode, mask, dst = rng.choice(
        [(UNICAST, 0, OWN), (UNICAST, 0, REMOTE), (MULTICAST, ROW_BIT, OWN), (JOIN, 0, OWN)]
    )
    if opcode == JOIN:
        # A group of one, whose root has to be this tile; whole lines, a tag for each burst.
        return Transfer(src & ~63, (dst + upper) & ~63, 640, opcode=JOIN, tag=rng.randrange(64))
    return Transfer(src, dst + upper, num_bytes, rows, stride, stride, opcode, mask)


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
@cocotb.parametrize(back_pressure=KINDS)
async def every_transfer_moves_its_bytes_and_no_others(dut, back_pressure: str) -> None:
    engine = await started(dut, back_pressure)
    rng = random.Random(cocotb.RANDOM_SEED + 1)
    size = 16 * 1024
    image = bytearray(rng.randbytes(size))
    await engine.fill(image)
    for _ in range(cases(8, 25)):
        transfer = random_transfer(rng, 0, size)
        await engine.start(transfer)
        assert await engine.wait() == 0
        copied(image, transfer)
        assert await engine.image(size) == bytes(image), transfer
        count.add(1)


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def transfers_end_at_and_next_to_the_end_of_a_page(dut) -> None:
    engine = await started(dut)
    rng = random.Random(cocotb.RANDOM_SEED + 3)
    size = 5 * PAGE_BYTES
    image = bytearray(rng.randbytes(size))
    await engine.fill(image)
    for beyond in (-1, 0, 1):
        for src, dst in ((OWN, REMOTE), (REMOTE, OWN)):
            start = rng.randrange(PAGE_BYTES - 300, PAGE_BYTES)
            num_bytes = 2 * PAGE_BYTES - start + beyond
            transfer = Transfer(src + start, dst + start + 2 * PAGE_BYTES, num_bytes)
            await engine.start(transfer)
            assert await engine.wait() == 0, transfer
            copied(image, transfer)
            assert await engine.image(size) == bytes(image), transfer


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
@cocotb.parametrize(back_pressure=KINDS)
async def transfers_side_by_side_do_not_mix(dut, back_pressure: str) -> None:
    engine = await started(dut, back_pressure)
    rng = random.Random(cocotb.RANDOM_SEED + 2)
    size, num_transfers = 8 * 1024, cases(6, 12)
    image = bytearray(rng.randbytes(size * num_transfers))
    await engine.fill(image)
    for i in range(num_transfers):
        transfer = random_transfer(rng, i * size, size)
        if transfer.opcode == JOIN:
            transfer = Transfer(
                transfer.src, transfer.dst, transfer.num_bytes, opcode=JOIN, tag=4 * i
            )
        await engine.start(transfer)
        copied(image, transfer)
    assert await engine.wait() == 0
    assert await engine.image(len(image)) == bytes(image)
    count.add(num_transfers)


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def an_aligned_transfer_sends_a_beat_per_cycle(dut) -> None:
    engine = await started(dut)
    num_beats = 8 * 64
    await engine.start(Transfer(OWN, REMOTE + 64 * 1024, 64 * num_beats))
    before = int(dut.num_beats_o.value)
    for _ in range(20):
        await RisingEdge(dut.clk_i)
        if int(dut.num_beats_o.value) > before:
            break
    first = int(dut.num_beats_o.value)
    for _ in range(256):
        await RisingEdge(dut.clk_i)
    assert int(dut.num_beats_o.value) - first == 256


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def errors_are_told_by_id(dut) -> None:
    engine = await started(dut)
    good = await engine.start(Transfer(OWN, REMOTE + 4096, 256))
    bad_target = await engine.start(Transfer(OWN, UNMAPPED, 256))
    bad_source = await engine.start(Transfer(UNMAPPED, OWN + 8192, 256))
    assert await engine.wait() == 1 << bad_target | 1 << bad_source
    assert good not in (bad_target, bad_source)


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def what_is_no_transfer_does_not_start(dut) -> None:
    engine = await started(dut)
    for register, value in ((SRC, OWN), (DST, REMOTE), (BYTES, 0), (ROWS, 1)):
        await engine.access(register, value)
    assert await engine.access(START) == 2**64 - 1
    await engine.access(BYTES, 64)
    await engine.access(ROWS, 0)
    assert await engine.access(START) == 2**64 - 1
    assert await engine.access(OPEN) == 0
