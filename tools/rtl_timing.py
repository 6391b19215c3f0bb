# SPDX-License-Identifier: Apache-2.0
"""Critical path between registers of a module, in an open cell library and in units of it.

Yosys and ABC map onto the 180 nm library of Oklahoma State University, OpenSTA walks the netlist;
inputs and outputs of the module are left free, so only paths from register to register count. ABC
maps twice: by its own recipe, which forgets what carries of an adder have in common and makes a
chain of them, and after balancing sums of products for delay, which lengthens paths that drive
many gates at once. What counts is the faster netlist, as a designer would take it. The
unit FO4 (an inverter that drives four of its kind) makes the result comparable with other
technologies within some 25 %. No wires; enables are multiplexers here.
"""

from __future__ import annotations

import functools
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import rtl_area
import rtl_yosys
from repository import ROOT

STA = ROOT / ".tools" / "bin" / "sta"
LIBRARY = ROOT / ".tools" / "osu018" / "usr/share/qflow/tech/osu018/osu018_stdcells.lib"
# Ambitious enough for the mapper to buy speed wherever the path is long.
TARGET_PICOSECONDS = 2000
# Any period will do, as the path takes the period less the slack.
PERIOD_NS = 10.0
CHAIN = 12

# After the clean-up of ABC's own recipe: restructured for delay twice, mapped, buffered, sized.
BALANCE = ["ifraig", "scorr", "dc2", "strash"]
BALANCE += 2 * ["if -g -K 6 -C 8", "strash"]
BALANCE += ["dch -f", f"map -D {TARGET_PICOSECONDS}", "topo"]
BALANCE += 2 * ["buffer -c", f"upsize -D {TARGET_PICOSECONDS}", f"dnsize -D {TARGET_PICOSECONDS}"]

_SLACK = re.compile(r"^\s*(-?[\d.]+)\s+slack", re.MULTILINE)
_ENDS = re.compile(r"^(?:Startpoint|Endpoint): (\S+)", re.MULTILINE)
_POINT = re.compile(r"(-?[\d.]+) [\^v] (u\d+)/Y")


class TimingError(Exception):
    """The analyser says nothing that can be read."""


@dataclass(frozen=True)
class CriticalPath:
    """The critical path between two registers.

    Attributes:
        nanoseconds: With the set-up time of its end.
        fo4: In inverters that drive four of their kind.
        start: Register where it begins.
        end: Register where it ends.
    """

    nanoseconds: float
    fo4: float
    start: str
    end: str


def analyse(script: Sequence[str], directory: Path) -> str:
    """What the analyser prints, with the library read before the script."""
    file = directory / "timing.tcl"
    file.write_text("\n".join([f"read_liberty {LIBRARY}", *script]) + "\n", encoding="utf-8")
    command = [str(STA), "-exit", str(file)]
    run = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def fo4_nanoseconds(directory: Path) -> float:
    """Delay of one inverter in the middle of a chain in which each drives four.

    Raises:
        TimingError: The analyser does not know the library.
    """
    return stage_nanoseconds(directory, "INVX1", 4)


@functools.cache
def stage_nanoseconds(directory: Path, cell: str, drives: int) -> float:
    """Delay of a cell in the middle of a chain in which each drives some of its kind.

    Raises:
        TimingError: The analyser does not know the library.
    """
    # Others may look for another cell at the same time.
    directory = directory / f"{cell}_{drives}"
    directory.mkdir(parents=True, exist_ok=True)
    lines = ["module chain(input a, output y);", f"wire [{CHAIN}:0] n;", "assign n[0] = a;"]
    for i in range(CHAIN):
        lines.append(f"{cell} u{i}(.A(n[{i}]), .Y(n[{i + 1}]));")
        lines += [f"{cell} l{i}_{j}(.A(n[{i + 1}]));" for j in range(drives - 1)]
    (directory / "chain.v").write_text(
        "\n".join([*lines, f"assign y = n[{CHAIN}];", "endmodule", ""]), encoding="utf-8"
    )
    script = ["read_verilog chain.v", "link_design chain", "create_clock -name c -period 10"]
    script += ["set_input_delay 0 -clock c [get_ports a]"]
    script += ["set_output_delay 0 -clock c [get_ports y]", "report_checks -digits 5"]
    output = analyse(script, directory)
    at = {name: float(time) for time, name in _POINT.findall(output)}
    # Four cells apart, of inverters two rising and two falling, far from both ends.
    if not {"u3", "u7"} <= at.keys():
        raise TimingError(f"{cell}: {output[-400:]}")
    return (at["u7"] - at["u3"]) / 4


