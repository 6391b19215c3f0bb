# SPDX-License-Identifier: Apache-2.0
"""Collectives on NumPy arrays: data in, what the network computed and how long it took out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.arrays import element_of, require_shape
from noccl.collective_results import CollectiveResult
from noccl.errors import ArgumentError
from noccl.mesh_drawing import WITH_ROOT, mesh_of
from noccl.networks import members, network_of
from noccl.own_data import run_values
from noccl.runs import make_schedule, run
from noccl.schedules import Place
from noccl.tiles import Cluster, Memory

if TYPE_CHECKING:
    import numpy.typing as npt

    from noccl._native import Network
    from noccl.networks import AnyNetwork
    from noccl.run_reports import RunReport
    from noccl.runs import OnProgress
    from noccl.schedules import Schedule
    from noccl.tiles import AnyGroup, AnyTile, Tile


def multicast(
    network: AnyNetwork,
    payload: npt.ArrayLike,
    *,
    group: AnyGroup = "all",
    root: AnyTile | None = None,
    algorithm: str = "in_network",
    on_progress: OnProgress | None = None,
) -> CollectiveResult:
    """Brings one payload from the root to every member of a group.

    >>> import numpy as np
    >>> from noccl import load
    >>> result = multicast(load("collective_noc_4x4"), np.arange(512.0), group="row")
    >>> result.values.shape
    (4, 512)

    Args:
        network: Network, or what `load` takes.
        payload: Shape (num_elements,), any type.
        group: Destinations.
        root: Owner of the data; None for the first memory tile.
        algorithm: Name, with `:N` for N chunks.
        on_progress: Called now and then; returning False ends the call.

    Raises:
        ArgumentError: The payload is not one-dimensional, or an argument is not accepted.
        CapacityError: The payload does not fit into a memory.
        DeadlockError: The run cannot finish.
    """
    network = network_of(network)
    payload = require_shape("payload", payload, "(num_elements,)", num_dimensions=1)
    schedule = make_schedule(
        network,
        "multicast",
        num_bytes=payload.nbytes,
        group=group,
        root=root,
        algorithm=algorithm,
        element="int8",  # The network moves bytes and does not look at them.
        on_progress=on_progress,
    )
    ranks = members(network, group)
    return execute(network, schedule, ranks, payload[np.newaxis], on_progress)


def reduce(
    network: AnyNetwork,
    inputs: npt.ArrayLike,
    *,
    group: AnyGroup = "all",
    root: AnyTile | None = None,
    algorithm: str = "in_network",
    operator: str = "sum",
    element: str | None = None,
    on_progress: OnProgress | None = None,
) -> CollectiveResult:
    """Reduces the inputs of a group to one result at the root.

    The order of floating-point additions is that of the schedule, never that of arrival.

    >>> import numpy as np
    >>> from noccl import load
    >>> inputs = np.ones((16, 128))
    >>> reduce(load("collective_noc_4x4"), inputs).values[:2].tolist()
    [16.0, 16.0]

    Args:
        network: Network, or what `load` takes.
        inputs: Shape (num_members, num_elements), rows in the order of `members`.
        group: Contributors.
        root: Where the result goes; None for the group's south-west cluster.
        algorithm: Name, with `:N` for N chunks.
        operator: `sum`, `min`, `max`, `and` or `or`.
        element: Element type; None for the one of the array. `bf16` is held as `uint16`, `fp8_e4m3`
            and `fp8_e5m2` as `uint8`.
        on_progress: Called now and then; returning False ends the call.

    Raises:
        ArgumentError: The array does not fit the group or the element type.
        CapacityError: The inputs do not fit into a memory.
        DeadlockError: The run cannot finish.
    """
    network = network_of(network)
    ranks, inputs = ranks_of_rows(network, group, inputs)
    schedule = make_schedule(
        network,
        "reduce",
        num_bytes=inputs[0].nbytes,
        group=group,
        root=root,
        algorithm=algorithm,
        operator=operator,
        element=element_of(inputs.dtype, element),
        on_progress=on_progress,
    )
    return execute(network, schedule, ranks, inputs, on_progress)


def all_reduce(
    network: AnyNetwork,
    inputs: npt.ArrayLike,
    *,
    group: AnyGroup = "all",
    root: AnyTile | None = None,
    algorithm: str = "in_network",
    operator: str = "sum",
    element: str | None = None,
    on_progress: OnProgress | None = None,
) -> CollectiveResult:
    """Reduces the inputs of a group and brings the result to every member.

    Args:
        network: Network, or what `load` takes.
        inputs: Shape (num_members, num_elements), rows in the order of `members`.
        group: Participants.
        root: Where the halves of the algorithm meet; None for the group's south-west cluster.
        algorithm: Name, with `:N` for N chunks.
        operator: `sum`, `min`, `max`, `and` or `or`.
        element: Element type; None for the one of the array.
        on_progress: Called now and then; returning False ends the call.

    Raises:
        NocclError: As `reduce`.
    """
    network = network_of(network)
    ranks, inputs = ranks_of_rows(network, group, inputs)
    schedule = make_schedule(
        network,
        "all_reduce",
        num_bytes=inputs[0].nbytes,
        group=group,
        root=root,
        algorithm=algorithm,
        operator=operator,
        element=element_of(inputs.dtype, element),
        on_progress=on_progress,
    )
    return execute(network, schedule, ranks, inputs, on_progress)


def barrier(
    network: AnyNetwork,
    *,
    group: AnyGroup = "all",
    root: AnyTile | None = None,
    algorithm: str = "in_network",
    on_progress: OnProgress | None = None,
) -> RunReport:
    """Makes a group wait for each other; returns how long that took.

    Args:
        network: Network, or what `load` takes.
        group: Participants.
        root: Cluster of the counter; None for the group's south-west cluster.
        algorithm: Name.
        on_progress: Called now and then; returning False ends the call.

    Raises:
        ArgumentError: An argument is not accepted.
        DeadlockError: The run cannot finish.
    """
    network = network_of(network)
    schedule = make_schedule(
        network, "barrier", group=group, root=root, algorithm=algorithm, on_progress=on_progress
    )
    return run(network, schedule, on_progress=on_progress)


def ranks_of_rows(
    network: Network, group: AnyGroup, inputs: npt.ArrayLike
) -> tuple[list[Cluster], npt.NDArray[Any]]:
    """Members in rank order, and `inputs` as an array, which must have a row for each."""
    inputs = require_shape("inputs", inputs, "(num_members, num_elements)", num_dimensions=2)
    ranks = members(network, group)
    if len(inputs) != len(ranks):
        raise ArgumentError(f"inputs: {len(inputs)} rows; accepted: {len(ranks)}, one per member")
    return ranks, inputs


def execute(
    network: Network,
    schedule: Schedule,
    ranks: list[Cluster],
    data: npt.NDArray[Any],
    on_progress: OnProgress | None,
) -> CollectiveResult:
    """Places the rows of `data` where the schedule reads them, and reads where it writes."""
    claim = json.loads(schedule.text)["collective"]
    root = _tile(claim["root"])
    is_from_root = claim["kind"] in {"multicast", "scatter"}
    is_to_root = claim["kind"] in {"reduce", "gather"}
    givers = [root] if is_from_root else ranks
    takers = [root] if is_to_root else ranks
    num_blocks = len(ranks) if claim["kind"] in {"all_gather", "all_to_all", "gather"} else 1
    output_bytes = num_blocks * claim["bytes"]
    report, memory = run_values(
        network,
        schedule,
        [
            (Place(giver, claim["input_offset"]), row)
            for giver, row in zip(givers, data, strict=True)
        ],
        [(Place(taker, claim["output_offset"]), output_bytes) for taker in takers],
        on_progress=on_progress,
    )
    values = np.stack([output.view(data.dtype) for output in memory])
    return CollectiveResult(
        values=values[0] if is_to_root else values,
        members=tuple(ranks),
        cycles=report.cycles,
        energy_pj=report.energy_pj,
        schedule=schedule,
        report=report,
        mesh=mesh_of(network, ranks, root.text if claim["kind"] in WITH_ROOT else None),
        spec=network.to_toml(),
    )


def _tile(fields: dict[str, Any]) -> Tile:
    if "memory" in fields:
        return Memory(fields["memory"])
    return Cluster(fields["cluster"]["x"], fields["cluster"]["y"])
