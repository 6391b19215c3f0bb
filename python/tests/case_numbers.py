# SPDX-License-Identifier: Apache-2.0
"""How many cases tests run: few at every push, all with `NOCCL_CASES=long`.

The few are the ones that found most; docs/developer/test_costs_python.md has what each costs.
"""

from __future__ import annotations

import os
from typing import TypeVar

_T = TypeVar("_T")

IS_LONG = os.environ.get("NOCCL_CASES") == "long"


def cases(few: _T, every: _T) -> _T:
    """The few cases of a push, or all of them."""
    return every if IS_LONG else few
