# SPDX-License-Identifier: Apache-2.0
"""Builds a module with Verilator and a main program in C++: for tests that need millions of cycles.

Like the benches of `runner`, a program lies in `out/rtl` under the hash of what went into it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import repository
import rtl_sources
import rtl_tools
from common import runner

LOG_TAIL_LINES = 40
# What main programs share.
HEADERS = Path(__file__).parent


def _options(build: runner.Build, main: Path | None) -> list[str]:
    """Without a main program the module has its own time."""
    kind = ["--binary", "--timing"] if main is None else ["--cc", "--exe", "--build", "--no-timing"]
    options = [*kind, "-Wno-fatal"]
    options += ["--assert" if build.assertions else "--no-assert"]
    options += [f"-I{path}" for path in build.includes()]
    # With the options of the benches the simulator's library is compiled once.
    options += ["--coverage-user"]
    options += ["--top-module", build.top, *build.options]
    return [*options, *(f"-G{name}={value}" for name, value in build.parameters.items())]


def _key(
    build: runner.Build, main: Path | None, sources: Sequence[Path], *, is_optimized: bool
) -> str:
    """Hash of all that determines the program."""
    lock = repository.ROOT / "requirements" / "rtl.lock"
    mains = [] if main is None else [main]
    directories = (HEADERS, *(path.parent for path in mains))
    headers = [path for at in directories for path in sorted(at.glob("*.h"))]
    includes = [*sorted(rtl_sources.INCLUDE.glob("*.svh")), *headers]
    parts = [repr(build), *_options(build, main), sys.prefix]
    parts.append(rtl_tools.environment(is_optimized=is_optimized)["MAKEFLAGS"])
    parts += [path.read_text(encoding="utf-8") for path in (*mains, *sources, *includes, lock)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def compile_program(
    build: runner.Build,
    main: Path | None,
    numbers: Mapping[str, int] | None = None,
    *,
    is_optimized: bool = True,
) -> Path:
    """Compiles unless that was done before.

    Args:
        build: The module; it is called `V<top>` in C++.
        main: The C++ file with the main program; None: the module needs none.
        numbers: Those of the package that differ.
        is_optimized: Generated code is compiled for speed; else for a short build.

    Returns:
        The program.

    Raises:
        RuntimeError: The compilers' messages.
    """
    build = dataclasses.replace(build, package=numbers or build.package)
    sources = build.sources()
    name = build.top if main is None else main.stem
    directory = runner.OUT / f"{name}-{_key(build, main, sources, is_optimized=is_optimized)}"
    if (directory / name).exists():
        return directory / name
    unfinished = directory.with_suffix(f".{os.getpid()}")
    unfinished.mkdir(parents=True)
    command = ["verilator", *_options(build, main), "-Mdir", unfinished, "-o", name]
    mains = [] if main is None else [main]
    done = subprocess.run(
        [*map(str, [*command, runner.WAIVERS, *sources, *mains])],
        env=rtl_tools.environment(is_optimized=is_optimized),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        shutil.rmtree(unfinished, ignore_errors=True)
        lines = (done.stdout + done.stderr).splitlines()[-LOG_TAIL_LINES:]
        raise RuntimeError(f"{name} does not build:\n" + "\n".join(lines))
    rtl_tools.remove_intermediate(unfinished)
    shutil.rmtree(directory, ignore_errors=True)
    unfinished.rename(directory)
    return directory / name
