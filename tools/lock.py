# SPDX-License-Identifier: Apache-2.0
"""Resolves `requirements/*.in` into lock files: exact versions with hashes.

`use.lock` is what the package needs to run, `plot.lock` and `frames.lock` are its extras,
`dev.lock` is what checks and tests need besides these; `rtl.lock` is the environment of the
hardware's tools, `docs.lock` that of the site, `cp_sat.lock` an optional solver, `ray.lock` Ray
for its own tests. Packages of several files have one version: later files are constrained by
earlier ones. The resolver runs in an environment of its own, so that it is no dependency of the
project. Where packages come from is the caller's configuration and is never written into a lock
file.
Usage: `lock.py [--keep] [NAME ...]`; without names, all. `--keep` leaves versions as they are where
they satisfy the `.in` file.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import repository

RESOLVER = "pip-tools==7.6.2"
# In this order, since the later ones read the earlier ones.
NAMES = ("use", "plot", "frames", "dev", "rtl", "docs", "cp_sat", "ray")


def main() -> None:
    """Writes the lock files anew."""
    requirements = repository.ROOT / "requirements"
    words = sys.argv[1:]
    newest = [] if "--keep" in words else ["--upgrade"]
    wanted = [word for word in words if word != "--keep"] or NAMES
    if unknown := set(wanted) - set(NAMES):
        sys.exit(f"error: {', '.join(sorted(unknown))}: no such lock; accepted: {', '.join(NAMES)}")
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([sys.executable, "-m", "venv", directory], check=True)
        python = Path(directory) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", RESOLVER], check=True)
        for name in (name for name in NAMES if name in wanted):
            subprocess.run(
                [
                    *(str(python), "-m", "piptools", "compile", "--quiet", *newest),
                    *("--generate-hashes", "--allow-unsafe", "--strip-extras", "--no-header"),
                    *("--no-emit-index-url", "--no-emit-find-links", "--no-emit-trusted-host"),
                    *("--output-file", f"{name}.lock", f"{name}.in"),
                ],
                check=True,
                cwd=requirements,
                env={**os.environ, "CUSTOM_COMPILE_COMMAND": "make lock"},
            )


if __name__ == "__main__":
    main()
