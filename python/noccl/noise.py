# SPDX-License-Identifier: Apache-2.0
"""Runs under noise: what else a core does now and then, by the spec of core tiles."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Noise:
    """Runs of a schedule of core tiles under the noise of the spec (`core.noise_cycles`).

    Attributes:
        seed: Seed of the first run; the others have the next ones.
        runs: How many.
        start_skew_cycles: Each core begins up to so many cycles late.
    """

    seed: int = 1
    runs: int = 100
    start_skew_cycles: int = 0

    def to_json(self) -> object:
        """The form of requests."""
        return {
            "seed": self.seed,
            "runs": self.runs,
            "start_skew_cycles": self.start_skew_cycles,
        }


@dataclass(frozen=True)
class NoiseStatistics:
    """Runtimes under noise.

    Attributes:
        runs: Runs.
        mean_cycles: Mean.
        variance_cycles2: Variance of the runs as they are.
        variance_us2: The same at the network's clock, in microseconds squared.
        least_cycles: The shortest.
        most_cycles: The longest.
    """

    runs: int
    mean_cycles: float
    variance_cycles2: float
    variance_us2: float
    least_cycles: int
    most_cycles: int
