# SPDX-License-Identifier: Apache-2.0
"""What of a study is there."""

from __future__ import annotations

import collections
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from noccl.sweeps.execute import DONE, FAILED, REFUSED
from noccl.sweeps.points import Point
from noccl.sweeps.store import is_locked, read_points, read_sweep

if TYPE_CHECKING:
    import os

_MOST_MISSING = 5


@dataclass(frozen=True)
class SpecStatus:
    """Points on one spec.

    Attributes:
        spec: As the study names it, with its overrides.
        total: Points of the study.
        done: Measured.
        refused: Impossible; the row has the reason.
        failed: Wrong bytes arrived, or the run cannot finish.
    """

    spec: str
    total: int
    done: int
    refused: int
    failed: int

    @property
    def missing(self) -> int:
        """Points without a row."""
        return self.total - self.done - self.refused - self.failed


@dataclass(frozen=True)
class SweepStatus:
    """State of a sweep.

    Attributes:
        specs: One per spec, in the order of the study.
        is_running: Does a sweep write to the folder now?
        next_missing: The first points without a row, five at most.
    """

    specs: tuple[SpecStatus, ...]
    is_running: bool
    next_missing: tuple[str, ...]

    @property
    def all(self) -> SpecStatus:
        """All specs together."""
        totals = (sum(getattr(spec, name) for spec in self.specs) for name in _COUNTS)
        return SpecStatus("all", *totals)

    def to_json(self) -> dict[str, object]:
        """The form that `noccl sweep status --json` prints."""
        specs = [asdict(spec) | {"missing": spec.missing} for spec in self.specs]
        return {
            "specs": specs,
            "is_running": self.is_running,
            "next_missing": list(self.next_missing),
        }


_COUNTS = ("total", DONE, REFUSED, FAILED)


def sweep_status(folder: str | os.PathLike[str]) -> SweepStatus:
    """Counts the points of a sweep that have rows, also while it runs.

    Args:
        folder: Folder of the results.

    Raises:
        FileError: There are no results, or a file cannot be read.
    """
    points = read_points(folder).rows()
    outcomes = {row["key"]: row["outcome"] for row in read_sweep(folder).rows()}
    counts: dict[str, collections.Counter[str]] = {}
    missing: list[str] = []
    for fields in points:
        key = fields.pop("key")
        counter = counts.setdefault(fields["spec"], collections.Counter())
        counter["total"] += 1
        counter[outcomes.get(key, "missing")] += 1
        if key not in outcomes and len(missing) < _MOST_MISSING:
            missing.append(str(Point(**fields)))
    specs = (SpecStatus(spec, *(found[c] for c in _COUNTS)) for spec, found in counts.items())
    return SweepStatus(tuple(specs), is_locked(folder), tuple(missing))
