# SPDX-License-Identifier: Apache-2.0
"""Faults for lock-step fit the hardware: a change of layout leaves one that cannot be built."""

from __future__ import annotations

import pytest

import rtl_sources
from rtl_cosim_mutants import MUTANTS

SOURCES = rtl_sources.index()


@pytest.mark.parametrize("name", MUTANTS)
def test_what_a_fault_replaces_stands_in_its_module_once(name: str) -> None:
    module, right, wrong = MUTANTS[name]
    assert SOURCES[module].read_text(encoding="utf-8").count(right) == 1
    assert right != wrong
