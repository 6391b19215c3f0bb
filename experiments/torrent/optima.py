# SPDX-License-Identifier: Apache-2.0
"""Proves the shortest orders of S3's 1024 random chains and compares the built-in solver with them.

8 numbers of destinations, 128 sets each, on 8x8 clusters from a corner, with a fixed seed. The
lengths go into `optima.json`; a test of the facade measures the built-in solver against them at
every push.
`make optima` installs OR-Tools and runs this.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path

import noccl
from noccl.files import write_file

FILE = Path(__file__).with_name("optima.json")
SPEC, SOURCE, SEED, DRAWS = "torrent_8x8", "0,0", 1, 128
COUNTS = (4, 12, 20, 28, 36, 44, 52, 63)


def proved_hops(destinations: str) -> int:
    """Length of the shortest order, proved."""
    found = noccl.chain_orders(
        noccl.load(SPEC),
        source=SOURCE,
        destinations=destinations,
        by=["cp_sat"],
        time_limit_seconds=600.0,
    )
    return found.rows[0].hops


def main() -> None:
    """Writes the file and prints the distances."""
    draws = noccl.destination_draws(
        noccl.load(SPEC), source=SOURCE, counts=COUNTS, draws=DRAWS, seed=SEED, by=["open_path"]
    )
    sets = ["set:" + ";".join(at.text for at in draw.destinations) for draw in draws]
    distinct = sorted(set(sets))
    with ProcessPoolExecutor() as pool:
        proved = dict(zip(distinct, pool.map(proved_hops, distinct), strict=True))
    optima = {count: [0] * DRAWS for count in COUNTS}
    excess = {count: [0.0] * DRAWS for count in COUNTS}
    for draw, text in zip(draws, sets, strict=True):
        best = proved[text]
        optima[draw.num_destinations][draw.draw] = best
        excess[draw.num_destinations][draw.draw] = draw.hops["open_path"] / best - 1
    body = {
        "network": SPEC,
        "source": SOURCE,
        "seed": SEED,
        "solver": f"OR-Tools CP-SAT {version('ortools')}",
        "hops": {str(count): hops for count, hops in optima.items()},
    }
    text = json.dumps(body).replace('], "', '],\n"') + "\n"
    write_file(FILE, text.encode())
    for count, parts in excess.items():
        mean, worst = sum(parts) / DRAWS, max(parts)
        print(f"{count} destinations: built-in {mean:.3%} above in the mean, {worst:.3%} at most")
    everything = [part for parts in excess.values() for part in parts]
    mean, worst = sum(everything) / len(everything), max(everything)
    print(f"all: {mean:.3%} in the mean, {worst:.3%} at most")
    if min(everything) < 0:
        sys.exit("error: an order is shorter than its proved optimum")


if __name__ == "__main__":
    main()
