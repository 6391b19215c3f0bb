# SPDX-License-Identifier: Apache-2.0
"""The shortest open path through some tiles, by OR-Tools CP-SAT: an optional extra.

The engine has a solver of its own, which needs nothing. This one proves its results, at a price in
time, and is how the other one was measured (`experiments/torrent`). It knows distances only.
Source: S3 section III-D.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from noccl.errors import AlgorithmError
from noccl.renamed import renamed_attribute

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class ProvedPath:
    """A path and how good it is.

    Attributes:
        order: Indices into the rows of the distances, without the source's 0.
        length: Sum of the distances along the path.
        lower_bound: No path is shorter than this; the length itself if the path is proved best.
    """

    order: tuple[int, ...]
    length: int
    lower_bound: int
    stops: ClassVar[property] = renamed_attribute("stops", "order")


def shortest_path(
    distances: Sequence[Sequence[int]],
    *,
    time_limit_seconds: float = 30.0,
    workers: int = 1,
    seed: int = 1,
) -> ProvedPath:
    """Finds the shortest path from index 0 through all other indices.

    Args:
        distances: Square; `distances[a][b]` is the length of the path from a to b.
        time_limit_seconds: When to give up without a proof.
        workers: Threads. More than one make the path, not its length, differ from run to run.
        seed: Seed of the search.

    Raises:
        AlgorithmError: OR-Tools is not installed, or found no path in time.
    """
    try:
        from ortools.sat.python import cp_model  # noqa: PLC0415 - the extra is optional.
    except ImportError as missing:
        raise AlgorithmError(
            "cp_sat: OR-Tools is not installed; accepted: pip install 'noccl[cp-sat]', or the "
            "order open_path, which needs nothing"
        ) from missing
    num = len(distances)
    model = cp_model.CpModel()
    # A circuit: the edge back to the source is free, so that the path may end anywhere.
    arcs = {(a, b): model.new_bool_var("") for a in range(num) for b in range(num) if a != b}
    model.add_circuit([(a, b, used) for (a, b), used in arcs.items()])
    model.minimize(sum(distances[a][b] * used for (a, b), used in arcs.items() if b != 0))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = time_limit_seconds
    solver.parameters.num_workers = workers
    solver.parameters.random_seed = seed
    if solver.solve(model) not in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
        raise AlgorithmError(f"cp_sat: no path within {time_limit_seconds} seconds")
    after = {a: b for (a, b), used in arcs.items() if solver.boolean_value(used)}
    order: list[int] = []
    while (tile := after[order[-1] if order else 0]) != 0:
        order.append(tile)
    return ProvedPath(
        order=tuple(order),
        length=round(solver.objective_value),
        lower_bound=round(solver.best_objective_bound),
    )
