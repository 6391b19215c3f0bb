# SPDX-License-Identifier: Apache-2.0
"""Reader, writer and pattern: every byte is written where the destination's pattern says."""

from __future__ import annotations

import random

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from common import handshake, runner
from common.cases import cases
from common.pattern import Pattern, address, blocked
from common.pauses import KINDS, pauses

MAX_CYCLES = 20_000
DST_WORD = 1 << 15


def test_properties_hold() -> None:
    runner.run(runner.Build("noccl_torrent_copy_tb"), __file__)


async def started(dut, back_pressure: str = "never") -> None:
    for name in ("hold_banks", "hold_beats", "start", "num_beats", "src", "dst", "host_write"):
        getattr(dut, f"{name}_i").value = 0
    for name in ("src_pattern", "dst_pattern", "host_addr", "host_data"):
        getattr(dut, f"{name}_i").value = 0
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)
    cocotb.start_soon(hold(dut, back_pressure))


async def hold(dut, kind: str) -> None:
    rng = random.Random(cocotb.RANDOM_SEED)
    banks = [pauses(kind, random.Random(rng.random())) for _ in range(32)]
    beats = pauses(kind, rng)
    while True:
        dut.hold_banks_i.value = sum(next(bank) << i for i, bank in enumerate(banks))
        dut.hold_beats_i.value = next(beats)
        await RisingEdge(dut.clk_i)


async def fill(dut, words: list[int], first: int = 0) -> None:
    dut.host_write_i.value = 1
    for i, word in enumerate(words):
        dut.host_addr_i.value = first + i
        dut.host_data_i.value = word
        await RisingEdge(dut.clk_i)
    dut.host_write_i.value = 0


async def image(dut, first: int, num_words: int) -> list[int]:
    found = []
    for i in range(num_words):
        dut.host_addr_i.value = first + i
        await FallingEdge(dut.clk_i)
        found.append(int(dut.host_data_o.value))
        await RisingEdge(dut.clk_i)
    return found


async def copy(dut, src: Pattern, dst: Pattern, src_word: int, dst_word: int) -> int:
    """Copies; returns the cycles from the start until both sides are idle."""
    dut.src_pattern_i.value = src.bits()
    dut.dst_pattern_i.value = dst.bits()
    dut.src_i.value = src_word
    dut.dst_i.value = dst_word
    dut.num_beats_i.value = src.num_beats()
    dut.start_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.start_i.value = 0
    for cycle in range(1, MAX_CYCLES):
        await FallingEdge(dut.clk_i)
        done = bool(dut.src_is_idle_o.value) and bool(dut.dst_is_idle_o.value)
        await RisingEdge(dut.clk_i)
        if done:
            return cycle
    raise AssertionError(f"not over after {MAX_CYCLES} cycles")


