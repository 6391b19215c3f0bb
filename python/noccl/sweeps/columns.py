# SPDX-License-Identifier: Apache-2.0
"""Columns of the tables `sweep` and `sweep_points` of `noccl.tables.SCHEMAS`."""

from __future__ import annotations

import pyarrow as pa

POINT = {
    "key": pa.string(),
    "spec": pa.string(),
    "spec_digest": pa.string(),
    "backend": pa.string(),
    "collective": pa.string(),
    "algorithm": pa.string(),
    "bytes": pa.int64(),
    "group": pa.string(),
    "root": pa.string(),
    "seed": pa.int64(),
}
"""What every point has."""
REDUCED = {"operator": pa.string(), "element": pa.string()}
"""What points have that reduce."""
OUTCOME = {"outcome": pa.string()}
"""What every row has besides."""
MEASURED = {
    "reason": pa.string(),
    "network": pa.string(),
    "algorithm_run": pa.string(),
    "parameters": pa.string(),
    "num_participants": pa.int64(),
    "cycles": pa.int64(),
    "lower_bound_cycles": pa.int64(),
    "software_bound_cycles": pa.int64(),
    "payload_bound_cycles": pa.int64(),
    "cycles_over_lower_bound": pa.float64(),
    "energy_pj": pa.float64(),
    "verified": pa.string(),
    "is_in_network": pa.bool_(),
    "synchronisation": pa.string(),
    "busiest_link": pa.string(),
    "busiest_link_flits": pa.int64(),
    "sum_error_of_bound": pa.float64(),
    "link_bound_cycles": pa.int64(),
    "core_bound_cycles": pa.int64(),
    "blocked_link_cycles": pa.int64(),
}
"""What rows have that are done, and the reason of those that are not."""
