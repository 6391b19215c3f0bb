# SPDX-License-Identifier: Apache-2.0
"""Cover points: every one of the sources is asked for, and a missed one is named."""

from __future__ import annotations

from collections import Counter

import pytest

from common import cover
from common.cover import Point

FULL, EMPTY = Point("noccl_fifo", "Full"), Point("noccl_fifo", "PushAndPop")


def line(point: Point, instance: str, number: int) -> str:
    fields = {"f": f"/any/{point.module}.sv", "page": f"v_user/{point.module}__D2", "o": point.name}
    entry = "".join(f"\x01{key}\x02{value}" for key, value in (fields | {"h": instance}).items())
    return f"C '{entry}' {number}\n"


def test_instances_of_a_point_add_up() -> None:
    text = line(FULL, "a.b", 3) + line(FULL, "a.c", 4) + line(EMPTY, "a.b", 0)
    assert cover.counts(text) == {FULL: 7, EMPTY: 0}


def test_a_point_that_was_never_reached_is_missed_by_its_bench(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cover, "hits", Counter({FULL: 1, EMPTY: 0}))
    assert cover.missed({"noccl_fifo"}) == [EMPTY]
    assert cover.missed({"noccl_fork"}) == [Point("noccl_fork", "TakenOneByOne")]
    assert cover.missed(set()) == []


def test_a_full_run_has_to_reach_every_point_of_the_sources(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cover, "hits", Counter())
    assert set(cover.missed(cover.benches())) == cover.declared()
    monkeypatch.setattr(cover, "hits", Counter(dict.fromkeys(cover.declared(), 1)))
    assert cover.missed(cover.benches()) == []


def test_every_point_has_a_bench_of_its_own() -> None:
    assert all(cover.bench_of(point.module) in cover.benches() for point in cover.declared())
