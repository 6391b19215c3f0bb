# SPDX-License-Identifier: Apache-2.0
"""The arbiter: the simulator's choice, cycle by cycle; nobody waits longer than a round."""

from __future__ import annotations

import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from common import handshake, runner
from common.cases import cases
from common.pauses import KINDS, pauses

NUM_CYCLES = cases(400, 2000)


@pytest.mark.parametrize("num_requesters", [2, 3, 5, 6, 9])
def test_properties_hold_for_every_number_of_requesters(num_requesters: int) -> None:
    build = runner.Build("noccl_rr_arbiter", {"NumRequesters": num_requesters})
    runner.run(build, __file__)


def test_a_single_requester_is_refused() -> None:
    with pytest.raises(RuntimeError, match="AtLeastTwoRequesters"):
        runner.compile_bench(runner.Build("noccl_rr_arbiter", {"NumRequesters": 1}))


class Model:
    """What the simulator does: the next requester after the last one served, in ascending order."""

    def __init__(self) -> None:
        self.last = 0

    def choice(self, requests: set[int]) -> int | None:
        after = {requester for requester in requests if requester > self.last}
        return min(after or requests, default=None)


@cocotb.test()
@cocotb.parametrize(back_pressure=KINDS, chance=[0.1, 0.5, 1.0])
async def the_choice_is_the_simulators(dut, back_pressure: str, chance: float) -> None:
    rng = random.Random(cocotb.RANDOM_SEED)
    stalls = pauses(back_pressure, rng)
    num_requesters = len(dut.request_i)
    dut.request_i.value = 0
    dut.late_i.value = 0
    dut.late_valid_i.value = 0
    dut.ready_i.value = 0
    await handshake.start(dut.clk_i, dut.rst_ni)
    await RisingEdge(dut.clk_i)
    model, requests, waited = Model(), set(), dict.fromkeys(range(num_requesters), 0)
    num_served = 0
    for _ in range(NUM_CYCLES):
        requests |= {i for i in range(num_requesters) if rng.random() < chance}
        is_ready = not next(stalls)
        # One of them comes late, or somebody late does not ask.
        late = rng.choice([None, *range(num_requesters)])
        dut.request_i.value = sum(1 << i for i in requests if i != late)
        dut.late_i.value = 0 if late is None else 1 << late
        dut.late_valid_i.value = late in requests
        dut.ready_i.value = is_ready
        await FallingEdge(dut.clk_i)
        choice = model.choice(requests)
        assert int(dut.grant_o.value) == (0 if choice is None else 1 << choice)
        assert bool(dut.valid_o.value) == (choice is not None)
        if is_ready and choice is not None:
            for requester in requests:
                waited[requester] += 1
            assert waited[choice] <= num_requesters
            waited[choice] = 0
            requests.remove(choice)
            model.last = choice
            num_served += 1
        await RisingEdge(dut.clk_i)
    assert num_served > NUM_CYCLES // 30
