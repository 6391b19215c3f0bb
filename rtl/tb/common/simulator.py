# SPDX-License-Identifier: Apache-2.0
"""Programs of the simulator's crates that say what the hardware should do."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import repository


def program(example: str) -> Path:
    """Builds an example of a crate.

    Of the whole workspace and in release mode, as its tests: otherwise what it needs is compiled
    again.
    """
    command = ["cargo", "build", "--release", "--quiet", "--workspace", "--locked"]
    subprocess.run([*command, "--example", example], cwd=repository.ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", repository.ROOT / "target"))
    return target / "release" / "examples" / example


def output(example: str, *arguments: str) -> str:
    """What an example prints."""
    command = [str(program(example)), *arguments]
    run = subprocess.run(command, cwd=repository.ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout
