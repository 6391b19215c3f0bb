# SPDX-License-Identifier: Apache-2.0
"""The slice: results go to who asked, in order, in time; cores and network alternate."""

from __future__ import annotations

import itertools
import os
import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from common import handshake, runner
from common.cases import cases
from common.pauses import pauses
from noccl_compute_slice.operations import Bench, Request, Requester, random_request

ALL = 0x3FF
# Types, lanes, rows: everything; one type; several widths but not the longest; one cycle only.
CONFIGURATIONS = {
    "all": (ALL, 2, True),
    "fp64": (0x001, 2, False),
    "fp32-fp16-int8-int32": (0x146, 1, True),
    "bf16-e4m3": (0x018, 1, False),
    "e5m2": (0x020, 1, False),
}
NUM_REQUESTS = cases(80, 250)
PATTERNS = [("never", "never"), ("rarely", "often"), ("often", "rarely"), ("bursts", "bursts")]


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_properties_hold_for_every_configuration(configuration: str) -> None:
    elements, num_lanes, has_third = CONFIGURATIONS[configuration]
    parameters = {"Elements": elements, "NumLanes": num_lanes, "ThreeOperands": int(has_third)}
    build = runner.Build("noccl_compute_slice_tb", parameters)
    runner.run(build, __file__, {"CONFIGURATION": configuration})


def configuration() -> tuple[int, int, bool]:
    return CONFIGURATIONS[os.environ["CONFIGURATION"]]


def random_requests(
    rng: random.Random, lane: int | None, count: int, *, legal: bool = False
) -> deque[Request]:
    elements, num_lanes, has_third = configuration()
    num_bits = 64 * num_lanes if lane is None else 64
    operands = (2, 3) if lane is None and has_third else (2,)
    only = elements if legal else 0
    return deque(random_request(rng, num_bits, operands, legal=only) for _ in range(count))


def requester(
    lane: int | None, requests: deque[Request], idle: str = "never", back_pressure: str = "never"
) -> Requester:
    rng = random.Random(cocotb.RANDOM_SEED + (0 if lane is None else lane + 1))
    return Requester(lane, requests, pauses(idle, rng), pauses(back_pressure, rng))


async def started(dut, requesters: list[Requester]) -> Bench:
    dut.dca_valid_i.value = 0
    dut.core_valid_i.value = 0
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)
    return Bench(dut, requesters)


def check_values(requester: Requester) -> None:
    elements, num_lanes, _ = configuration()
    num_bytes = 8 * num_lanes if requester.lane is None else 8
    pairs = zip(requester.accepted, requester.results, strict=True)
    for (_, request), (_, value, refusal, tag) in pairs:
        assert tag == request.tag, "a result of another request"
        assert refusal == request.refusal(elements), request
        assert value == request.result(elements, num_bytes), request


@cocotb.test()
@cocotb.parametrize(idle_and_back_pressure=list(itertools.product(PATTERNS, PATTERNS)))
async def results_go_to_who_asked_in_order(dut, idle_and_back_pressure) -> None:
    rng = random.Random(cocotb.RANDOM_SEED)
    of_network, of_cores = idle_and_back_pressure
    lanes = range(configuration()[1])
    requesters = [requester(None, random_requests(rng, None, NUM_REQUESTS), *of_network)]
    requesters += [
        requester(lane, random_requests(rng, lane, NUM_REQUESTS), *of_cores) for lane in lanes
    ]
    bench = await started(dut, requesters)
    await bench.run(max_cycles=100 * NUM_REQUESTS)
    for each in requesters:
        assert len(each.results) == NUM_REQUESTS
        check_values(each)


def result_cycles(requester: Requester) -> list[int]:
    """When results come that are always taken, from the cycles of acceptance."""
    elements = configuration()[0]
    cycles, first_exit, second_exit = [], -1, -1
    for start, request in requester.accepted:
        latency = request.cycles(elements)
        first_exit = max(start + latency, first_exit + 1)
        adds_third = len(request.operands) == 3 and not request.refusal(elements)
        if adds_third:
            second_exit = max(first_exit + latency, second_exit + 1)
        elif second_exit >= first_exit:
            # Something older is in the second row: through it.
            second_exit = max(first_exit + 1, second_exit + 1)
        cycles.append(max(first_exit, second_exit) if second_exit >= first_exit else first_exit)
    return cycles


