# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import settings

import noccl

# Translates hardware: `make cosim-run` names it.
collect_ignore = ["test_hardware.py"]

# Simulations have no fixed duration; failing examples replay from the printed blob.
settings.register_profile("noccl", deadline=None, max_examples=25, print_blob=True)
settings.register_profile("long", settings.get_profile("noccl"), max_examples=500)
settings.load_profile("noccl")


@pytest.fixture(scope="session")
def mesh4x4_collective() -> noccl.Network:
    return noccl.load("collective_noc_4x4")


@pytest.fixture(scope="session")
def mesh4x4_published() -> noccl.Network:
    return noccl.load("collective_noc_4x4_published")
