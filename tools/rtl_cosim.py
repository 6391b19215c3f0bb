# SPDX-License-Identifier: Apache-2.0
"""Builds the mesh of a named configuration as a shared library for lock-step with the simulator.

Usage: `rtl_cosim.py [--no-assert] NAME...`; prints the directory of each library. A library lies
in `out/cosim`, named by the hash of all that it was made of, beside the package with its numbers;
so it is made once and never stale. `out/cosim/NAME` names the newest one.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import rtl_sources
import rtl_tools
from repository import ROOT

OUT = ROOT / "out" / "cosim"
COSIM = rtl_sources.RTL / "cosim"
TOP = "noccl_mesh_cosim"
LIBRARY = "libnoccl_mesh.so"
PACKAGE = "noccl_cfg_pkg"

# Numbers that differ from the package of the preset. Names of transactions are as wide as the
# simulator's numbers need, so that a name is never used twice at a time.
CONFIGURATIONS: Mapping[str, Mapping[str, int]] = {
    "2x2": {
        "MESH_WIDTH": 3,
        "MESH_HEIGHT": 2,
        "X_BITS": 2,
        "Y_BITS": 1,
        "REGION_WIDTH": 2,
        "REGION_HEIGHT": 2,
        "REGION_X_BITS": 1,
        "REGION_Y_BITS": 1,
        "COUNT_BITS": 3,
        "TAG_BITS": 16,
    },
    "4x4": {"TAG_BITS": 16},
}


class BuildError(Exception):
    """A library could not be built."""


def package(name: str) -> str:
    """Text of the configuration's package.

    Raises:
        rtl_sources.SourceError: The package has no such number.
    """
    text = rtl_sources.index()[PACKAGE].read_text(encoding="utf-8")
    for number, value in CONFIGURATIONS[name].items():
        text, count = re.subn(rf"\b{number} = \d+;", f"{number} = {value};", text)
        if count != 1:
            raise rtl_sources.SourceError(f"{PACKAGE} has no number {number}")
    return text


def build(name: str, *, assertions: bool = True) -> Path:
    """Builds a configuration's library unless that was done before. Returns its directory.

    Raises:
        BuildError: A compiler refused; the error names the file with its messages.
    """
    text = package(name)
    sources = [path for path in rtl_sources.closure([TOP]) if path.stem != PACKAGE]
    fixed = [COSIM / "speed.vlt", rtl_sources.RTL / "lint" / "waivers.vlt"]
    command = ["verilator", "--cc", "--exe", "--build", "--top-module", TOP, "-o", LIBRARY]
    command += ["-Wno-fatal", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--no-timing"]
    command += ["--assert" if assertions else "--no-assert", f"-I{rtl_sources.INCLUDE}"]
    command += ["-CFLAGS", "-fPIC -DVL_USER_STOP -DVL_USER_FINISH -DVL_USER_FATAL -fno-gnu-unique"]
    command += ["-LDFLAGS", "-shared -Wl,-Bsymbolic"]
    code = COSIM / f"{TOP}.cpp"
    includes = sorted(rtl_sources.INCLUDE.glob("*.svh"))
    lock = ROOT / "requirements" / "rtl.lock"
    parts = [repr(command), text, rtl_tools.environment()["MAKEFLAGS"]]
    parts += [p.read_text(encoding="utf-8") for p in (*sources, *fixed, *includes, code, lock)]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    directory = OUT / f"{name}-{key}"
    if not (directory / LIBRARY).exists():
        unfinished = directory.with_suffix(f".{os.getpid()}")
        unfinished.mkdir(parents=True, exist_ok=True)
        numbers = unfinished / f"{PACKAGE}.sv"
        numbers.write_text(text, encoding="utf-8")
        files = [*map(str, fixed), str(numbers), *map(str, sources), str(code)]
        log = unfinished / "build.log"
        with log.open("w", encoding="utf-8") as out:
            run = subprocess.run(
                [*command, "--Mdir", str(unfinished), *files],
                env=rtl_tools.environment(),
                check=False,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        if run.returncode != 0:
            raise BuildError(f"{name} does not build: {log}")
        shutil.rmtree(directory, ignore_errors=True)
        unfinished.rename(directory)
    newest = OUT / name
    newest.unlink(missing_ok=True)
    newest.symlink_to(directory.name)
    return directory


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-assert", action="store_true", help="leave assertions out, for speed")
    parser.add_argument("names", nargs="+", choices=sorted(CONFIGURATIONS), metavar="NAME")
    arguments = parser.parse_args()
    for chosen in arguments.names:
        try:
            print(build(chosen, assertions=not arguments.no_assert))
        except BuildError as error:
            sys.exit(str(error))
