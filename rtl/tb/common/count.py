# SPDX-License-Identifier: Apache-2.0
"""Counts the random transactions of a run, so that their number cannot fall unnoticed.

A test inside the simulator adds what it has checked; `runner` reads the sum, `conftest.py` prints
all of them and fails a full run with too few.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from common.cases import cases

VARIABLE = "NOCCL_TRANSACTIONS"
# Benches that count, and what a run of all of them has to reach.
BENCHES = frozenset({"noccl_dma_tb", "noccl_merge_tb", "noccl_ni_tb", "noccl_reduction_tb"})
MIN_TRANSACTIONS = cases(6_000, 20_000)

checked: Counter[str] = Counter()


def add(number: int) -> None:
    """Tells of transactions that a test has followed to their end."""
    with Path(os.environ[VARIABLE]).open("a", encoding="utf-8") as file:
        file.write(f"{number}\n")


def collect(bench: str, file: Path) -> None:
    """Adds what a run of a bench has told."""
    if file.exists():
        checked[bench] += sum(map(int, file.read_text(encoding="utf-8").split()))


def summary() -> str:
    """All counts in a line."""
    parts = ", ".join(f"{bench} {number}" for bench, number in sorted(checked.items()))
    return f"{checked.total()} random transactions checked by cocotb: {parts}"


def is_too_few() -> bool:
    """All benches have run, and have checked less than they should."""
    return checked.keys() >= BENCHES and checked.total() < MIN_TRANSACTIONS
