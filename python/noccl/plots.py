# SPDX-License-Identifier: Apache-2.0
"""Figures from result tables.

Each function takes a table and returns a figure. None runs anything, reads global state or chooses
a file: `figure.savefig(...)` is the caller's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.colours import styles
from noccl.drawings import axes_of, can_name_ends, decades, name_lines
from noccl.errors import ArgumentError
from noccl.tables import ResultTable
from noccl.values import kind_of, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from noccl.colours import Style

_BYTES_PER_KIB = 1024
_MOST_RANK_LABELS = 32


def plot_cycles(table: ResultTable, *, ax: Axes | None = None) -> Figure:
    """Cycles over payload size, one line per algorithm, and the lower bound.

    Args:
        table: Rows of `compare`, of one collective and one group.
        ax: Axes to draw into; None for a new figure.

    Raises:
        ArgumentError: The table is of another kind, empty, or mixes collectives or groups.
    """
    rows = _rows(table, "compare")
    subjects = {(row["network"], row["collective"], row["group"]) for row in rows}
    if len(subjects) > 1:
        raise ArgumentError(
            f"table: {len(subjects)} different collectives or groups; "
            "accepted: the rows of one collective on one group of one network"
        )
    figure, axes = axes_of(ax, (7, 4.5))
    ends = []
    for name, style in styles(_series_name(row) for row in rows).items():
        points = sorted((r["bytes"], r["cycles"]) for r in rows if _series_name(r) == name)
        _draw_line(axes, name, points, style)
        ends.append((name, *points[-1], style.colour))
    bound = sorted({(row["bytes"], row["lower_bound_cycles"]) for row in rows})
    axes.plot(*zip(*bound, strict=True), linestyle="--", color="black", label="lower bound")
    ends.append(("lower bound", *bound[-1], "black"))
    axes.set_xscale("log", base=2)
    decades(axes)
    sizes = sorted({row["bytes"] for row in rows})
    axes.set_xticks(sizes, [_size_name(size) for size in sizes])
    network, collective, group = next(iter(subjects))
    axes.set(
        xlabel="payload per participant (log)",
        ylabel="cycles (log)",
        title=f"{collective}, {group}, {network}",
    )
    _name(axes, ends)
    return figure


def plot_latency(table: ResultTable, *, ax: Axes | None = None) -> Figure:
    """Mean latency over offered load, one line per pattern; dotted: zero-load latency.

    Args:
        table: Rows of `traffic`.
        ax: Axes to draw into; None for a new figure.

    Raises:
        ArgumentError: The table is of another kind or empty.
    """
    rows = _rows(table, "traffic")
    figure, axes = axes_of(ax, (7, 4.5))
    ends = []
    for pattern, style in styles(row["pattern"] for row in rows).items():
        chosen = [row for row in rows if row["pattern"] == pattern]
        measured = [r for r in chosen if r["mean_latency_cycles"] is not None]
        points = sorted((r["offered_beats_per_cycle"], r["mean_latency_cycles"]) for r in measured)
        _draw_line(axes, pattern, points, style)
        axes.axhline(chosen[0]["zero_load_latency_cycles"], linestyle=":", color=style.colour)
        ends += [(pattern, *points[-1], style.colour)] if points else []
    decades(axes)
    axes.set(
        xlabel="offered load [beats per cluster and cycle]", ylabel="mean latency [cycles] (log)"
    )
    _name(axes, ends)
    return figure


def plot_link_load(
    table: ResultTable, row: int = 0, *, plane: str | None = None, ax: Axes | None = None
) -> Figure:
    """Flits per link of one plane, drawn on the mesh, for one row of a comparison.

    Axes count clusters from the south-west one; memory tiles lie outside.

    Args:
        table: Rows of `compare`, made with `has_links=True`.
        row: Index of the row.
        plane: `req`, `rsp` or `wide`, of core tiles `udn` or `static`; None for the plane with
            the busiest link.
        ax: Axes to draw into; None for a new figure.

    Raises:
        ArgumentError: The table is of another kind, has no such row, or has no link loads.
    """
    rows = _rows(table, "compare")
    row = whole("row", row)
    if row >= len(rows):
        raise ArgumentError(f"row {row}: accepted: 0 to {len(rows) - 1}")
    loaded = rows[row]["links"]
    if plane is None and loaded:
        plane = max(loaded, key=lambda link: link["flits"])["plane"]
    links = [link for link in loaded if link["plane"] == plane]
    if not links:
        planes = ", ".join(dict.fromkeys(link["plane"] for link in loaded))
        accepted = planes or "a row compared with has_links=True"
        raise ArgumentError(f"row {row} has no loads of plane {plane!r}; accepted: {accepted}")
    figure, axes = axes_of(ax, (6, 5))
    draw_links(axes, links)
    axes.set(xlabel="cluster x (East); memory tiles lie outside", ylabel="cluster y (North)")
    name = f"{rows[row]['collective']} {_series_name(rows[row])}"
    axes.set_title(f"{name}\nflits per link of plane {plane}")
    return figure


def plot_timeline(table: ResultTable, *, ax: Axes | None = None) -> Figure:
    """What each rank did over time, one bar per activity, one colour per kind.

    Args:
        table: `timeline` of a `ProgramResult`.
        ax: Axes to draw into; None for a new figure.

    Raises:
        ArgumentError: The table is of another kind or empty.
    """
    rows = _rows(table, "timeline")
    ranks = sorted({row["rank"] for row in rows})
    figure, axes = axes_of(ax, (9, 1.6 + 0.22 * len(ranks)))
    looks = styles(sorted({row["what"] for row in rows}))
    for kind, style in looks.items():
        chosen = [row for row in rows if row["what"] == kind]
        axes.barh(
            [row["rank"] for row in chosen],
            [row["end_cycle"] - row["start_cycle"] for row in chosen],
            left=[row["start_cycle"] for row in chosen],
            height=0.8,
            color=style.colour,
            hatch=style.hatch,
            label=kind,
        )
    axes.set_yticks(ranks if len(ranks) <= _MOST_RANK_LABELS else ranks[:: len(ranks) // 8])
    axes.invert_yaxis()
    axes.set(xlabel="cycle", ylabel="rank")
    columns = max(1, min(len(looks), 6))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns)
    return figure


def _draw_line(axes: Axes, name: str, points: Sequence[tuple[float, float]], style: Style) -> None:
    axes.plot(
        [x for x, _ in points],
        [y for _, y in points],
        color=style.colour,
        marker=style.marker,
        linestyle=style.stroke,
        label=name,
    )


def _name(axes: Axes, ends: Sequence[tuple[str, float, float, str]]) -> None:
    """Names lines at their ends, or, if they are many, in a legend beside them."""
    if can_name_ends(axes, ends):
        name_lines(axes, ends)
    else:
        axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0))


def draw_links(
    axes: Axes,
    links: list[dict[str, Any]],
    *,
    most: float | None = None,
    bar: str | None = "flits per link",
) -> None:
    """Draws links as arrows on the mesh.

    Args:
        axes: Axes to draw into.
        links: `from_x`, `from_y`, `to_x`, `to_y` and `flits` of each.
        most: Flits at the end of the colour map; None for the most of these links.
        bar: What the colours mean; None for no colour bar.
    """
    start = np.array([(link["from_x"], link["from_y"]) for link in links], dtype=float)
    step = np.array([(link["to_x"], link["to_y"]) for link in links], dtype=float) - start
    # Each direction of a link gets its own side.
    aside = 0.12 * np.stack([step[:, 1], -step[:, 0]], axis=1)
    tail = start + 0.2 * step + aside
    arrows = axes.quiver(
        *tail.T,
        *(0.6 * step).T,
        [link["flits"] for link in links],
        angles="xy",
        scale_units="xy",
        scale=1,
        width=0.012,
        cmap="viridis",
        clim=(0, max(link["flits"] for link in links) if most is None else most),
    )
    ends = np.concatenate([start, start + step])
    columns, rows = (
        range(int(ends[:, axis].min()), int(ends[:, axis].max()) + 1) for axis in (0, 1)
    )
    x, y = np.meshgrid(columns, rows)
    axes.scatter(x, y, marker="s", s=120, color="lightgray", zorder=0)
    axes.set(
        xlim=(columns[0] - 0.6, columns[-1] + 0.6),
        ylim=(rows[0] - 0.6, rows[-1] + 0.6),
        xticks=columns,
        yticks=rows,
        aspect="equal",
    )
    if bar is not None:
        axes.figure.colorbar(arrows, ax=axes, label=bar)


def _rows(table: ResultTable, kind: str) -> list[dict[str, Any]]:
    if not isinstance(table, ResultTable):
        raise ArgumentError(f"table: {kind_of(table)}; accepted: a ResultTable")
    if table.kind != kind or len(table) == 0:
        raise ArgumentError(
            f"table: {len(table)} rows of kind '{table.kind}'; accepted: rows of kind '{kind}'"
        )
    return table.rows()


def _series_name(row: dict[str, Any]) -> str:
    # The chain of one chunk is a line of its own: nothing overlaps in it.
    is_one_chunk = row["algorithm"] == "chain" and row["chunks"] == 1
    return "chain:1" if is_one_chunk else str(row["algorithm"])


def _size_name(size: int) -> str:
    return f"{size // _BYTES_PER_KIB} KiB" if size % _BYTES_PER_KIB == 0 else f"{size} B"
