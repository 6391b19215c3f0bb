# SPDX-License-Identifier: Apache-2.0
"""Properties of the number of cases."""

from __future__ import annotations

import pytest

from common.cases import cases, sample


@pytest.mark.parametrize(("value", "expected"), [(None, 3), ("", 3), ("long", 30)])
def test_a_long_run_has_many_cases(
    monkeypatch: pytest.MonkeyPatch, value: str | None, expected: int
) -> None:
    monkeypatch.delenv("NOCCL_CASES", raising=False)
    if value is not None:
        monkeypatch.setenv("NOCCL_CASES", value)
    assert cases(3, 30) == expected


def test_a_misspelt_value_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOCCL_CASES", "lang")
    with pytest.raises(ValueError, match="'lang'; accepted: long, or nothing"):
        cases(3, 30)


def test_a_sample_is_every_seventh_line(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"{number}\n" for number in range(15))
    monkeypatch.delenv("NOCCL_CASES", raising=False)
    assert sample(text) == "0\n7\n14\n"
    monkeypatch.setenv("NOCCL_CASES", "long")
    assert sample(text) == text
