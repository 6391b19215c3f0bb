# SPDX-License-Identifier: Apache-2.0
"""Functions of MPI beyond messages and collectives, in C: ranks print what real MPI prints."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

import mpi_c_page
import repository
from tests.real_outputs import real_output
from tests.test_programs_of_calls import built, ran, report, said

SOURCES = repository.ROOT / "programs" / "tests" / "ranks"
NOCCL = Path(sys.executable).parent / "noccl"
NETWORKS = ["collective_noc_4x4", "torrent_4x4", "tilepro64_4x4"]
# Number of ranks: one that is a product and one that is not.
PROGRAMS = [
    ("surface_names", 4),
    ("surface_groups", 7),
    ("surface_cart", 6),
    ("surface_types", 4),
    ("surface_types", 7),
    ("surface_operators", 6),
    ("surface_requests", 5),
    ("surface_windows", 5),
    ("surface_nonblocking", 5),
    ("surface_graphs", 6),
]


@pytest.mark.parametrize(("name", "ranks"), PROGRAMS)
def test_ranks_print_what_they_print_in_real_mpi(tmp_path: Path, name: str, ranks: int) -> None:
    program = built(f"tests/ranks/{name}.c", tmp_path / "program.elf", "--calls")
    wanted = real_output(name, ranks)
    for spec in NETWORKS:
        assert report(program, ranks, spec)["ranks"][0]["console"] == wanted, spec


@pytest.mark.parametrize("name", ["surface_names", "surface_groups"])
def test_what_needs_no_calls_is_there_over_ports(tmp_path: Path, name: str) -> None:
    program = built(f"tests/ranks/{name}.c", tmp_path / "program.elf")
    wanted = real_output(name, dict(PROGRAMS)[name])
    found = report(program, dict(PROGRAMS)[name], "tilepro64_4x4")
    assert found["ranks"][0]["console"] == wanted


# Rank 1 prints after how many ns its access to rank 0, which computes, has been carried out.
PASSIVE = """
#include <mpi.h>
#include <stdio.h>
int main(int c, char **v) {
  int rank, *memory, one = 1;
  MPI_Win window;
  MPI_Init(&c, &v);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  if (rank == 0) {
    for (volatile int i = 0; i < 20000; i++) {}
  } else {
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    printf("%.0f", (MPI_Wtime() - begin) * 1e9);
    MPI_Win_unlock_all(window);
  }
  MPI_Win_free(&window);
  MPI_Finalize();
}
"""


def test_only_targets_on_core_tiles_have_to_call_for_progress(tmp_path: Path) -> None:
    source = tmp_path / "passive.c"
    source.write_text(PASSIVE)
    program = built(str(source), tmp_path / "passive.elf", "--calls")
    for spec in ("collective_noc_4x4", "torrent_4x4", "smart_4x4"):
        assert float(report(program, 2, spec)["ranks"][1]["console"]) < 10_000, spec
    assert float(report(program, 2, "tilepro64_4x4")["ranks"][1]["console"]) > 20_000


WINDOW = "MPI_Win w; MPI_Win_create(n, 16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &w);"
TUTORIAL = [
    ("hello", 4, ("one", "the last")),
    ("pi", 4, ("3000",)),
    ("ping_pong", 4, ()),
    ("matrix", 6, ()),
    ("sort", 5, ("30",)),
    ("life", 4, ("board.txt", "6")),
]


@pytest.mark.parametrize(("name", "ranks", "arguments"), TUTORIAL)
def test_programs_of_a_first_course_run_everywhere(
    tmp_path: Path, name: str, ranks: int, arguments: tuple[str, ...]
) -> None:
    program = built(f"tests/tutorial/{name}.c", tmp_path / f"{name}.elf", "--calls")
    wanted = real_output(name, ranks, *arguments, folder="tutorial")
    board = SOURCES.parent / "tutorial" / "board.txt"
    given = ["--file", f"{board}=board.txt"] if name == "life" else []
    for spec in NETWORKS:
        found = report(program, ranks, spec, *given, "--", *arguments)
        assert found["ranks"][0]["console"] == wanted, spec


RACE = """
#include <mpi.h>
int main(int c, char **v) {
  int rank, *memory, zero = 0;
  MPI_Win w;
  MPI_Init(&c, &v);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &w);
  MPI_Win_fence(0, w);
  BODY
  MPI_Win_free(&w);
  MPI_Finalize();
}
"""
PUT = "MPI_Put(&rank, 1, MPI_INT, 0, PLACE, 1, MPI_INT, w);"
ADD = "MPI_Accumulate(&rank, 1, MPI_INT, 0, PLACE, 1, MPI_INT, MPI_SUM, w);"


@pytest.mark.parametrize(
    ("body", "is_race"),
    [
        (PUT.replace("PLACE", "3"), True),
        (PUT.replace("PLACE", "rank"), False),
        (f"if (rank == 1) {{ {PUT} }} MPI_Win_fence(0, w); if (rank == 2) {{ {PUT} }}", False),
        (ADD.replace("PLACE", "3"), False),
        (f"if (rank == 1) {{ {ADD} }} if (rank == 2) {{ {PUT} }}", True),
        (
            "MPI_Win_fence(MPI_MODE_NOSUCCEED, w); MPI_Win_lock(1, 0, 0, w);"
            f"{PUT} MPI_Win_unlock(0, w);",
            False,
        ),
    ],
)
def test_accesses_that_conflict_between_two_fences_are_reported(
    tmp_path: Path, body: str, is_race: bool
) -> None:
    source = tmp_path / "race.c"
    end = "" if "NOSUCCEED" in body else "MPI_Win_fence(0, w);"
    source.write_text(RACE.replace("BODY", body.replace("PLACE", "2") + end))
    program = built(str(source), tmp_path / "race.elf", "--calls")
    for spec in ("collective_noc_4x4", "tilepro64_4x4"):
        run = ran(program, 3, spec)
        assert run.returncode == 0, run.stderr
        assert ("warning: race: rank" in run.stderr) == is_race
        assert run.stderr.count("in main+0x") == (2 if is_race else 0) * run.stderr.count("race:")
        assert bool(report(program, 3, spec).get("warnings")) == is_race


def test_a_program_with_windows_is_not_recorded(tmp_path: Path) -> None:
    source = tmp_path / "window.c"
    source.write_text(RACE.replace("BODY", PUT.replace("PLACE", "rank") + "MPI_Win_fence(0, w);"))
    program = built(str(source), tmp_path / "window.elf", "--calls")
    trace = tmp_path / "window.messages"
    run = ran(program, 3, "collective_noc_4x4", "--record", trace)
    assert run.returncode != 0
    assert "--record" in run.stderr
    assert "accepted: the program has windows" not in run.stderr
    assert "windows" in run.stderr
    assert not trace.exists()


def test_list_and_page_are_those_of_the_header() -> None:
    stale = "stale: run python tools/mpi_c_page.py"
    page = mpi_c_page.PAGE.read_text(encoding="utf-8")
    assert mpi_c_page.NAMES.split(page)[1] == mpi_c_page.text(), stale
    assert mpi_c_page.LIST.read_text(encoding="utf-8") == mpi_c_page.listed(), stale


def test_the_list_of_functions_is_what_programs_have(tmp_path: Path) -> None:
    with (repository.ROOT / "docs" / "mpi_names_c.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    source, program = tmp_path / "all.c", tmp_path / "all.elf"
    named = [row["function"] for row in rows if row["calls"] == "yes"]
    source.write_text(
        f"#include <mpi.h>\nvoid *all[] = {{{', '.join(named)}}};\n"
        "int main(int c, char **v) { return all[c] == (void *)v; }\n"
    )
    assert said(NOCCL, "build", source, "-o", program, "--calls").returncode == 0
    over_ports = said(NOCCL, "build", source, "-o", program)
    for row in rows:
        is_missing = f"{row['function']} is defined neither" in over_ports.stderr
        assert is_missing == (row["calls"] == "yes" and row["ports"] == "no"), row
        assert (row["calls"] == "yes") != bool(row["why not provided"])


def test_derived_datatypes_over_ports_are_refused_by_name(tmp_path: Path) -> None:
    source = SOURCES / "surface_types.c"
    made = said(NOCCL, "build", source, "-o", tmp_path / "p.elf")
    assert made.returncode == 2
    assert "MPI_Type_vector is defined neither" in made.stderr
    assert "noccl build --calls" in made.stderr


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("MPI_Cart_coords(MPI_COMM_WORLD, 0, 2, n);", "without a Cartesian topology"),
        ("MPI_Datatype t = 70; MPI_Type_commit(&t);", "a datatype that there is not"),
        (
            "MPI_Datatype t; MPI_Type_contiguous(2, MPI_INT, &t);"
            "MPI_Allreduce(n, n + 8, 1, t, MPI_SUM, MPI_COMM_WORLD);",
            "an operator that the datatype does not have",
        ),
        ("MPI_Allreduce(n, n + 8, 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD);", "MPI_Op_create"),
        ("MPI_Request r = MPI_REQUEST_NULL; MPI_Start(&r);", "that is not persistent"),
        (
            "MPI_Group g, h; MPI_Comm_group(MPI_COMM_WORLD, &g); n[0] = 9;"
            "MPI_Group_incl(g, 1, n, &h);",
            "a rank that the group does not have",
        ),
        ("int p = 0; MPI_Pack(n, 9, MPI_INT, n, 8, &p, MPI_COMM_WORLD);", "more bytes than"),
        (WINDOW + "MPI_Put(n, 1, MPI_INT, 0, 0, 1, MPI_INT, w);", "that nothing has begun"),
        (
            WINDOW + "MPI_Win_fence(0, w); MPI_Get(n, 1, MPI_INT, 0, 4, 1, MPI_INT, w);",
            "outside the window of its target",
        ),
        (
            WINDOW + "MPI_Win_lock_all(0, w);"
            "MPI_Accumulate(n, 1, MPI_LONG_DOUBLE, 0, 0, 1, MPI_LONG_DOUBLE, MPI_SUM, w);",
            "without long double",
        ),
        (
            WINDOW + "MPI_Win_lock_all(0, w);"
            "MPI_Accumulate(n, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_BOR, w);",
            "an operator that the datatype does not have",
        ),
        (WINDOW + "MPI_Win_unlock(0, w);", "that is not locked"),
        (
            "MPI_Win w; MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &n, &w);",
            "MPI_Win_allocate_shared of several ranks",
        ),
        (
            "MPI_Neighbor_allgather(n, 1, MPI_INT, n, 1, MPI_INT, MPI_COMM_WORLD);",
            "accepted: a grid or a graph",
        ),
        ("MPI_Comm m; MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &m);", "no intercommunicators"),
        ("MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_RANK);", "Invalid rank"),
        ("MPI_Comm_set_attr(MPI_COMM_WORLD, 3, n);", "accepted: one of MPI_Comm_create_keyval"),
        ("n[0] = 3; MPI_Dims_create(4, 2, n);", "do not divide the size"),
    ],
)
def test_wrong_arguments_end_the_run_with_rank_and_location(
    tmp_path: Path, body: str, part: str
) -> None:
    source = tmp_path / "wrong.c"
    source.write_text(
        "#include <mpi.h>\nint main(int c, char **v) {\n"
        f"  int n[16] = {{0}};\n  MPI_Init(&c, &v);\n  {body}\n  MPI_Finalize();\n}}\n"
    )
    program = tmp_path / "wrong.elf"
    made = said(NOCCL, "build", source, "-o", program, "--calls")
    assert made.returncode == 0, made.stderr
    run = ran(program, 2, "collective_noc_4x4")
    assert run.returncode == 1
    assert part in run.stderr, run.stderr
    assert "rank 0 at " in run.stderr
