# SPDX-License-Identifier: Apache-2.0
"""The command for scripts, and what is drawn of a program."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import noccl
from noccl.programs import __main__ as command
from noccl.programs import run
from noccl.programs.run import run_on
from tests.ideal_session import MESSAGE_CYCLES, IdealSession

ROOT = Path(__file__).resolve().parents[2]
NOCCL = Path(sys.executable).with_name("noccl")


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script that passes its argument on; the command runs it on a session without a network."""
    monkeypatch.setattr(command, "load", lambda *_, overrides: FakeNetwork(overrides))
    monkeypatch.setattr(run, "network_of", lambda network: network)
    monkeypatch.setattr(run, "open_session", ideal)
    path = tmp_path / "script.py"
    path.write_text(
        "import sys\nfrom mpi4py import MPI\ncomm = MPI.COMM_WORLD\n"
        "word = comm.sendrecv(sys.argv[1], dest=comm.rank ^ 1)\n"
        "assert word != 'bad'\nprint(word)\n",
        encoding="utf-8",
    )
    return path


class FakeNetwork:
    def __init__(self, overrides: dict[str, object]) -> None:
        self.name = "ideal" + "".join(f" {key} {value!r}" for key, value in overrides.items())


def ideal(_: object, ranks: int, *, max_cycles: int | None, **__: object) -> IdealSession:
    return IdealSession(ranks, max_cycles=max_cycles)


