# SPDX-License-Identifier: Apache-2.0
"""Collectives of blocks on NumPy arrays: one block per rank, in rank order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noccl.arrays import element_of
from noccl.collective_results import CollectiveResult
from noccl.collectives import execute, ranks_of_rows
from noccl.errors import ArgumentError
from noccl.networks import network_of
from noccl.runs import make_schedule

if TYPE_CHECKING:
    import numpy.typing as npt

    from noccl.networks import AnyNetwork
    from noccl.runs import OnProgress
    from noccl.tiles import AnyGroup


def all_gather(
    network: AnyNetwork,
    inputs: npt.ArrayLike,
    *,
    group: AnyGroup = "all",
    algorithm: str = "auto",
    on_progress: OnProgress | None = None,
) -> CollectiveResult:
    """Brings the blocks of all members to every member, in rank order.

    >>> import numpy as np
    >>> from noccl import load
    >>> blocks = np.arange(4.0 * 16).reshape(4, 16)
    >>> result = all_gather(load("collective_noc_4x4"), blocks, group="row")
    >>> bool((result.values == blocks.ravel()).all())
    True

    Args:
        network: Network, or what `load` takes.
        inputs: Shape (num_members, num_elements), any type; row r is the block of rank r.
        group: Participants.
        algorithm: Name; `auto` for the one that the model expects to be fastest.
        on_progress: Called now and then; returning False ends the call.

    Returns:
        Values of shape (num_members, num_members * num_elements), the same in every row.

    Raises:
        NocclError: As `reduce`.
    """
    network = network_of(network)
    ranks, inputs = ranks_of_rows(network, group, inputs)
    schedule = make_schedule(
        network,
        "all_gather",
        num_bytes=inputs[0].nbytes,
        group=group,
        algorithm=algorithm,
        element="int8",  # The network moves bytes and does not look at them.
        on_progress=on_progress,
    )
    return execute(network, schedule, ranks, inputs, on_progress)


def reduce_scatter(
    network: AnyNetwork,
    inputs: npt.ArrayLike,
    *,
    group: AnyGroup = "all",
    algorithm: str = "auto",
    operator: str = "sum",
    element: str | None = None,
    on_progress: OnProgress | None = None,
) -> CollectiveResult:
    """Combines the inputs of a group; every member gets the block of its rank.

    >>> import numpy as np
    >>> from noccl import load
    >>> inputs = np.ones((4, 4 * 8))
    >>> reduce_scatter(load("collective_noc_4x4"), inputs, group="row").values.shape
    (4, 8)

    Args:
        network: Network, or what `load` takes.
        inputs: Shape (num_members, num_members * num_elements): blocks by rank.
        group: Participants.
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
        "reduce_scatter",
        num_bytes=_block_bytes(inputs),
        group=group,
        algorithm=algorithm,
        operator=operator,
        element=element_of(inputs.dtype, element),
        on_progress=on_progress,
    )
    return execute(network, schedule, ranks, inputs, on_progress)


def all_to_all(
    network: AnyNetwork,
    inputs: npt.ArrayLike,
    *,
    group: AnyGroup = "all",
    algorithm: str = "auto",
    on_progress: OnProgress | None = None,
) -> CollectiveResult:
    """Sends block d of rank s to rank d, for all pairs.

    >>> import numpy as np
    >>> from noccl import load
    >>> inputs = np.arange(4.0 * 4 * 8).reshape(4, 4 * 8)
    >>> result = all_to_all(load("collective_noc_4x4"), inputs, group="row")
    >>> exchanged = inputs.reshape(4, 4, 8).swapaxes(0, 1).reshape(4, 4 * 8)
    >>> bool((result.values == exchanged).all())
    True

    Args:
        network: Network, or what `load` takes.
        inputs: Shape (num_members, num_members * num_elements), any type: blocks by rank.
        group: Participants.
        algorithm: Name; `auto` for the one that the model expects to be fastest.
        on_progress: Called now and then; returning False ends the call.

    Returns:
        Values of shape (num_members, num_members * num_elements): block s of row d is from rank s.

    Raises:
        NocclError: As `reduce`.
    """
    network = network_of(network)
    ranks, inputs = ranks_of_rows(network, group, inputs)
    schedule = make_schedule(
        network,
        "all_to_all",
        num_bytes=_block_bytes(inputs),
        group=group,
        algorithm=algorithm,
        element="int8",  # The network moves bytes and does not look at them.
        on_progress=on_progress,
    )
    return execute(network, schedule, ranks, inputs, on_progress)


def _block_bytes(inputs: npt.NDArray[Any]) -> int:
    """Bytes of one of a row's blocks, one per rank."""
    num_members, num_elements = len(inputs), len(inputs[0])
    if num_elements % num_members:
        accepted = f"accepted: a multiple of {num_members}, one block per member"
        raise ArgumentError(f"inputs: rows of {num_elements} elements; {accepted}")
    return inputs.nbytes // num_members**2
