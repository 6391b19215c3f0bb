# SPDX-License-Identifier: Apache-2.0
"""Runs the kernels of S4's figures 7 to 11 and keeps their rows: `make npb-rows` writes kernels.json.

MG keeps its size while ranks are added (class W; S4's class A has 256 points a side). IS, CG, FT and LU grow with the
ranks, at most 48 KiB of data each; there is no published result of such sizes, so one rank runs them too, and its
results are those that the others have to have.
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
    points = {4: 8, 8: 10, 16: 13}[ranks]
    return [f"NPB_LU_POINTS={points}", "NPB_LU_STEPS=50", "NPB_LU_DT=0.5"]


def run(kernel: str, ranks: int, libraries: str, defines: list[str], label: str) -> list[object]:
    """The rows of one command."""
    command = [str(NOCCL), "npb", kernel, "--class", label, "--ranks", str(ranks)]
    command += ["--library", libraries, "--json"]
    for define in defines:
        command += ["-D", define]
    print(" ".join(command[1:]), file=sys.stderr, flush=True)
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def main() -> None:
    """Runs all, then writes the file as a whole."""
    rows: list[object] = []
    for ranks in RANKS:
        rows += run("mg", ranks, LIBRARIES, [], "W")
        for kernel in ("is", "cg", "ft", "lu"):
            defines = sizes(kernel, ranks)
            rows += run(kernel, ranks, LIBRARIES, defines, "X")
            rows += run(kernel, 1, "nocmsg", defines, "X")
    text = json.dumps(rows, indent=2)
    partial = FOLDER / "kernels.json.partial"
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(FOLDER / "kernels.json")


if __name__ == "__main__":
    main()
