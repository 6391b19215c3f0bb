# SPDX-License-Identifier: Apache-2.0
"""Headers of flits as numbers, and paths of contributions: what benches of the network share.

Field widths are read from the generated package; the fields' order is that of `noccl_flit_pkg`.
Paths are walked hop by hop, by definition: nothing here uses the formulas of the hardware.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import rtl_sources

NORTH, EAST, SOUTH, WEST, LOCAL = range(5)
PORTS = range(5)
_CONSTANT = re.compile(r"localparam int unsigned (\w+) = (\d+);")
STEP = {NORTH: (0, 1), EAST: (1, 0), SOUTH: (0, -1), WEST: (-1, 0)}

Coord = tuple[int, int]


@functools.cache
def constants() -> Mapping[str, int]:
    """Numbers of the network under test."""
    text = rtl_sources.index()["noccl_cfg_pkg"].read_text(encoding="utf-8")
    return {name: int(value) for name, value in _CONSTANT.findall(text)}


def layout(plane: str) -> list[tuple[str, int]]:
    """Fields of a header, highest bits first, with their widths."""
    c = constants()
    place = [("x", c["X_BITS"]), ("y", c["Y_BITS"])]
    region = [("x", c["REGION_X_BITS"]), ("y", c["REGION_Y_BITS"])]
    names: list[tuple[str, int]] = [("kind", 2 if plane == "wide" else 3), ("multicast", 1)]
    names += [(f"{name}_{axis}", bits) for name in ("dst", "src") for axis, bits in place]
    names += [(f"{name}_{axis}", bits) for name in ("base", "mask") for axis, bits in region]
    names += [("tag", c["TAG_BITS"])]
    if plane == "rsp":
        names += [("is_wide", 1)]
    names += [("own_copy", 1), ("resp", 2)]
    if plane == "wide":
        names += [("line", c["LINE_BITS"]), ("left", c["BURST_BITS"])]
        return [*names, ("operator", 3), ("element", 4)]
    names += [("count", c["COUNT_BITS"])]
    if plane == "req":
        names += [("addr", c["OFFSET_BITS"]), ("size", 3), ("len", c["BURST_BITS"])]
    return names


def pack(plane: str, fields: Mapping[str, int]) -> int:
    """The header as a number; fields that are not given are 0."""
    value = 0
    for name, bits in layout(plane):
        field = fields.get(name, 0)
        if not 0 <= field < 1 << bits:
            raise ValueError(f"{name} = {field} does not fit into {bits} bits")
        value = value << bits | field
    return value


def unpack(plane: str, value: int) -> dict[str, int]:
    """The fields of a header."""
    fields = {}
    for name, bits in reversed(layout(plane)):
        fields[name] = value & ((1 << bits) - 1)
        value >>= bits
    return fields


def path(start: Coord, end: Coord) -> Iterator[tuple[Coord, int, int]]:
    """Routers on the route, each with the input and the output that a flit uses; X first."""
    at, came_by = start, LOCAL
    while True:
        port = LOCAL
        if end[0] != at[0]:
            port = EAST if end[0] > at[0] else WEST
        elif end[1] != at[1]:
            port = NORTH if end[1] > at[1] else SOUTH
        yield at, came_by, port
        if port == LOCAL:
            return
        at = (at[0] + STEP[port][0], at[1] + STEP[port][1])
        came_by = (port + 2) % 4


@dataclass(frozen=True)
class Join:
    """A set of contributors and where they send."""

    base: Coord
    mask: Coord
    root: Coord

    @functools.cached_property
    def members(self) -> frozenset[Coord]:
        """Mesh coordinates of the contributors."""
        c = constants()
        columns, rows = range(c["REGION_WIDTH"]), range(c["REGION_HEIGHT"])
        return frozenset(
            (x + c["REGION_X"], y + c["REGION_Y"])
            for x, y in itertools.product(columns, rows)
            if (x & ~self.mask[0], y & ~self.mask[1]) == self.base
        )

    @functools.cached_property
    def _inputs(self) -> Mapping[Coord, Mapping[int, frozenset[Coord]]]:
        inputs: dict[Coord, dict[int, set[Coord]]] = {}
        for member in self.members:
            for at, came_by, _ in path(member, self.root):
                inputs.setdefault(at, {}).setdefault(came_by, set()).add(member)
        return {at: {p: frozenset(m) for p, m in of.items()} for at, of in inputs.items()}

    def inputs(self, here: Coord) -> Mapping[int, frozenset[Coord]]:
        """Per input of a router that carries contributions: whose."""
        return self._inputs.get(here, {})

    def contributor(self, here: Coord, port: int) -> Coord:
        """Who sends what enters by `port`: the nearest router that merges, else the member."""
        member = min(self.inputs(here)[port])
        route = [at for at, _, _ in path(member, self.root)]
        before = route[: route.index(here)] if port != LOCAL else []
        merging = [at for at in before if len(self.inputs(at)) > 1]
        return merging[-1] if merging else member

    def next_merge(self, here: Coord) -> Coord | None:
        """The next router on the route to the root that merges."""
        ahead = [at for at, _, _ in path(here, self.root)][1:]
        return next((at for at in ahead if len(self.inputs(at)) > 1), None)

    def fields(self) -> dict[str, int]:
        """Header fields."""
        names = ("base", "mask", "dst")
        places = (self.base, self.mask, self.root)
        pairs = zip(names, places, strict=True)
        return {f"{n}_{axis}": at[i] for n, at in pairs for i, axis in enumerate("xy")}


def sets() -> Iterator[tuple[Coord, Coord]]:
    """Base and mask of every set of the region."""
    c = constants()

    def along(size: int) -> list[tuple[int, int]]:
        bits = range(size)
        return [(base, mask) for mask in bits for base in bits if base & mask == 0]

    for x, y in itertools.product(along(c["REGION_WIDTH"]), along(c["REGION_HEIGHT"])):
        yield (x[0], y[0]), (x[1], y[1])


def routers() -> list[Coord]:
    """All routers of the mesh."""
    c = constants()
    return list(itertools.product(range(c["MESH_WIDTH"]), range(c["MESH_HEIGHT"])))


def joins() -> Iterator[Join]:
    """Every set with every root."""
    for (base, mask), root in itertools.product(sets(), routers()):
        yield Join(base, mask, root)
