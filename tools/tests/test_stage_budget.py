# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import repository
import stage_budget

STORED = {"demo": 280, "tests": 300, "lint": 120, "docs": 60, "check": 8}


def slower(factor: float, **changed: int) -> dict[str, int]:
    return {name: round(factor * seconds) for name, seconds in STORED.items()} | changed


def test_a_slower_machine_is_no_finding() -> None:
    assert list(stage_budget.findings(slower(1.9), STORED)) == []


def test_a_stage_that_grew_is_named_on_any_machine() -> None:
    for factor in (1.0, 1.9):
        measured = slower(factor, tests=round(factor * 300 * 1.15))
        found = list(stage_budget.findings(measured, STORED))
        assert [line.split(":")[0] for line in found] == ["tests"]


def test_a_faster_machine_and_runs_that_vary_stay_below_their_rows() -> None:
    assert list(stage_budget.findings(slower(0.77, tests=300), STORED)) == []


def test_short_stages_may_vary_by_seconds() -> None:
    assert list(stage_budget.findings(slower(1.0, check=17), STORED)) == []
    assert list(stage_budget.findings(slower(1.0, check=19), STORED))


def test_a_stage_without_a_row_is_named() -> None:
    assert list(stage_budget.findings(slower(1.0, new=1), STORED))


def test_a_row_is_stored_and_read_again(tmp_path: Path) -> None:
    script, path = repository.ROOT / "tools" / "stage_budget.py", tmp_path / "row.json"
    words = [sys.executable, str(script), str(path)]
    lines = "demo 280\ntests 300\nlint 120\n"
    subprocess.run([*words, "--write"], input=lines, text=True, check=True)
    assert subprocess.run(words, input=lines, text=True, check=False).returncode == 0
    grown = lines.replace("300", "500")
    done = subprocess.run(words, input=grown, text=True, check=False, capture_output=True)
    assert done.returncode == 1
    assert done.stdout.startswith("tests: 500 CPU s")
