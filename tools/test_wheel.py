# SPDX-License-Identifier: Apache-2.0
"""Installs a wheel into an empty environment and takes a first result there, as a stranger would.

Everything happens in a directory of its own, outside the checkout: the command line's version and a
comparison, a reduction from Python whose values are compared with NumPy's. Prints the seconds
from `pip install` to the first result. Usage: `test_wheel.py WHEEL`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import repository

LIMIT_SECONDS = 10.0
REDUCTION = """
import numpy as np, noccl
network = noccl.load("collective_noc_4x4")
inputs = np.arange(16 * 64, dtype=np.float64).reshape(16, 64)
result = noccl.reduce(network, inputs, operator="sum", algorithm="in_network")
assert np.array_equal(result.values, inputs.sum(axis=0)), result.values
assert "site-packages" in noccl.__file__, noccl.__file__
"""


def main() -> None:
    """Installs, runs, compares; the exit code is 1 if anything is not as it should be."""
    wheel = Path(sys.argv[1]).resolve()
    outside = {key: text for key, text in os.environ.items() if key != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as folder:

        def run(*words: str) -> str:
            done = subprocess.run(
                words, cwd=folder, env=outside, check=False, capture_output=True, text=True
            )
            if done.returncode != 0:
                sys.exit(f"error: {' '.join(words)}\n{done.stdout}{done.stderr}")
            return done.stdout

        run(sys.executable, "-m", "venv", "empty")
        binaries = Path(folder) / "empty" / "bin"
        pip = (str(binaries / "python"), "-m", "pip", "install", "--quiet", "--no-compile")
        begin = time.monotonic()
        run(*pip, "--require-hashes", "-r", str(repository.ROOT / "requirements" / "use.lock"))
        run(*pip, "--no-deps", str(wheel))
        program = str(binaries / "noccl")
        rows = run(program, "compare", "multicast", "--group", "row", "--bytes", "1KiB")
        seconds = time.monotonic() - begin
        if "bit-exact" not in rows:
            sys.exit(f"error: the comparison verified nothing\n{rows}")
        version = run(program, "--version").split()[-1]
        if f"-{version}-" not in wheel.name:
            sys.exit(f"error: the program in {wheel.name} says version {version}")
        run(str(binaries / "python"), "-c", REDUCTION)
        size = wheel.stat().st_size / 1e6
        print(f"{wheel.name}: {size:.1f} MB; {seconds:.1f} s from pip install to the first result")
        if seconds > LIMIT_SECONDS:
            print(f"note: more than the {LIMIT_SECONDS:.0f} s of two idle cores", file=sys.stderr)


if __name__ == "__main__":
    main()
