# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os

import pytest
from hypothesis import settings

import noccl
from tests.case_numbers import cases

# Ranks of real MPI outnumber the processors: one that waits leaves its processor to the others,
# which takes a fifth of the time.
os.environ.setdefault("MPIR_CVAR_ENABLE_HEAVY_YIELD", "1")

# One translates hardware, the other needs Ray: `make cosim-run` and `make test-ray` name them.
collect_ignore = ["test_hardware.py", "real_ray"]

# Simulations have no fixed duration; failing examples replay from the printed blob.
settings.register_profile("noccl", deadline=None, max_examples=25, print_blob=True)
settings.register_profile("long", settings.get_profile("noccl"), max_examples=500)
settings.load_profile(cases("noccl", "long"))


@pytest.fixture(scope="session")
def mesh4x4_collective() -> noccl.Network:
    return noccl.load("collective_noc_4x4")


@pytest.fixture(scope="session")
def mesh4x4_published() -> noccl.Network:
    return noccl.load("collective_noc_4x4_published")
