# SPDX-License-Identifier: Apache-2.0
"""Operations of the slice, their results, and a bench that asks and takes cycle by cycle."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge

from noccl_compute_slice import formats

NONE, ELEMENT, OPERATOR = range(3)
NUM_CODES = (16, 8)


@dataclass(frozen=True)
class Request:
    """An operation.

    Attributes:
        element: Code of the element type.
        operator: Code of the operator.
        operands: Two or three, as integers.
        tag: Comes back with the result.
    """

    element: int
    operator: int
    operands: tuple[int, ...]
    tag: int

    def refusal(self, elements: int) -> int:
        """What a slice that is built for this set of types says."""
        if self.element >= len(formats.ELEMENTS) or not elements >> self.element & 1:
            return ELEMENT
        accepted = formats.ELEMENTS[self.element].operators
        return NONE if self.operator < len(accepted) else OPERATOR

    def cycles(self, elements: int) -> int:
        """Latency of one combine."""
        return 1 if self.refusal(elements) else formats.ELEMENTS[self.element].cycles

    def result(self, elements: int, num_bytes: int) -> int:
        """The combine from the left; zero if refused."""
        if self.refusal(elements):
            return 0
        element = formats.ELEMENTS[self.element]
        first, *others = (
            np.frombuffer(operand.to_bytes(num_bytes, "little"), element.bits)
            for operand in self.operands
        )
        for other in others:
            first = formats.combine(element, formats.OPERATORS[self.operator], first, other)
        return int.from_bytes(first.tobytes(), "little")


def random_request(
    rng: random.Random, num_bits: int, operands: tuple[int, ...], *, legal: int = 0
) -> Request:
    """Any operation, sometimes one that is refused; with `legal`, one of this set of types."""
    element, operator = (rng.randrange(codes) for codes in NUM_CODES)
    if legal:
        element = rng.choice([code for code in range(10) if legal >> code & 1])
        operator = rng.randrange(len(formats.ELEMENTS[element].operators))
    values = tuple(rng.getrandbits(num_bits) for _ in range(rng.choice(operands)))
    return Request(element, operator, values, rng.getrandbits(16))


@dataclass
class Requester:
    """One side of the slice: the network (`lane` is None) or the core of a lane.

    Attributes:
        lane: Which core.
        waiting: Requests not yet accepted.
        idle: Does it hold still before the next request?
        back_pressure: Does it not take a result in a cycle?
        accepted: Requests with the cycle of their acceptance.
        results: Cycle, value, refusal and tag of each result.
        offered: Cycles in which its request waited or was accepted.
    """

    lane: int | None
    waiting: deque[Request]
    idle: Iterator[bool]
    back_pressure: Iterator[bool]
    accepted: list[tuple[int, Request]] = field(default_factory=list)
    results: list[tuple[int, int, int, int]] = field(default_factory=list)
    offered: list[int] = field(default_factory=list)
    is_asking: bool = False
    shown: tuple[int, int, int] | None = None


class Bench:
    """Asks for all requesters in lock-step and notes what happens."""

    def __init__(self, dut, requesters: list[Requester]) -> None:
        self.dut = dut
        self.requesters = requesters
        self.cycle = 0

    async def run(self, max_cycles: int) -> None:
        """Until all results are there; begins right after a rising edge.

        Raises:
            AssertionError: Results are missing after this many cycles, or an offered one changed.
        """
        end = self.cycle + max_cycles
        while any(r.waiting or len(r.results) < len(r.accepted) for r in self.requesters):
            assert self.cycle < end, "results are missing"
            await self.step()

    async def step(self) -> None:
        """One cycle."""
        takes = [self._drive(requester) for requester in self.requesters]
        self._drive_cores(takes)
        await FallingEdge(self.dut.clk_i)
        for requester, takes_it in zip(self.requesters, takes, strict=True):
            self._look(requester, takes_it)
        await RisingEdge(self.dut.clk_i)
        self.cycle += 1

    def _drive(self, requester: Requester) -> bool:
        if not requester.is_asking and requester.waiting:
            requester.is_asking = not next(requester.idle)
        dut, lane = self.dut, requester.lane
        takes = not next(requester.back_pressure)
        if lane is None:
            dut.dca_valid_i.value = requester.is_asking
            dut.dca_result_ready_i.value = takes
        if requester.is_asking:
            request = requester.waiting[0]
            operation = request.operator << 4 | request.element
            if lane is None:
                third = request.operands[2] if len(request.operands) == 3 else 0
                dut.dca_operation_i.value = operation
                dut.dca_a_i.value, dut.dca_b_i.value = request.operands[:2]
                dut.dca_third_i.value = third
                dut.dca_has_third_i.value = len(request.operands) == 3
                dut.dca_tag_i.value = request.tag
            else:
                dut.core_operation_i[lane].value = operation
                dut.core_a_i[lane].value, dut.core_b_i[lane].value = request.operands
                dut.core_tag_i[lane].value = request.tag
        return takes

    def _drive_cores(self, takes: list[bool]) -> None:
        pairs = list(zip(self.requesters, takes, strict=True))
        bits = [(r, t) for r, t in pairs if r.lane is not None]
        self.dut.core_valid_i.value = sum(r.is_asking << r.lane for r, _ in bits)
        self.dut.core_result_ready_i.value = sum(t << r.lane for r, t in bits)

    def _look(self, requester: Requester, takes: bool) -> None:
        dut, lane = self.dut, requester.lane
        if lane is None:
            ready, valid = int(dut.dca_ready_o.value), int(dut.dca_result_valid_o.value)
            handles = (dut.dca_result_o, dut.dca_refusal_o, dut.dca_result_tag_o)
        else:
            ready = int(dut.core_ready_o.value) >> lane & 1
            valid = int(dut.core_result_valid_o.value) >> lane & 1
            outputs = (dut.core_result_o, dut.core_refusal_o, dut.core_result_tag_o)
            handles = tuple(output[lane] for output in outputs)
        if requester.is_asking:
            requester.offered.append(self.cycle)
            if ready:
                requester.accepted.append((self.cycle, requester.waiting.popleft()))
                requester.is_asking = False
        shown = tuple(int(handle.value) for handle in handles) if valid else None
        assert requester.shown is None or shown == requester.shown, "an offered result changed"
        requester.shown = None if takes else shown
        if shown is not None and takes:
            requester.results.append((self.cycle, *shown))
