# SPDX-License-Identifier: Apache-2.0
"""Controls of the fast generators: they would notice a fault, and a seed repeats its run."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import rtl_traffic


def check_fault_is_told(program: Path, fault: int, told: str) -> None:
    """With this fault of `noccl_loop` the run ends with one of the deviations that match `told`."""
    done = subprocess.run(
        [program, "20000", "1", f"+fault={fault}"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert re.search(told, done.stdout), done.stdout


def check_seed_repeats_its_run(program: Path, transactions: int) -> None:
    """Two runs of a seed do the same, another seed does something else."""

    def once(seed: int) -> rtl_traffic.Traffic:
        return rtl_traffic.run(program, transactions, seed)

    assert once(3) == once(3)
    assert once(3) != once(4)
