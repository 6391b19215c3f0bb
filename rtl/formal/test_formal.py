# SPDX-License-Identifier: Apache-2.0
"""Properties of the proofs' driver: it cannot call a broken promise kept."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import rtl_formal
import rtl_prover

FIFO = rtl_formal.load("noccl_fifo")


@pytest.fixture(autouse=True)
def _own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make formal` may prove the same modules at the same time."""
    monkeypatch.setattr(rtl_formal, "OUT", tmp_path)


def proving(monkeypatch: pytest.MonkeyPatch, **changes: object) -> list[rtl_formal.Row]:
    changed = dataclasses.replace(FIFO, configurations=[{"Depth": 2}], **changes)
    monkeypatch.setattr(rtl_formal, "load", lambda module: changed)
    return list(rtl_formal.prove("noccl_fifo"))


def test_a_property_without_a_mutant_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = proving(monkeypatch, mutants=FIFO.mutants[1:])
    wrong = [(row.property, row.outcome) for row in rows if not row.is_expected]
    assert wrong == [(FIFO.mutants[0].breaks, "no mutant")]


def test_a_promise_that_does_not_hold_is_disproved_with_a_trace(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = rtl_formal.rtl_sources.closure([FIFO.top])
    directory = rtl_formal.OUT / "test"
    changed = rtl_formal.mutated(sources, FIFO.mutants[0], directory)
    monkeypatch.setattr(rtl_formal.rtl_sources, "closure", lambda tops: changed)
    rows = proving(monkeypatch)
    assert FIFO.mutants[0].breaks in {row.property for row in rows if not row.is_expected}
    assert capsys.readouterr().err.endswith("trace.vcd\n")


def test_a_mutant_whose_text_is_gone_is_refused() -> None:
    mutant = dataclasses.replace(FIFO.mutants[0], before="no such text")
    with pytest.raises(rtl_prover.FormalError, match="must occur once: 0"):
        rtl_formal.kill("noccl_fifo", mutant)


def test_a_module_like_another_names_only_what_differs() -> None:
    like, own = (rtl_formal.load(f"noccl_reduction_issue{end}") for end in ("", "_two"))
    assert own.top == like.top
    assert own.package == {**like.package, "REDUCTION_OPERANDS": 2}
    assert {mutant.breaks for mutant in own.mutants} == {mutant.breaks for mutant in like.mutants}
    assert len(own.mutants) == len(like.mutants), "a mutant of its own replaces the other's"
    assert set(own.mutants) & set(like.mutants), "others are the same"
