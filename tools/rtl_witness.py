# SPDX-License-Identifier: Apache-2.0
"""Converts the trace of a disproved assertion, as ABC writes it, into one that Yosys can replay.

ABC's trace (AIGER) numbers the inputs of the circuit; the map beside the circuit says which bit of
which signal each of them is. The format of Yosys is written by the module that Yosys has for that.
"""

from __future__ import annotations

import importlib.util
import json
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

_WRITER = Path(sysconfig.get_paths()["purelib"]) / "pyosys" / "share" / "python3" / "ywio.py"
# Of the first line of a trace: an assertion is broken.
_BROKEN = "1"


class WitnessError(Exception):
    """The trace is not what ABC writes for a disproved assertion."""


def _writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location(_WRITER.stem, _WRITER)
    if spec is None or spec.loader is None:
        raise WitnessError(f"{_WRITER} is missing")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _steps(trace: Path, num_inputs: int) -> list[str]:
    """Values of the inputs, a line per cycle.

    Raises:
        WitnessError: There is no trace of a broken assertion.
    """
    lines = [line.strip() for line in trace.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if lines[:1] == [_BROKEN]:
        # Then the number of the assertion.
        lines = lines[2:]
    if not lines or set(lines[0]) - {"0"}:
        raise WitnessError(f"{trace}: no trace from the start values")
    steps = [line for line in lines[1:] if line != "."]
    if any(len(line) != num_inputs or set(line) - set("01x") for line in steps):
        raise WitnessError(f"{trace}: a step is not the values of {num_inputs} inputs")
    return steps


def convert(trace: Path, circuit_map: Path, output: Path) -> None:
    """Writes the trace that Yosys can replay.

    Raises:
        WitnessError: There is no trace of a broken assertion.
    """
    writer = _writer()
    known: dict[str, Any] = json.loads(circuit_map.read_text(encoding="utf-8"))
    inits = {bit["input"] for bit in known["inits"]}
    bits = {
        bit["input"]: (tuple(bit["path"]), bit["offset"])
        for bit in known["inputs"] + known["seqs"] + known["inits"]
    }
    steps = _steps(trace, known["input_count"])
    with output.open("w", encoding="utf-8") as file:
        written = writer.WriteWitness(file, "noccl")
        for clock in known["clocks"]:
            written.add_clock(clock["path"], clock["offset"], clock["edge"])
        for number, (path, offset) in bits.items():
            written.add_sig(path, offset, init_only=number in inits)
        for cycle, line in enumerate(steps):
            values = writer.WitnessValues()
            for number, value in enumerate(line):
                if number in bits and not (cycle > 0 and number in inits):
                    values[bits[number]] = value
            written.step(values)
        written.end_trace()
