# SPDX-License-Identifier: Apache-2.0
"""Columns of each kind of result table, with the types of their values.

Plain data, so that tables need no package for them: `noccl.arrow_tables` makes Arrow's schemas from
these when a table is first wanted as Arrow data or as a Parquet file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noccl.sweeps import columns

if TYPE_CHECKING:
    from collections.abc import Mapping

LINKS = {
    "plane": "string",
    "from_tile": "string",
    "to_tile": "string",
    "from_x": "int32",
    "from_y": "int32",
    "to_x": "int32",
    "to_y": "int32",
    "flits": "int64",
}
"""Fields of the loads of the used links. Tiles are `X,Y` for clusters and `mem:N` for memory tiles;
x and y count clusters from the south-west one, so that memory tiles lie outside, West of it at
negative x."""


@dataclass(frozen=True)
class Schema:
    """Columns of one kind of table.

    Attributes:
        kind: What made the rows.
        required: Column to the type of its values: `string`, `int64`, `float64`, `bool` or `links`,
            a list of `LINKS`.
        optional: The same of columns that may lack a value; they stand behind the others.
    """

    kind: str
    required: Mapping[str, str]
    optional: Mapping[str, str]

    @property
    def types(self) -> dict[str, str]:
        """Types of all columns, in their order."""
        return {**self.required, **self.optional}

    @property
    def names(self) -> list[str]:
        """Names of all columns, in their order."""
        return list(self.types)


SCHEMAS: dict[str, Schema] = {
    "compare": Schema(
        "compare",
        {
            "network": "string",
            "backend": "string",
            "collective": "string",
            "algorithm": "string",
            "parameters": "string",
            "bytes": "int64",
            "group": "string",
            "num_participants": "int64",
            "root": "string",
            "cycles": "int64",
            "lower_bound_cycles": "int64",
            "payload_bound_cycles": "int64",
            "cycles_over_lower_bound": "float64",
            "verified": "string",
            "is_in_network": "bool",
            "links": "links",
        },
        {
            "energy_pj": "float64",
            "chunks": "int64",
            "speedup_over_best_software": "float64",
            "busiest_link": "string",
            "busiest_link_flits": "int64",
            "sum_error_of_bound": "float64",
            "software_bound_cycles": "int64",
            "synchronisation": "string",
            "link_bound_cycles": "int64",
            "core_bound_cycles": "int64",
            "blocked_link_cycles": "int64",
            "picked_by": "string",
            "noise_runs": "int64",
            "noise_mean_cycles": "float64",
            "noise_variance_us2": "float64",
        },
    ),
    "barriers": Schema(
        "barriers",
        {
            "clusters": "int64",
            "mesh": "string",
            "router": "string",
            "algorithm": "string",
            "cycles": "int64",
        },
        {"network_cycles": "int64", "formula_cycles": "int64"},
    ),
    "traffic": Schema(
        "traffic",
        {
            "network": "string",
            "pattern": "string",
            "beats": "int64",
            "zero_load_latency_cycles": "float64",
            "capacity_beats_per_cycle": "float64",
            "offered_beats_per_cycle": "float64",
            "accepted_beats_per_cycle": "float64",
            "packets": "int64",
            "flit_hops": "int64",
            "cycles": "int64",
            "saturated": "bool",
        },
        {
            "mean_latency_cycles": "float64",
            "p99_latency_cycles": "int64",
            "max_latency_cycles": "int64",
            "saturation_beats_per_cycle": "float64",
            "received_per_flow": "float64",
            "open_flows": "float64",
            "contribution_wait_cycles": "float64",
        },
    ),
    "program": Schema(
        "program",
        {
            "rank": "int64",
            "finish_cycle": "int64",
            "compute_cycles": "int64",
            "send_cycles": "int64",
            "receive_cycles": "int64",
            "wait_cycles": "int64",
            "messages": "int64",
            "bytes": "int64",
            "memory_bytes": "int64",
        },
        {},
    ),
    "collectives": Schema(
        "collectives",
        {
            "collective": "string",
            "ranks": "int64",
            "algorithm": "string",
            "calls": "int64",
        },
        {"bytes": "int64", "reason": "string"},
    ),
    "timeline": Schema(
        "timeline",
        {
            "rank": "int64",
            "start_cycle": "int64",
            "end_cycle": "int64",
            "what": "string",
            "place": "string",
        },
        {},
    ),
    "sweep_points": Schema("sweep_points", columns.POINT, columns.REDUCED),
    "sweep": Schema("sweep", columns.POINT | columns.OUTCOME, columns.REDUCED | columns.MEASURED),
}
"""Schema per kind of table."""
