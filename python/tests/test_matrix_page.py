# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/matrix.md are those of today's program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools/matrix_page.py"


def test_the_rows_of_the_smallest_mesh_are_todays() -> None:
    checked = subprocess.run(
        [sys.executable, TOOL, "--check"], stderr=subprocess.PIPE, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
