# SPDX-License-Identifier: Apache-2.0
"""Properties of the merge table: the model's decisions, cycle by cycle; no leaf lost or doubled."""

from __future__ import annotations

import os
import random
from collections import Counter, defaultdict, deque

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from common import count, flits, handshake, runner
from common.cases import cases
from common.flits import PORTS
from common.merge_model import Contribution, Model
from common.pauses import KINDS, pauses

NUM_TRANSACTIONS = cases(100, 600)
MAX_CYCLES = 60_000
# Bits of a tag that traffic uses: the fewer, the more often a name comes back.
TAGS = 64
# More than the table holds.
MAX_OPEN = 12
# Longer than any timeout.
LATE_CYCLES = 300
RESULT = 5


# The second: a tick that is no power of two, as links of more than one cycle give.
SIZES = [(8, 256, 1), (2, 72, 1), (8, 256, 3), (2, 32, 3)]


@pytest.mark.parametrize(("entries", "timeout_cycles", "merge_cycles"), SIZES)
def test_properties_hold_for_every_size(
    entries: int, timeout_cycles: int, merge_cycles: int
) -> None:
    numbers = {
        "Entries": entries,
        "TimeoutCycles": timeout_cycles,
        "MergeCycles": merge_cycles,
    }
    environment = {name.upper(): str(value) for name, value in numbers.items()}
    runner.run(runner.Build("noccl_merge_tb", numbers), __file__, environment)


def merge_cycles() -> int:
    return int(os.environ["MERGECYCLES"])


def model(here: flits.Coord) -> Model:
    sizes = int(os.environ["ENTRIES"]), int(os.environ["TIMEOUTCYCLES"])
    return Model(here, *sizes, has_registers=merge_cycles() > 1)


def contributions(rng: random.Random, here: flits.Coord, tag: int) -> dict[int, list[Contribution]]:
    """Flits of one transaction by input: one, or pieces where a table upstream was full."""
    joins = [j for j in ALL_JOINS if sum(map(len, j.inputs(here).values())) > 1]
    join = rng.choice(joins)
    own_copy = join.root in join.members and rng.random() < 0.5
    by_input = {}
    for port, members in join.inputs(here).items():
        is_own = own_copy and here == join.root and port == flits.LOCAL
        rest, pieces = len(members) - is_own, []
        while rest:
            count = rest if rng.random() < 0.7 else rng.randint(1, rest)
            resp = rng.choice([0, 0, 0, 2, 3])
            pieces.append(Contribution(join, tag, count, resp, own_copy))
            rest -= count
        by_input[port] = pieces
    return by_input


ALL_JOINS = [j for j in flits.joins() if len(j.members) > 1]


def header(contribution: Contribution) -> int:
    root_x, root_y = contribution.join.root
    extra = {"kind": 2, "src_x": root_x, "src_y": root_y, "own_copy": contribution.own_copy}
    number = {"tag": contribution.tag, "count": contribution.count, "resp": contribution.resp}
    return flits.pack("rsp", {**contribution.join.fields(), **extra, **number})


class Bench:
    """The unit and its model side by side."""

    def __init__(self, dut, here: flits.Coord, rng: random.Random) -> None:
        self.dut, self.rng, self.model = dut, rng, model(here)
        self.queues = {port: deque() for port in PORTS}
        self.left = Counter()
        self.worst = Counter()
        self.num_flits = self.num_results = 0
        # Contributions that come at a cycle.
        self.late = defaultdict(list)

    async def start(self) -> None:
        c = flits.constants()
        self.dut.position_i.value = self.model.here[0] << c["Y_BITS"] | self.model.here[1]
        self.dut.join_valid_i.value = 0
        self.dut.taken_i.value = 0
        self.dut.result_ready_i.value = 0
        await handshake.start(self.dut.clk_i, self.dut.rst_ni)

    async def cycle(self, offered: set[int], granted: set[int], *, is_ready: bool) -> set[int]:
        """Offers heads; compares what the unit says; grants. Returns inputs whose heads stay."""
        for port, part in self.late.pop(self.model.num_cycles, []):
            # In any order, but never in front of a head that may have been seen.
            length = len(self.queues[port])
            self.queues[port].insert(self.rng.randint(min(length, 1), length), part)
        dut, heads = self.dut, {i: self.queues[i][0] for i in offered if self.queues[i]}
        dut.join_valid_i.value = sum(1 << i for i in heads)
        for i, head in heads.items():
            dut.head_i[i].value = header(head)
        dut.result_ready_i.value = is_ready
        # Grants follow requests: they cannot be known before the unit has spoken.
        dut.taken_i.value = 0
        await FallingEdge(dut.clk_i)
        forward = int(dut.forward_o.value)
        taken = {i for i in granted if forward >> i & 1}
        dut.taken_i.value = sum(1 << i for i in taken)
        expected = self.model.step(heads, taken, is_ready=is_ready)
        assert int(dut.absorb_o.value) == sum(1 << i for i in expected.absorbed)
        assert forward == sum(1 << i for i in expected.forwarded)
        for i, contribution in expected.forwarded.items():
            assert int(dut.hdr_o[i].value) == header(contribution)
        assert bool(dut.result_valid_o.value) == (expected.result is not None)
        if expected.result is not None:
            assert int(dut.result_o.value) == header(expected.result)
            if is_ready:
                self.leave(expected.result)
                self.num_results += 1
        for i in taken:
            self.leave(expected.forwarded[i])
        gone = taken | expected.absorbed
        for i in gone:
            self.queues[i].popleft()
        await RisingEdge(dut.clk_i)
        return set(heads) - gone

    def leave(self, flit: Contribution) -> None:
        self.left[flit.tag] += flit.count
        self.worst[flit.tag] = max(self.worst[flit.tag], flit.resp)
        self.num_flits += 1

    def is_idle(self) -> bool:
        waits = [e for e in self.model.entries.values() if not e.has_passed]
        return not (any(self.queues.values()) or self.late or waits) and self.model.result is None


