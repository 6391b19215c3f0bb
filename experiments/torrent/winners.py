# SPDX-License-Identifier: Apache-2.0
"""Which multicast wins where: a chart per payload size, destinations by placement.

Runs `noccl compare` on 8x8 clusters with Torrent endpoints and S1's multicast in the routers,
for each mechanism and `auto`, and writes `winners.json` and an SVG per payload size.
`make winners` does that.
"""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from noccl.files import write_file

HERE = Path(__file__).parent
CHARTS = HERE.parents[1] / "docs" / "papers" / "S3"
NOCCL = Path(sys.executable).with_name("noccl")
SPEC, SIDE, SEED = "torrent_8x8_parallel", 8, 1
KIB = (1, 4, 16, 64)
COUNTS = (2, 4, 8, 16, 32)
# Clusters of a square, exit code of refused input, shares of cycles that chart and summary note.
SQUARE, WRONG_INPUT, SHOWN, NEAR = 4, 2, 0.005, 0.01
MECHANISMS = (
    "unicast",
    "tree:1",
    "double_tree:4",
    "chainwrite:1",
    "chainwrite:2",
    "chainwrite:4",
    "chainwrite:blocks",
    "in_network",
)
COLOURS = (
    "#bbbbbb",
    "#e8d28a",
    "#d9b36c",
    "#7fb3d9",
    "#9ecbe6",
    "#c2e0f0",
    "#b59ad6",
    "#8fc9a0",
)
# Aligned rectangles away from the source: one multi-address each.
BLOCKS = {2: "4,4,2,1", 4: "4,4,2,2", 8: "4,4,4,2", 16: "4,4,4,4", 32: "4,0,4,8"}


def placements(count: int) -> dict[str, str]:
    """Sets of destinations by how they lie; the source is (0,0)."""
    tiles = [(x, y) for x in range(SIDE) for y in range(SIDE)][1:]
    corners = [(x, y) for x in range(0, SIDE, 2) for y in range(0, SIDE, 2)][1:]
    draw = random.Random(SEED * 100 + count)  # noqa: S311
    squares = [
        (x + dx, y + dy)
        for x, y in draw.sample(corners, max(1, count // SQUARE))
        for dx in (0, 1)
        for dy in (0, 1)
    ]
    found = {
        "one block": BLOCKS[count],
        "run of neighbours": text(tiles[:count]),
        "scattered": text(draw.sample(tiles, count)),
    }
    if count >= SQUARE:
        found["scattered squares"] = text(squares)
    return found


def text(tiles: list[tuple[int, int]]) -> str:
    """A set as `--group` takes it."""
    return "set:" + ";".join(f"{x},{y}" for x, y in sorted(tiles))


def compare(group: str, algorithm: str) -> list[dict[str, object]] | None:
    """Rows of one algorithm at all sizes; none if it cannot do this group."""
    sizes = ",".join(f"{kib}KiB" for kib in KIB)
    command = [NOCCL, "compare", "multicast", "--spec", SPEC, "--root", "0,0", "--group", group]
    command += ["--bytes", sizes, "--algorithms", algorithm, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == WRONG_INPUT and "accepted" in done.stderr and algorithm != "auto":
        return None
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def measure() -> list[dict[str, object]]:
    """Cycles of every mechanism and of `auto`, a case per number, placement and size."""
    groups = [(count, *item) for count in COUNTS for item in placements(count).items()]
    asked = [(group, name) for _, _, group in groups for name in (*MECHANISMS, "auto")]
    with ThreadPoolExecutor(2) as pool:
        rows = dict(zip(asked, pool.map(lambda a: compare(*a), asked), strict=True))
    cases = []
    for count, placement, group in groups:
        for at, kib in enumerate(KIB):
            cycles = {
                name: found[at]["cycles"]
                for name in MECHANISMS
                if (found := rows[group, name]) is not None
            }
            auto = rows[group, "auto"][at]["cycles"]
            case = {"destinations": count, "placement": placement, "kib": kib}
            cases.append(case | {"group": group, "cycles": cycles, "auto": auto})
    return cases


def chart(cases: list[dict], kib: int) -> Figure:
    """Destinations by placement: winner, its cycles, and how much longer `auto` takes."""
    names = list(dict.fromkeys(case["placement"] for case in cases))
    figure = Figure(figsize=(9.5, 4.6), layout="constrained")
    axes = figure.add_subplot()
    for case in (case for case in cases if case["kib"] == kib):
        x, y = COUNTS.index(case["destinations"]), names.index(case["placement"])
        winner = min(case["cycles"], key=case["cycles"].get)
        best = case["cycles"][winner]
        axes.add_patch(
            Rectangle((x, y), 1, 1, facecolor=COLOURS[MECHANISMS.index(winner)], edgecolor="white")
        )
        late = case["auto"] / best - 1
        lines = [winner, f"{best:,}".replace(",", " ")] + (
            [f"auto +{late:.0%}"] if late >= SHOWN else []
        )
        axes.text(x + 0.5, y + 0.5, "\n".join(lines), ha="center", va="center", fontsize=8)
    axes.set_xlim(0, len(COUNTS))
    axes.set_ylim(len(names), 0)
    axes.set_xticks([x + 0.5 for x in range(len(COUNTS))], [str(count) for count in COUNTS])
    axes.set_yticks([y + 0.5 for y in range(len(names))], names)
    axes.tick_params(length=0)
    axes.set_xlabel("destinations")
    axes.set_title(
        f"Fastest multicast of {kib} KiB from the corner of {SPEC}, and its cycles", fontsize=10
    )
    return figure


def summary(cases: list[dict]) -> str:
    """How far `auto` is from the best, and how often each mechanism wins."""
    best = [min(case["cycles"].values()) for case in cases]
    late = [max(case["auto"] / cycles - 1, 0.0) for case, cycles in zip(cases, best, strict=True)]
    wins = [min(case["cycles"], key=case["cycles"].get) for case in cases]
    of = ", ".join(f"{name} {wins.count(name)}" for name in MECHANISMS if name in wins)
    return (
        f"{len(cases)} cases; fastest: {of}; auto: within 1 % of the fastest in "
        f"{sum(share < NEAR for share in late)}, {sum(late) / len(late):.1%} longer in the mean, "
        f"{max(late):.1%} at most"
    )


def main() -> None:
    """Writes the cases and the charts."""
    cases = measure()
    mpl.rcParams["svg.hashsalt"] = SPEC
    lines = ",\n".join(json.dumps(case) for case in cases)
    write_file(HERE / "winners.json", f"[\n{lines}\n]\n".encode())
    for kib in KIB:
        drawing = io.BytesIO()
        chart(cases, kib).savefig(drawing, format="svg", metadata={"Date": None})
        write_file(CHARTS / f"winners_{kib}_kib.svg", drawing.getvalue())
    print(summary(cases))


if __name__ == "__main__":
    main()
