# SPDX-License-Identifier: Apache-2.0
"""Cycles over energy: which algorithms, and which networks, nobody is better than in both."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from noccl.colours import Style, styles
from noccl.drawings import panels_of
from noccl.errors import ArgumentError
from noccl.sizes import size
from noccl.sweeps.execute import DONE
from noccl.tables import ResultTable
from noccl.values import kind_of, several, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_MOST_AREA, _LEAST_AREA = 75, 20
_LINEAR_UP_TO = 10.0
_FINE_UP_TO = 40.0
_MOST_PANELS = 12
_COLUMNS = 3
_WORKLOAD = ("collective", "bytes", "group", "num_participants", "operator", "element")
_FILTERS = {
    "collective": "collective",
    "num_bytes": "bytes",
    "network": "network",
    "group": "group",
}
_PJ_PER_NJ = 1000.0
_BYTES_PER_KIB = 1024


def plot_pareto(
    table: ResultTable,
    *,
    collective: str | None = None,
    num_bytes: int | str | None = None,
    network: str | None = None,
    group: str | None = None,
    algorithms: str | Sequence[str] | None = None,
    backend: str | None = None,
    ax: Axes | Sequence[Axes] | None = None,
) -> Figure:
    """Cycles over energy, one panel per workload; colour and marker are the algorithm's.

    The line is the Pareto front: no other point of the panel is as good in both and better in one.
    Only points of the same workload are compared: same collective, payload, group and number of
    participants, on any network.

    Args:
        table: Rows of `sweep`.
        collective: Only this collective; None for all.
        num_bytes: Only this payload, e.g. 4096 or `"4KiB"`.
        network: Only the network of this name.
        group: Only this group.
        algorithms: Only these, as the study names them.
        backend: `sim` or `model`; None for the simulator if it has rows, else the model.
        ax: Axes to draw into, as many as workloads; None for a new figure.

    Raises:
        ArgumentError: The table is of another kind, no row is left, or too many workloads are.
    """
    if not isinstance(table, ResultTable):
        raise ArgumentError(f"table: {kind_of(table)}; accepted: a ResultTable")
    if table.kind != "sweep":
        raise ArgumentError(f"table: rows of kind '{table.kind}'; accepted: rows of kind 'sweep'")
    asked: dict[str, str | int] = {}
    for name, value in (("collective", collective), ("network", network), ("group", group)):
        if value is not None:
            asked[name] = text(name, value)
    if num_bytes is not None:
        asked["num_bytes"] = size("num_bytes", num_bytes)
    rows, backend = _chosen(_of(table, algorithms), asked, backend)
    panels = _panels(rows)
    if len(panels) > _MOST_PANELS:
        raise ArgumentError(
            f"table: {len(panels)} workloads; accepted: {_MOST_PANELS}; {_hint(rows)}"
        )
    return _draw(panels, rows, backend, ax)


def front(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points that no other one is as good as in both and better than in one; less is better.

    >>> front([(3, 1), (1, 3), (2, 2), (3, 3), (2, 4)])
    [(1, 3), (2, 2), (3, 1)]
    """
    found: list[tuple[float, float]] = []
    for point in sorted(set(points)):
        if not found or point[1] < found[-1][1]:
            found.append(point)
    return found


def _of(table: ResultTable, algorithms: str | Sequence[str] | None) -> list[dict[str, Any]]:
    """Measured rows of these algorithms."""
    rows = [row for row in table.rows() if row["outcome"] == DONE]
    if algorithms is None:
        return rows
    asked = [text("algorithms", name) for name in several("algorithms", algorithms)]
    for name in asked:
        if rows and all(row["algorithm"] != name for row in rows):
            raise ArgumentError(f"algorithms: {name!r}; accepted: {_values(rows, 'algorithm')}")
    return [row for row in rows if row["algorithm"] in asked]


def _chosen(
    rows: list[dict[str, Any]], asked: Mapping[str, str | int], backend: str | None
) -> tuple[list[dict[str, Any]], str]:
    """Rows of one backend with the values that are asked for."""
    for name, value in asked.items():
        column = _FILTERS[name]
        left = [row for row in rows if row[column] == value]
        if rows and not left:
            raise ArgumentError(f"{name}: {value!r}; accepted: {_values(rows, column)}")
        rows = left
    backends = list(dict.fromkeys(row["backend"] for row in rows))
    chosen = ("sim" if "sim" in backends else "model") if backend is None else backend
    left = [row for row in rows if row["backend"] == chosen]
    if rows and not left:
        raise ArgumentError(f"backend: {chosen!r}; accepted: {', '.join(backends)}")
    if not left:
        raise ArgumentError("table: no measured row; accepted: a sweep with points that are done")
    # Core tiles have no cost per event; an energy of 0 would win against every other network.
    left = [row for row in left if row["energy_pj"] is not None]
    if not left:
        raise ArgumentError("table: no row has an energy; accepted: networks with costs of events")
    return left, chosen