@cocotb.test()
@cocotb.parametrize(idle=KINDS, back_pressure=KINDS)
async def every_leaf_leaves_once(dut, idle: str, back_pressure: str) -> None:
    rng = random.Random(cocotb.RANDOM_SEED)
    here = rng.choice(flits.routers()[4:])
    bench = Bench(dut, here, rng)
    await bench.start()
    expected: dict[int, tuple[int, int]] = {}
    idles = {i: pauses(idle, rng) for i in PORTS}
    stalls = {i: pauses(back_pressure, rng) for i in (*PORTS, RESULT)}
    shown: set[int] = set()

    def open_tags() -> set[int]:
        return {tag for tag, (leaves, _) in expected.items() if bench.left[tag] < leaves}

    for number in range(NUM_TRANSACTIONS):
        tag = number % TAGS
        for _ in range(MAX_CYCLES):
            # A name comes back only when its transaction is over.
            if tag not in open_tags() and len(open_tags()) < MAX_OPEN:
                break
            shown = await random_cycle(bench, idles, stalls, shown)
        else:
            raise AssertionError(f"transaction {tag} is never over")
        by_input = contributions(rng, here, tag)
        flits_in = [part for parts in by_input.values() for part in parts]
        bench.left[tag] = bench.worst[tag] = 0
        expected[tag] = (sum(f.count for f in flits_in), max(f.resp for f in flits_in))
        for port, parts in by_input.items():
            for part in parts:
                is_late = rng.random() < 0.03
                bench.late[bench.model.num_cycles + LATE_CYCLES * is_late].append((port, part))
    for _ in range(MAX_CYCLES):
        if bench.is_idle():
            break
        shown = await random_cycle(bench, idles, stalls, shown)
    assert bench.is_idle()
    assert {t: (bench.left[t], bench.worst[t]) for t in expected} == expected
    assert bench.model.has_overflowed
    assert bench.num_results > 0
    count.add(NUM_TRANSACTIONS)


async def random_cycle(bench: Bench, idles, stalls, shown: set[int]) -> set[int]:
    """A head that has been offered stays until it leaves."""
    offered = {i for i in PORTS if bench.queues[i] and (i in shown or not next(idles[i]))}
    granted = {i for i in PORTS if not next(stalls[i])}
    return await bench.cycle(offered, granted, is_ready=not next(stalls[RESULT]))


@cocotb.test()
async def contributions_that_come_together_leave_as_one_flit(dut) -> None:
    here, rng = (2, 1), random.Random(cocotb.RANDOM_SEED)
    bench = Bench(dut, here, rng)
    await bench.start()
    join = flits.Join((0, 0), (3, 3), here)
    for port, members in join.inputs(here).items():
        bench.queues[port].append(Contribution(join, 5, len(members), 0))
    assert len(join.inputs(here)) == 5
    for _ in range(merge_cycles() - 1):
        await bench.cycle(set(PORTS), set(PORTS), is_ready=True)
    assert bench.num_flits == 0
    await bench.cycle(set(PORTS), set(PORTS), is_ready=True)
    assert bench.left[5] == 16
    assert bench.num_flits == 1


@cocotb.test()
async def a_full_table_lets_new_transactions_pass_and_its_own_give_up_in_time(dut) -> None:
    here, rng = (2, 1), random.Random(cocotb.RANDOM_SEED)
    bench = Bench(dut, here, rng)
    await bench.start()
    join = flits.Join((0, 0), (3, 0), here)
    num_entries, timeout = bench.model.num_entries, bench.model.timeout_cycles
    # One more than fits: the last one passes; a contribution frees an entry; the next is timed.
    for tag in range(num_entries + 1):
        bench.queues[flits.WEST].append(Contribution(join, tag, 1, 0))
    for _ in range((num_entries + 1) * merge_cycles()):
        await bench.cycle({flits.WEST}, set(PORTS), is_ready=True)
    assert bench.left == {num_entries: 1}
    rest = Contribution(join, 0, 3, 0)
    bench.queues[flits.EAST].append(rest)
    for _ in range(merge_cycles()):
        await bench.cycle({flits.EAST}, set(PORTS), is_ready=True)
    assert bench.left[0] == 4
    bench.queues[flits.LOCAL].append(Contribution(join, 60, 1, 2))
    for _ in range(merge_cycles()):
        await bench.cycle({flits.LOCAL}, set(PORTS), is_ready=True)
    cycle = merge_cycles() // 2
    while not bench.left[60] and cycle < timeout:
        cycle += 1
        await bench.cycle(set(), set(PORTS), is_ready=True)
    assert timeout * 6 // 8 <= cycle <= timeout * 7 // 8 + 2
    # Those that were made before the table was full wait for ever.
    assert bench.left[1] == 0
