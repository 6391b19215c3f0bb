# SPDX-License-Identifier: Apache-2.0
"""Runs a module's cocotb tests in Icarus Verilog, where a register without a reset stays unknown.

Verilator knows two states: there `NOCCL_ASSERT_KNOWN` cannot fail. Icarus cannot read our
SystemVerilog, so Yosys elaborates the module (with `NOCCL_FOUR_STATE`, see `noccl_assert.svh`) and
writes plain Verilog, in which each `NOCCL_ASSERT_KNOWN` is a net; here a check is added for each.
Registers keep their resets, or the lack of one.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import repository
import rtl_sources
import rtl_yosys
from common import runner

ICARUS = repository.ROOT / ".tools" / "iverilog" / "usr"
LIBRARIES = ICARUS / "lib" / "x86_64-linux-gnu"
# What the simulator does not know is written with what it knows; the rest stays as it is.
_PASSES = ("proc", "opt_clean", "bwmuxmap")
_MODULE = re.compile(r"^module .*?^endmodule$", re.MULTILINE | re.DOTALL)
_KNOWN = re.compile(r"^  wire (?:\[\d+:0\] )?(\\?\S*\bknown_(\w+))\s*;", re.MULTILINE)
_PORT = re.compile(r"^  (input|output) (?:\[(\d+):0\] )?(\w+);", re.MULTILINE)
CHECK = """\
  always @(posedge clk_i)
    if (rst_ni === 1'b1 && ^{net} === 1'bx) begin
      $display("%m: unknown value: {name}");
      $finish_and_return(1);
    end
"""


class FourStateError(Exception):
    """A tool refuses the module, or there is nothing to check."""


class Mutant(NamedTuple):
    """A change of a module's source: text that stands there once, and what replaces it."""

    module: str
    before: str
    after: str


class _Icarus(runner.cocotb_runner.Icarus):
    """The programs of the unpacked package, which do not find their parts by themselves."""

    def _simulator_in_path(self) -> None:
        if not ICARUS.exists():
            raise SystemExit(f"{ICARUS} is missing: make setup-rtl")

    def _test_command(self) -> list[list[str]]:
        (command,) = super()._test_command()
        at = command.index("vvp")
        command[at : at + 1] = [str(ICARUS / "bin" / "vvp"), "-M", str(LIBRARIES / "ivl")]
        return [command]

    def _set_env_test(self) -> None:
        super()._set_env_test()
        self.env["PYTHONPATH"] = self.env.pop("NOCCL_TB_PATH")
        self.env["LD_LIBRARY_PATH"] = str(LIBRARIES)


def with_checks(text: str) -> tuple[str, int]:
    """Verilog with a check per net that must be known, and how many there are."""
    total = 0

    def checked(match: re.Match[str]) -> str:
        nonlocal total
        module = match.group()
        nets = _KNOWN.findall(module)
        total += len(nets)
        checks = "".join(CHECK.format(net=f"{net} ", name=name) for net, name in nets)
        return module.removesuffix("endmodule") + checks + "endmodule"

    return _MODULE.sub(checked, text), total


def with_arrays(text: str, top: str, arrays: Mapping[str, int]) -> str:
    """Verilog whose top has arrays where it has wide ports, whose first element stands highest.

    Raises:
        FourStateError: There is no such port, or its elements are not alike.
    """
    (module,) = (m for m in _MODULE.findall(text) if m.startswith(f"module {top}("))
    ports = {name: (side, int(high or 0) + 1) for side, high, name in _PORT.findall(module)}
    if any(name not in ports or ports[name][1] % count for name, count in arrays.items()):
        raise FourStateError(f"{top}: {dict(arrays)} do not fit its ports {', '.join(ports)}")
    outer, wires, inner = [], [], []
    for name, (side, width) in ports.items():
        if name not in arrays:
            outer.append(f"{side} [{width - 1}:0] {name}" if width > 1 else f"{side} {name}")
            inner.append(f".{name}({name})")
            continue
        last, count = width // arrays[name] - 1, arrays[name]
        wires.append(f"{'reg' if side == 'input' else 'wire'} [{last}:0] {name} [0:{count - 1}];")
        parts = ", ".join(f"{name}[{i}]" for i in range(count))
        if side == "input":
            inner.append(f".{name}({{{parts}}})")
        else:
            # A concatenation of array elements cannot be connected to an output in Icarus 11.
            wires.append(f"wire [{width - 1}:0] all_{name};")
            inner.append(f".{name}(all_{name})")
            for i in range(count):
                low = (count - 1 - i) * (last + 1)
                wires.append(f"assign {name}[{i}] = all_{name}[{low + last}:{low}];")
    flat = module.replace(f"module {top}(", f"module {top}_flat(", 1)
    lines = [
        f"module {top}({', '.join(outer)});",
        *wires,
        f"{top}_flat u_flat ({', '.join(inner)});",
    ]
    return text.replace(module, flat) + "\n".join([*lines, "endmodule", ""])


