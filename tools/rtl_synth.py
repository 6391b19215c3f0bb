# SPDX-License-Identifier: Apache-2.0
"""Measures area and timing of the modules that `rtl/synth/modules.toml` names.

Prints the table beside the published router's figures and writes it to `out/synth/table.json`.
A result is kept under the hash of all that determines it, so only changed modules cost time.
Usage: `rtl_synth.py [--only ID ...] [--group NAME] [--area] [--kept] [--page FILE]`; `--area`
leaves the timing out, `--kept` measures nothing and names what is missing, `--page` replaces the
tables of whole groups.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import generated_block
import measured
import rtl_area
import rtl_synth_page
import rtl_synth_rows
import rtl_timing
import rtl_yosys
import synth_results
from repository import ROOT
from rtl_synth_rows import OUT, ROWS, Result, Row

CLAIMS = ROOT / "experiments" / "collective_noc" / "area.toml"


def as_json(chosen: Sequence[Row], results: Mapping[str, Result]) -> str:
    """The rows with all numbers."""
    entries = []
    for row in chosen:
        entry = dataclasses.asdict(row) | dataclasses.asdict(results[row.id])
        entry["area"]["total_ge"] = results[row.id].area.total_ge
        entries.append(entry)
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def results_of(chosen: Sequence[Row], with_timing: bool, only_kept: bool) -> dict[str, Result]:
    """Results of all rows that could be measured, or are kept; says which could not."""
    results: dict[str, Result] = {}
    for row in chosen:
        if row.memory is not None:
            results[row.id] = rtl_synth_rows.memory(row)
        if row.top is None:
            continue
        if only_kept:
            if result := rtl_synth_rows.kept(row):
                results[row.id] = result
            continue
        try:
            results[row.id] = rtl_synth_rows.measure(row, with_timing)
        except (rtl_area.AreaError, rtl_timing.TimingError, rtl_yosys.YosysError) as error:
            print(f"error: {row.id}: {error}", file=sys.stderr)
    for row in chosen:
        if row.plus and {*row.plus, *row.minus} <= results.keys():
            results[row.id] = rtl_synth_rows.combine(row, results)
    return results


def parse() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="ID", help="rows to measure")
    parser.add_argument("--group", choices=rtl_synth_rows.GROUPS, help="rows of one table")
    parser.add_argument("--area", action="store_true", help="leave the timing out")
    parser.add_argument("--kept", action="store_true", help="measure nothing, show what is known")
    parser.add_argument(
        "--page",
        type=Path,
        help="write the table as a page, and the ratios that the claims of S1 show",
    )
    return parser.parse_args()


def reports(
    chosen: Sequence[Row], results: Mapping[str, Result], text: str
) -> dict[str, rtl_synth_page.Report]:
    """What is shown, by group."""
    document = tomllib.loads(text)
    targets = [rtl_synth_page.Target(**entry) for entry in document["target"]]
    slopes = [rtl_synth_page.Slope(**entry) for entry in document["slope"]]
    groups: dict[str, list[Row]] = {}
    for row in chosen:
        groups.setdefault(row.group, []).append(row)
    return {
        group: rtl_synth_page.Report(rows, results, targets, slopes)
        for group, rows in groups.items()
    }


def write_page(file: Path, shown: Mapping[str, rtl_synth_page.Report]) -> None:
    """Writes the tables of whole groups, and notes for which sources they are."""
    page = file.read_text(encoding="utf-8")
    tables = {}
    for group, report in shown.items():
        hashes = rtl_synth_rows.hashes(report.chosen, group)
        tables[group] = measured.today(hashes)
        age = measured.statement(tables[group], hashes)
        page = rtl_synth_page.with_block(page, group, report.block(age))
    file.write_text(page, encoding="utf-8")
    measured.note(tables)
    entries = [report.entries(group, tables[group].date) for group, report in shown.items()]
    synth_results.note(entry for of_group in entries for entry in of_group)


def main() -> None:
    """Prints the tables."""
    arguments = parse()
    text = ROWS.read_text(encoding="utf-8")
    known = {row.id: row for row in rtl_synth_rows.rows(text)}
    wanted = set(arguments.only or known)
    if unknown := wanted - known.keys():
        sys.exit(f"error: {', '.join(sorted(unknown))}: no such row; accepted: {', '.join(known)}")
    if arguments.page and arguments.only:
        sys.exit("error: --page: accepted: all rows, or all of a group (--group)")
    wanted = {name for name in wanted if arguments.group in {None, known[name].group}}
    wanted = rtl_synth_rows.closed(wanted, known)
    chosen = [row for row in known.values() if row.id in wanted]
    results = results_of(chosen, not arguments.area, arguments.kept)
    shown = reports(chosen, results, text)
    OUT.mkdir(parents=True, exist_ok=True)
    complete = [row for row in chosen if row.id in results]
    (OUT / "table.json").write_text(as_json(complete, results), encoding="utf-8")
    for report in shown.values():
        print("\n".join([report.table(), "", report.outcomes(), "", report.timings()]))
    if len(complete) < len(chosen) and not arguments.kept:
        sys.exit("error: not all rows could be measured" + (", no page" if arguments.page else ""))
    if arguments.page:
        try:
            write_page(arguments.page, shown)
        except (OSError, generated_block.PageError) as error:
            sys.exit(f"error: --page: {error}")
        if rtl_synth_page.has_claims(results):
            CLAIMS.write_text(rtl_synth_page.claims(known, results), encoding="utf-8")


if __name__ == "__main__":
    main()
