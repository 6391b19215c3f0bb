# SPDX-License-Identifier: Apache-2.0
"""Every clause that refuses something at a port has a fault that a bench must notice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import rtl_guards
import rtl_mutants
from rtl_mutants import Fault

FAULTS = [*rtl_guards.FAULTS, *rtl_guards.ENGINE_FAULTS]
ALL = [*rtl_mutants.FAULTS, *FAULTS, *rtl_guards.BEAT_FAULTS]
MODULE = """
  // A comment; is_served = nothing && at_all;
  assign is_served = hit && (a == b || (c.len >> 2) == '0 /
      && d) && (e);
  always_comb begin
    case (x)
      default: hit_o = 1'b0;
    endcase
    if (x) told.is_error = !f;
  end
  always_ff @(posedge clk_i) code_q <= hit ? RESP_SLVERR : RESP_DECERR;
  assign may_start = g && h;
"""


def test_every_clause_of_a_guard_has_a_fault_and_every_fault_a_clause() -> None:
    clauses = [clause for path in rtl_guards.sources() for clause in rtl_guards.guards(path)]
    found = Counter(rtl_guards.clause(fault) for fault in FAULTS)
    assert [str(clause) for clause in clauses if not found[clause]] == [], "clauses without fault"
    assert None not in found, "a fault of `rtl_guards` leaves out a whole clause"
    assert set(found.values()) == {1}


def test_names_of_faults_are_unique() -> None:
    names = Counter(fault.name for fault in ALL)
    assert set(names.values()) == {1}


def test_the_page_of_verification_names_every_fault_of_the_interface() -> None:
    root = Path(rtl_mutants.__file__).parent.parent
    page = (root / "docs" / "developer" / "verification.md").read_text(encoding="utf-8")
    assert [fault.name for fault in ALL if f"`{fault.name}`" not in page] == []
    assert f"{len(ALL)} faults" in page


@pytest.mark.parametrize(("folder", "more"), [("ni", []), ("dma", ["g", "h"])])
def test_clauses_are_what_and_and_or_join(tmp_path: Path, folder: str, more: list[str]) -> None:
    path = tmp_path / folder / "noccl_probe.sv"
    path.parent.mkdir()
    path.write_text(MODULE.replace(" /\n", "\n"), encoding="utf-8")
    found = rtl_guards.guards(path)
    text = path.read_text(encoding="utf-8")
    assert [clause.text for clause in found] == [
        "hit", "a == b", "(c.len >> 2) == '0", "d", "e", "1'b0", "!f",
        "hit ? RESP_SLVERR : RESP_DECERR", *more,
    ]  # fmt: skip
    assert all(text.startswith(clause.text, clause.begin) for clause in found)


def probe(tmp_path: Path, *faults: Fault) -> str:
    path = tmp_path / "noccl_probe.sv"
    path.write_text("assign a = b && c;\nassign d = b;\n", encoding="utf-8")
    (found,) = rtl_mutants.with_faults([path], faults, tmp_path / "out")
    return found.read_text(encoding="utf-8")


def test_two_faults_of_one_expression_have_both_their_switches(tmp_path: Path) -> None:
    first = Fault("one", "noccl_probe", "= @ && c", "b", "1'b1", "t")
    second = Fault("two", "noccl_probe", "b && @;", "c", "1'b0", "t")
    text = probe(tmp_path, first, second)
    assert text == probe(tmp_path, second, first)
    assert 'assign a = ($test$plusargs("fault=one") != 0 ? (1\'b1) : (b)) && ($test' in text
    assert text.endswith("(1'b0) : (c));\nassign d = b;\n")


def test_faults_that_have_no_place_or_overlap_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'b' must occur once: 2"):
        probe(tmp_path, Fault("one", "noccl_probe", "@", "b", "1'b1", "t"))
    whole = Fault("whole", "noccl_probe", "@", "b && c", "1'b1", "t")
    part = Fault("part", "noccl_probe", "b && @;", "c", "1'b1", "t")
    with pytest.raises(ValueError, match="whole overlaps another fault"):
        probe(tmp_path, whole, part)
