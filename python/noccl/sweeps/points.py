# SPDX-License-Identifier: Apache-2.0
"""One point of a study, and the key under which its row is stored."""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from noccl import _native

DEFAULT_ROOT = "default"
"""Root of points that name none: the paper's choice."""
OVERRIDE = " -P "
"""Stands before each override of a spec in names, as on the command line."""
FORMAT = 1
"""Number of the form of rows; part of every key."""
_KEY_DIGITS = 32


@dataclass(frozen=True)
class Point:
    """A collective at one size by one algorithm on one network, by one backend.

    Attributes:
        spec: As the study names it, with its overrides.
        spec_digest: Digest of the whole spec's text.
        backend: `sim` or `model`.
        collective: Which collective.
        algorithm: Algorithm as the study names it.
        bytes: Payload per participant; 0 for a barrier.
        group: Participants.
        root: Root, or `default`.
        operator: Operator; None where nothing is reduced.
        element: Element type; None where nothing is reduced.
        seed: Seed of the random inputs.
    """

    spec: str
    spec_digest: str
    backend: str
    collective: str
    algorithm: str
    bytes: int
    group: str
    root: str
    operator: str | None
    element: str | None
    seed: int

    @property
    def key(self) -> str:
        """Digest of everything that the row depends on, the build of the engine included."""
        # Two names of one spec are one point: what counts is its text.
        fields = asdict(self) | {"spec": "", "format": FORMAT}
        fields |= {"version": _native.__version__, "engine": engine_digest()}
        return digest(json.dumps(fields, sort_keys=True).encode())

    def __str__(self) -> str:
        size = f" {self.bytes} B" if self.bytes else ""
        place = f"group {self.group}, root {self.root}"
        return f"{self.spec}: {self.collective}{size} by {self.algorithm}, {place}, {self.backend}"

    def network(self, name: str) -> str:
        """The name of the spec's network with the overrides of the point."""
        return OVERRIDE.join([name, *self.spec.split(OVERRIDE)[1:]])

    @property
    def overrides(self) -> str | None:
        """Fields that the study sets beside the spec, with their values; None without any."""
        return ", ".join(self.spec.split(OVERRIDE)[1:]) or None

    def columns(self) -> dict[str, Any]:
        """The point as columns of its row."""
        return asdict(self) | {"key": self.key}


def digest(content: bytes) -> str:
    """A digest as keys and names hold it: 128 bits of SHA-256."""
    return hashlib.sha256(content).hexdigest()[:_KEY_DIGITS]


@functools.cache
def engine_digest() -> str:
    """Digest of the engine's code.

    Between two releases the version stays while the engine changes; rows of another build are
    computed anew rather than mixed with those of this one.
    """
    return digest(Path(_native.__file__).read_bytes())
