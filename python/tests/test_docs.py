# SPDX-License-Identifier: Apache-2.0
"""The pages for users work to the letter: their commands run and print what stands there.

A fence of `toml my_noc.toml` is that file. A `python` fence is executed, and a `sh` fence, which
has to succeed. In a `console` fence each line that begins with `$ ` is a command, followed by all
that it prints; `...` at the end leaves the rest out. Everything of a page happens in one folder,
from top to bottom; the folder has what the page's reader has already (`FOLDERS`).
`NOCCL_WRITE_GOLDEN=1` writes the outputs anew.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.case_numbers import IS_LONG

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    DOCS / "tutorial.md",
    DOCS / "sweeps.md",
    DOCS / "own_collectives.md",
    *sorted(DOCS.glob("how-to/*.md")),
    DOCS / "concepts/credits.md",
    DOCS / "concepts/deadlock.md",
    DOCS / "concepts/in-network.md",
]
FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REST = "..."
# First words of `sh` fences that do not run here, and where they do.
ELSEWHERE = {
    "git clone": "tools/times.py does it in a fresh clone",
    "make demo": "a stage of the gate",
    "make page": "test-page, a stage of the gate, opens such pages",
    "mpicc": "test_message_traces.py records with real MPI",
}
# Hardware in lock-step: needs Verilator and half a minute.
LONG = "make -C $CHECKOUT setup-rtl"
RECORDER = ROOT / "crates/noccl-coherence"
# Page to what its reader has: name in the folder, file or folder of the checkout.
FOLDERS = {
    "replay-an-mpi-program": {"programs": ROOT / "programs"},
    "record-a-program": {
        "noccl_recorder.c": RECORDER / "recorder/noccl_recorder.c",
        "program.cpp": RECORDER / "tests/programs/sums.cpp",
    },
}


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command with the programs of this environment; messages are part of the output."""
    tools = Path(sys.executable).parent
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ
        | {"PATH": f"{tools}:{os.environ['PATH']}", "CHECKOUT": str(ROOT)}
        | {"NOCCL_CACHE": str(ROOT / "out/cosim")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900 if IS_LONG else 120,
        check=False,
    )


def printed(command: str, folder: Path) -> list[str]:
    """Lines of a command's output, the messages among them."""
    return [line.rstrip() for line in shell(command, folder).stdout.splitlines()]


def succeeds(text: str, folder: Path) -> None:
    """Runs the commands of a fence, unless they run elsewhere."""
    if text.startswith(tuple(ELSEWHERE)) or (text.startswith(LONG) and not IS_LONG):
        return
    run = shell(f"set -e\n{text}", folder)
    assert run.returncode == 0, f"{text}\n{run.stdout}"


def console(text: str, folder: Path) -> str:
    """The fence with what its commands print today."""
    today: list[str] = []
    for part in filter(None, re.split(r"^(?=\$ )", text, flags=re.MULTILINE)):
        command, *shown = part.splitlines()
        assert command.startswith("$ "), f"no command before {command!r}"
        lines = printed(command[2:], folder)
        if shown and shown[-1] == REST:
            lines = [*lines[: len(shown) - 1], REST]
        today += [command, *lines]
    return "".join(f"{line}\n" for line in today)


def run_page(page: str, folder: Path) -> str:
    """The page with what its commands print today; its Python is executed."""
    names: dict[str, object] = {}

    def fence(found: re.Match[str]) -> str:
        language, file, text = found.groups()
        if file:
            (folder / file).write_text(text, encoding="utf-8")
        elif language == "python":
            exec(text, names)
        elif language == "sh":
            succeeds(text, folder)
        elif language == "console":
            return f"```console\n{console(text, folder)}```"
        return found.group(0)

    return FENCE.sub(fence, page)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_commands_of_a_page_print_what_stands_there(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = path.read_text(encoding="utf-8")
    assert FENCE.search(page), "nothing to run"
    monkeypatch.chdir(tmp_path)
    for name, source in FOLDERS.get(path.stem, {}).items():
        (tmp_path / name).symlink_to(source)
    today = run_page(page, tmp_path)
    if "NOCCL_WRITE_GOLDEN" in os.environ:
        path.write_text(today, encoding="utf-8")
        return
    assert today == page


def test_an_output_that_differs_is_noticed_and_the_rest_may_be_left_out(tmp_path: Path) -> None:
    page = "```text a.txt\none\ntwo\nthree\n```\n\n```console\n$ cat a.txt\none\n...\n```\n"
    assert run_page(page, tmp_path) == page
    wrong = page.replace("cat a.txt\none", "cat a.txt\ntwo")
    assert run_page(wrong, tmp_path) == page
    assert run_page(page.replace("...\n", ""), tmp_path) != page


def test_commands_without_output_have_to_succeed_unless_they_run_elsewhere(tmp_path: Path) -> None:
    page = "```sh\ntrue\nfalse\ntrue\n```\n"
    with pytest.raises(AssertionError, match="false"):
        run_page(page, tmp_path)
    run_page("```sh\ntouch a\n```\n```sh\nmake demo; touch b\n```\n", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_what_runs_elsewhere_stands_on_a_page() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    fences = [text for language, _, text in FENCE.findall(text) if language == "sh"]
    unused = [e for e in (*ELSEWHERE, LONG) if not any(f.startswith(e) for f in fences)]
    assert unused == []


def test_the_examples_of_the_python_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (DOCS / "python.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec("\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), names)
    written = {path.name for path in tmp_path.iterdir()}
    assert written == set(re.findall(r"(?:write_parquet|savefig|save)\(\"([^\"]+)\"", page))
