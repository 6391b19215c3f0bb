# SPDX-License-Identifier: Apache-2.0
"""What `noccl rtl` writes is complete: a tool reads it by its file list alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import repository
import rtl_tools
from common.cases import is_long

NOCCL = repository.ROOT / ".venv" / "bin" / "noccl"


def run(*command: str | Path, cwd: Path = repository.ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=rtl_tools.environment(),
        capture_output=True,
        text=True,
        check=False,
    )


SLANG = [sys.executable, str(rtl_tools.ROOT / "tools" / "rtl_slang.py")]
VERILATOR = ["verilator", "--lint-only", "-Wno-fatal"]
# Verilator takes a second per router, and twenty for a tile; `make lint-rtl` shows it the committed
# networks.
READERS = [
    ("collective_noc_2x2", "noccl_system" if is_long() else "noccl_router", VERILATOR),
    ("collective_noc_2x2", "noccl_system", SLANG),
    ("collective_noc_4x4", "noccl_system", SLANG),
    ("collective_noc_8x8", "noccl_system", SLANG),
    ("smart_2x2", "noccl_smart_mesh", SLANG),
    ("smart_4x4", "noccl_smart_mesh", SLANG),
    ("smart_8x8", "noccl_smart_mesh", SLANG),
]


@pytest.mark.parametrize(("preset", "top", "reader"), READERS)
def test_a_tool_reads_the_folder_by_its_file_list(
    preset: str, top: str, reader: list[str], tmp_path: Path
) -> None:
    written = run(NOCCL, "rtl", "--spec", preset, "-o", tmp_path / "hardware")
    assert written.returncode == 0, written.stderr
    option = "--top-module" if reader is VERILATOR else "--top"
    read = run(*reader, "-f", "noccl.f", option, top, cwd=tmp_path / "hardware")
    assert read.returncode == 0, read.stderr[-2000:]


def test_a_second_call_replaces_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "hardware"
    for preset in ("smart_8x8", "collective_noc_8x8", "collective_noc_4x4"):
        written = run(NOCCL, "rtl", "--spec", preset, "-o", folder)
        assert written.returncode == 0, written.stderr
    package = (folder / "noccl_cfg_pkg.sv").read_text(encoding="utf-8")
    committed = rtl_tools.ROOT / "rtl" / "gen" / "collective_noc_4x4" / "noccl_cfg_pkg.sv"
    assert package == committed.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["hardware"]
