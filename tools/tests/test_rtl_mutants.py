# SPDX-License-Identifier: Apache-2.0
"""Every module of the hardware has a fault in a list, or nothing that could be wrong but wires."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

import rtl_guards
import rtl_mutants
from repository import ROOT

RTL = ROOT / "rtl"
LIBRARIES = ROOT / "crates" / "noccl-cosim" / "tests" / "libraries"
# Types, constants and address maps: who uses them is tested. `test_noccl_mesh.py` has wrong wires.
PACKAGES = ["axi", "collective", "dma", "endpoint", "flit", "number", "torrent"]
# Instances, and what chooses between them. Lock-step compares each of their ports.
WIRES = {f"noccl_{name}_pkg" for name in PACKAGES} | {
    *("noccl_junction", "noccl_mesh", "noccl_routers", "noccl_stages"),
    *("noccl_merging_router", "noccl_reducing_router"),
    *("noccl_ni", "noccl_ni_wide", "noccl_endpoint", "noccl_system", "noccl_tiles"),
    *("noccl_smart_link", "noccl_smart_mesh", "noccl_smart_router", "noccl_smart_tile"),
    "noccl_torrent",
}


def modules_with_faults() -> Iterator[str]:
    """Once per fault."""
    of_parts = [*rtl_mutants.FAULTS, *rtl_guards.FAULTS, *rtl_guards.BEAT_FAULTS]
    yield from (fault.module for fault in [*of_parts, *rtl_guards.ENGINE_FAULTS])
    for path in (RTL / "mutants").glob("*.toml"):
        faults = tomllib.loads(path.read_text(encoding="utf-8"))["fault"]
        yield from (fault["module"] for fault in faults)
    for path in (RTL / "formal").glob("*/formal.toml"):
        mutants = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
        yield from (mutant["file"] for mutant in mutants)
    for name in ("mutants", "smart_mutants"):
        text = (LIBRARIES / f"{name}.rs").read_text(encoding="utf-8")
        yield from re.findall(r'Mutant::new\([^;]*?"(noccl_\w+)"', text)


def test_every_module_has_a_fault_or_is_wires() -> None:
    found = set(modules_with_faults())
    modules = {path.stem for path in (RTL / "src").rglob("*.sv")}
    assert found <= modules
    assert modules - found == WIRES


def test_names_of_faults_are_their_own() -> None:
    for path in (RTL / "mutants").glob("*.toml"):
        faults = tomllib.loads(path.read_text(encoding="utf-8"))["fault"]
        names = [fault["name"] for fault in faults]
        assert len(set(names)) == len(names), path.name


def test_the_page_of_verification_counts_all_faults() -> None:
    page = (ROOT / "docs" / "developer" / "verification.md").read_text(encoding="utf-8")
    rows = page.split("## Faults by module")[1]
    counts = [int(number) for number in re.findall(r"^\| `.*?\| (\d+) \|", rows, re.MULTILINE)]
    assert sum(counts) == len(list(modules_with_faults()))
