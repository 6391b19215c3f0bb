# SPDX-License-Identifier: Apache-2.0
"""Properties of wide reductions at a merge point: every sum once, in order, right; no stall."""

from __future__ import annotations

import os
import random
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from common import count, flits, handshake, runner
from common.cases import cases
from common.flits import LOCAL, PORTS, Join
from common.pauses import KINDS, pauses
from common.reduction_model import Flow

MAX_BEATS = 1 << flits.constants()["BURST_BITS"]
NUM_FLOWS = cases(10, 60)
MAX_CYCLES = 60_000
# More than there are slots.
MAX_OPEN = flits.constants()["REDUCTION_FLOWS"]
TAGS = 1 << flits.constants()["TAG_BITS"]
JOINS = [join for join in flits.joins() if len(join.members) > 1]
OUTPUT, GRANT, RETURN = "output", "grant", "return"


# Operands of a pass, cycles of an addition, beats that the arithmetic holds.
@pytest.mark.parametrize(
    ("operands", "add_cycles", "pipeline_beats"), [(3, 3, 6), (3, 1, 2), (2, 3, 3), (2, 1, 1)]
)
def test_properties_hold_for_every_arithmetic(
    operands: int, add_cycles: int, pipeline_beats: int
) -> None:
    parameters = {"AddCycles": add_cycles, "PipelineBeats": pipeline_beats}
    package = {"REDUCTION_OPERANDS": operands}
    build = runner.Build("noccl_reduction_tb", parameters, package=package)
    environment = {name.upper(): str(value) for name, value in (parameters | package).items()}
    runner.run(build, __file__, environment)


def position(at: flits.Coord) -> int:
    return at[0] << flits.constants()["Y_BITS"] | at[1]


