# SPDX-License-Identifier: Apache-2.0
"""Tables, targets and page of the measured rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import markdown_table
import measured
import synth_results
from generated_block import Block, PageError
from rtl_synth_rows import Result, Row

# Claim: row whose critical path is compared with its baseline's.
TIMING_CLAIMS = {"12-timing": ("routers_reduction", "routers")}
# Claim: row, less another row, of the baseline.
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


def shown_kge(kge: float) -> str:
    """An area as the page shows it."""
    return f"{kge:.2f}" if abs(kge) < 1 else f"{kge:.1f}"


def cells(row: Row, result: Result, base: Result | None) -> list[str]:
    """One line of the table."""
    kge = result.area.total_ge / 1000
    fo4 = result.timing.fo4 if result.timing else None
    base_fo4 = base.timing.fo4 if base and base.timing else None
    return [
        row.title,
        shown_kge(kge),
        f"{result.area.num_flip_flops}",
        change(kge, base.area.total_ge / 1000 if base else None),
        f"{row.published_kge:g}" if row.published_kge else "",
        change(row.published_kge, row.published_baseline_kge) if row.published_kge else "",
        row.paper,
        f"{fo4:.1f}" if fo4 else "",
        change(fo4, base_fo4) if fo4 else "",
    ]


def table(lines: Iterable[Sequence[str]]) -> str:
    """The table of the columns that say something."""
    known = list(lines)
    columns = [i for i in range(len(HEADINGS)) if any(line[i] for line in known)]
    headings, *shown = [[line[i] for i in columns] for line in (HEADINGS, *known)]
    return markdown_table.table(headings, shown)


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


@dataclass(frozen=True)
class Report:
    """What is shown of a group of rows.

    Attributes:
        chosen: Rows, in order.
        results: What was measured of them.
        targets: What is promised of them.
        slopes: What further items cost.
    """

    chosen: Sequence[Row]
    results: Mapping[str, Result]
    targets: Sequence[Target]
    slopes: Sequence[Slope]

    def missing(self) -> list[Row]:
        """Rows that nobody has measured."""
        return [row for row in self.chosen if row.id not in self.results]

    def table(self) -> str:
        """All rows that were measured."""
        results = self.results
        shown = [row for row in self.chosen if row.id in results]
        return table(cells(row, results[row.id], results.get(row.baseline or "")) for row in shown)

    def entries(self, group: str, date: str) -> list[synth_results.Entry]:
        """The same rows as data."""
        measured_rows = [(row, self.results[row.id]) for row in self.chosen]
        return [
            synth_results.Entry(
                row.id,
                group,
                date,
                shown_kge(result.area.total_ge / 1000),
                f"{result.area.num_flip_flops}",
                f"{result.timing.fo4:.1f}" if result.timing else "",
            )
            for row, result in measured_rows
        ]

    def outcomes(self) -> str:
        """Targets, costs of further items, and what is missing."""
        rows = {row.id: row for row in self.chosen}
        lines = [target.line(rows, self.results) for target in self.targets if target.row in rows]
        slopes = [slope for slope in self.slopes if slope.first in rows]
        lines += [line for slope in slopes if (line := slope.line(self.results))]
        if unmeasured := self.missing():
            lines.append(missing(unmeasured))
        return "\n".join(lines)

    def timings(self) -> str:
        """Where critical paths begin and end."""
        lines = [
            (row.title, f"{timing.nanoseconds:.2f}", f"`{timing.start}`", f"`{timing.end}`")
            for row in self.chosen
            if row.id in self.results and (timing := self.results[row.id].timing) is not None
        ]
        return markdown_table.table(("module", "ns", "from", "to"), lines) if lines else ""

    def block(self, age: str) -> str:
        """The part of the page that is generated, and when."""
        parts = [age, self.table()]
        for title, text in (("Targets", self.outcomes()), ("Critical paths", self.timings())):
            if text:
                parts += [f"{title}:", text]
        return "\n\n".join(parts)


def _block(group: str) -> Block:
    """Where the table of a group stands."""
    return Block(
        f"<!-- synthesis of {group}: generated by `make synth-page`; do not edit -->",
        f"<!-- end of synthesis of {group} -->",
    )


def with_block(page: str, group: str, block: str) -> str:
    """The page with another table of a group.

    Raises:
        PageError: It has no place for that.
    """
    return _block(group).replaced(page, f"\n{block}\n\n")


def with_age(page: str, group: str, age: str) -> str:
    """The page with another line that says when a group's table was measured.

    Raises:
        PageError: It has no place for that.
    """
    before, block, after = _block(group).split(page)
    block, count = measured.LINE.subn(lambda _: age, block)
    if count != 1:
        raise PageError(f"accepted: one line 'Measured on ...' in the table of {group}")
    return before + block + after
