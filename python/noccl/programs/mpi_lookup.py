# SPDX-License-Identifier: Apache-2.0
"""The module that stands for `mpi4py.MPI`, for parts of this package that it is made from."""

from __future__ import annotations

import sys
from typing import Any


def mpi() -> Any:
    """The module; there is one while a program runs."""
    return sys.modules["mpi4py.MPI"]
