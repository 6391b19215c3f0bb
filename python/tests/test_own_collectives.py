# SPDX-License-Identifier: Apache-2.0
"""Collectives of a user's own, programs of chunks, and scatter, gather and scan on arrays."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noccl

NOCCL = Path(__file__).resolve().parents[2] / ".venv" / "bin" / "noccl"


@pytest.fixture(scope="module")
def network() -> noccl.Network:
    return noccl.load("collective_noc_4x4")


@pytest.mark.parametrize("root", ["0,0", "2,1", "3,3", "mem:1"])
def test_scatter_and_gather_move_the_rows_of_the_caller(network: noccl.Network, root: str) -> None:
    blocks = np.random.default_rng(1).integers(0, 255, (6, 40), dtype=np.int16)
    dealt = noccl.scatter(network, blocks, group="0,0,3,2", root=root)
    assert (dealt.values == blocks).all()
    back = noccl.gather(network, dealt.values, group="0,0,3,2", root=root)
    assert (back.values == blocks.ravel()).all()


@pytest.mark.parametrize("algorithm", ["point_to_point:ring", "point_to_point:2:rings", "auto"])
def test_a_scan_is_the_cumulative_sum(network: noccl.Network, algorithm: str) -> None:
    rows = np.random.default_rng(2).integers(-99, 99, (16, 32), dtype=np.int32)
    result = noccl.scan(network, rows, algorithm=algorithm)
    assert (result.values == np.cumsum(rows, axis=0, dtype=np.int32)).all()


def test_a_definition_is_refused_by_field(network: noccl.Network) -> None:
    cases: list[tuple[Any, str]] = [
        ([[(4, 0)], [], [], []], r"outputs\[0\]\[0\] = \[4, 0\]: a rank below 4"),
        ([[], [], [(0, 1)], []], r"outputs\[2\]\[0\].*input of rank 0, which has 1"),
        ([[(1, 0)]], "1 lists: one list for each of the 4 ranks"),
        ([[[(1, 0), (1, 0)]], [], [], []], r"\[1, 0\] twice"),
        ([[], [], [], []], "ask for nothing"),
        ([["(1, 0)"], [], [], []], r"outputs\[0\]\[0\]: str .*accepted: None, \(rank, chunk\)"),
        ([[{"any": 1}], [], [], []], "accepted: None"),
        ([[[(1, 0), (1,)]], [], [], []], "a list of 1"),
        ([[(-1, 0)], [], [], []], "-1; accepted: 0 to"),
    ]
    for outputs, message in cases:
        own = noccl.Definition("own", inputs=1, outputs=outputs)
        with pytest.raises(noccl.NocclError, match=message):
            noccl.compare(network, "custom", definition=own, group="row", sizes_bytes=[64])
    swap = noccl.Definition("swap", 1, [[(1, 0)], [(0, 0)]])
    with pytest.raises(noccl.NocclError, match="a definition of reduce: nothing"):
        noccl.compare(network, "reduce", definition=swap, group="0,0,2,1", sizes_bytes=[64])
    with pytest.raises(noccl.NocclError, match="collective 'custom': accepted: with definition"):
        noccl.compare(network, "custom", group="row", sizes_bytes=[64])


def _ring(num: int) -> noccl.Definition:
    return noccl.Definition("ring", inputs=num, outputs=[[{"all": c} for c in range(num)]] * num)


def _all_pairs(network: noccl.Network) -> noccl.ChunkProgram:
    """Everybody's chunks to everybody, who adds them in place."""
    program = noccl.ChunkProgram(network, _ring(4), group="0,0,2,2", chunk_bytes=64, element="int8")
    for rank in range(4):
        program.copy((0, "in", 0), (rank, "out", 0), count=4)
        for other in range(1, 4):
            program.reduce((other, "in", 0), (rank, "out", 0), count=4)
    return program


def test_a_program_is_proved_and_runs(network: noccl.Network) -> None:
    schedule = _all_pairs(network).schedule()
    report = noccl.check(network, schedule)
    assert report.fold_orders == ("[[[0, 1], 2], 3]",)
    # Four chunks side by side are one message, and one reduction; nothing moves within a rank.
    assert (report.transfers, report.actions) == (3 * 4, 2 * 3 * 4)
    assert schedule.parameters == {"name": "ring"}
    assert noccl.run(network, schedule).verified == "yes"


def test_a_program_that_does_something_else_is_refused(network: noccl.Network) -> None:
    program = _all_pairs(network)
    program.reduce((1, "in", 2), (3, "out", 2))
    with pytest.raises(noccl.ScheduleError, match=r"rank 3.*chunk 2 of rank 1 .* twice"):
        noccl.check(network, program.schedule())
    swap = noccl.Definition("swap", 1, [[(1, 0)], [(0, 0)]])
    program = noccl.ChunkProgram(network, swap, group="0,0,2,1", chunk_bytes=64)
    program.copy((0, "in", 0), (1, "out", 0))
    with pytest.raises(noccl.ScheduleError, match="rank 0"):
        noccl.check(network, program.schedule())


