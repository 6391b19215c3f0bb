# SPDX-License-Identifier: Apache-2.0
"""Numbers of the synthesis pages as data: `rtl/synth/results.csv`, which `noccl advise` reads.

What writes a page writes its rows here too, so that no other file repeats a number of a page.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import rtl_sources

FILE = rtl_sources.RTL / "synth" / "results.csv"


@dataclass(frozen=True)
class Entry:
    """A row of a page, as the page shows it; empty where it was not measured.

    Attributes:
        id: Name of the row.
        table: `tiles`, `bypass` or `smart`, as in `measured.toml`.
        date: When it was measured.
        kge: Area in thousands of NAND2.
        flip_flops: Number of flip-flops.
        fo4: Critical path in inverters that drive four, without wires.
        mhz: Clock of that path with its wires, where wires are part of it.
    """

    id: str
    table: str
    date: str
    kge: str = ""
    flip_flops: str = ""
    fo4: str = ""
    mhz: str = ""


HEADINGS = [field.name for field in fields(Entry)]


def read(text: str) -> list[Entry]:
    """The rows of the file."""
    return [Entry(**row) for row in csv.DictReader(io.StringIO(text))]


def text(entries: Iterable[Entry]) -> str:
    """The file of these rows."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADINGS)
    writer.writerows(astuple(entry) for entry in entries)
    return out.getvalue()


def note(entries: Iterable[Entry], file: Path = FILE) -> None:
    """Puts the rows of whole tables in place of those that the file has of them."""
    new = list(entries)
    tables = {entry.table for entry in new}
    known = read(file.read_text(encoding="utf-8")) if file.exists() else []
    kept = [entry for entry in known if entry.table not in tables]
    file.write_text(text([*kept, *new]), encoding="utf-8")
