# SPDX-License-Identifier: Apache-2.0
"""The crates depend on each other only along the edges that the architecture allows.

    spec <- net <- {workload, rtl}, workload <- {coll, run}, run <- {model, sim},
    {coll, run} <- synth, {run, rtl, files} <- cosim, sim <- coherence, {coll, sim} <- program,
    {program, riscv} <- execute, files <- compile,
    all of these <- studies <- noccl <- {cli, py}, {studies, cli} <- papers,
    studies <- web

The algorithm library and the backends never see each other: a schedule that only works because it
knows its simulator would prove nothing. A crate may use everything below it. The rule holds for
build scripts as well, and for tests but for those in `TESTS`. A new edge needs a design note.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator

import repository
from repository import Finding

LIBRARY = ("noccl-spec", "noccl-net", "noccl-workload", "noccl-run", "noccl-coll", "noccl-model")
BACKENDS = ("noccl-model", "noccl-sim")
# Hardware beside a run: the simulator that it follows is passed in.
COSIM = frozenset(
    {
        "noccl-files",
        "noccl-spec",
        "noccl-net",
        "noccl-workload",
        "noccl-run",
        "noccl-rtl",
    }
)
# Programs in C: the core, the compiler, and ranks.
PROGRAMS = frozenset({"noccl-riscv", "noccl-compile", "noccl-program", "noccl-execute"})
# A machine that drives the simulator's messages.
COHERENCE = frozenset({"noccl-spec", "noccl-net", "noccl-run", "noccl-sim"})
# What studies run.
STUDIED = frozenset(
    {*LIBRARY, *BACKENDS, *COSIM, *PROGRAMS, "noccl-cosim", "noccl-coherence", "noccl-synth"}
)

ALLOWED: dict[str, frozenset[str]] = {
    "noccl-files": frozenset(),
    "noccl-spec": frozenset(),
    # A core that knows no network, and programs for it.
    "noccl-riscv": frozenset(),
    "noccl-compile": frozenset({"noccl-files"}),
    "noccl-net": frozenset({"noccl-spec"}),
    "noccl-workload": frozenset({"noccl-spec", "noccl-net"}),
    "noccl-coll": frozenset({"noccl-spec", "noccl-net", "noccl-workload"}),
    "noccl-run": frozenset({"noccl-spec", "noccl-net", "noccl-workload"}),
    "noccl-model": frozenset({"noccl-spec", "noccl-net", "noccl-workload", "noccl-run"}),
    # Compiled programs run on simulated cores.
    "noccl-sim": frozenset(
        {"noccl-spec", "noccl-net", "noccl-workload", "noccl-run", "noccl-riscv"}
    ),
    # A search that is passed its judge.
    "noccl-synth": frozenset(
        {"noccl-spec", "noccl-net", "noccl-workload", "noccl-coll", "noccl-run"}
    ),
    "noccl-rtl": frozenset({"noccl-spec", "noccl-net"}),
    "noccl-cosim": COSIM,
    "noccl-coherence": COHERENCE,
    # Ranks that call collectives while a simulation goes on.
    "noccl-program": frozenset(
        {"noccl-spec", "noccl-net", "noccl-workload", "noccl-coll", "noccl-run", "noccl-sim"}
    ),
    # Cores whose calls are those of such ranks.
    "noccl-execute": frozenset(
        {"noccl-net", "noccl-workload", "noccl-run", "noccl-program", "noccl-riscv"}
    ),
    "noccl-studies": STUDIED,
    "noccl": STUDIED | {"noccl-studies"},
    "noccl-cli": frozenset({"noccl"}),
    "noccl-py": frozenset({"noccl"}),
    # The engine in a browser: no files, no hardware, no interpreter.
    "noccl-web": frozenset({"noccl-studies"}),
    # Experiments outside the product: no row above has them. Their command is made as `noccl` is.
    "noccl-papers": STUDIED | {"noccl-studies", "noccl-cli"},
    # Tests of other crates, compiled apart from them: `TESTS`.
    "noccl-tests": frozenset(),
    # Networks and workloads for tests.
    "noccl-testkit": frozenset({"noccl-spec", "noccl-net", "noccl-workload"}),
}

# Tests of every crate may use it, no product.
TESTKIT = "noccl-testkit"

# Edges of tests alone. Lock-step is tested beside the simulator, which the crate itself is passed,
# on random traces and searched schedules, which studies make.
TESTS: dict[str, frozenset[str]] = {
    "noccl-tests": COHERENCE | {"noccl-workload", "noccl-riscv", "noccl-coll"},
    "noccl-synth": frozenset({"noccl-sim"}),
    "noccl-cosim": frozenset({"noccl-sim", "noccl-studies"}),
    "noccl-execute": frozenset({"noccl-spec", "noccl-coll"}),
}


def edges(metadata: str) -> list[tuple[str, str]]:
    """Extracts (crate, crate it depends on) inside the workspace from `cargo metadata`.

    Edges of tests that `TESTS` names, or to `TESTKIT`, are left out.
    """
    packages = json.loads(metadata)["packages"]
    names = {package["name"] for package in packages}
    return sorted(
        (package["name"], dependency["name"])
        for package in packages
        for dependency in package["dependencies"]
        if dependency["name"] in names
        and not (
            dependency["kind"] == "dev"
            and dependency["name"] in TESTS.get(package["name"], frozenset()) | {TESTKIT}
        )
    )


def lint(found: Iterable[tuple[str, str]]) -> Iterator[Finding]:
    """Finds edges that are not allowed, and crates that the table does not know."""
    for crate, dependency in found:
        where = f"crates/{crate}/Cargo.toml"
        if crate not in ALLOWED:
            yield Finding(where, f"'{crate}' has no row in tools/check_crate_edges.py")
        elif dependency not in ALLOWED[crate]:
            accepted = ", ".join(sorted(ALLOWED[crate])) or "none"
            yield Finding(
                where, f"'{crate}' may not depend on '{dependency}'; accepted: {accepted}"
            )


def metadata() -> str:
    """Asks cargo for the workspace, without resolving foreign crates."""
    return subprocess.run(
        ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"],
        cwd=repository.ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


if __name__ == "__main__":
    repository.main("crate edges", lambda: lint(edges(metadata())))
