# SPDX-License-Identifier: Apache-2.0
"""Atomics through the network interface: served ones add once, refused ones get whole responses.

The bus models know no atomics, so the manager's R and the memory behind the registers are written
out here.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge, with_timeout

from common import axi, count, runner
from common.cases import cases
from common.ni_tile import (
    CLUSTER_BASE,
    MULTICAST,
    ROW_BIT,
    STRIDE,
    TIMEOUT_NS,
    UNICAST,
    flits,
    settle,
    start,
    user,
)
from common.pauses import KINDS, pauses

LOAD_ADD, LOAD_CLEAR, SWAP, COMPARE, STORE_ADD = 0b100000, 0b100001, 0b110000, 0b110001, 0b010000
UNMAPPED = 0x1000_0000
MODULUS = 1 << 64
NUM_ATOMICS = cases(25, 60)
OKAY, SLVERR, DECERR = int(axi.Resp.OKAY), int(axi.Resp.SLVERR), int(axi.Resp.DECERR)


def test_atomics() -> None:
    runner.run(runner.Build("noccl_ni_tb"), __file__)


async def take(dut, channel: str, fields: tuple[str, ...], when: Iterator[bool]) -> dict[str, int]:
    """Takes one item of a channel; begins and ends right after a rising edge."""
    ready, valid = getattr(dut, f"{channel}ready"), getattr(dut, f"{channel}valid")
    while True:
        is_ready = not next(when)
        ready.value = is_ready
        await FallingEdge(dut.clk_i)
        item = None
        if is_ready and valid.value:
            item = {name: int(getattr(dut, f"{channel}{name}").value) for name in fields}
        await RisingEdge(dut.clk_i)
        if item is not None:
            ready.value = 0
            return item


async def give(dut, channel: str, values: dict[str, int], when: Iterator[bool]) -> None:
    """Offers one item until it is taken; begins and ends right after a rising edge."""
    ready, valid = getattr(dut, f"{channel}ready"), getattr(dut, f"{channel}valid")
    while next(when):
        await RisingEdge(dut.clk_i)
    valid.value = 1
    for name, value in values.items():
        getattr(dut, f"{channel}{name}").value = value
    is_taken = False
    while not is_taken:
        await FallingEdge(dut.clk_i)
        is_taken = bool(ready.value)
        await RisingEdge(dut.clk_i)
    valid.value = 0


async def serve(dut, words: dict[int, int], olds: dict[int, int], when: Iterator[bool]) -> None:
    """A memory that adds: `olds` tells per operand what was there before."""
    while True:
        data = cocotb.start_soon(take(dut, "m_reg_w", ("data", "strb"), when))
        address = await take(dut, "m_reg_aw", ("addr", "atop"), when)
        operand = await data
        assert address["atop"] == LOAD_ADD
        assert operand["strb"] == 0xFF
        at, addend = address["addr"], operand["data"]
        assert addend not in olds, "an atomic comes once"
        olds[addend] = words[at]
        words[at] = (words[at] + addend) % MODULUS
        response = cocotb.start_soon(give(dut, "m_reg_b", {"id": 0, "resp": OKAY}, when))
        value = {"id": 0, "data": olds[addend], "resp": OKAY, "last": 1}
        await give(dut, "m_reg_r", value, when)
        await response


async def collect(dut, beats: dict[int, list], when: Iterator[bool]) -> None:
    """Takes the manager's R, by id."""
    while True:
        beat = await take(dut, "s_narrow_r", ("id", "data", "resp", "last"), when)
        beats[beat["id"]].append((beat["data"], beat["resp"], beat["last"]))


