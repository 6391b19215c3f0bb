# SPDX-License-Identifier: Apache-2.0
"""A chain's link: beats arrive once and in order, none waits for buffer space between tiles."""

from __future__ import annotations

import os
import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from common import handshake, runner
from common.pauses import KINDS, pauses

BURST_BEATS = 64
MAX_CYCLES = 20_000


def test_a_sender_that_fills_the_buffer_loses_no_beat() -> None:
    build = runner.Build("noccl_torrent_link_tb", {"BufferBursts": 2, "SenderBursts": 5})
    environment = {"BUFFER_BURSTS": "2", "COCOTB_TEST_FILTER": "a_full_buffer"}
    runner.run(build, __file__, environment)


@pytest.mark.parametrize("buffer_bursts", [1, 2, 3])
def test_properties_hold(buffer_bursts: int) -> None:
    parameters = {"BufferBursts": buffer_bursts}
    environment = {"BUFFER_BURSTS": str(buffer_bursts)}
    runner.run(runner.Build("noccl_torrent_link_tb", parameters), __file__, environment)


class Port:
    """What has crossed the port, and whether a beat ever waited there without buffer space."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.burst_beats: list[int] = []
        self.num_beats = 0
        self.was_full = False

    async def monitor(self) -> None:
        while True:
            await FallingEdge(self.dut.clk_i)
            if self.dut.aw_step_o.value:
                self.burst_beats.append(int(self.dut.aw_len_o.value) + 1)
            self.num_beats += int(self.dut.w_step_o.value)
            self.was_full |= bool(self.dut.is_full_o.value)
            await RisingEdge(self.dut.clk_i)


async def hold(dut, kind: str, rng: random.Random) -> None:
    channels = [pauses(kind, random.Random(rng.random())) for _ in range(3)]
    while True:
        dut.hold_i.value = sum(next(channel) << i for i, channel in enumerate(channels))
        await RisingEdge(dut.clk_i)


async def started(dut, back_pressure: str = "never") -> Port:
    for signal in (dut.hold_i, dut.start_i, dut.num_beats_i, dut.fail_i):
        signal.value = 0
    for signal in (dut.in_valid_i, dut.in_i, dut.out_ready_i):
        signal.value = 0
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)
    port = Port(dut)
    cocotb.start_soon(port.monitor())
    cocotb.start_soon(hold(dut, back_pressure, random.Random(cocotb.RANDOM_SEED)))
    return port


async def start(dut, num_beats: int) -> None:
    dut.num_beats_i.value = num_beats
    dut.start_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.start_i.value = 0


async def until_idle(dut) -> None:
    for _ in range(MAX_CYCLES):
        await FallingEdge(dut.clk_i)
        if dut.is_idle_o.value:
            return
        await RisingEdge(dut.clk_i)
    raise AssertionError("never idle")


@cocotb.test()
@cocotb.parametrize(idle=KINDS, back_pressure=KINDS)
async def beats_arrive_once_in_order_and_never_wait_for_buffer_space(
    dut, idle: str, back_pressure: str
) -> None:
    rng = random.Random(cocotb.RANDOM_SEED + 1)
    port = await started(dut, back_pressure)
    source = handshake.Source(
        dut.clk_i, dut.in_valid_i, dut.in_ready_o, dut.in_i, pauses(idle, rng)
    )
    sink = handshake.Sink(
        dut.clk_i, dut.out_valid_o, dut.out_ready_i, dut.out_o, pauses(back_pressure, rng)
    )
    cocotb.start_soon(sink.run())
    sent: list[int] = []
    bursts: list[int] = []
    for num_beats in (1, 64, 65, 2, 200, 63, 128):
        beats = [rng.getrandbits(512) for _ in range(num_beats)]
        await start(dut, num_beats)
        await source.send(beats)
        await until_idle(dut)
        await RisingEdge(dut.clk_i)
        sent += beats
        whole, rest = divmod(num_beats, BURST_BEATS)
        bursts += [BURST_BEATS] * whole + [rest] * (rest > 0)
    assert sink.items == sent
    assert port.burst_beats == bursts
    assert port.num_beats == len(sent)
    assert not port.was_full
    assert not dut.has_error_o.value


@cocotb.test()
async def a_full_buffer_takes_no_beat(dut) -> None:
    port = await started(dut)
    rng = random.Random(cocotb.RANDOM_SEED + 2)
    beats = [rng.getrandbits(512) for _ in range(5 * BURST_BEATS)]
    source = handshake.Source(
        dut.clk_i, dut.in_valid_i, dut.in_ready_o, dut.in_i, pauses("never", rng)
    )
    sink = handshake.Sink(
        dut.clk_i, dut.out_valid_o, dut.out_ready_i, dut.out_o, pauses("bursts", rng)
    )
    await start(dut, len(beats))
    cocotb.start_soon(source.send(beats))
    for _ in range(6 * BURST_BEATS):
        await RisingEdge(dut.clk_i)
    # The word that is read stands behind the buffer.
    assert port.num_beats - int(os.environ["BUFFER_BURSTS"]) * BURST_BEATS in {0, 1}
    cocotb.start_soon(sink.run())
    await until_idle(dut)
    assert sink.items == beats


@cocotb.test()
async def a_stopped_target_holds_whole_bursts_and_no_more(dut) -> None:
    port = await started(dut)
    buffer_beats = int(os.environ["BUFFER_BURSTS"]) * BURST_BEATS
    await start(dut, 6 * BURST_BEATS)
    dut.in_valid_i.value = 1
    for _ in range(6 * BURST_BEATS):
        await RisingEdge(dut.clk_i)
    assert port.num_beats == buffer_beats
    assert not port.was_full
    # The first burst leaves, its response comes, and the next one comes.
    dut.out_ready_i.value = 1
    for _ in range(BURST_BEATS):
        await RisingEdge(dut.clk_i)
    dut.out_ready_i.value = 0
    for _ in range(2 * BURST_BEATS):
        await RisingEdge(dut.clk_i)
    assert port.num_beats == buffer_beats + BURST_BEATS


@cocotb.test()
async def a_beat_passes_in_two_cycles_and_one_follows_the_other(dut) -> None:
    await started(dut)
    await start(dut, BURST_BEATS)
    dut.out_ready_i.value = 1
    dut.in_valid_i.value = 1
    arrivals = []
    for cycle in range(BURST_BEATS + 4):
        await FallingEdge(dut.clk_i)
        if dut.out_valid_o.value:
            arrivals.append(cycle)
        await RisingEdge(dut.clk_i)
    assert arrivals == list(range(2, BURST_BEATS + 2))


@cocotb.test()
async def an_error_is_told_until_the_next_start(dut) -> None:
    await started(dut)
    dut.out_ready_i.value = 1
    for fails in (1, 0):
        dut.fail_i.value = fails
        await start(dut, 3 * BURST_BEATS)
        dut.in_valid_i.value = 1
        # The first burst fails, those after it do not.
        for _ in range(2 * BURST_BEATS):
            await RisingEdge(dut.clk_i)
        assert bool(dut.has_error_o.value) == bool(fails)
        dut.fail_i.value = 0
        await until_idle(dut)
        assert bool(dut.has_error_o.value) == bool(fails)
        dut.in_valid_i.value = 0
        await RisingEdge(dut.clk_i)