def sources_of(build: runner.Build, mutant: Mutant | None) -> list[Path]:
    """Sources of a build, one of them changed.

    Raises:
        FourStateError: The text does not stand there exactly once.
    """
    sources = build.sources()
    if mutant is None:
        return sources
    (source,) = [path for path in sources if path.stem == mutant.module]
    text = source.read_text(encoding="utf-8")
    if text.count(mutant.before) != 1:
        raise FourStateError(f"{source}: '{mutant.before}' must occur once")
    digest = hashlib.sha256(repr(mutant).encode()).hexdigest()[:16]
    copy = runner.OUT / f"mutant-{digest}" / source.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text.replace(mutant.before, mutant.after), encoding="utf-8")
    return [copy if path == source else path for path in sources]


def compile_bench(
    build: runner.Build, arrays: Mapping[str, int], mutant: Mutant | None = None
) -> Path:
    """Elaborates and compiles unless that was done before. Returns the directory with `sim.vvp`.

    Raises:
        FourStateError: A tool refuses the module, or nothing in it must be known.
    """
    sources = sources_of(build, mutant)
    name = f"{build.top}-four-state-{runner.key(build, [*sources, Path(__file__)])}"
    directory = runner.OUT / name
    if (directory / "sim.vvp").exists():
        return directory
    directory.mkdir(parents=True, exist_ok=True)
    options = ["-D NOCCL_FOUR_STATE", "--no-synthesis-define", "--keep-hierarchy"]
    options += [f"-I {rtl_sources.INCLUDE}", f"--top {build.top}"]
    options += [f"-G {name}={value}" for name, value in build.parameters.items()]
    read = f"read_slang {' '.join([*options, *map(str, sources)])}"
    try:
        rtl_yosys.run([read, *_PASSES, "write_verilog -noattr plain.v"], directory)
    except rtl_yosys.YosysError as error:
        raise FourStateError(f"{build.top}: {error}") from error
    text, num_checks = with_checks((directory / "plain.v").read_text(encoding="utf-8"))
    if not num_checks:
        raise FourStateError(f"{build.top}: no NOCCL_ASSERT_KNOWN inside")
    text = with_arrays(text, build.top, arrays)
    (directory / "checked.v").write_text(text, encoding="utf-8")
    (directory / "units.f").write_text("+timescale+1ns/1ps\n", encoding="utf-8")
    command = [ICARUS / "bin" / "iverilog", "-B", LIBRARIES / "ivl", "-g2012", "-f", "units.f"]
    command += ["-s", build.top, "-o", "new.vvp", "checked.v"]
    run = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise FourStateError(f"{build.top}: {run.stdout}{run.stderr}")
    (directory / "new.vvp").rename(directory / "sim.vvp")
    return directory


def run(
    build: runner.Build,
    tests: str | Path,
    environment: Mapping[str, str] | None = None,
    *,
    only: Sequence[str] = (),
    arrays: Mapping[str, int] | None = None,
    mutant: Mutant | None = None,
) -> Path:
    """Runs cocotb tests of a Python file on the module in four states.

    Args:
        build: What to elaborate.
        tests: The file.
        environment: Variables that the tests read.
        only: Beginnings of the names of the tests to run; none: all.
        arrays: Ports that are arrays, with their numbers of elements.
        mutant: A change of the sources.

    Returns:
        The directory with the run's log.

    Raises:
        FourStateError: A tool refuses the module.
        RuntimeError: A test failed, or a value was unknown; with the log's end.
    """
    program = compile_bench(build, arrays or {}, mutant)
    simulator = _Icarus()
    pattern = "|".join(rf"\.{re.escape(name)}" for name in only) or None
    return runner.execute(
        simulator, build, program, Path(tests), environment=environment or {}, test_filter=pattern
    )
