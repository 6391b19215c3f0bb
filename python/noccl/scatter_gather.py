# SPDX-License-Identifier: Apache-2.0
"""Scatter, gather and scan on NumPy arrays: one row per rank, in rank order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noccl.arrays import element_of
from noccl.collective_results import CollectiveResult
from noccl.collectives import execute, ranks_of_rows
from noccl.networks import network_of
from noccl.runs import make_schedule

if TYPE_CHECKING:
    import numpy.typing as npt

    from noccl.networks import AnyNetwork
    from noccl.runs import OnProgress
    from noccl.tiles import AnyGroup, AnyTile


def scatter(
    network: AnyNetwork,
    blocks: npt.ArrayLike,
    *,
    group: AnyGroup = "all",
    root: AnyTile | None = None,
    algorithm: str = "auto",
    on_progress: OnProgress | None = None,
) -> CollectiveResult:
    """Scatters the root's blocks: every member gets that of its rank.

    >>> import numpy as np
    >>> from noccl import load
    >>> blocks = np.arange(4.0 * 16).reshape(4, 16)
    >>> result = scatter(load("collective_noc_4x4"), blocks, group="row")
    >>> bool((result.values == blocks).all())
    True

    Args:
        network: Network, or what `load` takes.
        blocks: Shape (num_members, num_elements), any type; row r is for rank r.
        group: Members.
        root: Owner of the blocks; None for the group's south-west cluster.
        algorithm: Name; `auto` for the one that the model expects to be fastest.
        on_progress: Called now and then; returning False ends the call.

    Returns:
        Values of shape (num_members, num_elements); row r is what rank r has.

    Raises:
        NocclError: As `reduce`.
    """
    network = network_of(network)
    ranks, blocks = ranks_of_rows(network, group, blocks)
    schedule = make_schedule(
        network,
        "scatter",
        num_bytes=blocks[0].nbytes,
        group=group,
        root=root,
        algorithm=algorithm,
        element="int8",  # The network moves bytes and does not look at them.
        on_progress=on_progress,
    )
    return execute(network, schedule, ranks, blocks.reshape(1, -1), on_progress)


def gather(
    network: AnyNetwork,
    inputs: npt.ArrayLike,
    *,
    group: AnyGroup = "all",
    root: AnyTile | None = None,
    algorithm: str = "auto",
    on_progress: OnProgress | None = None,
) -> CollectiveResult:
    """Brings the blocks of all members to the root, in rank order.

    >>> import numpy as np
    >>> from noccl import load
    >>> blocks = np.arange(4.0 * 16).reshape(4, 16)
    >>> result = gather(load("collective_noc_4x4"), blocks, group="row")
    >>> bool((result.values == blocks.ravel()).all())
    True

    Args:
        network: Network, or what `load` takes.
        inputs: Shape (num_members, num_elements), any type; row r is the block of rank r.
        group: Members.
        root: Where the blocks go; None for the group's south-west cluster.
        algorithm: Name; `auto` for the one that the model expects to be fastest.
        on_progress: Called now and then; returning False ends the call.

    Returns:
        Values of shape (num_members * num_elements,): what the root has.

    Raises:
        NocclError: As `reduce`.
    """
    network = network_of(network)
    ranks, inputs = ranks_of_rows(network, group, inputs)
    schedule = make_schedule(
        network,
        "gather",
        num_bytes=inputs[0].nbytes,
        group=group,
        root=root,
        algorithm=algorithm,
        element="int8",  # The network moves bytes and does not look at them.
        on_progress=on_progress,
    )
    return execute(network, schedule, ranks, inputs, on_progress)


def scan(
    network: AnyNetwork,
    inputs: npt.ArrayLike,
    *,
    group: AnyGroup = "all",
    algorithm: str = "auto",
    operator: str = "sum",
    element: str | None = None,
    on_progress: OnProgress | None = None,
) -> CollectiveResult:
    """Combines inputs up to each rank: rank r gets the reduction of the inputs of ranks 0 to r.

    >>> import numpy as np
    >>> from noccl import load
    >>> scan(load("collective_noc_4x4"), np.ones((4, 8)), group="row").values[:, 0].tolist()
    [1.0, 2.0, 3.0, 4.0]

    Args:
        network: Network, or what `load` takes.
        inputs: Shape (num_members, num_elements), rows in the order of `members`.
        group: Members.
        algorithm: Name; `auto` for the one that the model expects to be fastest.
        operator: `sum`, `min`, `max`, `and` or `or`.
        element: As in `reduce`.
        on_progress: Called now and then; returning False ends the call.

    Returns:
        Values of shape (num_members, num_elements); row r is what rank r has.

    Raises:
        NocclError: As `reduce`.
    """
    network = network_of(network)
    ranks, inputs = ranks_of_rows(network, group, inputs)
    schedule = make_schedule(
        network,
        "scan",
        num_bytes=inputs[0].nbytes,
        group=group,
        algorithm=algorithm,
        operator=operator,
        element=element_of(inputs.dtype, element),
        on_progress=on_progress,
    )
    return execute(network, schedule, ranks, inputs, on_progress)
