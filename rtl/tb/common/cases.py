# SPDX-License-Identifier: Apache-2.0
"""How many random cases a bench runs, as `noccl_testkit::cases` says it for the crates.

Few by default, so that a run takes minutes; many with `NOCCL_CASES=long`.
"""

from __future__ import annotations

import os


def is_long() -> bool:
    """Is this a long run?

    Raises:
        ValueError: `NOCCL_CASES` has another value: a misspelt one would silently test little.
    """
    value = os.environ.get("NOCCL_CASES", "")
    if value not in {"", "long"}:
        raise ValueError(f"NOCCL_CASES is '{value}'; accepted: long, or nothing")
    return value == "long"


def cases(default: int, long: int) -> int:
    """Few cases by default, many in long runs.

    Raises:
        ValueError: As `is_long`.
    """
    return long if is_long() else default


def sample(text: str) -> str:
    """Every seventh line by default, all in long runs.

    Raises:
        ValueError: As `is_long`.
    """
    return "".join(text.splitlines(keepends=True)[:: cases(7, 1)])
