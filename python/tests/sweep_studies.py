# SPDX-License-Identifier: Apache-2.0
"""Studies of seconds, and what tests of sweeps ask of processes and folders."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import noccl

NOCCL = Path(sys.executable).with_name("noccl")
SPEC = "collective_noc_4x4"
BOTH = {
    "specs": [SPEC],
    "collectives": ["multicast", "reduce"],
    "bytes": ["1KiB", 2048],
    "groups": ["all", "row"],
    "algorithms": ["tree:2", "chain:2", "in_network"],
    "backends": ["model", "sim"],
}
STUDY = """\
[[product]]
specs = ["collective_noc_4x4"]
collectives = ["multicast", "reduce", "all_reduce"]
bytes = ["1KiB", "2KiB", "4KiB"]
groups = ["all", "row", "column:1"]
algorithms = ["tree:2", "chain:2", "in_network"]
backends = ["model", "sim"]
"""
# Files of a few points, so that a sweep of seconds can be killed between many of them.
SMALL_BATCHES = """\
import sys
from noccl.sweeps import __main__ as command, run
run.BATCH_SECONDS = 0.002
sys.exit(command.main(sys.argv[1:]))
"""


def study(**fields: Any) -> dict[str, Any]:
    return {"product": [BOTH | fields]}


def content(folder: Path) -> bytes:
    """The table of a folder as bytes of a Parquet file."""
    place = folder.with_suffix(".parquet")
    noccl.read_sweep(folder).write_parquet(place)
    return place.read_bytes()


def started(path: Path, folder: Path, *options: str) -> subprocess.Popen[bytes]:
    arguments = ["run", str(path), f"--output={folder}", "--processes=2", *options]
    return subprocess.Popen([sys.executable, "-c", SMALL_BATCHES, *arguments])


def children(process: int) -> list[int]:
    path = Path(f"/proc/{process}/task/{process}/children")
    tasks = path.parents[1].glob("*/children")
    return [int(word) for task in tasks for word in task.read_text().split()]


def is_there(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until(condition: Any, seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False
