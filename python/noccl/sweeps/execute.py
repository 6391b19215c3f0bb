# SPDX-License-Identifier: Apache-2.0
"""Points to rows: what runs in the processes of a pool, on whatever machine.

A request and its response are JSON texts, so that every pool can carry them. A row depends on its
point alone: not on the machine, the order, or what ran before.
"""

from __future__ import annotations

import functools
import json
import os
import tempfile
import time
from typing import TYPE_CHECKING, Any

from noccl import _native
from noccl.errors import (
    AlgorithmError,
    ArgumentError,
    CapacityError,
    DeadlockError,
    NetworkError,
    NocclError,
    RefusedError,
    ScheduleError,
)
from noccl.experiments import compare_row
from noccl.sweeps.points import DEFAULT_ROOT, Point, engine_digest
from noccl.table_schemas import SCHEMAS
from noccl.values import request_text

if TYPE_CHECKING:
    from noccl._native import Network

DONE, REFUSED, FAILED = OUTCOMES = ("done", "refused", "failed")
"""What became of a point: measured; impossible, with the reason; wrong bytes or a deadlock."""
_REFUSALS = (
    AlgorithmError,
    ArgumentError,
    CapacityError,
    NetworkError,
    RefusedError,
    ScheduleError,
)
_MOST_NETWORKS = 8
"""Networks that a process keeps; points come ordered by their networks."""


def respond(request: str) -> str:
    """Computes the points of a request until its time is over; at least one.

    Args:
        request: `engine`: digest of the engine that is asked for; `seconds`: after that no other
            point begins; `specs`: digest to text; `points`: fields of the points.

    Returns:
        `rows`: one for each of the first points, in their order; or `error`: why there is none.
    """
    asked = json.loads(request)
    if asked["engine"] != engine_digest():
        version = _native.__version__
        error = f"another build of noccl (here: {version}, engine {engine_digest()})"
        return json.dumps({"error": f"{error}; accepted: that of the sweep, {asked['engine']}"})
    end = time.monotonic() + asked["seconds"]
    rows: list[dict[str, Any]] = []
    for fields in asked["points"]:
        point = Point(**fields)
        try:
            rows.append(row_of(point, asked["specs"][point.spec_digest]))
        except NocclError as error:
            return json.dumps({"error": f"{point}: {error}"})
        if time.monotonic() >= end:
            break
    return json.dumps({"rows": rows})


def row_of(point: Point, spec: str) -> dict[str, Any]:
    """The row of a point on the network of a spec's text.

    Raises:
        NocclError: What says nothing about the point: a file cannot be written, a call was ended.
    """
    row: dict[str, Any] = dict.fromkeys(SCHEMAS["sweep"].names)
    row |= point.columns() | {"overrides": point.overrides}
    try:
        measured = _measure(point, spec)
    except _REFUSALS as error:
        return row | {"outcome": REFUSED, "reason": _one_line(error)}
    except DeadlockError as error:
        return row | {"outcome": FAILED, "reason": _one_line(error)}
    is_wrong = measured["verified"] == "no"
    measured["algorithm_run"] = measured["algorithm"]
    measured["network"] = point.network(measured["network"])
    found = {name: measured[name] for name in row if row[name] is None and name in measured}
    row |= found | {"outcome": FAILED if is_wrong else DONE}
    if is_wrong:
        row["reason"] = "wrong bytes arrived"
    return row


def _measure(point: Point, spec: str) -> dict[str, Any]:
    """The fastest of the rows of an algorithm; more than one if parameters are searched."""
    network = _network(spec)
    request = request_text(
        collective=point.collective,
        bytes=[point.bytes],
        group=point.group,
        root=None if point.root == DEFAULT_ROOT else point.root,
        algorithms=[point.algorithm],
        operator=point.operator or "sum",
        element=point.element or "fp64",
        seed=point.seed,
    )
    if point.backend == "model":
        text = _native.compare_by_model(network, request)
    else:
        text = _native.compare(network, request, None)
    rows: list[dict[str, Any]] = json.loads(text)
    return compare_row(min(rows, key=lambda row: int(row["cycles"])))


@functools.lru_cache(maxsize=_MOST_NETWORKS)
def _network(spec: str) -> Network:
    """A network from its spec's text: no other machine has the caller's files."""
    with tempfile.TemporaryDirectory(prefix="noccl-") as folder:
        path = os.path.join(folder, "spec.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(spec)
        return _native.load(path, [])


def _one_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
