# SPDX-License-Identifier: Apache-2.0
"""Many random transfers of the DMA engine, every byte followed through the interface and back.

The generator and its account are `transfers.cpp`; `make long` runs a million bursts with it. A
network that loses, doubles or reorders a flit shows that the account would tell.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import rtl_traffic
from common import generator, runner

TRANSACTIONS = 30_000
_WRONG_BYTE = r"byte \d+ of L1 is wrong"
# Numbers of noccl_loop: what the planes do wrong, and what is told. Answers may come in any order.
FAULTS = {
    "lost": (1, rf"{_WRONG_BYTE}|nothing ends: lost"),
    "doubled": (2, _WRONG_BYTE),
    "reordered": (3, _WRONG_BYTE),
    "lost request": (4, r"nothing ends: lost"),
    "reordered requests": (6, _WRONG_BYTE),
    "lost answer": (7, r"nothing ends: lost"),
}


@pytest.fixture(scope="module")
def program() -> Path:
    return rtl_traffic.program(rtl_traffic.ENGINE)


def test_every_transfer_leaves_its_bytes_and_no_others(program: Path) -> None:
    seed = os.environ.get("NOCCL_SEED", str(runner.DEFAULT_SEED))
    found = rtl_traffic.run(program, TRANSACTIONS, int(seed))
    assert found.failure is None, f"seed {seed}: NOCCL_SEED={seed} repeats it: {found.failure}"
    assert found.transactions >= TRANSACTIONS
    assert min(found.kinds.values()) > TRANSACTIONS // 100, found.kinds


def test_eight_write_channels_work_as_four_do() -> None:
    command = rtl_traffic.program(rtl_traffic.ENGINE, rtl_traffic.EIGHT_CHANNELS)
    found = rtl_traffic.run(command, TRANSACTIONS, runner.DEFAULT_SEED)
    assert found.failure is None, found.failure
    assert found.transactions >= TRANSACTIONS


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_network_is_noticed(program: Path, name: str) -> None:
    generator.check_fault_is_told(program, *FAULTS[name])


def test_a_seed_repeats_its_run(program: Path) -> None:
    generator.check_seed_repeats_its_run(program, 1000)
