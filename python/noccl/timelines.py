# SPDX-License-Identifier: Apache-2.0
"""Timelines of programs: when each rank computed, sent, received and waited.

`noccl run program FILE --timeline FILE.json` writes one (`docs/formats/timeline.md`), which
Perfetto shows slice by slice. `python -m noccl.timelines FILE.json` draws it to an SVG beside it:
programs have more slices than a picture has points, so a column shows which part of its time a
rank spent on what.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.colours import HUES
from noccl.drawings import panels_of, repeatable, with_dark_colours
from noccl.errors import ArgumentError, FileError, NocclError
from noccl.files import read_text, write_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VERSION = 1
"""Version of the file."""
COLOURS = {
    "compute": HUES[0][0],
    "execute": HUES[0][0],
    "send": HUES[1][0],
    "receive": HUES[2][0],
    "wait for space": HUES[3][0],
    "wait": "#dcdcdc",
    "wait for words": "#dcdcdc",
}
"""Kinds of slices from the bottom of a rank's bar to its top."""
_BINS = 480
_RANK_PIXELS = 12
_GAP_PIXELS = 2
_RANK_LABELS = 4
_US_PER_MS = 1000
_MANY_US = 10000


@dataclass(frozen=True)
class Timeline:
    """What the ranks of a program did over time.

    Attributes:
        network: Name of the network.
        clock_ghz: Cycles per nanosecond.
        cycles: When the last rank ended.
        ranks: By rank: first cycle, end and kind of each slice, ascending.
    """

    network: str
    clock_ghz: float
    cycles: int
    ranks: tuple[tuple[tuple[int, int, str], ...], ...]

    @staticmethod
    def from_json(form: Mapping[str, Any]) -> Timeline:
        """Reads the form of the file."""
        about = form["otherData"]
        if about["version"] != VERSION:
            raise ValueError(f"version {about['version']}; accepted: {VERSION}")
        ranks: list[list[tuple[int, int, str]]] = [[] for _ in range(about["ranks"])]
        for event in form["traceEvents"]:
            if event["ph"] == "X" and event["tid"] == 0:
                args = event["args"]
                if event["name"] not in COLOURS:
                    raise ValueError(f"slice '{event['name']}'; accepted: {', '.join(COLOURS)}")
                slice_ = (int(args["start_cycle"]), int(args["end_cycle"]), str(event["name"]))
                ranks[event["pid"]].append(slice_)
        return Timeline(
            network=str(about["network"]),
            clock_ghz=float(about["clock_ghz"]),
            cycles=int(about["cycles"]),
            ranks=tuple(tuple(sorted(slices)) for slices in ranks),
        )

    @property
    def kinds(self) -> list[str]:
        """Kinds of slices that there are, in the order of `COLOURS`."""
        found = {kind for slices in self.ranks for _, _, kind in slices}
        return [kind for kind in COLOURS if kind in found]

    def cycles_of(self, rank: int, kind: str, window: tuple[int, int] | None = None) -> int:
        """Cycles that a rank has spent on something, all or from one cycle up to another."""
        first, last = window or (0, self.cycles)
        parts = (
            min(end, last) - max(start, first)
            for start, end, found in self.ranks[rank]
            if found == kind
        )
        return sum(part for part in parts if part > 0)


def read_timeline(path: Path | str) -> Timeline:
    """Reads a timeline.

    Raises:
        FileError: The file cannot be read, or holds something else.
    """
    try:
        return Timeline.from_json(json.loads(read_text(path)))
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise FileError(f"{path}: not a timeline: {error}") from error


def shares(
    timeline: Timeline, rank: int, bins: int, window: tuple[int, int]
) -> dict[str, np.ndarray[Any, Any]]:
    """Which part of each bin a rank has spent on each kind of slice; 0 behind its end."""
    edges = np.linspace(window[0], max(window[1], window[0] + 1), bins + 1)
    found = {}
    for kind in timeline.kinds:
        slices = [(start, end) for start, end, of in timeline.ranks[rank] if of == kind]
        bounds = np.array([(0, 0), *slices], dtype=float)
        spent = np.cumsum(bounds[:, 1] - bounds[:, 0])
        # Time spent up to each bound: nothing is added between the end of a slice and the next.
        before = np.concatenate([[0.0], spent[:-1]])
        total = np.interp(edges, bounds.ravel(), np.stack([before, spent], axis=1).ravel())
        found[kind] = np.diff(total) / np.diff(edges)
    return found


