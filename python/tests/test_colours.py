# SPDX-License-Identifier: Apache-2.0
"""An algorithm looks the same in all plots, no two series look alike, and pages may be dark."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from matplotlib.figure import Figure as PlainFigure

import noccl
from noccl.colours import DARK_HUES, HUES, styles
from noccl.figures import Figure, Line, Panel, Series, plot_figure
from noccl.timelines import Timeline, plot_times
from tests.colour_vision import VISIONS, contrast, distance

ALGORITHMS = [
    *("chain:1", "chain:8:push", "tree:1", "tree:4:pull", "row_column:1:tree", "double_tree:4"),
    *("ring", "pairwise", "slotted", "point_to_point:64:trees=2", "unicast", "chainwrite:greedy"),
    *("counter", "in_network", "in_network:4", "in_network_once:centre", "in_network_lines"),
]


NETWORK = noccl.load("collective_noc_4x4")


@pytest.fixture(scope="module")
def comparison() -> noccl.ResultTable:
    return noccl.compare(
        noccl.load("collective_noc_4x4"),
        "multicast",
        group="row",
        sizes_bytes=[1024, 2048],
        algorithms=["tree", "point_to_point", "in_network"],
    )


def looks(names: list[str]) -> list[tuple[str, str, str]]:
    return [(s.colour, s.marker, s.stroke) for s in styles(names).values()]


def test_no_two_series_of_a_figure_look_alike() -> None:
    many = [f"tree:{index}" for index in range(20)]
    for names in (ALGORITHMS, many, [f"case {index}" for index in range(20)], [*ALGORITHMS, "a"]):
        assert len(set(looks(names))) == len(names)


def hue(colour: str) -> int:
    return next(index for index, shades in enumerate(HUES) if colour in shades)


def test_the_hue_of_a_family_does_not_depend_on_the_other_series() -> None:
    alone = {name: hue(styles([name])[name].colour) for name in ALGORITHMS}
    together = {name: hue(style.colour) for name, style in styles(ALGORITHMS).items()}
    assert alone == together
    assert alone["in_network"] == alone["in_network_once:centre"] != alone["tree:1"]
    # `chain` begins some names, `chainwrite` is one of the family.
    assert alone["chain:1"] == alone["chainwrite:greedy"]


def test_an_algorithm_has_one_colour_whatever_is_beside_it() -> None:
    known = [name for name in ALGORITHMS if name != "in_network:4"]
    together = styles(reversed(ALGORITHMS))
    for name in known:
        assert styles([name])[name].colour == together[name].colour


@pytest.mark.parametrize(("hues", "page"), [(HUES, "#ffffff"), (DARK_HUES, "#14171b")])
def test_hues_are_told_apart_with_every_kind_of_colour_vision(
    hues: tuple[tuple[str, ...], ...], page: str
) -> None:
    first = [shades[0] for shades in hues]
    for vision in VISIONS:
        for one, other in itertools.combinations(first, 2):
            assert distance(one, other, vision) >= 19, (one, other, vision)
    assert all(contrast(shade, page) >= 4.4 for shade in first)
    assert all(contrast(shade, page) >= 3 for shades in hues for shade in shades)


def test_colours_that_some_readers_confuse_are_near() -> None:
    assert distance("#d55e00", "#8a6d00", "normal") > 40
    assert distance("#d55e00", "#8a6d00", "protanopia") < 4
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_a_name_of_no_family_takes_a_hue_that_is_left() -> None:
    found = styles(["in_network", "tree", "equation (2)"])
    assert len({hue(style.colour) for style in found.values()}) == 3


def test_cycles_have_the_colours_of_their_algorithms(comparison: noccl.ResultTable) -> None:
    (axes,) = noccl.plot_cycles(comparison).axes
    drawn = {str(line.get_label()): line.get_color() for line in axes.lines}
    assert drawn.pop("lower bound") == "black"
    assert drawn == {name: style.colour for name, style in styles(drawn).items()}


def test_panels_have_one_height_one_legend_and_colours_by_name() -> None:
    panels = (
        Panel("p", (Line("tree", ((1, 3.0), (2, 4.0))),)),
        Panel(
            "q", (Line("in_network", ((1, 1.0), (2, 900.0))), Line("tree", ((1, 2.0), (2, 5.0))))
        ),
    )
    drawing = plot_figure(Figure("f", "t", "x", "y [cycles]", panels=panels))
    left, right = drawing.axes
    assert left.get_ylim() == right.get_ylim()
    assert (left.get_ylabel(), right.get_ylabel()) == ("y [cycles] (log)", "")
    assert left.lines[0].get_color() == right.lines[1].get_color()
    (legend,) = drawing.legends
    assert [text.get_text() for text in legend.get_texts()] == ["tree", "in_network"]


def test_every_line_and_frame_of_a_study_has_a_dark_colour() -> None:
    lines = tuple(Line(f"case {index}", ((1, 3.0), (2, 4.0))) for index in range(3 * len(HUES)))
    svg = Figure("f", "t", "x", "y", panels=(Panel("", lines),)).svg
    light, dark = svg.split("@media (prefers-color-", 1)
    assert light.startswith("<?xml")
    pairs = zip(sum(HUES, ()), sum(DARK_HUES, ()), strict=True)
    for colour, on_dark in pairs:
        assert f'[style*="stroke: {colour}"] {{ stroke: {on_dark} !important; }}' in dark
        assert f"stroke: {colour};" in dark
    assert '[style*="fill: #ffffff"]' in dark


def test_bars_of_one_family_differ_by_their_hatch() -> None:
    series = (Series("tree", (1000.0,)), Series("tree:4", (7.0,)))
    drawing = plot_figure(Figure("f", "t", "x", "y", groups=("a",), series=series))
    first, second = (bar.get_hatch() for bar in drawing.axes[0].patches)
    assert not first
    assert second


def test_plots_draw_into_the_axes_of_their_caller(comparison: noccl.ResultTable) -> None:
    figure = PlainFigure()
    left, right = figure.subplots(1, 2)
    assert noccl.plot_cycles(comparison, ax=left) is figure
    assert (len(left.lines), len(right.lines)) == (4, 0)
    loads = noccl.traffic(noccl.load("collective_noc_4x4"), "uniform", loads=[0.1])
    assert noccl.plot_latency(loads, ax=right) is figure
    assert len(right.lines) == 2
    with pytest.raises(noccl.ArgumentError, match=r"ax: .*accepted: axes of Matplotlib"):
        noccl.plot_cycles(comparison, ax=figure)  # type: ignore[arg-type]
    right.remove()
    with pytest.raises(noccl.ArgumentError, match="removed from their figure"):
        noccl.plot_latency(loads, ax=right)


def test_a_figure_is_a_picture_in_a_notebook(comparison: noccl.ResultTable) -> None:
    picture = noccl.plot_cycles(comparison)._repr_png_()  # type: ignore[attr-defined]
    assert picture.startswith(b"\x89PNG")


def test_every_plot_draws_into_the_axes_of_its_caller(tmp_path: Path) -> None:
    figure = PlainFigure()
    first, *rest = figure.subplots(1, 4)
    result = noccl.run_program(lambda comm: comm.allreduce(1), NETWORK, ranks=2)
    assert noccl.plot_timeline(result.timeline, ax=first) is figure
    assert len(first.patches) == len(result.timeline)
    study = {
        "specs": ["collective_noc_4x4"],
        "collectives": ["multicast", "reduce"],
        "bytes": [64],
        "groups": ["row"],
        "algorithms": ["tree:1", "in_network"],
        "backends": ["model"],
    }
    swept = noccl.sweep({"product": [study]}, tmp_path / "sweep", processes=1)
    assert noccl.plot_pareto(swept, ax=rest[:2]) is figure
    assert [len(axes.collections) for axes in rest[:2]] == [2, 2]
    assert rest[0].get_xlabel() == "cycles, by the model"
    lines = (Line("tree", ((1, 3.0), (2, 4.0))), Line("ring", ((1, 5.0), (2, 6.0))))
    numbers = Figure("f", "t", "x", "y", panels=(Panel("", lines),))
    assert noccl.plot_figure(numbers, ax=rest[2]) is figure
    assert [text.get_text() for text in rest[2].texts] == ["tree", "ring"]
    timeline = Timeline("n", 1.0, 10, (((0, 10, "compute"),),))
    other = PlainFigure().subplots()
    assert plot_times([timeline], ax=other) is other.figure
    with pytest.raises(noccl.ArgumentError, match="ax: 1 axes; accepted: 2, one for each panel"):
        noccl.plot_pareto(swept, ax=first)


def test_names_stand_at_the_ends_of_lines_that_are_told_apart() -> None:
    apart = (Line("tree", ((1, 3.0), (2, 4.0))), Line("tree:4", ((1, 5.0), (2, 6.0))))
    near = (Line("tree", ((1, 3.0), (2, 4.0))), Line("tree:4", ((1, 5.0), (2, 4.0))))
    shorter = (Line("tree", ((1, 3.0), (2, 4.0))), Line("ring", ((1, 5.0), (1.5, 6.0))))
    many = tuple(Line(f"case {n}", ((1, 3.0), (2, 4.0 + n))) for n in range(9))
    for lines, has_legend in ((apart, False), (near, True), (shorter, True), (many, True)):
        drawing = plot_figure(Figure("f", "t", "x", "y", panels=(Panel("", lines),)))
        assert bool(drawing.legends) == has_legend
        names = {text.get_text() for text in drawing.axes[0].texts}
        assert names == (set() if has_legend else {line.name for line in lines})
