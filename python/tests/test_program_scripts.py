# SPDX-License-Identifier: Apache-2.0
"""Unchanged mpi4py scripts: what they print is what they print in real MPI."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from noccl import FileError, ProgramError
from noccl.programs.result import ProgramResult
from noccl.programs.run import run_on
from noccl.programs.script import Script
from tests.ideal_session import IdealSession
from tests.program_outputs import SCRIPTS, agree, real


def simulate(path: Path, ranks: int, **options: Any) -> ProgramResult:
    has_prefix = options.pop("has_prefix", False)
    script = Script(path, options.pop("args", []), has_prefix=has_prefix)
    return run_on(
        IdealSession(ranks), script.run, ranks, name="ideal", surroundings=script.around, **options
    )


@pytest.mark.parametrize("ranks", [1, 4, 6])
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_prints_what_it_prints_in_real_mpi(
    path: Path, ranks: int, capsys: pytest.CaptureFixture[str]
) -> None:
    simulate(path, ranks)
    printed = capsys.readouterr().out
    assert printed
    agree(printed, real(ranks)[str(path)])


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder / "main.py"


def test_ranks_share_neither_variables_nor_modules_beside_the_script(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(
        tmp_path,
        main=(
            "import sys, helper\nfrom mpi4py import MPI\ncomm = MPI.COMM_WORLD\n"
            "helper.seen.append(comm.rank)\ncomm.Barrier()\nimport helper as again\n"
            "assert again is helper and again.seen == [comm.rank], again.seen\n"
            "assert sys.modules['__main__'].comm is comm\n"
            "if comm.rank == comm.size - 1: print('done', sys.argv, helper.name)\n"
        ),
        # Its import ends after that of other ranks has begun.
        helper="from mpi4py import MPI\nMPI.COMM_WORLD.Barrier()\nseen = []\nname = __name__\n",
    )
    before = dict(sys.modules)
    argv, path_before = sys.argv, list(sys.path)
    simulate(path, 3, args=["a", "b"])
    assert capsys.readouterr().out == f"done ['{path}', 'a', 'b'] helper\n"
    assert (sys.argv, sys.path) == (argv, path_before)
    assert sys.modules["__main__"] is before["__main__"]
    assert "helper" not in sys.modules
    # Another folder's module of this name is another module.
    other = tmp_path / "other"
    other.mkdir()
    simulate(write(other, main="import helper\nprint(helper.x)\n", helper="x = 5\n"), 1)
    assert capsys.readouterr().out == "5\n"


def test_objects_of_classes_beside_the_script_arrive(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        main=(
            "from mpi4py import MPI\nimport kinds\ncomm = MPI.COMM_WORLD\n"
            "came = comm.sendrecv(kinds.Point(comm.rank), dest=comm.rank ^ 1)\n"
            "assert type(came) is kinds.Point and came.x == comm.rank ^ 1\n"
        ),
        kinds="import dataclasses\n@dataclasses.dataclass\nclass Point:\n    x: int\n",
    )
    simulate(path, 2)


def test_everything_is_as_before_after_a_script_that_fails(tmp_path: Path) -> None:
    path = write(tmp_path, main="import helper\nhelper.fail()\n", helper="def fail(): 1 / 0\n")
    before = dict(sys.modules), list(sys.path), list(sys.meta_path), sys.stdout, sys.argv
    with pytest.raises(ProgramError, match=r"rank 0 \(.*helper\.py:1\): ZeroDivisionError"):
        simulate(path, 2, has_prefix=True)
    added = set(sys.modules) - set(before[0])
    assert not {name for name in added if "mpi4py" in name or name == "helper"}
    assert (sys.path, sys.meta_path, sys.stdout, sys.argv) == (*before[1:],)
    assert sys.modules["__main__"] is before[0]["__main__"]


def test_lines_begin_with_their_rank_if_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(
        tmp_path,
        main=(
            "from mpi4py import MPI\ncomm = MPI.COMM_WORLD\nprint('one', end=' ')\n"
            "comm.Barrier()\nprint('line')\nprint('open', end='')\n"
        ),
    )
    simulate(path, 2, has_prefix=True)
    assert capsys.readouterr().out == "[0] one line\n[1] one line\n[0] open\n[1] open\n"


def test_a_script_that_is_no_python_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"main\.py"):
        simulate(write(tmp_path, main="if:\n"), 1)
