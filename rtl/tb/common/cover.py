# SPDX-License-Identifier: Apache-2.0
"""Counts how often the hardware's cover points are reached: a run that misses one fails.

A bench writes a count per point and instance; `runner` adds them over all builds and instances of a
module, `conftest.py` prints the sum and fails a run that had all tests of a module's bench and left
one of its points at zero. A full run asks for every point of the sources, built or not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import rtl_sources

FILE = "coverage.dat"
TB = rtl_sources.RTL / "tb"
# Modules whose bench has another name than the beginning of theirs.
BENCH_OF = {"noccl_compute_arbiter": "noccl_compute_slice"}

_POINT = re.compile(r"`NOCCL_COVER\((\w+),")
# A line is `C 'key\x02value\x01key\x02value...' count`.
_LINE = re.compile(r"C '(.*)' (\d+)")


class Point(NamedTuple):
    """A cover point of a module, whatever its parameters."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


hits: Counter[Point] = Counter()


def counts(text: str) -> Counter[Point]:
    """What a file says about points; several instances of one add up."""
    found: Counter[Point] = Counter()
    for entry, number in _LINE.findall(text):
        fields = dict(part.split("\x02", 1) for part in entry.split("\x01") if part)
        if fields.get("page", "").startswith("v_user/"):
            found[Point(Path(fields["f"]).stem, fields["o"])] += int(number)
    return found


def collect(directory: Path) -> None:
    """Adds what a run has reached.

    Raises:
        FileNotFoundError: It has told nothing.
    """
    hits.update(counts((directory / FILE).read_text(encoding="utf-8")))


def declared(root: Path = rtl_sources.RTL / "src") -> set[Point]:
    """All points of the sources."""
    return {
        Point(path.stem, name)
        for path in root.rglob("*.sv")
        for name in _POINT.findall(path.read_text(encoding="utf-8"))
    }


def benches() -> set[str]:
    """Directories with tests."""
    return {path.parent.name for path in TB.glob("*/test_*.py")}


def bench_of(module: str) -> str | None:
    """The directory whose tests have to reach a module's points; None: all of them together."""
    named = [bench for bench in benches() if module == bench or module.startswith(f"{bench}_")]
    return BENCH_OF.get(module) or max(named, key=len, default=None)


def missed(complete: Collection[str]) -> list[Point]:
    """Points that the complete benches should have reached and did not."""
    is_full = benches() <= set(complete)
    asked = (point for point in declared() if is_full or bench_of(point.module) in complete)
    return sorted(point for point in asked if not hits[point])


def summary() -> str:
    """How many of the points that were built have been reached."""
    known = declared() & hits.keys()
    reached = sum(1 for point in known if hits[point])
    return f"{reached} of {len(known)} cover points reached"
