# SPDX-License-Identifier: Apache-2.0
"""Compiled programs on the cores of a network: values in C, and programs that go wrong.

`noccl build` fetches its compiler the first time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import repository
from tests.case_numbers import cases
from tests.real_outputs import real_output

SOURCES = repository.ROOT / "programs"
NOCCL = Path(sys.executable).parent / "noccl"


def noccl(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(NOCCL), *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, check=False, text=True)


def built(source: str, folder: Path, *options: str) -> Path:
    program = folder / "program.elf"
    made = noccl("build", SOURCES / source, "-o", program, *options)
    assert made.returncode == 0, made.stderr
    return program


def report(program: Path, ranks: int, *options: object) -> dict[str, Any]:
    ran = noccl("run", program, "--program", "--ranks", ranks, "--json", *options)
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def on_cores(spec: str) -> list[str]:
    return ["--spec", spec]


@pytest.fixture(scope="module")
def collectives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("tests/ranks/collectives.c", tmp_path_factory.mktemp("collectives"))


def test_broadcasts_are_refused_where_they_could_mix(collectives: Path) -> None:
    # The library fills streams for FIFOs of 3 words: with 5, random programs got words of the next
    # broadcast.
    options = ("--ranks", 6, *on_cores("tilepro64_4x4"), "-P")
    fifos = "router.static_network.input_fifo_flits"
    refused = noccl("run", "program", collectives, *options, f"{fifos}=5")
    assert refused.returncode == 2
    assert f"{fifos} up to 3, here it is 5" in refused.stderr
    assert noccl("run", "program", collectives, *options, f"{fifos}=1").returncode == 0


@pytest.mark.parametrize("ranks", cases([1, 6, 7, 16], [1, 2, 5, 6, 7, 9, 11, 16]))
def test_collectives_and_messages_give_every_rank_its_part(collectives: Path, ranks: int) -> None:
    found = report(collectives, ranks, *on_cores("tilepro64_4x4"))
    assert found["ranks"][0]["console"] == "ok\n"
    assert all(rank["exit_code"] == 0 for rank in found["ranks"])


@pytest.mark.parametrize("name", ["mpi_groups", "mpi_requests"])
def test_groups_and_requests_are_those_of_real_mpi(tmp_path: Path, name: str) -> None:
    program = built(f"tests/ranks/{name}.c", tmp_path)
    for ranks in (1, 2, 5, 6, 16):
        found = report(program, ranks, *on_cores("tilepro64_4x4"))
        assert found["ranks"][0]["console"] == real_output(name, ranks)
        assert all(rank["exit_code"] == 0 for rank in found["ranks"])


@pytest.mark.parametrize(
    "override", ["router.udn.input_fifo_flits=1", "core.receive_store_words=37"]
)
def test_requests_depend_on_no_fifo(tmp_path: Path, override: str) -> None:
    program = built("tests/ranks/mpi_requests.c", tmp_path)
    options = on_cores("tilepro64_3x2")
    found = report(program, 6, *options, "-P", override)
    assert found["ranks"][0]["console"] == report(program, 6, *options)["ranks"][0]["console"]


@pytest.mark.parametrize("ranks", [2, 6])
def test_calls_of_mpi_do_what_they_do_in_real_mpi(tmp_path: Path, ranks: int) -> None:
    """The program checks itself; real MPI shows that the checks are right."""
    program = built("tests/ranks/mpi.c", tmp_path)
    found = report(program, ranks, *on_cores("tilepro64_4x4"))
    assert found["ranks"][0]["console"] == "ok\n"
    assert all(rank["exit_code"] == 0 for rank in found["ranks"])
    assert real_output("mpi", ranks) == "ok\n"


@pytest.mark.parametrize(
    ("name", "size"),
    [("jacobi", "SIDE=16"), ("sample_sort", "KEYS=32"), ("tensor_parallel", "HIDDEN=16")],
)
def test_examples_find_their_results_over_ports_and_by_calls(
    tmp_path: Path, name: str, size: str
) -> None:
    for options, spec in ((), "tilepro64_2x2"), (("--calls",), "collective_noc_4x4"):
        program = built(f"examples/{name}.c", tmp_path, "-D", size, *options)
        found = report(program, 4, *on_cores(spec))
        assert found["ranks"][0]["console"].startswith(f"{name} ok, ")
        assert all(rank["exit_code"] == 0 for rank in found["ranks"])


@pytest.mark.parametrize(
    "override",
    [
        "router.udn.input_fifo_flits=1",
        "router.udn.hop_cycles=2",
        "router.static_network.input_fifo_flits=1",
        "router.static_network.port_fifo_words=1",
        "core.receive_store_words=37",
    ],
)
def test_values_depend_on_no_fifo(collectives: Path, override: str) -> None:
    found = report(collectives, 6, *on_cores("tilepro64_3x2"), "-P", override)
    assert found["ranks"][0]["console"] == "ok\n"


def test_a_ring_adds_all_ranks_and_repeats_its_cycles(tmp_path: Path) -> None:
    program = built("examples/ring.c", tmp_path)
    first = report(program, 16, *on_cores("tilepro64_4x4"))
    assert first["ranks"][0]["console"] == "the sum of all ranks is 120\n"
    assert first == report(program, 16, *on_cores("tilepro64_4x4"))
    cheap = report(program, 16, *on_cores("tilepro64_4x4"), "--costs", "one_cycle")
    assert cheap["cycles"] < first["cycles"]
    for rank in first["ranks"]:
        parts = ("compute_cycles", "send_wait_cycles", "receive_wait_cycles")
        assert sum(rank[part] for part in parts) == rank["finish_cycle"]


@pytest.mark.parametrize(
    ("case", "code", "parts"),
    [
        (0, 1, ["rank 1", "words in NOCCL_PORT_WAIT", "nm_next_unit"]),
        (1, 1, ["rank 1", "names tile (200,0)", "columns 0 to 3"]),
        (2, 1, ["rank 1", "main"]),
        (3, 1, ["rank 1", "a load from NOCCL_PORT_SEND"]),
        # Ranks that end with a status give it to the command: 134 is that of abort().
        (4, 7, []),
        (5, 134, []),
        (10, 134, []),
        (11, 134, []),
        (12, 134, []),
    ],
)
def test_programs_that_go_wrong_end_with_rank_and_place(
    tmp_path: Path, case: int, code: int, parts: list[str]
) -> None:
    program = built("tests/ranks/broken.c", tmp_path, "-D", f"CASE={case}")
    options = [*on_cores("tilepro64_4x4"), "--max-cycles", "1000000"]
    ran = noccl("run", program, "--program", "--ranks", 4, *options)
    assert ran.returncode == code, ran.stderr
    for part in parts:
        assert part in ran.stderr, ran.stderr
    printed = {
        5: "longer than its buffer",
        10: "a message of 16 MiB or more; accepted: up to 16777215 bytes",
        11: "a communicator that there is not",
        12: "more than 60 communicators; accepted: MPI_Comm_free",
    }
    assert printed.get(case, "") in ran.stdout


def test_what_cannot_run_is_refused(tmp_path: Path) -> None:
    program = built("examples/ring.c", tmp_path)
    for arguments, part in [
        (["--ranks", 17, *on_cores("tilepro64_4x4")], "1 to 16"),
        (["--ranks", 0, *on_cores("tilepro64_4x4")], "1 to 16"),
        (["--ranks", 4, "--spec", "collective_noc_4x4"], "noccl build --calls"),
        (["--ranks", 4, *on_cores("tilepro64_4x4"), "--costs", "free"], "in_order"),
        (["--ranks", 4, *on_cores("tilepro64_4x4"), "--program-memory", "4KiB"], "memory"),
    ]:
        ran = noccl("run", program, "--program", *arguments)
        assert ran.returncode == 2, (arguments, ran.stderr)
        assert part in ran.stderr, (arguments, ran.stderr)
    text = tmp_path / "text.elf"
    text.write_text("no program")
    ran = noccl("run", text, "--program", "--ranks", 4, *on_cores("tilepro64_4x4"))
    assert ran.returncode == 2, ran.stderr
    assert "ELF" in ran.stderr


def copied_checkpoints(command: list[str], folder: Path, seconds: float) -> list[Path]:
    """Runs a command that saves now and then; returns copies of some of what it has saved."""
    saved = folder / "run.ckpt"
    options = ["--checkpoint", str(saved), "--checkpoint-every", str(seconds)]
    # In the order of the run.
    contents: dict[bytes, None] = {}
    with subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL) as running:
        while running.poll() is None and len(contents) < 12:
            if saved.exists():
                # A save replaces the file as a whole.
                contents[saved.read_bytes()] = None
            time.sleep(0.02)
        assert running.wait() == 0
    contents[saved.read_bytes()] = None
    # Of a short run the first one and one of its middle.
    chosen = cases([*contents][: len(contents) // 2 + 1 : max(1, len(contents) // 2)], [*contents])
    copies = [folder / f"{number}.ckpt" for number in range(len(chosen))]
    for copy, content in zip(copies, chosen, strict=True):
        copy.write_bytes(content)
    return copies


# Seconds from one checkpoint to the next: without a pause saving takes longer than the run itself.
@pytest.mark.parametrize(
    ("source", "seconds"), [("tests/ranks/collectives.c", 0.1), ("examples/jacobi.c", 0.01)]
)
def test_a_run_goes_on_from_its_checkpoints(tmp_path: Path, source: str, seconds: float) -> None:
    """Packets and broadcasts of the static network are on their path in them."""
    program = built(source, tmp_path)
    options = on_cores("tilepro64_4x4")
    whole = report(program, 16, *options)
    command = [str(NOCCL), "run", str(program), "--program", "--ranks", "16", *options]
    checkpoints = copied_checkpoints(command, tmp_path, cases(seconds, 0.000001))
    assert len(checkpoints) > 1
    for checkpoint in checkpoints:
        memories_bytes = 16 * 4 << 20
        assert checkpoint.stat().st_size < memories_bytes / 40
        assert report(program, 16, *options, "--resume", checkpoint) == whole


def test_runs_of_calls_and_of_scripts_refuse_to_be_saved(tmp_path: Path) -> None:
    program, script = built("examples/ring.c", tmp_path, "--calls"), tmp_path / "ring.py"
    script.write_text("")
    accepted = "accepted: with a schedule, or with a compiled program over ports"
    for file, what in (program, "open messages and collectives"), (script, "Python objects"):
        for option in "--checkpoint", "--resume":
            ran = noccl("run", file, "--program", "--ranks", 4, option, tmp_path / "run.ckpt")
            assert ran.returncode == 2, ran.stderr
            assert f"error: {option} " in ran.stderr
            assert what in ran.stderr
            assert accepted in ran.stderr


def test_a_root_reads_before_the_words_of_its_last_broadcast_have_left(
    tmp_path: Path,
) -> None:
    program = built("tests/ranks/two_roots.c", tmp_path)
    found = report(program, 4, *on_cores("tilepro64_4x4"))
    assert [rank["console"] for rank in found["ranks"]] == 4 * ["ok\n"]


UNTIMED = """
#include <noccl.h>
static void work(int steps) {
  for (int step = 0; step < steps; step++) __asm__ volatile("nop");
}
int main(void) {
  noccl_store(NOCCL_PORT_UNTIMED, CASE != 0);
  work(STEPS);
  if (CASE == 2) noccl_store(NOCCL_PORT_SEND, 0);
  noccl_store(NOCCL_PORT_UNTIMED, 0);
  return 0;
}
"""


def test_untimed_code_takes_no_time_and_has_neither_words_nor_endless_loops(tmp_path: Path) -> None:
    (tmp_path / "untimed.c").write_text(UNTIMED)

    def ran(case: int, steps: int) -> subprocess.CompletedProcess[str]:
        defined = ["-D", f"CASE={case}", "-D", f"STEPS={steps}"]
        program = built(str(tmp_path / "untimed.c"), tmp_path, *defined)
        limits = [*on_cores("tilepro64_4x4"), "--max-cycles", 10_000_000]
        return noccl("run", program, "--program", "--ranks", 2, "--json", *limits)

    def cycles(case: int, steps: int) -> int:
        found = ran(case, steps)
        assert found.returncode == 0, found.stderr
        return int(json.loads(found.stdout)["cycles"])

    assert cycles(0, 5000) - cycles(0, 1000) >= 4000
    assert cycles(1, 5000) == cycles(1, 1000) < cycles(0, 1000)
    for case, steps, part in [
        (2, 1, "an access to NOCCL_PORT_SEND in untimed code; accepted: WAITED, "),
        (1, 2_000_000, "1048576 cycles of untimed code"),
    ]:
        wrong = ran(case, steps)
        assert wrong.returncode == 1, wrong.stderr
        assert part in wrong.stderr, wrong.stderr
