# SPDX-License-Identifier: Apache-2.0
"""Properties of the file that has the numbers of the synthesis pages as data."""

from __future__ import annotations

from pathlib import Path

import measured
import rtl_synth_rows
import synth_results
from repository import ROOT

PAGE = ROOT / "docs" / "rtl" / "synthesis.md"
# Longest rows of routers: how many routers, and the path in FO4.
TIMING_PAGE = ROOT / "docs" / "rtl" / "smart_timing.md"


def entries() -> list[synth_results.Entry]:
    return synth_results.read(synth_results.FILE.read_text(encoding="utf-8"))


def test_the_file_says_what_the_tables_of_the_page_show() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for group in rtl_synth_rows.GROUPS:
        begin = page.index(f"<!-- synthesis of {group}:")
        block = page[begin : page.index(f"<!-- end of synthesis of {group} -->")]
        # The first table of the block; a table of critical paths may follow.
        table = block[block.index("\n| ") :].strip().split("\n\n")[0]
        lines = [line for line in table.splitlines() if line.startswith("| ")][1:]
        shown = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        kept = [entry for entry in entries() if entry.table == group]
        assert [(e.kge, e.flip_flops) for e in kept] == [(c[1], c[2]) for c in shown]
        assert [e.fo4 for e in kept] == [c[7] if len(c) > 7 else "" for c in shown]


def test_the_file_says_what_the_page_of_hops_shows() -> None:
    page = TIMING_PAGE.read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if " FO4, `" in line]
    shown = [line.split(" hops, ")[1].split(" FO4")[0] for line in lines]
    assert [entry.fo4 for entry in entries() if entry.table == "smart"] == shown


def test_each_result_has_the_date_and_a_row_of_its_table() -> None:
    tables = measured.read(measured.FILE.read_text(encoding="utf-8"))
    text = rtl_synth_rows.ROWS.read_text(encoding="utf-8")
    combined = {row.id for row in rtl_synth_rows.rows(text) if row.top is None}
    for entry in entries():
        assert entry.date == tables[entry.table].date, entry
        assert entry.id in tables[entry.table].rows or entry.id in combined, entry


def test_new_results_replace_those_of_their_table_alone(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    before = [
        synth_results.Entry("a", "tiles", "2026-01-01", "1.0", "2", "3.0"),
        synth_results.Entry("b", "smart", "2026-01-02", fo4="4.0", mhz="500"),
    ]
    synth_results.note(before, file)
    after = synth_results.Entry("c", "tiles", "2026-02-01", "5.0", "6")
    synth_results.note([after], file)
    assert synth_results.read(file.read_text(encoding="utf-8")) == [before[1], after]
