# SPDX-License-Identifier: Apache-2.0
"""Drawings of the pages: SVG with one style, in light and dark colours.

A drawing is as wide as a phone shows it, so that its text keeps its size there; two of them fit
beside each other on a page. Colours are those of the report page, which colour-blind readers can
tell apart; the dark ones apply where the reader prefers dark pages.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, field

WIDTH = 340
_FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif'
# Class to its light and dark colour: first of text, then of shapes.
_TEXT = {"": ("#1c2127", "#dfe4ea"), "muted": ("#5c6672", "#9aa7b4")}
_SHAPES = {
    "card": ("#ffffff", "#171b21"),
    "tile": ("#e4eef7", "#25384a"),
    "memory": ("#f3ead6", "#4a3f22"),
    "slot": ("#ffffff", "#20262e"),
    "c0": ("#1a55dc", "#3d84fb"),
    "c1": ("#b86010", "#e07818"),
    "c2": ("#1c8751", "#63f2b7"),
    "c3": ("#8a8f98", "#747c88"),
}
_EDGE = ("#aab4bf", "#4d5865")


def _rules(index: int) -> str:
    fills = [f".{name} {{ fill: {c[index]}; }}" for name, c in _SHAPES.items()]
    strokes = [f".l{n[1]} {{ stroke: {c[index]}; }}" for n, c in _SHAPES.items() if n[0] == "c"]
    words = [
        f"text{f'.{name}' if name else ''} {{ fill: {c[index]}; }}" for name, c in _TEXT.items()
    ]
    coloured = [f"text.t{n[1]} {{ fill: {c[index]}; }}" for n, c in _SHAPES.items() if n[0] == "c"]
    card = _SHAPES["card"][index]
    on_colour = f"text.halo {{ stroke: {card}; }} text.on {{ fill: {card}; }}"
    edge = f".edge {{ stroke: {_EDGE[index]}; }} .line {{ stroke: {_TEXT['muted'][index]}; }}"
    return "\n".join([*fills, *strokes, *words, *coloured, on_colour, edge])


STYLE = (
    f"<style>\ntext {{ font: 13px {_FONT}; }} text.title {{ font-weight: 600; }}\n"
    "text.small { font-size: 12px; }\n"
    "text.halo { paint-order: stroke; stroke-width: 4; }\n"
    ".line, .l0, .l1, .l2, .l3 { fill: none; stroke-width: 2; }\n"
    f"{_rules(0)}\n@media (prefers-color-scheme: dark) {{\n{_rules(1)}\n}}\n</style>\n"
)


@dataclass
class Drawing:
    """A drawing under construction.

    Attributes:
        name: What it shows, for readers who do not see it.
        height: In pixels; the width is `WIDTH`.
        parts: Its shapes, the first ones behind.
    """

    name: str
    height: int
    parts: list[str] = field(default_factory=list)

    def box(self, x: float, y: float, width: float, height: float, style: str) -> None:
        """Draws a rectangle with an edge; (x, y) is its upper left corner."""
        where = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
        self.parts.append(f'<rect class="{style}" {where} rx="3"/>')

    def words(self, x: float, y: float, text: str, style: str = "", at: str = "start") -> None:
        """Writes one line of text; (x, y) is on its baseline, at `start`, `middle` or `end`."""
        classes = f' class="{style}"' if style else ""
        anchor = "" if at == "start" else f' text-anchor="{at}"'
        self.parts.append(f'<text{classes} x="{x:g}" y="{y:g}"{anchor}>{html.escape(text)}</text>')

    def arrow(self, start: tuple[float, float], end: tuple[float, float], style: str) -> None:
        """Draws an arrow; styles are `line` and `l0` to `l3`, with `dashed` for dashes."""
        (x1, y1), (x2, y2) = start, end
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        left = (x2 - 7 * dx - 4 * dy, y2 - 7 * dy + 4 * dx)
        right = (x2 - 7 * dx + 4 * dy, y2 - 7 * dy - 4 * dx)
        shape = style.removesuffix(" dashed")
        dashes = ' stroke-dasharray="4 3"' if style.endswith("dashed") else ""
        points = " L".join(f"{x:.1f} {y:.1f}" for x, y in (left, (x2, y2), right))
        self.parts.append(
            f'<path class="{shape}"{dashes} d="M{x1:g} {y1:g} L{x2:g} {y2:g}"/>'
            f'<path class="{shape}" d="M{points}"/>'
        )

    def path(self, points: list[tuple[float, float]], style: str, width: float = 2) -> None:
        """Draws a line through points."""
        steps = " L".join(f"{x:g} {y:g}" for x, y in points)
        self.parts.append(f'<path class="{style}" style="stroke-width:{width:g}" d="M{steps}"/>')

    def key(self, y: float, entries: list[tuple[str, str]]) -> None:
        """Writes what colours mean, a line per entry of class and text."""
        for row, (style, text) in enumerate(entries):
            self.box(14, y + 18 * row - 10, 12, 12, style)
            self.words(32, y + 18 * row, text, "small")

    def svg(self) -> str:
        """The drawing as a file."""
        size = f'width="{WIDTH}" height="{self.height}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
            f'viewBox="0 0 {WIDTH} {self.height}" role="img" '
            f'aria-label="{html.escape(self.name)}">\n'
            f'{STYLE}<rect class="card" {size} rx="6"/>\n' + "\n".join(self.parts) + "\n</svg>\n"
        )
