# SPDX-License-Identifier: Apache-2.0
"""The message library in C sends what the schedules of the same algorithms send.

Receivers, bytes and order of every rank's messages: a row of docs/developer/mirror.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import repository

NOCCL = Path(sys.executable).parent / "noccl"
SOURCE = repository.ROOT / "programs" / "tests" / "mirror" / "sends.c"
# As in the program.
BYTES = 136

# A rank's messages: receiver and bytes.
Sends = dict[int, list[tuple[int, int]]]

SAME = {
    "barrier": ("barrier", "tree:neighbour"),
    "reduce": ("reduce", "row_column:1:direct"),
    "all_to_all": ("all_to_all", "torus:lag=1"),
    "all_to_all_rounds": ("all_to_all", "rounds:split"),
}


def noccl(*arguments: object) -> str:
    command = [str(NOCCL), *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sends") / "sends.elf"
    noccl("build", SOURCE, "-o", made)
    return made


def of_library(program: Path, columns: int, rows: int) -> dict[str, Sends]:
    arguments = ("--program", "--ranks", columns * rows, "--json")
    report = json.loads(noccl("run", program, *arguments, "--spec", f"tilepro64_{columns}x{rows}"))
    found: dict[str, Sends] = defaultdict(dict)
    for rank in report["ranks"]:
        collective = ""
        for line in rank["console"].splitlines():
            if not line.startswith("send "):
                collective = line
                found[collective][rank["rank"]] = []
                continue
            _, receiver, sent = line.split(" ")
            found[collective][rank["rank"]].append((int(receiver), int(sent)))
    return found


def of_schedule(function: str, columns: int, rows: int) -> Sends:
    collective, algorithm = SAME[function]
    # That of the program's reduction.
    root = ("--root", f"{columns - 1},{rows - 1}") if collective == "reduce" else ()
    size = () if collective == "barrier" else ("--bytes", BYTES)
    schedule = json.loads(
        noccl(
            *("schedule", collective, "--spec", f"tilepro64_{columns}x{rows}"),
            *("--algorithm", algorithm, *size, *root, "--json"),
        )
    )
    found: Sends = {rank: [] for rank in range(columns * rows)}

    def rank_of(place: dict[str, dict[str, dict[str, int]]]) -> int:
        at = place["tile"]["cluster"]
        return at["y"] * columns + at["x"]

    for action in schedule["actions"]:
        message = action["kind"].get("message")
        if message is None:
            continue
        sender, receiver = rank_of(message["source"]), rank_of(message["destination"])
        if sender != receiver:
            found[sender].append((receiver, message["bytes"]))
    return found


@pytest.mark.parametrize(("columns", "rows"), [(2, 1), (2, 2), (3, 2), (4, 4), (5, 3)])
def test_every_rank_sends_what_its_schedule_sends(program: Path, columns: int, rows: int) -> None:
    library = of_library(program, columns, rows)
    assert library.keys() == SAME.keys()
    for function, sends in library.items():
        assert sends == of_schedule(function, columns, rows), function
    of_rank = library["all_to_all"][0]
    assert sorted(receiver for receiver, _ in of_rank) == list(range(1, columns * rows))
