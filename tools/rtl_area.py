# SPDX-License-Identifier: Apache-2.0
"""Area of a module in gate equivalents: NAND2 gates, by one fixed cell set and table of weights.

The method is the one by which the published router was measured, so that the two can stand in one
table: Yosys with its slang front end, `synth -flatten -noabc`, ABC onto the gates below, enables of
flip-flops as clock gating (an enable costs nothing at the flip-flop). No wires, no clock tree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import rtl_sources
import rtl_yosys

GATES = "NAND,NOR,XOR,XNOR,MUX,AOI3,OAI3"
# NAND2 = 1. A name ends where the variants of clock edge and reset value begin.
WEIGHTS = {
    "$_NOT_": 0.67,
    "$_NAND_": 1.0,
    "$_NOR_": 1.0,
    "$_AOI3_": 1.33,
    "$_OAI3_": 1.33,
    "$_XOR_": 2.0,
    "$_XNOR_": 2.0,
    "$_MUX_": 2.33,
}
PLAIN_FLIP_FLOP = 5.67
RESET_FLIP_FLOP = 6.67
# With and without enable; with asynchronous reset or without. Others are built from these.
FLIP_FLOPS = ("$_DFF_P_", "$_DFFE_PP_", "$_DFF_PN?_", "$_DFFE_PN?P_")

_PLAIN = re.compile(r"\$_DFF_P_|\$_DFFE_PP_")
_RESET = re.compile(r"\$_DFF_PN[01]_|\$_DFFE_PN[01]P_")


class AreaError(Exception):
    """A cell without a weight is left: a latch, a memory, a black box."""


@dataclass(frozen=True)
class Area:
    """What a module is made of.

    Attributes:
        logic_ge: Gates, in NAND2.
        flip_flop_ge: Flip-flops, in NAND2.
        num_flip_flops: Flip-flops.
    """

    logic_ge: float
    flip_flop_ge: float
    num_flip_flops: int

    @property
    def total_ge(self) -> float:
        """Gates and flip-flops."""
        return self.logic_ge + self.flip_flop_ge


def weigh(cells: Mapping[str, int]) -> Area:
    """Sums the weights of cells by type.

    Raises:
        AreaError: A type has no weight.
    """
    logic = flip_flops = 0.0
    num_flip_flops = 0
    for kind, count in cells.items():
        if kind in WEIGHTS:
            logic += WEIGHTS[kind] * count
        elif _PLAIN.fullmatch(kind) or _RESET.fullmatch(kind):
            weight = PLAIN_FLIP_FLOP if _PLAIN.fullmatch(kind) else RESET_FLIP_FLOP
            flip_flops += weight * count
            num_flip_flops += count
        else:
            raise AreaError(f"{count} cells {kind}: no weight; accepted: {', '.join(WEIGHTS)}")
    return Area(logic, flip_flops, num_flip_flops)


def elaborate(
    top: str, parameters: Mapping[str, int], sources: Sequence[Path], boxes: Sequence[str] = ()
) -> list[str]:
    """Yosys commands that read a module with its parameters and map it onto generic cells.

    Of `boxes`, modules within it, nothing but the ports is read.
    """
    values = [f"-G {name}={value}" for name, value in parameters.items()]
    values += [f"--blackboxed-module {box}" for box in boxes]
    options = " ".join([f"-I {rtl_sources.INCLUDE}", *values])
    read = f"read_slang {options} --top {top} {' '.join(map(str, sources))}"
    return [read, f"synth -flatten -noabc -top {top}"]


def measure(
    top: str, parameters: Mapping[str, int], sources: Sequence[Path], directory: Path
) -> Area:
    """Synthesizes a module and weighs it.

    Raises:
        AreaError: Something has no weight.
        rtl_yosys.YosysError: Yosys refuses the sources.
    """
    directory.mkdir(parents=True, exist_ok=True)
    cells = " ".join(f"-cell {name} 01" for name in FLIP_FLOPS)
    commands = [
        *elaborate(top, parameters, sources),
        f"dfflegalize {cells}",
        "opt_clean",
        f"abc -g {GATES}",
        "opt_clean",
        "tee -q -o area.json stat -json",
    ]
    rtl_yosys.run(commands, directory)
    statistics = json.loads((directory / "area.json").read_text(encoding="utf-8"))
    return weigh(statistics["design"]["num_cells_by_type"])
