# SPDX-License-Identifier: Apache-2.0
"""Tiles and groups of tiles, as users name them.

Coordinates count clusters from the south-west one: x grows East, y grows North. Every type has a
`text` form, which is the one that the command line reads too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from noccl.errors import ArgumentError
from noccl.values import items, kind_of, text, whole

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, order=True)
class Cluster:
    """A compute cluster by its coordinate.

    Attributes:
        x: Column, from 0.
        y: Row, from 0.
    """

    x: int
    y: int

    @property
    def text(self) -> str:
        """The form `X,Y`.

        >>> Cluster(3, 0).text
        '3,0'
        """
        return f"{self.x},{self.y}"

    def to_json(self) -> object:
        """The form of schedule files."""
        return {"cluster": {"x": self.x, "y": self.y}}


@dataclass(frozen=True, order=True)
class Memory:
    """A memory tile by its index.

    Attributes:
        index: Index, from 0.
    """

    index: int

    @property
    def text(self) -> str:
        """The form `mem:N`.

        >>> Memory(2).text
        'mem:2'
        """
        return f"mem:{self.index}"

    def to_json(self) -> object:
        """The form of schedule files."""
        return {"memory": self.index}


Tile: TypeAlias = Cluster | Memory


@dataclass(frozen=True)
class Row:
    """All clusters with this y."""

    y: int

    @property
    def text(self) -> str:
        """The form `row:Y`."""
        return f"row:{self.y}"

    def to_json(self) -> object:
        """The form of schedule files."""
        return {"row": self.y}


@dataclass(frozen=True)
class Column:
    """All clusters with this x."""

    x: int

    @property
    def text(self) -> str:
        """The form `column:X`."""
        return f"column:{self.x}"

    def to_json(self) -> object:
        """The form of schedule files."""
        return {"column": self.x}


@dataclass(frozen=True)
class Rectangle:
    """An axis-aligned rectangle of clusters.

    Attributes:
        x: Column of the south-west corner.
        y: Row of the south-west corner.
        width: Columns, at least 1.
        height: Rows, at least 1.
    """

    x: int
    y: int
    width: int
    height: int

    @property
    def text(self) -> str:
        """The form `X,Y,W,H`.

        >>> Rectangle(0, 0, 2, 4).text
        '0,0,2,4'
        """
        return f"{self.x},{self.y},{self.width},{self.height}"

    def to_json(self) -> object:
        """The form of schedule files."""
        return {"rectangle": {"x": self.x, "y": self.y, "width": self.width, "height": self.height}}


@dataclass(frozen=True)
class Members:
    """Any clusters.

    Attributes:
        clusters: Members, in any order.
    """

    clusters: Sequence[Cluster]

    @property
    def text(self) -> str:
        """The form `set:X,Y;X,Y`.

        >>> Members((Cluster(0, 0), Cluster(2, 1))).text
        'set:0,0;2,1'
        """
        return "set:" + ";".join(cluster.text for cluster in self._checked())

    def to_json(self) -> object:
        """The form of schedule files."""
        return {"arbitrary": [{"x": at.x, "y": at.y} for at in self._checked()]}

    def _checked(self) -> list[Cluster]:
        """The members.

        Raises:
            ArgumentError: They are no clusters.
        """
        found = items("members", self.clusters)
        for member in found:
            if not isinstance(member, Cluster):
                raise ArgumentError(f"members: {kind_of(member)}; accepted: a Cluster")
        return found


Group: TypeAlias = Row | Column | Rectangle | Members
AnyGroup: TypeAlias = "Group | str | Sequence[Cluster | tuple[int, int]]"
"""A group, its text, or its clusters."""
AnyTile: TypeAlias = "Tile | str | tuple[int, int]"
"""A tile, its text, or the coordinates of a cluster."""


@dataclass(frozen=True)
class MultiAddress:
    """A (dst, mask) pair: 2^n clusters that one transaction of the network addresses.

    Attributes:
        base: Smallest member in x and y.
        mask_x: Don't-care bits of x.
        mask_y: Don't-care bits of y.
    """

    base: Cluster
    mask_x: int
    mask_y: int

    def to_json(self) -> object:
        """The form of schedule files."""
        return {
            "base": {"x": self.base.x, "y": self.base.y},
            "mask": {"x": self.mask_x, "y": self.mask_y},
        }


def group_text(group: object, name: str = "group") -> str:
    """The text form of a group; text passes unchanged and is judged by the engine.

    Raises:
        ArgumentError: It is neither; `name` names the argument.
    """
    if isinstance(group, (Row, Column, Rectangle, Members)):
        return text(name, group.text)
    if isinstance(group, str):
        return text(name, group)
    if isinstance(group, (list, tuple)):
        return Members([_cluster(name, member) for member in group]).text
    accepted = (
        "accepted: Row, Column, Rectangle, Members, a list of clusters, "
        "or text such as 'all' or 'row:0'"
    )
    raise ArgumentError(f"{name}: {kind_of(group)}; {accepted}")


def tile_text(tile: object, name: str = "root") -> str:
    """The text form of a tile; text passes unchanged and is judged by the engine.

    Raises:
        ArgumentError: It is neither; `name` names the argument.
    """
    if isinstance(tile, (Cluster, Memory)):
        return text(name, tile.text)
    if isinstance(tile, str):
        return text(name, tile)
    if isinstance(tile, (list, tuple)):
        return _cluster(name, tile).text
    accepted = "accepted: Cluster, Memory, (x, y), or text such as '0,0' or 'mem:0'"
    raise ArgumentError(f"{name}: {kind_of(tile)}; {accepted}")


def _cluster(name: str, value: object) -> Cluster:
    """A cluster, or a pair of coordinates as one."""
    if isinstance(value, Cluster):
        return value
    if isinstance(value, (list, tuple)) and len(value) == 2:  # noqa: PLR2004 - x and y
        x, y = (whole(name, coordinate) for coordinate in value)
        return Cluster(x, y)
    raise ArgumentError(f"{name}: {kind_of(value)}; accepted: a Cluster, or a pair (x, y)")


def cluster_from_json(fields: dict[str, int]) -> Cluster:
    """Reads a coordinate."""
    return Cluster(fields["x"], fields["y"])
