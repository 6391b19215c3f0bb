# SPDX-License-Identifier: Apache-2.0
"""No fault of `tools/rtl_mutants.py` survives its test in the bench of the corners."""

from __future__ import annotations

import pytest

import rtl_mutants
from common import runner

BENCH = runner.TB / "noccl_ni_corners" / "test_noccl_ni_corners.py"
# Without assertions: the test has to notice.
BUILD = runner.Build("noccl_ni_corners_tb", assertions=False, faults=rtl_mutants.FAULTS)


def test_switches_by_themselves_break_nothing() -> None:
    runner.run(BUILD, BENCH)


@pytest.mark.parametrize("fault", rtl_mutants.FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_noticed(fault: rtl_mutants.Fault) -> None:
    # Of all tests only the one that is named: it must fail, and not for want of a test.
    with pytest.raises(RuntimeError, match="TESTS=1 PASS=0 FAIL=1"):
        runner.run(
            BUILD,
            BENCH,
            {"COCOTB_TEST_FILTER": rf"\.{fault.test}$"},
            plusargs=[f"+fault={fault.name}"],
        )
