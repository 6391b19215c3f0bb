# SPDX-License-Identifier: Apache-2.0
"""Resolves `requirements/dev.in` into `requirements/dev.lock`: exact versions with hashes.

The resolver runs in an environment of its own, so that it is no dependency of the project. Where
packages come from is the caller's configuration and is never written into the lock file.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import repository

RESOLVER = "pip-tools==7.6.2"


def main() -> None:
    """Writes the lock file anew."""
    requirements = repository.ROOT / "requirements"
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([sys.executable, "-m", "venv", directory], check=True)
        python = Path(directory) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", RESOLVER], check=True)
        subprocess.run(
            [
                *(python, "-m", "piptools", "compile", "--quiet", "--upgrade"),
                *("--generate-hashes", "--allow-unsafe", "--strip-extras", "--no-header"),
                *("--no-emit-index-url", "--no-emit-find-links", "--no-emit-trusted-host"),
                *("--output-file", "dev.lock", "dev.in"),
            ],
            check=True,
            cwd=requirements,
            env={**os.environ, "CUSTOM_COMPILE_COMMAND": "make lock"},
        )


if __name__ == "__main__":
    main()
