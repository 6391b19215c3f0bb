# SPDX-License-Identifier: Apache-2.0
"""Both sides of a valid/ready channel, and the clock.

Benches drive right after the rising edge and look at the falling one, when everything that depends
on the inputs has settled; what is seen there happens at the next rising edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import cocotb
from cocotb.clock import Clock
from cocotb.handle import LogicArrayObject, LogicObject
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

CLOCK_PERIOD_NS = 10


async def start(clk: LogicObject, rst_n: LogicObject) -> None:
    """Starts the clock and resets; returns right after a rising edge. Set inputs before."""
    cocotb.start_soon(Clock(clk, CLOCK_PERIOD_NS, unit="ns").start())
    rst_n.value = 0
    await ClockCycles(clk, 3)
    rst_n.value = 1


@dataclass
class Source:
    """Offers items, each until it is taken; pauses between them."""

    clk: LogicObject
    valid: LogicObject
    ready: LogicObject
    data: LogicArrayObject
    pauses: Iterator[bool]
    num_taken: int = 0

    async def send(self, items: Iterable[int]) -> None:
        """Offers all items; begins right after a rising edge."""
        for item in items:
            while next(self.pauses):
                self.valid.value = 0
                await RisingEdge(self.clk)
            self.valid.value = 1
            self.data.value = item
            taken = False
            while not taken:
                await FallingEdge(self.clk)
                taken = bool(self.ready.value)
                await RisingEdge(self.clk)
            self.num_taken += 1
        self.valid.value = 0


@dataclass
class Sink:
    """Takes what is offered, with pauses; notes the items with their cycles."""

    clk: LogicObject
    valid: LogicObject
    ready: LogicObject
    data: LogicArrayObject
    pauses: Iterator[bool]
    items: list[int] = field(default_factory=list)
    cycles: list[int] = field(default_factory=list)
    cycle: int = 0

    async def run(self) -> None:
        """Takes for ever; begins right after a rising edge."""
        while True:
            is_ready = not next(self.pauses)
            self.ready.value = is_ready
            await FallingEdge(self.clk)
            if is_ready and self.valid.value:
                self.items.append(int(self.data.value))
                self.cycles.append(self.cycle)
            await RisingEdge(self.clk)
            self.cycle += 1

    async def take(self, num_items: int, max_cycles: int) -> None:
        """Waits for that many items.

        Raises:
            AssertionError: They did not come in time.
        """
        for _ in range(max_cycles):
            if len(self.items) >= num_items:
                return
            await RisingEdge(self.clk)
        raise AssertionError(f"{len(self.items)} of {num_items} items after {max_cycles} cycles")
