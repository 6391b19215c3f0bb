# SPDX-License-Identifier: Apache-2.0
"""One endpoint between AXI models of others, at every place of chains of 1 to 8 destinations."""

from __future__ import annotations

import random

import cocotb
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from common import axi, handshake, runner
from common.chain import FRAME_WORDS, TILE_BITS, Chain, Destination, frame, frames
from common.pattern import Pattern
from common.pauses import KINDS, pauses

OWN = 0
FIRST_TILE = 9
MAX_DESTINATIONS = 8
DATA, CFG, GRANT, FINISH = range(4)
FRAMES_WORD = 31 * 1024
DST_WORD = 16 * 1024
BURST_BEATS, BUFFER_BURSTS = 64, 2
MAX_CYCLES = 20_000
TIMEOUT_NS = 5_000_000
OKAY = axi.Resp.OKAY


def test_properties_hold() -> None:
    runner.run(runner.Build("noccl_torrent_axi_tb"), __file__)


class Log:
    """A memory that remembers writes in their order: the data window is one page for all."""

    def __init__(self) -> None:
        self.writes: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return 1 << 48

    def __setitem__(self, place: slice, data: bytes) -> None:
        self.writes.append((place.start, int.from_bytes(data, "little")))


class Neighbours:
    """All others: memories at the managers, managers at the windows."""

    def __init__(self, dut, back_pressure: str) -> None:
        self.dut = dut
        self.rng = random.Random(cocotb.RANDOM_SEED)
        self.kind = back_pressure
        self.messages, self.own, self.passed = Log(), Log(), Log()
        for prefix, log in (("m_msg", self.messages), ("m_own", self.own), ("m_pass", self.passed)):
            self.port(axi.MemoryWrite, prefix, mem=log)
        self.box = self.port(axi.ManagerWrite, "s_box", max_burst_len=FRAME_WORDS)
        self.window = self.port(axi.ManagerWrite, "s_data", max_burst_len=BURST_BEATS)
        self.num_done = 0
        cocotb.start_soon(self.monitor())
        cocotb.start_soon(self.hold_banks())

    def port(self, kind, prefix: str, **more):
        made = kind(
            axi.WriteBus.from_prefix(self.dut, prefix),
            self.dut.clk_i,
            self.dut.rst_ni,
            False,
            **more,
        )
        for channel in (made.aw_channel, made.w_channel, made.b_channel):
            if self.kind != "never":
                channel.set_pause_generator(pauses(self.kind, random.Random(self.rng.random())))
        return made

    async def monitor(self) -> None:
        while True:
            await FallingEdge(self.dut.clk_i)
            assert not self.dut.error_o.value
            self.num_done += int(self.dut.done_o.value)

    async def hold_banks(self) -> None:
        banks = [pauses(self.kind, random.Random(self.rng.random())) for _ in range(32)]
        while True:
            self.dut.hold_banks_i.value = sum(next(bank) << i for i, bank in enumerate(banks))
            await RisingEdge(self.dut.clk_i)

    async def until(self, holds) -> None:
        for _ in range(MAX_CYCLES):
            if holds():
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"not after {MAX_CYCLES} cycles")

    async def tell(self, window: int, words: list[int], slot: int = 0) -> None:
        data = b"".join(word.to_bytes(8, "little") for word in words)
        response = await self.box.write(address(OWN, window) + 64 * slot, data)
        assert response.resp == OKAY

    async def send(self, beats: list[int]) -> None:
        """Data to the window, two bursts at a time without a response."""
        bursts = [beats[i : i + BURST_BEATS] for i in range(0, len(beats), BURST_BEATS)]
        events = []
        for i, burst in enumerate(bursts):
            if i >= BUFFER_BURSTS:
                await events[i - BUFFER_BURSTS].wait()
            data = b"".join(beat.to_bytes(64, "little") for beat in burst)
            events.append(self.window.init_write(address(OWN, DATA), data))
        for event in events:
            await event.wait()
            assert event.data.resp == OKAY

    async def fill(self, first: int, words: list[int]) -> None:
        self.dut.host_write_i.value = 1
        for i, word in enumerate(words, first):
            self.dut.host_addr_i.value = i
            self.dut.host_data_i.value = word
            await RisingEdge(self.dut.clk_i)
        self.dut.host_write_i.value = 0

    async def holds_words(self, first: int, words: list[int]) -> None:
        for i, word in enumerate(words, first):
            self.dut.host_addr_i.value = i
            await FallingEdge(self.dut.clk_i)
            assert int(self.dut.host_data_o.value) == word, i
            await RisingEdge(self.dut.clk_i)


def address(tile: int, window: int) -> int:
    return (tile + FIRST_TILE) << TILE_BITS | 0x3F_C000 | window << 12


def slot(tile: int) -> int:
    return (tile + FIRST_TILE) % 64


def notice(initiator: int, task: int) -> int:
    return (initiator + FIRST_TILE) << (TILE_BITS + 4) | task


def words_of(value: int, count: int = FRAME_WORDS) -> list[int]:
    return [value >> 64 * i & (1 << 64) - 1 for i in range(count)]


def row(num_beats: int) -> Pattern:
    return Pattern(1, ((num_beats, 8),))


def through_window(beats: list[int], tile: int) -> list[tuple[int, int]]:
    base = address(tile, DATA)
    return [(base + 64 * (i % BURST_BEATS), beat) for i, beat in enumerate(beats)]


