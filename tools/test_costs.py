# SPDX-License-Identifier: Apache-2.0
"""Processor seconds of single tests: `make test-costs` for Rust, a plugin for pytest.

Each test of Rust runs alone in a process, with all processes that it starts. With pytest:
`PYTHONPATH=tools python -m pytest -p test_costs ...`, which adds a table to what pytest prints.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from repository import ROOT


class Cost(NamedTuple):
    """One test."""

    cpu_seconds: float
    program: str
    test: str
    has_passed: bool


def programs() -> Iterator[tuple[str, Path, str]]:
    """Compiles the test programs; name, folder in which it runs and path of each."""
    command = ["cargo", "test", "--release", "--workspace", "--locked", "--no-run"]
    built = subprocess.run(
        [*command, "--message-format=json-render-diagnostics"],
        cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True,
    ).stdout  # fmt: skip
    for line in built.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["profile"]["test"]:
            folder = Path(message["manifest_path"]).parent
            yield f"{folder.name} {message['target']['name']}", folder, message["executable"]


def cost(program: str, folder: Path, path: str, test: str) -> Cost:
    """Runs one test."""
    command = [path, "--exact", test, "--test-threads=1"]
    child = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return Cost(used.ru_utime + used.ru_stime, program, test, child.returncode == 0)


def costs(wanted: str) -> Iterator[Cost]:
    """Runs all tests whose program and name contain a text."""
    for program, folder, path in programs():
        listed = subprocess.run(
            [path, "--list", "--format=terse"],
            cwd=folder, check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        for line in listed.splitlines():
            test, _, kind = line.rpartition(": ")
            if kind == "test" and wanted in f"{program} {test}":
                yield cost(program, folder, path, test)


def table(rows: list[Cost], most: int) -> str:
    """The dearest rows and the sum of all."""
    dearest = sorted(rows, reverse=True)[:most]
    lines = [
        f"{row.cpu_seconds:7.1f}  {row.program}  {row.test}{'' if row.has_passed else '  FAILED'}"
        for row in dearest
    ]
    total = sum(row.cpu_seconds for row in rows)
    return "\n".join(["cpu [s]  program  test", *lines, f"{total:7.1f}  all {len(rows)} tests"])


def main() -> int:
    """Measures the tests of Rust."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="tests whose program and name contain this text")
    parser.add_argument("--top", type=int, default=40, help="rows to print")
    options = parser.parse_args()
    rows = []
    for number, row in enumerate(costs(options.only), 1):
        rows.append(row)
        if sys.stderr.isatty():
            print(f"\r{number} tests", end="", file=sys.stderr)
    print(table(rows, options.top))
    return 0 if rows and all(row.has_passed for row in rows) else 1


def used() -> float:
    """Processor seconds of this process and of those that it has waited for."""
    both = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


_measured: list[Cost] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool, bool]:
    """Measures a test with what sets it up."""
    before = used()
    result = yield
    _measured.append(Cost(used() - before, "pytest", item.nodeid, True))
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints the table."""
    terminalreporter.write_line(table(_measured, 40))


if __name__ == "__main__":
    sys.exit(main())
