# SPDX-License-Identifier: Apache-2.0
"""Runs scripts one after the other in real MPI; rank 0 prints what each has printed, as JSON.

Usage: mpiexec -n RANKS python real_mpi.py SCRIPT...
"""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys

from mpi4py import MPI


def main(paths: list[str]) -> None:
    printed = {}
    for path in paths:
        output = io.StringIO()
        sys.argv = [path]
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            runpy.run_path(path, run_name="__main__")
        printed[path] = output.getvalue()
        MPI.COMM_WORLD.Barrier()
    if MPI.COMM_WORLD.Get_rank() == 0:
        print(json.dumps(printed))


if __name__ == "__main__":
    main(sys.argv[1:])
