# SPDX-License-Identifier: Apache-2.0
"""Tables, goals and page of the measured rows of routers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import rtl_row
import smart_claims
import smart_paths
import synth_results
import wire_model
from markdown_table import table

# `hpc_max` of the plots.
CLOCKS_AT = (4, 7, 8)
# S2's Spice, in ps per hop beside the wire: bare wire, a multiplexer, an OR besides.
PUBLISHED = (
    ("bare wire, as published", 0.0),
    ("a multiplexer per hop, as published", 28.0),
    ("+ an OR, as published", 48.0),
)
GROUPS = {"data": "Data path", "control": "Control path", "model": "Models"}


def headings(technology: wire_model.Technology) -> list[str]:
    """Of the tables."""
    return [
        "path", "once [FO4]", "per hop d [FO4]", "d [ps]", f"hops at {technology.clock_ghz:g} GHz",
        *(f"MHz at {hops}" for hops in CLOCKS_AT), "inside a router [FO4]", "off the line [FO4]",
        "wires back", "cells",
    ]  # fmt: skip


def clocks(line: wire_model.Line, technology: wire_model.Technology) -> list[str]:
    """Hops at the technology's clock, and clocks."""
    texts = [f"{line.clock_mhz(technology, hops):.0f}" for hops in CLOCKS_AT]
    return [f"{line.most_hops(technology)}", *texts]


def cells(
    path: smart_paths.TimedPath, row: rtl_row.Row, technology: wire_model.Technology
) -> list[str]:
    """One line of a table."""
    line = smart_paths.line(path, row)
    return [
        path.title,
        f"{line.launch_fo4:.1f}",
        f"{line.hop_fo4:.2f}",
        f"{line.hop_fo4 * technology.fo4_ps:.0f}",
        *clocks(line, technology),
        f"{line.inside_fo4:.1f}" if line.inside_fo4 else "",
        f"{line.residual_fo4:.2f}",
        f"{line.wires_back}",
        f"{row.cells}",
    ]


def published_cells(title: str, hop_ps: float, technology: wire_model.Technology) -> list[str]:
    """A line of what S2 prints: no launch, no capture, its own picoseconds."""
    line = wire_model.Line(0.0, hop_ps / technology.fo4_ps)
    texts = [title, "0", "", f"{hop_ps:.0f}", *clocks(line, technology)]
    return [*texts, *[""] * 4]


@dataclass(frozen=True)
class Report:
    """What is shown.

    Attributes:
        chosen: Paths, in order.
        rows: What was measured of them.
        goals: What is promised of them.
        technology: What makes gates and hops into time.
    """

    chosen: Sequence[smart_paths.TimedPath]
    rows: Mapping[str, rtl_row.Row]
    goals: Sequence[smart_paths.Goal]
    technology: wire_model.Technology

    def lines(self) -> dict[str, wire_model.Line]:
        """Time over hops of what was measured."""
        rows = self.rows
        return {p.id: smart_paths.line(p, rows[p.id]) for p in self.chosen if p.id in rows}

    def text(self) -> str:
        """Tables, goals, critical paths, and what is missing."""
        parts = [f"{self.technology.text()}."]
        for kind, title in GROUPS.items():
            shown = [path for path in self.chosen if path.kind == kind and path.id in self.rows]
            lines = [cells(path, self.rows[path.id], self.technology) for path in shown]
            if kind == "model":
                lines += [published_cells(*entry, self.technology) for entry in PUBLISHED]
            if lines:
                parts += [f"**{title}**", table(headings(self.technology), lines)]
        outcomes = [goal.line(self.lines(), self.technology) for goal in self.goals]
        if missing := [f"`{path.id}`" for path in self.chosen if path.id not in self.rows]:
            outcomes.append(f"- **not measured** for these sources: {'; '.join(missing)}")
        if outcomes:
            parts += ["Goals:", "\n".join(outcomes)]
        parts += ["Longest rows:", "\n".join(self.ends())]
        return "\n\n".join(parts)

    def entries(self, table_name: str, date: str) -> list[synth_results.Entry]:
        """The longest rows as data: FO4 without wires, and the clock with wires."""
        found = []
        for path in self.chosen:
            last = self.rows[path.id].paths[-1]
            mhz = f"{self.lines()[path.id].clock_mhz(self.technology, last.hops):.0f}"
            entry = synth_results.Entry(path.id, table_name, date, fo4=f"{last.fo4:.1f}", mhz=mhz)
            found.append(entry)
        return found

    def ends(self) -> list[str]:
        """Where the critical paths of the longest rows begin and end, and what they leave out."""
        texts = []
        for path in self.chosen:
            if path.id not in self.rows:
                continue
            last = self.rows[path.id].paths[-1]
            notes = "; ".join([*smart_paths.differences(path), *([path.note] if path.note else [])])
            note = f". {notes}" if notes else ""
            texts.append(
                f"- {path.title}: {last.hops} hops, {last.fo4:.1f} FO4, `{last.start}` to "
                f"`{last.end}`{note}"
            )
        return texts


