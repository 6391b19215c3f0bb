# SPDX-License-Identifier: Apache-2.0
"""Small plots for notebooks, as SVG text: a result is drawn without loading Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noccl.colours import HUES, styles
from noccl.notebook_html import Fragment, colour, drawing, figure, number_text, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_WIDTH = 560
_ROW = 20
_NAMES = 170
_NUMBERS = 80
_MOST_ROWS = 24
_INK = HUES[0][0]


def bars(
    values: Mapping[str, float],
    unit: str,
    *,
    mark: float | None = None,
    colours: Mapping[str, str] | None = None,
) -> Fragment:
    """A bar per name, with its value; the same algorithm has the colour that it has in all plots.

    Args:
        values: Name to length.
        unit: What the lengths are.
        mark: Where a vertical line stands, e.g. the lower bound; None for none.
        colours: Name to colour; None for the colours of algorithms.
    """
    shown = dict(list(values.items())[:_MOST_ROWS])
    most = max([*shown.values(), mark or 0.0, 1e-9])
    scale = (_WIDTH - _NAMES - _NUMBERS) / most
    shades = colours or {name: style.colour for name, style in styles(shown).items()}
    height = _ROW * len(shown) + 6

    def marks() -> Iterator[str]:
        for index, (name, value) in enumerate(shown.items()):
            top, length = index * _ROW + 3, value * scale
            fill = colour(shades[name])
            yield f'<text x="{_NAMES - 6}" y="{top + 12}" text-anchor="end">{text(name)}</text>'
            yield f'<rect x="{_NAMES}" y="{top}" width="{length:.1f}" height="15" fill="{fill}"/>'
            yield f'<text x="{_NAMES + length + 5:.1f}" y="{top + 12}">{number_text(value)}</text>'
        if mark is not None:
            x = _NAMES + mark * scale
            yield (
                f'<line x1="{x:.1f}" y1="0" x2="{x:.1f}" y2="{height}" stroke="currentColor" '
                'stroke-dasharray="4 3"/>'
            )

    left = len(values) - len(shown)
    caption = unit + (f" ({left} more in the table)" if left > 0 else "")
    return figure(drawing(_WIDTH, height, unit, marks()), caption)


def spans(rows: Sequence[tuple[str, int, int]], end: int) -> Fragment:
    """When each action ran: a bar from its start to its finish, over cycles.

    Args:
        rows: Name, start and finish of each; more than two dozen are thinned out evenly.
        end: Last cycle of the axis.
    """
    step = -(-len(rows) // _MOST_ROWS)
    shown = rows[:: max(step, 1)]
    scale = (_WIDTH - _NAMES - _NUMBERS) / max(end, 1)
    height = _ROW * len(shown) + 22

    def marks() -> Iterator[str]:
        for index, (name, start, finish) in enumerate(shown):
            top, left = index * _ROW + 3, _NAMES + start * scale
            length = max((finish - start) * scale, 1.0)
            yield f'<text x="{_NAMES - 6}" y="{top + 12}" text-anchor="end">{text(name)}</text>'
            yield (
                f'<rect x="{left:.1f}" y="{top}" width="{length:.1f}" height="15" '
                f'fill="{colour(_INK)}"><title>cycles {start} to {finish}</title></rect>'
            )
        bottom = height - 4
        yield f'<text x="{_NAMES}" y="{bottom}">0</text>'
        yield (
            f'<text x="{_WIDTH - _NUMBERS}" y="{bottom}" text-anchor="end">{end:,} cycles</text>'
        )

    every = "" if step <= 1 else f", one of {step} shown"
    caption = f"when actions ran, from start to finish: {len(rows)}{every}"
    return figure(drawing(_WIDTH, height, caption, marks()), caption)
