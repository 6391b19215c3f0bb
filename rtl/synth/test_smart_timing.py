# SPDX-License-Identifier: Apache-2.0
"""Hops in a cycle: the wire model by hand, rows of routers by the flow."""

from __future__ import annotations

from pathlib import Path

import pytest

import rtl_hop
import rtl_row
import rtl_sources
import rtl_timing
import smart_paths
import smart_timing_page
import wire_model
from wire_model import Line, Technology

LINKS = rtl_hop.Links({"data_o": "data_i"}, {})
HOP = "noccl_smart_row_data_synth"


def row(
    directory: Path, parameters: dict[str, int], hops: tuple[int, ...] = (1, 2, 4)
) -> rtl_row.Row:
    hop = rtl_hop.Hop(HOP, parameters, rtl_sources.closure([HOP]), LINKS)
    rtl_hop.synthesize(hop, directory)
    return rtl_row.measure(hop, hops, directory, directory)


# ------------------------------------------------------------------------------ model


def test_time_is_launch_and_hops_of_wire_and_gates() -> None:
    line = Line(launch_fo4=5.0, hop_fo4=2.0)
    assert line.time_ps(Technology(), 8) == pytest.approx(5 * 16 + 8 * (62.5 + 2 * 16))
    assert line.clock_mhz(Technology(), 8) == pytest.approx(1e6 / 836)
    assert line.most_hops(Technology()) == 9


@pytest.mark.parametrize(
    ("hop_ps", "hops"), [(0.0, 16), (28.0, 11), (48.0, 9)], ids=["wire", "multiplexer", "or"]
)
def test_published_hops_follow_from_the_published_picoseconds(hop_ps: float, hops: int) -> None:
    assert Line(0.0, hop_ps / 16).most_hops(Technology()) == hops


@pytest.mark.parametrize(
    "slower",
    [
        Technology(fo4_ps=20.0),
        Technology(wire_ps_per_mm=90.0),
        Technology(tile_mm=1.5),
        Technology(clock_ghz=1.3),
    ],
)
def test_slower_gates_longer_wires_and_shorter_cycles_leave_fewer_hops(slower: Technology) -> None:
    line = Line(launch_fo4=5.0, hop_fo4=2.0)
    assert line.most_hops(slower) < line.most_hops(Technology())
    if slower.clock_ghz == 1.0:
        assert line.clock_mhz(slower, 4) < line.clock_mhz(Technology(), 4)


def test_what_a_router_takes_inside_bounds_the_clock() -> None:
    line = Line(launch_fo4=5.0, hop_fo4=2.0, inside_fo4=70.0)
    assert line.time_ps(Technology(), 1) == 70 * 16
    assert line.most_hops(Technology()) == 0


def test_a_launch_longer_than_the_cycle_leaves_no_hop() -> None:
    assert Line(launch_fo4=70.0, hop_fo4=1.0).most_hops(Technology()) == 0


def test_rows_that_were_measured_count_before_the_line() -> None:
    line = wire_model.fit([(1, 10.0), (2, 20.0), (4, 30.0)])
    assert line.hop_fo4 == pytest.approx(45 / 7)
    assert line.residual_fo4 == pytest.approx(15 / 7)
    free = Technology(wire_ps_per_mm=0.0)
    assert line.time_ps(free, 2) == 20 * 16
    assert line.time_ps(free, 3) == pytest.approx((5 + 3 * 45 / 7) * 16)


@pytest.mark.parametrize("name", ["fo4_ps", "tile_mm", "clock_ghz", "wire_ps_per_mm"])
@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_numbers_that_no_technology_has_are_refused(name: str, value: float) -> None:
    with pytest.raises(wire_model.ModelError, match=f"{name} = {value}: accepted"):
        Technology(**{name: value})


def test_lines_need_two_lengths_and_hops_need_time() -> None:
    with pytest.raises(wire_model.ModelError, match="two lengths"):
        wire_model.fit([(2, 3.0), (2, 4.0)])
    with pytest.raises(wire_model.ModelError, match="256 hops fit"):
        Line(1.0, 0.0).most_hops(Technology(wire_ps_per_mm=0.0))


