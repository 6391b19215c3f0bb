# SPDX-License-Identifier: Apache-2.0
"""Proves what modules promise, for all time, and shows that each property can fail.

`rtl/formal/<module>` holds a top that states the promises from outside and `formal.toml`, which
names configurations and mutants; `like = "<module>"` takes over what another one says, but for the
numbers that it names itself and the mutants of properties for which it has its own. Yosys makes a
circuit of it, ABC's property-directed reachability proves each assertion without a depth. A mutant
replaces text of a source; the property it names must be disproved then, and one without a mutant is
a fault: it might hold for the wrong reason.

Usage: `rtl_formal.py [MODULE ...] [--mutants-of MODULE ...]`: proofs and mutants of these modules
(all); with the option only the mutants of those it names. A disproved property leaves its
`trace.vcd`.
"""

from __future__ import annotations

import argparse
import functools
import os
import sys
import time
import tomllib
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import rtl_prover
import rtl_sources
from repository import ROOT
from rtl_sources import RTL

FORMAL = RTL / "formal"
OUT = ROOT / "out" / "formal"
# What a property is without a mutant: for all time, or to the stated depth.
KEPT = ("proved", "held")
# Of one proof, on a machine that does other things too.
MAX_SECONDS = 300
OPTIONS = ("package", "method", "induction_cycles", "depth_cycles", "inner")


@dataclass(frozen=True)
class Mutant:
    """A change of the sources that a property must notice.

    Attributes:
        breaks: The property.
        file: Module whose source is changed.
        before: Text that stands there once.
        after: What replaces it.
        configuration: Number of the configuration in which it does.
    """

    breaks: str
    file: str
    before: str
    after: str
    configuration: int = 0


@dataclass(frozen=True)
class Proofs:
    """What is proved of a module.

    Attributes:
        top: Module with the properties.
        configurations: Parameters of each run.
        package: Numbers that differ from those of the generated package.
        method: `pdr`; `induction`: all assertions together follow from themselves, one cycle on;
            `depth`: the top's own assertions hold for so many cycles.
        induction_cycles: Cycles in a row that an induction looks at.
        depth_cycles: Cycles of the last method.
        inner: What becomes of promises and obligations of the modules inside: `kept`, `dropped`.
        mutants: At least one per property.
    """

    top: str
    configurations: Sequence[dict[str, int]]
    mutants: Sequence[Mutant]
    package: Mapping[str, int] = field(default_factory=dict)
    method: str = "pdr"
    induction_cycles: int = 2
    depth_cycles: int = 0
    inner: str = "kept"


def modules() -> list[str]:
    """Modules with proofs."""
    return sorted(path.parent.name for path in FORMAL.glob("*/formal.toml"))


def _description(module: str) -> dict[str, Any]:
    path = FORMAL / module / "formal.toml"
    if not path.exists():
        raise rtl_prover.FormalError(f"{module}: no formal.toml; accepted: {', '.join(modules())}")
    own = tomllib.loads(path.read_text(encoding="utf-8"))
    if "like" not in own:
        return own
    other = _description(own["like"])
    has_own = {entry["breaks"] for entry in own["mutant"]}
    kept = [entry for entry in other["mutant"] if entry["breaks"] not in has_own]
    package = other.get("package", {}) | own.get("package", {})
    return other | own | {"package": package, "mutant": kept + own["mutant"]}


def load(module: str) -> Proofs:
    """Reads a module's description.

    Raises:
        FormalError: There is none, or it is like one that does not exist.
    """
    table = _description(module)
    mutants = [Mutant(**entry) for entry in table["mutant"]]
    options = {key: table[key] for key in OPTIONS if key in table}
    return Proofs(table["top"], table["configurations"], mutants, **options)


def sources_of(proofs: Proofs) -> list[Path]:
    """Sources of the proofs, with the numbers that they ask for."""
    sources = rtl_sources.closure([proofs.top])
    return rtl_sources.with_numbers(sources, proofs.package, OUT)


