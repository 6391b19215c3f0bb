# SPDX-License-Identifier: Apache-2.0
"""The rows of docs/matrix.csv are those of today's program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.case_numbers import cases

TOOL = Path(__file__).resolve().parents[2] / "tools/matrix_page.py"


def test_the_rows_of_the_smallest_mesh_are_todays() -> None:
    command = [sys.executable, str(TOOL), "--check", cases("64,1KiB", "64,1KiB,4KiB")]
    checked = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
