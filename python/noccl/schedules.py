# SPDX-License-Identifier: Apache-2.0
"""Schedules: the DAG of actions that a network executes.

The JSON form is that of `formats/schedule.schema.json`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from noccl.errors import ArgumentError, FileError
from noccl.files import read_text, write_file
from noccl.tiles import Cluster, Memory, Tile, tile_text
from noccl.values import items, kind_of, text, whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from noccl.definitions import Definition
    from noccl.tiles import Group

_T = TypeVar("_T")

FORMAT = 1
"""Version of the schedule format that this package reads and writes."""


@dataclass(frozen=True)
class Place:
    """A position in a tile's memory.

    Attributes:
        tile: Cluster or memory tile.
        offset: Bytes from the start of its memory.
    """

    tile: Tile
    offset: int

    def to_json(self) -> object:
        """The form of schedule files."""
        return {"tile": self.tile.to_json(), "offset": self.offset}


@dataclass(frozen=True)
class Lengths:
    """Lengths of an all-to-all's blocks by ranks, as each rank states them.

    Attributes:
        sends: Per rank: bytes that it sends to each rank.
        receives: Per rank: bytes that it expects of each rank; empty: what is sent.
    """

    sends: Sequence[Sequence[int]]
    receives: Sequence[Sequence[int]] = ()

    @property
    def longest(self) -> int:
        """Bytes of the longest block that anybody states."""
        tables = [*items("lengths: sends", self.sends), *items("lengths: receives", self.receives)]
        rows = [items("lengths", row) for row in tables]
        return max((whole("lengths", length) for row in rows for length in row), default=0)

    def to_json(self) -> object:
        """The form of schedule files."""
        return {"sends": self.sends, "receives": self.receives}


@dataclass(frozen=True)
class Collective:
    """What a schedule claims to achieve.

    Attributes:
        kind: `multicast`, `reduce`, `all_reduce`, `barrier`, ..., or `custom`.
        group: Participants.
        root: Owner of the data (multicast), of the result (reduce) or of the counter (barrier).
        bytes: Payload per participant; of a custom collective those of a chunk.
        input_offset: Offset of every input.
        output_offset: Offset of every output.
        operator: `sum`, `min`, `max`, `and` or `or`.
        element: Element type, e.g. `fp64`.
        lengths: Lengths of an all-to-all's blocks on core tiles, if they differ.
        definition: What a custom collective asks for.
    """

    kind: str
    group: Group
    root: Tile
    bytes: int
    input_offset: int
    output_offset: int
    operator: str = "sum"
    element: str = "fp64"
    lengths: Lengths | None = None
    definition: Definition | None = None

    def to_json(self) -> object:
        """The form of schedule files."""
        document: dict[str, object] = {
            "kind": self.kind,
            "group": self.group.to_json(),
            "root": self.root.to_json(),
            "bytes": self.bytes,
            "input_offset": self.input_offset,
            "output_offset": self.output_offset,
            "operator": self.operator,
            "element": self.element,
        }
        if self.lengths is not None:
            document["lengths"] = self.lengths.to_json()
        if self.definition is not None:
            document["definition"] = self.definition.to_json()
        return document


@dataclass(frozen=True, repr=False)
class Schedule:
    """A finished schedule, as JSON text.

    Attributes:
        text: The JSON text. What it holds is judged by the engine when it is checked or run.
    """

    text: str

    def __repr__(self) -> str:
        try:
            return f"<Schedule {self.algorithm}: actions: {self.num_actions}>"
        except (FileError, ArgumentError):
            return "<Schedule: a text that is none>"

    @property
    def algorithm(self) -> str:
        """Name of the algorithm."""
        return str(self._field("algorithm", str))

    @property
    def parameters(self) -> dict[str, str]:
        """Parameters of the algorithm, e.g. `chunks`."""
        return dict(self._field("parameters", dict))

    @property
    def num_actions(self) -> int:
        """Number of actions."""
        return len(self._field("actions", list))

    def _field(self, name: str, kind: type[_T]) -> _T:
        """A field of the text.

        Raises:
            FileError: The text is no schedule.
        """
        try:
            value = json.loads(schedule_text(self))[name]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise FileError(f"schedule: {name}: cannot read: {error}") from error
        if not isinstance(value, kind):
            raise FileError(f"schedule: {name}: {kind_of(value)}; accepted: {kind.__name__}")
        return value

    def save(self, path: Path | str) -> None:
        """Writes the schedule to a file, which is complete or as before.

        Raises:
            FileError: The file cannot be written.
        """
        write_file(path, schedule_text(self).encode())

    @staticmethod
    def open(path: Path | str) -> Schedule:
        """Reads a schedule from a file; the checker judges the content.

        Raises:
            FileError: The file cannot be read as text.
        """
        return Schedule(read_text(path))


def schedule_text(schedule: Schedule) -> str:
    """The JSON text of a schedule.

    Raises:
        ArgumentError: It is none.
    """
    if not isinstance(schedule, Schedule):
        raise ArgumentError(f"schedule: {kind_of(schedule)}; accepted: a Schedule")
    return text("schedule", schedule.text)


def place_of(name: str, place: Place) -> tuple[str, int]:
    """Tile and offset of a place, as the engine takes them.

    Raises:
        ArgumentError: It is none.
    """
    if not isinstance(place, Place) or not isinstance(place.tile, (Cluster, Memory)):
        raise ArgumentError(f"{name}: {kind_of(place)}; accepted: a Place on a Cluster or a Memory")
    return tile_text(place.tile, name), whole(f"{name}: offset", place.offset)
