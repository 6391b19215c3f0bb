# SPDX-License-Identifier: Apache-2.0
"""The same C programs on every system: `make systems-page` writes the table of docs/systems.md.

Every program checks its own results; CG's number has to be the same on all systems. Cycles are
those of the slowest rank between a barrier and the last collective, at each network's own clock.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from generated_block import Block

ROOT = Path(__file__).resolve().parents[2]
NOCCL = ROOT / ".venv" / "bin" / "noccl"
PAGE = ROOT / "docs" / "systems.md"
RANKS = 16


@dataclass(frozen=True)
class System:
    """A network, who carries the messages, and by which collectives."""

    label: str
    spec: str
    clock_ghz: float
    collectives: str | None


# The first is S4's library in C itself; the others carry out its calls.
SYSTEMS = (
    System("S4's C library: UDN and static network", "tilepro64_4x4", 0.7, None),
    System("messages over the UDN, trees", "tilepro64_4x4", 0.7, "tree"),
    System("the same with the static network", "tilepro64_4x4", 0.7, "auto"),
    System("S1, software trees", "collective_noc_4x4", 1.0, "tree"),
    System("S1, in the network", "collective_noc_4x4", 1.0, "in_network"),
    System("S1 with bypass, in the network", "collective_noc_4x4_bypass", 1.0, "in_network"),
    System("Torrent, chains", "torrent_4x4", 1.0, "chainwrite"),
    System("S2", "smart_4x4", 1.0, "auto"),
)

EXAMPLES = "programs/examples"
CG = tuple(f"programs/npb/{name}.c" for name in ("cg", "cg_matrix", "random", "report"))
# Sources, and macros of a small and of a larger problem.
PROGRAMS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "Jacobi": ((f"{EXAMPLES}/jacobi.c",), ("SIDE=16",), ("SIDE=64",)),
    "CG": (
        CG,
        ("NPB_CLASS='X'", "NPB_CG_ORDER=64", "NPB_CG_NONZEROS=3", "NPB_CG_SHIFT=10"),
        ("NPB_CLASS='X'", "NPB_CG_ORDER=256", "NPB_CG_NONZEROS=5", "NPB_CG_SHIFT=10"),
    ),
    "sample sort": ((f"{EXAMPLES}/sample_sort.c",), ("KEYS=32",), ("KEYS=1024",)),
    "tensor-parallel layers": ((f"{EXAMPLES}/tensor_parallel.c",), ("HIDDEN=16",), ("HIDDEN=128",)),
}


def said(arguments: list[str]) -> str:
    """What a command of noccl prints."""
    done = subprocess.run([str(NOCCL), *arguments], check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"noccl {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def build(sources: tuple[str, ...], defines: tuple[str, ...], folder: Path, *, calls: bool) -> str:
    """The path of a compiled program."""
    program = str(folder / f"{'calls' if calls else 'ports'}.elf")
    arguments = ["build", *(str(ROOT / source) for source in sources), "-o", program]
    arguments += [part for define in defines for part in ("-D", define)]
    said([*arguments, *(["--calls"] if calls else [])])
    return program


def cycles(system: System, program: str, results: set[str]) -> int:
    """Cycles of the timed part; the program's own check has to be right."""
    arguments = [
        "run",
        program,
        "--program",
        "--ranks",
        str(RANKS),
        "--spec",
        system.spec,
        "--json",
    ]
    if system.collectives:
        arguments += ["--collectives", system.collectives]
    text = json.loads(said(arguments))["ranks"][0]["console"]
    if found := re.search(r"^npb elapsed cycles (\d+)$", text, re.MULTILINE):
        # Ranks add in another order on some systems: ten digits are compared.
        zeta = re.search(r"^npb quantity \S+ (\S+)", text, re.MULTILINE)
        results.add(f"{float(zeta.group(1)):.9e}" if zeta else text)
        return int(found.group(1))
    ok = re.search(r" ok, ([\d.]+) us$", text, re.MULTILINE)
    if not ok:
        raise SystemExit(f"{program} on {system.spec}: {text}")
    return round(float(ok.group(1)) * 1000 * system.clock_ghz)


def column(name: str, size: int) -> list[int]:
    """Cycles of a program on all systems."""
    results: set[str] = set()
    sources, *sizes = PROGRAMS[name]
    with tempfile.TemporaryDirectory() as folder:
        ports = build(sources, sizes[size], Path(folder), calls=False)
        calls = build(sources, sizes[size], Path(folder), calls=True)
        found = [
            cycles(system, calls if system.collectives else ports, results) for system in SYSTEMS
        ]
    if len(results) > 1:
        raise SystemExit(f"{name}: results differ between systems: {results}")
    print(name, sizes[size], found, file=sys.stderr, flush=True)
    return found


def table(size: int) -> str:
    """A table of all programs at a size, in cycles, and how much faster than the first row."""
    columns = [column(name, size) for name in PROGRAMS]
    lines = ["| system | " + " | ".join(PROGRAMS) + " |", "|---" * (len(PROGRAMS) + 1) + "|"]
    for row, system in enumerate(SYSTEMS):
        cells = [f"{of[row]:,} ({of[0] / of[row]:.2f})" for of in columns]
        lines.append(f"| {system.label} (`{system.spec}`) | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def block(name: str) -> Block:
    """Where a table stands in the page."""
    return Block(f"<!-- {name}: begin -->", f"<!-- {name}: end -->")


def main() -> None:
    """Runs everything and writes the page."""
    text = PAGE.read_text(encoding="utf-8")
    for size, mark in enumerate(("small", "larger")):
        text = block(mark).replaced(text, f"{table(size)}\n")
    partial = PAGE.with_suffix(".new")
    partial.write_text(text, encoding="utf-8")
    partial.replace(PAGE)


if __name__ == "__main__":
    main()
