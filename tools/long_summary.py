# SPDX-License-Identifier: Apache-2.0
"""The committed summary of the long suites: a row per suite, each with the commit that it ran at.

A run of some suites replaces their rows and leaves the others as they are.
"""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import repository

MAX_FAILURES_SHOWN = 20
_ROW = re.compile(r"^\| (?P<suite>.+?) \| (?P<runs>.+) \| (\d+) \| (\d+) \| (?P<at>.+) \|$")
_FAILURES = "## Failures: "


@dataclass(frozen=True)
class Outcome:
    """What a suite ran.

    Attributes:
        suite: What the suite asks.
        runs: Runs, in words.
        failures: One line each; empty if all is well.
    """

    suite: str
    runs: str
    failures: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """What the summary says about a suite.

    Attributes:
        outcome: What ran.
        seconds: How long.
        at: Commit and day.
    """

    outcome: Outcome
    seconds: int
    at: str


def here(summary: Path) -> str:
    """The commit as it is checked out, and the day; the summary itself may have changed since."""

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=repository.ROOT, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    commit = git("describe", "--always")
    others = (".", f":(exclude){summary.resolve()}")
    if git("status", "--porcelain", "--untracked-files=no", "--", *others):
        commit += "-dirty"
    return f"`{commit}`, {datetime.datetime.now(datetime.UTC):%Y-%m-%d}"


def read(text: str) -> dict[str, Row]:
    """The rows of a summary by suite."""
    sections = text.split(f"\n{_FAILURES}")
    listed: dict[str, tuple[str, ...]] = {}
    for section in sections[1:]:
        suite, *lines = section.splitlines()
        listed[suite] = tuple(line[2:] for line in lines if line.startswith("- "))
    rows = {}
    for line in sections[0].splitlines():
        if found := _ROW.match(line):
            outcome = Outcome(found["suite"], found["runs"], listed.get(found["suite"], ()))
            rows[outcome.suite] = Row(outcome, int(found[4]), found["at"])
    return rows


def merged(old: Mapping[str, Row], new: Iterable[Row]) -> list[Row]:
    """Rows of a run in place of the old ones; others stay where they are, new suites come last."""
    return list({**old, **{row.outcome.suite: row for row in new}}.values())


def text_of(rows: Iterable[Row], seeds: int) -> str:
    """The summary as Markdown."""
    rows = list(rows)
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    num_failures = sum(len(row.outcome.failures) for row in rows)
    lines = [
        "<!-- Written by `make long`; do not edit. -->",
        "# Long suites",
        "",
        f'`make long LONG_SEEDS={seeds}`; some of them: `make long LONG_ONLY="ports engine"`. '
        f"{machine}: " + ("all passed." if num_failures == 0 else f"{num_failures} failures."),
        "",
        "| suite | runs | failures | seconds | at |",
        "|---|---|---:|---:|---|",
    ]
    for row in rows:
        columns = (row.outcome.suite, row.outcome.runs, len(row.outcome.failures), row.seconds)
        lines.append(f"| {' | '.join(map(str, columns))} | {row.at} |")
    for row in rows:
        if row.outcome.failures:
            lines += ["", f"{_FAILURES}{row.outcome.suite}", ""]
            lines += [f"- {failure}" for failure in row.outcome.failures[:MAX_FAILURES_SHOWN]]
            left_out = len(row.outcome.failures) - MAX_FAILURES_SHOWN
            lines += [f"- and {left_out} more"] if left_out > 0 else []
    return "\n".join(lines) + "\n"
