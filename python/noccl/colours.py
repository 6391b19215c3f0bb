# SPDX-License-Identifier: Apache-2.0
"""Colours, markers and strokes of all plots: an algorithm looks alike in each of them.

A hue stands for a family of algorithms (all chains, all trees, ...), so that a reader who knows one
plot reads the next. Members of a family differ by shade, marker and stroke. The hues are told apart
with every kind of colour vision, and have counterparts on dark pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

HUES = (
    ("#0072b2", "#003f66", "#5aa9d6"),
    ("#d55e00", "#7d3700", "#f2a365"),
    ("#008062", "#004535", "#56b89c"),
    ("#a3478a", "#5e2650", "#d08fbd"),
    ("#8a6d00", "#4f3e00", "#c2a63f"),
    ("#b3123f", "#660a24", "#df6d8b"),
    ("#4b5563", "#22272f", "#9099a5"),
)
"""Shades of each hue, the first for the first member of a family."""
DARK_HUES = (
    ("#56b4e9", "#b3def7", "#2a86bd"),
    ("#ff8c42", "#ffc9a1", "#c9611a"),
    ("#2fc79e", "#a5ead6", "#1f8f71"),
    ("#e08cc6", "#f3cbe5", "#b0598f"),
    ("#e6c229", "#f5e39a", "#ad9011"),
    ("#ff7a95", "#ffc2ce", "#c7415f"),
    ("#b0b8c1", "#e6e9ed", "#7a838d"),
)
"""For each shade the one that replaces it on a dark page."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
_STROKES = ("-", "--", ":", "-.")
# Beginning of a name to its hue. Software that a plot does not tell apart is blue as its best.
_FAMILIES = {
    "point_to_point": 0,
    "point to point": 0,
    "software": 0,
    "in_network": 1,
    "in network": 1,
    "multicast": 1,
    "tree": 2,
    "double_tree": 2,
    "row_column": 3,
    "chain": 4,
    "seq": 4,
    "ring": 5,
    "rounds": 5,
    "pairwise": 5,
    "slotted": 5,
    "recursive_doubling": 5,
    "unicast": 6,
    "copies": 6,
    "star": 6,
    "counter": 6,
    "baseline": 6,
}


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
    taken = {hue for name in series if (hue := _family(name)) is not None}
    free = [hue for hue in range(len(HUES)) if hue not in taken] or [*range(len(HUES))]
    members: dict[int, int] = {}
    found = {}
    strangers = 0
    for name in series:
        hue = _family(name)
        if hue is None:
            hue = free[strangers % len(free)]
            strangers += 1
        member = members.get(hue, 0)
        members[hue] = member + 1
        found[name] = Style(
            colour=HUES[hue][member % len(HUES[hue])],
            marker=_MARKERS[(hue + member) % len(_MARKERS)],
            stroke=_STROKES[member % len(_STROKES)],
            hatch="" if member == 0 else "/" * member,
        )
    return found


def _family(name: str) -> int | None:
    return next((hue for begin, hue in _FAMILIES.items() if name.startswith(begin)), None)
