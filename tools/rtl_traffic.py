# SPDX-License-Identifier: Apache-2.0
"""Runs the fast generators of AXI transactions against the Verilated network interface.

Usage: `rtl_traffic.py [--engine] TRANSACTIONS [SEEDS]`: so many transactions in all, over seeds 1
to SEEDS; `--engine` puts the DMA engine before the interface and starts random transfers by its
registers, beside failing memories and cores. Status 1 and the seed of each run with a deviation.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import rtl_sources

TB = rtl_sources.RTL / "tb"
# Bench and main program: AXI managers at the interface's ports, or the DMA engine before it.
PORTS = ("noccl_ni_tb", TB / "noccl_ni" / "traffic.cpp")
ENGINE = ("noccl_dma_tb", TB / "noccl_dma" / "transfers.cpp")
# As many write channels as an endpoint may have open reductions, with as many names in all.
EIGHT_CHANNELS = {"WIDE_CHANNELS": 8, "WIDE_ID_BITS": 2}
_DONE = re.compile(r"seed \d+: (\d+) transactions in (\d+) cycles")
_KIND = re.compile(r"([a-z ]+) (\d+)(?:, |$)")


@dataclass(frozen=True)
class Traffic:
    """What a run did.

    Attributes:
        transactions: Transactions, one response each and in order.
        cycles: Clock cycles.
        kinds: How many of each kind.
        failure: What the generator tells otherwise.
    """

    transactions: int
    cycles: int
    kinds: Mapping[str, int]
    failure: str | None


def program(
    generator: tuple[str, Path] = PORTS,
    numbers: Mapping[str, int] | None = None,
    *,
    is_optimized: bool = True,
) -> Path:
    """Compiles a generator, for other numbers of the package, unless that was done before.

    Not optimized, it takes less time to compile and more to run: for few transactions.
    """
    if str(TB) not in sys.path:
        sys.path.insert(0, str(TB))
    # They lie beside the benches, where type checkers do not look.
    programs = importlib.import_module("common.program")
    runner = importlib.import_module("common.runner")
    bench, main = generator
    build = runner.Build(bench, options=("-O3",))
    return Path(programs.compile_program(build, main, numbers, is_optimized=is_optimized))


def run(command: Path, transactions: int, seed: int) -> Traffic:
    """Runs so many transactions."""
    words = [str(command), str(transactions), str(seed)]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    found = _DONE.match(lines[0]) if lines else None
    if done.returncode != 0 or found is None:
        return Traffic(0, 0, {}, (done.stdout + done.stderr).strip()[-400:])
    kinds = {name: int(count) for name, count in _KIND.findall(lines[1])}
    return Traffic(int(found[1]), int(found[2]), kinds, None)


def main() -> None:
    """Prints each run and the sum."""
    words = [word for word in sys.argv[1:] if word != "--engine"]
    transactions, num_seeds = map(int, [*words, "1"][:2])
    command = program(ENGINE if "--engine" in sys.argv else PORTS)
    total = cycles = failures = 0
    for seed in range(1, num_seeds + 1):
        found = run(command, -(-transactions // num_seeds), seed)
        total += found.transactions
        cycles += found.cycles
        failures += found.failure is not None
        if found.failure is not None:
            print(f"seed {seed}: {found.failure}", flush=True)
    print(f"{total} transactions in {cycles} cycles, seeds 1 to {num_seeds}, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
