# SPDX-License-Identifier: Apache-2.0
"""Properties of the reduction table: it counts and combines as a list of all contributions says."""

from __future__ import annotations

import os
import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from common import count, handshake, runner
from common.cases import cases
from noccl_compute_slice import formats
from noccl_smart_table.reductions import NUM_LINES, NUM_PORTS, Arrival, Passage, Traffic

NUM_CYCLES = cases(150, 500)
NUM_LOOKS = 3
# Operands of one lane, of two, of a part of one that is no power of two, and of an element.
SIZES = [(4, 64), (3, 128), (2, 40), (1, 8)]


@pytest.mark.parametrize(("entries", "data_bits"), SIZES)
def test_properties_hold_for_every_size(entries: int, data_bits: int) -> None:
    parameters = {"Entries": entries, "DataBits": data_bits, "NumLooks": NUM_LOOKS}
    environment = {"ENTRIES": str(entries), "DATA_BITS": str(data_bits)}
    runner.run(runner.Build("noccl_smart_table", parameters), __file__, environment)


def size() -> tuple[int, int]:
    """Entries, and bits of an operand."""
    return int(os.environ["ENTRIES"]), int(os.environ["DATA_BITS"])


class Bench:
    """Drives a cycle's inputs, and compares a cycle's outputs."""

    def __init__(self, dut, rng: random.Random) -> None:
        """Nothing is driven yet."""
        self.dut = dut
        self.rng = rng
        self.entries, self.data_bits = size()
        self.looks: list[tuple[int, int]] = []

    def drive(self, passages: dict[int, Passage], arrivals: dict[int, Arrival]) -> None:
        """What comes in this cycle; what is not valid is noise."""
        dut, rng = self.dut, self.rng
        dut.pass_valid_i.value = sum(1 << line for line in passages)
        for line in range(NUM_LINES):
            is_noise = line not in passages
            id_ = rng.randrange(self.entries) if is_noise else passages[line].id
            dut.pass_id_i[line].value = id_
        dut.arrive_valid_i.value = sum(1 << port for port in arrivals)
        for port in range(NUM_PORTS):
            arrival = arrivals.get(port)
            id_ = arrival.id if arrival else rng.randrange(self.entries)
            dut.arrive_id_i[port].value = id_
            inputs = arrival.reduction.inputs if arrival else rng.randrange(8)
            dut.arrive_inputs_i[port].value = inputs

    def look(self, to_come: dict[int, int]) -> list[bool]:
        """Asks for some ids with their inputs, as reductions that use them do; what to expect."""
        expected = []
        for look in range(NUM_LOOKS):
            id_ = self.rng.randrange(self.entries)
            inputs, awaited = to_come[id_]
            self.dut.look_id_i[look].value = id_
            self.dut.look_inputs_i[look].value = inputs
            expected.append(awaited == 1)
        return expected

    def drive_operands(self, latched: dict[int, Arrival]) -> None:
        """Operands of what has come a cycle ago."""
        dut, rng = self.dut, self.rng
        has_operand = sum(
            rng.getrandbits(1) << port for port in range(NUM_PORTS) if port not in latched
        )
        for port in range(NUM_PORTS):
            arrival = latched.get(port)
            operator = element = 0
            operand = rng.getrandbits(self.data_bits)
            if arrival and arrival.operand is not None and arrival.reduction.element:
                has_operand |= 1 << port
                operand = arrival.operand
                operator = formats.OPERATORS.index(arrival.reduction.operator)
                element = arrival.reduction.element.code
            dut.operand_i[port].value = operand
            dut.operand_op_i[port].value = operator
            dut.operand_element_i[port].value = element
        dut.has_operand_i.value = has_operand

    def compare_counts(self, arrivals: dict[int, Arrival], looks: list[bool]) -> None:
        """Who goes on, and who would be the last one."""
        is_last = int(self.dut.arrive_is_last_o.value)
        for port, arrival in arrivals.items():
            assert bool(is_last >> port & 1) == arrival.is_last, (port, arrival)
        seen = int(self.dut.look_is_last_o.value)
        assert seen == sum(expected << look for look, expected in enumerate(looks))

    def compare_operands(self, passed: dict[int, Passage], latched: dict[int, Arrival]) -> None:
        """What goes on with those that have come a cycle ago."""
        has_data = int(self.dut.passed_has_data_o.value)
        for line in range(NUM_LINES):
            held = passed[line].held if line in passed else None
            assert bool(has_data >> line & 1) == (held is not None), line
            if held is not None:
                assert int(self.dut.passed_data_o[line].value) == held, (line, passed[line])
        for port, arrival in latched.items():
            if arrival.result is not None:
                assert int(self.dut.operand_o[port].value) == arrival.result, (port, arrival)


@cocotb.test()
@cocotb.parametrize(likelihood=[0.15, 0.5, 0.95])
async def every_contribution_is_counted_and_combined(dut, likelihood: float) -> None:
    rng = random.Random(cocotb.RANDOM_SEED)
    bench = Bench(dut, rng)
    traffic = Traffic(*size(), rng)
    bench.drive({}, {})
    bench.drive_operands({})
    bench.look(dict.fromkeys(range(bench.entries), (1, 1)))
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)
    passed: dict[int, Passage] = {}
    latched: dict[int, Arrival] = {}
    for _ in range(NUM_CYCLES):
        to_come = {id_: (r.inputs, r.to_come) for id_, r in traffic.open.items()}
        passages = traffic.passages()
        arrivals = traffic.arrivals(likelihood)
        bench.drive(passages, arrivals)
        looks = bench.look(to_come)
        bench.drive_operands(latched)
        await FallingEdge(dut.clk_i)
        bench.compare_counts(arrivals, looks)
        bench.compare_operands(passed, latched)
        traffic.end_cycle()
        passed, latched = passages, arrivals
        await RisingEdge(dut.clk_i)
    assert traffic.num_finished > NUM_CYCLES * likelihood / 5
    count.add(traffic.num_finished)