def mutated(sources: Sequence[Path], mutant: Mutant, directory: Path) -> list[Path]:
    """Copies the mutant's source with the change, and returns the sources with it.

    Raises:
        FormalError: The text does not stand there exactly once.
    """
    (source,) = [path for path in sources if path.stem == mutant.file]
    text = source.read_text(encoding="utf-8")
    if text.count(mutant.before) != 1:
        raise rtl_prover.FormalError(
            f"{source}: '{mutant.before}' must occur once: {text.count(mutant.before)}"
        )
    directory.mkdir(parents=True, exist_ok=True)
    copy = directory / source.name
    copy.write_text(text.replace(mutant.before, mutant.after), encoding="utf-8")
    return [copy if path == source else path for path in sources]


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        module: Module.
        run: Configuration, or mutant.
        property: Assertion.
        outcome: What the prover says.
        is_expected: Proved without a mutant, disproved with one that breaks it.
    """

    module: str
    run: str
    property: str
    outcome: str
    is_expected: bool


def _judged(
    proofs: Proofs, names: Sequence[str], directory: Path, max_seconds: int
) -> dict[str, str]:
    if proofs.method == "depth":
        return rtl_prover.held(names, directory, proofs.depth_cycles, max_seconds)
    if proofs.method == "induction":
        return rtl_prover.induced(names, directory, proofs.induction_cycles, max_seconds)
    return rtl_prover.outcomes(names, directory, max_seconds)


def prove(module: str, max_seconds: int = MAX_SECONDS) -> Iterator[Row]:
    """Proves a module in all its configurations."""
    proofs = load(module)
    sources = sources_of(proofs)
    for parameters in proofs.configurations:
        run = " ".join(f"{name}={value}" for name, value in parameters.items())
        directory = OUT / module / run.replace(" ", "-")
        names = rtl_prover.circuit(proofs.top, parameters, sources, directory, inner=proofs.inner)
        found = _judged(proofs, names, directory, max_seconds)
        for name in names:
            yield Row(module, run, name, found[name], is_expected=found[name] in KEPT)
        if "disproved" in found.values():
            print(f"{module}: {rtl_prover.write_trace(directory)}", file=sys.stderr)
        stated = {rtl_prover.property_of(name) for name in names}
        for name in sorted(stated - {mutant.breaks for mutant in proofs.mutants}):
            yield Row(module, run, name, "no mutant", is_expected=False)


def kill(module: str, mutant: Mutant, max_seconds: int = MAX_SECONDS) -> Row:
    """Judges the property that a mutant breaks.

    Raises:
        FormalError: There is no such property.
    """
    proofs = load(module)
    parameters = proofs.configurations[mutant.configuration]
    run = f"'{mutant.before}' -> '{mutant.after}'"
    change = zlib.crc32((mutant.before + mutant.after).encode())
    directory = OUT / module / f"mutant-{mutant.breaks}-{change:08x}"
    sources = mutated(sources_of(proofs), mutant, directory)
    names = rtl_prover.circuit(
        proofs.top, parameters, sources, directory, only=mutant.breaks, inner=proofs.inner
    )
    if {rtl_prover.property_of(name) for name in names} != {mutant.breaks}:
        raise rtl_prover.FormalError(f"{module}: no assertion '{mutant.breaks}'")
    outcome = "disproved" if rtl_prover.is_disproved(directory, max_seconds) else "undecided"
    return Row(module, run, mutant.breaks, outcome, is_expected=outcome == "disproved")


def _prove_all(module: str) -> list[Row]:
    return list(prove(module))


def _kill_one(module: str, mutant: Mutant) -> list[Row]:
    return [kill(module, mutant)]


def _tasks(names: Sequence[str], with_mutants: Sequence[str]) -> Iterator[Callable[[], list[Row]]]:
    for module in names:
        proofs = load(module)
        sources_of(proofs)
        yield functools.partial(_prove_all, module)
        if module in with_mutants:
            for mutant in proofs.mutants:
                yield functools.partial(_kill_one, module, mutant)


def main() -> None:
    """Prints the table of all proofs, a run per core at a time; fails if one is not as expected."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="MODULE", help="directory of rtl/formal")
    parser.add_argument("--mutants-of", nargs="*", metavar="MODULE", help="instead of all")
    arguments = parser.parse_args()
    names = arguments.names or modules()
    with_mutants = names if arguments.mutants_of is None else arguments.mutants_of
    if unknown := sorted(set(with_mutants) - set(names)):
        raise rtl_prover.FormalError(
            f"--mutants-of {' '.join(unknown)}: accepted: {', '.join(names)}"
        )
    wrong = 0
    start = time.monotonic()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for rows in pool.map(lambda task: task(), list(_tasks(names, with_mutants))):
            for row in rows:
                mark = "ok" if row.is_expected else "WRONG"
                wrong += not row.is_expected
                columns = f"{mark:5} {row.module:22} {row.outcome:10} {row.property:36} {row.run}"
                print(columns, flush=True)
    print(f"{wrong} wrong, {time.monotonic() - start:.0f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    try:
        main()
    except rtl_prover.FormalError as error:
        sys.exit(f"error: {error}")
