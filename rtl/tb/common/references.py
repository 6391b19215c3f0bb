# SPDX-License-Identifier: Apache-2.0
"""Hardware that nobody here wrote, to compare ours with: where it lies, and what of it is read.

It comes with the package `pythondata-cpu-cva6` under the Solderpad licence. Tests read it where the
package lies; nothing of it is part of this project or of what this project gives away.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import pythondata_cpu_cva6

ROOT = Path(pythondata_cpu_cva6.data_location)
_CELLS = Path("common/submodules/common_cells")
_AXI = Path("corev_apu/axi")
_FPU = Path("core/fpu/src")
_QUEUE = Path("corev_apu/tb/common_verification/src/rand_id_queue.sv")
INCLUDES = (ROOT / _CELLS / "include", ROOT / _AXI / "include")

_GROUPS = {
    "common_cells": [
        _CELLS / "src" / f"{name}.sv"
        for name in (
            "cf_math_pkg",
            "lzc",
            "fifo_v3",
            "rr_arb_tree",
            "stream_fork",
            "stream_fork_dynamic",
        )
    ],
    "cvfpu": [
        _FPU / f"{name}.sv"
        for name in (
            *("fpnew_pkg", "fpnew_classifier", "fpnew_rounding"),
            *("fpnew_fma", "fpnew_noncomp"),
        )
    ],
    "axi": [
        _QUEUE,
        *(
            _AXI / "src" / f"{name}.sv"
            for name in ("axi_pkg", "axi_intf", "axi_test", "axi_sim_mem")
        ),
    ],
}
# This cvfpu has no FP8 with four bits of exponent, later ones have: the sixth format of its list.
# Its adder shifts by up to 3 p + 4 places with p bits of precision; with p = 4, which it was not
# made for, its counter of places is a bit short.
_CHANGES = {
    "fpnew_pkg": (
        ("NUM_FP_FORMATS = 5;", "NUM_FP_FORMATS = 6;"),
        ("FP16ALT = 'd4\n", "FP16ALT = 'd4, FP8ALT = 'd5\n"),
        ("'{8,  7}   // custom binary16alt", "'{8, 7}, '{4, 3}"),
    ),
    "fpnew_fma": (("$clog2(3 * PRECISION_BITS + 3)", "$clog2(3 * PRECISION_BITS + 5)"),),
    # Bursts of whole lines, which is what our ports take; and Verilator calls a parameter of a
    # class no constant, so it may not give a static variable its value.
    "axi_test": (
        (
            "            2**size <= AXI_STRB_WIDTH;\n          }; assert(rand_success);\n"
            "          ax_beat.ax_size = size;\n          ax_beat.ax_len = len;",
            "            2**size == AXI_STRB_WIDTH;\n          }; assert(rand_success);\n"
            "          ax_beat.ax_size = size;\n          ax_beat.ax_len = len;",
        ),
        (
            "addr + ((len + 1) << size) <= mem_region.addr_end;",
            "addr + ((len + 1) << size) <= mem_region.addr_end;\n"
            "            (addr & (AXI_STRB_WIDTH - 1)) == 0;",
        ),
        ("static int unsigned ul", "automatic int unsigned ul"),
    ),
}


@functools.cache
def _changed(source: Path, out: Path) -> Path:
    """A copy with what has to differ."""
    text = source.read_text(encoding="utf-8")
    for before, after in _CHANGES[source.stem]:
        assert text.count(before) == 1, f"{source}: '{before}' must occur once"
        text = text.replace(before, after)
    copy = out / "references" / source.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text, encoding="utf-8")
    return copy


def sources(groups: Sequence[str], out: Path) -> list[Path]:
    """Files of the groups, in the order in which a tool reads them; changed ones lie in `out`."""
    found = [ROOT / path for group in groups for path in _GROUPS[group]]
    return [_changed(path, out) if path.stem in _CHANGES else path for path in found]
