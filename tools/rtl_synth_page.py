# SPDX-License-Identifier: Apache-2.0
"""Table, targets and page of the measured rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rtl_synth_rows import Result, Row

# Claim: row, less another row, of the baseline.
# Claim: row whose critical path is compared with its baseline's.
TIMING_CLAIMS = {"12-timing": ("routers_reduction", "routers")}
CLAIMS = {
    "12-router-multicast": ("routers_multicast", None, "routers"),
    "12-router-parallel": ("routers_merge", "routers_multicast", "routers"),
    "12-router-all": ("routers_reduction", None, "routers"),
    "12-ni": ("ni", None, "ni_plain"),
}
HEADINGS = [
    "module", "kGE", "flip-flops", "over baseline", "published kGE", "over its baseline", "paper",
    "FO4", "over baseline",
]  # fmt: skip


def increase(value: float, base: float) -> float:
    """An increase in per cent."""
    return 100 * (value / base - 1)


def change(value: float, base: float | None) -> str:
    """An increase in per cent, for the table."""
    return "" if base is None else f"{increase(value, base):+.1f} %"


def cells(row: Row, result: Result, base: Result | None) -> list[str]:
    """One line of the table."""
    kge = result.area.total_ge / 1000
    fo4 = result.timing.fo4 if result.timing else None
    base_fo4 = base.timing.fo4 if base and base.timing else None
    return [
        row.title,
        f"{kge:.2f}" if abs(kge) < 1 else f"{kge:.1f}",
        f"{result.area.num_flip_flops}",
        change(kge, base.area.total_ge / 1000 if base else None),
        f"{row.published_kge:g}" if row.published_kge else "",
        change(row.published_kge, row.published_baseline_kge) if row.published_kge else "",
        row.paper,
        f"{fo4:.1f}" if fo4 else "",
        change(fo4, base_fo4) if fo4 else "",
    ]


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


@dataclass(frozen=True)
class Target:
    """What is promised of a row.

    Attributes:
        text: In words.
        row: Of which row.
        measure: `kge`, or `area_percent` and `path_percent` over the row's baseline.
        at_most: Limit.
    """

    text: str
    row: str
    measure: str
    at_most: float

    def line(self, rows: Mapping[str, Row], results: Mapping[str, Result]) -> str:
        """Limit, value and outcome; a target whose row was not measured is missed."""
        row, result = rows[self.row], results.get(self.row)
        base = results.get(row.baseline or "")
        unit = " kGE" if self.measure == "kge" else " %"
        if self.measure == "kge" and result:
            value = result.area.total_ge / 1000
        elif self.measure == "area_percent" and result and base:
            value = increase(result.area.total_ge, base.area.total_ge)
        elif self.measure == "path_percent" and base and base.timing and result and result.timing:
            value = increase(result.timing.fo4, base.timing.fo4)
        else:
            return f"- **FAIL**: {self.text}: not measured, of {self.at_most:g}{unit}"
        outcome = "pass" if value <= self.at_most else "**FAIL**"
        return f"- {outcome}: {self.text}: {value:.1f} of {self.at_most:g}{unit}"


@dataclass(frozen=True)
class Slope:
    """What each further item costs, between two rows.

    Attributes:
        text: In words.
        first: Row with fewer items.
        last: Row with more.
        items: How many more.
    """

    text: str
    first: str
    last: str
    items: int

    def line(self, results: Mapping[str, Result]) -> str | None:
        """Area per item; none if a row was not measured."""
        first, last = results.get(self.first), results.get(self.last)
        if first is None or last is None:
            return None
        kge = (last.area.total_ge - first.area.total_ge) / 1000 / self.items
        flops = (last.area.num_flip_flops - first.area.num_flip_flops) / self.items
        return f"- {self.text}: {kge:.3f} kGE, {flops:.1f} flip-flops"


def missing(rows: Iterable[Row]) -> str:
    """Names what nobody has measured for these sources."""
    names = "; ".join(f"`{row.id}`" for row in rows)
    return f"- **not measured** for these sources: {names}"


def has_claims(results: Mapping[str, Result]) -> bool:
    """Have all rows been measured that the paper's claims are about?"""
    needed = {name for row in CLAIMS.values() for name in row if name}
    timed = {name for row in TIMING_CLAIMS.values() for name in row}
    return needed <= results.keys() and all(results[name].timing for name in timed)


def claims(rows: Mapping[str, Row], results: Mapping[str, Result]) -> str:
    """Ratios for the paper's claims: areas, ours and published, in this flow; critical paths."""
    ours = {name: result.area.total_ge / 1000 for name, result in results.items()}
    published = {name: row.published_kge for name, row in rows.items() if row.published_kge}
    lines = ["# SPDX-License-Identifier: Apache-2.0", "# Written by `make synth-page`."]
    for name, (row, less, base) in CLAIMS.items():
        lines += ["", f"[{name}]"]
        for source, kge in (("ours", ours), ("published", published)):
            ratio = (kge[row] - (kge[less] if less else 0.0)) / kge[base]
            lines.append(f"{source} = {ratio:.4f}")
    for name, (row, base) in TIMING_CLAIMS.items():
        timings = [timing.fo4 for r in (row, base) if (timing := results[r].timing)]
        lines += ["", f"[{name}]", f"ours = {timings[0] / timings[1]:.4f}"]
    return "\n".join([*lines, ""])


def page(text: str, targets: Iterable[str], timings: Iterable[str], date: str) -> str:
    """The page of the documentation."""
    return f"""# Area and timing

Written by `make synth-page` on {date}; `make synth` prints the same for the sources as they are.

{text}

Targets:

{chr(10).join(targets)}

- **kGE**: thousands of NAND2, in the flow by which the published router was measured:
  Yosys with its slang front end, `synth -flatten -noabc`, ABC onto NOT 0.67, NAND2 and NOR2 1,
  AOI21 and OAI21 1.33, XOR2 and XNOR2 2, MUX2 2.33; flip-flop 5.67, with asynchronous reset 6.67;
  enables as clock gating. The flow stands in `tools/rtl_area.py`.
- **baseline**: the same sources without collectives; header fields that only collectives need are
  tied to zero at the inputs, so no FIFO has a place for them (`rtl/synth/noccl_routers_synth.sv`,
  `HasCollectives` of `noccl_ni`).
- **everything**: the full routers, and what they cost in the compute slice: ports, and the second
  row of adders. Rows without a critical path are sums and differences of others.
- **memories**: the operand store (`noccl_store_bank`, beside the tile's L1) and the data buffer of
  the DMA engine, one plain flip-flop a bit. A chip takes memory macros, several times smaller.
- **paper**: increases in a 7 nm technology by commercial synthesis; no measure for this flow.
- **FO4**: critical path between registers in the OSU 180 nm library, in delays of an inverter that
  drives four; without wires, with enables as multiplexers; within some 25 % in other technologies.
  No retiming. Of the compute slice one lane was timed. `tools/rtl_timing.py`.

Critical paths:

{chr(10).join(timings)}
"""
