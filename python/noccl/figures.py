# SPDX-License-Identifier: Apache-2.0
"""Figures of studies, drawn by Matplotlib from the numbers that a study found.

The engine measures and says what belongs into a figure; nothing there draws. `noccl barrier`,
`noccl baselines` and the experiments on papers (`noccl-papers`) write a figure's numbers with
`--figures FOLDER`, and `python -m noccl.figures FOLDER` draws each of them to an SVG beside it.
"""

from __future__ import annotations

import io
import itertools
import json
import math
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noccl.colours import Style, styles
from noccl.drawings import (
    can_name_ends,
    decades,
    name_lines,
    panels_of,
    repeatable,
    with_dark_colours,
)
from noccl.errors import ArgumentError, FileError
from noccl.files import read_text, write_file
from noccl.values import kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

_COLUMNS = 4
"""Panels beside each other."""
_MOST_TICKS = 12
"""Evenly spaced values beyond this have the ticks of Matplotlib."""
_LEGEND_COLUMNS = 6
"""Names beside each other below panels."""
_TITLE_LETTERS = 56
"""A title is not wider than its panel, beside which the legend is."""
_DECADE = 10
"""Values that span more than this are drawn over a logarithmic axis."""


@dataclass(frozen=True)
class Line:
    """A line of a panel.

    Attributes:
        name: Its name in the legend.
        points: Its points, x ascending.
    """

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Panel:
    """Lines over the same axes.

    Attributes:
        title: What tells it from the other panels; empty if there is one panel.
        lines: The lines.
    """

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Series:
    """Bars of one colour, one per group.

    Attributes:
        name: Their name in the legend.
        values: Their heights; 0 has no bar.
    """

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Figure:
    """The numbers of a plot after one of the paper's figures.

    Attributes:
        name: File name without extension, e.g. `fig_5a`.
        title: What it shows.
        x: Name of the x axis.
        y: Name of the y axis.
        panels: Panels of lines; empty if there are bars.
        groups: Names of the groups of bars.
        series: Bars, one of each series per group.
    """

    name: str
    title: str
    x: str
    y: str
    panels: tuple[Panel, ...] = ()
    groups: tuple[str, ...] = ()
    series: tuple[Series, ...] = ()

    @staticmethod
    def from_json(form: Mapping[str, Any]) -> Figure:
        """Reads the form of `formats/figure.schema.json`."""
        content = form["content"]
        bars = content.get("bars", {"groups": [], "series": []})
        return Figure(
            name=form["name"],
            title=form["title"],
            x=form["x"],
            y=form["y"],
            panels=tuple(_panel(panel) for panel in content.get("panels", [])),
            groups=tuple(bars["groups"]),
            series=tuple(Series(s["name"], tuple(s["values"])) for s in bars["series"]),
        )

    @property
    def svg(self) -> str:
        """The drawing, a whole file; the same numbers make the same text."""
        text = io.StringIO()
        with repeatable(font_size=9):
            plot_figure(self).savefig(text, format="svg", metadata={"Date": None})
        return with_dark_colours(text.getvalue())


def plot_figure(figure: Figure, *, ax: Axes | Sequence[Axes] | None = None) -> Drawing:
    """Draws a figure of a study.

    Args:
        figure: The numbers.
        ax: Axes to draw into, as many as panels; None for a new figure.

    Raises:
        ArgumentError: It is none, or `ax` are not as many axes as panels.
    """
    if not isinstance(figure, Figure):
        raise ArgumentError(f"figure: {kind_of(figure)}; accepted: a Figure")
    return _bars(figure, ax) if figure.series else _lines(figure, ax)


def _lines(figure: Figure, ax: Axes | Sequence[Axes] | None) -> Drawing:
    count = max(1, len(figure.panels))
    columns = min(_COLUMNS, count)
    rows = math.ceil(count / columns)
    size = (7.6, 4) if count == 1 else (2.7 * columns, 2.4 * rows + 0.6)
    drawing, shown = panels_of(ax, count, size, columns)
    series = styles(line.name for panel in figure.panels for line in panel.lines)
    for axes, panel in zip(shown, figure.panels, strict=False):
        _panel_lines(axes, panel, series)
    shown = shown[: len(figure.panels)]
    _y_axes(shown, [y for panel in figure.panels for line in panel.lines for _, y in line.points])
    for index, (axes, panel) in enumerate(zip(shown, figure.panels, strict=True)):
        title = textwrap.fill(figure.title, _TITLE_LETTERS) if count == 1 else panel.title
        axes.set(xlabel=_axis_name(figure.x, axes.get_xscale()), title=title)
        axes.set_ylabel(_axis_name(figure.y, axes.get_yscale()))
        if ax is None and index % columns > 0:
            axes.set_ylabel("")
            axes.tick_params(labelleft=False)
    if count > 1 and ax is None:
        drawing.suptitle(figure.title, fontsize="large")
    lines = figure.panels[0].lines if count == 1 else ()
    ends = [(line.name, *line.points[-1], series[line.name].colour) for line in lines]
    if count == 1 and can_name_ends(shown[0], ends):
        name_lines(shown[0], ends)
        return drawing
    _legend(drawing, shown, is_beside=count == 1 or ax is not None)
    return drawing


