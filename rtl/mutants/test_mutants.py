# SPDX-License-Identifier: Apache-2.0
"""No fault of `tools/rtl_mutants.py`, `tools/rtl_guards.py` and the lists here survives."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import rtl_guards
import rtl_mutants
from common import runner

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Bench:
    """Tests and the build that they run in.

    Attributes:
        build: With a switch for each fault, without assertions: the test has to notice.
        tests: The file.
        environment: Variables that the tests read.
    """

    build: runner.Build
    tests: Path
    environment: Mapping[str, str] = field(default_factory=dict)


def bench(top: str, tests: str, faults: Sequence[rtl_mutants.Fault], **more: Any) -> Bench:
    environment = more.pop("environment", {})
    build = runner.Build(top, assertions=False, faults=faults, **more)
    return Bench(build, runner.TB / tests, environment)


def listed(path: Path) -> Bench:
    """A list of faults: a bench, and what switches on."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    faults = [rtl_mutants.Fault(**fault) for fault in table.pop("fault")]
    return bench(faults=faults, **table)


BENCHES = (
    bench("noccl_ni_corners_tb", "noccl_ni_corners/test_noccl_ni_corners.py", rtl_mutants.FAULTS),
    bench(
        "noccl_ni_refusals_tb",
        "noccl_ni_corners/test_refusals.py",
        [*rtl_guards.FAULTS, *rtl_guards.BEAT_FAULTS],
        package=rtl_guards.PADDED,
    ),
    bench(
        "noccl_dma_registers",
        "noccl_dma_registers/test_noccl_dma_registers.py",
        rtl_guards.ENGINE_FAULTS,
    ),
    *(listed(path) for path in sorted(HERE.glob("*.toml"))),
)


@pytest.mark.parametrize("which", BENCHES, ids=lambda which: which.build.top)
def test_switches_by_themselves_break_nothing(which: Bench) -> None:
    runner.run(which.build, which.tests, which.environment)


@pytest.mark.parametrize(
    ("which", "fault"),
    [(which, fault) for which in BENCHES for fault in which.build.faults],
    ids=lambda value: value.name if isinstance(value, rtl_mutants.Fault) else value.build.top,
)
def test_a_fault_is_noticed(which: Bench, fault: rtl_mutants.Fault) -> None:
    # Only the test that is named, or its cases: one must fail, and not for want of a test.
    only = {**which.environment, "COCOTB_TEST_FILTER": rf"\.{fault.test}(/|$)"}
    with pytest.raises(RuntimeError, match=r"TESTS=\d+ PASS=\d+ FAIL=[1-9]"):
        runner.run(which.build, which.tests, only, plusargs=[f"+fault={fault.name}"])
