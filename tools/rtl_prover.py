# SPDX-License-Identifier: Apache-2.0
"""Makes circuits of modules with assertions, and judges the assertions.

Yosys makes the circuit; ABC proves each assertion by property-directed reachability, or all of them
by induction, or finds a trace that breaks it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import rtl_sources
import rtl_witness
import rtl_yosys

ABC = Path(sysconfig.get_paths()["purelib"]) / "pyosys" / "yosys-abc"

# Assertions hold in their own cycle, not one later; asynchronous resets as synchronous ones, since
# time is in cycles. Then gates: free start values, one clock.
_TO_ASSERTIONS = (
    "proc", "flatten", "opt_clean", "setparam -set TRG_ENABLE 0 t:$check", "async2sync",
    "chformal -lower", "chformal -cover -remove",
)  # fmt: skip
_TO_GATES = (
    "opt_clean", "memory_map", "formalff -setundef -clk2ff -ff2anyinit", "setundef -anyseq",
    "opt -fast", "techmap", "opt -fast", "dffunmap", "aigmap", "opt_clean",
)  # fmt: skip
_PROVED = re.compile(r"^Proved output\s+(\d+) in frame", re.MULTILINE)
_DISPROVED = re.compile(r"^Output\s+(\d+) was asserted in frame", re.MULTILINE)


class FormalError(Exception):
    """A tool failed, or a description does not fit its module."""


def circuit(
    top: str,
    parameters: dict[str, int],
    sources: Sequence[Path],
    directory: Path,
    only: str | None = None,
    *,
    inner: str = "kept",
) -> list[str]:
    """Writes the circuit `top.aig` and returns the names of its assertions, in its order.

    With `only`, assertions of other properties are left out. Promises and obligations of the
    modules inside the top are `kept` or `dropped`.

    Raises:
        FormalError: Yosys refuses.
    """
    directory.mkdir(parents=True, exist_ok=True)
    values = [f"-G {name}={value}" for name, value in parameters.items()]
    options = [
        "-D FORMAL",
        "--no-synthesis-define",
        "--no-implicit-memories",
        f"-I {rtl_sources.INCLUDE}",
        *values,
    ]
    read = f"read_slang {' '.join(options)} --top {top} {' '.join(map(str, sources))}"
    write = "write_aiger -I -B -zinit -no-startoffset -ywmap top.ywmap top.aig"
    drop = []
    if inner == "dropped":
        drop += ["delete t:$assert c:*.* %i", "delete t:$assume c:*.* %i"]
    if only is not None:
        # Wherever a part of the name may be one of several.
        drop += [f"delete t:$assert c:{only.replace('.', '*.')} %d"]
    commands = [read, f"hierarchy -check -top {top}", *_TO_ASSERTIONS, *drop]
    commands += [*_TO_GATES, "write_rtlil top.il", write]
    try:
        rtl_yosys.run(commands, directory)
    except rtl_yosys.YosysError as error:
        raise FormalError(f"{top}: {error}") from error
    names = json.loads((directory / "top.ywmap").read_text(encoding="utf-8"))["asserts"]
    return [".".join(part.removeprefix("\\") for part in path) for path in names]


def property_of(name: str) -> str:
    """Property that an assertion states: the same one in all copies of a generate block."""
    return re.sub(r"\[\d+\]", "", name)


def _abc(script: str, directory: Path) -> str:
    command = [str(ABC), "-c", script]
    run = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def outcomes(names: Sequence[str], directory: Path, max_seconds: int) -> dict[str, str]:
    """Judges every assertion of a circuit: `proved`, `disproved` or `undecided`.

    Raises:
        FormalError: The prover says nothing that can be read.
    """
    output = _abc(f"read_aiger top.aig; fold; strash; pdr -a -T {max_seconds}", directory)
    found = dict.fromkeys(names, "undecided")
    for outcome, pattern in (("proved", _PROVED), ("disproved", _DISPROVED)):
        found |= {names[int(number)]: outcome for number in pattern.findall(output)}
    if "Properties:" not in output:
        raise FormalError(f"{directory.name}: {output[-400:]}")
    return found


def induced(names: Sequence[str], directory: Path, cycles: int, max_seconds: int) -> dict[str, str]:
    """Judges all assertions of a circuit together: from the start, and on from one cycle less."""
    begins = _abc(f"read_aiger top.aig; fold; bmc3 -F {cycles}", directory)
    step = f"ind -F {cycles} -T {max_seconds}"
    follows = _abc(f"read_aiger top.aig; fold; orpos; {step}", directory)
    is_proved = f"No output asserted in {cycles} frames" in begins and "are equivalent" in follows
    return dict.fromkeys(names, "proved" if is_proved else "undecided")


def held(
    names: Sequence[str], directory: Path, depth_cycles: int, max_seconds: int
) -> dict[str, str]:
    """Judges all assertions of a circuit together for its first cycles."""
    script = f"read_aiger top.aig; fold; scorr; dc2; bmc3 -F {depth_cycles} -T {max_seconds}"
    is_held = f"No output asserted in {depth_cycles} frames. Resource limit reached (conf" in _abc(
        script, directory
    )
    return dict.fromkeys(names, "held" if is_held else "undecided")


def write_trace(directory: Path) -> str:
    """Writes how the first disproved assertion of a circuit fails, as waves; says where."""
    _abc("read_aiger top.aig; fold; strash; pdr; write_cex -a trace.aiw", directory)
    try:
        rtl_witness.convert(*(directory / name for name in ("trace.aiw", "top.ywmap", "trace.yw")))
    except (OSError, rtl_witness.WitnessError) as error:
        return f"{directory}: no trace: {error}"
    rtl_yosys.run(["read_rtlil top.il", "sim -r trace.yw -vcd trace.vcd"], directory)
    return str(directory / "trace.vcd")


def is_disproved(directory: Path, max_seconds: int) -> bool:
    """Finds a trace that breaks a circuit's assertion, the shorter ones first."""
    output = _abc(f"read_aiger top.aig; fold; bmc3 -T {max_seconds}", directory)
    return "was asserted in frame" in output