def test_a_summary_follows_what_the_script_prints(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--ranks", "2", "--prefix", str(script), "word"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "[0] word\n[1] word\n"
    summary = printed.err.splitlines()
    assert summary[0] == "network       ideal"
    assert f"cycles        {MESSAGE_CYCLES}" in summary
    assert "wait time     100.0 % of all ranks' cycles" in summary


@pytest.mark.parametrize("option", ["--checkpoint", "--checkpoint-every", "--resume"])
def test_options_of_runs_that_can_be_saved_are_refused(
    script: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(["--ranks", "2", option, "5", str(script), "word"])
    assert ended.value.code == 2
    refused = capsys.readouterr().err
    assert option in refused
    assert "'5': the Python objects of a script's ranks cannot be stored" in refused
    assert "accepted: with noccl run of a schedule, or of a compiled program over ports" in refused


def test_fields_of_the_spec_are_replaced(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["-n", "2", "--override", "a.b=3", "--override", "name=x", "--override", "c=true"]
    assert command.main([*options, str(script), "word"]) == 0
    assert "ideal a.b 3 name 'x' c True" in capsys.readouterr().err
    assert command.main(["-n", "2", "--override", "a", str(script), "word"]) == 1


def test_the_summary_is_json_if_asked(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = script.with_name("timeline.svg")
    options = ["-n", "2", "--json", "--timeline", str(picture)]
    assert command.main([*options, str(script), "word"]) == 0
    printed = capsys.readouterr()
    form = json.loads(printed.out)
    assert printed.err == "word\nword\n"
    assert form["cycles"] == MESSAGE_CYCLES
    assert [row["messages"] for row in form["ranks"]] == [1, 1]
    assert "<svg" in picture.read_text(encoding="utf-8")


def test_an_error_is_told_with_the_stack_of_its_rank(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["-n", "2", str(script), "bad"]) == 1
    told = capsys.readouterr().err.splitlines()
    assert told[-1].startswith(f"error: rank 0 ({script}:5): AssertionError")
    assert any("line 5, in <module>" in line for line in told)
    assert command.main(["-n", "2", "--max-cycles", "50", str(script), "word"]) == 1


def test_files_with_names_of_python_in_the_current_folder_are_not_imported(
    tmp_path: Path,
) -> None:
    for name in ("types", "random", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('imported')\n", encoding="utf-8")
    script = tmp_path / "scripts" / "hello.py"
    script.parent.mkdir()
    script.write_text("import random\nfrom mpi4py import MPI\nprint('hello')\n", encoding="utf-8")
    words = [str(NOCCL), "run", str(script), "--program", "--ranks", "2"]
    done = subprocess.run(words, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "hello\nhello\n")


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("sys.exit(3)", 3, "rank 1 (ends.py:6): ended with exit status 3"),
        ("sys.exit('no')", 1, "rank 1 (ends.py:6): ended with exit status 'no'"),
        ("comm.Abort(4)", 4, "rank 1 (ends.py:6): called Abort(4)"),
        ("raise ValueError", 1, "rank 1 (ends.py:6): ValueError"),
        (
            "os._exit(5)",
            5,
            "rank 1, whose last call is at ends.py:3, has ended the program with exit status 5",
        ),
        (
            "ctypes.string_at(0)",
            128 + signal.SIGSEGV,
            "rank 1, whose last call is at ends.py:3, has ended the program by signal 11",
        ),
        (
            "os.kill(os.getpid(), 9)",
            128 + 9,
            "rank 1, whose last call is at ends.py:3, has ended the program by signal 9",
        ),
        (
            "t = threading.Thread(target=comm.barrier); t.start(); t.join()",
            1,
            "rank 1: a thread that the rank has started calls a communicator",
        ),
    ],
)
def test_a_rank_that_ends_the_program_is_named_and_its_status_kept(
    tmp_path: Path, line: str, code: int, said: str
) -> None:
    script = tmp_path / "ends.py"
    lines = ["from mpi4py import MPI; comm = MPI.COMM_WORLD", "print('before')", "comm.barrier()"]
    lines += ["import ctypes, os, sys, threading", "if comm.rank == 1:", f"  {line}"]
    script.write_text("\n".join([*lines, "comm.barrier()"]), encoding="utf-8")
    words = [str(NOCCL), "run", "ends.py", "--program", "--ranks", "2"]
    done = subprocess.run(words, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"error: {said}"), done.stderr
    assert done.stdout == "before\nbefore\n"


@pytest.mark.parametrize("ends", ["while True: pass", "comm.Bcast(bytearray(1 << 28))"])
def test_a_signal_ends_what_the_ranks_do(tmp_path: Path, ends: str) -> None:
    """The command alone gets it, as from a supervisor, not the whole group, as from a terminal."""
    script = tmp_path / "long.py"
    begin = "from mpi4py import MPI; comm = MPI.COMM_WORLD\nprint('begun', flush=True)\n"
    script.write_text(begin + ends, encoding="utf-8")
    words = [str(NOCCL), "run", str(script), "--program", "--ranks", "4", "--collectives", "tree"]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    # Two seconds, and what a busy machine adds.
    assert time.monotonic() - start < 6
    assert process.returncode == 130
    assert said.splitlines()[-1] == "error: interrupted"


def test_clocks_of_a_script_go_with_the_simulation(tmp_path: Path) -> None:
    script = tmp_path / "clocks.py"
    script.write_text(
        "import time\nfrom mpi4py import MPI\n"
        "begin = time.perf_counter()\ntime.sleep(2e-6)\n"
        "print(round((time.perf_counter() - begin) * 1e9), time.time_ns(), MPI.Wtime())\n",
        encoding="utf-8",
    )
    words = [str(NOCCL), "run", str(script), "--program", "--ranks", "1"]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    slept, now, seconds = done.stdout.split()
    # With the cycles that a wait takes to begin.
    assert 2000 <= int(slept) < 2100
    assert int(slept) == int(now) == round(float(seconds) * 1e9)


def test_a_reader_that_ends_early_ends_the_program_without_a_word(tmp_path: Path) -> None:
    script = tmp_path / "lines.py"
    script.write_text("for n in range(100000): print(n)\n", encoding="utf-8")
    words = [sys.executable, "-m", "noccl.programs", "--ranks", "2", str(script)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"0\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == -signal.SIGPIPE


def test_a_timeline_has_a_bar_per_activity_and_a_name_per_kind() -> None:
    def program(comm: Any) -> None:
        comm.compute(cycles=30 * (comm.rank + 1))
        comm.Barrier()

    result = run_on(IdealSession(3), program, 3, name="ideal")
    figure = noccl.plot_timeline(result.timeline)
    (axes,) = figure.axes
    assert len(axes.patches) == len(result.timeline) == 6
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        "calls barrier",
        "computes",
    ]
    with pytest.raises(noccl.ArgumentError, match="rows of kind 'program'"):
        noccl.plot_timeline(result.ranks)


def test_the_page_shows_the_solver_of_the_experiments() -> None:
    page = (ROOT / "docs" / "how-to" / "run-an-mpi-program.md").read_text(encoding="utf-8")
    solver = (ROOT / "experiments" / "programs" / "jacobi.py").read_text(encoding="utf-8")
    assert f"```python jacobi.py\n{solver}```" in page
    in_c = (ROOT / "programs" / "examples" / "conjugate_gradient.c").read_text(encoding="utf-8")
    assert f"```c conjugate_gradient.c\n{in_c}```" in page


def test_what_a_script_calls_is_recorded_replayed_and_a_workload(tmp_path: Path) -> None:
    script = tmp_path / "sums.py"
    script.write_text(
        "import sys\nimport numpy as np\nfrom mpi4py import MPI\ncomm = MPI.COMM_WORLD\n"
        "total = np.zeros(int(sys.argv[1]))\ncomm.compute(cycles=100)\n"
        "comm.Allreduce(np.ones(total.size), total)\nprint('done')\n",
        encoding="utf-8",
    )
    spec = "collective_noc_2x2"
    result = noccl.run_script(script, spec, ranks=4, args=["16"], has_timeline=True)
    result.write_messages(tmp_path / "own.messages")
    trace = (tmp_path / "own.messages").read_text(encoding="utf-8")
    assert trace.count("\ncompute 100\nallreduce 0 sum fp64 128\n") == 4

    def said(*arguments: object) -> str:
        return subprocess.run(
            [NOCCL, *map(str, arguments)], check=True, capture_output=True, text=True
        ).stdout

    on = ["--spec", spec, "--ranks", 4]
    assert said("run", "program", script, *on, "--record", tmp_path / "t", "--", 16) == "done\n" * 4
    assert (tmp_path / "t").read_text(encoding="utf-8") == trace
    replayed = json.loads(said("run", "messages", tmp_path / "t", "--spec", spec, "--json"))
    assert replayed["cycles"] == result.cycles
    advise = ["advise", "--mesh", "2x2", "--workload", script]
    workload = said(*advise, "--show-workload", "--", 16)
    assert "flops = 400.0" in workload
    assert 'collective = "all_reduce"\nbytes = 128\nelement = "fp64"' in workload
    rows = json.loads(said(*advise, "--simulate", "none", "--json", "--", 16))["rows"]
    assert rows[0]["parts"][0]["count"] == 1
    words = [str(word) for word in (NOCCL, *advise)]
    failed = subprocess.run(words, check=False, capture_output=True, text=True)
    assert failed.returncode == 1
    assert "IndexError" in failed.stderr
