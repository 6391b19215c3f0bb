# SPDX-License-Identifier: Apache-2.0
"""Drawings of meshes for notebooks: where clusters and memory tiles are, who takes part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noccl.colours import HUES
from noccl.notebook_html import Fragment, colour, drawing, facts_table, figure, fragment, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from noccl._native import Network
    from noccl.tiles import Cluster

_SIDE, _GAP, _MARGIN = 26, 12, 4
_MOST_TILES = 32
"""Tiles of a side beyond which a drawing says nothing."""
_MOST_NAMED = 10
"""Coordinates of clusters beyond this do not fit into their tile."""
_MEMBER = HUES[0][0]
WITH_ROOT = frozenset({"multicast", "reduce", "all_reduce", "scatter", "gather", "barrier"})
"""Collectives whose root is drawn: where data come from or go to, or where a counter is."""


@dataclass(frozen=True)
class MeshDrawing:
    """What a drawing of a mesh needs to know; plain data, so that results can be copied and stored.

    Attributes:
        mesh: Columns and rows.
        region: Clusters on the mesh: x and y of the south-west one, columns, rows.
        memories: Memory tiles on the mesh.
        members: Clusters that take part, by their coordinates on the mesh.
        root: Tile of the root on the mesh; None if there is none.
        caption: What is drawn.
    """

    mesh: tuple[int, int]
    region: tuple[int, int, int, int]
    memories: tuple[tuple[int, int], ...]
    members: tuple[tuple[int, int], ...] = ()
    root: tuple[int, int] | None = None
    caption: str = ""

    def figure(self) -> Fragment:
        """The drawing, North up; empty for a mesh too large to be seen."""
        if max(self.mesh) > _MOST_TILES:
            return Fragment("")
        pitch = _SIDE + _GAP
        width, height = (2 * _MARGIN + n * pitch - _GAP for n in self.mesh)
        svg = drawing(width, height, self.caption, (*self._links(), *self._tiles()))
        return figure(svg, self.caption)

    def _corner(self, x: int, y: int) -> tuple[int, int]:
        pitch = _SIDE + _GAP
        return _MARGIN + x * pitch, _MARGIN + (self.mesh[1] - 1 - y) * pitch

    def _links(self) -> Iterator[str]:
        columns, rows = self.mesh
        for x in range(columns):
            for y in range(rows):
                left, top = self._corner(x, y)
                middle, end = _SIDE // 2, _SIDE + _GAP
                line = '<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="currentColor" opacity="0.4"/>'
                if x + 1 < columns:
                    yield line.format(left + _SIDE, top + middle, left + end, top + middle)
                if y + 1 < rows:
                    yield line.format(left + middle, top, left + middle, top - _GAP)

    def _tiles(self) -> Iterator[str]:
        x0, y0, columns, rows = self.region
        members, memories = set(self.members), set(self.memories)
        for x in range(self.mesh[0]):
            for y in range(self.mesh[1]):
                is_cluster = x0 <= x < x0 + columns and y0 <= y < y0 + rows
                is_memory = (x, y) in memories
                name = f"{x - x0},{y - y0}" if max(columns, rows) <= _MOST_NAMED else ""
                name = name if is_cluster else "m" * is_memory
                yield self._tile((x, y), name, is_member=(x, y) in members)

    def _tile(self, at: tuple[int, int], name: str, *, is_member: bool) -> str:
        left, top = self._corner(*at)
        fill = f'fill="{colour(_MEMBER)}" fill-opacity="0.45"' if is_member else 'fill="none"'
        is_root = at == self.root
        edge = f'stroke="currentColor" stroke-width="{3 if is_root else 1}"'
        return (
            f'<rect x="{left}" y="{top}" width="{_SIDE}" height="{_SIDE}" rx="3" {fill} {edge}/>'
            f'<text x="{left + _SIDE / 2}" y="{top + _SIDE / 2 + 4}" text-anchor="middle">'
            f"{text(name)}</text>"
        )


def mesh_of(
    network: Network, members: Sequence[Cluster] = (), root: str | None = None
) -> MeshDrawing:
    """The drawing of a network, of a group on it and of its root.

    Args:
        network: Network.
        members: Clusters that take part.
        root: Root as `X,Y` or `mem:N`; None for none.
    """
    mesh = (network.mesh_width, network.mesh_height)
    region = network.cluster_region
    x0, y0 = region[:2]
    memories = tuple(network.memory_tiles) if max(mesh) <= _MOST_TILES else ()
    if not members:
        return MeshDrawing(mesh, region, memories, caption=f"{network.name}: m: memory tile")
    at: tuple[int, int] | None = None
    if root is not None and root.startswith("mem:"):
        at = memories[int(root[4:])] if memories else None
    elif root is not None:
        x, _, y = root.partition(",")
        at = (x0 + int(x), y0 + int(y))
    who = f"{len(members)} members filled" + ("" if at is None else f", root {root} bold")
    inside = tuple((x0 + cluster.x, y0 + cluster.y) for cluster in members)
    caption = f"{network.name}: {who}; m: memory tile"
    return MeshDrawing(mesh, region, memories, inside, at, caption)


def network_html(network: Network) -> str:
    """A network in a notebook."""
    size = f"{network.width} x {network.height} clusters, {network.num_memories} memory tiles"
    facts = {"size": size}
    facts |= {f"overrides {key}": value for key, value in network.overrides}
    facts |= {f"warning {n + 1}": note for n, note in enumerate(network.warnings)}
    title = f"Network {network.name}"
    return fragment(title, facts_table(facts), mesh_of(network).figure())
