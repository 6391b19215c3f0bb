# SPDX-License-Identifier: Apache-2.0
"""The command for scripts, and what is drawn of a program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import noccl
from noccl.programs import __main__ as command
from noccl.programs import run
from noccl.programs.run import run_on
from tests.ideal_session import MESSAGE_CYCLES, IdealSession

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script that passes its argument on; the command runs it on a session without a network."""
    monkeypatch.setattr(command, "load", lambda *_, overrides: FakeNetwork(overrides))
    monkeypatch.setattr(run, "load", lambda network: network)
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
    printed = capsys.readouterr().out.splitlines()
    assert printed[:3] == ["[0] word", "[1] word", "network       ideal"]
    assert f"cycles        {MESSAGE_CYCLES}" in printed
    assert "wait time     100.0 % of all ranks' cycles" in printed


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
    assert "ideal a.b 3 name 'x' c True" in capsys.readouterr().out
    assert command.main(["-n", "2", "--override", "a", str(script), "word"]) == 1


def test_the_summary_is_json_if_asked(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = script.with_name("timeline.svg")
    options = ["-n", "2", "--json", "--timeline", str(picture)]
    assert command.main([*options, str(script), "word"]) == 0
    form = json.loads(capsys.readouterr().out.splitlines()[-1])
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


def test_a_timeline_has_a_bar_per_activity_and_a_name_per_kind() -> None:
    def program(comm: Any) -> None:
        comm.compute(cycles=30 * (comm.rank + 1))
        comm.Barrier()

    result = run_on(IdealSession(3), program, 3, name="ideal")
    figure = noccl.plot_timeline(result.timeline)
    (axes,) = figure.axes
    assert len(axes.patches) == len(result.timeline) == 6
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
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
