# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from long_summary import Outcome, Row, merged, read, text_of

OLD = Row(Outcome("values: sums", "5 cases", ()), 3, "`abc`, 2026-01-01")
STALLED = Row(Outcome("stress", "2 seeds", ("--seed 1", "--seed 2")), 7, "`abc`, 2026-01-01")


def test_a_summary_is_read_as_it_was_written() -> None:
    assert list(read(text_of([OLD, STALLED], 5)).values()) == [OLD, STALLED]


def test_a_run_of_some_suites_replaces_their_rows_only() -> None:
    again = Row(Outcome("stress", "2 seeds", ()), 6, "`def`, 2026-01-02")
    other = Row(Outcome("ports", "4 transactions", ()), 1, "`def`, 2026-01-02")
    text = text_of(merged(read(text_of([STALLED, OLD], 5)), [other, again]), 5)
    assert list(read(text).values()) == [again, OLD, other]
    assert "all passed" in text
    assert "1 failures" not in text
