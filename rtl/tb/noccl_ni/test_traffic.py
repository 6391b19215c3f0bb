# SPDX-License-Identifier: Apache-2.0
"""Many random transactions through the network interface, each followed to the memory and back.

The generator and its scoreboard are `traffic.cpp`; `make long` runs millions with it. A network
that loses, doubles or reorders a flit shows that the scoreboard would tell.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import rtl_traffic
from common import generator, runner
from common.cases import cases, is_long

TRANSACTIONS = cases(25_000, 100_000)
_NOT_DUE = r"not the one that is due|not the data that are due"
# Numbers of noccl_loop: what the wide plane does wrong, and what is told.
FAULTS = {
    "lost": (1, rf"{_NOT_DUE}|nothing moves: lost"),
    "doubled": (2, rf"{_NOT_DUE}|data that nobody waits for|never sent, or twice"),
    "reordered": (3, _NOT_DUE),
    "lost request": (4, r"nothing moves: lost"),
    "doubled response": (8, r"before it was delivered|nobody waits for|wrong response"),
}


@pytest.fixture(scope="module")
def program() -> Path:
    return rtl_traffic.program(is_optimized=is_long())


def test_every_transaction_gets_one_response_in_order(program: Path) -> None:
    seed = os.environ.get("NOCCL_SEED", str(runner.DEFAULT_SEED))
    found = rtl_traffic.run(program, TRANSACTIONS, int(seed))
    assert found.failure is None, f"seed {seed}: NOCCL_SEED={seed} repeats it: {found.failure}"
    assert found.transactions == TRANSACTIONS
    assert min(found.kinds.values()) > TRANSACTIONS // 100, found.kinds


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_network_is_noticed(program: Path, name: str) -> None:
    generator.check_fault_is_told(program, *FAULTS[name])


def test_a_seed_repeats_its_run(program: Path) -> None:
    generator.check_seed_repeats_its_run(program, 2000)
