# SPDX-License-Identifier: Apache-2.0
"""Properties of the network interface against independent AXI managers and memories.

The bench leads every plane back to the tile, so it is initiator and target of all it does: what was
written is in its memory, what is read is what was written, every transaction gets one response,
errors as docs/errors.md says. A protocol checker watches every port.
"""

from __future__ import annotations

import itertools
import random

import cocotb
from cocotb.triggers import with_timeout

from common import axi, count, runner
from common.cases import cases
from common.ni_tile import (
    CLUSTER_BASE,
    COLUMN_BIT,
    JOIN,
    L1_BYTES,
    MULTICAST,
    ROW_BIT,
    TIMEOUT_NS,
    UNICAST,
    flits,
    settle,
    start,
    user,
)
from common.pauses import KINDS


def test_properties_hold() -> None:
    runner.run(runner.Build("noccl_ni_tb"), __file__)


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
@cocotb.parametrize(back_pressure=KINDS)
async def what_is_written_can_be_read(dut, back_pressure: str) -> None:
    tile = await start(dut, back_pressure)
    rng = random.Random(cocotb.RANDOM_SEED + 1)
    image = bytearray(L1_BYTES)
    for _ in range(cases(8, 20)):
        num_bytes = rng.choice([1, 63, 64, 65, 1000, 4096])
        at = rng.randrange(L1_BYTES - num_bytes)
        data = rng.randbytes(num_bytes)
        response = await tile.wide_write.write(CLUSTER_BASE + at, data, user=user())
        assert response.resp == axi.Resp.OKAY
        image[at : at + num_bytes] = data
        again = await tile.wide_read.read(CLUSTER_BASE + at, num_bytes)
        assert again.data == data
        assert again.resp == axi.Resp.OKAY
        count.add(2)
    assert bytes(tile.memory[0:L1_BYTES]) == bytes(image)


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
@cocotb.parametrize(back_pressure=KINDS)
async def transactions_of_many_ids_all_get_responses(dut, back_pressure: str) -> None:
    tile = await start(dut, back_pressure)
    rng = random.Random(cocotb.RANDOM_SEED + 2)
    # Places of their own, so that order between ids does not matter.
    places = list(range(0, L1_BYTES, cases(3, 1) * 4096))
    data = {at: rng.randbytes(rng.choice([64, 640, 4096])) for at in places}
    writes = [
        tile.wide_write.init_write(CLUSTER_BASE + at, bytes_, awid=i % 8, user=user())
        for i, (at, bytes_) in enumerate(data.items())
    ]
    narrow = [
        tile.narrow_write.init_write(CLUSTER_BASE + 8 * i, bytes([i] * 8), awid=i % 8, size=3)
        for i in range(40)
    ]
    for event in itertools.chain(writes, narrow):
        await event.wait()
        assert event.data.resp == axi.Resp.OKAY
    reads = [
        tile.wide_read.init_read(CLUSTER_BASE + at, len(bytes_), arid=i % 32)
        for i, (at, bytes_) in enumerate(data.items())
    ]
    narrow_reads = [
        tile.narrow_read.init_read(CLUSTER_BASE + 8 * i, 8, arid=i % 8, size=3) for i in range(40)
    ]
    for event, expected in zip(reads, data.values(), strict=True):
        await event.wait()
        assert event.data.data == expected
    for i, event in enumerate(narrow_reads):
        await event.wait()
        assert event.data.data == bytes([i] * 8)
    count.add(len(writes) + len(narrow) + len(reads) + len(narrow_reads))


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def a_beat_costs_one_flit_and_a_burst_one_response(dut) -> None:
    tile = await start(dut)
    before = flits(dut)
    await tile.wide_write.write(CLUSTER_BASE, bytes(64 * 64), user=user())
    await settle(dut)
    assert [b - a for a, b in zip(before, flits(dut), strict=True)] == [64, 0, 1]


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
@cocotb.parametrize(back_pressure=KINDS)
async def a_multicast_completes_when_all_members_have_responded(dut, back_pressure: str) -> None:
    tile = await start(dut, back_pressure)
    data = random.Random(3).randbytes(1024)
    # Two members: this tile by its own port, and another one, whose part the bench lets it play.
    response = await tile.wide_write.write(CLUSTER_BASE + 256, data, user=user(MULTICAST, ROW_BIT))
    assert response.resp == axi.Resp.OKAY
    assert bytes(tile.memory[256 : 256 + 1024]) == data
    # Alone in its set: nothing enters the network.
    await settle(dut)
    before = flits(dut)
    response = await tile.wide_write.write(CLUSTER_BASE + 4096, data, user=user(MULTICAST))
    assert response.resp == axi.Resp.OKAY
    assert flits(dut) == before
    assert bytes(tile.memory[4096 : 4096 + 1024]) == data
    word = bytes(range(8))
    response = await tile.narrow_write.write(
        CLUSTER_BASE + 64, word, size=3, user=user(MULTICAST, COLUMN_BIT)
    )
    assert response.resp == axi.Resp.OKAY
    assert bytes(tile.registers[64:72]) == word


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
@cocotb.parametrize(back_pressure=KINDS)
async def contributions_get_responses_under_their_tag(dut, back_pressure: str) -> None:
    tile = await start(dut, back_pressure)
    data = random.Random(4).randbytes(640)
    # A group of one: the contribution is the sum.
    events = [
        tile.wide_write.init_write(
            CLUSTER_BASE + 1024 * tag, data, awid=tag, user=user(JOIN, tag=40 + tag)
        )
        for tag in range(6)
    ]
    barriers = [
        tile.narrow_write.init_write(
            CLUSTER_BASE + 8 * tag, bytes([1] * 8), awid=tag, size=3, user=user(JOIN, tag=10 + tag)
        )
        for tag in range(6)
    ]
    for event in itertools.chain(events, barriers):
        await event.wait()
        assert event.data.resp == axi.Resp.OKAY
    for tag in range(6):
        assert bytes(tile.memory[1024 * tag : 1024 * tag + 640]) == data
        assert bytes(tile.registers[8 * tag : 8 * tag + 8]) == bytes([1] * 8)
    count.add(len(events) + len(barriers))


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
@cocotb.parametrize(back_pressure=KINDS)
async def what_no_tile_serves_gets_an_error_response_here(dut, back_pressure: str) -> None:
    tile = await start(dut, back_pressure)
    before = flits(dut)
    unmapped = 0x1000_0000
    beyond_memory = CLUSTER_BASE + L1_BYTES
    for address in (unmapped, beyond_memory):
        response = await tile.wide_write.write(address, bytes(640), user=user())
        assert response.resp == axi.Resp.DECERR
        response = await tile.wide_read.read(address, 640)
        assert response.resp == axi.Resp.DECERR
        assert response.data == bytes(640)
        response = await tile.narrow_write.write(address, bytes(8), size=3, user=user())
        assert response.resp == axi.Resp.DECERR
        response = await tile.narrow_read.read(address, 8, size=3)
        assert response.resp == axi.Resp.DECERR
    # Bursts of words are refused as a whole, each with as many beats of data as it asked for.
    tile.narrow_write.max_burst_len = tile.narrow_read.max_burst_len = 16
    for address, resp in ((unmapped, axi.Resp.DECERR), (CLUSTER_BASE, axi.Resp.SLVERR)):
        response = await tile.narrow_write.write(address, bytes(40), size=3, user=user())
        assert response.resp == resp
        response = await tile.narrow_read.read(address, 72, size=3)
        assert response.resp == resp
        assert response.data == bytes(72)
    # A mask that names no cluster, a mask on a unicast, a set on the memory tiles.
    for awuser, address in (
        (user(MULTICAST, 1 << 40), CLUSTER_BASE),
        (user(UNICAST, ROW_BIT), CLUSTER_BASE),
        (user(MULTICAST, ROW_BIT), 0x7000_0000),
    ):
        response = await tile.wide_write.write(address, bytes(64), user=awuser)
        assert response.resp == axi.Resp.DECERR
    # Half lines are not served.
    response = await tile.wide_write.write(CLUSTER_BASE, bytes(64), size=5, user=user())
    assert response.resp == axi.Resp.SLVERR
    assert flits(dut) == before, "refused transactions stay out of the network"


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def contributions_without_a_place_are_refused(dut) -> None:
    tile = await start(dut)
    before = flits(dut)
    unmapped = 0x1000_0000
    # The root has no place; a member has none: the mask names what is no coordinate of a cluster.
    for address, mask in ((unmapped, 0), (unmapped, ROW_BIT), (CLUSTER_BASE, 1 << 40)):
        awuser = user(JOIN, mask, tag=5)
        response = await tile.wide_write.write(address, bytes(640), user=awuser)
        assert response.resp == axi.Resp.DECERR
        response = await tile.narrow_write.write(address, bytes(8), size=3, user=awuser)
        assert response.resp == axi.Resp.DECERR
    assert flits(dut) == before, "nobody waits for contributions"


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def served_and_refused_mix(dut) -> None:
    tile = await start(dut, "often")
    rng = random.Random(cocotb.RANDOM_SEED + 5)
    events = []
    for i in range(cases(25, 60)):
        is_mapped = rng.random() < 0.5
        base = CLUSTER_BASE if is_mapped else 0x1000_0000
        data = rng.randbytes(rng.choice([64, 192]))
        write = tile.wide_write.init_write(base + 256 * i, data, awid=i % 8, user=user())
        read = tile.wide_read.init_read(base + 256 * i, 128, arid=i % 32)
        word = tile.narrow_write.init_write(base + 8 * i, data[:8], awid=i % 8, size=3)
        events += [(event, is_mapped) for event in (write, read, word)]
    for event, is_mapped in events:
        await with_timeout(event.wait(), TIMEOUT_NS, "ns")
        assert event.data.resp == (axi.Resp.OKAY if is_mapped else axi.Resp.DECERR)
    count.add(len(events))
