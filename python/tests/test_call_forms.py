# SPDX-License-Identifier: Apache-2.0
"""What callers may write: names for networks, one value for a list, overrides, groups, roots.

Errors have the words of Python for what was written, never an option of the command line.
"""

from __future__ import annotations

import pydoc
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noccl

ROOT = Path(__file__).resolve().parents[2]
NAME = "collective_noc_4x4"


def test_a_network_may_be_named_wherever_one_is_asked_for(tmp_path: Path) -> None:
    spec = tmp_path / "own.toml"
    spec.write_text(noccl.load(NAME).to_toml(), encoding="utf-8")
    expected = noccl.barrier(noccl.load()).cycles
    assert noccl.barrier(NAME).cycles == noccl.barrier(spec).cycles == expected
    assert noccl.members(NAME, "row") == noccl.members(spec, "row")
    with pytest.raises(noccl.ArgumentError, match=r"network: int; accepted: what noccl.load"):
        noccl.compare(3, "reduce")  # type: ignore[arg-type]


def test_defaults_are_those_of_the_command_line() -> None:
    help_text = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    compare = help_text.split("## `noccl compare`")[1].split("\n## ")[0]
    defaults = dict(re.findall(r"--(\w+) <[^>]*>.*?\[default: (.*?)\]", compare, re.DOTALL))
    assert noccl.load().name == defaults["spec"]
    rows = noccl.compare(NAME, "reduce").rows()
    assert {row["bytes"] for row in rows} == {1024}
    assert defaults["bytes"] == "1KiB"
    assert {row["group"] for row in rows} == {defaults["group"]}
    schedule = noccl.make_schedule(NAME, "reduce")
    assert schedule == noccl.make_schedule(NAME, "reduce", num_bytes=1024, group="all")


def test_one_value_is_a_list_of_itself() -> None:
    one = noccl.compare(NAME, "reduce", sizes_bytes="1KiB", algorithms="tree")
    assert one == noccl.compare(NAME, "reduce", sizes_bytes=[1024], algorithms=["tree"])
    number: Any = np.int32(1024)
    assert noccl.compare(NAME, "reduce", sizes_bytes=number, algorithms="tree") == one
    quick = {"warmup_cycles": 50, "measure_cycles": 100, "has_saturation": False}
    loaded = noccl.traffic(NAME, "uniform", loads=0.1, **quick)  # type: ignore[arg-type]
    assert loaded["offered_beats_per_cycle"].tolist() == [0.1]
    assert noccl.stress(NAME, num_seeds=1, kinds="write").runs == 1
    assert len(noccl.barrier_study(clusters=4).table) > 0


@pytest.mark.parametrize(
    "overrides",
    [
        {"memory.latency_cycles": 20},
        "memory.latency_cycles=20",
        ["memory.latency_cycles=20"],
        [("memory.latency_cycles", "20")],
    ],
)
def test_overrides_have_many_forms_and_one_meaning(overrides: object) -> None:
    network = noccl.load(NAME, overrides=overrides)  # type: ignore[arg-type]
    assert network.overrides == [("memory.latency_cycles", "20")]
    assert "memory.latency_cycles=20" in repr(network)
    assert "latency_cycles = 20" in network.to_toml()


@pytest.mark.parametrize("overrides", ["memory", "=3", [3], [("a", 1)]])
def test_what_is_no_override_is_refused(overrides: object) -> None:
    with pytest.raises(noccl.ArgumentError, match="overrides: "):
        noccl.load(NAME, overrides=overrides)  # type: ignore[arg-type]


def test_groups_and_roots_may_be_coordinates() -> None:
    pairs: list[noccl.Cluster | tuple[int, int]] = [(0, 0), (1, 0), noccl.Cluster(2, 1)]
    clusters = noccl.Members([noccl.Cluster(0, 0), noccl.Cluster(1, 0), noccl.Cluster(2, 1)])
    assert noccl.members(NAME, pairs) == noccl.members(NAME, clusters)
    by_pair = noccl.reduce(NAME, np.ones((16, 8)), root=(3, 3))
    assert by_pair == noccl.reduce(NAME, np.ones((16, 8)), root=noccl.Cluster(3, 3))
    for wrong in ([(0,)], [(0, "x")], [3]):
        with pytest.raises(noccl.ArgumentError, match="group: "):
            noccl.members(NAME, wrong)  # type: ignore[arg-type]


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "group": (lambda: noccl.compare(NAME, "reduce", group="row:9"), "group 'row:9'"),
    "root": (lambda: noccl.compare(NAME, "reduce", root="9,9"), "root '9,9'"),
    "operator": (lambda: noccl.compare(NAME, "reduce", operator="mean"), "operator 'mean'"),
    "sizes": (lambda: noccl.compare(NAME, "reduce", sizes_bytes=100), "sizes_bytes '100'"),
    "size": (lambda: noccl.make_schedule(NAME, "reduce", num_bytes=100), "num_bytes '100'"),
    "text": (lambda: noccl.compare(NAME, "reduce", sizes_bytes="1zz"), "sizes_bytes[0] '1zz'"),
    "loads": (lambda: noccl.traffic(NAME, "uniform", loads=2.0), "loads '2'"),
    "kinds": (lambda: noccl.stress(NAME, num_seeds=1, kinds="wrte"), "kinds 'wrte'"),
    "kernel": (lambda: noccl.gemm("suma", meshes="8x8"), "kernel 'suma'"),
    "clusters": (lambda: noccl.barrier_study(clusters=3), "clusters '3'"),
    "field": (
        lambda: noccl.load(NAME, overrides={"memory.latency": 3}),
        "overrides: memory.latency=3",
    ),
    "type": (
        lambda: noccl.load(NAME, overrides={"memory.latency_cycles": -3}),
        "expected a whole number, 0 or more",
    ),
    "option": (
        lambda: noccl.run(NAME, noccl.make_schedule(NAME, "barrier"), boundary="axi"),
        "boundary 'axi': accepted with backend rtl only",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_errors_name_arguments_of_python(name: str) -> None:
    call, begin = REFUSED[name]
    with pytest.raises(noccl.NocclError) as raised:
        call()
    message = str(raised.value)
    assert begin in message
    assert re.findall(r"(?<!')--[a-z]|\B-P |\bu32\b", message) == []


def test_what_a_caller_wrote_is_repeated_as_it_is() -> None:
    with pytest.raises(noccl.ArgumentError, match="'--bytes'"):
        noccl.compare(NAME, "reduce", algorithms="--bytes")


def test_help_is_a_page() -> None:
    page = pydoc.render_doc(noccl, renderer=vars(pydoc)["plaintext"])
    assert len(page.splitlines()) < 150
    functions = [name for name in noccl.__all__ if name.islower() and name != "__version__"]
    missing = [name for name in functions if not re.search(rf"\b{name}\b", noccl.__doc__ or "")]
    assert missing == []
    assert set(dir(noccl)) >= set(noccl.__all__)
    leaked = {name for name in dir(noccl) if not name.startswith("__")} - set(noccl.__all__)
    assert leaked == set()


def test_the_example_of_the_page_runs() -> None:
    example = (noccl.__doc__ or "").split("collective:\n")[1].split("Wherever")[0]
    names: dict[str, object] = {}
    exec(textwrap.dedent(example), names)
    assert isinstance(names["result"], noccl.CollectiveResult)
    assert isinstance(names["table"], noccl.ResultTable)


def test_a_star_import_has_every_public_name() -> None:
    names: dict[str, object] = {}
    exec("from noccl import *", names)
    assert set(noccl.__all__) <= set(names)