def _panels(rows: Sequence[dict[str, Any]]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    panels: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        panels.setdefault(tuple(row[name] for name in _WORKLOAD), []).append(row)
    return panels


def _hint(rows: Sequence[dict[str, Any]]) -> str:
    choices = [
        f"{name} ({_values(rows, column)})"
        for name, column in _FILTERS.items()
        if len({row[column] for row in rows}) > 1
    ]
    return f"choose one {', one '.join(choices)}"


def _values(rows: Sequence[dict[str, Any]], column: str) -> str:
    return ", ".join(str(value) for value in dict.fromkeys(row[column] for row in rows))


def _draw(
    panels: Mapping[tuple[Any, ...], list[dict[str, Any]]],
    rows: Sequence[dict[str, Any]],
    backend: str,
    ax: Axes | Sequence[Axes] | None,
) -> Figure:
    columns = min(_COLUMNS, len(panels))
    lines = math.ceil(len(panels) / columns)
    series = styles(row["algorithm"] for row in rows)
    size = (max(6.0, 4.2 * columns), 3.2 * lines + 0.7)
    figure, grid = panels_of(ax, len(panels), size, columns)
    for axes, (workload, chosen) in zip(grid, panels.items(), strict=True):
        _draw_panel(axes, chosen, series)
        axes.set_title(_title(workload), fontsize=9)
    x_name = f"cycles, { ({'sim': 'simulated', 'model': 'by the model'}[backend]) }"
    if ax is not None:
        # The figure is the caller's: names and key are those of the axes.
        for axes in grid:
            axes.set(xlabel=x_name, ylabel="energy [nJ]")
        grid[-1].legend(loc="upper left", bbox_to_anchor=(1.02, 1.0))
        return figure
    handles = {label: handle for axes in grid for handle, label in _labelled(axes)}
    figure.legend(
        handles.values(), handles.keys(), loc="outside upper center", ncols=min(6, len(handles))
    )
    figure.supxlabel(x_name)
    figure.supylabel("energy [nJ]")
    return figure


def _labelled(axes: Axes) -> list[tuple[Any, str]]:
    return list(zip(*axes.get_legend_handles_labels(), strict=True))


def _draw_panel(axes: Axes, rows: Sequence[dict[str, Any]], series: Mapping[str, Style]) -> None:
    place = {id(row): (row["cycles"], row["energy_pj"] / _PJ_PER_NJ) for row in rows}
    best = front(list(place.values()))
    axes.plot(
        *zip(*best, strict=True),
        color="black",
        lw=1,
        marker="o",
        markersize=13,
        markerfacecolor="none",
        zorder=1,
        label="Pareto front",
    )
    for index, (name, style) in enumerate(series.items()):
        points = [place[id(row)] for row in rows if row["algorithm"] == name]
        if points:
            cycles, energy = zip(*points, strict=True)
            axes.scatter(
                cycles,
                energy,
                # Smaller from one to the next: points on the same place are all seen.
                s=max(_LEAST_AREA, _MOST_AREA - 7 * index),
                color=style.colour,
                marker=style.marker,
                edgecolors="white",
                linewidths=0.5,
                zorder=2 + index,
                label=name,
            )
    axes.margins(0.1)
    for axis, values in zip(
        (axes.xaxis, axes.yaxis), zip(*place.values(), strict=True), strict=True
    ):
        _scale(axes, axis, min(values), max(values))
    axes.grid(visible=True, which="major", color="#dddddd", lw=0.6)
    axes.set_axisbelow(True)


def _scale(axes: Axes, axis: Axis, least: float, most: float) -> None:
    """Logarithms where numbers differ by more than a factor of ten, else from zero on."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    is_x = axis is axes.xaxis
    if least > 0 and most / least > _LINEAR_UP_TO:
        (axes.set_xscale if is_x else axes.set_yscale)("log")
        is_wide = most / least > _FINE_UP_TO
        axis.set_major_locator(LogLocator(subs=(1.0,) if is_wide else (1.0, 2.0, 5.0)))
        axis.set_minor_formatter(NullFormatter())
    else:
        top = most * 1.1 or 1.0
        if is_x:
            axes.set_xlim(0, top)
        else:
            axes.set_ylim(0, top)
        axis.set_major_locator(MaxNLocator(5))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}".replace(",", " ")))


def _title(workload: tuple[Any, ...]) -> str:
    fields = dict(zip(_WORKLOAD, workload, strict=True))
    whole_kib = fields["bytes"] and fields["bytes"] % _BYTES_PER_KIB == 0
    payload = f"{fields['bytes'] // _BYTES_PER_KIB} KiB" if whole_kib else f"{fields['bytes']} B"
    parts = [fields["collective"], payload if fields["bytes"] else "", f"group {fields['group']}"]
    parts.append(f"{fields['num_participants']} clusters")
    return ", ".join(part for part in parts if part)
