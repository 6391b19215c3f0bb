# SPDX-License-Identifier: Apache-2.0
"""S2's claims about hardware and the clocks of its plots, for `experiments/smart/hardware.toml`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

import rtl_synth_rows
import wire_model
from repository import ROOT

FILE = ROOT / "experiments" / "smart" / "hardware.toml"
# Areas of claim 27: the table without operands, a buffer at each input. What its operands would be.
COUNTS, BUFFERS = "smart_counts", "smart_buffers"
OPERAND_BITS = 64 * 128
# `hpc_max` and cycles of setup of the plots.
SETTINGS = [(hops, setup) for hops in (8, 7, 4) for setup in (1, 2)]
# The longest line of a mesh of 8x8.
LINE_HOPS = 7

Lines = Mapping[str, wire_model.Line]
Areas = Mapping[str, rtl_synth_rows.Result]


def clock_mhz(lines: Lines, technology: wire_model.Technology, hpc_max: int, setup: int) -> float:
    """The clock of routers that reduce in flight: the slowest of their paths.

    A mesh of 8x8 has lines of 7 hops, but a path of 8 is what the setting promises.
    """
    return min(
        lines[name].clock_mhz(technology, hops)
        for name, hops in (
            ("data_bitwise", hpc_max),
            (f"control_{setup}", hpc_max),
            ("data_arithmetic", 2),
        )
    )


def areas() -> dict[str, rtl_synth_rows.Result]:
    """Measures the areas of claim 27, or reads what was measured before."""
    text = rtl_synth_rows.ROWS.read_text(encoding="utf-8")
    known = {row.id: row for row in rtl_synth_rows.rows(text)}
    found = {
        name: rtl_synth_rows.measure(known[name], with_timing=False)
        for name in rtl_synth_rows.closed({COUNTS, BUFFERS}, known)
        if known[name].top
    }
    return found | {BUFFERS: rtl_synth_rows.combine(known[BUFFERS], found)}


def _area_claims(found: Areas) -> dict[str, tuple[float, str]]:
    counts, buffers = found[COUNTS].area, found[BUFFERS].area
    flip_flops = (
        f"{counts.num_flip_flops} flip-flops of 64 entries, {buffers.num_flip_flops} of five "
        f"buffers; operands of 128 bits would be {OPERAND_BITS} more"
    )
    gates = f"{counts.total_ge / 1000:.1f} kGE, buffers {buffers.total_ge / 1000:.1f} kGE"
    return {
        "27-flip-flops": (counts.num_flip_flops / buffers.num_flip_flops, flip_flops),
        "27-gates": (counts.total_ge / buffers.total_ge, gates),
    }


def _path_claims(lines: Lines, technology: wire_model.Technology) -> dict[str, tuple[float, str]]:
    found: dict[str, tuple[float, str]] = {}
    for setup in (1, 2):
        times = [
            lines[name].crossing_ps(technology, LINE_HOPS)
            for name in (f"control_{setup}", f"control_{setup}_no_lookup")
        ]
        detail = f"{times[0]:.0f} ps with it, {times[1]:.0f} ps without"
        found[f"28-setup-{setup}"] = (times[0] / times[1], detail)
    for name, path in (("multiplexer", "multiplexer"), ("or", "multiplexer_or")):
        slope = lines[path].hop_fo4
        hops = wire_model.Line(0.0, slope).most_hops(technology)
        found[f"29-{name}"] = (hops, f"d = {slope * technology.fo4_ps:.0f} ps per hop")
    plain, bitwise = lines["data"], lines["data_bitwise"]
    hops = plain.most_hops(technology) - bitwise.most_hops(technology)
    detail = (
        f"{plain.most_hops(technology)} hops at {technology.clock_ghz:g} GHz without, "
        f"{bitwise.most_hops(technology)} with them; d = {plain.hop_fo4 * technology.fo4_ps:.0f} "
        f"and {bitwise.hop_fo4 * technology.fo4_ps:.0f} ps per hop"
    )
    return found | {"29-router": (hops, detail)}


def claims(
    lines: Lines, found: Areas, technology: wire_model.Technology
) -> dict[str, tuple[float, str]]:
    """Each claim's number, and the numbers behind it."""
    return _area_claims(found) | _path_claims(lines, technology)


def text(lines: Lines, found: Areas, technology: wire_model.Technology) -> str:
    """The file."""
    parts = ["# SPDX-License-Identifier: Apache-2.0", "# Written by `make smart-timing`."]
    parts.append(f"technology = {json.dumps(technology.text())}")
    for hpc_max, setup in SETTINGS:
        mhz = math.floor(clock_mhz(lines, technology, hpc_max, setup))
        parts += [
            "",
            "[[clock]]",
            f"hpc_max = {hpc_max}",
            f"setup_cycles = {setup}",
            f"mhz = {mhz}",
        ]
    for name, (ours, detail) in claims(lines, found, technology).items():
        parts += ["", f"[claim.{name}]", f"ours = {ours:.4f}", f"detail = {json.dumps(detail)}"]
    return "\n".join([*parts, ""])
