# SPDX-License-Identifier: Apache-2.0
"""Programs in C whose calls of MPI are carried out on every network, beside real MPI.

`noccl build` fetches its compiler the first time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import repository
from tests.case_numbers import cases
from tests.real_outputs import real_output

SOURCES = repository.ROOT / "programs"
BIN = Path(sys.executable).parent
NETWORKS = ["collective_noc_4x4", "torrent_4x4", "smart_4x4", "tilepro64_4x4"]


def said(*command: object) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, check=False, text=True)


def built(source: str, program: Path, *options: str) -> Path:
    made = said(BIN / "noccl", "build", SOURCES / source, "-o", program, *options)
    assert made.returncode == 0, made.stderr
    return program


def ran(program: Path, ranks: int, spec: str, *options: object) -> subprocess.CompletedProcess[str]:
    command = [BIN / "noccl", "run", program, "--program", "--ranks", ranks, "--spec", spec]
    return said(*command, *options)


def report(program: Path, ranks: int, spec: str, *options: object) -> dict[str, Any]:
    run = ran(program, ranks, spec, "--json", *options)
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("calls")


@pytest.fixture(scope="module")
def of_calls(folder: Path) -> Path:
    return built("tests/ranks/mpi_calls.c", folder / "calls.elf", "--calls")


@pytest.fixture(scope="module")
def of_ports(folder: Path) -> Path:
    return built("tests/ranks/mpi_calls.c", folder / "ports.elf")


def prints_everywhere(program: Path, ranks: int, wanted: str) -> None:
    """Does rank 0 print that on every network, and does each rank's time add up?"""
    for spec in NETWORKS:
        found = report(program, ranks, spec)
        assert found["ranks"][0]["console"] == wanted, spec
        for rank in found["ranks"]:
            parts = ("compute_cycles", "send_cycles", "receive_cycles", "wait_cycles")
            assert sum(rank[part] for part in parts) == rank["finish_cycle"], spec


def test_one_program_prints_what_real_mpi_prints_over_ports_and_calls(
    of_ports: Path, of_calls: Path
) -> None:
    wanted = real_output("mpi_calls", 5)
    assert report(of_ports, 5, "tilepro64_4x4")["ranks"][0]["console"] == wanted
    prints_everywhere(of_calls, 5, wanted)


def test_a_report_names_the_algorithms_of_collectives_and_why(of_calls: Path) -> None:
    rows = report(of_calls, 5, "collective_noc_4x4")["collectives"]
    found = {(row["collective"], row["bytes"]): row for row in rows}
    assert len(found) == len(rows)
    assert found["multicast", 256]["algorithm"] == "in_network"
    assert found["multicast", 256]["reason"] is None
    assert found["Allreduce", 256]["algorithm"] == "messages"
    assert "no algorithm" in found["Allreduce", 256]["reason"]
    assert found["barrier", 0]["calls"] > 1


@pytest.mark.parametrize("name", ["mpi_groups", "mpi_requests"])
def test_groups_prefixes_and_probes_are_those_of_real_mpi(folder: Path, name: str) -> None:
    program = built(f"tests/ranks/{name}.c", folder / f"{name}.elf", "--calls")
    for ranks in (1, 7):
        prints_everywhere(program, ranks, real_output(name, ranks))


def test_blocks_and_order_of_receives_are_right_everywhere(folder: Path) -> None:
    program = built("tests/ranks/mpi.c", folder / "mpi.elf", "--calls")
    prints_everywhere(program, 6, "ok\n")


def test_a_ring_runs_everywhere_and_repeats_its_cycles(tmp_path: Path) -> None:
    program = built("examples/ring.c", tmp_path / "ring.elf", "--calls")
    cycles = set()
    for spec in NETWORKS:
        first = report(program, 16, spec)
        assert first["ranks"][0]["console"] == "the sum of all ranks is 120\n"
        assert first == report(program, 16, spec)
        cheap = report(program, 16, spec, "--costs", "one_cycle")
        assert cheap["cycles"] < first["cycles"]
        cycles.add(first["cycles"])
    assert len(cycles) == len(NETWORKS)


@pytest.mark.parametrize(
    ("case", "parts"),
    [
        (
            0,
            ["rank 1", "waits for a message from rank 0 with tag 3", "main+0x", "rank 0 has ended"],
        ),
        (1, ["rank 1 at main+0x", "NOCCL_PORT_SEND", "without --calls"]),
        (2, ["rank 1 at main+0x", "store of 4 bytes at 0x8"]),
        (4, []),
        (5, ["rank 1 at main+0x", "at most 4 bytes", "rank 0 at main+0x", "sends 8 bytes"]),
        (6, ["rank 1 at main+0x", "MPI_Bcast", "rank 0 at main+0x", "MPI_Barrier"]),
        (7, ["rank 1 at main+0x", "destination 99"]),
        (8, ["rank 1 at main+0x", "MPI_Abort with code 3"]),
        (9, ["rank 1", "executes without a call", "main+0x"]),
    ],
)
def test_programs_that_go_wrong_end_with_ranks_and_places(
    tmp_path: Path, case: int, parts: list[str]
) -> None:
    program = built(
        "tests/ranks/broken.c", tmp_path / "broken.elf", "--calls", "-D", f"CASE={case}"
    )
    run = ran(program, 4, "collective_noc_4x4", "--max-cycles", 1000000)
    assert run.returncode == (7 if case == 4 else 1), run.stderr
    for part in parts:
        assert part in run.stderr, run.stderr