# ------------------------------------------------------------------------------ rows


def test_longer_rows_take_longer_and_an_added_gate_adds_to_each_hop(tmp_path: Path) -> None:
    slopes = []
    for reducer in range(3):
        found = row(tmp_path / str(reducer), {"Bits": 16, "Reducer": reducer})
        times = [path.fo4 for path in found.paths]
        assert times == sorted(set(times))
        assert found.paths[-1].start.startswith("at0/")
        assert found.paths[-1].end.startswith("at4/latched_o")
        slopes.append(wire_model.fit([(path.hops, path.fo4) for path in found.paths]).hop_fo4)
    assert 0.5 < slopes[0] < slopes[1] < slopes[2]


def test_a_row_is_no_tree(tmp_path: Path) -> None:
    # A chain of equal hops: the fourth to eighth add as much as the second to fourth.
    found = row(tmp_path, {"Bits": 16, "Reducer": 0}, (2, 4, 8))
    two, four, eight = (path.fo4 for path in found.paths)
    assert eight - four == pytest.approx(2 * (four - two), rel=0.05)


def probe(tmp_path: Path, body: str, links: rtl_hop.Links) -> rtl_row.Row:
    source = tmp_path / "noccl_probe.sv"
    source.write_text(
        "module noccl_probe (input clk_i, input [1:0] a_i, output logic [1:0] b_o,"
        f" input [1:0] back_i, output logic [1:0] back_o, output logic c_o);\n{body}\nendmodule\n"
    )
    hop = rtl_hop.Hop("noccl_probe", {}, [source], links)
    out = tmp_path / "out"
    rtl_hop.synthesize(hop, out)
    return rtl_row.measure(hop, [1, 2], out, out)


def test_rows_without_a_path_through_are_refused(tmp_path: Path) -> None:
    links = rtl_hop.Links({"b_o": "a_i"}, {})
    with pytest.raises(rtl_row.RowError, match="no path crosses 2 links"):
        probe(tmp_path, "always_ff @(posedge clk_i) b_o <= a_i;", links)


def test_ports_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    body = "assign b_o = ~a_i; always_ff @(posedge clk_i) c_o <= ^a_i;"
    with pytest.raises(rtl_row.RowError, match="no port d_o; accepted: a_i_0, a_i_1, clk_i"):
        probe(tmp_path, body, rtl_hop.Links({"b_o": "a_i"}, {"d_o": "back_i"}))
    with pytest.raises(rtl_row.RowError, match="c_o has 1 bits, a_i 2"):
        probe(tmp_path, body, rtl_hop.Links({"c_o": "a_i"}, {}))


def test_paths_may_come_back_over_links_to_the_router_before(tmp_path: Path) -> None:
    body = (
        "logic [1:0] q; always_ff @(posedge clk_i) begin q <= q + back_i; c_o <= ^a_i; end\n"
        "assign b_o = a_i ^ q; assign back_o = a_i;"
    )
    alone = probe(tmp_path, body, rtl_hop.Links({"b_o": "a_i"}, {}))
    both = probe(tmp_path, body, rtl_hop.Links({"b_o": "a_i"}, {"back_o": "back_i"}))
    assert both.paths[-1].end.startswith("at1/q")
    assert alone.paths[-1].end.startswith("at2/c_o")
    assert both.paths[-1].fo4 > alone.paths[-1].fo4


def test_the_longest_path_inside_a_router_is_known(tmp_path: Path) -> None:
    links = rtl_hop.Links({"b_o": "a_i"}, {})
    slow = "logic [31:0] q; always_ff @(posedge clk_i) begin q <= q + 3; c_o <= ^a_i; end\n"
    found = probe(tmp_path, f"{slow} assign b_o = a_i ^ q[1:0];", links)
    plain = rtl_timing.measure("noccl_probe", {}, [tmp_path / "noccl_probe.sv"], tmp_path / "one")
    assert plain is not None
    assert found.inside_fo4 == pytest.approx(plain.fo4, rel=0.1)


