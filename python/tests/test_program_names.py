# SPDX-License-Identifier: Apache-2.0
"""Names of `mpi4py.MPI`: all of mpi4py's exist; those that are not provided say what is instead."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from typing import Any

import pytest

import mpi_page
from noccl.programs import mpi_names, mpi_values
from noccl.programs.mpi4py_module import known_names
from tests.test_program_errors import fails
from tests.test_programs import run

# Without MPI_Init, which takes longer than all else here.
LISTED = """
import json, mpi4py
mpi4py.rc(initialize=False, finalize=False)
from mpi4py import MPI
names = [name for name in dir(MPI) if not name.startswith("__")]
classes = [name for name in names if isinstance(getattr(MPI, name), type)]
methods = {}
for name in classes:
    kind = getattr(MPI, name)
    inherited = {other for base in kind.__mro__[1:] for other in dir(base)}
    own = [other for other in dir(kind) if not other.startswith("_")]
    methods[name] = [other for other in own if other not in inherited]
values = {name: getattr(MPI, name) for name in names if isinstance(getattr(MPI, name), int)}
print(json.dumps([names, methods, values]))
"""
# Addresses, other in every process.
ADDRESSES = {"UNWEIGHTED", "WEIGHTS_EMPTY"}


@pytest.fixture(scope="module")
def listed() -> tuple[list[str], dict[str, list[str]], dict[str, int]]:
    """Names of the installed mpi4py, methods by class, values of constants."""
    done = subprocess.run([sys.executable, "-c", LISTED], check=True, stdout=subprocess.PIPE)
    names, methods, values = json.loads(done.stdout)
    return names, methods, values


def test_the_table_has_every_name_once(listed: tuple[Any, Any, Any]) -> None:
    names, methods, values = listed
    counted = [name for row in mpi_names.TABLE if not row.owner for name in row.names]
    assert sorted(counted) == sorted({*names, "LOGICAL1"})
    for kind, own in methods.items():
        rows = [row for row in mpi_names.TABLE if row.owner == kind]
        assert sorted(name for row in rows for name in row.names) == sorted(own), kind
    ours = {name: value for name, value in mpi_values.VALUES.items() if name not in ADDRESSES}
    assert ours == {name: value for name, value in values.items() if name not in ADDRESSES}


def test_every_name_exists_and_is_of_its_kind(listed: tuple[Any, Any, Any]) -> None:
    _, methods, _ = listed

    def program(_: Any) -> None:
        from mpi4py import MPI

        for row in mpi_names.TABLE:
            for name in row.names:
                owner = getattr(MPI, row.owner) if row.owner else MPI
                found = owner.__dict__.get(name) if row.owner else getattr(owner, name)
                found = getattr(owner, name) if found is None else found
                if row.kind in {"function", "class"}:
                    assert callable(found), name
                if row.kind == "class":
                    assert isinstance(found, type), name
        assert set(dir(MPI)) == known_names()

    run(program, 1)
    assert {row.owner for row in mpi_names.TABLE} - {""} == {
        kind for kind in methods if methods[kind]
    }


def test_what_is_not_provided_is_refused_at_its_use_with_what_is_instead() -> None:
    def program(_: Any) -> None:
        from mpi4py import MPI

        for row in mpi_names.TABLE:
            if not row.reason or row.kind not in {"function", "method"}:
                continue
            for name in row.names:
                owner: Any = getattr(MPI, row.owner) if row.owner else MPI
                with pytest.raises(MPI.Exception) as caught:
                    getattr(owner, name)()
                # `memory` is another name of `buffer`.
                kind = row.owner.replace("memory", "buffer") or "MPI"
                assert f"{kind}.{name}: {row.reason}; accepted: " in str(caught.value)
                assert caught.value.Get_error_class() == MPI.ERR_UNSUPPORTED_OPERATION
                assert isinstance(caught.value, NotImplementedError)

    run(program, 1)


def test_a_refusal_ends_a_program_that_does_not_expect_it() -> None:
    def program(comm: Any) -> None:
        from mpi4py import MPI

        MPI.Win.Create_dynamic(comm=comm)

    fails(program, r"Win\.Create_dynamic: an address .* no memory of a tile; accepted: Create, All")


def test_the_page_has_the_table() -> None:
    page = mpi_page.PAGE.read_text(encoding="utf-8")
    stale = "stale: run python tools/mpi_page.py"
    assert mpi_page.NAMES.split(page)[1] == mpi_page.text(), stale
    assert mpi_page.LIST.read_text(encoding="utf-8") == mpi_page.listed(), stale


def test_modules_beside_mpi_are_imported_or_say_what_is_instead() -> None:
    def program(comm: Any) -> None:
        # What futures import of ours is no module of mpi4py's.
        from mpi4py import futures, typing
        from mpi4py.util import pkl5

        assert futures.MPIPoolExecutor is not None
        rc: Any = importlib.import_module("mpi4py").rc
        assert rc.threads
        assert importlib.import_module("mpi4py.rc").threads
        assert typing.BufSpec is not None
        rc(initialize=False)
        with pytest.raises(TypeError, match="no attribute 'initialise'; accepted: initialize"):
            rc(initialise=False)
        assert pkl5.Intracomm(comm).allgather(comm.rank) == [0, 1]
        with pytest.raises(ModuleNotFoundError, match=r"not provided; accepted: mpi4py\.futures"):
            from mpi4py.util import pool  # noqa: F401

    run(program, 2)
