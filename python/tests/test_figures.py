# SPDX-License-Identifier: Apache-2.0
"""Figures of studies are drawn from their numbers, and those of the pages are today's."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import noccl
from noccl.figures import Figure, Line, Panel, Series, main, plot_figure, read_figure

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [*(f"docs/papers/S{n}" for n in (1, 2, 3, 4)), "docs/barrier"]
NUMBERS = sorted(path for folder in FOLDERS for path in (ROOT / folder).glob("*.json"))


@pytest.mark.parametrize("path", NUMBERS, ids=lambda path: path.stem)
def test_the_drawings_of_the_pages_are_those_of_their_numbers(path: Path) -> None:
    drawing = path.with_suffix(".svg").read_text(encoding="utf-8")
    assert rounded(drawing) == rounded(read_figure(path).svg)


def rounded(drawing: str) -> str:
    """A drawing without the last decimals of its coordinates, in which processors differ."""
    return re.sub(r"\d+\.\d{5,}", lambda found: f"{float(found[0]):.4f}", drawing)


def test_every_figure_of_the_pages_has_numbers() -> None:
    drawn = {path.stem for folder in FOLDERS for path in (ROOT / folder).glob("*.svg")}
    # Charts of wins have a form of their own: experiments/torrent/winners.py.
    assert {name for name in drawn if not name.startswith("winners")} == {p.stem for p in NUMBERS}


def test_a_panel_has_its_lines_over_the_ticks_of_the_data() -> None:
    lines = (Line("a", ((1, 3.0), (2, 4.0), (8, 90.0))), Line("b", ((1, 5.0), (8, 6.0))))
    drawing = plot_figure(Figure("f", "t", "x", "y", panels=(Panel("", lines),)))
    (axes,) = drawing.axes
    assert [line.get_label() for line in axes.lines] == ["a", "b"]
    assert list(axes.get_xticks()) == [1, 2, 8]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_panels_stand_in_rows_of_four() -> None:
    panels = tuple(Panel(name, (Line("a", ((2, 1.0), (4, 2.0))),)) for name in "abcde")
    drawing = plot_figure(Figure("f", "t", "x", "y", panels=panels))
    shown = [axes.get_title() for axes in drawing.axes if axes.get_visible()]
    assert shown == list("abcde")


def test_there_is_a_bar_per_series_and_group() -> None:
    series = (Series("s", (1000.0, 20.0)), Series("t", (7.0, 999.0)))
    drawing = plot_figure(Figure("f", "t", "x", "y", groups=("a", "b"), series=series))
    (axes,) = drawing.axes
    assert len(axes.patches) == 4


def test_a_study_without_measurements_says_its_numbers_and_draws_them(tmp_path: Path) -> None:
    panel = {"title": "", "lines": [{"name": "a", "points": [[1, 2], [2, 4]]}]}
    form = {
        "name": "n",
        "title": "t",
        "x": "x",
        "y": "y",
        "content": {"panels": [panel]},
    }
    (tmp_path / "n.json").write_text(json.dumps(form), encoding="utf-8")
    main([str(tmp_path)])
    assert (tmp_path / "n.svg").read_text(encoding="utf-8") == Figure.from_json(form).svg
    (tmp_path / "n.json").write_text('{"name": 1}', encoding="utf-8")
    with pytest.raises(noccl.FileError, match="not the numbers of a figure"):
        main([str(tmp_path)])
