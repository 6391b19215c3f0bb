# SPDX-License-Identifier: Apache-2.0
"""Laws of the area and timing measurement."""

from __future__ import annotations

from pathlib import Path

import pytest

import rtl_area
import rtl_synth
import rtl_timing
import rtl_yosys

HEAD = "module noccl_probe (input logic clk_i, rst_ni, a_i, b_i, e_i, output logic q_o);\n"


def area_of(tmp_path: Path, body: str) -> rtl_area.Area:
    source = tmp_path / "noccl_probe.sv"
    source.write_text(f"{HEAD}{body}\nendmodule\n")
    return rtl_area.measure("noccl_probe", {}, [source], tmp_path)


@pytest.mark.parametrize(
    ("expression", "ge"),
    [
        ("!a_i", 0.67),
        ("!(a_i && b_i)", 1.0),
        ("!(a_i || b_i)", 1.0),
        ("a_i ^ b_i", 2.0),
        ("e_i ? a_i : b_i", 2.33),
        ("!((a_i && b_i) || e_i)", 1.33),
        ("a_i && b_i", 1.67),
    ],
)
def test_a_gate_weighs_what_the_table_says(tmp_path: Path, expression: str, ge: float) -> None:
    area = area_of(tmp_path, f"assign q_o = {expression};")
    assert (round(area.logic_ge, 2), area.num_flip_flops) == (ge, 0)


def test_an_enable_costs_nothing_at_the_flip_flop(tmp_path: Path) -> None:
    plain = area_of(tmp_path, "always_ff @(posedge clk_i) q_o <= a_i;")
    enabled = area_of(tmp_path, "always_ff @(posedge clk_i) if (e_i) q_o <= a_i;")
    assert plain == enabled == rtl_area.Area(0.0, 5.67, 1)


def test_an_asynchronous_reset_has_its_price_and_a_synchronous_one_is_logic(tmp_path: Path) -> None:
    reset = "if (!rst_ni) q_o <= 1'b0; else q_o <= a_i;"
    asynchronous = area_of(tmp_path, f"always_ff @(posedge clk_i or negedge rst_ni) {reset}")
    synchronous = area_of(tmp_path, f"always_ff @(posedge clk_i) {reset}")
    assert asynchronous == rtl_area.Area(0.0, 6.67, 1)
    assert synchronous.flip_flop_ge == 5.67
    assert synchronous.logic_ge > 0


def test_a_latch_is_refused(tmp_path: Path) -> None:
    with pytest.raises(rtl_yosys.YosysError, match="latches are not supported"):
        area_of(tmp_path, "always_latch if (e_i) q_o = a_i;")


def test_a_cell_without_a_weight_is_refused() -> None:
    with pytest.raises(rtl_area.AreaError, match=r"2 cells \$_DFFSR_PPP_: no weight"):
        rtl_area.weigh({"$_NOT_": 1, "$_DFFSR_PPP_": 2})


def test_a_longer_way_takes_longer_and_is_named(tmp_path: Path) -> None:
    ways = {}
    for width in (4, 16):
        source = tmp_path / "noccl_probe.sv"
        source.write_text(
            f"module noccl_probe (input clk_i, input [{width - 1}:0] a_i, output logic q_o);\n"
            f"logic [{width - 1}:0] first_q; logic last_q; assign q_o = last_q;\n"
            "always_ff @(posedge clk_i) begin first_q <= a_i; last_q <= ^first_q; end\nendmodule\n"
        )
        ways[width] = rtl_timing.measure("noccl_probe", {}, [source], tmp_path / str(width))
    assert ways[4] is not None
    assert ways[16] is not None
    assert ways[16].fo4 > ways[4].fo4 > 0
    assert ways[16].start.startswith("first_q")
    assert ways[16].end.startswith("last_q")


def test_registers_that_do_not_meet_have_no_way(tmp_path: Path) -> None:
    source = tmp_path / "noccl_probe.sv"
    source.write_text(f"{HEAD}always_ff @(posedge clk_i) q_o <= a_i;\nendmodule\n")
    assert rtl_timing.measure("noccl_probe", {}, [source], tmp_path) is None


def test_the_unit_is_that_of_the_library(tmp_path: Path) -> None:
    assert 0.09 < rtl_timing.fo4_nanoseconds(tmp_path) < 0.11


def test_rows_compare_with_rows_that_exist() -> None:
    rows = rtl_synth.rows(rtl_synth.ROWS.read_text(encoding="utf-8"))
    names = [row.id for row in rows]
    assert len(set(names)) == len(names)
    for row in rows:
        assert row.baseline is None or row.baseline in names
