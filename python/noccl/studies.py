# SPDX-License-Identifier: Apache-2.0
"""Whole studies: barriers of all kinds, attention layers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from noccl import _native
from noccl.networks import override_pairs
from noccl.renamed import renamed_attribute
from noccl.results import Result
from noccl.run_reports import Counters
from noccl.runs import native_progress
from noccl.table_views import html_table
from noccl.tables import ResultTable
from noccl.values import request_text, several, whole
from noccl.verified import Verified

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from noccl.networks import Overrides
    from noccl.notebook_html import Fragment
    from noccl.runs import OnProgress

MOST_CLUSTERS = 2**16
"""Most clusters of a mesh of the barrier study."""
STUDIED_CLUSTERS = tuple(2**n for n in range(1, 13))
"""Numbers of clusters of the barrier study: 2 to 4096."""


@dataclass(frozen=True)
class BarrierSlope:
    """Cycles per cluster of one barrier algorithm over 2, 4, 8 and 16 clusters.

    Attributes:
        router: `default`, `bypass` or `published`.
        algorithm: As `compare` takes it: how members are told, structure, place of the counters.
        cycles_per_cluster: Slope of the least-squares line.
    """

    router: str
    algorithm: str
    cycles_per_cluster: float
    plan: ClassVar[property] = renamed_attribute("plan", "algorithm")


@dataclass(frozen=True, repr=False)
class BarrierStudy(Result):
    """Every barrier algorithm on meshes of all sizes.

    Attributes:
        table: One row per mesh, router and algorithm; kind `barriers`.
        slopes: One per router and algorithm, if 2, 4, 8 and 16 clusters were all asked for.
    """

    table: ResultTable
    slopes: tuple[BarrierSlope, ...]

    def _title(self) -> str:
        return f"{len(self.table)} barriers on {len(set(self.table['mesh']))} meshes"

    def _facts(self) -> dict[str, str]:
        slopes = sorted(self.slopes, key=lambda slope: slope.cycles_per_cluster)
        return {
            f"{slope.router} {slope.algorithm}": f"{slope.cycles_per_cluster:.2f} cycles/cluster"
            for slope in slopes
        }

    def _pictures(self) -> list[Fragment]:
        return [html_table(self.table)]

    def _arrow_table(self) -> pa.Table:
        return self.table.arrow


@dataclass(frozen=True)
class AttentionRow:
    """What an attention layer took.

    Attributes:
        network: The network, with what was set beside its preset.
        mesh: Clusters, `WxH`.
        tokens: Rows of Q, K and V.
        head_columns: Columns of Q, K and V of a head.
        heads: Heads.
        element: Element of Q, K, V and of the softmax.
        cycles: From the first load to the last head's reduced output.
        head_cycles: Cycles per head, without the first one's loads and the last one's reduction.
        compute_cycles: Cycles of a head's kernels, all of them.
        utilisation: Multiply-adds of both products by what the FPUs could do in all cycles.
        counters: Events of the run.
        energy_pj: Energy of these events; a softmax's operations cost nothing here.
        verified: Value mode: does the last head's output equal the reference's, bit by bit?
    """

    network: str
    mesh: str
    tokens: int
    head_columns: int
    heads: int
    element: str
    cycles: int
    head_cycles: float
    compute_cycles: int
    utilisation: float
    counters: Counters
    energy_pj: float
    verified: Verified


def barrier_study(
    *,
    clusters: int | Sequence[int] = STUDIED_CLUSTERS,
    on_progress: OnProgress | None = None,
) -> BarrierStudy:
    """Simulates every barrier algorithm; all members arrive at once.

    >>> study = barrier_study(clusters=[16])
    >>> best = min(study.table.rows(), key=lambda row: row["cycles"])
    >>> best["cycles"] <= 40
    True

    Args:
        clusters: Numbers of clusters, powers of two from 2 on; meshes as square as possible.
        on_progress: Called now and then; returning False ends the call.

    Raises:
        ArgumentError: A number is no power of two, or too large.

    Source:
        S1 section 4.2.1.
    """
    counts = [
        whole("clusters", count, most=MOST_CLUSTERS) for count in several("clusters", clusters)
    ]
    found = json.loads(_native.barrier_study(counts, native_progress(on_progress)))
    rows = [row | {"mesh": "x".join(map(str, row["mesh"]))} for row in found["rows"]]
    return BarrierStudy(
        table=ResultTable.from_rows("barriers", rows),
        slopes=tuple(BarrierSlope(**slope) for slope in found["slopes"]),
    )


def attention(
    *,
    mesh: str = "32x32",
    tokens: int = 4096,
    head_columns: int = 128,
    heads: int = 32,
    element: str = "fp16",
    utilisation: float | None = None,
    exponential_operations: int = 8,
    mode: str = "timing",
    seed: int = 1,
    threads: int = 1,
    overrides: Overrides = (),
    on_progress: OnProgress | None = None,
) -> AttentionRow:
    """Runs all heads of an attention layer over a whole mesh, cycle by cycle.

    >>> row = attention(mesh="4x4", tokens=32, head_columns=8, heads=2, mode="value")
    >>> row.verified
    <Verified.YES: 'yes'>

    Args:
        mesh: Clusters as `WxH`, powers of two; each has an L1 of 1 MiB.
        tokens: Rows of Q, K and V; a multiple of both sides of the mesh.
        head_columns: Columns of Q, K and V of a head.
        heads: Heads, each with its own keys and values.
        element: `fp64`, `fp32`, `fp16` or `bf16`.
        utilisation: Share of the FPUs' peak that products reach; None for the paper's.
        exponential_operations: FPU operations of one exponential.
        mode: `timing` or `value`, which also verifies.
        seed: Seed of the inputs in value mode.
        threads: Threads of the run, 1 to 256; the result does not depend on it.
        overrides: Fields of the spec that differ from the preset, as `load` takes them.
        on_progress: Called now and then; returning False ends the call.

    Raises:
        ArgumentError: An argument is outside what is accepted.
        AlgorithmError: The layer does not fit the mesh.
        DeadlockError: The run cannot finish.
    """
    request = request_text(locals(), overrides=override_pairs(overrides))
    row = json.loads(_native.attention(request, native_progress(on_progress)))
    counters, verified = Counters(**row["counters"]), Verified(row["verified"])
    return AttentionRow(**{**row, "counters": counters, "verified": verified})