class Bench:
    """The unit, its senders and its receivers."""

    def __init__(self, dut, here: flits.Coord, rng: random.Random) -> None:
        self.dut, self.here, self.rng = dut, here, rng
        self.flows: list[Flow] = []
        # Flow whose operand stands at each input.
        self.heads: dict[int, Flow | None] = dict.fromkeys(PORTS)
        self.cycle_number = 0
        self.absorbed_cycles: list[int] = []
        self.sum_cycles: list[int] = []
        self.credits = Counter()
        self.most_open = 0

    async def start(self) -> None:
        dut = self.dut
        dut.position_i.value = position(self.here)
        for signal in (
            dut.join_valid_i,
            dut.result_ready_i,
            dut.credit_valid_i,
            dut.credit_return_ready_i,
        ):
            signal.value = 0
        dut.dca_grant_i.value = 1
        await handshake.start(dut.clk_i, dut.rst_ni)

    def named(self, name: int) -> Flow:
        tag_bits = flits.constants()["TAG_BITS"]
        found = [f for f in self.flows if position(f.join.root) << tag_bits | f.tag == name]
        assert len(found) == 1, f"{len(found)} flows of name {name:#x}"
        return found[0]

    def choose_heads(self, offers: dict[int, bool]) -> None:
        """An operand at an input stays; a free input may get one of any flow with a credit."""
        for port in PORTS:
            if self.heads[port] is None and offers[port]:
                sendable = [flow for flow in self.flows if flow.may_send(port)]
                if sendable:
                    self.heads[port] = self.rng.choice(sendable)

    def credit(self) -> Flow | None:
        pending = [flow for flow in self.flows if flow.has_pending_credit()]
        return self.rng.choice(pending) if pending and self.rng.random() < 0.5 else None

    async def cycle(self, offers: dict[int, bool], ready: dict[str, bool]) -> None:
        dut = self.dut
        self.choose_heads(offers)
        for port, flow in self.heads.items():
            if flow is not None:
                header, data = flow.operand(port)
                dut.head_i[port].value = header
                dut.data_i[port].value = data
        dut.is_whole_i.value = sum(
            1 << p for p, flow in self.heads.items() if flow is not None and flow.is_whole(p)
        )
        dut.join_valid_i.value = sum(1 << p for p, flow in self.heads.items() if flow is not None)
        dut.result_ready_i.value = ready[OUTPUT]
        dut.dca_grant_i.value = ready[GRANT]
        dut.credit_return_ready_i.value = ready[RETURN]
        credited = self.credit()
        dut.credit_valid_i.value = credited is not None
        if credited is not None:
            root = position(credited.join.root)
            dut.credit_name_i.value = root << flits.constants()["TAG_BITS"] | credited.tag
        await FallingEdge(dut.clk_i)
        if credited is not None:
            assert dut.credit_hit_o.value == 1
            credited.num_credited += flits.constants()["CREDIT_BEATS"]
        self.take_credits(ready)
        self.take_sum(ready)
        self.take_heads()
        self.flows = [flow for flow in self.flows if not flow.is_over()]
        self.cycle_number += 1
        await RisingEdge(dut.clk_i)

    def take_heads(self) -> None:
        absorb, forward = int(self.dut.absorb_o.value), int(self.dut.forward_o.value)
        assert absorb & forward == 0
        for port, flow in self.heads.items():
            is_single = flow is not None and len(flow.join.inputs(self.here)) == 1
            assert bool(forward >> port & 1) == is_single
            if absorb >> port & 1:
                assert flow is not None
                flow.send(port)
                self.heads[port] = None
                self.absorbed_cycles.append(self.cycle_number)

    def take_sum(self, ready: dict[str, bool]) -> None:
        dut = self.dut
        if not dut.result_valid_o.value or not ready[OUTPUT]:
            return
        assert not dut.lanes_differ_o.value
        header = int(dut.result_hdr_o.value)
        fields = flits.unpack("wide", header)
        root = fields["dst_x"] << flits.constants()["Y_BITS"] | fields["dst_y"]
        flow = self.named(root << flits.constants()["TAG_BITS"] | fields["tag"])
        flow.take_sum(header, int(dut.result_data_o.value))
        self.sum_cycles.append(self.cycle_number)

    def take_credits(self, ready: dict[str, bool]) -> None:
        dut, batch = self.dut, flits.constants()["CREDIT_BEATS"]
        if dut.credit_return_valid_o.value and ready[RETURN]:
            flow, dst = (
                self.named(int(dut.credit_return_name_o.value)),
                int(dut.credit_return_dst_o.value),
            )
            ports = [p for p in flow.sent if p != LOCAL]
            froms = [p for p in ports if position(flow.join.contributor(self.here, p)) == dst]
            assert froms, f"nobody sends from {dst:#x}"
            self.give(flow, froms[0], batch)
        if dut.own_valid_o.value:
            self.give(self.named(int(dut.own_name_o.value)), LOCAL, batch)

    def give(self, flow: Flow, port: int, batch: int) -> None:
        assert flow.needs(port), "credits for a sender that has enough"
        flow.credits[port] += batch
        self.credits[port] += batch


def random_flow(rng: random.Random, here: flits.Coord, tag: int, joins: list[Join]) -> Flow:
    join = rng.choice(joins)
    beats = rng.choice([1, 2, rng.randint(1, MAX_BEATS), MAX_BEATS])
    disagrees = rng.choice(list(join.inputs(here))) if rng.random() < 0.2 else None
    return Flow(join, tag, beats, rng.randrange(1000), disagrees, here, rng)


@cocotb.test()
@cocotb.parametrize(idle=KINDS, back_pressure=KINDS)
async def every_sum_leaves_once_in_order_and_windows_hold(dut, idle: str, back_pressure: str):
    rng = random.Random(cocotb.RANDOM_SEED)
    here = rng.choice([(2, 1), (2, 2), (3, 1), (1, 0), (3, 3)])
    joins = [join for join in JOINS if len(join.inputs(here)) > 1]
    bench = Bench(dut, here, rng)
    await bench.start()
    idles = {port: pauses(idle, rng) for port in PORTS}
    stalls = {side: pauses(back_pressure, rng) for side in (OUTPUT, GRANT, RETURN)}
    num_started = 0
    for _ in range(MAX_CYCLES):
        if num_started < NUM_FLOWS and len(bench.flows) < MAX_OPEN and rng.random() < 0.1:
            bench.flows.append(random_flow(rng, here, num_started % TAGS, joins))
            num_started += 1
        offers = {port: not next(of) for port, of in idles.items()}
        await bench.cycle(offers, {side: not next(of) for side, of in stalls.items()})
        if num_started == NUM_FLOWS and not bench.flows:
            break
    assert not bench.flows, "never over"
    await FallingEdge(dut.clk_i)
    assert not dut.result_valid_o.value
    count.add(NUM_FLOWS)


