# SPDX-License-Identifier: Apache-2.0
"""Critical path through a row of equal modules, each wired to the next, by the number of hops.

A module is synthesized once (`rtl_hop`) and laid down as often as the row is long. Synthesized as a
whole, a row would be one function to the mapper, which makes a tree of a chain of multiplexers;
routers a millimetre apart cannot be a tree. A repeater stands in each link; what it takes when it
drives another one is left out, as the wire model has it. No wires, but their number is told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import rtl_timing
from rtl_hop import Hop

TOP = "row"
MARK = "row of modules"
# Stands in each link, so that a router sees no gate of the next one.
REPEATER = "BUFX4"

_REPEATER = re.compile(r" r_\w+/Y \(")
_HEADER = re.compile(r"^module (\w+)\s*\((.*?)\);", re.MULTILINE | re.DOTALL)


class RowError(Exception):
    """The module has no such ports, or no path goes through the row."""


@dataclass(frozen=True)
class RowPath:
    """The critical path through a row.

    Attributes:
        hops: Routers that it leaves by a link.
        wires: Links that it crosses: one more if it ends at a router before the last.
        fo4: Its time without repeaters, with the set-up time of its end.
        start: Register where it begins.
        end: Register where it ends.
    """

    hops: int
    wires: int
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
    """

    paths: list[RowPath]
    inside_fo4: float
    cells: int


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


def _through(names: Iterable[str]) -> str:
    pins = " ".join(names)
    return f"-through [get_pins {{{pins}}}]"


def repeater_fo4(directory: Path) -> float:
    """Delay of a repeater that drives another one: part of what a wire takes."""
    unit = rtl_timing.fo4_nanoseconds(directory)
    return rtl_timing.stage_nanoseconds(directory, REPEATER, 1) / unit


def _reports(hop: Hop, hops: Sequence[int], netlist: Path, directory: Path) -> list[str]:
    """What the analyser says of rows of each length, and of one module, in this order.

    One row is long enough for all: the first links are cut one after the other, which leaves rows
    that end with the last module.
    """
    known = ports((netlist / "netlist.v").read_text(encoding="utf-8"), hop.top)
    longest = max(hops)
    text = row_text(hop, known, longest + 1)
    (directory / "row.v").write_text(text, encoding="utf-8")
    outputs = [bit for port in hop.links.forward for bit in bits(known, port)]
    backward = [bit for port in hop.links.backward for bit in bits(known, port)]
    script = [f"read_verilog {netlist / 'netlist.v'}", "read_verilog row.v", f"link_design {TOP}"]
    script += [f"create_clock -name clk -period {rtl_timing.PERIOD_NS} [get_ports clk_i]"]
    num_cut = 0
    for number in [*sorted(hops, reverse=True), 0]:
        for at in range(num_cut, longest - number):
            cut = [f"at{at}/{bit}" for bit in outputs] + [f"at{at + 1}/{bit}" for bit in backward]
            script.append(f"set_false_path {_through(cut)}")
        num_cut = longest - number
        for name in hop.passed_only:
            first = longest - number
            script.append(f"set_false_path -from [get_cells {{at{first}/*{name}*}}]")
        ends = sorted({longest - number, longest - 1}) if number else []
        through = " ".join(_through(f"at{at}/{bit}" for bit in outputs) for at in ends)
        script += [f"puts {{{MARK}}}", f"report_checks -path_delay max -digits 4 {through}"]
    output = rtl_timing.analyse(script, directory)
    (directory / "row.rpt").write_text(output, encoding="utf-8")
    *longer, alone = output.split(MARK)[1:]
    return [*reversed(longer), alone]


def measure(hop: Hop, hops: Sequence[int], netlist: Path, directory: Path) -> Row:
    """Finds the critical paths of rows of a netlist, which lies in a directory of its own.

    Raises:
        RowError: The module has no such ports, or no path goes through a row.
        rtl_timing.TimingError: The analyser says nothing that can be read.
    """
    directory.mkdir(parents=True, exist_ok=True)
    unit = rtl_timing.fo4_nanoseconds(directory.parent / "fo4")
    repeater = repeater_fo4(directory.parent / "fo4")
    *reports, alone = _reports(hop, hops, netlist, directory)
    paths = []
    for number, report in zip(sorted(hops), reports, strict=True):
        path = rtl_timing.critical_path(report, unit)
        if path is None:
            raise RowError(f"{hop.top}: no path crosses {number} links")
        # Repeaters are in the wire's picoseconds.
        wires = len(_REPEATER.findall(report))
        paths.append(RowPath(number, wires, path.fo4 - wires * repeater, path.start, path.end))
    inside = rtl_timing.critical_path(alone, unit)
    statistics = json.loads((netlist / "cells.json").read_text(encoding="utf-8"))
    return Row(paths, inside.fo4 if inside else 0.0, statistics["design"]["num_cells"])
