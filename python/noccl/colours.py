# SPDX-License-Identifier: Apache-2.0
"""Colours, markers and strokes of all plots: an algorithm looks alike in each of them.

A hue stands for a family of algorithms (all chains, all trees, ...) and a shade for one of them, so
that a reader who knows one plot reads the next. An algorithm with several parameters in one plot
keeps its colour; marker and stroke tell the lines apart.

The hues were chosen by a search that keeps them apart as readers without red cones or without green
cones see them too, on light and on dark pages; `python/tests/test_colours.py` measures that.
Mirror: `crates/noccl/src/report/looks.rs`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

HUES = (
    ("#1a55dc", "#0e2f79", "#6a90e8"),
    ("#b86010", "#653509", "#c88345"),
    ("#1c8751", "#0f4a2d", "#50a379"),
    ("#931ba3", "#510f5a", "#bf78c9"),
    ("#5a4004", "#322302", "#a19270"),
    ("#76233f", "#411323", "#b48695"),
    ("#687795", "#394152", "#8894ab"),
)
"""Shades of each hue, the first for the first member of a family."""
DARK_HUES = (
    ("#3d84fb", "#94bbfd", "#2d62ba"),
    ("#e07818", "#eeb580", "#9b5311"),
    ("#63f2b7", "#a9f8d7", "#368565"),
    ("#c65ca0", "#e0a5cb", "#9a487d"),
    ("#fad91e", "#fcea83", "#8a7710"),
    ("#ee4d63", "#f69da9", "#b33a4a"),
    ("#c3d6ee", "#dee8f6", "#6b7683"),
)
"""For each shade the one that replaces it on a dark page."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
_STROKES = ("-", "--", ":", "-.")
# Software that a plot does not tell apart is blue, as its best.
ALGORITHMS = {
    "point_to_point": (0, 0),
    "point to point": (0, 0),
    "software": (0, 0),
    "planned": (0, 1),
    "in_network": (1, 0),
    "in network": (1, 0),
    "multicast": (1, 0),
    "in_network_once": (1, 1),
    "in_network_lines": (1, 2),
    "in_network_list": (1, 3),
    "in_network_static": (1, 4),
    "tree": (2, 0),
    "double_tree": (2, 1),
    "row_column": (3, 0),
    "torus": (3, 1),
    "chain": (4, 0),
    "seq": (4, 0),
    "chainwrite": (4, 1),
    "ring": (5, 0),
    "pairwise": (5, 1),
    "rounds": (5, 2),
    "recursive_doubling": (5, 3),
    "slotted": (5, 4),
    "dissemination": (5, 5),
    "unicast": (6, 0),
    "copies": (6, 0),
    "baseline": (6, 0),
    "star": (6, 1),
    "counter": (6, 2),
}
"""Beginning of a name to its hue and its slot in the family; the longest one that fits decides."""
_PARTS = (
    "software",
    "serialisation",
    "hops",
    "links",
    "interface",
    "members",
    "reduction_unit",
    "memory",
    "dependencies",
)
PART_COLOURS = {
    part: HUES[index % len(HUES)][index // len(HUES)] for index, part in enumerate(_PARTS)
}
"""Parts of a run's cycles, in the order of tables and bars, to their colours."""


@dataclass(frozen=True)
class Style:
    """How a series is drawn.

    Attributes:
        colour: A shade of its family.
        marker: Marker of Matplotlib.
        stroke: Stroke of its line.
        hatch: Of its bars; empty for the first of its family.
    """

    colour: str
    marker: str
    stroke: str
    hatch: str


def styles(names: Iterable[str]) -> dict[str, Style]:
    """Styles of the series of one figure, no two alike.

    A name of no family takes a hue that no family of the figure has, while there is one.

    >>> found = styles(["chain:1", "tree", "in_network"])
    >>> found["tree"].colour == styles(["tree:4:pull"])["tree:4:pull"].colour
    True

    Args:
        names: Names of the series, of all panels; what stands twice is one series.
    """
    series = list(dict.fromkeys(names))
    known = {name: slot for name in series if (slot := _algorithm(name)) is not None}
    used = {hue for hue, _ in known.values()}
    free = [hue for hue in range(len(HUES)) if hue not in used] or [*range(len(HUES))]
    strangers = [name for name in series if name not in known]
    for index, name in enumerate(strangers):
        known[name] = (free[index % len(free)], index // len(free))
    found: dict[str, Style] = {}
    for name in series:
        member = 0
        while (style := _style(*known[name], member)) in found.values():
            member += 1
        found[name] = style
    return found


def _style(hue: int, slot: int, member: int) -> Style:
    """The look of the n-th line of an algorithm."""
    index = slot + member
    return Style(
        colour=HUES[hue][slot % len(HUES[hue])],
        marker=_MARKERS[(hue + index) % len(_MARKERS)],
        stroke=_STROKES[(index + member // len(_MARKERS)) % len(_STROKES)],
        hatch="" if member == 0 else "/" * member,
    )


def _algorithm(name: str) -> tuple[int, int] | None:
    """Hue and slot of an algorithm by its name, with or without parameters."""
    begin = max((b for b in ALGORITHMS if name.startswith(b)), key=len, default=None)
    return None if begin is None else ALGORITHMS[begin]