async def started(dut, back_pressure: str) -> Neighbours:
    for signal in (dut.hold_banks_i, dut.start_valid_i, dut.frames_i, dut.num_destinations_i):
        signal.value = 0
    for signal in (dut.host_write_i, dut.host_addr_i, dut.host_data_i):
        signal.value = 0
    neighbours = Neighbours(dut, back_pressure)
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)
    return neighbours


async def lead(others: Neighbours, num_destinations: int, task: int) -> None:
    """The whole of a chain as its initiator sees it."""
    dut, rng = others.dut, others.rng
    num_beats = rng.choice([1, 2, 63, 64, 65, 130])
    beats = [rng.getrandbits(512) for _ in range(num_beats)]
    order = rng.sample(range(1, MAX_DESTINATIONS + 1), num_destinations)
    destinations = tuple(Destination(t, 64 * t, row(num_beats)) for t in order)
    chain = Chain(OWN, Destination(OWN, 0, row(num_beats)), destinations)
    await others.fill(0, [word for beat in beats for word in words_of(beat)])
    await others.fill(FRAMES_WORD, frames(chain, FIRST_TILE))
    dut.frames_i.value, dut.num_destinations_i.value = FRAMES_WORD, num_destinations
    dut.start_valid_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.start_valid_i.value = 0
    await others.until(lambda: len(others.messages.writes) == FRAME_WORDS * num_destinations)
    assert others.messages.writes == [
        (address(tile, CFG) + 64 * slot(OWN) + 8 * i, word)
        for at, tile in enumerate(order)
        for i, word in enumerate(words_of(frame(chain, at, FIRST_TILE) | task << 5))
    ]
    assert not others.own.writes
    await others.tell(GRANT, [notice(OWN, task)])
    await others.until(lambda: len(others.own.writes) == num_beats)
    assert others.own.writes == through_window(beats, order[0])
    await ClockCycles(dut.clk_i, 30)
    assert others.num_done == task
    await others.tell(FINISH, [notice(OWN, task)])
    await others.until(lambda: others.num_done == task + 1)
    others.messages.writes.clear()
    others.own.writes.clear()


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
@cocotb.parametrize(back_pressure=KINDS)
async def it_leads_chains_of_one_to_eight_destinations(dut, back_pressure: str) -> None:
    others = await started(dut, back_pressure)
    for task, num_destinations in enumerate(range(1, MAX_DESTINATIONS + 1)):
        await lead(others, num_destinations, task)
    assert not others.passed.writes


async def follow(others: Neighbours, chain: Chain, at: int, task: int) -> None:
    """The whole of a chain as the destination at an index sees it."""
    order = [destination.tile for destination in chain.destinations]
    beats = [others.rng.getrandbits(512) for _ in range(chain.num_beats)]
    granted = sorted(order, reverse=True)
    behind = order[at + 1 :]
    before = order[at - 1] if at else chain.initiator
    key = notice(chain.initiator, task)
    following = granted[granted.index(OWN) + 1 :]
    config = words_of(frame(chain, at, FIRST_TILE) | task << 5)
    await others.tell(CFG, config, slot(chain.initiator))
    if granted[0] != OWN:
        assert not others.messages.writes
        await others.tell(GRANT, [key])
    await others.until(lambda: len(others.messages.writes) == 1)
    grant = (address(following[0] if following else chain.initiator, GRANT), key)
    assert others.messages.writes == [grant]
    await others.send(beats)
    if behind:
        await others.until(lambda: len(others.passed.writes) == len(beats))
        assert others.passed.writes == through_window(beats, behind[0])
        assert others.messages.writes == [grant]
        await others.tell(FINISH, [key])
    else:
        assert not others.passed.writes
    await others.until(lambda: len(others.messages.writes) == 2)
    assert others.messages.writes[1] == (address(before, FINISH), key)
    first = chain.destinations[at].offset // 8
    await others.holds_words(first, [word for beat in beats for word in words_of(beat)])
    others.messages.writes.clear()
    others.passed.writes.clear()


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
@cocotb.parametrize(back_pressure=KINDS)
async def it_follows_at_every_place_of_chains_of_one_to_eight_destinations(
    dut, back_pressure: str
) -> None:
    others = await started(dut, back_pressure)
    rng = others.rng
    task = 0
    for num_destinations in range(1, MAX_DESTINATIONS + 1):
        for at in range(num_destinations):
            num_beats = rng.choice(
                [1, 2, 5, 64, 65, 130] if at in {0, num_destinations - 1} else [1, 3]
            )
            initiator, *order = rng.sample(range(1, MAX_DESTINATIONS + 1), num_destinations)
            order.insert(at, OWN)
            destinations = tuple(Destination(t, 8 * DST_WORD, row(num_beats)) for t in order)
            chain = Chain(initiator, Destination(initiator, 0, row(num_beats)), destinations)
            await follow(others, chain, at, task)
            task = (task + 1) % 16
    assert not others.own.writes
    assert others.num_done == 0


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def it_refuses_messages_outside_its_windows(dut) -> None:
    others = await started(dut, "never")
    for place in (0, 0x3F_8000, address(OWN, DATA) % (1 << TILE_BITS)):
        response = await others.box.write((OWN + FIRST_TILE) << TILE_BITS | place, bytes(8))
        assert response.resp == axi.Resp.SLVERR, hex(place)
    response = await others.box.write(address(OWN, GRANT), bytes(8))
    assert response.resp == OKAY
