# SPDX-License-Identifier: Apache-2.0
"""The network interface between an AXI manager and a memory that nobody here wrote."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import rtl_tools
from common import program, runner

NUM_TRANSFERS = 300
OVER = "over after"
WRONG = ("Unexpected", "not modeled", "Not supported", "Assertion failed")


@pytest.fixture(scope="module")
def bench() -> Path:
    options = ("--timescale", "1ns/1ps", "-Wno-lint", "-Wno-style")
    groups = ("common_cells", "axi")
    build = runner.Build("noccl_axi_reference_tb", options=options, references=groups)
    return program.compile_program(build, None)


def output(bench: Path, *plusargs: str) -> str:
    """What a run prints; the constraints are solved by a program of the tools."""
    command = [str(bench), f"+transfers={NUM_TRANSFERS}", "+verilator+seed+1", *plusargs]
    environment = rtl_tools.environment()
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def is_right(text: str) -> bool:
    """All transfers ended, and no scoreboard or assertion has said anything."""
    return OVER in text and not any(word in text for word in WRONG)


def test_a_random_manager_reads_what_it_wrote(bench: Path) -> None:
    text = output(bench)
    assert is_right(text), text[-3000:]


@pytest.mark.parametrize("fault", ["+flip=100", "+fault=1"], ids=["wrong_bit", "lost_flit"])
def test_a_fault_is_noticed(bench: Path, fault: str) -> None:
    assert not is_right(output(bench, fault))