async def alone(dut, join: Join, here: flits.Coord, beats: int) -> Bench:
    """One flow, nothing that holds it up."""
    bench = Bench(dut, here, random.Random(cocotb.RANDOM_SEED))
    await bench.start()
    bench.flows = [Flow(join, 3, beats, 7, None, here, bench.rng)]
    for _ in range(MAX_CYCLES):
        if not bench.flows:
            return bench
        await bench.cycle(dict.fromkeys(PORTS, True), dict.fromkeys((OUTPUT, GRANT, RETURN), True))
    raise AssertionError("never over")


# Sets, roots and routers with two to five inputs.
SHAPES = {
    2: (Join((0, 0), (3, 0), (1, 0)), (2, 0)),
    3: (Join((0, 0), (3, 3), (1, 0)), (1, 0)),
    4: (Join((0, 0), (3, 3), (2, 0)), (2, 0)),
    5: (Join((0, 0), (3, 3), (2, 1)), (2, 1)),
}


def passes(num_inputs: int) -> list[int]:
    """Operands of each pass of a beat, a sum so far among them."""
    if os.environ["REDUCTION_OPERANDS"] == "2":
        return [2] * (num_inputs - 1)
    return {2: [2], 3: [3], 4: [2, 3], 5: [3, 3]}[num_inputs]


@cocotb.test()
@cocotb.parametrize(num_inputs=[2, 3, 4, 5])
async def a_beat_takes_its_additions_and_two_cycles_per_pass(dut, num_inputs: int) -> None:
    join, here = SHAPES[num_inputs]
    assert len(join.inputs(here)) == num_inputs
    bench = await alone(dut, join, here, 1)
    # The first operand to come takes a slot, the others come in the next cycle.
    assert bench.absorbed_cycles == [0] + [1] * (num_inputs - 1)
    add_cycles = int(os.environ["ADDCYCLES"])
    # Between the passes: into the store, chosen, read.
    cycles = sum(2 + add_cycles * (operands - 1) for operands in passes(num_inputs))
    assert bench.sum_cycles == [1 + cycles]


@cocotb.test()
@cocotb.parametrize(num_inputs=[2, 3, 4, 5])
async def beats_follow_each_other_at_full_rate(dut, num_inputs: int) -> None:
    join, here = SHAPES[num_inputs]
    bench = await alone(dut, join, here, MAX_BEATS)
    cycles = bench.sum_cycles[-1] - bench.sum_cycles[0]
    # A pass per cycle; of three operands, sums that go back into the store wait too.
    num_passes = len(passes(num_inputs))
    waits = {"3": 0.4, "1": 1.1}[os.environ["ADDCYCLES"]]
    if num_passes == 1 or os.environ["REDUCTION_OPERANDS"] == "2":
        waits = 0
    assert cycles <= (num_passes + waits) * (MAX_BEATS - 1) + 4


@cocotb.test()
async def a_flow_that_finds_no_slot_waits_for_one(dut) -> None:
    join, here = SHAPES[2]
    bench = Bench(dut, here, random.Random(cocotb.RANDOM_SEED))
    await bench.start()
    first, second = sorted(join.inputs(here))
    bench.flows = [Flow(join, tag, 1, 7, None, here, bench.rng) for tag in range(MAX_OPEN + 1)]
    nobody, ready = dict.fromkeys(PORTS, False), dict.fromkeys((OUTPUT, GRANT, RETURN), True)
    for _ in range(4 * MAX_OPEN):
        await bench.cycle(nobody | {first: True}, ready)
    assert len(bench.absorbed_cycles) == MAX_OPEN
    waiting = bench.heads[first]
    assert waiting is not None
    for flow in [*(flow for flow in bench.flows if flow is not waiting), waiting]:
        bench.heads[second] = flow
        while bench.heads[second] is not None:
            await bench.cycle(nobody, ready)
            assert bench.cycle_number < MAX_CYCLES
    while bench.flows:
        await bench.cycle(nobody, ready)
        assert bench.cycle_number < MAX_CYCLES
