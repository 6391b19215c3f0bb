# SPDX-License-Identifier: Apache-2.0
"""`noccl build` that is killed (SIGKILL) at any time leaves a whole program, old or new."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.case_numbers import cases

NOCCL = Path(sys.executable).parent / "noccl"


def command(source: Path, output: Path) -> list[str | Path]:
    return [NOCCL, "build", source, "-o", output]


def test_a_build_that_is_killed_leaves_a_whole_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = [tmp_path / "short.c", tmp_path / "long.c"]
    sources[0].write_text("int main(void) { return 3; }\n")
    sources[1].write_text("static int a[9999] = {1};\nint main(void) { return a[1]; }\n")
    output = tmp_path / "program.elf"
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    whole, begun = [], time.monotonic()
    for source in sources:
        subprocess.run(command(source, output), check=True)
        whole.append(output.read_bytes())
    seconds = (time.monotonic() - begun) / len(sources)
    assert whole[0] != whole[1]
    kills = cases(10, 200)
    num_finished = 0
    for step in range(kills):
        child = subprocess.Popen(command(sources[step % 2], output), stderr=subprocess.DEVNULL)
        # Anywhere between the first instruction and a little behind the end.
        time.sleep(1.2 * seconds * (step * 37 % kills) / kills)
        child.kill()
        num_finished += child.wait() == 0
        assert output.read_bytes() in whole, f"killed in step {step}"
    assert num_finished < kills
    # The next build removes what killed ones have left beside its output.
    subprocess.run(command(sources[0], output), check=True)
    assert output.read_bytes() == whole[0]
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["long.c", "program.elf", "short.c", "temporary"]
    assert not list(temporary.iterdir())
