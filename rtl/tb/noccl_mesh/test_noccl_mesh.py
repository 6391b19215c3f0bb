# SPDX-License-Identifier: Apache-2.0
"""The wires of the mesh: every tile is joined to its four neighbours and to its own ports.

Lock-step on meshes of tiles has the host in place of `noccl_mesh`, so a wrong wire stays unseen
there. Here Yosys reads the module with its tiles as black boxes, and each bit of each port of a
tile is compared with where it should come from.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest

import rtl_sources
import rtl_yosys

MESH = rtl_sources.RTL / "src" / "mesh"
WIDTH, HEIGHT = 3, 2
CONFIGURATION = "collective_noc_2x2"
# Of a tile, in the order of its ports.
NEIGHBOURS = ((0, 1), (1, 0), (0, -1), (-1, 0))
NUM_PORTS = len(NEIGHBOURS) + 1
# Ports per tile that the mesh passes on, by their names inside; others belong to the arithmetic.
CREDITS = (
    "credit_valid_i",
    "credit_name_i",
    "credit_hit_o",
    "credit_return_valid_o",
    "credit_return_dst_o",
    "credit_return_name_o",
    "credit_return_ready_i",
    "own_valid_o",
    "own_name_o",
)
# A wire, or a constant `0`, `1`, `x`.
Bits = list[int | str]


class Wires(NamedTuple):
    """What is connected to what.

    Attributes:
        ports: Of the mesh.
        tiles: Of the part in each tile, by coordinates.
    """

    ports: dict[str, Bits]
    tiles: dict[tuple[int, int], dict[str, Bits]]


LINK = """assign router_in[t][p] = link_in[t][p];
        assign link_out[t][p] = router_out[t][p];"""


def parts(mesh: str, *, has_reduction: bool, folder: Path) -> list[Path]:
    """Sources of the mesh. What its tiles are made of is left out but for its ports."""
    needed = rtl_sources.closure(["noccl_mesh"], configuration=CONFIGURATION)
    kept = [path for path in needed if path.stem.endswith("_pkg")]
    tile = "noccl_junction" if has_reduction else "noccl_routers"
    header, _, _ = (MESH / f"{tile}.sv").read_text(encoding="utf-8").partition("\n);")
    # Black boxes have no parameters that are types.
    header = re.sub(r"( *///[^\n]*\n)? *parameter type core_tag_t[^\n]*\n", "", header)
    header = re.sub(r"\bcore_tag_t\b", "logic", header)
    mesh = re.sub(r",\s*\.core_tag_t +\(core_tag_t\)", "", mesh)
    # Links of one cycle are wires, which is what is followed here.
    mesh, count = re.subn(r"noccl_link u_link \(.*?\);", LINK, mesh, count=1, flags=re.DOTALL)
    assert count == 1
    folder.mkdir(exist_ok=True)
    (folder / f"{tile}.sv").write_text(f"{header}\n);\nendmodule\n", encoding="utf-8")
    (folder / "noccl_mesh.sv").write_text(mesh, encoding="utf-8")
    return [*kept, folder / f"{tile}.sv", folder / "noccl_mesh.sv"]


def wires(mesh: str, *, has_reduction: bool, folder: Path) -> Wires:
    """Reads the text of the mesh."""
    tile = "noccl_junction" if has_reduction else "noccl_routers"
    sources = parts(mesh, has_reduction=has_reduction, folder=folder)
    options = f"--keep-hierarchy --blackboxed-module {tile} --no-synthesis-define"
    parameters = f"-G HasReduction={int(has_reduction)}"
    files = " ".join(map(os.fspath, sources))
    read = f"read_slang --top noccl_mesh {parameters} {options} -I {rtl_sources.INCLUDE} {files}"
    rtl_yosys.run([read, "proc", "opt_clean", "write_json mesh.json"], folder)
    module = json.loads((folder / "mesh.json").read_text(encoding="utf-8"))["modules"]["noccl_mesh"]
    ports = {name: port["bits"] for name, port in module["ports"].items()}
    tiles = {}
    for name, cell in module["cells"].items():
        if found := re.search(r"gen_tile\[(\d+)\]\.\w+\.u_\w+$", name):
            tiles[divmod(int(found[1]), HEIGHT)] = cell["connections"]
    return Wires(ports, tiles)


def element(bits: Bits, index: int, count: int) -> Bits:
    """One of several elements of an unpacked array, whose first one has the highest bits."""
    width = len(bits) // count
    first = (count - 1 - index) * width
    return bits[first : first + width]


def number(bits: Bits) -> int:
    """Value of constants."""
    return sum(int(bit) << i for i, bit in enumerate(bits))


def expect(bits: Bits, source: Bits, *port: int | str) -> None:
    """Raises AssertionError with the number of bits of a port that come from elsewhere.

    Their lists are not compared in an assertion: pytest would print how thousands of numbers
    differ, which takes it ten minutes where it shortens nothing, as on a CI machine.
    """
    wrong = sum(bit != other for bit, other in zip(bits, source, strict=True))
    assert wrong == 0, port


def check(found: Wires) -> None:
    """Raises AssertionError at the first wire that is wrong."""
    assert sorted(found.tiles) == [(x, y) for x in range(WIDTH) for y in range(HEIGHT)]
    for (x, y), tile in found.tiles.items():
        y_bits = (HEIGHT - 1).bit_length()
        assert number(tile["position_i"]) == (x << y_bits) + y
        for port, (dx, dy) in enumerate(NEIGHBOURS):
            into = element(tile["link_i"], port, NUM_PORTS)
            if neighbour := found.tiles.get((x + dx, y + dy)):
                facing = NEIGHBOURS.index((-dx, -dy))
                expect(into, element(neighbour["link_o"], facing, NUM_PORTS), x, y, port)
            else:
                assert set(into) == {"0"}, (x, y, port)
        check_own(found, x * HEIGHT + y, tile)


def check_own(found: Wires, index: int, tile: dict[str, Bits]) -> None:
    """The same for a tile's own ports."""
    count = WIDTH * HEIGHT
    local = NUM_PORTS - 1
    for inside, outside in (("link_i", "local_i"), ("link_o", "local_o")):
        wire = element(tile[inside], local, NUM_PORTS)
        expect(wire, element(found.ports[outside], index, count), index, outside)
    for name in CREDITS:
        bits = found.ports[name]
        own = [bits[index]] if len(bits) == count else element(bits, index, count)
        expect(tile[name], own, index, name)