def measure(
    top: str, parameters: Mapping[str, int], sources: Sequence[Path], directory: Path
) -> CriticalPath | None:
    """Maps a module onto the library and finds its critical path; none if no two registers meet.

    Raises:
        TimingError: The analyser says nothing that can be read.
        rtl_yosys.YosysError: Yosys refuses the sources.
    """
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "abc.constr").write_text(
        "set_driving_cell BUFX2\nset_load 20.0\n", encoding="utf-8"
    )
    balance = directory / "balance.abc"
    balance.write_text("\n".join(["strash", *BALANCE, ""]), encoding="utf-8")
    flip_flops = " ".join(f"-cell {name} x" for name in ("$_DFF_P_", "$_DFF_PN0_", "$_DFF_PN1_"))
    mapper = f"abc -liberty {LIBRARY} -constr abc.constr"
    commands = [
        *rtl_area.elaborate(top, parameters, sources),
        f"dfflegalize {flip_flops}",
        "opt",
        # Flip-flops bear the names of their registers.
        "rename -wire t:$_DFF*",
        f"dfflibmap -liberty {LIBRARY}",
        "opt",
        "design -save before",
        *_mapped(f"{mapper} -D {TARGET_PICOSECONDS}", "netlist.v"),
        "design -load before",
        *_mapped(f"{mapper} -script {balance}", "balanced.v"),
    ]
    rtl_yosys.run(commands, directory)
    unit = fo4_nanoseconds(directory.parent / "fo4")
    paths = [_longest(top, netlist, unit, directory) for netlist in ("netlist.v", "balanced.v")]
    found = [path for path in paths if path is not None]
    return min(found, key=lambda path: path.nanoseconds) if found else None


def _mapped(mapper: str, netlist: str) -> list[str]:
    """Yosys commands from flip-flops of the library to a netlist that the analyser reads."""
    # It reads no concatenation on the left of an assignment, in none of nets and ports.
    clean = ["opt_clean -purge", "setundef -zero", "splitnets -ports", "clean"]
    return [mapper, *clean, f"write_verilog -noattr -noexpr {netlist}"]


def _longest(top: str, netlist: str, unit: float, directory: Path) -> CriticalPath | None:
    """Critical path of a netlist; none if no two registers meet."""
    script = [f"read_verilog {netlist}", f"link_design {top}"]
    script += [f"create_clock -name clk -period {PERIOD_NS} [get_ports clk_i]"]
    script += ["report_checks -path_delay max -digits 4"]
    output = analyse(script, directory)
    (directory / netlist).with_suffix(".rpt").write_text(output, encoding="utf-8")
    return critical_path(output, unit)


def critical_path(output: str, unit: float) -> CriticalPath | None:
    """The path of a report of the analyser; none if it says that there is none.

    Raises:
        TimingError: The report is none.
    """
    if "No paths found." in output:
        return None
    slack, ends = _SLACK.search(output), _ENDS.findall(output)
    if slack is None or len(ends) != 2:  # noqa: PLR2004 - a path has two ends.
        raise TimingError(output[-400:])
    nanoseconds = PERIOD_NS - float(slack[1])
    return CriticalPath(nanoseconds, nanoseconds / unit, start=ends[0], end=ends[1])
