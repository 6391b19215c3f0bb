# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import noccl
from noccl import _native
from tests.case_numbers import IS_LONG

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


def test_claims_have_the_fields_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured by a test of the command line, and by `NOCCL_CASES=long`."""
    schema = json.loads((ROOT / "formats" / "claims.schema.json").read_text(encoding="utf-8"))
    fields = schema["$defs"]["ClaimRow"]["properties"]
    assert set(fields) == {field.name for field in dataclasses.fields(noccl.ClaimRow)}
    row: dict[str, Any] = {name: True if name == "holds" else None for name in fields}
    figure = json.loads((ROOT / "docs/papers/S1/fig_5a.json").read_text(encoding="utf-8"))
    asked: list[object] = []

    def measured(paper: str, is_quick: bool, progress: object) -> str:
        asked.extend([paper, is_quick, progress])
        return json.dumps({"rows": [row], "figures": [figure]})

    monkeypatch.setattr(_native, "reproduce", measured)
    found = noccl.reproduce("torrent", is_quick=True)
    assert asked == ["torrent", True, None]
    assert found.rows == (noccl.ClaimRow(**row),)
    assert [figure.name for figure in found.figures] == ["fig_5a"]


@pytest.mark.skipif(not IS_LONG, reason="measured by a test of the command line")
def test_claims_come_with_their_results_and_figures() -> None:
    found = noccl.reproduce("collective_noc", is_quick=True)
    assert len({row.id for row in found.rows}) == len(found.rows)
    by_id = {row.id: row for row in found.rows}
    assert by_id["1-mean"].holds is True
    assert (by_id["9"].holds, by_id["9"].ours) == (None, None)
    assert "<svg" in found.figures[0].svg
    assert "fig_5a" in {figure.name for figure in found.figures}


def test_impossible_studies_say_what_would_be_accepted() -> None:
    with pytest.raises(noccl.ArgumentError, match="powers of two"):
        noccl.barrier_study(clusters=[3])
    with pytest.raises(noccl.ArgumentError, match="collective_noc"):
        noccl.reproduce("collective")
    with pytest.raises(noccl.AlgorithmError, match="multiple of both sides"):
        noccl.attention(mesh="4x4", tokens=30)
    with pytest.raises(noccl.ArgumentError, match="WxH"):
        noccl.attention(mesh="4")