@pytest.fixture
def mesh() -> str:
    return (MESH / "noccl_mesh.sv").read_text(encoding="utf-8")


@pytest.mark.parametrize("has_reduction", [False, True])
def test_every_wire_of_the_mesh_ends_where_it_should(
    mesh: str, tmp_path: Path, has_reduction: bool
) -> None:
    check(wires(mesh, has_reduction=has_reduction, folder=tmp_path))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (
            "Facing = (p + 2) % 4",
            "Facing = (p + 2) % 4 == 1 ? 3 : (p + 2) % 4 == 3 ? 1 : (p + 2) % 4",
        ),
        ("(p == 0 ? 1 : p == 2 ? -1 : 0)", "(p == 0 ? -1 : p == 2 ? 1 : 0)"),
        ("Y_BITS'(Y)", "Y_BITS'(Y + 1)"),
        ("link_in[t][LOCAL] = local_i[t]", "link_in[t][LOCAL] = local_i[0]"),
        (".own_name_o(own_name_o[t])", ".own_name_o(own_name_o[(t + 1) % NumTiles])"),
    ],
)
def test_a_wrong_wire_is_noticed(mesh: str, tmp_path: Path, right: str, wrong: str) -> None:
    assert mesh.count(right) == 1
    found = wires(mesh.replace(right, wrong), has_reduction=False, folder=tmp_path)
    with pytest.raises((AssertionError, ValueError)):
        check(found)