def test_each_kind_of_program_is_refused_where_it_cannot_run(
    of_calls: Path, of_ports: Path, tmp_path: Path
) -> None:
    for program, ranks, spec, part in [
        (of_ports, 4, "collective_noc_4x4", "noccl build --calls"),
        (of_calls, 17, "collective_noc_4x4", "1 to 16"),
        (of_calls, 4, "esp_4x4", "esp"),
    ]:
        run = ran(program, ranks, spec)
        assert run.returncode == 2, run.stderr
        assert part in run.stderr
    source = tmp_path / "library.c"
    source.write_text("#include <nocmsg.h>\nint main(void) { nm_barrier(); return 0; }\n")
    made = said(BIN / "noccl", "build", source, "-o", tmp_path / "out.elf", "--calls")
    assert made.returncode == 2
    assert "nm_barrier" in made.stderr


def replay(trace: Path, spec: str) -> dict[str, Any]:
    run = said(BIN / "noccl", "run", trace, "--messages", "--spec", spec, "--json")
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


@pytest.mark.parametrize("spec", NETWORKS)
def test_the_replay_of_what_was_recorded_takes_the_same_cycles(
    spec: str, of_calls: Path, tmp_path: Path
) -> None:
    trace = tmp_path / "calls.messages"
    found = report(of_calls, 8, spec, "--record", trace)
    assert replay(trace, spec)["cycles"] == found["cycles"]


def test_a_program_over_ports_is_recorded(of_ports: Path, tmp_path: Path) -> None:
    recorder = SOURCES / "recorder" / "cores"
    options = [*map(str, sorted(recorder.glob("*.c"))), "-I", str(recorder)]
    program = built("tests/ranks/mpi_calls.c", tmp_path / "ports.elf", *options)
    trace = tmp_path / "ports.messages"
    found = report(program, 5, "tilepro64_4x4", "--record", trace)
    plain = report(of_ports, 5, "tilepro64_4x4")
    assert found["ranks"][0]["console"] == plain["ranks"][0]["console"]
    ranks = replay(trace, "tilepro64_4x4")["ranks"]
    assert sum(rank["messages"] for rank in ranks) > 0
    for sent, received in [("messages", "received_messages"), ("bytes", "received_bytes")]:
        assert sum(rank[sent] for rank in ranks) == sum(rank[received] for rank in ranks)
    refused = ran(of_ports, 5, "tilepro64_4x4", "--record", trace)
    assert refused.returncode == 2
    assert "rank 0': it has printed no trace" in refused.stderr
    source, output = SOURCES / "tests" / "ranks" / "mpi_groups.c", tmp_path / "groups.elf"
    made = said(BIN / "noccl", "build", source, "-o", output, *options)
    assert made.returncode == 2
    assert "noccl_does_not_record_MPI_Comm_split" in made.stderr


def test_the_replay_over_ports_takes_the_cycles_of_the_message_library(tmp_path: Path) -> None:
    recorder = SOURCES / "recorder" / "cores"
    options = [*map(str, sorted(recorder.glob("*.c"))), "-I", str(recorder)]
    kernel = [str(SOURCES / "npb" / name) for name in ("random.c", "report.c")]
    memory = ("--program-memory", "16MiB")
    plain = built("npb/is.c", tmp_path / "is.elf", *kernel)
    recorded = built("npb/is.c", tmp_path / "recorded.elf", *kernel, *options)
    trace = tmp_path / "is.messages"
    ranks, spec = cases((8, "tilepro64_4x2"), (16, "tilepro64_4x4"))
    report(recorded, ranks, spec, *memory, "--record", trace)
    executed = report(plain, ranks, spec, *memory)["cycles"]
    replayed = replay(trace, spec)
    assert replayed["library"] == "recorded"
    assert abs(replayed["cycles"] / executed - 1) < 0.02


BLOCKS = """
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, counts[16], starts[16], all[32], own[2] = {1, 2};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int other = 0; other < 16; other++) {
    counts[other] = other == 0 || other == 5 || other == 6 || other == 15 ? 0 : 2;
    starts[other] = 2 * other;
  }
  MPI_Allgatherv(own, counts[rank], MPI_INT, all, counts, starts, MPI_INT, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


def test_streams_of_allgatherv_have_the_ranks_with_bytes_as_roots(tmp_path: Path) -> None:
    recorder = SOURCES / "recorder" / "cores"
    options = [*map(str, sorted(recorder.glob("*.c"))), "-I", str(recorder)]
    source, trace = tmp_path / "blocks.c", tmp_path / "blocks.messages"
    source.write_text(BLOCKS)
    program = built(str(source), tmp_path / "blocks.elf", *options)
    report(program, 16, "tilepro64_4x4", "--record", trace)
    streams = [line for line in trace.read_text().splitlines() if line.startswith("library bcast")]
    roots = [root for root in range(16) if root not in (0, 5, 6, 15)]
    assert streams == 16 * [f"library bcast 0 {root} 8" for root in roots]
    assert replay(trace, "tilepro64_4x4")["library"] == "recorded"


CALLS = """
#include <mpi.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (int call = 0; call < 8; call++) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


def test_between_two_calls_that_follow_each_other_the_recorder_takes_next_to_nothing(
    tmp_path: Path,
) -> None:
    recorder = SOURCES / "recorder" / "cores"
    options = [*map(str, sorted(recorder.glob("*.c"))), "-I", str(recorder)]
    source, trace = tmp_path / "calls.c", tmp_path / "calls.messages"
    source.write_text(CALLS)
    program = built(str(source), tmp_path / "calls.elf", *options)
    report(program, 2, "tilepro64_4x4", "--record", trace)
    words = [line.split() for line in trace.read_text().splitlines()]
    between = sorted(int(line[1]) for line in words if line[0] == "compute")
    # The longest of each rank is before MPI_Init; the others are instructions of the loop.
    assert len(between) == 20
    assert between[-3] < 20
