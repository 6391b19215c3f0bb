# SPDX-License-Identifier: Apache-2.0
"""Columns of the tables `sweep` and `sweep_points` of `noccl.table_schemas.SCHEMAS`."""

from __future__ import annotations

POINT = {
    "key": "string",
    "spec": "string",
    "spec_digest": "string",
    "backend": "string",
    "collective": "string",
    "algorithm": "string",
    "bytes": "int64",
    "group": "string",
    "root": "string",
    "seed": "int64",
}
"""What every point has."""
REDUCED = {"operator": "string", "element": "string"}
"""What points have that reduce."""
OUTCOME = {"outcome": "string"}
"""What every row has besides."""
MEASURED = {
    "reason": "string",
    "network": "string",
    "overrides": "string",
    "algorithm_run": "string",
    "parameters": "string",
    "num_participants": "int64",
    "cycles": "int64",
    "lower_bound_cycles": "int64",
    "software_bound_cycles": "int64",
    "payload_bound_cycles": "int64",
    "cycles_over_lower_bound": "float64",
    "energy_pj": "float64",
    "verified": "string",
    "is_in_network": "bool",
    "synchronisation": "string",
    "busiest_link": "string",
    "busiest_link_flits": "int64",
    "sum_error_of_bound": "float64",
    "link_bound_cycles": "int64",
    "core_bound_cycles": "int64",
    "blocked_link_cycles": "int64",
}
"""What rows have that are done, and the reason of those that are not."""
