# SPDX-License-Identifier: Apache-2.0
"""Measures area and timing of the modules that `rtl/synth/modules.toml` names.

Prints the table beside the published router's figures and writes it to `out/synth/table.json`.
A result is kept under the hash of all that determines it, so only changed modules cost time.
Usage: `rtl_synth.py [--only ID ...] [--area] [--page FILE]`; `--area` leaves the timing out.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import sys
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import rtl_area
import rtl_sources
import rtl_timing
import rtl_yosys
from repository import ROOT

ROWS = rtl_sources.RTL / "synth" / "modules.toml"
OUT = ROOT / "out" / "synth"
METHOD = [Path(__file__).with_name(name) for name in ("rtl_area.py", "rtl_timing.py")]
LOCKS = [ROOT / "requirements" / "rtl.lock", ROOT / "requirements" / "debian.toml"]


@dataclass(frozen=True)
class Row:
    """What is measured, and what it is compared with.

    Attributes:
        id: Name in options and JSON.
        title: Name in the table.
        top: Module.
        parameters: Values of its parameters.
        baseline: Row of which the increase is shown.
        peer_kge: The published design's area in this flow.
        peer_baseline_kge: That of its baseline.
        paper: The paper's increase in words.
    """

    id: str
    title: str
    top: str
    parameters: dict[str, int] = field(default_factory=dict)
    baseline: str | None = None
    peer_kge: float | None = None
    peer_baseline_kge: float | None = None
    paper: str = ""


@dataclass(frozen=True)
class Result:
    """Area and longest way of a row.

    Attributes:
        area: Weights.
        timing: The longest way; none if it was not asked for or there are no registers.
    """

    area: rtl_area.Area
    timing: rtl_timing.LongestWay | None


def rows(text: str) -> list[Row]:
    """Reads the list of rows."""
    return [Row(**entry) for entry in tomllib.loads(text)["row"]]


def measure(row: Row, with_timing: bool) -> Result:
    """Measures a row, or reads what was measured before."""
    sources = rtl_sources.closure([row.top])
    texts = [*sources, *sorted(rtl_sources.INCLUDE.glob("*.svh")), *METHOD, *LOCKS]
    parts = [row.top, repr(row.parameters), *(path.read_text(encoding="utf-8") for path in texts)]
    directory = OUT / f"{row.id}-{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:12]}"
    area_file, timing_file = directory / "ge.json", directory / "way.json"
    if not area_file.exists():
        area = rtl_area.measure(row.top, row.parameters, sources, directory)
        area_file.write_text(json.dumps(dataclasses.asdict(area)), encoding="utf-8")
    area = rtl_area.Area(**json.loads(area_file.read_text(encoding="utf-8")))
    if with_timing and not timing_file.exists():
        way = None
        if area.num_flip_flops > 0:
            way = rtl_timing.measure(row.top, row.parameters, sources, directory)
        text = json.dumps(None if way is None else dataclasses.asdict(way))
        timing_file.write_text(text, encoding="utf-8")
    way_table = json.loads(timing_file.read_text("utf-8")) if with_timing else None
    return Result(area, rtl_timing.LongestWay(**way_table) if way_table else None)


def change(value: float, base: float | None) -> str:
    """An increase in per cent."""
    return "" if base is None else f"{100 * (value / base - 1):+.1f} %"


def cells(row: Row, result: Result, base: Result | None) -> list[str]:
    """One line of the table."""
    kge = result.area.total_ge / 1000
    fo4 = result.timing.fo4 if result.timing else None
    base_fo4 = base.timing.fo4 if base and base.timing else None
    return [
        row.title,
        f"{kge:.2f}" if kge < 1 else f"{kge:.1f}",
        f"{result.area.num_flip_flops}",
        change(kge, base.area.total_ge / 1000 if base else None),
        f"{row.peer_kge:g}" if row.peer_kge else "",
        change(row.peer_kge, row.peer_baseline_kge) if row.peer_kge else "",
        row.paper,
        f"{fo4:.1f}" if fo4 else "",
        change(fo4, base_fo4) if fo4 else "",
    ]


HEADINGS = [
    "module", "kGE", "flip-flops", "over baseline", "peer kGE", "peer over its baseline", "paper",
    "FO4", "over baseline",
]  # fmt: skip


def table(lines: Iterable[Sequence[str]]) -> str:
    """A Markdown table that reads well as plain text too."""
    everything = [HEADINGS, *lines]
    widths = [max(len(line[i]) for line in everything) for i in range(len(HEADINGS))]
    texts = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |"
        for line in everything
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([texts[0], rule, *texts[1:]])


def as_json(chosen: Sequence[Row], results: dict[str, Result]) -> str:
    """The rows with all numbers."""
    entries = []
    for row in chosen:
        entry = dataclasses.asdict(row) | dataclasses.asdict(results[row.id])
        entry["area"]["total_ge"] = results[row.id].area.total_ge
        entries.append(entry)
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def page(text: str, ways: Iterable[str]) -> str:
    """The page of the documentation."""
    return f"""# Area and timing

