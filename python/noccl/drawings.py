# SPDX-License-Identifier: Apache-2.0
"""Figures of Matplotlib as all plots here begin and end: Matplotlib is loaded by the first one.

Figures are made without `matplotlib.pyplot`, which would choose a window system and keep a list of
them.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from noccl.colours import DARK_HUES, HUES
from noccl.errors import ArgumentError
from noccl.extras import extra
from noccl.values import items, kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_NAMED_LINES = 8
"""Lines whose names stand at their ends; more have a legend."""
_POINTS_PER_INCH = 72
_NAME_GAP = 12.5
_BESIDE = 1.03
_SAME_END = 8
"""Pixels between the ends of lines that seem to end at one place."""
# Colours of paper, text, frames and grids to those on a dark page.
_DARK = {
    "#ffffff": "#171b21",
    "#000000": "#aab4bf",
    "#dddddd": "#333a42",
    "#cccccc": "#4d5865",
    **{
        shade: on_dark
        for shades, dark in zip(HUES, DARK_HUES, strict=True)
        for shade, on_dark in zip(shades, dark, strict=True)
    },
}


def new_figure(size: tuple[float, float]) -> Figure:
    """An empty figure of a width and a height in inches.

    Raises:
        MissingExtraError: The extra `noccl[plot]` is not installed.
    """
    with extra("plot"):
        import matplotlib.figure  # noqa: F401 - the error names the extra

        from noccl.displayed import DisplayedFigure
    return DisplayedFigure(figsize=size, layout="constrained")


def axes_of(ax: Axes | None, size: tuple[float, float]) -> tuple[Figure, Axes]:
    """The figure and the axes to draw into: the caller's, or those of a new figure.

    Raises:
        ArgumentError: `ax` are no axes.
        MissingExtraError: The extra `noccl[plot]` is not installed.
    """
    if ax is None:
        own = new_figure(size)
        return own, own.subplots()
    with extra("plot"):
        from matplotlib.axes import Axes
    if not isinstance(ax, Axes):
        raise ArgumentError(f"ax: {kind_of(ax)}; accepted: axes of Matplotlib, or None")
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ArgumentError("ax: axes that were removed from their figure; accepted: axes in one")
    return figure, ax


def panels_of(
    ax: Axes | Sequence[Axes] | None, count: int, size: tuple[float, float], columns: int
) -> tuple[Figure, list[Axes]]:
    """The figure and as many axes as panels: the caller's, or those of a new figure.

    Args:
        ax: Axes of the caller, as many as panels; None for a new figure.
        count: Panels.
        size: Width and height of a new figure in inches.
        columns: Panels beside each other in a new figure.

    Raises:
        ArgumentError: `ax` are no axes, or not as many as panels.
        MissingExtraError: The extra `noccl[plot]` is not installed.
    """
    if ax is None:
        figure = new_figure(size)
        grid = figure.subplots(-(-count // columns), columns, squeeze=False)
        for unused in grid.flat[count:]:
            unused.set_visible(False)
        return figure, list(grid.flat[:count])
    given = items("ax", ax) if hasattr(ax, "__len__") or hasattr(ax, "flat") else [ax]
    given = list(getattr(ax, "flat", given))
    if len(given) != count:
        raise ArgumentError(f"ax: {len(given)} axes; accepted: {count}, one for each panel")
    figures = [axes_of(axes, size)[0] for axes in given]
    return figures[0], given


def can_name_ends(axes: Axes, ends: Sequence[tuple[str, float, float, str]]) -> bool:
    """Do few lines end at one x, those of one colour apart, so that names can stand beside them?"""
    if not 0 < len(ends) <= MOST_NAMED_LINES:
        return False
    at = [axes.transData.transform((x, y)) for _, x, y, _ in ends]
    is_one_end = max(x for x, _ in at) - min(x for x, _ in at) <= _SAME_END
    colours = [colour for *_, colour in ends]
    return is_one_end and not any(
        colours[one] == colours[other] and abs(at[one][1] - at[other][1]) < _SAME_END
        for one, other in itertools.combinations(range(len(ends)), 2)
    )


def name_lines(axes: Axes, ends: Sequence[tuple[str, float, float, str]]) -> None:
    """Writes the name of each line beside the axes, in its colour; names are pushed apart.

    Call it when scales and limits of the axes are final.

    Args:
        axes: Axes of the lines.
        ends: Name, x and y of the last point, and colour of each line.
    """
    gap = _NAME_GAP / _POINTS_PER_INCH * axes.figure.dpi
    heights = [axes.transData.transform((x, y))[1] for _, x, y, _ in ends]
    free_from = -float("inf")
    for index in sorted(range(len(ends)), key=heights.__getitem__):
        name, x, y, colour = ends[index]
        height = max(heights[index], free_from)
        free_from = height + gap
        axes.annotate(
            name,
            (x, y),
            xytext=(_BESIDE, float(axes.transAxes.inverted().transform((0, height))[1])),
            textcoords="axes fraction",
            color=colour,
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "lw": 0.5,
                "relpos": (0, 0.5),
                "shrinkA": 1,
                "shrinkB": 4,
            },
        )


def decades(axes: Axes) -> None:
    """A logarithmic y axis with plain numbers."""
    from matplotlib.ticker import LogLocator, NullLocator

    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter("{x:.10g}")


def with_dark_colours(svg: str) -> str:
    """An SVG of Matplotlib that is dark where its reader prefers dark pages.

    Colours stay in the file as they are, for programs that know no style sheets.
    """
    rules = [f"text {{ fill: {_DARK['#000000']}; }}"]
    rules += [
        f'[style*="{what}: {light}"] {{ {what}: {dark} !important; }}'
        for light, dark in _DARK.items()
        for what in ("fill", "stroke")
    ]
    style = "\n".join(["<style>@media (prefers-color-scheme: dark) {", *rules, "}</style>"])
    return svg.replace("</defs>", f"</defs>\n {style}", 1)


def repeatable(*, font_size: int | None = None) -> AbstractContextManager[None]:
    """Surrounds the drawing of an SVG, whose text then depends on the numbers alone.

    Args:
        font_size: Points; None for what is set.

    Raises:
        MissingExtraError: The extra `noccl[plot]` is not installed.
    """
    with extra("plot"):
        import matplotlib as mpl
    # Without these the text would differ each time, and letters would be paths.
    settings: Any = {"svg.hashsalt": "noccl", "svg.fonttype": "none"}
    return mpl.rc_context(settings if font_size is None else settings | {"font.size": font_size})
