# SPDX-License-Identifier: Apache-2.0
"""Chains of Torrent endpoints: every destination gets its bytes, and nobody waits for ever."""

from __future__ import annotations

import random
from collections.abc import Sequence

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from common import handshake, runner
from common.chain import TILE_BITS, Chain, Destination, frames
from common.pattern import Pattern, blocked
from common.pauses import KINDS, pauses

NUM_TILES = 9
MEMORY_WORDS = 32 * 1024
# Frames lie behind the data.
FRAMES_WORD = MEMORY_WORDS - 1024
MAX_CYCLES = 60_000
# Without latency between tiles: configuration, grant, data, finish; and what a chain takes once.
CYCLES_PER_DESTINATION = 8 + 3 + 2 + 2
CYCLES_PER_CHAIN = 5
TIMEOUT_NS = 5_000_000


def test_properties_hold() -> None:
    build = runner.Build("noccl_torrent_tb", {"NumTiles": NUM_TILES}, is_optimized=True)
    runner.run(build, __file__)


class System:
    """The tiles' memories, and the chains that run."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.memories: dict[int, dict[int, int]] = {t: {} for t in range(NUM_TILES)}

    async def fill(self, tile: int, first: int, words: list[int]) -> None:
        self.dut.host_write_i.value = 1
        self.dut.host_tile_i.value = tile
        for i, word in enumerate(words, first):
            self.memories[tile][i] = word
            self.dut.host_addr_i.value = i
            self.dut.host_data_i.value = word
            await RisingEdge(self.dut.clk_i)
        self.dut.host_write_i.value = 0

    async def check(self) -> None:
        """Every word that was ever written is what it should be."""
        for tile, memory in self.memories.items():
            self.dut.host_tile_i.value = tile
            for word, expected in memory.items():
                self.dut.host_addr_i.value = word
                await FallingEdge(self.dut.clk_i)
                found = int(self.dut.host_data_o.value)
                assert found == expected, (tile, word, f"{found:x}", f"{expected:x}")
                await RisingEdge(self.dut.clk_i)

    async def prepare(self, chain: Chain) -> None:
        await self.fill(chain.initiator, FRAMES_WORD, frames(chain, NUM_TILES))

    def expect(self, chain: Chain) -> None:
        """What the memories hold when the chain is over."""
        source = self.memories[chain.initiator]
        order = list(chain.source.pattern.beats(chain.source.offset // 8))
        stream = [[source[word] for word in beat] for beat in order]
        own = (chain.own,) if chain.own else ()
        for destination in (*chain.destinations, *own):
            places = destination.pattern.beats(destination.offset // 8)
            for beat, place in zip(stream, places, strict=True):
                self.memories[destination.tile].update(zip(place, beat, strict=True))

    async def lead(self, *chains: Chain) -> int:
        """Runs chains of different initiators, and remembers what they write."""
        for chain in chains:
            await self.prepare(chain)
        cycles = await self.run(chains)
        for chain in chains:
            self.expect(chain)
        return cycles

    async def run(self, chains: Sequence[Chain]) -> int:
        """Starts chains of different initiators, one per cycle; cycles from the last start on."""
        waiting = {chain.initiator for chain in chains}
        assert len(waiting) == len(chains)
        for chain in chains:
            self.dut.frames_i.value = FRAMES_WORD
            self.dut.num_destinations_i.value = len(chain.destinations)
            self.dut.has_own_i.value = chain.own is not None
            self.dut.start_valid_i.value = 1 << chain.initiator
            await FallingEdge(self.dut.clk_i)
            assert int(self.dut.start_ready_o.value) >> chain.initiator & 1
            waiting -= self.over()
            await RisingEdge(self.dut.clk_i)
        self.dut.start_valid_i.value = 0
        for cycle in range(1, MAX_CYCLES):
            await FallingEdge(self.dut.clk_i)
            assert not self.dut.error_o.value
            waiting -= self.over()
            await RisingEdge(self.dut.clk_i)
            if not waiting:
                return cycle
        raise AssertionError(f"chains of {waiting} are not over after {MAX_CYCLES} cycles")

    def over(self) -> set[int]:
        done = int(self.dut.done_o.value)
        return {t for t in range(NUM_TILES) if done >> t & 1}


async def started(dut, back_pressure: str = "never") -> System:
    for signal in (dut.hold_narrow_i, dut.hold_wide_i, dut.hold_banks_i, dut.start_valid_i):
        signal.value = 0
    for signal in (dut.frames_i, dut.num_destinations_i, dut.has_own_i, dut.host_write_i):
        signal.value = 0
    for signal in (dut.stray_valid_i, dut.stray_addr_i, dut.stray_i):
        signal.value = 0
    for signal in (dut.host_tile_i, dut.host_addr_i, dut.host_data_i):
        signal.value = 0
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)
    cocotb.start_soon(hold(dut, back_pressure))
    return System(dut)


async def hold(dut, kind: str) -> None:
    if kind == "never":
        return
    rng = random.Random(cocotb.RANDOM_SEED)
    ports = [pauses(kind, random.Random(rng.random())) for _ in range(2 * NUM_TILES + 32)]
    while True:
        bits = sum(next(port) << i for i, port in enumerate(ports))
        dut.hold_narrow_i.value = bits & (1 << NUM_TILES) - 1
        dut.hold_wide_i.value = bits >> NUM_TILES & (1 << NUM_TILES) - 1
        dut.hold_banks_i.value = bits >> 2 * NUM_TILES
        await RisingEdge(dut.clk_i)


def row(num_beats: int) -> Pattern:
    return Pattern(1, ((num_beats, 8),))


def snake(num_destinations: int, num_beats: int, dst: int = 0) -> Chain:
    source = Destination(0, 0, row(num_beats))
    return Chain(
        0,
        source,
        tuple(Destination(t, dst, row(num_beats)) for t in range(1, num_destinations + 1)),
    )


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
@cocotb.parametrize(back_pressure=KINDS)
async def chains_of_one_to_eight_destinations_deliver_every_byte(dut, back_pressure: str) -> None:
    rng = random.Random(cocotb.RANDOM_SEED + 1)
    system = await started(dut, back_pressure)
    for num_destinations in range(1, NUM_TILES):
        num_beats = rng.choice([1, 2, 7, 63, 64, 65, 130])
        tiles = rng.sample(range(NUM_TILES), num_destinations + 1)
        initiator, destinations = tiles[0], tiles[1:]
        await system.fill(initiator, 0, [rng.getrandbits(64) for _ in range(8 * num_beats)])
        places = tuple(
            Destination(t, 8 * 2048 + 64 * rng.randrange(8), row(num_beats)) for t in destinations
        )
        chain = Chain(initiator, Destination(initiator, 0, row(num_beats)), places)
        await system.lead(chain)
    await system.check()


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
@cocotb.parametrize(back_pressure=["never", "bursts"])
async def every_destination_has_a_layout_of_its_own(dut, back_pressure: str) -> None:
    rng = random.Random(cocotb.RANDOM_SEED + 2)
    system = await started(dut, back_pressure)
    rows, columns = 64, 64
    layouts = [(8, 8), (16, 8), (64, 16), (8, 64)]
    await system.fill(2, 0, [rng.getrandbits(64) for _ in range(rows * columns // 8)])
    source = Destination(2, 0, blocked(rows, columns, 8, 64))
    destinations = tuple(
        Destination(t, 8192 * (1 + i), blocked(rows, columns, *layouts[i]))
        for i, t in enumerate((5, 1, 7))
    )
    own = Destination(2, 8192 * 5, blocked(rows, columns, *layouts[3]))
    chain = Chain(2, source, destinations, own)
    await system.lead(chain)
    await system.check()


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def a_chain_without_other_tiles_is_a_copy(dut) -> None:
    rng = random.Random(cocotb.RANDOM_SEED + 3)
    system = await started(dut)
    await system.fill(4, 0, [rng.getrandbits(64) for _ in range(8 * 16)])
    chain = Chain(4, Destination(4, 0, row(16)), (), Destination(4, 4096, row(16)))
    await system.lead(chain)
    await system.check()


def overlapping(rng: random.Random, num_beats: int) -> list[Chain]:
    """Chains of several initiators over common tiles in random orders."""
    chains = []
    for initiator in rng.sample(range(NUM_TILES), rng.randint(2, 6)):
        others = [t for t in range(NUM_TILES) if t != initiator]
        tiles = rng.sample(others, rng.randint(2, len(others)))
        dst = 8 * (4096 + 1024 * initiator)
        destinations = tuple(Destination(t, dst, row(num_beats)) for t in tiles)
        own = Destination(initiator, dst, row(num_beats)) if rng.random() < 0.3 else None
        chains.append(
            Chain(initiator, Destination(initiator, 0, row(num_beats)), destinations, own)
        )
    return chains


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
@cocotb.parametrize(back_pressure=KINDS)
async def chains_that_share_tiles_all_end(dut, back_pressure: str) -> None:
    rng = random.Random(cocotb.RANDOM_SEED + 4)
    system = await started(dut, back_pressure)
    for tile in range(NUM_TILES):
        await system.fill(tile, 0, [rng.getrandbits(64) for _ in range(8 * 100)])
    for _ in range(6):
        chains = overlapping(rng, rng.choice([1, 5, 64, 100]))
        await system.lead(*chains)
    await system.check()


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def task_numbers_come_round(dut) -> None:
    rng = random.Random(cocotb.RANDOM_SEED + 5)
    system = await started(dut)
    await system.fill(0, 0, [rng.getrandbits(64) for _ in range(16)])
    for i in range(36):
        chain = snake(2, 2, 4096 + 128 * i)
        await system.lead(chain)
    await system.check()


async def send_stray(dut, tile: int, window: int, initiator: int, task: int) -> None:
    """A notice of a task to a tile's window of grants (2) or finishes (3)."""
    dut.stray_addr_i.value = (tile + NUM_TILES) << TILE_BITS | 0x3F_C000 | window << 12
    dut.stray_i.value = (initiator + NUM_TILES) << (TILE_BITS + 4) | task
    dut.stray_valid_i.value = 1
    is_taken = False
    while not is_taken:
        await FallingEdge(dut.clk_i)
        is_taken = bool(dut.stray_ready_o.value)
        await RisingEdge(dut.clk_i)
    dut.stray_valid_i.value = 0


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def notices_of_older_tasks_say_nothing(dut) -> None:
    system = await started(dut)
    await system.fill(0, 0, list(range(8 * 64)))

    async def disturb(older: int) -> None:
        for _ in range(20):
            for tile, window in ((0, 2), (0, 3), (1, 3), (2, 3)):
                await send_stray(dut, tile, window, 0, older)

    # Notices in flight cost the port some cycles, never an early end.
    for task in range(1, 18):
        chain = snake(3, 64, 4096)
        await system.prepare(chain)
        if task > 1:
            cocotb.start_soon(disturb((task - 2) % 16))
        cycles = await system.run([chain])
        system.expect(chain)
        assert cycles >= CYCLES_PER_DESTINATION * 3 + 64 + CYCLES_PER_CHAIN
        for _ in range(200):
            await RisingEdge(dut.clk_i)
    await system.check()


@cocotb.test(timeout_time=TIMEOUT_NS, timeout_unit="ns")
async def a_chain_takes_the_cycles_of_its_formula(dut) -> None:
    rng = random.Random(cocotb.RANDOM_SEED + 6)
    system = await started(dut)
    await system.fill(0, 0, [rng.getrandbits(64) for _ in range(8 * 200)])
    for num_destinations in range(1, NUM_TILES):
        for num_beats in (1, 2, 64, 200):
            chain = snake(num_destinations, num_beats, 8 * 2048)
            cycles = await system.lead(chain)
            assert (
                cycles == CYCLES_PER_DESTINATION * num_destinations + num_beats + CYCLES_PER_CHAIN
            )
