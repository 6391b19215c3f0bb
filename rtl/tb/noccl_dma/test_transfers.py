# SPDX-License-Identifier: Apache-2.0
"""Many random transfers of the DMA engine, every byte followed through the interface and back.

The generator and its scoreboard are `transfers.cpp`, for the cores beside the engine `cores.h`;
`make long` runs a million bursts with it. A network that loses, doubles or reorders a flit, and
memories that err, show that the scoreboard would tell. Eight write channels: `rtl/long`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import rtl_traffic
from common import generator, runner
from common.cases import cases, is_long

TRANSACTIONS = cases(4_000, 30_000)
# Of transfers, of their failures, of what cores do.
NUM_KINDS = 12
_WRONG_BYTE = r"byte \d+ of L1 is wrong"
_WRONG_WORD = r"reads what is not there|atomics of cores do not add up"
_LOST = r"nothing ends: lost|nothing comes: lost"
# Numbers of noccl_loop: what the planes do wrong, and what is told. Responses come in any order.
FAULTS = {
    "lost": (1, rf"{_WRONG_BYTE}|{_LOST}"),
    "doubled": (2, rf"{_WRONG_BYTE}|beats have come, not"),
    "reordered": (3, _WRONG_BYTE),
    "lost request": (4, rf"{_WRONG_BYTE}|{_LOST}"),
    "reordered requests": (6, rf"{_WRONG_BYTE}|{_WRONG_WORD}|gets response"),
    "lost response": (7, _LOST),
    # Those of noccl_dma_l1: failures that are not told, and one that has not been.
    "a failing write is not told": (10, "error bit is wrong"),
    "a write is told as failing": (11, "error bit is wrong"),
    "a failing read is not told": (12, "error bit is wrong"),
    # Those of noccl_dma_words.
    "an atomic does not add": (13, _WRONG_WORD),
    "a word is not written": (14, _WRONG_WORD),
    "another word is read": (15, _WRONG_WORD),
}


@pytest.fixture(scope="module")
def program() -> Path:
    return rtl_traffic.program(rtl_traffic.ENGINE, is_optimized=is_long())


def test_every_transfer_leaves_its_bytes_and_no_others(program: Path) -> None:
    seed = os.environ.get("NOCCL_SEED", str(runner.DEFAULT_SEED))
    found = rtl_traffic.run(program, TRANSACTIONS, int(seed))
    assert found.failure is None, f"seed {seed}: NOCCL_SEED={seed} repeats it: {found.failure}"
    assert found.transactions >= TRANSACTIONS
    assert len(found.kinds) == NUM_KINDS
    assert min(found.kinds.values()) > TRANSACTIONS // 100, found.kinds


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_network_is_noticed(program: Path, name: str) -> None:
    generator.check_fault_is_told(program, *FAULTS[name])


def test_a_seed_repeats_its_run(program: Path) -> None:
    generator.check_seed_repeats_its_run(program, 1000)