def _legend(drawing: Drawing, shown: Sequence[Axes], *, is_beside: bool) -> None:
    """The key of all panels, beside the only one or below them."""
    handles = {
        name: handle
        for axes in shown
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    drawing.legend(
        handles.values(),
        handles.keys(),
        loc="outside right upper" if is_beside else "outside lower center",
        ncols=1 if is_beside else min(_LEGEND_COLUMNS, len(handles)),
    )


def _panel_lines(axes: Axes, panel: Panel, series: Mapping[str, Style]) -> None:
    for line in panel.lines:
        style = series[line.name]
        axes.plot(
            *zip(*line.points, strict=True),
            label=line.name,
            color=style.colour,
            marker=style.marker,
            linestyle=style.stroke,
            markersize=4,
        )
    _x_axis(axes, sorted({x for line in panel.lines for x, _ in line.points}))
    axes.grid(axis="y", color="#dddddd")


def _y_axes(grid: Sequence[Axes], values: Sequence[float]) -> None:
    """One y axis for all panels, so that heights compare."""
    low, high = min(values), max(values)
    is_log = low > 0 and high / low > _DECADE
    for axes in grid:
        if is_log:
            decades(axes)
            axes.set_ylim(low / 1.15, high * 1.15)
        else:
            axes.set_ylim(min(0, 1.05 * low), 1.05 * high)


def _axis_name(name: str, scale: str) -> str:
    return f"{name} (log)" if scale == "log" else name


def _x_axis(axes: Axes, ticks: Sequence[float]) -> None:
    """The ticks of the data unless they are many, logarithmic unless they are evenly spaced."""
    from matplotlib.ticker import NullLocator

    steps = {round(b - a, 9) for a, b in itertools.pairwise(ticks)}
    if len(steps) > 1 and ticks[0] > 0:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(NullLocator())
    elif len(ticks) > _MOST_TICKS:
        return
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks], rotation=45 if len(ticks) > 8 else 0)  # noqa: PLR2004


def _bars(figure: Figure, ax: Axes | Sequence[Axes] | None) -> Drawing:
    drawing, (axes,) = panels_of(ax, 1, (7.6, 3.6), 1)
    width = 0.8 / len(figure.series)
    by_name = styles(series.name for series in figure.series)
    for index, series in enumerate(figure.series):
        places = [group - 0.4 + (index + 0.5) * width for group in range(len(figure.groups))]
        style = by_name[series.name]
        axes.bar(
            places,
            series.values,
            0.95 * width,
            label=series.name,
            color=style.colour,
            hatch=style.hatch,
        )
    decades(axes)
    axes.set_xticks(range(len(figure.groups)), figure.groups)
    axes.set(xlabel=figure.x, ylabel=_axis_name(figure.y, "log"), title=figure.title)
    axes.grid(axis="y", color="#dddddd")
    axes.set_axisbelow(True)
    drawing.legend(loc="outside lower center", ncols=len(figure.series))
    return drawing


def _panel(form: Mapping[str, Any]) -> Panel:
    lines = ((line["name"], line["points"]) for line in form["lines"])
    return Panel(
        form["title"], tuple(Line(name, tuple((x, y) for x, y in points)) for name, points in lines)
    )


def read_figure(path: Path) -> Figure:
    """Reads the numbers of a figure.

    Raises:
        FileError: The file cannot be read, or holds something else.
    """
    try:
        return Figure.from_json(json.loads(read_text(path)))
    except (ValueError, KeyError, TypeError) as error:
        raise FileError(f"{path}: not the numbers of a figure: {error}") from error


def main(folders: Sequence[str]) -> None:
    """Draws every `.json` of the folders to an SVG beside it.

    Raises:
        FileError: A file cannot be read or written.
    """
    for folder in folders:
        for path in sorted(Path(folder).glob("*.json")):
            write_file(path.with_suffix(".svg"), read_figure(path).svg.encode())


if __name__ == "__main__":
    main(sys.argv[1:])