Written by `make synth-page`; `make synth` prints the same table for the sources as they are.

{text}

- **kGE**: thousands of NAND2, in the flow by which the published router ("peer") was measured:
  Yosys with its slang front end, `synth -flatten -noabc`, ABC onto NOT 0.67, NAND2 and NOR2 1,
  AOI21 and OAI21 1.33, XOR2 and XNOR2 2, MUX2 2.33; flip-flop 5.67, with asynchronous reset 6.67;
  enables as clock gating. The flow stands in `tools/rtl_area.py`.
- **paper**: increases in a 7 nm technology by commercial synthesis; no measure for this flow.
- **FO4**: longest way between registers in the OSU 180 nm library, in delays of an inverter that
  drives four; without wires, with enables as multiplexers; within some 25 % in other technologies.
  `tools/rtl_timing.py`.

Longest ways:

{chr(10).join(ways)}
"""


def parse() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="ID", help="rows to measure")
    parser.add_argument("--area", action="store_true", help="leave the timing out")
    parser.add_argument("--page", type=Path, help="write the table as a page")
    return parser.parse_args()


def main() -> None:
    """Prints the table."""
    arguments = parse()
    known = rows(ROWS.read_text(encoding="utf-8"))
    wanted = set(arguments.only or (row.id for row in known))
    if unknown := wanted - {row.id for row in known}:
        accepted = ", ".join(row.id for row in known)
        sys.exit(f"error: {', '.join(sorted(unknown))}: no such row; accepted: {accepted}")
    wanted |= {row.baseline for row in known if row.id in wanted and row.baseline}
    chosen = [row for row in known if row.id in wanted]
    results: dict[str, Result] = {}
    for row in chosen:
        try:
            results[row.id] = measure(row, not arguments.area)
        except (rtl_area.AreaError, rtl_timing.TimingError, rtl_yosys.YosysError) as error:
            print(f"error: {row.id}: {error}", file=sys.stderr)
    has_failed = len(results) < len(chosen)
    chosen = [row for row in chosen if row.id in results]
    lines = [cells(row, results[row.id], results.get(row.baseline or "")) for row in chosen]
    ways = [
        f"- {row.title}: `{way.start}` to `{way.end}`, {way.nanoseconds:.2f} ns"
        for row in chosen
        if (way := results[row.id].timing) is not None
    ]
    (OUT / "table.json").write_text(as_json(chosen, results), encoding="utf-8")
    print("\n".join([table(lines), "", *ways]))
    if has_failed:
        sys.exit("error: not all rows could be measured" + (", no page" if arguments.page else ""))
    if arguments.page:
        arguments.page.write_text(page(table(lines), ways), encoding="utf-8")


if __name__ == "__main__":
    main()
