# SPDX-License-Identifier: Apache-2.0
"""Writes the drawings of docs/concepts, and those on top of the README.

The README's bars are read from its own table, which a test compares with what `noccl` prints.
Another test compares the files with what this would write.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import concept_drawings as concepts
import repository
from drawing import WIDTH, Drawing

_CONCEPTS = Path("docs/concepts")
_README = Path("README.md")


def overview() -> Drawing:
    """What goes into NoCCL and what comes out."""
    drawing = Drawing("What goes into NoCCL, what it does, what comes out", 300)
    for x, lines in ((14, ("network", "(TOML)")), (120, ("collective,", "group, bytes"))):
        drawing.box(x, 14, 98, 44, "tile edge")
        for row, text in enumerate(lines):
            drawing.words(x + 49, 32 + 17 * row, text, "small", "middle")
    drawing.box(226, 14, 100, 44, "memory edge")
    drawing.words(276, 32, "or a schedule,", "small", "middle")
    drawing.words(276, 49, "MPI program", "small", "middle")
    for x in (63, 169, 276):
        drawing.arrow((x, 58), (x, 76), "line")
    drawing.box(14, 78, 312, 108, "slot edge")
    steps = (
        "1  elaborates the network",
        "2  makes a schedule per algorithm",
        "3  proves each schedule, without deadlock",
        "4  simulates it, compares every byte",
    )
    for row, text in enumerate(steps):
        drawing.words(28, 102 + 23 * row, text)
    for x in (90, 250):
        drawing.arrow((x, 186), (x, 204), "line")
    drawing.box(14, 206, 152, 80, "tile edge")
    for row, text in enumerate(
        ("cycles, lower bound,", "energy, link loads;", "or who waits for whom")
    ):
        drawing.words(90, 228 + 21 * row, text, "small", "middle")
    drawing.box(174, 206, 152, 80, "memory edge")
    for row, text in enumerate(("on request System-", "Verilog, compared in", "every cycle")):
        drawing.words(250, 228 + 21 * row, text, "small", "middle")
    return drawing


def first_result(readme: str) -> Drawing:
    """Bars of the README's first table, for its largest payload, and the bound below it."""
    row = re.compile(r"^32 KiB +(\S+) +([\d ]+?) {2,}[\d.]+ ", re.MULTILINE)
    rows = [(name, int(cycles.replace(" ", ""))) for name, cycles in row.findall(readme)]
    bound = int(re.findall(r"The lower bound is (\d+) cycles", readme)[0])
    drawing = Drawing("Cycles of a multicast of 32 KiB to four clusters by each algorithm", 300)
    drawing.words(14, 26, "32 KiB to a row of four clusters: cycles", "title")
    scale = (WIDTH - 28 - 46) / max(cycles for _, cycles in rows)
    x = 14 + bound * scale
    drawing.path([(x, 36), (x, 264)], "line", 1.5)
    for index, (name, cycles) in enumerate(sorted(rows, key=lambda r: r[1])):
        y = 42 + 37 * index
        style = "c1" if name.startswith("in_network") else "c0"
        drawing.words(14, y + 11, name, "small halo")
        drawing.box(14, y + 15, cycles * scale, 12, style)
        drawing.words(18 + cycles * scale, y + 26, f"{cycles:,}", "small")
    drawing.words(x + 5, 269, f"lower bound: {bound}", "small muted")
    for left, style, text in ((14, "c0", "software"), (104, "c1", "copies made by routers")):
        drawing.box(left, 279, 12, 12, style)
        drawing.words(left + 18, 289, text, "small")
    return drawing


def drawings() -> dict[Path, Callable[[], Drawing]]:
    """Files and what draws them."""
    readme = repository.read(_README)
    return {
        Path("docs/images/overview.svg"): overview,
        Path("docs/images/first_result.svg"): lambda: first_result(readme),
        _CONCEPTS / "multicast_software.svg": lambda: concepts.multicast(is_forked=False),
        _CONCEPTS / "multicast_network.svg": lambda: concepts.multicast(is_forked=True),
        _CONCEPTS / "reduction_software.svg": lambda: concepts.reduction(is_in_network=False),
        _CONCEPTS / "reduction_network.svg": lambda: concepts.reduction(is_in_network=True),
        _CONCEPTS / "links_published.svg": lambda: concepts.links(is_ours=False),
        _CONCEPTS / "links_default.svg": lambda: concepts.links(is_ours=True),
        _CONCEPTS / "joins_published.svg": lambda: concepts.joins(is_ours=False),
        _CONCEPTS / "joins_default.svg": lambda: concepts.joins(is_ours=True),
        _CONCEPTS / "window_short.svg": lambda: concepts.window(4),
        _CONCEPTS / "window_long.svg": lambda: concepts.window(12),
        _CONCEPTS / "layers.svg": concepts.layers,
        Path("docs/design/engine.svg"): concepts.engine,
    }


def main() -> None:
    """Writes all drawings."""
    for path, draw in drawings().items():
        (repository.ROOT / path).write_text(draw().svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
