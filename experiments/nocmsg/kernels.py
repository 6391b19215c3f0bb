# SPDX-License-Identifier: Apache-2.0
"""Runs the kernels of S4's figures 7 to 11: `make npb-rows` writes kernels.json.

MG keeps its size while ranks are added (class W; S4's class A has 256 points a side). IS, CG, FT
and LU grow with the ranks, at most 48 KiB of data each; there is no published result of such
sizes, so one rank runs them too, and its results are those that the others have to have.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
NOCCL = FOLDER.parents[1] / ".venv" / "bin" / "noccl"
RANKS = (4, 8, 16)
LIBRARIES = "nocmsg,interrupt"


def sizes(kernel: str, ranks: int) -> list[str]:
    """Macros of class X: so many points, keys or rows for each rank."""
    log_ranks = ranks.bit_length() - 1
    if kernel == "is":
        return [f"NPB_IS_LOG_KEYS={11 + log_ranks}", "NPB_IS_LOG_VALUES=11", "NPB_IS_LOG_BUCKETS=9"]
    if kernel == "cg":
        return [f"NPB_CG_ORDER={64 * ranks}", "NPB_CG_NONZEROS=5", "NPB_CG_SHIFT=10"]
    if kernel == "ft":
        x, y = {4: (16, 16), 8: (32, 16), 16: (32, 32)}[ranks]
        return [f"NPB_FT_NX={x}", f"NPB_FT_NY={y}", "NPB_FT_NZ=16"]
    points = {4: 9, 8: 12, 16: 15}[ranks]
    return [f"NPB_LU_POINTS={points}", "NPB_LU_STEPS=50", "NPB_LU_DT=0.5"]


def run(arguments: list[str]) -> list[object]:
    """The rows of one command."""
    print("noccl", *arguments, file=sys.stderr, flush=True)
    done = subprocess.run([str(NOCCL), *arguments], check=False, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    rows: list[object] = json.loads(done.stdout)
    return rows


def commands() -> list[list[str]]:
    """All commands, in the order of their rows."""
    found = []
    for ranks in RANKS:
        found.append(command("mg", ranks, LIBRARIES, "W", []))
        for kernel in ("is", "cg", "ft", "lu"):
            defines = sizes(kernel, ranks)
            found.append(command(kernel, ranks, LIBRARIES, "X", defines))
            found.append(command(kernel, 1, "nocmsg", "X", defines))
    # On S1's mesh, which has no ports of words: calls go to its DMA engines and routers.
    on_another_mesh = command("all", 16, "calls", "S", [])
    return [*found, [*on_another_mesh, "--spec", "collective_noc_4x4"]]


def command(kernel: str, ranks: int, libraries: str, label: str, defines: list[str]) -> list[str]:
    """Arguments of one command."""
    arguments = ["npb", kernel, "--class", label, "--ranks", str(ranks), "--library", libraries]
    return [*arguments, *(part for define in defines for part in ("-D", define)), "--json"]


def write(path: Path, content: object) -> None:
    """Writes a file as a whole."""
    partial = path.with_suffix(".new")
    partial.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    partial.replace(path)


def main() -> None:
    """Runs all; what has been run is kept, so that an interrupted call can be repeated."""
    kept = FOLDER / "kernels.partial.json"
    done = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    for arguments in commands():
        name = " ".join(arguments)
        if name not in done:
            done[name] = run(arguments)
            write(kept, done)
    write(
        FOLDER / "kernels.json",
        [row for arguments in commands() for row in done[" ".join(arguments)]],
    )
    kept.unlink()


if __name__ == "__main__":
    main()
