# SPDX-License-Identifier: Apache-2.0
"""Cuts the README's figure out of the page that `noccl demo` writes.

The README needs one picture that cannot drift from what the tool draws, so it is not drawn here:
a chart and a heat map of the page are placed side by side, with the page's light and dark colours.

    make demo && python3 docs/images/demo_figure.py out/demo.html docs/images/demo.svg
"""

import re
import sys
from pathlib import Path

CASE = "Multicast from mem:0 to all 16 clusters"
CHART_WIDTH, CHART_HEIGHT, MAP_WIDTH = 900, 420, 260
FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif'


def style(page: str) -> str:
    """The page's style rules for drawings, with its colours written in: light ones, then dark ones."""
    rules = re.search(r"<style>(.*?)</style>", page, re.DOTALL).group(1)
    light, dark, dark_lines = rules.split("@media (prefers-color-scheme: dark)")
    light_lines = dark.rpartition("/*")[2]
    drawn = re.findall(r"^(?:svg text|\.\w+ |polyline)[^\n]*\}$", rules, re.MULTILINE)
    left_out = ("display", "overflow", "--c:", "(--c)")
    drawn = [rule for rule in drawn if not any(word in rule for word in left_out)]
    text = "\n".join([*drawn, ".card { fill: var(--page); }"]).replace("svg text", "text")

    def written(colours: str, lines: str) -> str:
        values = dict(re.findall(r"(--[\w-]+): (#\w+);", colours))
        plain = re.sub(r"var\((--[\w-]+)\)", lambda name: values[name[1]], text)
        # Lines of algorithms: programs that show pictures know no variables in other rules.
        shades = [
            f".line.{name} {{ stroke: {colour}; }} "
            f".marker.{name}, text.line-name.{name} {{ fill: {colour}; }}"
            for name, colour in re.findall(r"\.(c\d[abc]) \{ --c: (#\w+); \}", lines)
        ]
        return "\n".join([plain, *shades])

    at_dark = f"@media (prefers-color-scheme: dark) {{\n{written(dark, dark_lines)}\n}}"
    return f"{written(light, light_lines)}\n{at_dark}"


def panel(svg: str, x: int, y: int) -> str:
    """A drawing of the page as a nested drawing at (x, y)."""
    return svg.replace("<svg ", f'<svg x="{x}" y="{y}" overflow="visible" ', 1).replace(
        ' role="img"', "", 1
    )


def main(page_file: str, figure_file: str) -> None:
    """Writes the figure."""
    page = Path(page_file).read_text(encoding="utf-8")
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    # The first of its two plots, the wide one.
    start = next(i for i, svg in enumerate(drawings) if f"size: {CASE}" in svg)
    links = next(svg for svg in drawings[start + 1 :] if "on the wide plane, in_network" in svg)
    width, height = CHART_WIDTH + MAP_WIDTH + 40, CHART_HEIGHT + 50
    left = CHART_WIDTH + 30
    parts = [
        panel(drawings[start], 0, 45),
        f'<text x="{left + 14}" y="112">in_network, 32 KiB: wide plane,</text>',
        f'<text x="{left + 14}" y="128">m memory tile, x,y cluster</text>',
        panel(links, left, 140),
    ]
    figure = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{CASE}: cycles over payload size, and flits per link">\n'
        f"<style>text {{ font: 12px {FONT}; }}\n{style(page)}</style>\n"
        f'<rect class="card" width="{width}" height="{height}" rx="8"/>\n'
        f'<text x="66" y="30" style="font-size:15px;font-weight:600">{CASE}, preset '
        "collective_noc_4x4</text>\n" + "\n".join(parts) + "\n</svg>\n"
    )
    Path(figure_file).write_text(figure, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
