# SPDX-License-Identifier: Apache-2.0
"""Writes the values of the fields of a spec in the presets, docs/formats/spec_presets.csv.

A spec has no defaults but those of its base, a preset. `make gen` calls this.

python tools/preset_values.py [FILE]
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent.parent / "docs/formats/spec_presets.csv"
PRESETS = [
    "collective_noc_4x4",
    "torrent_4x5",
    "esp_4x5",
    "ideal_4x4",
    "smart_8x8",
    "tilepro64_8x8",
]
# What follows from the name of a preset, and places in the address map.
LEFT_OUT = ("format", "name", "mesh.")


def fields(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Paths and values of all fields of a table and of those in it.

    >>> list(fields({"ni": {"max_burst_beats": 64}, "is_pruned": True}))
    [('ni.max_burst_beats', '64'), ('is_pruned', 'true')]
    """
    for name, value in table.items():
        path = f"{above}{name}"
        if isinstance(value, Mapping):
            yield from fields(value, f"{path}.")
        else:
            yield path, str(value).lower() if isinstance(value, bool) else str(value)


def spec(preset: str) -> dict[str, str]:
    """The fields of a preset, by the program beside this Python."""
    command = [str(Path(sys.executable).parent / "noccl"), "elaborate", preset, "--toml"]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    found = dict(fields(tomllib.loads(run.stdout)))
    return {path: value for path, value in found.items() if not path.startswith(LEFT_OUT)}


def write(file: Path) -> None:
    """Writes a row per field and a column per preset; empty where a preset has no such field."""
    specs = [spec(preset) for preset in PRESETS]
    paths = dict.fromkeys(path for values in specs for path in values)
    with file.open("w", encoding="utf-8", newline="") as output:
        rows = csv.writer(output, lineterminator="\n")
        rows.writerow(["field", *PRESETS])
        rows.writerows([path, *(values.get(path, "") for values in specs)] for path in paths)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FILE)
