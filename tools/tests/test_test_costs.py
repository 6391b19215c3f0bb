# SPDX-License-Identifier: Apache-2.0
"""Rows of `tools/test_costs.py`: dearest first, sums over all."""

from __future__ import annotations

from test_costs import Cost, table


def test_a_table_has_the_dearest_rows_and_the_sum_of_all() -> None:
    rows = [
        Cost(0.5, "a it", "short", True),
        Cost(2.25, "b it", "broken", False),
        Cost(9.0, "c it", "long", True),
    ]
    assert table(rows, 2).splitlines()[1:] == [
        "    9.0  c it  long",
        "    2.2  b it  broken  FAILED",
        "   11.8  all 3 tests",
    ]
