# SPDX-License-Identifier: Apache-2.0
"""Nothing that decides is unknown after reset: tests of other benches, in four states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from common import four_state, runner
from common.four_state import Mutant

TB = Path(__file__).parent.parent


@dataclass(frozen=True)
class Case:
    """A build, and tests that run on it.

    Attributes:
        tests: The file with them, below the benches.
        build: What is elaborated.
        environment: Variables that the tests read.
        only: Beginnings of the tests' names; none: all.
        arrays: Ports that are arrays, with their numbers of elements.
    """

    tests: str
    build: runner.Build
    environment: Mapping[str, str] = field(default_factory=dict)
    only: Sequence[str] = ()
    arrays: Mapping[str, int] = field(default_factory=dict)

    def run(self, mutant: Mutant | None = None) -> Path:
        """Runs the tests."""
        options = {"only": self.only, "arrays": self.arrays, "mutant": mutant}
        return four_state.run(self.build, TB / self.tests, self.environment, **options)


_MERGE = {"Entries": 2, "TimeoutCycles": 32, "MergeCycles": 3}
_ADDER = {"AddCycles": 1, "PipelineBeats": 2}
# Of the slower tests a few, in which everything waits now and then.
CASES = {
    "fifo": Case(
        "noccl_fifo/test_noccl_fifo.py",
        runner.Build("noccl_fifo_tb", {"Depth": 3}),
        {"DEPTH": "3"},
        ["items_leave_once_and_in_order/idle=rarely"],
    ),
    "fork": Case(
        "noccl_fork/test_noccl_fork.py",
        runner.Build("noccl_fork", {"NumOutputs": 3}),
        only=["every_selected_output_takes_each_item_once/idle=rarely"],
    ),
    "arbiter": Case(
        "noccl_rr_arbiter/test_noccl_rr_arbiter.py",
        runner.Build("noccl_rr_arbiter"),
        only=["the_choice_is_the_simulators/back_pressure=rarely"],
    ),
    "router": Case(
        "four_state/router_traffic.py",
        runner.Build("noccl_router"),
        arrays={"in_flit_i": 5, "out_flit_o": 5},
    ),
    "merge": Case(
        "noccl_merge/test_noccl_merge.py",
        runner.Build("noccl_merge_tb", _MERGE),
        {name.upper(): str(value) for name, value in _MERGE.items()},
        ["every_leaf_leaves_once/idle=rarely/back_pressure=rarely"],
        {"head_i": 5, "hdr_o": 5},
    ),
    "reduction": Case(
        "noccl_reduction/test_noccl_reduction.py",
        runner.Build("noccl_reduction_tb", _ADDER),
        {"ADDCYCLES": "1", "PIPELINEBEATS": "2", "REDUCTION_OPERANDS": "3"},
        ["every_sum_leaves_once_in_order_and_windows_hold/idle=never/back_pressure=rarely"],
        {"head_i": 5, "data_i": 5},
    ),
    "ni": Case(
        "noccl_ni/test_noccl_ni.py",
        runner.Build("noccl_ni_tb"),
        only=["what_no_tile_serves_gets_an_error_response_here"],
    ),
}
# A register that decides, without its reset, and the case that notices.
MUTANTS = {
    "fifo": (Mutant("noccl_fifo", "      any_q  <= 1'b0;\n", ""), "fifo"),
    "fifo_inside": (Mutant("noccl_fifo", "      full_q <= 1'b0;\n", ""), "router"),
    "fork": (Mutant("noccl_fork", "      taken_q <= '0;\n", ""), "router"),
    "arbiter": (Mutant("noccl_rr_arbiter", "      above_q <= '1;\n", ""), "router"),
}


@pytest.mark.parametrize("name", CASES)
def test_nothing_that_decides_is_unknown_after_reset(name: str) -> None:
    CASES[name].run()


@pytest.mark.parametrize("name", MUTANTS)
def test_a_register_without_its_reset_is_noticed(name: str) -> None:
    mutant, case = MUTANTS[name]
    with pytest.raises(RuntimeError, match="unknown value"):
        CASES[case].run(mutant)
