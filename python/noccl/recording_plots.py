# SPDX-License-Identifier: Apache-2.0
"""Figures of recordings: a Gantt chart, and the load of links over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.colours import styles
from noccl.drawings import axes_of, panels_of
from noccl.errors import ArgumentError
from noccl.plots import draw_links
from noccl.recordings import Recording
from noccl.values import kind_of, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_ROWS = 64
"""Tiles with a row of their own; of more, those that are busy longest."""
_MOST_PANELS = 64


def plot_gantt(recording: Recording, *, what: str | None = None, ax: Axes | None = None) -> Figure:
    """When each tile or rank was busy with what, or waited: a row each, a colour per kind.

    An action that several tiles carry out is drawn for each of the first 64. Of more than 64 rows
    those with the longest bars are drawn.

    Args:
        recording: What `run(..., record=True)` returns as `recording`, or `read_recording`.
        what: `actions`, `ranks` or `transactions`; None for the first of these that it has.
        ax: Axes to draw into; None for a new figure.

    Raises:
        ArgumentError: No recording, or one without such bars.
    """
    what, bars = _bars(_recording(recording), what)
    busy: dict[tuple[int, ...], int] = {}
    for row, _, start, end in bars:
        busy[row] = busy.get(row, 0) + end - start
    rows = sorted(sorted(busy, key=lambda row: -busy[row])[:_MOST_ROWS])
    figure, axes = axes_of(ax, (9, 1.6 + 0.2 * len(rows)))
    looks = styles(sorted({bar[1] for bar in bars}))
    lengths = {kind: max(end - start for _, of, start, end in bars if of == kind) for kind in looks}
    spans: dict[str, dict[tuple[int, ...], list[tuple[int, int]]]] = {kind: {} for kind in looks}
    for row, kind, start, end in bars:
        spans[kind].setdefault(row, []).append((start, end - start))
    # What lasts longest, as barriers do, lies behind the rest.
    for kind in sorted(looks, key=lambda kind: -lengths[kind]):
        label: str | None = kind
        for at, row in enumerate(rows):
            if row in spans[kind]:
                axes.broken_barh(
                    spans[kind][row],
                    (at - 0.4, 0.8),
                    facecolors=looks[kind].colour,
                    edgecolors="white",
                    linewidth=0.3,
                    label=label,
                )
                label = None
    axes.set_yticks(range(len(rows)), [",".join(map(str, row)) for row in rows])
    axes.tick_params(axis="y", labelsize=8)
    axes.set(ylim=(len(rows) - 0.4, -0.6), xlim=(0, None))
    axes.set(xlabel="cycle", ylabel="rank" if what == "ranks" else "tile of the mesh")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False)
    return figure


def plot_load_over_time(
    recording: Recording,
    *,
    plane: str | None = None,
    panels: int = 6,
    ax: Axes | Sequence[Axes] | None = None,
) -> Figure:
    """Flits per cycle of each link of a plane, in successive parts of a run.

    Args:
        recording: What `run(..., record=True)` returns as `recording`, or `read_recording`.
        plane: As in `plot_link_load`; None for the plane with most flits.
        panels: Parts of the run, 1 to 64.
        ax: Axes to draw into, as many as panels; None for a new figure.

    Raises:
        ArgumentError: No recording, or no flits in this plane.
    """
    loaded = _recording(recording).links
    panels = whole("panels", panels, least=1, most=_MOST_PANELS)
    flits: dict[str, int] = {}
    for link in loaded:
        flits[link["plane"]] = flits.get(link["plane"], 0) + link["flits"]
    plane = max(flits, key=flits.__getitem__, default=None) if plane is None else plane
    if plane not in flits:
        known = ", ".join(flits) or "a run in which flits crossed links"
        raise ArgumentError(f"plane: {kind_of(plane)}; accepted: {known}")
    panels = min(panels, recording.num_windows)
    edges = np.linspace(0, recording.num_windows, panels + 1).astype(int)
    loads = np.zeros((panels, len(loaded)))
    window, link_idx, amount = recording.flits.T
    np.add.at(loads, (np.searchsorted(edges, window, side="right") - 1, link_idx), amount)
    loads /= (np.diff(edges) * recording.window_cycles)[:, None]
    of_plane = [index for index, link in enumerate(loaded) if link["plane"] == plane]
    columns = min(panels, 3)
    size = (3.2 * columns, 2.9 * -(-panels // columns) + 0.4)
    figure, grid = panels_of(ax, panels, size, columns)
    most = float(loads[:, of_plane].max())
    for panel, axes in enumerate(grid):
        links = [_drawn(loaded[index], loads[panel, index]) for index in of_plane]
        bar = "flits per cycle" if axes is grid[-1] else None
        draw_links(axes, links, most=most, bar=bar)
        first, last = edges[panel : panel + 2] * recording.window_cycles
        axes.set_title(f"cycles {first:,} to {last:,}", fontsize="medium")
    return figure


def _drawn(link: dict[str, Any], load: float) -> dict[str, Any]:
    (from_x, from_y), (to_x, to_y) = link["from"], link["to"]
    return {"from_x": from_x, "from_y": from_y, "to_x": to_x, "to_y": to_y, "flits": load}


_OWN_CALLS = ("wait", "compute", "poll")
"""Calls of a rank alone."""
_WHAT = ("actions", "ranks", "transactions")


def _bars(
    recording: Recording, what: str | None
) -> tuple[str, list[tuple[tuple[int, ...], str, int, int]]]:
    """What they are of, and row, kind, first cycle and end of each bar."""
    if what is not None and what not in _WHAT:
        raise ArgumentError(f"what: {kind_of(what)}; accepted: {', '.join(_WHAT)}")
    found = {name: _bars_of(recording, name) for name in (_WHAT if what is None else (what,))}
    for name, bars in found.items():
        if bars:
            return name, bars
    raise ArgumentError(f"recording: no {what or 'bars'}; accepted: {', '.join(_WHAT)}")


def _bars_of(recording: Recording, what: str) -> list[tuple[tuple[int, ...], str, int, int]]:
    fields = recording.fields
    height = fields["mesh"][1]
    if what == "actions":
        return [
            (divmod(tile, height), action["kind"], action["start_cycle"], action["finish_cycle"])
            for action in fields["actions"]
            for tile in action["tiles"]
        ]
    if what == "ranks":
        return [
            ((rank,), _activity(name, None if call is None else fields["calls"][call]), start, end)
            for rank, of in enumerate(fields["ranks"])
            for name, start, end, call in of["slices"]
        ]
    of = fields["transactions"]
    all_of = zip(of["from"], of["kind"], of["start_cycle"], of["response_cycle"], strict=True)
    return [
        (divmod(tile, height), of["kinds"][kind], start, end)
        for tile, kind, start, end in all_of
        if end is not None
    ]


def _activity(name: str, call: dict[str, str] | None) -> str:
    """What a rank does; of a wait in a collective also in which."""
    name = name.replace("_", " ")
    if name != "wait" or call is None or call["call"] in _OWN_CALLS:
        return name
    return f"wait in {call['call']}"


def _recording(value: object) -> Recording:
    if isinstance(value, Recording):
        return value
    accepted = "accepted: the recording of a run, or what read_recording returns"
    raise ArgumentError(f"recording: {kind_of(value)}; {accepted}")
