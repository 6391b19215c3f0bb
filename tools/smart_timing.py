# SPDX-License-Identifier: Apache-2.0
"""How many hops routers with bypass do in a cycle, and at which clock: `make smart-timing`.

Measures the rows that `rtl/synth/smart_paths.toml` names (a result is kept under the hash of all
that determines it) and adds the wires by `wire_model`. Usage: `smart_timing.py [--only ID ...]
[--kept] [--page FILE] [--fo4-ps N] [--wire-ps-per-mm N] [--tile-mm N] [--clock-ghz N]`; `--kept`
measures nothing. The page, and with it the numbers of claims 27 to 29 and of plots, are those of
the default technology.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import measured
import rtl_row
import rtl_timing
import rtl_yosys
import smart_claims
import smart_paths
import smart_timing_page
import synth_results
import wire_model


def parse() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = wire_model.Technology()
    parser.add_argument("--only", nargs="+", metavar="ID", help="paths to measure")
    parser.add_argument("--kept", action="store_true", help="measure nothing, show what is known")
    parser.add_argument("--page", type=Path, help="write the page, for the default technology")
    numbers = parser.add_argument_group("technology")
    for name, unit in (
        ("fo4_ps", "delay of an inverter that drives four, in ps"),
        ("wire_ps_per_mm", "delay of a repeated wire, in ps per mm"),
        ("tile_mm", "from router to router, in mm"),
        ("clock_ghz", "clock of the goals, in GHz"),
    ):
        option = f"--{name.replace('_', '-')}"
        value = getattr(default, name)
        numbers.add_argument(option, type=float, default=value, metavar="N", help=unit)
    return parser.parse_args()


def rows_of(chosen: list[smart_paths.TimedPath], only_kept: bool) -> dict[str, rtl_row.Row]:
    """Rows of all paths that could be measured, or are kept; says which could not."""
    rows: dict[str, rtl_row.Row] = {}
    for path in chosen:
        if only_kept:
            if row := smart_paths.kept(path):
                rows[path.id] = row
            continue
        try:
            rows[path.id] = smart_paths.measure(path)
        except (rtl_row.RowError, rtl_timing.TimingError, rtl_yosys.YosysError) as error:
            print(f"error: {path.id}: {error}", file=sys.stderr)
    return rows


def main() -> None:
    """Prints the tables, and writes the page."""
    arguments = parse()
    try:
        technology = wire_model.Technology(
            arguments.fo4_ps, arguments.wire_ps_per_mm, arguments.tile_mm, arguments.clock_ghz
        )
    except wire_model.ModelError as error:
        sys.exit(f"error: {error}")
    text = smart_paths.PATHS.read_text(encoding="utf-8")
    known = {path.id: path for path in smart_paths.paths(text)}
    wanted = arguments.only or list(known)
    if unknown := set(wanted) - known.keys():
        sys.exit(f"error: {', '.join(sorted(unknown))}: no such path; accepted: {', '.join(known)}")
    if arguments.page and (arguments.only or technology != wire_model.Technology()):
        sys.exit("error: --page: accepted: all paths, with the default technology")
    chosen = [path for name, path in known.items() if name in wanted]
    rows = rows_of(chosen, arguments.kept)
    goals = [goal for goal in smart_paths.goals(text) if goal.path in wanted]
    report = smart_timing_page.Report(chosen, rows, goals, technology)
    print(report.text())
    if len(rows) < len(chosen) and not arguments.kept:
        sys.exit("error: not all paths could be measured" + (", no page" * bool(arguments.page)))
    if arguments.page:
        table = measured.today(smart_paths.hashes(chosen))
        areas = smart_claims.areas()
        numbers = smart_claims.text(report.lines(), areas, technology)
        smart_claims.FILE.write_text(numbers, encoding="utf-8")
        age = measured.statement(table, table.rows)
        page = smart_timing_page.page(report, areas, age)
        arguments.page.write_text(page, encoding="utf-8")
        measured.note({"smart": table})
        synth_results.note(report.entries("smart", table.date))


if __name__ == "__main__":
    main()