async def begin(dut, back_pressure: str):
    """Bench, words of the memory, old values by operand, beats of R by id."""
    for name in ("s_narrow_arvalid", "s_narrow_rready", "m_reg_bvalid", "m_reg_rvalid"):
        getattr(dut, name).value = 0
    for name in ("m_reg_awready", "m_reg_wready", "m_reg_arready"):
        getattr(dut, name).value = 0
    tile = await start(dut, back_pressure, serves_atomics=True)
    rng = random.Random(cocotb.RANDOM_SEED + 3)
    words: dict[int, int] = defaultdict(int)
    olds: dict[int, int] = {}
    beats: dict[int, list] = defaultdict(list)
    cocotb.start_soon(serve(dut, words, olds, pauses(back_pressure, rng)))
    cocotb.start_soon(collect(dut, beats, pauses(back_pressure, random.Random(rng.random()))))
    return tile, words, olds, beats


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
@cocotb.parametrize(back_pressure=KINDS)
async def every_atomic_adds_once(dut, back_pressure: str) -> None:
    tile, words, olds, beats = await begin(dut, back_pressure)
    rng = random.Random(cocotb.RANDOM_SEED + 4)
    dut.s_narrow_awatop.value = LOAD_ADD
    expected: dict[int, list] = defaultdict(list)
    events = []
    for _ in range(NUM_ATOMICS):
        is_mapped, awid, addend = rng.random() < 0.7, rng.randrange(8), rng.getrandbits(64)
        address = (CLUSTER_BASE if is_mapped else UNMAPPED) + 8 * rng.randrange(3)
        event = tile.narrow_write.init_write(
            address, addend.to_bytes(8, "little"), awid=awid, size=3, user=user()
        )
        events.append((event, is_mapped))
        expected[awid].append((addend, is_mapped))
    for event, is_mapped in events:
        await with_timeout(event.wait(), TIMEOUT_NS, "ns")
        assert event.data.resp == (axi.Resp.OKAY if is_mapped else axi.Resp.DECERR)
    await settle(dut)
    for awid, atomics in expected.items():
        asked = [(olds[a], OKAY, 1) if is_mapped else (0, DECERR, 1) for a, is_mapped in atomics]
        assert beats[awid] == asked
    assert sum(words.values()) % MODULUS == sum(olds) % MODULUS
    count.add(len(events))


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
@cocotb.parametrize(back_pressure=("never", "often"))
async def refused_atomics_get_whole_responses(dut, back_pressure: str) -> None:
    tile, _, olds, beats = await begin(dut, back_pressure)
    tile.narrow_write.max_burst_len = 16
    before = flits(dut)
    # Kind, address, mask and opcode, words that are sent, words that come back, response.
    cases = [
        (LOAD_ADD, UNMAPPED, user(), 1, 1, DECERR),
        (LOAD_ADD, CLUSTER_BASE, user(UNICAST, ROW_BIT), 1, 1, DECERR),
        (LOAD_ADD, CLUSTER_BASE, user(MULTICAST), 1, 1, SLVERR),
        (LOAD_CLEAR, CLUSTER_BASE, user(), 1, 1, SLVERR),
        (SWAP, CLUSTER_BASE, user(), 4, 4, SLVERR),
        (COMPARE, CLUSTER_BASE + STRIDE, user(), 1, 1, SLVERR),
        (COMPARE, CLUSTER_BASE, user(), 4, 2, SLVERR),
        (STORE_ADD, CLUSTER_BASE, user(), 1, 0, SLVERR),
    ]
    for i, (kind, address, awuser, num_sent, num_back, resp) in enumerate(cases):
        dut.s_narrow_awatop.value = kind
        data = bytes(range(8 * num_sent))
        response = await tile.narrow_write.write(address, data, awid=i, size=3, user=awuser)
        assert int(response.resp) == resp
        for _ in range(200):
            if len(beats[i]) >= num_back:
                break
            await RisingEdge(dut.clk_i)
        assert beats[i] == [(0, resp, int(beat == num_back)) for beat in range(1, num_back + 1)]
    assert flits(dut) == before, "refused transactions stay out of the network"
    assert not olds
    count.add(len(cases))
