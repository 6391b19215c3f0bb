# SPDX-License-Identifier: Apache-2.0
"""In which order a chain visits its destinations."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from noccl import _native, cp_sat
from noccl.networks import members, network_of
from noccl.renamed import renamed_attribute
from noccl.runs import native_progress
from noccl.sizes import size
from noccl.tiles import Cluster, group_text, tile_text
from noccl.values import request_text, several, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from noccl._native import Network
    from noccl.networks import AnyNetwork
    from noccl.runs import OnProgress
    from noccl.tiles import Group, Tile

ORDERS = ("id", "greedy", "nearest", "fixed_start", "open_path", "latency")
"""Orders that the engine finds."""
CP_SAT = "cp_sat"
"""The order of fewest hops, proved by OR-Tools: the optional extra `noccl[cp-sat]`."""


@dataclass(frozen=True)
class ChainOrder:
    """What one order of a chain's destinations costs.

    Attributes:
        order: Its name.
        hops: Hops of all path segments.
        hops_per_destination: The same by the number of destinations.
        shared_links: Links that more than one path segment crosses, as `X,Y port`.
        cycles: Cycles of the chain by the closed form, all links free.
        destinations: The destinations in the order of their visits.
    """

    order: str
    hops: int
    hops_per_destination: float
    shared_links: tuple[str, ...]
    cycles: int
    destinations: tuple[Cluster, ...]
    stops: ClassVar[property] = renamed_attribute("stops", "destinations")


@dataclass(frozen=True)
class ChainOrders:
    """Orders of one set of destinations.

    Attributes:
        num_destinations: Destinations without the source.
        has_loopback: Is the source a destination, too?
        unicast_hops: Hops of a packet per destination.
        multicast_hops: Hops of a multicast tree.
        rows: One per order asked for.
    """

    num_destinations: int
    has_loopback: bool
    unicast_hops: int
    multicast_hops: int
    rows: tuple[ChainOrder, ...]


@dataclass(frozen=True)
class DestinationDraw:
    """A random set of destinations and the hops of its orders.

    Attributes:
        num_destinations: Number of destinations.
        draw: Which of the sets of this number.
        destinations: The set, ascending.
        unicast_hops: Hops of a packet per destination.
        multicast_hops: Hops of a multicast tree.
        hops: Hops of the chain by name of the order.
        shared_links: Links that more than one path segment crosses by name of the order.
    """

    num_destinations: int
    draw: int
    destinations: tuple[Cluster, ...]
    unicast_hops: int
    multicast_hops: int
    hops: Mapping[str, int]
    shared_links: Mapping[str, int]


def chain_orders(
    network: AnyNetwork,
    *,
    source: Tile | str,
    destinations: Group | str,
    by: str | Sequence[str] = ORDERS,
    payload_bytes: int | str = 65_536,
    time_limit_seconds: float = 30.0,
) -> ChainOrders:
    """Orders the destinations of a chain by several rules.

    >>> from noccl import load
    >>> network = load("torrent_4x5")
    >>> found = chain_orders(network, source="0,0", destinations="all", by=["id", "latency"])
    >>> [(row.order, row.hops) for row in found.rows]
    [('id', 31), ('latency', 19)]

    Args:
        network: Network, or what `load` takes.
        source: Where the data is read.
        destinations: Clusters; the source among them gets no path segment.
        by: Names of orders, of `ORDERS` or `CP_SAT`.
        payload_bytes: Payload, for the cycles.
        time_limit_seconds: When `CP_SAT` gives up.

    Raises:
        ArgumentError: A tile is not on the network.
        AlgorithmError: No such order; or `CP_SAT` without OR-Tools or out of time.

    Source:
        S3 section III-D.
    """
    network = network_of(network)
    names = [text("by", name) for name in several("by", by)]
    given = None
    if CP_SAT in names:
        given = _proved(network, source, destinations, time_limit_seconds)
    request = request_text(
        source=tile_text(source, "source"),
        destinations=group_text(destinations, "destinations"),
        orders=[name for name in names if name != CP_SAT],
        given=given,
        bytes=size("payload_bytes", payload_bytes),
    )
    report = json.loads(_native.order(network, request))
    rows = {row.order: row for row in map(_row, report["rows"])}
    return ChainOrders(
        rows=tuple(rows[name.strip()] for name in names),
        **{name: report[name] for name in ("num_destinations", "has_loopback")},
        **{name: report[name] for name in ("unicast_hops", "multicast_hops")},
    )


def destination_draws(
    network: AnyNetwork,
    *,
    source: Tile | str,
    counts: int | Sequence[int],
    draws: int = 128,
    seed: int = 1,
    by: str | Sequence[str] = ORDERS,
    on_progress: OnProgress | None = None,
) -> tuple[DestinationDraw, ...]:
    """Orders random sets of clusters, each by several rules.

    Args:
        network: Network, or what `load` takes.
        source: Where the data is read.
        counts: Numbers of destinations.
        draws: Sets of each number; all sets together have at most 4000000 destinations.
        seed: Seed of the sets.
        by: Names of orders, of `ORDERS`.
        on_progress: Called now and then; returning False ends the call.

    Raises:
        ArgumentError: A number of destinations that the network has not.
        AlgorithmError: No such order.
    """
    network = network_of(network)
    request = request_text(
        source=tile_text(source, "source"),
        counts=several("counts", counts),
        draws=draws,
        seed=seed,
        orders=several("by", by),
    )
    text = _native.order_draws(network, request, native_progress(on_progress))
    return tuple(
        DestinationDraw(**row | {"destinations": _clusters(row["destinations"])})
        for row in json.loads(text)
    )


def _proved(
    network: Network, source: Tile | str, destinations: Group | str, time_limit_seconds: float
) -> list[str]:
    start = tile_text(source)
    others = [at.text for at in members(network, destinations) if at.text != start]
    hops = json.loads(_native.path_hops(network, [start, *others]))
    path = cp_sat.shortest_path(hops, time_limit_seconds=time_limit_seconds)
    return [others[tile - 1] for tile in path.order]


def _row(fields: dict[str, Any]) -> ChainOrder:
    name = CP_SAT if fields["order"] == "given" else fields["order"]
    changed = {
        "order": name,
        "destinations": _clusters(fields["destinations"]),
        "shared_links": tuple(fields["shared_links"]),
    }
    return ChainOrder(**fields | changed)


def _clusters(names: Iterable[str]) -> tuple[Cluster, ...]:
    pairs = (name.split(",") for name in names)
    return tuple(Cluster(int(x), int(y)) for x, y in pairs)
