# SPDX-License-Identifier: Apache-2.0
"""Builds a module with Verilator and runs its cocotb tests.

A build lies in `out/rtl`, named by the hash of everything that went into it, so it is made once
and never stale. Only ports are visible to tests, which doubles the speed; a test that has to look
inside says so with `peeks=True`. Registers start with random values: what only works from zero
fails here.

A run prints its seed; `NOCCL_SEED=N` repeats it, `WAVES=1` writes `dump.fst` beside its log.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import repository
import rtl_mutants
import rtl_sources
import rtl_tools
from common import count, cover, references

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from cocotb_tools import runner as cocotb_runner
    from cocotb_tools.check_results import get_results

OUT = repository.ROOT / "out" / "rtl"
TB = rtl_sources.RTL / "tb"
WAIVERS = rtl_sources.RTL / "lint" / "waivers.vlt"
LIBRARIES = repository.ROOT / ".tools" / "lz4"
DEFAULT_SEED = 1
# Printed by the last lines of a failing run's log.
LOG_TAIL_LINES = 60


@dataclass(frozen=True)
class Build:
    """A module with parameters, compiled.

    Attributes:
        top: Module; a bench is called `<module>_tb`.
        parameters: Values for its parameters; types cannot be given here, a bench chooses them.
        defines: Macros.
        peeks: Tests look at signals inside.
        assertions: Assertions end the run.
        options: Further options of Verilator.
        configuration: Whose generated package.
        references: Hardware of others that it instantiates, as `references` groups it.
        package: Numbers that differ from those of the package of `rtl_sources.CONFIGURATION`;
            arrays as text.
        faults: Faults that a run may switch on by `+fault=NAME`.
        is_optimized: Generated code is compiled for speed: for benches whose runs take longer than
            that. The others wait for their tests in Python.
    """

    top: str
    parameters: Mapping[str, int] = field(default_factory=dict)
    defines: Mapping[str, str] = field(default_factory=dict)
    peeks: bool = False
    assertions: bool = True
    options: Sequence[str] = ()
    configuration: str = rtl_sources.CONFIGURATION
    package: Mapping[str, int | str] = field(default_factory=dict)
    references: Sequence[str] = ()
    faults: Sequence[rtl_mutants.Fault] = ()
    is_optimized: bool = False

    def sources(self) -> list[Path]:
        """All files, dependencies first."""
        own = rtl_sources.closure([self.top], configuration=self.configuration)
        own = rtl_sources.with_numbers(own, self.package, OUT)
        own = rtl_mutants.with_faults(own, self.faults, OUT)
        return [*references.sources(self.references, OUT), *own]

    def includes(self) -> list[Path]:
        """Directories with files to include."""
        return [rtl_sources.INCLUDE, *(references.INCLUDES if self.references else ())]


class _Verilator(cocotb_runner.Verilator):
    """The stock runner makes every signal writable, which forbids most optimizations."""

    peeks = False

    def _build_command(self) -> list[list[str]]:
        commands = super()._build_command()
        if not self.peeks:
            commands[0].remove("--public-flat-rw")
            commands[0][1:1] = ["--public-depth", "1"]
        return commands

    def _set_env_test(self) -> None:
        super()._set_env_test()
        self.env["PYTHONPATH"] = self.env.pop("NOCCL_TB_PATH")

    def _waves_file(self) -> str:
        return "dump.fst"


def _waves() -> bool:
    return os.environ.get("WAVES", "0") not in {"", "0"}


def _options(build: Build) -> list[str]:
    options = [
        "-Wall",
        "-Wno-fatal",
        "-Werror-USERERROR",
        "--x-assign",
        "unique",
        "--x-initial",
        "unique",
    ]
    options += ["--assert" if build.assertions else "--no-assert", "--no-timing"]
    # Counters of the cover points, and of nothing else.
    options += ["--coverage-user"]
    if _waves():
        include, library = LIBRARIES / "usr" / "include", next(LIBRARIES.glob("usr/lib/*"), None)
        options += ["--trace-fst", "--trace-structs", "-CFLAGS", f"-I{include}"]
        options += ["-LDFLAGS", f"-L{library}"]
    return [*options, *build.options]


def _environment(build: Build) -> dict[str, str]:
    return rtl_tools.environment(is_optimized=build.is_optimized)


def key(build: Build, sources: Sequence[Path]) -> str:
    """Hash of all that determines the build."""
    parts = [repr(build), repr(_options(build)), _environment(build)["MAKEFLAGS"], sys.prefix]
    lock = repository.ROOT / "requirements" / "rtl.lock"
    includes = sorted(rtl_sources.INCLUDE.glob("*.svh"))
    parts += [path.read_text(encoding="utf-8") for path in (*sources, *includes, WAIVERS, lock)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _runner(build: Build) -> _Verilator:
    os.environ.update(_environment(build))
    runner = _Verilator()
    runner.peeks = build.peeks
    return runner


def compile_bench(build: Build) -> Path:
    """Compiles unless that was done before. Returns the directory with the program.

    Raises:
        RuntimeError: The compilers' messages.
    """
    sources = build.sources()
    directory = OUT / f"{build.top}-{key(build, sources)}"
    if (directory / build.top).exists():
        return directory
    unfinished = directory.with_suffix(f".{os.getpid()}")
    unfinished.mkdir(parents=True, exist_ok=True)
    log = unfinished / "build.log"
    try:
        _runner(build).build(
            sources=[WAIVERS, *sources],
            includes=build.includes(),
            hdl_toplevel=build.top,
            parameters=build.parameters,
            defines=build.defines,
            build_args=_options(build),
            build_dir=unfinished,
            timescale=("1ns", "1ps"),
            log_file=log,
        )
    except RuntimeError as error:
        text = _tail(log)
        shutil.rmtree(unfinished)
        raise RuntimeError(f"{build.top} does not build:\n{text}") from error
    rtl_tools.remove_intermediate(unfinished)
    shutil.rmtree(directory, ignore_errors=True)
    unfinished.rename(directory)
    return directory


def run(
    build: Build,
    tests: str | Path,
    environment: Mapping[str, str] | None = None,
    plusargs: Sequence[str] = (),
) -> Path:
    """Runs all cocotb tests of a Python file against a build.

    Args:
        build: What to compile.
        tests: The file, usually `__file__` of the caller.
        environment: Variables that the tests read.
        plusargs: What the bench reads.

    Returns:
        The directory with the run's log and waves.

    Raises:
        RuntimeError: A test or an assertion failed, or there was no test; with the log's end.
    """
    program = compile_bench(build)
    seed = seed_of_run()
    plusargs = [
        "+verilator+rand+reset+2",
        f"+verilator+seed+{int(seed) % 2**31 or 1}",
        *plusargs,
    ]
    directory = execute(
        *(_runner(build), build, program, Path(tests)),
        environment=environment or {},
        plusargs=plusargs,
    )
    cover.collect(directory)
    return directory


def seed_of_run() -> str:
    """Of everything random in a run."""
    return os.environ.get("NOCCL_SEED", str(DEFAULT_SEED))


def execute(
    simulator: cocotb_runner.Runner,
    build: Build,
    program: Path,
    tests: Path,
    *,
    environment: Mapping[str, str],
    plusargs: Sequence[str] = (),
    test_filter: str | None = None,
) -> Path:
    """Runs cocotb tests in a simulator that has compiled a build into `program`.

    Raises:
        RuntimeError: A test or an assertion failed, or there was no test; with the log's end.
    """
    seed = seed_of_run()
    caller = re.sub(r"\W+", "-", os.environ.get("PYTEST_CURRENT_TEST", "run").split("::")[-1])
    directory = program / f"{caller.removesuffix('-call-')}-seed-{seed}"
    directory.mkdir(exist_ok=True)
    results, log = directory / "results.xml", directory / "run.log"
    told = directory / "transactions"
    for file in (told, directory / cover.FILE):
        file.unlink(missing_ok=True)
    print(f"seed {seed}: NOCCL_SEED={seed} repeats it; log: {log}")
    path = os.pathsep.join(map(str, [tests.parent, TB, repository.ROOT / "tools", *sys.path]))
    try:
        simulator.test(
            test_module=tests.stem,
            hdl_toplevel=build.top,
            hdl_toplevel_lang="verilog",
            build_dir=program,
            test_dir=directory,
            seed=seed,
            plusargs=plusargs,
            extra_env={
                "NOCCL_TB_PATH": path,
                "PYTHONWARNINGS": "ignore::DeprecationWarning",
                "COCOTB_ANSI_OUTPUT": "0",
                count.VARIABLE: str(told),
                **environment,
            },
            results_xml=str(results),
            log_file=log,
            waves=_waves(),
            test_filter=test_filter,
        )
    except (RuntimeError, SystemExit) as error:
        raise RuntimeError(f"{build.top} failed, seed {seed}:\n{_tail(log)}") from error
    num_tests, num_failed = get_results(results)
    if num_tests == 0 or num_failed:
        raise RuntimeError(f"{num_failed} of {num_tests} tests failed, seed {seed}:\n{_tail(log)}")
    count.collect(build.top, told)
    return directory


def _tail(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    return "\n".join(lines[-LOG_TAIL_LINES:])
