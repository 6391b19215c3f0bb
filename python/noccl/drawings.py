# SPDX-License-Identifier: Apache-2.0
"""Figures of Matplotlib as all plots here begin and end: Matplotlib is loaded by the first one.

Figures are made without `matplotlib.pyplot`, which would choose a window system and keep a list of
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noccl.colours import DARK_HUES, HUES
from noccl.errors import ArgumentError
from noccl.extras import extra
from noccl.values import kind_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
