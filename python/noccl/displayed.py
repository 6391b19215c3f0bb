# SPDX-License-Identifier: Apache-2.0
"""A figure that notebooks show; `drawings.new_figure` loads this module, and Matplotlib with it."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class DisplayedFigure(Figure):
    """A figure whose picture is its value in a notebook.

    Notebooks only know figures of `matplotlib.pyplot`, which all plots here do without.
    """

    def _repr_png_(self) -> bytes:
        """The picture, as IPython asks for it."""
        picture = io.BytesIO()
        self.savefig(picture, format="png")
        return picture.getvalue()
