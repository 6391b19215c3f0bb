# SPDX-License-Identifier: Apache-2.0
"""Schedules written from Python, action by action.

A schedule names actions and dependencies, never cycles. Anybody may write one, because the checker
and not the author is trusted: `check` proves the postcondition, legality and the absence of cycles
of waits before anything runs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from noccl.core_actions import CoreActions
from noccl.schedules import FORMAT, Schedule
from noccl.values import form, items, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from noccl.schedules import Collective, Place
    from noccl.tiles import Cluster, Group, MultiAddress, Tile


@dataclass
class ScheduleBuilder(CoreActions):
    """Collects actions; each method returns the id of its action, to be named in `after`.

    A participant starts an action when it has itself finished every action of `after` in which it
    takes part. Only a barrier or a reduction carries an order between tiles.

    >>> from noccl import Cluster, Memory, Place
    >>> builder = ScheduleBuilder("two_steps")
    >>> load = builder.transfer(Cluster(0, 0), Place(Memory(0), 0), Place(Cluster(0, 0), 0), 4096)
    >>> builder.compute(Cluster(0, 0), cycles=500, after=[load])
    1
    >>> builder.build().num_actions
    2

    Attributes:
        algorithm: Name of the algorithm: its structure.
        parameters: Parameters of the algorithm.
        first: What a core of core tiles does that could do either: `receive` or `send`; None:
            it receives.
        claims_rounds: Do all messages have a round, and share those of a round no link? The checker
            proves it.
    """

    algorithm: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    first: str | None = None
    claims_rounds: bool = False
    _actions: list[object] = field(default_factory=list, repr=False)

    def _add(self, kind: str, content: object, after: Sequence[int]) -> int:
        self._actions.append({"kind": {kind: content}, "after": items("after", after)})
        return len(self._actions) - 1

    def transfer(
        self,
        initiator: Tile,
        source: Place,
        destination: Place,
        num_bytes: int,
        *,
        rows: int = 1,
        source_stride: int = 0,
        destination_stride: int = 0,
        after: Sequence[int] = (),
    ) -> int:
        """Moves bytes to one tile by the initiator's DMA.

        Args:
            initiator: The source's cluster for a push, the destination's for a pull.
            source: First byte read.
            destination: First byte written.
            num_bytes: Bytes per line.
            rows: Lines of a 2D transfer.
            source_stride: Bytes between the starts of lines at the source.
            destination_stride: Bytes between the starts of lines at the destination.
            after: Actions that must be over before this one starts.
        """
        content = {
            "initiator": form("initiator", initiator),
            "source": form("source", source),
            "destination": {"one": form("destination", destination)},
            "bytes": num_bytes,
            "rows": rows,
            "source_stride": source_stride,
            "destination_stride": destination_stride,
        }
        return self._add("transfer", content, after)

    def delivery(
        self,
        source: Place,
        destination: Place,
        num_bytes: int,
        *,
        after: Sequence[int] = (),
    ) -> int:
        """Moves bytes from one cluster to another one, which notices when they have come.

        So actions of the destination may name it in `after`: it is an order between both.

        >>> from noccl import Cluster, Place
        >>> builder = ScheduleBuilder("hand_over")
        >>> sent = builder.delivery(Place(Cluster(0, 0), 0), Place(Cluster(1, 0), 64), 8)
        >>> builder.compute(Cluster(1, 0), cycles=10, after=[sent])
        1

        Args:
            source: First byte read; its cluster sends.
            destination: First byte written, in another cluster.
            num_bytes: Bytes.
            after: Actions that must be over before this one starts.
        """
        content = {
            "initiator": form("source", getattr(source, "tile", source)),
            "source": form("source", source),
            "destination": {"one": form("destination", destination)},
            "bytes": num_bytes,
            "rows": 1,
            "source_stride": 0,
            "destination_stride": 0,
        }
        return self._add("delivery", content, after)

    def multicast(
        self,
        initiator: Tile,
        source: Place,
        destinations: MultiAddress,
        offset: int,
        num_bytes: int,
        *,
        after: Sequence[int] = (),
    ) -> int:
        """Moves bytes to all clusters of a multi-address, one transaction of the network.

        Args:
            initiator: Tile whose DMA does it.
            source: First byte read.
            destinations: Members.
            offset: Offset of the first byte in every member's memory.
            num_bytes: Bytes.
            after: Actions that must be over before this one starts.
        """
        content = {
            "initiator": form("initiator", initiator),
            "source": form("source", source),
            "destination": {
                "multicast": {"set": form("destinations", destinations), "offset": offset}
            },
            "bytes": num_bytes,
            "rows": 1,
            "source_stride": 0,
            "destination_stride": 0,
        }
        return self._add("transfer", content, after)

    def in_network_reduction(
        self,
        group: MultiAddress,
        source_offset: int,
        root: Place,
        num_bytes: int,
        *,
        operator: str = "sum",
        element: str = "fp64",
        after: Sequence[int] = (),
    ) -> int:
        """Reduces a buffer of every member on the path to the root.

        Args:
            group: Contributors.
            source_offset: Offset of every contribution.
            root: Where the result is written; a cluster.
            num_bytes: Bytes per contribution.
            operator: `sum`, `min`, `max`, `and` or `or`.
            element: Element type.
            after: Actions that must be over before this one starts.
        """
        content = {
            "group": form("group", group),
            "source_offset": source_offset,
            "root": form("root", root),
            "bytes": num_bytes,
            "operator": operator,
            "element": element,
        }
        return self._add("in_network_reduction", content, after)

    def in_network_all_reduce(
        self,
        group: MultiAddress,
        source_offset: int,
        root: Place,
        num_bytes: int,
        *,
        operator: str = "sum",
        element: str = "fp64",
        after: Sequence[int] = (),
    ) -> int:
        """Reduces a buffer of every member on the path to the root, which multicasts the result.

        Args:
            group: Contributors, at least two.
            source_offset: Offset of every contribution.
            root: A member, and where in every member's memory the result is written.
            num_bytes: Bytes per contribution.
            operator: `sum`, `min`, `max`, `and` or `or`.
            element: Element type.
            after: Actions that must be over before this one starts.
        """
        content = {
            "group": form("group", group),
            "source_offset": source_offset,
            "root": form("root", root),
            "bytes": num_bytes,
            "operator": operator,
            "element": element,
        }
        return self._add("in_network_all_reduce", content, after)

    def local_reduce(
        self,
        tile: Cluster,
        inputs: Sequence[int],
        output: int,
        num_bytes: int,
        *,
        operator: str = "sum",
        element: str = "fp64",
        after: Sequence[int] = (),
    ) -> int:
        """Reduces buffers of one cluster's memory by its cores, from the left.

        Args:
            tile: Cluster.
            inputs: Offsets of the operands.
            output: Offset of the result.
            num_bytes: Bytes per operand.
            operator: `sum`, `min`, `max`, `and` or `or`.
            element: Element type.
            after: Actions that must be over before this one starts.
        """
        content = {
            "tile": form("tile", tile),
            "inputs": items("inputs", inputs),
            "output": output,
            "bytes": num_bytes,
            "operator": operator,
            "element": element,
        }
        return self._add("local_reduce", content, after)

    def compute(self, tile: Cluster, *, cycles: int, after: Sequence[int] = ()) -> int:
        """Keeps the cores and FPUs of one cluster busy for `cycles` cycles."""
        return self._add("compute", {"tile": form("tile", tile), "cycles": cycles}, after)

    def barrier(
        self,
        group: Group,
        counter: Cluster,
        *,
        mechanism: str = "in_network",
        after: Sequence[int] = (),
    ) -> int:
        """Makes the group wait for each other.

        Args:
            group: Participants.
            counter: Cluster that holds the counter.
            mechanism: `software` or `in_network`.
            after: Actions that must be over before this one starts.
        """
        content = {
            "group": form("group", group),
            "counter": form("counter", counter),
            "mechanism": mechanism,
        }
        return self._add("barrier", content, after)

    def build(self, collective: Collective | None = None) -> Schedule:
        """Finishes the schedule; `collective` is what it claims to achieve."""
        document = {
            "format": FORMAT,
            "algorithm": self.algorithm,
            "parameters": self.parameters,
            "collective": None if collective is None else form("collective", collective),
            "actions": self._actions,
        }
        if self.first is not None:
            document["first"] = self.first
        if self.claims_rounds:
            document["claims_rounds"] = True
        return Schedule(json.dumps(plain("schedule", document), indent=1) + "\n")
