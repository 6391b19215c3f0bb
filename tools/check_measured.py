# SPDX-License-Identifier: Apache-2.0
"""Tables of synthesis say when they were measured, and which sources have changed since.

`check_measured.py --write` writes what they have to say; to measure again takes minutes to hours
(`make synth-page`, `make smart-timing`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import measured
import repository
import rtl_synth_page
import rtl_synth_rows
import smart_paths
from repository import Finding

SYNTHESIS = Path("docs/rtl/synthesis.md")
SMART = Path("docs/rtl/smart_timing.md")
SMART_TABLE = "smart"


def rows_now() -> dict[str, dict[str, str]]:
    """Tables, and of each the hashes of its rows today."""
    found = rtl_synth_rows.rows(rtl_synth_rows.ROWS.read_text(encoding="utf-8"))
    tables = {group: rtl_synth_rows.hashes(found, group) for group in rtl_synth_rows.GROUPS}
    paths = smart_paths.paths(smart_paths.PATHS.read_text(encoding="utf-8"))
    return tables | {SMART_TABLE: smart_paths.hashes(paths)}


def renewed(
    pages: Mapping[Path, str],
    notes: Mapping[str, measured.Measured],
    now: Mapping[str, Mapping[str, str]],
) -> dict[Path, str]:
    """Pages whose tables say what is so."""
    found = dict(pages)
    for name, rows in now.items():
        line = measured.statement(notes[name], rows)
        if name == SMART_TABLE:
            found[SMART] = measured.LINE.sub(line, found[SMART], count=1)
        else:
            found[SYNTHESIS] = rtl_synth_page.with_age(found[SYNTHESIS], name, line)
    return found


def _pages(root: Path) -> tuple[dict[Path, str], dict[Path, str]]:
    pages = {page: repository.read(page, root) for page in (SYNTHESIS, SMART)}
    notes = measured.read(measured.FILE.read_text(encoding="utf-8"))
    return pages, renewed(pages, notes, rows_now())


def lint(root: Path = repository.ROOT) -> Iterator[Finding]:
    """Finds tables that say something else than what is so."""
    pages, right = _pages(root)
    for page, text in pages.items():
        lines = zip(measured.LINE.findall(text), measured.LINE.findall(right[page]), strict=True)
        for said, accepted in lines:
            if said != accepted:
                what = f"'{said}'; accepted: '{accepted}'"
                yield Finding(str(page), f"{what}: check_measured.py --write, or measure again")


def write(root: Path = repository.ROOT) -> None:
    """Writes what tables have to say of their age."""
    for page, text in _pages(root)[1].items():
        (root / page).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    repository.main("ages of tables", lint)
