# SPDX-License-Identifier: Apache-2.0
"""When a neighbour holds still: endless sequences of decisions, one per cycle, true for a pause."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

# How the two sides of a channel behave in most tests.
KINDS = ("never", "often", "rarely", "bursts")


def pauses(kind: str, rng: random.Random) -> Iterator[bool]:
    """A sequence of a kind: `often` and `rarely` are coin tosses, `bursts` come in runs."""
    if kind == "never":
        return itertools.repeat(False)
    if kind == "bursts":
        return _bursts(rng)
    chance = {"often": 0.7, "rarely": 0.2}[kind]
    return (rng.random() < chance for _ in itertools.count())


def _bursts(rng: random.Random) -> Iterator[bool]:
    while True:
        yield from itertools.repeat(True, rng.randint(1, 12))
        yield from itertools.repeat(False, rng.randint(1, 12))
