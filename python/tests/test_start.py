# SPDX-License-Identifier: Apache-2.0
"""What a start costs: which packages are loaded when, and what is said where one is missing."""

from __future__ import annotations

import ast
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import noccl

OPTIONAL = ("pyarrow", "polars", "matplotlib", "greenlet", "ray", "ortools")
PACKAGE = Path(noccl.__file__).parent

REDUCE = """
import noccl
network = noccl.load("collective_noc_2x2")
noccl.reduce(network, [[1.0] * 8] * 4)
"""
COMPARE = """
import noccl
network = noccl.load("collective_noc_2x2")
table = noccl.compare(network, "reduce", sizes_bytes=[64], algorithms=["tree", "in_network"])
assert len(table) == len(table.rows()) > 0
assert (table["verified"] == "yes").all()
assert "compare" in repr(table)
"""
PROGRAM = """
import noccl
result = noccl.run_program(lambda comm: comm.allreduce(1), "collective_noc_2x2", ranks=4)
assert result.values == [4] * 4
assert (result.ranks["finish_cycle"] > 0).all()
assert result.timeline.rows()[0]["rank"] == 0
"""


def loaded(script: str, *, without: tuple[str, ...] = ()) -> set[str]:
    """Packages that a script has loaded at its end, in a process in which some are not there."""
    blocked = "".join(f"sys.modules[{name!r}] = None\n" for name in without)
    watched = ("numpy", *OPTIONAL)
    ends = f"print(*(name for name in {watched} if sys.modules.get(name)))"
    code = f"import sys\n{blocked}{script}\n{ends}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return set(run.stdout.splitlines()[-1].split())


def test_the_import_loads_no_other_package() -> None:
    assert loaded("import noccl") == set()
    # Nor modules of its own, but the engine.
    code = "import sys, noccl; print(*sorted(n for n in sys.modules if n.startswith('noccl')))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert run.stdout.split() == ["noccl", "noccl._native"]
    assert loaded("import noccl\nnoccl.load('collective_noc_4x4')\nnoccl.sweeps") == set()


def test_a_collective_loads_numpy_only() -> None:
    assert loaded(REDUCE) == {"numpy"}


def test_a_program_of_ranks_loads_greenlet_besides() -> None:
    assert loaded(PROGRAM) == {"numpy", "greenlet"}


@pytest.mark.parametrize(
    "script",
    [REDUCE, COMPARE, PROGRAM, "from noccl import *"],
    ids=["reduce", "compare", "program", "all_names"],
)
def test_calls_run_without_the_extras(script: str) -> None:
    missing = ("pyarrow", "polars", "matplotlib", "ray", "ortools")
    assert loaded(script, without=missing) <= {"numpy", "greenlet"}


def test_the_import_costs_less_than_numpy() -> None:
    def seconds(code: str) -> float:
        """Processor time, the least of some: others may use the machine."""

        def once() -> float:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        return min(once() for _ in range(3))

    assert seconds("import noccl") < min(0.15, seconds("import numpy"))


@pytest.mark.parametrize(
    ("package", "extra", "call"),
    [
        ("pyarrow", "frames", "table.arrow"),
        ("pyarrow", "frames", "table.write_parquet('table.parquet')"),
        ("pyarrow", "frames", "noccl.ResultTable.read_parquet('table.parquet')"),
        ("pyarrow", "frames", "noccl.sweep({'product': [PRODUCT]}, 'results')"),
        ("polars", "frames", "table.to_polars()"),
        ("matplotlib", "plot", "noccl.plot_cycles(table)"),
        ("matplotlib", "plot", "noccl.plot_figure(noccl.Figure('n', 't', 'x', 'y'))"),
        ("matplotlib", "plot", "noccl.Figure('n', 't', 'x', 'y').svg"),
    ],
)
def test_a_missing_extra_is_named(
    package: str, extra: str, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    network = noccl.load("collective_noc_2x2")
    table = noccl.compare(network, "barrier", algorithms=["in_network"])
    product = {"specs": ["collective_noc_2x2"], "collectives": ["barrier"], "algorithms": ["tree"]}
    # First, since it loads the module where it is not loaded yet.
    monkeypatch.delattr(noccl, "arrow_tables", raising=False)
    monkeypatch.delitem(sys.modules, "noccl.arrow_tables", raising=False)
    for module in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(noccl.MissingExtraError, match=rf"pip install 'noccl\[{extra}\]'"):
        eval(call, {"noccl": noccl, "table": table, "PRODUCT": product})
    # Nothing is made that cannot be filled.
    assert list(tmp_path.iterdir()) == []


def test_type_checkers_see_the_names_that_there_are() -> None:
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    stated = {
        str(alias.asname): f"{node.module}.{alias.name}"
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    modules = {name: f"noccl.{module}.{name}" for name, module in vars(noccl)["_MODULE_OF"].items()}
    native = {name: f"noccl._native.{name}" for name in ("Network", "__version__")}
    assert stated == modules | native
    assert sorted(stated) == noccl.__all__
    assert set(noccl.__all__) < set(dir(noccl))


def test_no_module_has_the_name_of_something_public() -> None:
    """The import of a module would put it in place of what has its name."""
    modules = {path.stem for path in PACKAGE.iterdir() if path.stem != "__init__"}
    assert not modules & set(noccl.__all__)


def test_a_name_that_is_not_there_is_refused() -> None:
    with pytest.raises(AttributeError, match="'noccl' has no attribute 'comparee'"):
        noccl.__getattr__("comparee")
    with pytest.raises(ImportError, match="comparee"):
        exec("from noccl import comparee")
    assert not hasattr(noccl, "__wrapped__")
