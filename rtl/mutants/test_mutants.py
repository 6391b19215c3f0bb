# SPDX-License-Identifier: Apache-2.0
"""No fault of `tools/rtl_mutants.py` and `tools/rtl_guards.py` survives its test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import rtl_guards
import rtl_mutants
from common import runner


@dataclass(frozen=True)
class Bench:
    """Tests and the build that they run in.

    Attributes:
        build: With a switch for each fault, without assertions: the test has to notice.
        tests: The file.
    """

    build: runner.Build
    tests: Path


def bench(top: str, tests: str, faults: Sequence[rtl_mutants.Fault], **more: Any) -> Bench:
    build = runner.Build(top, assertions=False, faults=faults, **more)
    return Bench(build, runner.TB / tests)


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
)


@pytest.mark.parametrize("which", BENCHES, ids=lambda which: which.build.top)
def test_switches_by_themselves_break_nothing(which: Bench) -> None:
    runner.run(which.build, which.tests)


@pytest.mark.parametrize(
    ("which", "fault"),
    [(which, fault) for which in BENCHES for fault in which.build.faults],
    ids=lambda value: value.name if isinstance(value, rtl_mutants.Fault) else "",
)
def test_a_fault_is_noticed(which: Bench, fault: rtl_mutants.Fault) -> None:
    # Of all tests only the one that is named: it must fail, and not for want of a test.
    with pytest.raises(RuntimeError, match="TESTS=1 PASS=0 FAIL=1"):
        runner.run(
            which.build,
            which.tests,
            {"COCOTB_TEST_FILTER": rf"\.{fault.test}$"},
            plusargs=[f"+fault={fault.name}"],
        )
