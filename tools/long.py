# SPDX-License-Identifier: Apache-2.0
"""The long suites: what takes too long for every push, and a summary that is committed.

Each suite says what it ran and what failed. A failure names the command or the arguments that
reproduce it. The exit code is 1 if anything failed. `--only` runs some suites and leaves the rows
of the others as they are.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import noccl
import repository
from long_stress import chains, programs, published_control, stress, variants
from long_summary import Outcome, Row, here, merged, read, text_of

ALGORITHMS = ("chain:1", "chain:3", "chain:8", "tree:1", "tree:4", "row_column", "in_network")
SIZES_BYTES = (8, 64, 72, 1024, 4096, 4104)

# All crates at once: what one crate alone needs has other features and is compiled again.
RUST_TESTS = ("cargo", "test", "--release", "--workspace", "--locked")


_COHERENCE = "kernels under both protocols on six designs: results right, every load the last store"
_DESIGNS = "collective,greedy,complete,private,slots,connected"


def coherence(size: str) -> Outcome:
    """All kernels under both protocols: each load is compared with the last store."""
    # The program stands beside the interpreter, where `make` puts it.
    places = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    program = shutil.which("noccl", path=places) or "noccl"
    words = ["coherence", "--kernel", "all", "--size", size, "--design", _DESIGNS]
    done = subprocess.run([program, *words, "--json"], check=False, capture_output=True, text=True)
    line = f"noccl {' '.join(words)}"
    if done.returncode != 0:
        return Outcome(_COHERENCE, f"`{line}`", (f"{line}: {done.stderr.strip()[-200:]}",))
    rows = json.loads(done.stdout)
    programs = len({row["program"] for row in rows})
    references = sum(row["references"] for row in rows)
    misses = sum(row["misses"] for row in rows)
    return Outcome(
        _COHERENCE,
        f"`{line}`: {len(rows)} runs of {programs} kernels, {references} references, "
        f"{misses} misses",
        (),
    )


def groups(network: noccl.Network) -> Iterator[noccl.Rectangle]:
    """All rectangles of a network."""
    for x, y in itertools.product(range(network.width), range(network.height)):
        for width in range(1, network.width - x + 1):
            for height in range(1, network.height - y + 1):
                yield noccl.Rectangle(x, y, width, height)


def postconditions(preset: str, max_cases: int) -> Outcome:
    """Every algorithm on every rectangle, root and size: the checker proves the postcondition.

    If there are more cases than `max_cases`, a seeded sample of them runs.
    """
    network = noccl.load(preset)
    roots = [f"{x},{y}" for x, y in itertools.product(range(network.width), range(network.height))]
    cases = list(
        itertools.product(
            ("multicast", "reduce", "all_reduce"), groups(network), roots, ALGORITHMS, SIZES_BYTES
        )
    )
    total = len(cases)
    if total > max_cases:
        cases = random.Random(1).sample(cases, max_cases)  # noqa: S311 - a sample, no secret
    failures, refused = [], 0
    for collective, group, root, algorithm, size in cases:
        try:
            schedule = noccl.make_schedule(
                network,
                collective,
                num_bytes=size,
                group=group,
                root=root,
                algorithm=algorithm,
                element="fp64",
            )
            noccl.check(network, schedule)
        except (noccl.AlgorithmError, noccl.CapacityError):
            refused += 1
        except noccl.NocclError as error:
            arguments = f"--group {group.text} --root {root} --bytes {size}"
            failures.append(f"{collective} {algorithm} {arguments}: {error}")
    return Outcome(
        f"postconditions on `{preset}`: the checker proves every algorithm",
        f"{len(cases)} of {total} cases ({refused} refused by name)",
        tuple(failures),
    )


def values(preset: str, cases: int) -> Outcome:
    """Random collectives on random data: the network computes what NumPy computes."""
    network = noccl.load(preset)
    rng = np.random.default_rng(1)
    rectangles = list(groups(network))
    failures = []
    for case in range(cases):
        group = rectangles[rng.integers(len(rectangles))]
        algorithm = ALGORITHMS[rng.integers(len(ALGORITHMS))]
        shape = (group.width * group.height, int(rng.integers(1, 1000)))
        inputs = rng.integers(-(2**62), 2**62, shape)
        result = noccl.all_reduce(network, inputs, group=group, algorithm=algorithm)
        if not np.all(result.values == inputs.sum(axis=0)):
            failures.append(f"case {case}: all_reduce {algorithm} --group {group.text} {shape}")
    return Outcome(
        f"values on `{preset}`: all-reduce equals the sum",
        f"{cases} random cases",
        tuple(failures),
    )


def command(suite: str, words: list[str], environment: dict[str, str]) -> Outcome:
    """A suite that is a command of its own."""
    full = {**os.environ, **environment}
    done = subprocess.run(words, check=False, cwd=repository.ROOT, env=full)
    settings = [f"{name}={value}" for name, value in environment.items()]
    # The summary is committed: it names the interpreter as anybody would.
    shown = ["python" if word == sys.executable else word for word in words]
    line = " ".join(settings + shown)
    return Outcome(suite, f"`{line}`", () if done.returncode == 0 else (line,))


def hardware(suite: str, words: list[str]) -> Outcome:
    """A suite of the hardware: a script in its environment, whose last line says what ran."""
    python = repository.ROOT / ".venv-rtl" / "bin" / "python"
    done = subprocess.run(
        [python, *words], check=False, cwd=repository.ROOT, capture_output=True, text=True
    )
    lines = done.stdout.splitlines() or [done.stderr.strip()[-200:]]
    wrong = [line for line in lines if line.startswith(("WRONG", "seed"))] or lines[-1:]
    return Outcome(suite, lines[-1], () if done.returncode == 0 else tuple(wrong))


def suites(seeds: int) -> dict[str, Callable[[], Outcome]]:
    """All suites by label, in the order of the summary."""
    return {
        "stress_4x4": lambda: stress("collective_noc_4x4", seeds),
        "stress_8x8": lambda: stress("collective_noc_8x8", seeds // 5),
        "stress_3x5": lambda: stress("collective_noc_3x5", seeds // 5),
        "published": lambda: published_control(seeds // 25),
        "chains": lambda: chains("torrent_4x5", 2 * seeds),
        "stress_smart": lambda: variants("smart_8x8", 20 * seeds),
        "stress_cores": lambda: variants("tilepro64_4x4", 2 * seeds),
        "stress_bypass": lambda: stress("collective_noc_8x8_bypass", 20 * seeds),
        "programs_cores": lambda: programs(
            "tilepro64_4x4", "program", 2 * seeds, has_variants=True
        ),
        "programs_executed": lambda: programs(
            "tilepro64_4x4", "executed_program", 2 * seeds, has_variants=True
        ),
        "programs_4x4": lambda: programs("collective_noc_4x4", "program", seeds),
        "programs_3x5": lambda: programs("collective_noc_3x5", "program", seeds // 2),
        "programs_torrent": lambda: programs("torrent_4x5", "program", seeds // 2),
        "programs_smart": lambda: programs("smart_8x8", "program", seeds, has_variants=True),
        "coherence": lambda: coherence("standard"),
        "executed_cores": lambda: command(
            "random RISC-V instructions on a core and on Unicorn, 10 million: equal registers, "
            "flags and memory",
            [sys.executable, "-m", "pytest", "-q", "python/tests/test_executed_cores.py"],
            {"NOCCL_INSTRUCTION_CASES": "10000"},
        ),
        "npb": lambda: command(
            "NAS parallel benchmarks, class S, on 4 to 32 tiles: NPB's values, bits of native MPI, "
            "and the published messages",
            [sys.executable, "-m", "pytest", "-q", "python/tests/test_npb.py"],
            {"NOCCL_NPB": "long"},
        ),
        "postconditions_4x4": lambda: postconditions("collective_noc_4x4", 40_000),
        "postconditions_8x8": lambda: postconditions("collective_noc_8x8", 2_000),
        "values": lambda: values("collective_noc_4x4", seeds // 5),
        "rust": lambda: command(
            "Rust properties with many cases",
            [*RUST_TESTS, "--quiet", "--no-fail-fast"],
            {"NOCCL_CASES": "long", "PROPTEST_CASES": "2000"},
        ),
        "parameters": lambda: command(
            "numbers of the spec at the ends of their ranges and between, several together: "
            "everything completes with the right bytes or is refused by field",
            [*RUST_TESTS, "--quiet", "--test", "it", "parameters::"],
            {"NOCCL_PARAMETER_CASES": str(seeds)},
        ),
        "bounds": lambda: command(
            "random collectives by every algorithm on ten networks: none is faster than its bounds",
            [*RUST_TESTS, "--test", "it", "delivery_bounds::"],
            {"NOCCL_BOUND_CASES": "100000"},
        ),
        "mutations": lambda: command(
            "mutated files of all formats and command lines: no panic, no abort, no run that "
            "cannot be interrupted, no more than 4 GB",
            ["make", "mutations"],
            {"MUTATIONS": "1000000"},
        ),
        "python": lambda: command(
            "Python properties with many cases",
            [sys.executable, "-m", "pytest", "-q", "python/tests"],
            {"NOCCL_CASES": "long"},
        ),
        "ports": lambda: hardware(
            "random AXI transactions through `noccl_ni`, protocol checkers on every port: "
            "nothing lost, doubled or reordered",
            ["tools/rtl_traffic.py", "4000000", "40"],
        ),
        "engine": lambda: hardware(
            "random transfers of `noccl_dma` through `noccl_ni` beside failing memories and cores, "
            "protocol checkers between them: every byte in its place, every error told",
            ["tools/rtl_traffic.py", "--engine", "1000000", "20"],
        ),
    }


def main() -> None:
    """Runs all suites and writes the summary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, required=True)
    parser.add_argument("--summary", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[], metavar="SUITE", help="default: all")
    arguments = parser.parse_args()
    known = suites(arguments.seeds)
    if unknown := set(arguments.only) - known.keys():
        parser.error(f"no suite {', '.join(sorted(unknown))}; accepted: {', '.join(known)}")
    rows, at = [], here(arguments.summary)
    for label in arguments.only or known:
        start = time.monotonic()
        outcome = known[label]()
        rows.append(Row(outcome, round(time.monotonic() - start), at))
        state = "ok" if not outcome.failures else f"{len(outcome.failures)} failures"
        print(f"{outcome.suite}: {outcome.runs}: {state}", flush=True)
    old = read(arguments.summary.read_text(encoding="utf-8")) if arguments.only else {}
    arguments.summary.write_text(text_of(merged(old, rows), arguments.seeds), encoding="utf-8")
    sys.exit(1 if any(row.outcome.failures for row in rows) else 0)


if __name__ == "__main__":
    main()