# ------------------------------------------------------------------------------ file and page

PATH = '[[path]]\nid = "a"\ntitle = "a"\nkind = "data"\nmodule = "m"\n'


@pytest.mark.parametrize(
    ("more", "match"),
    [
        ('forward = { a = "b" }\nhops = [2]\n', "two lengths"),
        ('forward = { a = "b" }\nhops = [0, 2]\n', "two lengths from 1 on"),
        ("forward = {}\nhops = [1, 2]\n", "a port that leads to the next router"),
    ],
)
def test_paths_that_cannot_be_measured_are_refused(more: str, match: str) -> None:
    with pytest.raises(smart_paths.PathError, match=match):
        smart_paths.paths(PATH + more)


def test_unknown_kinds_and_goals_without_a_path_are_refused() -> None:
    good = 'forward = { a = "b" }\nhops = [1, 2]\n'
    with pytest.raises(smart_paths.PathError, match="kind soft; accepted: data, control, model"):
        smart_paths.paths(PATH.replace("data", "soft") + good)
    goal = '[[goal]]\ntext = "t"\npath = "b"\nat_least = 2\n'
    with pytest.raises(smart_paths.PathError, match="t: no path b"):
        smart_paths.goals(PATH + good + goal)


def test_goals_are_of_the_presets_channels_tags_and_table() -> None:
    text = smart_paths.PATHS.read_text(encoding="utf-8")
    assert smart_paths.goals(text)
    small = text.replace(
        "package = { HPC_MAX = 8 }", "package = { HPC_MAX = 8, REDUCTION_VCS = 1 }", 1
    )
    with pytest.raises(
        smart_paths.PathError, match="data path: accepted: a path with the REDUCTION_VCS of"
    ):
        smart_paths.goals(small)


def test_a_path_says_how_its_routers_differ_from_the_preset() -> None:
    known = {p.id: p for p in smart_paths.paths(smart_paths.PATHS.read_text(encoding="utf-8"))}
    number = smart_paths.preset()
    assert smart_paths.differences(known["control_1"]) == [
        f"`HPC_MAX` 8, not {number['HPC_MAX']}", f"`FLIT_BITS` 1, not {number['FLIT_BITS']}",
    ]  # fmt: skip
    assert smart_paths.differences(known["multiplexer"]) == []
    assert (
        f"{number['REDUCTION_VCS']} channels of {number['VC_FLITS']} flits" in smart_paths.sizes()
    )


def test_a_goal_passes_up_to_what_fits() -> None:
    line = Line(launch_fo4=5.0, hop_fo4=2.0)
    texts = [
        smart_paths.Goal("goal", "a", hops).line({"a": line}, Technology()) for hops in (9, 10)
    ]
    assert texts[0].startswith("- pass: goal: 9 of 9 hops (9 hops at 10")
    assert texts[1].startswith("- **FAIL**: goal: 9 of 10 hops (10 hops at 9")
    assert texts[0].endswith(": wires 562 ps, hops 288 ps, once 80 ps)")
    missed = smart_paths.Goal("goal", "a", 9).line({}, Technology())
    assert missed == "- **FAIL**: goal: not measured, of 9 hops"


def test_a_result_is_kept_and_shown_with_its_numbers() -> None:
    known = smart_paths.paths(smart_paths.PATHS.read_text(encoding="utf-8"))
    path = next(path for path in known if path.id == "multiplexer")
    measured = smart_paths.measure(path)
    assert smart_paths.kept(path) == measured
    text = smart_timing_page.Report([path], {path.id: measured}, [], Technology()).text()
    assert "FO4 16 ps, wire 62.5 ps/mm, tile 1 mm." in text
    line = smart_paths.line(path, measured)
    assert f"| {line.hop_fo4:.2f} " in text
    missing = smart_timing_page.Report([path], {}, [], Technology()).text()
    assert "**not measured** for these sources: `multiplexer`" in missing
