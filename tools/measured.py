# SPDX-License-Identifier: Apache-2.0
"""When the tables of synthesis were measured, and which sources have changed since.

What writes a page notes the date and a hash of all that determines each row: its sources, numbers
and tools. A row of which the hash is another one today would have to be measured again, which takes
minutes to hours. So a page need not be of today, but has to say what is not.
"""

from __future__ import annotations

import datetime
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import rtl_sources

FILE = rtl_sources.RTL / "synth" / "measured.toml"
# The line of a table that says it.
LINE = re.compile(r"^Measured on [^\n]*$", re.MULTILINE)


@dataclass(frozen=True)
class Measured:
    """A table.

    Attributes:
        date: When it was written.
        rows: Hash of each row.
    """

    date: str
    rows: Mapping[str, str]


def today(rows: Mapping[str, str]) -> Measured:
    """A table that is measured now."""
    return Measured(datetime.datetime.now(tz=datetime.UTC).date().isoformat(), rows)


def read(text: str) -> dict[str, Measured]:
    """The notes, by table."""
    return {name: Measured(**entry) for name, entry in tomllib.loads(text).items()}


def text(tables: Mapping[str, Measured]) -> str:
    """The file of notes."""
    parts = ["# SPDX-License-Identifier: Apache-2.0"]
    parts += [
        "# Written by `make synth-page` and `make smart-timing`: hashes of what was measured."
    ]
    for name, table in tables.items():
        parts += ["", f"[{name}]", f"date = {json.dumps(table.date)}", "", f"[{name}.rows]"]
        parts += [f"{row} = {json.dumps(value)}" for row, value in table.rows.items()]
    return "\n".join([*parts, ""])


def note(tables: Mapping[str, Measured], file: Path = FILE) -> None:
    """Puts what was measured now into the file."""
    known = read(file.read_text(encoding="utf-8")) if file.exists() else {}
    file.write_text(text({**known, **tables}), encoding="utf-8")


def changed(table: Measured, now: Mapping[str, str]) -> list[str]:
    """Rows that would have to be measured again."""
    return [row for row, value in now.items() if table.rows.get(row) != value]


def statement(table: Measured, now: Mapping[str, str]) -> str:
    """What a table says of its age."""
    rows = changed(table, now)
    if not rows:
        return f"Measured on {table.date} for the sources as they are."
    names = _names(rows) if len(rows) < len(now) else "all rows"
    return f"Measured on {table.date}. Sources or tools have changed since of {names}."


def _names(rows: Iterable[str]) -> str:
    return ", ".join(f"`{row}`" for row in rows)
