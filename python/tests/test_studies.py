# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import noccl

ROOT = Path(__file__).resolve().parents[2]
NOCCL = ROOT / ".venv" / "bin" / "noccl"


def test_an_attention_layer_is_verified_and_takes_the_cycles_of_the_command_line() -> None:
    row = noccl.attention(mesh="4x4", tokens=64, head_columns=16, heads=2, mode="value")
    assert row.verified is noccl.Verified.YES
    arguments = "attention --mesh 4x4 --tokens 64 --head-columns 16 --heads 2 --json"
    printed = json.loads(subprocess.check_output([NOCCL, *arguments.split()], text=True))
    assert (row.cycles, row.head_cycles) == (printed["cycles"], printed["head_cycles"])
    assert row.counters == noccl.Counters(**printed["counters"])


def test_in_network_barriers_equal_their_formula_and_slopes_need_all_four_sizes() -> None:
    study = noccl.barrier_study(clusters=[2, 4, 8, 16])
    known = [row for row in study.table.rows() if row["formula_cycles"] is not None]
    assert known
    assert all(row["network_cycles"] == row["formula_cycles"] for row in known)
    assert {(s.router, s.algorithm) for s in study.slopes} == {
        (row["router"], row["algorithm"]) for row in study.table.rows()
    }
    assert noccl.barrier_study(clusters=[2, 4]).slopes == ()


def test_impossible_studies_say_what_would_be_accepted() -> None:
    with pytest.raises(noccl.ArgumentError, match="powers of two"):
        noccl.barrier_study(clusters=[3])
    with pytest.raises(noccl.AlgorithmError, match="multiple of both sides"):
        noccl.attention(mesh="4x4", tokens=30)
    with pytest.raises(noccl.ArgumentError, match="WxH"):
        noccl.attention(mesh="4")