@cocotb.test()
@cocotb.parametrize(back_pressure=KINDS)
async def a_change_of_layout_moves_every_byte_to_its_place(dut, back_pressure: str) -> None:
    rows, columns = 32, 64
    rng = random.Random(cocotb.RANDOM_SEED)
    matrix = rng.randbytes(rows * columns)
    await started(dut, back_pressure)
    for src, dst in (((8, 8), (16, 8)), ((16, 8), (32, 64)), ((32, 64), (8, 16))):
        stored = bytearray(len(matrix))
        expected = bytearray(len(matrix))
        for row in range(rows):
            for column in range(columns):
                element = matrix[row * columns + column]
                stored[address(row, column, columns, *src)] = element
                expected[address(row, column, columns, *dst)] = element
        await fill(dut, as_words(stored))
        await copy(dut, blocked(rows, columns, *src), blocked(rows, columns, *dst), 0, DST_WORD)
        assert await image(dut, DST_WORD, len(matrix) // 8) == as_words(expected), (src, dst)


def as_words(text: bytes) -> list[int]:
    return [int.from_bytes(text[i : i + 8], "little") for i in range(0, len(text), 8)]


def random_pattern(rng: random.Random, iterations: tuple[int, ...]) -> Pattern:
    """Loops that never write a word twice: the strides nest in random order."""
    order = list(range(len(iterations) + 1))
    rng.shuffle(order)
    size, strides = 1, {}
    for level in order:
        strides[level] = size
        size *= 8 if level == len(iterations) else iterations[level]
        size += rng.choice([0, 0, 1, 3])
    loops = tuple((n, strides[i]) for i, n in enumerate(iterations))
    return Pattern(strides[len(iterations)], loops)


@cocotb.test()
@cocotb.parametrize(back_pressure=KINDS)
async def every_word_is_written_where_the_loops_say(dut, back_pressure: str) -> None:
    rng = random.Random(cocotb.RANDOM_SEED + 1)
    await started(dut, back_pressure)
    for _ in range(cases(4, 12)):
        iterations = tuple(rng.choice([1, 1, 2, 3, 4]) for _ in range(rng.randint(1, 5)))
        src, dst = random_pattern(rng, iterations), random_pattern(rng, iterations)
        moved: dict[int, int] = {}
        words = [rng.getrandbits(64) for _ in range(1 + max(max(b) for b in src.beats(0)))]
        for from_words, to_words in zip(src.beats(0), dst.beats(0), strict=True):
            moved.update(zip(to_words, (words[i] for i in from_words), strict=True))
        await fill(dut, words)
        before = await image(dut, DST_WORD, 1 + max(moved))
        await copy(dut, src, dst, 0, DST_WORD)
        expected = [moved.get(i, old) for i, old in enumerate(before)]
        assert await image(dut, DST_WORD, 1 + max(moved)) == expected


@cocotb.test()
async def words_in_different_banks_move_a_beat_per_cycle(dut) -> None:
    await started(dut)
    contiguous = Pattern(1, ((256, 8),))
    # Before the first word is written: requested, returned, passed on; after the last one: idle.
    assert await copy(dut, contiguous, contiguous, 0, DST_WORD + 16) == 256 + 4


@cocotb.test()
async def what_is_read_waits_for_a_slow_writer(dut) -> None:
    rng = random.Random(cocotb.RANDOM_SEED + 2)
    await started(dut)
    words = [rng.getrandbits(64) for _ in range(8 * 32)]
    await fill(dut, words)
    # The words of a beat are read from all banks, and written to one.
    await copy(dut, Pattern(1, ((32, 8),)), Pattern(32, ((32, 1),)), 0, DST_WORD)
    expected = [words[8 * (i % 32) + i // 32] for i in range(len(words))]
    assert await image(dut, DST_WORD, len(words)) == expected


@cocotb.test()
async def words_of_one_bank_take_a_cycle_each(dut) -> None:
    await started(dut)
    contiguous = Pattern(1, ((32, 8),))
    for apart, num_accesses in ((16, 4), (32, 8)):
        cycles = await copy(dut, Pattern(apart, ((32, 1),)), contiguous, 0, DST_WORD)
        assert num_accesses * 32 <= cycles <= num_accesses * 32 + 8 + 32, (apart, cycles)


@cocotb.test()
async def disabled_channels_and_bytes_stay_as_they_were(dut) -> None:
    rng = random.Random(cocotb.RANDOM_SEED + 2)
    await started(dut)
    words = [rng.getrandbits(64) for _ in range(64)]
    await fill(dut, words)
    await fill(dut, [0] * 64, DST_WORD)
    src = Pattern(1, ((8, 8),))
    dst = Pattern(1, ((8, 8),), channels=0b1010_0110, byte_enable=0x0F)
    await copy(dut, src, dst, 0, DST_WORD)
    expected = [w & 0xFFFF_FFFF if dst.channels >> (i % 8) & 1 else 0 for i, w in enumerate(words)]
    assert await image(dut, DST_WORD, 64) == expected