def test_lines_that_make_no_sense_are_refused_at_once(network: noccl.Network) -> None:
    program = noccl.ChunkProgram(network, _ring(4), group="row", chunk_bytes=64)
    one = (0, "in", 0)
    cases: list[tuple[Callable[[], None], str]] = [
        (lambda: program.copy((4, "in", 0), (0, "out", 0)), "source: rank: 4; accepted: 0 to 3"),
        (lambda: program.copy((0, "in", 4), (0, "out", 0)), "chunks 4 to 4 of 'in' of rank 0"),
        (lambda: program.copy(one, (0, "out", 3), count=2), "chunks 3 to 4 of 'out'"),
        (lambda: program.copy(one, (1, "in", 0)), "inputs stay"),
        (lambda: program.copy((0, "out", 1), (1, "out", 1)), "'out' of rank 0 holds nothing yet"),
        (lambda: program.reduce(one, (1, "out", 1)), "'out' of rank 1 holds nothing yet"),
        (lambda: program.copy(one, (1, "mid", 1)), "buffer str 'mid'; accepted"),
        (lambda: program.copy(one, (1, "out", 1), count=0), "count: 0; accepted: 1 to"),
    ]
    for line, message in cases:
        with pytest.raises(noccl.ArgumentError, match=message):
            line()
    with pytest.raises(noccl.ArgumentError, match="4 ranks in 'out'; accepted: 2"):
        noccl.ChunkProgram(network, _ring(4), group="0,0,2,1", chunk_bytes=64)
    many = noccl.Definition("many", [1] * 3, [[(0, 0)]] * 4)
    with pytest.raises(noccl.ArgumentError, match="ranks in 'in'"):
        noccl.ChunkProgram(network, many, group="row", chunk_bytes=64)


RANKS, CHUNKS = 3, 3
Chunks = tuple[int, str, int]
INPUTS = [(rank, "in", chunk) for rank in range(RANKS) for chunk in range(CHUNKS)]


def _drawn_lines(draws: random.Random) -> list[tuple[bool, Chunks, Chunks, int]]:
    """Lines that read chunks with something in them, and add no operand twice."""
    held: dict[Chunks, frozenset[Chunks]] = {place: frozenset([place]) for place in INPUTS}
    lines = []
    for _ in range(draws.randint(1, 25)):
        is_reduction, count = draws.random() < 0.6, draws.randint(1, 2)
        rank, buffer, chunk = draws.choice(sorted(held))
        target = (draws.randrange(RANKS), draws.choice(["out", "scratch"]), draws.randrange(CHUNKS))
        sources = [(rank, buffer, chunk + index) for index in range(count)]
        targets = [(*target[:2], target[2] + index) for index in range(count)]
        if not all(place in held for place in sources) or targets[-1][2] >= CHUNKS:
            continue
        new = [held[place] for place in sources]
        if is_reduction:
            old = [held.get(place, frozenset()) for place in targets]
            if not all(own and not own & added for own, added in zip(old, new, strict=True)):
                continue
            new = [own | added for own, added in zip(old, new, strict=True)]
        held.update(zip(targets, new, strict=True))
        lines.append((is_reduction, sources[0], target, count))
    return lines


def _meaning(lines: list[tuple[bool, Chunks, Chunks, int]]) -> list[list[Any]]:
    """What the outputs hold, as lists of operands, if the lines run one after the other."""
    held: dict[Chunks, list[tuple[int, int]]] = {place: [(place[0], place[2])] for place in INPUTS}
    for is_reduction, source, target, count in lines:
        new = [held[*source[:2], source[2] + index] for index in range(count)]
        for index, operands in enumerate(new):
            place = (*target[:2], target[2] + index)
            held[place] = [*(held[place] if is_reduction else []), *operands]
    return [[held.get((rank, "out", chunk)) for chunk in range(CHUNKS)] for rank in range(RANKS)]


@settings(deadline=None, max_examples=200)
@given(seed=st.integers(0, 2**32), group=st.sampled_from(["1,0,3,1", "0,1,1,3", "set:0,0;1,2;3,3"]))
def test_any_program_does_what_its_lines_say(network: noccl.Network, seed: int, group: str) -> None:
    """The last lines win, whatever order the actions run in."""
    lines = _drawn_lines(random.Random(seed))
    outputs = _meaning(lines)
    if not any(want for row in outputs for want in row):
        return
    definition = noccl.Definition("any", CHUNKS, outputs)
    program = noccl.ChunkProgram(network, definition, group=group, chunk_bytes=72)
    for is_reduction, source, target, count in lines:
        (program.reduce if is_reduction else program.copy)(source, target, count=count)
    schedule = program.schedule()
    noccl.check(network, schedule)
    assert noccl.run(network, schedule).verified == "yes"


@pytest.mark.parametrize(
    ("content", "found", "accepted"),
    [
        ("name = 'x'", "definition.json", "JSON"),
        ('{"name": "x", "inputs": 1}', "missing field `outputs`", "definition"),
        ('{"name": "x", "inputs": [1, "a"], "outputs": []}', 'inputs = [1,"a"]', "a number of"),
        ('{"name": "x", "inputs": 1, "outputs": [[7], []]}', "7: accepted", "[rank, chunk]"),
        ('{"name": "x", "inputs": 1, "outputs": [[[0, 0, 0]], []]}', "[0,0,0]", '{"all": chunk}'),
        (
            '{"name": "x", "inputs": 1, "outputs": [], "output": []}',
            "unknown field `output`",
            "`name`",
        ),
        ('{"name": "x", "inputs": 1, "outputs": [[[2, 0]], []]}', "[2, 0]", "a rank below 2"),
        ('{"name": "x", "inputs": 1, "outputs": [[[1, 0]]]}', "1 lists", "each of the 2 ranks"),
        ('{"name": "x", "inputs": 4000, "outputs": [[[1, 0]], []]}', "131072", "bytes"),
    ],
)
def test_a_file_that_states_nonsense_is_refused_by_the_command_line(
    tmp_path: Path, content: str, found: str, accepted: str
) -> None:
    path = tmp_path / "definition.json"
    path.write_text(content, encoding="utf-8")
    command = ["compare", "custom", "--definition", str(path), "--group", "0,0,2,1"]
    run = subprocess.run([NOCCL, *command], capture_output=True, text=True, check=False)
    assert run.returncode in {1, 2}, run.stderr
    assert found in run.stderr
    assert accepted in run.stderr
    assert "panicked" not in run.stderr
