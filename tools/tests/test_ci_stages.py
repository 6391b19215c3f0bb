# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
import subprocess
from pathlib import Path

import repository

MAKEFILE = """\
good:
\t@echo good ran
bad:
\t@echo bad ran; exit 3
"""


def run(folder: Path, *stages: str) -> subprocess.CompletedProcess[str]:
    (folder / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    script = repository.ROOT / "tools" / "ci_stages.sh"
    return subprocess.run(
        [script, *stages], cwd=folder, check=False, capture_output=True, text=True
    )


def test_every_stage_is_listed_with_its_seconds_and_the_gate_passes(tmp_path: Path) -> None:
    done = run(tmp_path, "good", "good")
    assert done.returncode == 0
    assert len(re.findall(r"^good +\d+  ok$", done.stdout, re.MULTILINE)) == 2
    assert re.search(r"^total +\d+$", done.stdout, re.MULTILINE)


def test_a_failed_stage_fails_the_gate_and_hides_no_later_one(tmp_path: Path) -> None:
    done = run(tmp_path, "bad", "good")
    assert done.returncode != 0
    assert "good ran" in done.stdout
    assert re.search(r"^bad +\d+  failed", done.stdout, re.MULTILINE)


def test_the_gate_runs_stages_that_exist_and_both_test_suites() -> None:
    makefile = (repository.ROOT / "Makefile").read_text(encoding="utf-8")
    (stages,) = re.findall(r"^CI_STAGES := (.*)$", makefile, re.MULTILINE)
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    assert set(stages.split()) <= targets
    assert {"check", "lint-rust", "lint-python", "test-rust", "test-python"} <= set(stages.split())


def test_every_target_for_users_has_a_line_of_help() -> None:
    listed = subprocess.run(
        ["make", "help"], cwd=repository.ROOT, check=True, capture_output=True, text=True
    ).stdout
    for target in ("demo", "test", "check", "lint", "bench", "bench-compare", "gen", "gen-check",
                   "long", "ci", "clean"):  # fmt: skip
        assert re.search(rf"^  make {target} +\S", listed, re.MULTILINE)
