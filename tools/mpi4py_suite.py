# SPDX-License-Identifier: Apache-2.0
"""Runs mpi4py's own tests as programs of ranks, and counts (minutes).

python tools/mpi4py_suite.py FOLDER                     # the folder `test` of mpi4py's source
python tools/mpi4py_suite.py FOLDER --ranks 3 --only test_comm test_p2p_obj

Rank 0's results count. A module whose import fails, or in which a rank ends the process or makes
no call for too long, is named. Arrays that stand for memory of an accelerator are left out.
`--reasons` counts the last lines of failures.
"""

from __future__ import annotations

import argparse
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

# What each rank does with a module. It lies beside the tests, so that ranks have their own modules.
RUNNER = """
import importlib, json, sys, unittest
from mpi4py import MPI
found = {"import": ""}
try:
    module = importlib.import_module(sys.argv[1])
except unittest.SkipTest:
    found["import"] = "skipped"
except BaseException as error:
    found["import"] = f"{type(error).__name__}: {error}"
else:
    arrays = sys.modules.get("arrayimpl")
    if arrays is not None:
        kinds = arrays.ArrayBackends
        kinds[:] = [kind for kind in kinds if "GPU" not in kind.__name__]
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    bad = result.failures + result.errors
    tests = {getattr(test, "test_case", test).id() for test, _ in bad}
    reasons = [text.strip().splitlines()[-1] for _, text in bad]
    found.update(run=result.testsRun, bad=len(tests), skipped=len(result.skipped), reasons=reasons)
if MPI.COMM_WORLD.rank == 0:
    print("RESULT" + json.dumps(found))
"""
SECONDS = 300
# Of a reason, so that those with other values count as one.
SHOWN = 90


def run(folder: Path, module: str, ranks: int) -> dict[str, Any]:
    """Results of a module."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", dir=folder) as script:
        script.write(RUNNER)
        script.flush()
        command = [sys.executable, "-m", "noccl.programs", "--ranks", str(ranks)]
        command += ["--host-seconds", str(SECONDS), script.name, module]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=SECONDS, cwd=folder, check=False
            )
        except subprocess.TimeoutExpired:
            return {"import": f"more than {SECONDS} s"}
    for line in done.stdout.splitlines():
        if line.startswith("RESULT"):
            found: dict[str, Any] = json.loads(line.removeprefix("RESULT"))
            return found
    last = [line for line in done.stderr.splitlines() if line.startswith("error")]
    return {"import": last[-1] if last else f"exit status {done.returncode}"}


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--reasons", action="store_true")
    options = parser.parse_args()
    modules = options.only or sorted(path.stem for path in options.folder.glob("test_*.py"))
    totals: collections.Counter[str] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    for module in modules:
        found = run(options.folder, module, options.ranks)
        totals["modules"] += 1
        if found["import"]:
            totals["not run"] += 1
            print(f"{module:24} {found['import'][:SHOWN]}")
            continue
        passed = found["run"] - found["bad"] - found["skipped"]
        totals.update(tests=found["run"], passed=passed, skipped=found["skipped"])
        totals["not passed"] += found["bad"]
        reasons.update(reason[:SHOWN] for reason in found["reasons"])
        print(f"{module:24} {passed:4} passed {found['bad']:4} not {found['skipped']:4} skipped")
    print(", ".join(f"{name} {count}" for name, count in totals.items()))
    if options.reasons:
        for reason, count in reasons.most_common():
            print(f"{count:6} {reason}")


if __name__ == "__main__":
    main()
