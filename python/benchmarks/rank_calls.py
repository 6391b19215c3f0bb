# SPDX-License-Identifier: Apache-2.0
"""How many calls of Python ranks a second of CPU time carries: `make bench-ranks`.

Each scenario is a program of 64 ranks that make the same call many times; its calls are those of
all ranks. The engine has to be a release build. The fastest of several runs counts, since others
on the machine can only slow one down.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING

import numpy as np

import noccl

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from noccl.programs.comm import Comm

RANKS = 64


def allreduce(comm: Comm, times: int) -> None:
    """A sum of 8 bytes."""
    own, total = np.ones(1), np.empty(1)
    for _ in range(times):
        comm.Allreduce(own, total)


def barrier(comm: Comm, times: int) -> None:
    """Waiting for all."""
    for _ in range(times):
        comm.Barrier()


def ring(comm: Comm, times: int) -> None:
    """A message of 8 bytes to the next rank, another one from the rank before."""
    own, came = np.ones(1), np.empty(1)
    after, before = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    for _ in range(times):
        comm.Sendrecv(own, dest=after, recvbuf=came, source=before)


def compute(comm: Comm, times: int) -> None:
    """Computing: the least that a call costs."""
    for _ in range(times):
        comm.compute(cycles=100)


SCENARIOS: dict[str, Callable[[Comm, int], None]] = {
    "allreduce_8_bytes": allreduce,
    "barrier": barrier,
    "sendrecv_8_bytes": ring,
    "compute": compute,
}


def measured(
    function: Callable[[Comm, int], None], spec: str, times: int, runs: int
) -> dict[str, float]:
    """Calls per second of CPU time, and the cycles that they take, which must not change."""
    network = noccl.load(spec)
    seconds, cycles = [], 0
    for _ in range(runs):
        start = time.process_time()
        cycles = noccl.run_program(function, network, ranks=RANKS, args=[times]).cycles
        seconds.append(time.process_time() - start)
    return {"calls_per_second": round(RANKS * times / min(seconds)), "cycles": cycles}


def main(arguments: Sequence[str]) -> None:
    """Measures and prints JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spec", default="tilepro64_8x8", help="preset or spec file")
    parser.add_argument("--times", type=int, default=1000, help="calls per rank")
    parser.add_argument("--runs", type=int, default=5, help="runs, of which the fastest counts")
    parser.add_argument("--only", choices=SCENARIOS, help="one scenario")
    options = parser.parse_args(arguments)
    chosen = [options.only] if options.only else list(SCENARIOS)
    size = (options.spec, options.times, options.runs)
    found = {name: measured(SCENARIOS[name], *size) for name in chosen}
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