@cocotb.test()
@cocotb.parametrize(who=["network", "core"], legal=[False, True], idle=["never", "rarely", "often"])
async def a_result_comes_after_its_latency_or_behind_its_predecessor(
    dut, who: str, legal: bool, idle: str
) -> None:
    rng = random.Random(cocotb.RANDOM_SEED)
    lane = None if who == "network" else configuration()[1] - 1
    only = requester(lane, random_requests(rng, lane, NUM_REQUESTS, legal=legal), idle)
    bench = await started(dut, [only])
    await bench.run(max_cycles=20 * NUM_REQUESTS)
    assert [cycle for cycle, *_ in only.results] == result_cycles(only)
    check_values(only)
    assert only.offered == [cycle for cycle, _ in only.accepted], "nobody else asked"


@cocotb.test()
async def operations_of_one_type_stream_at_one_per_cycle(dut) -> None:
    elements, num_lanes, has_third = configuration()
    rng = random.Random(cocotb.RANDOM_SEED)
    requests = list(
        itertools.product([e for e in range(10) if elements >> e & 1], [2, 3][: 1 + has_third])
    )
    for element, operands in requests:
        values = tuple(rng.getrandbits(64 * num_lanes) for _ in range(operands))
        requests = deque(Request(element, 0, values, tag) for tag in range(20))
        only = requester(None, requests)
        bench = await started(dut, [only])
        await bench.run(max_cycles=100)
        start, latency = only.accepted[0][0], only.accepted[0][1].cycles(elements)
        expected = [start + (operands - 1) * latency + i for i in range(20)]
        assert [cycle for cycle, *_ in only.results] == expected


@cocotb.test()
async def beats_of_the_network_cost_the_cores_one_cycle_each(dut) -> None:
    """As in the simulator: the network is served at once, then every other cycle."""
    _, num_lanes, _ = configuration()
    rng = random.Random(cocotb.RANDOM_SEED)
    lanes = [requester(lane, random_requests(rng, lane, 60)) for lane in range(num_lanes)]
    network = requester(None, deque())
    bench = await started(dut, [network, *lanes])
    for _ in range(10):
        await bench.step()
    network.waiting.extend(random_requests(rng, None, 20))
    await bench.run(max_cycles=400)
    assert [cycle for cycle, _ in network.accepted] == [10 + 2 * beat for beat in range(20)]
    for lane in lanes:
        expected = [*range(10), *(11 + 2 * i for i in range(20)), *range(50, 80)]
        assert [cycle for cycle, _ in lane.accepted] == expected
    for each in (network, *lanes):
        check_values(each)


@cocotb.test()
@cocotb.parametrize(idle=["never", "rarely", "often", "bursts"])
async def nobody_waits_longer_than_a_cycle_while_results_are_taken(dut, idle: str) -> None:
    rng = random.Random(cocotb.RANDOM_SEED)
    lanes = range(configuration()[1])
    requesters = [requester(None, random_requests(rng, None, NUM_REQUESTS), idle)]
    requesters += [requester(i, random_requests(rng, i, NUM_REQUESTS), idle) for i in lanes]
    bench = await started(dut, requesters)
    await bench.run(max_cycles=20 * NUM_REQUESTS)
    for each in requesters:
        accepted = [cycle for cycle, _ in each.accepted]
        for cycle in each.offered:
            assert cycle in accepted or cycle + 1 in accepted


@cocotb.test()
async def results_that_nobody_takes_fill_the_stages_and_wait_there(dut) -> None:
    elements, _, has_third = configuration()
    rng = random.Random(cocotb.RANDOM_SEED)
    depth = max(Request(e, 0, (), 0).cycles(elements) for e in range(10) if elements >> e & 1)
    rows = 1 + has_third
    for number in range(8):
        network = requester(None, random_requests(rng, None, 20))
        network.back_pressure = itertools.chain([True] * 40, itertools.repeat(False))
        core = requester(0, random_requests(rng, 0, 5) if number % 2 else deque())
        bench = await started(dut, [network, core])
        for _ in range(40):
            await bench.step()
        assert not network.results
        # Cores may hold stages of the first row as long as the network does not move.
        held = rows * depth
        assert len(network.accepted) == held if number % 2 == 0 else len(network.accepted) <= held
        await bench.run(max_cycles=200)
        check_values(network)
        check_values(core)
