# SPDX-License-Identifier: Apache-2.0
"""Rows of `tools/times.py` from what the gate has printed."""

from __future__ import annotations

import pytest

from times import of_gate_output

PRINTED = """stage           seconds  processor  result
setup                33         31  ok
total              1210       2105
size               2.5G  on this disk, 60G free
"""


def test_the_rows_of_the_gate_are_its_totals() -> None:
    assert [row[:3] for row in of_gate_output(PRINTED)] == [
        ("`.ci/run`", "20 min 10 s", "35 min 05 s"),
        ("clone after `.ci/run`", "2560 MB", ""),
    ]


def test_a_gate_without_totals_is_refused() -> None:
    with pytest.raises(SystemExit, match="total"):
        of_gate_output("setup                33         31  ok\n")
