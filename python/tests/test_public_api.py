# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
import subprocess
from pathlib import Path

import pytest

import noccl

ROOT = Path(__file__).resolve().parents[2]
NOCCL = ROOT / ".venv" / "bin" / "noccl"


@pytest.mark.parametrize("name", sorted(set(noccl.__all__) - {"__version__", "Group", "Tile"}))
def test_everything_public_is_documented(name: str) -> None:
    assert inspect.getdoc(getattr(noccl, name))


@pytest.mark.parametrize("name", noccl.__all__)
def test_data_is_frozen(name: str) -> None:
    item = getattr(noccl, name)
    if dataclasses.is_dataclass(item) and item is not noccl.ScheduleBuilder:
        parameters = vars(item)["__dataclass_params__"]
        assert parameters.frozen


@pytest.mark.parametrize("name", noccl.__all__)
def test_options_are_named_at_the_call(name: str) -> None:
    item = getattr(noccl, name)
    if not inspect.isfunction(item):
        return
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    optional = [
        p.name
        for p in inspect.signature(item).parameters.values()
        if p.kind is positional and p.default is not inspect.Parameter.empty
    ]
    # The index of a row and the name of a spec read well without their names.
    assert optional == {"plot_link_load": ["row"], "load": ["spec"]}.get(name, [])


def unannotated(text: str) -> list[str]:
    """Attributes whose types checkers infer differently: from calls, or in classes with slots."""
    found: list[str] = []
    for made in ast.walk(ast.parse(text)):
        if not isinstance(made, ast.ClassDef) or made.name.startswith("_"):
            continue
        assigned = [node for node in made.body if isinstance(node, ast.Assign)]
        names = [
            ast.unparse(target)
            for node in assigned
            if isinstance(node.value, ast.Call)
            for target in node.targets
        ]
        if any(ast.unparse(node.targets[0]) == "__slots__" for node in assigned):
            starts = [node for node in made.body if getattr(node, "name", "") == "__init__"]
            names += re.findall(
                r"^ *self\.(\w+) = ", "\n".join(map(ast.unparse, starts)), re.MULTILINE
            )
        found += [f"{made.name}.{name}" for name in names if not name.startswith("_")]
    return found


def test_attributes_have_types_on_which_checkers_agree() -> None:
    slots = (
        "class A:\n __slots__ = ()\n def __init__(self):\n  self.a = 1\n  self.b: int = 1\n  c = 1"
    )
    assert unannotated(slots) == ["A.a"]
    assert unannotated("class A:\n b = property(f)\n c: property = property(f)\n D = 1") == ["A.b"]
    for path in sorted((ROOT / "python/noccl").rglob("*.py")):
        assert unannotated(path.read_text(encoding="utf-8")) == [], path


def test_the_description_of_a_network_counts_all_its_tiles() -> None:
    network = noccl.load("collective_noc_4x4")
    described = json.loads(network.to_json())
    assert len(described["tiles"]) == network.mesh_width * network.mesh_height
    assert network.num_clusters + network.num_memories == len(described["tiles"])


def test_the_command_line_and_the_package_give_the_same_numbers() -> None:
    output = subprocess.run(
        [
            *(NOCCL, "compare", "reduce", "--spec", "collective_noc_4x4", "--group", "row"),
            *("--bytes", "1KiB,2KiB", "--algorithms", "tree,in_network", "--json"),
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    table = noccl.compare(
        noccl.load("collective_noc_4x4"),
        "reduce",
        sizes_bytes=[1024, 2048],
        group="row",
        algorithms=["tree", "in_network"],
    )
    columns = ("algorithm", "bytes", "cycles", "lower_bound_cycles", "energy_pj", "verified")
    expected = [tuple(row[column] for column in columns) for row in json.loads(output)]
    assert [tuple(row[column] for column in columns) for row in table.rows()] == expected