def clocks_of_settings(report: Report) -> str:
    """The clock of each setting of S2's plots."""
    lines, technology = report.lines(), report.technology
    entries = [
        [
            f"{hpc_max}",
            f"{setup}",
            f"{smart_claims.clock_mhz(lines, technology, hpc_max, setup):.0f}",
        ]
        for hpc_max, setup in smart_claims.SETTINGS
    ]
    return table(["HPCmax", "setup", "MHz"], entries)


def page(report: Report, areas: smart_claims.Areas, age: str) -> str:
    """The page of the documentation, and when it was measured."""
    found = smart_claims.claims(report.lines(), areas, report.technology)
    claims = [f"- {name}: {ours:.3g} ({detail})" for name, (ours, detail) in found.items()]
    return f"""# Hops in a cycle

Written by `make smart-timing`.

{age}

{report.text()}

T(n) = launch and capture + n (wire + d). A *hop* is a router and the link behind it.

- **once**: launch, capture, and everything that a path takes only once.
- **d**: slope of a line through rows of several lengths, all between registers, by static timing in
  the OSU 180 nm library (`tools/rtl_row.py`); no wires, no retiming. *off the line*: the greatest
  distance of a row from it; where a row was measured, the row counts. FO4 is the delay of an
  inverter that drives four; within some 25 % in other technologies.
- **A row** is a chain of copies of one synthesized router. Synthesis of the whole chain would make
  a tree of it, which is impossible with routers a millimetre apart. *cells* are those of a router;
  its synthesis and the analysis of its row take up to ten minutes of a core.
- **Sizes** are those of `{smart_paths.CONFIGURATION}` ({smart_paths.sizes()}),
  from its generated package, except where *Longest rows* has others; goals are of paths with its
  channels, tags and table. In the first router of a row no path begins at an operand of the table,
  because operands meet only flits that arrive over a link.
- **inside a router**: longest control path that crosses no link; it also bounds the clock.
- **wires back**: links to the previous router that a path crosses in addition; in its time.
- **Wire**: a constant per hop. Each link of a row has a repeater; its delay when it drives another
  one is part of the constant. Not placed, not routed.
- **as published**: S2's Spice in 45 nm, without launch and capture.
- **Models** have no counterpart among the routers. S1's plane has `hpc_max` 7 on a mesh of 8x8.
- Other technologies: `python tools/smart_timing.py --kept --fo4-ps 9 --tile-mm 0.5`.

## Clocks

Routers with bitwise reductions over the whole path and arithmetic ones over two hops; S2 has
1000 MHz for all. Plots of [S2](../papers/S2.md) give the clock where it is lower.

{clocks_of_settings(report)}

## Claims

[S2](../papers/S2.md#claims) has their results.

{chr(10).join(claims)}
"""
