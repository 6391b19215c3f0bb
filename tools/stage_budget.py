# SPDX-License-Identifier: Apache-2.0
"""Compares the processor seconds of the gate's stages with the stored row.

So weight cannot come back unseen.

A stage fails that takes over 10 % more than its stored row, and over 10 s more, since short
stages vary by that. Rows are stored with 30 % more: of one commit on one machine, stages took up
to 25 % more in one run than in another. On a slower machine all stages are slow together, so there
the rows are scaled by the median of the ratios of this run.
Usage: `stage_budget.py STORED < "STAGE SECONDS" lines`; `--write` stores the lines instead.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

GROWTH = 1.10
MARGIN = 1.30
SLACK_SECONDS = 10
# Shorter stages say nothing about the machine.
LONG_SECONDS = 30


def machine_factor(measured: Mapping[str, int], stored: Mapping[str, int]) -> float:
    """How much slower this machine is than that of the stored row, by the median over long stages.

    At least 1: what is faster than its row is allowed the row.
    """
    long = [name for name in measured if stored.get(name, 0) >= LONG_SECONDS]
    ratios = [measured[name] / stored[name] for name in long]
    return max(1.0, statistics.median(ratios)) if ratios else 1.0


def findings(measured: Mapping[str, int], stored: Mapping[str, int]) -> Iterator[str]:
    """Names the stages that grew, and those that are not stored."""
    factor = machine_factor(measured, stored)
    for name, seconds in measured.items():
        if name not in stored:
            yield f"{name}: {seconds} CPU s, and no stored row; store one with make stage-times"
            continue
        limit = max(GROWTH * factor * stored[name], factor * stored[name] + SLACK_SECONDS)
        if seconds > limit:
            yield (
                f"{name}: {seconds} CPU s, at most {limit:.0f} (stored {stored[name]}, this "
                f"machine takes {factor:.2f} times as long)"
            )


def main() -> None:
    """Reads the lines, compares or stores; the exit code is 1 if a stage grew."""
    words = sys.argv[1:]
    path = Path(next(word for word in words if word != "--write"))
    lines = [line.split() for line in sys.stdin if line.strip()]
    measured = {name: int(seconds) for name, seconds in lines}
    if "--write" in words:
        stored = {name: round(MARGIN * seconds) for name, seconds in measured.items()}
        path.write_text(json.dumps(stored, indent=2) + "\n", encoding="utf-8")
        return
    grown = list(findings(measured, json.loads(path.read_text(encoding="utf-8"))))
    for line in grown:
        print(line)
    sys.exit(1 if grown else 0)


if __name__ == "__main__":
    main()
