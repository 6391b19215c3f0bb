# SPDX-License-Identifier: Apache-2.0
"""Builds hardware as a shared library for lock-step with the simulator.

Hardware is the mesh of a named configuration, or Torrent endpoints (`torrent`).

Usage: `rtl_cosim.py [options] NAME...`; prints the directory of each library. A library lies in
`out/cosim`, named by the hash of all that it was made of, beside the package with its numbers; so
it is made once and never stale. `out/cosim/NAME`, `NAME-MUTANT` or `NAME-waves` is the newest.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import rtl_sources
import rtl_tools
from repository import ROOT
from rtl_cosim_mutants import MUTANTS

OUT = ROOT / "out" / "cosim"
COSIM = rtl_sources.RTL / "cosim"
# What every library is made with.
ARGUMENTS = COSIM / "verilator.f"
# Library that the writer of waves needs.
LZ4 = ROOT / ".tools" / "lz4"

# Numbers that differ from the package of the preset. Names of transactions are as wide as the
# simulator's numbers need, so that a name is never used twice at a time.
_TWO_BY_TWO: Mapping[str, int | str] = {
    "MESH_WIDTH": 3,
    "MESH_HEIGHT": 2,
    "X_BITS": 2,
    "Y_BITS": 1,
    "REGION_WIDTH": 2,
    "REGION_HEIGHT": 2,
    "REGION_X_BITS": 1,
    "REGION_Y_BITS": 1,
    "COUNT_BITS": 3,
    "MAX_WINDOW_BEATS": 20,
    "TAG_BITS": 16,
}
CONFIGURATIONS: Mapping[str, Mapping[str, int | str]] = {
    "2x2": _TWO_BY_TWO,
    "4x4": {"TAG_BITS": 16},
    # Merge tables with registers, for a short critical path.
    "2x2-registered-merge": {**_TWO_BY_TWO, "MERGE_CYCLES": 3},
    "4x4-registered-merge": {"TAG_BITS": 16, "MERGE_CYCLES": 3},
    # FIFOs of other depths than two, one of them with a slot only.
    "2x2-depths": {**_TWO_BY_TWO, "INPUT_FIFO_FLITS": 3, "OUTPUT_FIFO_FLITS": 1},
    # A unit of two operands: one row of adders.
    "4x4-two-operand": {"TAG_BITS": 16, "REDUCTION_OPERANDS": 2},
}
# The same with wide reductions, of FP64 and INT64: all elements make the library far larger.
REDUCING = "-reducing"
# The first is of a whole mesh; a tile has all units.
REDUCING_PARAMETERS = ("-GHasReduction=1", "-GElements=513")
# That with network interfaces, and memories so large that every transaction of a test has its own
# part of them: 1 GiB.
ENDPOINTS = "-endpoints"
_MAP: Mapping[str, int | str] = {
    "WIDE_ID_BITS": 5,
    "LINE_BITS": 24,
    "OFFSET_BITS": 30,
    "MAP_BASE": "'{48'h10_0000_0000, 48'h20_0000_0000}",
    "MAP_OFFSET_BITS": "'{30, 30}",
    "MAP_MEMORY_BYTES": "'{1073741824, 1073741824}",
}
_MAP_TWO_BY_TWO: Mapping[str, int | str] = {
    **_MAP,
    "MAP_Y_BITS": "'{1, 1}",
    "MAP_X_BITS": "'{0, 1}",
    "MAP_WIDTH": "'{1, 2}",
    "MAP_HEIGHT": "'{2, 2}",
}
ENDPOINTS_NUMBERS: Mapping[str, Mapping[str, int | str]] = {
    "2x2": _MAP_TWO_BY_TWO,
    "2x2-registered-merge": _MAP_TWO_BY_TWO,
    "2x2-depths": _MAP_TWO_BY_TWO,
    "4x4": _MAP,
    "4x4-registered-merge": _MAP,
    "4x4-two-operand": _MAP,
}
# The same with DMA engines. Each channel has an id for all bursts that the simulator's engine may
# have open.
ENGINES = "-engines"
ENGINES_PARAMETERS = ("-GHasDma=1",)
ENGINES_NUMBERS: Mapping[str, int | str] = {"WIDE_ID_BITS": 5}
# Made of tiles, they have a channel for all that the simulator's engine may work on: four transfers
# and bursts of eight reductions.
ENGINES_TILES_NUMBERS: Mapping[str, int | str] = {"WIDE_CHANNELS": 16}
# Made of tiles that the host joins, so their code is there once: quick to build, and fast where a
# mesh has many. Links are the host's; those of `noccl_mesh` are in the libraries without this end.
TILES = "-tiles"
TILE_TOPS: Mapping[str, str] = {
    REDUCING: "noccl_tile_cosim",
    ENDPOINTS: "noccl_ni_tile_cosim",
    ENGINES: "noccl_ni_tile_cosim",
}
TILE_ARGUMENTS = COSIM / "tiles.f"
# Torrent endpoints over the numbers of the preset.
TORRENT = "torrent"
ENDS = ("", REDUCING, ENDPOINTS, ENGINES, *(end + TILES for end in TILE_TOPS))
NAMES = sorted([TORRENT, *(name + end for name in CONFIGURATIONS for end in ENDS)])


class BuildError(Exception):
    """A library could not be built."""


def mutated(source: Path, mutant: str | None, directory: Path) -> Path:
    """The source, or its faulty copy in the directory if the mutant is of this module.

    Raises:
        BuildError: The text to replace is not there, or not once.
    """
    if mutant is None or MUTANTS[mutant][0] != source.stem:
        return source
    _, right, wrong = MUTANTS[mutant]
    text = source.read_text(encoding="utf-8")
    if text.count(right) != 1:
        raise BuildError(f"{source}: {right!r} stands there {text.count(right)} times, not once")
    copy = directory / source.name
    copy.write_text(text.replace(right, wrong), encoding="utf-8")
    return copy


def cpu_seconds_of_children() -> float:
    """Processor time of all that this process has started and that has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def command_of(name: str, top: str, library: str, *, assertions: bool, waves: bool) -> list[str]:
    """What makes a library, but for directory and files."""
    is_tiled = name.endswith(TILES)
    command = ["verilator", "-f", str(ARGUMENTS), "--build-jobs", "2"]
    command += ["--top-module", top, "-o", library, f"-I{rtl_sources.INCLUDE}"]
    command += ["--assert" if assertions else "--no-assert"]
    if is_tiled or name.endswith((REDUCING, ENDPOINTS, ENGINES)):
        command += REDUCING_PARAMETERS[is_tiled:]
    if is_tiled:
        command += ["-f", str(TILE_ARGUMENTS)]
    if name.removesuffix(TILES).endswith(ENGINES):
        command += ENGINES_PARAMETERS
    if waves:
        include, folder = LZ4 / "usr" / "include", next(LZ4.glob("usr/lib/*"))
        command += ["--trace-fst", "--trace-structs", "-CFLAGS", f"-I{include}"]
        command += ["-LDFLAGS", f"-L{folder}"]
    return command


