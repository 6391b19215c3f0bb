# SPDX-License-Identifier: Apache-2.0
"""What `noccl rtl` writes is complete: tools need its lists, constraints and registers alone."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from systemrdl import RDLCompiler
from systemrdl.node import RegNode

import repository
import rtl_timing
import rtl_tools
from common.cases import is_long

NOCCL = repository.ROOT / ".venv" / "bin" / "noccl"


def run(*command: str | Path, cwd: Path = repository.ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=rtl_tools.environment(),
        capture_output=True,
        text=True,
        check=False,
    )


SLANG = [sys.executable, str(rtl_tools.ROOT / "tools" / "rtl_slang.py")]
VERILATOR = ["verilator", "--lint-only", "-Wno-fatal"]
# Verilator takes a second per router, and twenty for a tile; `make lint-rtl` shows it the committed
# networks.
READERS = [
    ("collective_noc_2x2", "noccl_system" if is_long() else "noccl_router", VERILATOR),
    ("collective_noc_2x2", "noccl_system", SLANG),
    ("collective_noc_4x4", "noccl_system", SLANG),
    ("collective_noc_8x8", "noccl_system", SLANG),
    ("smart_2x2", "noccl_smart_mesh", SLANG),
    ("smart_4x4", "noccl_smart_mesh", SLANG),
    ("smart_8x8", "noccl_smart_mesh", SLANG),
]


@pytest.mark.parametrize(("preset", "top", "reader"), READERS)
def test_a_tool_reads_the_folder_by_its_file_list(
    preset: str, top: str, reader: list[str], tmp_path: Path
) -> None:
    written = run(NOCCL, "rtl", "--spec", preset, "-o", tmp_path / "hardware")
    assert written.returncode == 0, written.stderr
    option = "--top-module" if reader is VERILATOR else "--top"
    read = run(*reader, "-f", "noccl.f", option, top, cwd=tmp_path / "hardware")
    assert read.returncode == 0, read.stderr[-2000:]


def test_a_second_call_replaces_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "hardware"
    for preset in ("smart_8x8", "collective_noc_8x8", "collective_noc_4x4"):
        written = run(NOCCL, "rtl", "--spec", preset, "-o", folder)
        assert written.returncode == 0, written.stderr
    package = (folder / "noccl_cfg_pkg.sv").read_text(encoding="utf-8")
    committed = rtl_tools.ROOT / "rtl" / "gen" / "collective_noc_4x4" / "noccl_cfg_pkg.sv"
    assert package == committed.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["hardware"]


FUSESOC = [sys.executable, "-c", "from fusesoc.main import main; main()"]
NETWORKS = [("collective_noc_2x2", "noccl_system"), ("smart_4x4", "noccl_smart_mesh")]


@pytest.fixture(params=NETWORKS, ids=lambda network: network[0])
def exported(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """The folder of a network at 2 GHz, and its top."""
    preset, top = request.param
    folder = tmp_path / "hardware"
    written = run(NOCCL, "rtl", "--spec", preset, "-P", "clock_ghz=2", "-o", folder)
    assert written.returncode == 0, written.stderr
    return folder, top


def file_list(folder: Path) -> list[str]:
    lines = (folder / "noccl.f").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith(("//", "+"))]


def test_bender_lists_the_files_in_their_order(exported: tuple[Path, str]) -> None:
    folder, _ = exported
    manifest = yaml.safe_load((folder / "Bender.yml").read_text(encoding="utf-8"))
    assert re.fullmatch(r"[a-z0-9_]+", manifest["package"]["name"])
    assert manifest["export_include_dirs"] == ["include"]
    (group,) = manifest["sources"]
    assert group["include_dirs"] == ["include"]
    assert group["files"] == file_list(folder)


def test_fusesoc_sets_up_lint_and_synthesis(exported: tuple[Path, str], tmp_path: Path) -> None:
    folder, top = exported
    core = yaml.safe_load((folder / "noccl.core").read_text(encoding="utf-8"))
    for target in ("lint", "synth"):
        work = tmp_path / target
        command = [*FUSESOC, "--cores-root", folder, "run", "--setup", "--no-export"]
        command += ["--work-root", work, "--target", target, "--tool", "verilator", core["name"]]
        said = run(*command, cwd=tmp_path)
        assert said.returncode == 0, said.stderr
        (made,) = work.glob("*.eda.yml")
        description = yaml.safe_load(made.read_text(encoding="utf-8"))
        assert description["toplevel"] == top
        names = [file["name"] for file in description["files"] if not file.get("is_include_file")]
        sources = [Path(name).name for name in names if name.endswith(".sv")]
        assert sources == [Path(name).name for name in file_list(folder)]
        assert any(name.endswith(".sdc") for name in names) == (target == "synth")


def test_opensta_reads_the_constraints(exported: tuple[Path, str], tmp_path: Path) -> None:
    folder, top = exported
    source = next(path for path in folder.rglob(f"{top}.sv"))
    inputs = re.findall(r"^ *input\b.*?(\w+_n?i)\b(?=[,\[ ]|$)", source.read_text("utf-8"), re.M)
    assert {"clk_i", "rst_ni"} < set(inputs)
    ports = ", ".join([*(f"input {name}" for name in inputs), "output some_o"])
    # A netlist of nothing but the ports: OpenSTA wants objects for the names.
    netlist = tmp_path / "ports.v"
    netlist.write_text(f"module {top}({ports});\nendmodule\n", encoding="utf-8")
    script = tmp_path / "read.tcl"
    script.write_text(
        f"read_liberty {rtl_timing.LIBRARY}\nread_verilog {netlist}\nlink_design {top}\n"
        f"read_sdc {folder / 'noccl.sdc'}\nputs [get_property [get_clocks clk_i] period]\n"
        "puts done\n",
        encoding="utf-8",
    )
    said = subprocess.run(
        [rtl_timing.STA, "-no_splash", "-exit", script], capture_output=True, text=True, check=False
    )
    output = said.stdout + said.stderr
    assert "Error" not in output, output
    assert "Warning" not in output, output
    assert "0.5" in output.splitlines()[0], output
    assert output.rstrip().endswith("done"), output


def test_registers_are_those_of_the_engine(tmp_path: Path) -> None:
    folder = tmp_path / "hardware"
    run(NOCCL, "rtl", "--spec", "collective_noc_4x4", "-o", folder)
    compiler = RDLCompiler()
    compiler.compile_file(str(folder / "noccl_dma.rdl"))
    registers = {
        node.inst_name: node
        for node in compiler.elaborate().top.children()
        if isinstance(node, RegNode)
    }
    package = (folder / "src" / "dma" / "noccl_dma_pkg.sv").read_text(encoding="utf-8")
    numbers = {name: int(value) for name, value in re.findall(r"REG_(\w+) *= 4'd(\d+)", package)}
    assert {name: node.absolute_address // 8 for name, node in registers.items()} == numbers
    places = {name: int(bit) for name, bit in re.findall(r"KIND_(\w+)_BIT = (\d+)", package)}
    fields = {field.inst_name: field for field in registers["KIND"].fields()}
    assert {name.lower(): bit for name, bit in places.items()} == {
        {"op": "operator"}.get(name, name): field.low for name, field in fields.items()
    }
    codes = {
        "opcode": ("ni/noccl_axi_pkg.sv", "OPCODE_"),
        "element": ("common/noccl_number_pkg.sv", "ELEM_"),
        "op": ("common/noccl_number_pkg.sv", "OP_"),
    }
    for name, (path, prefix) in codes.items():
        text = (folder / "src" / path).read_text(encoding="utf-8")
        expected = re.findall(rf"\b{prefix}(\w+) *= \d'd(\d+)", text)
        encoding = fields[name].get_property("encode")
        assert [(member.name, str(member.value)) for member in encoding] == expected
