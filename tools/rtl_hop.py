# SPDX-License-Identifier: Apache-2.0
"""Netlist of one module of a row, in which what passes from link to link is as fast as it can be.

The gates between the two neighbours of a module are mapped by themselves, for speed alone: the
mapper takes all inputs of a module to come at once, and would trade the path that a whole row adds
up for area. By one of the two recipes of `rtl_timing`: balanced, rows of routers are between 4 %
faster and 5 % slower, and sums in a row several times faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import rtl_area
import rtl_timing
import rtl_yosys

FLIP_FLOPS = ("$_DFF_P_", "$_DFF_PN0_", "$_DFF_PN1_")
CHAIN = "between_links"
# Ask for more than can be had.
FASTEST_PICOSECONDS = 1


@dataclass(frozen=True)
class Links:
    """How a module is wired to its neighbours.

    Attributes:
        forward: Output port to the input port of the next module.
        backward: Output port to the input port of the module before.
    """

    forward: Mapping[str, str]
    backward: Mapping[str, str]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs of an output and an input."""
        return [*self.forward.items(), *self.backward.items()]


@dataclass(frozen=True)
class Hop:
    """The module that a row is made of.

    Attributes:
        top: Its name.
        parameters: Values of its parameters.
        sources: Files that it needs.
        links: How it is wired to its neighbours.
        boxes: Modules within it that are left out, and with them all paths through them.
        passed_only: Names of registers from which only what has come over a link takes something:
            no path begins there in the first module of a row.
        is_balanced: Mapped by the recipe for sums.
    """

    top: str
    parameters: Mapping[str, int]
    sources: Sequence[Path]
    links: Links
    boxes: Sequence[str] = ()
    passed_only: Sequence[str] = ()
    is_balanced: bool = False


def _union(patterns: Iterable[str]) -> str:
    """One selection of several, for the operators of Yosys, which take the last one alone."""
    first, *others = patterns
    return " ".join([first, *(f"{pattern} %u" for pattern in others)])


def _extract(name: str, inputs: Iterable[str], outputs: Iterable[str]) -> list[str]:
    """Yosys commands that put the gates between some ports into a module of their own."""
    behind = _union(f"i:{name}" for port in inputs for name in (port, f"{port}_*"))
    before = _union(f"o:{name}" for port in outputs for name in (port, f"{port}_*"))
    return [
        f"select -set behind {behind} %coe*",
        f"select -set before {before} %cie*",
        f"select -set chain @behind @before %i t:$_DFF* %d t:{CHAIN}* %d w:* %d",
        f"submod -name {name} @chain",
    ]


def chain_commands(hop: Hop) -> list[str]:
    """Yosys commands that put the gates between links into modules of their own.

    First those between the two ends of a link, each by itself: what has passed several routers
    comes last, and must not be mapped together with what stands ready beside it.
    """
    pairs = hop.links.pairs
    single = [
        command
        for i, (output, source) in enumerate(pairs)
        for command in _extract(f"{CHAIN}_{i}", [source], [output])
    ]
    inputs, outputs = [source for _, source in pairs], [output for output, _ in pairs]
    return [f"cd {hop.top}", *single, *_extract(f"{CHAIN}_all", inputs, outputs), "cd .."]


def _recipes(hop: Hop, directory: Path) -> list[str]:
    """Options of the mapper for a module and for what passes it."""
    options = []
    for target in (rtl_timing.TARGET_PICOSECONDS, FASTEST_PICOSECONDS):
        if not hop.is_balanced:
            options.append(f"-D {target}")
            continue
        script = directory / f"balance_{target}.abc"
        steps = [
            step.replace(f"-D {rtl_timing.TARGET_PICOSECONDS}", f"-D {target}")
            for step in ("strash", *rtl_timing.BALANCE)
        ]
        script.write_text("\n".join([*steps, ""]), encoding="utf-8")
        options.append(f"-script {script}")
    return options


def synthesize(hop: Hop, directory: Path) -> None:
    """Maps a module onto the library: the netlist is `netlist.v`.

    Raises:
        rtl_yosys.YosysError: Yosys refuses the sources, or the ports of the links.
    """
    directory.mkdir(parents=True, exist_ok=True)
    constraints = "set_driving_cell BUFX2\nset_load 20.0\n"
    (directory / "abc.constr").write_text(constraints, encoding="utf-8")
    kinds = " ".join(f"-cell {name} x" for name in FLIP_FLOPS)
    mapper = f"abc -liberty {rtl_timing.LIBRARY} -constr abc.constr"
    recipes = _recipes(hop, directory)
    commands = [
        *rtl_area.elaborate(hop.top, hop.parameters, hop.sources, hop.boxes),
        f"dfflegalize {kinds}",
        "opt",
        "rename -wire t:$_DFF* t:$_SDFF*",
        # `opt` has found enables and synchronous resets, which the chain would take for gates.
        f"dfflegalize {kinds}",
        "opt_clean",
        # A selection knows nets, not bits of them.
        "splitnets -ports -format _",
        *chain_commands(hop),
        f"dfflibmap -liberty {rtl_timing.LIBRARY}",
        "opt",
        f"{mapper} {recipes[0]} {hop.top}",
        f"{mapper} {recipes[1]} {CHAIN}*",
        *["opt_clean -purge", "setundef -zero", "splitnets -format _", "clean"],
        f"tee -q -o cells.json stat -top {hop.top} -json",
        "write_verilog -noattr -noexpr netlist.v",
    ]
    rtl_yosys.run(commands, directory)
