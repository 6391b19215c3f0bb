# SPDX-License-Identifier: Apache-2.0
"""Actions of core tiles, which have no addresses: messages and streams over the static network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from noccl.errors import ArgumentError
from noccl.tiles import Rectangle
from noccl.values import form, kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noccl.schedules import Place


class CoreActions(ABC):
    """What a builder of schedules adds for networks of core tiles."""

    @abstractmethod
    def _add(self, kind: str, content: object, after: Sequence[int]) -> int:
        """Adds an action; its id."""

    def message(
        self,
        source: Place,
        destination: Place,
        num_bytes: int,
        *,
        round: int | None = None,  # noqa: A002 - the word of schedule files
        after: Sequence[int] = (),
    ) -> int:
        """Sends bytes from one core to another one; core tiles only.

        The message itself is the order between both: the receiver's later actions may name it in
        `after`. Messages between two tiles are received in the order of the schedule.

        >>> from noccl import Cluster, Place, ScheduleBuilder
        >>> builder = ScheduleBuilder("ping", first="send")
        >>> builder.message(Place(Cluster(0, 0), 0), Place(Cluster(1, 0), 64), 8)
        0

        Args:
            source: First byte that is sent.
            destination: Where it is put.
            num_bytes: Bytes; a message without bytes is one too.
            round: The round that it belongs to, if there are rounds.
            after: Actions that must be over before this one starts.
        """
        content = {
            "source": form("source", source),
            "destination": form("destination", destination),
            "bytes": num_bytes,
        }
        if round is not None:
            content["round"] = round
        return self._add("message", content, after)

    def static_multicast(
        self,
        source: Place,
        group: Rectangle,
        offset: int,
        num_bytes: int,
        *,
        after: Sequence[int] = (),
    ) -> int:
        """Sends bytes to all other tiles of a rectangle over the static network; core tiles only.

        Args:
            source: First byte that is sent; its tile is a member.
            group: Members, a rectangle without holes.
            offset: Where every member but the root puts the bytes.
            num_bytes: Bytes.
            after: Actions that must be over before this one starts.
        """
        if not isinstance(group, Rectangle):
            raise ArgumentError(f"group: {kind_of(group)}; accepted: a Rectangle")
        content = {
            "source": form("source", source),
            "set": {
                "x": group.x,
                "y": group.y,
                "width": group.width,
                "height": group.height,
            },
            "offset": offset,
            "bytes": num_bytes,
        }
        return self._add("static_multicast", content, after)
