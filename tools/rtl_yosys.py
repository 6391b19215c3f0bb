# SPDX-License-Identifier: Apache-2.0
"""Runs Yosys commands, one per line of standard input, in the library of its Python package.

The package installs no `yosys` command, and an error inside the library ends the process: so every
script runs in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import rtl_tools


class YosysError(Exception):
    """A command failed; with the last lines that Yosys printed."""


def run(commands: list[str], cwd: Path) -> str:
    """Runs commands one after the other and returns what they print.

    Raises:
        YosysError: A command failed.
    """
    done = subprocess.run(
        [sys.executable, os.fspath(Path(__file__).resolve())],
        input="\n".join(commands),
        cwd=cwd,
        env=rtl_tools.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    output = done.stdout + done.stderr
    if done.returncode != 0:
        raise YosysError("\n".join(output.splitlines()[-15:]))
    return output


def main() -> None:
    """Runs the commands of standard input."""
    from pyosys import libyosys  # noqa: PLC0415 - only the child process needs the library.

    design = libyosys.Design()
    for command in sys.stdin.read().splitlines():
        libyosys.run_pass(command, design)


if __name__ == "__main__":
    main()
