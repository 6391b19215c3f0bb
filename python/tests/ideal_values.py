# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: PLR0911 - a return per kind of collective
"""What the ranks of a collective get, computed in one place: for the session without a network."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

ELEMENTS = {
    **{f"int{8 * size}": f"i{size}" for size in (1, 2, 4, 8)},
    "fp16": "f2",
    "fp32": "f4",
    "fp64": "f8",
}
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
}  # fmt: skip


def combined(call: tuple[Any, ...], payloads: list[bytes]) -> list[bytes]:
    """What each rank gets."""
    kind, root, operator, element, length = call
    ranks, joined = len(payloads), b"".join(payloads)
    if kind == "barrier":
        return [b""] * ranks
    if kind == "multicast":
        return [payloads[root]] * ranks
    if kind == "all_gather":
        return [joined] * ranks
    if kind == "all_to_all":
        size = length // ranks
        return [
            b"".join(block[size * index : size * (index + 1)] for block in payloads)
            for index in range(ranks)
        ]
    values = [np.frombuffer(block, ELEMENTS[element]) for block in payloads]
    with np.errstate(all="ignore"):
        result = functools.reduce(OPERATORS[operator], values).tobytes()
    if kind == "reduce":
        return [result if rank == root else b"" for rank in range(ranks)]
    if kind == "all_reduce":
        return [result] * ranks
    assert kind == "reduce_scatter"
    size = length // ranks
    return [result[size * index : size * (index + 1)] for index in range(ranks)]