def package_of(base: str, end: str, *, is_tiled: bool) -> str:
    """Text of the package of a library; `end` without `-tiles`."""
    numbers = dict(CONFIGURATIONS.get(base, {}))
    if end in {ENDPOINTS, ENGINES}:
        numbers.update(ENDPOINTS_NUMBERS[base])
    if end == ENGINES:
        numbers.update(ENGINES_NUMBERS)
        if is_tiled:
            numbers.update(ENGINES_TILES_NUMBERS)
    return rtl_sources.package_with(numbers)


def build(
    name: str,
    mutant: str | None = None,
    *,
    assertions: bool = True,
    waves: bool = False,
    cold: bool = False,
) -> Path:
    """Builds a configuration's library unless that was done before. Returns its directory.

    A cold build is always done, with nothing that was compiled before, and tells its time.

    Raises:
        BuildError: A compiler refused; the error names the file with its messages.
    """
    whole = name.removesuffix(TILES)
    base = whole.removesuffix(REDUCING).removesuffix(ENDPOINTS).removesuffix(ENGINES)
    text = package_of(base, whole.removeprefix(base), is_tiled=name != whole)
    hardware = "torrent" if name == TORRENT else "mesh"
    library = f"libnoccl_{hardware}.so"
    top = f"noccl_{'endpoints' if whole.endswith((ENDPOINTS, ENGINES)) else hardware}_cosim"
    if name != whole:
        top = TILE_TOPS[whole.removeprefix(base)]
    sources = [path for path in rtl_sources.closure([top]) if path.stem != rtl_sources.PACKAGE]
    fixed = [COSIM / "speed.vlt", rtl_sources.RTL / "lint" / "waivers.vlt"]
    command = command_of(name, top, library, assertions=assertions, waves=waves)
    code = COSIM / f"{top}.cpp"
    includes = [*sorted(rtl_sources.INCLUDE.glob("*.svh")), *sorted(COSIM.glob("*.h"))]
    lock = ROOT / "requirements" / "rtl.lock"
    environment = rtl_tools.environment()
    parts = [
        repr(command),
        repr(mutant and MUTANTS[mutant]),
        text,
        environment["MAKEFLAGS"],
    ]
    read = (*sources, *fixed, *includes, ARGUMENTS, TILE_ARGUMENTS, code, lock)
    parts += [path.read_text(encoding="utf-8") for path in read]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    full_name = "-".join([name, *([mutant] if mutant else []), *(["waves"] if waves else [])])
    directory = OUT / f"{full_name}-{key}"
    if cold:
        shutil.rmtree(directory, ignore_errors=True)
        environment["CCACHE_DISABLE"] = "1"
    if not (directory / library).exists():
        unfinished = directory.with_suffix(f".{os.getpid()}")
        unfinished.mkdir(parents=True, exist_ok=True)
        numbers = unfinished / f"{rtl_sources.PACKAGE}.sv"
        numbers.write_text(text, encoding="utf-8")
        used = [mutated(source, mutant, unfinished) for source in sources]
        files = [*map(str, fixed), str(numbers), *map(str, used), str(code)]
        log = unfinished / "build.log"
        before = cpu_seconds_of_children()
        with log.open("w", encoding="utf-8") as out:
            run = subprocess.run(
                [*command, "--Mdir", str(unfinished), *files],
                env=environment,
                check=False,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        if run.returncode != 0:
            raise BuildError(f"{full_name} does not build: {log}")
        shutil.rmtree(directory, ignore_errors=True)
        unfinished.rename(directory)
        if cold:
            seconds = cpu_seconds_of_children() - before
            print(f"{full_name}: built in {seconds:.0f} CPU seconds", file=sys.stderr)
    newest = OUT / full_name
    newest.unlink(missing_ok=True)
    newest.symlink_to(directory.name)
    return directory


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-assert", action="store_true", help="leave assertions out, for speed")
    parser.add_argument(
        "--waves", action="store_true", help="so that it can write waves: NAME-waves"
    )
    parser.add_argument("--cold", action="store_true", help="build anew and tell how long it takes")
    parser.add_argument("--mutant", choices=sorted(MUTANTS), help="build it with this fault")
    parser.add_argument("names", nargs="+", choices=NAMES, metavar="NAME")
    arguments = parser.parse_args()
    for chosen in arguments.names:
        has_assertions = not arguments.no_assert
        try:
            built = build(
                chosen,
                arguments.mutant,
                assertions=has_assertions,
                waves=arguments.waves,
                cold=arguments.cold,
            )
            print(built)
        except BuildError as error:
            sys.exit(str(error))
