# SPDX-License-Identifier: Apache-2.0
"""Figures of Matplotlib as all plots here begin and end: Matplotlib is loaded by the first one.

Figures are made without `matplotlib.pyplot`, which would choose a window system and keep a list of
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noccl.extras import extra

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from matplotlib.figure import Figure


def new_figure(size: tuple[float, float]) -> Figure:
    """An empty figure of a width and a height in inches.

    Raises:
        MissingExtraError: The extra `noccl[plot]` is not installed.
    """
    with extra("plot"):
        from matplotlib.figure import Figure
    return Figure(figsize=size, layout="constrained")


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
