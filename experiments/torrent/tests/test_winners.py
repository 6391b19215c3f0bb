# SPDX-License-Identifier: Apache-2.0
"""The committed cases of `winners.py`: all there, and `auto` near the fastest."""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))

import winners  # noqa: E402

CASES = json.loads((HERE / "winners.json").read_text(encoding="utf-8"))


def test_every_number_placement_and_size_is_a_case() -> None:
    wanted = [
        (count, placement, group, kib)
        for count in winners.COUNTS
        for placement, group in winners.placements(count).items()
        for kib in winners.KIB
    ]
    keys = ("destinations", "placement", "group", "kib")
    assert [tuple(case[key] for key in keys) for case in CASES] == wanted


def test_auto_is_at_most_a_tenth_slower_than_the_fastest() -> None:
    late = [case["auto"] / min(case["cycles"].values()) for case in CASES]
    assert max(late) <= 1.1
