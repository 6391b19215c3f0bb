# SPDX-License-Identifier: Apache-2.0
"""Critical path through a row of equal modules, each wired to the next, by the number of hops.

A module is synthesized once and laid down as often as the row is long. Synthesized as a whole, a
row would be one function to the mapper, which makes a tree of a chain of multiplexers; routers a
millimetre apart cannot be a tree. Within the module the gates between its two neighbours are mapped
by themselves, for speed alone: the mapper takes all inputs of a module to come at once, and would
trade the path that the whole row adds up for area. A repeater stands in each link; what it takes
when it drives another one is left out, as the wire model has it. Mapped by ABC's own recipe alone:
balanced as in `rtl_timing`, rows of routers were between 4 % faster and 5 % slower. No wires.
"""

from __future__ import annotations

import json
import re
import time
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
TOP = "row"
MARK = "row of modules"
# Stands in each link, so that a router sees no gate of the next one.
REPEATER = "BUFX4"

_HEADER = re.compile(r"^module (\w+)\s*\((.*?)\);", re.MULTILINE | re.DOTALL)


class RowError(Exception):
    """The module has no such ports, or no path goes through the row."""


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
    """

    top: str
    parameters: Mapping[str, int]
    sources: Sequence[Path]
    links: Links
    boxes: Sequence[str] = ()


@dataclass(frozen=True)
class RowPath:
    """The critical path through a row.

    Attributes:
        hops: Links that it crosses.
        fo4: Its time without repeaters, with the set-up time of its end.
        start: Register where it begins.
        end: Register where it ends.
    """

    hops: int
    fo4: float
    start: str
    end: str


@dataclass(frozen=True)
class Row:
    """A module's row.

    Attributes:
        paths: By number of hops, ascending.
        inside_fo4: The longest path that crosses no link; 0 without any.
        cells: Of one module.
        seconds: What synthesis and analysis took.
    """

    paths: list[RowPath]
    inside_fo4: float
    cells: int
    seconds: float


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


def ports(netlist: str, top: str) -> list[str]:
    """Ports of a module of a netlist, one a bit, as `name` or `name_3`."""
    for name, text in _HEADER.findall(netlist):
        if name == top:
            return [port.strip() for port in text.split(",")]
    raise RowError(f"{top}: no such module in the netlist")


def bits(known: Sequence[str], port: str) -> list[str]:
    """Bits of a port, by their order in the header.

    Raises:
        RowError: There is no such port.
    """
    found = [name for name in known if re.fullmatch(rf"{port}(_\d+)?", name)]
    if not found:
        raise RowError(f"no port {port}; accepted: {', '.join(known)}")
    return found


def row_text(hop: Hop, known: Sequence[str], modules: int) -> str:
    """Verilog of a row: links wired, clocks common, everything else free.

    Raises:
        RowError: A port is missing, or two that are wired differ in width.
    """
    wired: list[dict[str, str]] = [{"clk_i": "clk_i"} for _ in range(modules)]
    lines = []
    for step, pairs in ((1, hop.links.forward), (-1, hop.links.backward)):
        for output, source in pairs.items():
            outputs, inputs = bits(known, output), bits(known, source)
            if len(outputs) != len(inputs):
                raise RowError(f"{output} has {len(outputs)} bits, {source} {len(inputs)}")
            for at in range(modules):
                if not 0 <= at + step < modules:
                    continue
                for i, (from_bit, to_bit) in enumerate(zip(outputs, inputs, strict=True)):
                    wire = f"{output}_{at}_{i}"
                    lines.append(f"wire {wire}, {wire}_end;")
                    lines.append(f"{REPEATER} r_{wire} (.A({wire}), .Y({wire}_end));")
                    wired[at][from_bit] = wire
                    wired[at + step][to_bit] = f"{wire}_end"
    for at, pins in enumerate(wired):
        text = ", ".join(f".{pin}({wire})" for pin, wire in pins.items())
        lines.append(f"{hop.top} at{at} ({text});")
    return "\n".join([f"module {TOP}(input clk_i);", *lines, "endmodule", ""])


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
        f"{mapper} -D {rtl_timing.TARGET_PICOSECONDS} {hop.top}",
        f"{mapper} -D {FASTEST_PICOSECONDS} {CHAIN}*",
        *["opt_clean -purge", "setundef -zero", "splitnets -format _", "clean"],
        f"tee -q -o cells.json stat -top {hop.top} -json",
        "write_verilog -noattr -noexpr netlist.v",
    ]
    rtl_yosys.run(commands, directory)


def _through(names: Iterable[str]) -> str:
    pins = " ".join(names)
    return f"-through [get_pins {{{pins}}}]"


def repeater_fo4(directory: Path) -> float:
    """Delay of a repeater that drives another one: part of what a wire takes."""
    unit = rtl_timing.fo4_nanoseconds(directory)
    return rtl_timing.stage_nanoseconds(directory, REPEATER, 1) / unit


def _reports(hop: Hop, hops: Sequence[int], directory: Path) -> list[str]:
    """What the analyser says of rows of each length, and of one module, in this order.

    One row is long enough for all: the first links are cut one after the other, which leaves rows
    that end with the last module.
    """
    known = ports((directory / "netlist.v").read_text(encoding="utf-8"), hop.top)
    longest = max(hops)
    text = row_text(hop, known, longest + 1)
    (directory / "row.v").write_text(text, encoding="utf-8")
    outputs = [bit for port in hop.links.forward for bit in bits(known, port)]
    backward = [bit for port in hop.links.backward for bit in bits(known, port)]
    script = ["read_verilog netlist.v", "read_verilog row.v", f"link_design {TOP}"]
    script += [f"create_clock -name clk -period {rtl_timing.PERIOD_NS} [get_ports clk_i]"]
    num_cut = 0
    for number in [*sorted(hops, reverse=True), 0]:
        for at in range(num_cut, longest - number):
            cut = [f"at{at}/{bit}" for bit in outputs] + [f"at{at + 1}/{bit}" for bit in backward]
            script.append(f"set_false_path {_through(cut)}")
        num_cut = longest - number
        ends = sorted({longest - number, longest - 1}) if number else []
        through = " ".join(_through(f"at{at}/{bit}" for bit in outputs) for at in ends)
        script += [f"puts {{{MARK}}}", f"report_checks -path_delay max -digits 4 {through}"]
    output = rtl_timing.analyse(script, directory)
    (directory / "row.rpt").write_text(output, encoding="utf-8")
    *longer, alone = output.split(MARK)[1:]
    return [*reversed(longer), alone]


def measure(hop: Hop, hops: Sequence[int], directory: Path) -> Row:
    """Synthesizes a module and finds the critical paths of its rows.

    Raises:
        RowError: The module has no such ports, or no path goes through a row.
        rtl_timing.TimingError: The analyser says nothing that can be read.
        rtl_yosys.YosysError: Yosys refuses the sources.
    """
    begin = time.monotonic()
    synthesize(hop, directory)
    unit = rtl_timing.fo4_nanoseconds(directory.parent / "fo4")
    repeater = repeater_fo4(directory.parent / "fo4")
    *reports, alone = _reports(hop, hops, directory)
    paths = []
    for number, report in zip(sorted(hops), reports, strict=True):
        path = rtl_timing.critical_path(report, unit)
        if path is None:
            raise RowError(f"{hop.top}: no path crosses {number} links")
        # Repeaters are in the wire's picoseconds.
        paths.append(RowPath(number, path.fo4 - number * repeater, path.start, path.end))
    inside = rtl_timing.critical_path(alone, unit)
    statistics = json.loads((directory / "cells.json").read_text(encoding="utf-8"))
    cells = statistics["design"]["num_cells"]
    seconds = time.monotonic() - begin
    return Row(paths, inside.fo4 if inside else 0.0, cells, seconds)
