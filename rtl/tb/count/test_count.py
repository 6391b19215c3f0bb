# SPDX-License-Identifier: Apache-2.0
"""Properties of the count of transactions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from common import count
from common.cases import cases


@pytest.mark.parametrize(
    ("number", "is_too_few"), [(cases(5_999, 19_999), True), (cases(6_000, 20_000), False)]
)
def test_a_full_run_needs_enough(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, number: int, *, is_too_few: bool
) -> None:
    monkeypatch.setattr(count, "checked", Counter(dict.fromkeys(count.BENCHES, 0)))
    monkeypatch.setenv(count.VARIABLE, str(tmp_path / "told"))
    count.add(number - 1)
    count.add(1)
    count.collect("noccl_ni_tb", tmp_path / "told")
    assert count.summary().startswith(f"{number} random transactions")
    assert count.is_too_few() == is_too_few


def test_a_part_of_the_benches_may_check_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count, "checked", Counter({"noccl_ni_tb": 1}))
    assert not count.is_too_few()
