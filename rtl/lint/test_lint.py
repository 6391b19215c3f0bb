# SPDX-License-Identifier: Apache-2.0
"""Properties of the hardware's lint: each of its tools is awake."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import rtl_lint
import rtl_sources
from repository import ROOT, Finding

CLEAN = """\
module noccl_probe (
    input  logic [3:0] a_i,
    output logic [3:0] b_o
);

  assign b_o = a_i;

endmodule
"""


@pytest.fixture
def probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(rtl_sources.closure, "__defaults__", (tmp_path, "any"))
    monkeypatch.setattr(rtl_lint, "CLEAN", tmp_path / "clean")
    return tmp_path / "noccl_probe.sv"


def texts(findings: Iterator[Finding]) -> list[str]:
    return [finding.what for finding in findings]


def test_a_clean_module_has_no_finding(probe: Path) -> None:
    probe.write_text(CLEAN)
    assert texts(rtl_lint.lint([probe])) == []


def test_a_clean_module_is_looked_at_again_when_what_it_needs_changes(probe: Path) -> None:
    other = probe.with_name("noccl_other.sv")
    other.write_text(CLEAN.replace("noccl_probe", "noccl_other"))
    instance = "  noccl_other u_other (\n      .a_i,\n      .b_o\n  );"
    probe.write_text(CLEAN.replace("  assign b_o = a_i;", instance))
    assert texts(rtl_lint.lint([probe])) == []
    other.write_text(other.read_text().replace("output logic [3:0]", "output logic [2:0]"))
    assert texts(rtl_lint.lint([probe])) != []


def test_verilator_finds_a_width_that_does_not_fit(probe: Path) -> None:
    probe.write_text(CLEAN.replace("output logic [3:0]", "output logic [2:0]"))
    assert any("WIDTHTRUNC" in what for what in texts(rtl_lint.verilator(probe)))


def test_slang_finds_a_comparison_of_signed_and_unsigned(probe: Path) -> None:
    probe.write_text(CLEAN.replace("= a_i;", "= {4{a_i < -1}};"))
    assert any("[slang]" in what for what in texts(rtl_lint.slang([probe])))


@pytest.mark.parametrize("literal", ["'x", "1'bx", "4'h0X", "4 'sb1x0"])
def test_unknown_values_are_found_in_hardware_but_not_in_comments(
    probe: Path, monkeypatch: pytest.MonkeyPatch, literal: str
) -> None:
    monkeypatch.setattr(rtl_lint, "SYNTHESIZED", {probe.parent})
    probe.write_text(CLEAN.replace("= a_i;", "= a_t'(x) + '{x: 1}; /* 'x\n */ // 1'bx"))
    assert list(rtl_lint.unknown_values([probe])) == []
    probe.write_text(CLEAN.replace("= a_i;", f"= a_i[0] ? a_i : {literal};"))
    (found,) = rtl_lint.unknown_values([probe])
    assert found.where == f"{probe}:6"


def test_verible_finds_a_wrong_name(probe: Path) -> None:
    probe.write_text(CLEAN.replace("(\n", "#(\n    parameter int unsigned bad_name = 1\n) (\n", 1))
    assert any("parameter-name-style" in what for what in texts(rtl_lint.style([probe])))


def test_the_formatter_finds_a_wrong_layout(probe: Path) -> None:
    probe.write_text(CLEAN.replace("  assign", "      assign"))
    assert any("layout" in what for what in texts(rtl_lint.layout([probe])))


def test_a_module_that_needs_itself_is_refused(probe: Path) -> None:
    probe.write_text(CLEAN.replace("  assign", "  noccl_other u_other ();\n  assign"))
    other = probe.with_name("noccl_other.sv")
    other.write_text("module noccl_other;\n  noccl_probe u_probe ();\nendmodule\n")
    with pytest.raises(rtl_sources.SourceError, match="noccl_probe, noccl_other, noccl_probe"):
        rtl_sources.closure(["noccl_probe"])


def test_whole_meshes_are_the_smallest_ones_and_modules_have_published_numbers() -> None:
    widths = {}
    for name in ("noccl_mesh", "noccl_system", "noccl_router"):
        needed = rtl_lint.needed_by(rtl_sources.index()[name])
        (package,) = [path for path in needed if path.stem == rtl_sources.PACKAGE]
        widths[name] = re.findall(r" MESH_WIDTH = (\d+);", package.read_text(encoding="utf-8"))
    assert widths == {"noccl_mesh": ["2"], "noccl_system": ["2"], "noccl_router": ["5"]}


def test_roots_of_the_hardware_need_all_of_it() -> None:
    tops = rtl_lint.modules(rtl_lint.sources())
    roots = [path.stem for path in rtl_lint.roots(tops)]
    needed = {path.stem for path in rtl_sources.closure(roots)}
    hardware = {path.stem for path in tops if rtl_lint.SOURCES in (ROOT / path).parents}
    assert hardware <= needed
    assert len(roots) < len(hardware) / 10


def test_names_in_comments_are_no_dependency() -> None:
    text = 'noccl_a u_a (); // noccl_b\n/* noccl_c */ string s = "noccl_d";'
    assert rtl_sources.mentioned(text) == {"noccl_a"}
