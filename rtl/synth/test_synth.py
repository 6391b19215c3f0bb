# SPDX-License-Identifier: Apache-2.0
"""Properties of the area and timing measurement."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import generated_block
import rtl_area
import rtl_synth_page
import rtl_synth_rows
import rtl_timing
import rtl_yosys
from repository import ROOT

PAGE = ROOT / "docs" / "rtl" / "synthesis.md"
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


def test_a_longer_path_takes_longer_and_is_named(tmp_path: Path) -> None:
    timings = {}
    for width in (4, 16):
        source = tmp_path / "noccl_probe.sv"
        source.write_text(
            f"module noccl_probe (input clk_i, input [{width - 1}:0] a_i, output logic q_o);\n"
            f"logic [{width - 1}:0] first_q; logic last_q; assign q_o = last_q;\n"
            "always_ff @(posedge clk_i) begin first_q <= a_i; last_q <= ^first_q; end\nendmodule\n"
        )
        timings[width] = rtl_timing.measure("noccl_probe", {}, [source], tmp_path / str(width))
    assert timings[4] is not None
    assert timings[16] is not None
    assert timings[16].fo4 > timings[4].fo4 > 0
    assert timings[16].start.startswith("first_q")
    assert timings[16].end.startswith("last_q")


def test_a_sum_is_no_chain_of_carries(tmp_path: Path) -> None:
    source = tmp_path / "noccl_probe.sv"
    source.write_text(
        "module noccl_probe (input clk_i, input [63:0] a_i, output logic [63:0] q_o);\n"
        "logic [63:0] a_q; always_ff @(posedge clk_i) begin a_q <= a_i; q_o <= q_o + a_q; end\n"
        "endmodule\n"
    )
    timing = rtl_timing.measure("noccl_probe", {}, [source], tmp_path)
    assert timing is not None
    assert 10 < timing.fo4 < 35


def test_ports_that_are_wires_of_each_other_are_read(tmp_path: Path) -> None:
    source = tmp_path / "noccl_probe.sv"
    source.write_text(
        "module noccl_probe (input clk_i, input [3:0] a_i, output [5:0] b_o, output logic q_o);\n"
        "logic a_q; assign b_o = {a_q, a_i[3:2], q_o, a_i[1:0]};\n"
        "always_ff @(posedge clk_i) begin a_q <= a_i[0]; q_o <= a_q; end\nendmodule\n"
    )
    assert rtl_timing.measure("noccl_probe", {}, [source], tmp_path) is not None


def test_registers_that_do_not_meet_have_no_path(tmp_path: Path) -> None:
    source = tmp_path / "noccl_probe.sv"
    source.write_text(f"{HEAD}always_ff @(posedge clk_i) q_o <= a_i;\nendmodule\n")
    assert rtl_timing.measure("noccl_probe", {}, [source], tmp_path) is None


def test_the_unit_is_that_of_the_library(tmp_path: Path) -> None:
    assert 0.09 < rtl_timing.fo4_nanoseconds(tmp_path) < 0.11


def known() -> dict[str, rtl_synth_rows.Row]:
    text = rtl_synth_rows.ROWS.read_text(encoding="utf-8")
    return {row.id: row for row in rtl_synth_rows.rows(text)}


def test_rows_compare_with_rows_that_exist() -> None:
    names = list(known())
    assert len(set(names)) == len(names)
    with pytest.raises(rtl_synth_rows.RowError, match="a: no row b"):
        rtl_synth_rows.rows('[[row]]\nid = "a"\ntitle = "a"\ntop = "m"\nbaseline = "b"\n')


def test_a_row_is_a_module_or_made_of_others() -> None:
    for body in ("", 'top = "m"\nplus = ["a"]\n'):
        with pytest.raises(
            rtl_synth_rows.RowError, match="either a module, a memory or rows to add"
        ):
            rtl_synth_rows.rows(f'[[row]]\nid = "a"\ntitle = "a"\n{body}')


def test_a_row_stands_in_a_table_that_exists() -> None:
    with pytest.raises(rtl_synth_rows.RowError, match="a: no group b; accepted: tiles, bypass"):
        rtl_synth_rows.rows('[[row]]\nid = "a"\ntitle = "a"\ntop = "m"\ngroup = "b"\n')


def test_a_table_replaces_its_own_and_no_other() -> None:
    page = PAGE.read_text(encoding="utf-8")
    other = rtl_synth_page.with_block(page, "bypass", "Other.")
    assert "\nOther.\n" in other
    assert rtl_synth_page.with_block(other, "bypass", "More.").count("Other.") == 0
    assert (
        other.partition("<!-- synthesis of bypass")[0]
        == page.partition("<!-- synthesis of bypass")[0]
    )
    with pytest.raises(generated_block.PageError, match="one pair of lines"):
        rtl_synth_page.with_block("# Area\n", "bypass", "Other.")


def test_columns_without_a_word_are_left_out() -> None:
    empty = [""] * (len(rtl_synth_page.HEADINGS) - 2)
    text = rtl_synth_page.table([["fifo", "0.93", *empty], ["fork", "0.07", *empty]])
    assert text.splitlines()[0] == "| module | kGE  |"


def test_a_row_brings_all_rows_that_it_needs() -> None:
    assert rtl_synth_rows.closed({"everything"}, known()) == {
        "everything", "routers", "routers_reduction", "slice_cores", "slice_three",
    }  # fmt: skip


def test_sums_and_differences_of_areas() -> None:
    areas = {"a": (3.0, 20.0, 3), "b": (1.0, 5.0, 1)}
    results = {name: rtl_synth_rows.Result(rtl_area.Area(*a), None) for name, a in areas.items()}
    row = rtl_synth_rows.Row(id="c", title="c", plus=["a", "a"], minus=["b"])
    assert rtl_synth_rows.combine(row, results).area == rtl_area.Area(5.0, 35.0, 5)


def test_memories_are_counted_by_their_bits() -> None:
    rows = known()
    store = rtl_synth_rows.memory(rows["operand_store"])
    buffer = rtl_synth_rows.memory(rows["dma_lines"])
    assert store.area.num_flip_flops == 5 * 192 * 512
    assert buffer.area.num_flip_flops == 128 * 513
    assert store.area.total_ge == pytest.approx(rtl_area.PLAIN_FLIP_FLOP * 5 * 192 * 512)
    with pytest.raises(rtl_synth_rows.RowError, match="no memory tape; accepted: operand_store"):
        rtl_synth_rows.rows('[[row]]\nid = "a"\ntitle = "a"\nmemory = "tape"\n')


def test_a_target_that_was_not_measured_is_missed() -> None:
    rows = {"m": rtl_synth_rows.Row(id="m", title="m", top="m", baseline="n")}
    line = rtl_synth_page.Target("goal", "m", "kge", 3).line(rows, {})
    assert line == "- **FAIL**: goal: not measured, of 3 kGE"


def target(measure: str, at_most: float) -> str:
    rows = {"m": rtl_synth_rows.Row(id="m", title="m", top="m", baseline="n")}
    timings = {
        name: rtl_timing.CriticalPath(1.0, fo4, "a", "b") for name, fo4 in (("m", 33), ("n", 30))
    }
    areas = {"m": rtl_area.Area(1100.0, 0.0, 0), "n": rtl_area.Area(1000.0, 0.0, 0)}
    results = {name: rtl_synth_rows.Result(areas[name], timings[name]) for name in areas}
    return rtl_synth_page.Target("goal", "m", measure, at_most).line(rows, results)


@pytest.mark.parametrize("measure", ["kge", "area_percent", "path_percent"])
def test_a_target_passes_up_to_its_limit(measure: str) -> None:
    value = 1.1 if measure == "kge" else 10.0
    unit = " kGE" if measure == "kge" else " %"
    assert target(measure, value + 0.01) == f"- pass: goal: {value} of {value + 0.01:g}{unit}"
    assert target(measure, value - 0.01) == f"- **FAIL**: goal: {value} of {value - 0.01:g}{unit}"


def test_what_nobody_measured_is_not_kept_and_is_named() -> None:
    row = rtl_synth_rows.Row(id="nobody", title="nobody", top="noccl_fork")
    assert rtl_synth_rows.kept(row) is None
    assert "`nobody`" in rtl_synth_page.missing([row])
    known_row = known()["fork"]
    measured = rtl_synth_rows.measure(known_row, with_timing=True)
    assert rtl_synth_rows.kept(known_row) == measured


def test_claims_show_ratios_of_rows() -> None:
    kge = {"routers": 100, "routers_multicast": 104, "routers_merge": 110, "routers_reduction": 130}
    kge |= {"ni_plain": 20, "ni": 25}
    results = {
        name: rtl_synth_rows.Result(
            rtl_area.Area(1000.0 * value, 0.0, 0), rtl_timing.CriticalPath(1.0, value, "a", "b")
        )
        for name, value in kge.items()
    }
    areas = tomllib.loads(rtl_synth_page.claims(known(), results))
    assert {name: entry["ours"] for name, entry in areas.items()} == {
        "12-router-multicast": 1.04,
        "12-router-parallel": 0.06,
        "12-router-all": 1.3,
        "12-ni": 1.25,
        "12-timing": 1.3,
    }  # fmt: skip
    assert areas["12-router-all"]["published"] == pytest.approx(264 / 173, abs=1e-4)


@pytest.mark.parametrize("name", ["fifo", "arbiter", "fork"])
def test_the_page_says_what_the_flow_gives(name: str) -> None:
    row = known()[name]
    line = rtl_synth_page.cells(row, rtl_synth_rows.measure(row, with_timing=True), None)
    written = [
        [cell.strip() for cell in text.split("|")[1:-1]]
        for text in PAGE.read_text(encoding="utf-8").splitlines()
        if text.startswith("|")
    ]
    assert line in written


def test_a_slope_is_the_difference_of_its_rows_per_item() -> None:
    def result(ge: float, flip_flops: int) -> rtl_synth_rows.Result:
        return rtl_synth_rows.Result(rtl_area.Area(ge, 0.0, flip_flops), None)

    slope = rtl_synth_page.Slope("a bit", "few", "many", 4)
    results = {"few": result(1000.0, 8), "many": result(3000.0, 48)}
    assert slope.line(results) == "- a bit: 0.500 kGE, 10.0 flip-flops"
    assert slope.line({"few": result(1000.0, 8)}) is None


def test_slopes_name_rows() -> None:
    text = rtl_synth_rows.ROWS.read_text(encoding="utf-8")
    names = {row.id for row in rtl_synth_rows.rows(text)}
    slopes = [rtl_synth_page.Slope(**entry) for entry in tomllib.loads(text)["slope"]]
    assert slopes
    assert {name for s in slopes for name in (s.first, s.last)} <= names