def plot_times(
    timelines: Sequence[Timeline],
    titles: Sequence[str] = (),
    windows: Sequence[tuple[int, int]] = (),
    *,
    ax: Axes | Sequence[Axes] | None = None,
) -> Figure:
    """What ranks did over time: a panel per timeline, a bar per rank, a colour per activity.

    Args:
        timelines: What `read_timeline` has read.
        titles: Of the panels; else the names of the networks.
        windows: First and last cycle of each panel; else all.
        ax: Axes to draw into, as many as timelines; None for a new figure.

    Raises:
        ArgumentError: No timeline, or another number of titles or windows.
    """
    names = list(titles) or [timeline.network for timeline in timelines]
    ranges = list(windows) or [(0, timeline.cycles) for timeline in timelines]
    if not timelines or not len(names) == len(ranges) == len(timelines):
        raise ArgumentError(
            f"{len(timelines)} timelines, {len(names)} titles, {len(ranges)} windows; "
            "accepted: the same number of each, 1 or more"
        )
    columns = 1 if len(timelines) == 1 else 2
    rows = math.ceil(len(timelines) / columns)
    most = max(len(timeline.ranks) for timeline in timelines)
    height = 0.9 + 0.09 * min(max(most, 8), 48)
    size = (9.0 if columns == 1 else 10.0, 0.6 + rows * height)
    figure, grid = panels_of(ax, len(timelines), size, columns)
    from matplotlib.patches import Patch

    for axes, timeline, name, window in zip(grid, timelines, names, ranges, strict=True):
        _draw(axes, timeline, window)
        axes.set_title(name, fontsize="medium", loc="left")
    kinds = {kind for timeline in timelines for kind in timeline.kinds}
    handles = [
        Patch(color=colour, label=_label(colour, kinds))
        for colour in dict.fromkeys(COLOURS.values())
        if _label(colour, kinds)
    ]
    if ax is None:
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    else:
        grid[-1].legend(handles=handles, loc="upper left", bbox_to_anchor=(1.02, 1.0))
    return figure


def _label(colour: str, kinds: set[str]) -> str:
    return ", ".join(kind for kind, its in COLOURS.items() if its == colour and kind in kinds)


def _draw(axes: Axes, timeline: Timeline, window: tuple[int, int]) -> None:
    from matplotlib.colors import to_rgb

    ranks = len(timeline.ranks)
    picture = np.ones((ranks * _RANK_PIXELS, _BINS, 3))
    for rank in range(ranks):
        # From the bottom up; what is left above is white: the rank has ended.
        height = np.zeros(_BINS)
        bottom = (rank + 1) * _RANK_PIXELS - 1
        bar = _RANK_PIXELS - _GAP_PIXELS
        for kind, share in shares(timeline, rank, _BINS, window).items():
            first = np.rint(height * bar).astype(int)
            height += share
            last = np.rint(height * bar).astype(int)
            for pixel in range(bar):
                is_covered = (first <= pixel) & (pixel < last)
                picture[bottom - pixel, is_covered] = to_rgb(COLOURS[kind])
    first_us, last_us = (cycle / timeline.clock_ghz / 1000 for cycle in window)
    unit, scale = ("ms", _US_PER_MS) if last_us > _MANY_US else ("µs", 1)
    extent = (first_us / scale, max(last_us / scale, 1e-9), ranks - 0.5, -0.5)
    axes.imshow(picture, aspect="auto", interpolation="nearest", extent=extent)
    axes.set_yticks(range(0, ranks, math.ceil(ranks / _RANK_LABELS)))
    axes.set(xlabel=f"time [{unit}]", ylabel="rank")


def svg(figure: Figure) -> bytes:
    """The drawing, a whole file; the same numbers make the same text."""
    text = io.BytesIO()
    with repeatable(font_size=9):
        figure.savefig(text, format="svg", metadata={"Date": None})
    return with_dark_colours(text.getvalue().decode()).encode()


def main(arguments: Sequence[str]) -> int:
    """Draws timelines to SVG files; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m noccl.timelines",
        description="Draws each timeline of noccl run --timeline to an SVG beside it.",
    )
    parser.add_argument("files", nargs="+", help="timelines (JSON)")
    options = parser.parse_args(arguments)
    try:
        for file in options.files:
            figure = plot_times([read_timeline(file)])
            write_file(Path(file).with_suffix(".svg"), svg(figure))
    except NocclError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
