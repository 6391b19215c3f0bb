# SPDX-License-Identifier: Apache-2.0
"""A figure of where the cycles of runs go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noccl.colours import PART_COLOURS
from noccl.drawings import axes_of
from noccl.errors import ArgumentError
from noccl.explanations import Explanation
from noccl.values import kind_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LABELLED_FRACTION = 0.04
"""Parts with less of the longest bar have no number."""


def plot_explanation(*explanations: Explanation, ax: Axes | None = None) -> Figure:
    """Cycles of runs as stacked bars, a bar per run and a colour per part.

    Args:
        explanations: What `explain` returns, at least one.
        ax: Axes to draw into; None for a new figure.

    Raises:
        ArgumentError: There is none.
    """
    if not explanations or not all(isinstance(why, Explanation) for why in explanations):
        kinds = ", ".join(dict.fromkeys(kind_of(why) for why in explanations))
        raise ArgumentError(
            f"explanations: {kinds or 'none'}; accepted: results of explain, at least one"
        )
    figure, axes = axes_of(ax, (8, 1.6 + 0.5 * len(explanations)))
    parts = {row.part: row.name for why in explanations for row in why.parts}
    most = max(why.cycles for why in explanations)
    names = [_bar_name(why) for why in explanations]
    left = [0] * len(explanations)
    for part, colour in PART_COLOURS.items():
        if part not in parts:
            continue
        cycles = [why[part] for why in explanations]
        places = range(len(names))
        bars = axes.barh(places, cycles, left=left, color=colour, label=parts[part])
        labels = [str(n) if n >= _LABELLED_FRACTION * max(most, 1) else "" for n in cycles]
        axes.bar_label(bars, labels, label_type="center", color="white", fontsize=8)
        left = [before + n for before, n in zip(left, cycles, strict=True)]
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set(xlabel="cycles", xlim=(0, 1.03 * max(most, 1)))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    return figure


def _bar_name(why: Explanation) -> str:
    what = why.collective or "schedule"
    return f"{what}\n{why.algorithm}"
