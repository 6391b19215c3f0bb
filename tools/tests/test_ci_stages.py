# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
import subprocess
import time
import tomllib
from pathlib import Path

import repository

MAKEFILE = """\
good:
\t@echo good ran
bad:
\t@echo bad ran; exit 3
# Ends only beside the stage that replies.
ask:
\t@mkfifo door; echo asked; echo question >door; echo heard
reply:
\t@until test -p door; do sleep 0.01; done; echo replied; cat door
busy:
\t@python3 -c "exec('import time\\nwhile time.process_time() < 1.2: pass')" | cat
gone:
\t@test ! -e mark
mark:
\t@sleep 0.2; touch mark
marked:
\t@test -e mark
"""
SCRIPT = repository.ROOT / "tools" / "ci_stages.sh"


def run(folder: Path, *lanes: str) -> subprocess.CompletedProcess[str]:
    (folder / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    done = subprocess.run(
        [SCRIPT, *lanes], cwd=folder, check=False, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == "", "the script itself complains"
    return done


def test_every_stage_is_listed_with_its_seconds_and_the_gate_passes(tmp_path: Path) -> None:
    done = run(tmp_path, "good good")
    assert done.returncode == 0
    assert len(re.findall(r"^good +\d+ +0  ok$", done.stdout, re.MULTILINE)) == 2
    assert re.search(r"^total +\d+ +\d+$", done.stdout, re.MULTILINE)


def test_a_failed_stage_fails_the_gate_and_hides_no_later_one(tmp_path: Path) -> None:
    done = run(tmp_path, "bad good")
    assert done.returncode != 0
    assert "good ran" in done.stdout
    assert re.search(r"^bad +\d+ +\d+  failed", done.stdout, re.MULTILINE)


def test_processor_seconds_are_those_of_a_stage_with_all_its_processes(tmp_path: Path) -> None:
    done = run(tmp_path, "busy", "good")
    assert re.search(r"^busy +\d+ +[12]  ok$", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"^good +\d+ +0  ok$", done.stdout, re.MULTILINE), done.stdout


def test_lanes_run_beside_each_other_and_their_words_stay_apart(tmp_path: Path) -> None:
    done = run(tmp_path, "ask", "reply")
    assert done.returncode == 0
    assert "==== ask: ok ====\nasked\nheard\n" in done.stdout
    assert "==== reply: ok ====\nreplied\nquestion\n" in done.stdout


def test_a_stage_waits_for_those_of_its_lane_and_for_the_one_it_names(tmp_path: Path) -> None:
    assert run(tmp_path, "gone mark marked").returncode == 0
    (tmp_path / "mark").unlink()
    assert run(tmp_path, "mark", "marked:mark good").returncode == 0
    (tmp_path / "mark").unlink()
    assert run(tmp_path, "mark", "marked good").returncode != 0


def test_a_stage_that_waits_for_none_of_the_others_fails_the_gate(tmp_path: Path) -> None:
    done = run(tmp_path, "good:nothing good", "good")
    assert done.returncode != 0
    assert len(re.findall(r"^good +- +-  never ran$", done.stdout, re.MULTILINE)) == 2


def test_a_gate_that_is_stopped_says_how_far_it_came(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("long:\n\t@echo far; sleep 60\n", encoding="utf-8")
    gate = subprocess.Popen([SCRIPT, "long"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert gate.stdout is not None
    assert gate.stdout.readline() == "==== long begins ====\n"
    time.sleep(0.3)
    gate.terminate()
    printed, _ = gate.communicate(timeout=30)
    assert "==== long: stopped ====\nfar\n" in printed
    assert gate.returncode != 0


def makefiles() -> str:
    """Text of the Makefile and of what it includes."""
    paths = ("Makefile", "rtl/hardware.mk", "page/page.mk")
    texts = ((repository.ROOT / path).read_text(encoding="utf-8") for path in paths)
    return "\n".join(texts)


def targets() -> set[str]:
    """Names of targets, of each line of rules all of them."""
    lines = re.findall(r"^([a-z][a-z -]*):", makefiles(), re.MULTILINE)
    return {name for line in lines for name in line.split()}


def test_the_gate_runs_stages_that_exist_and_both_test_suites() -> None:
    makefile = makefiles()
    lanes = re.findall(r"^CI_[A-Z]+ := (.*)$", makefile, re.MULTILINE)
    waits = [stage.partition(":") for lane in lanes for stage in lane.split()]
    stages = {name for name, _, _ in waits}
    assert stages <= targets()
    assert {after for _, _, after in waits if after} <= stages
    assert {"check", "lint-rust", "lint-python", "test-rust", "test-python"} <= stages
    assert {"lint-rtl-quick", "rtl-quick", "formal-quick", "cosim-quick"} <= stages


def words_of(variable: str) -> list[str]:
    """Words of a variable of the Makefile, without the reasons behind them."""
    lines = re.findall(rf"^{variable} \+?:?= ?(.*)$", makefiles(), re.MULTILINE)
    return [word for line in lines for word in line.partition("#")[0].split()]


def test_what_the_gate_leaves_out_of_the_benches_exists() -> None:
    command = subprocess.run(
        ["make", "--dry-run", "rtl-quick"],
        cwd=repository.ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    left_out = re.findall(r"--deselect '([^':]+)(?:::(\w+)(?:\[[^']+)?)?'", command)
    assert len(left_out) == command.count("--deselect") > 0
    for file, test in left_out:
        assert (f"def {test}(" if test else "def test_") in (
            repository.ROOT / "rtl" / file
        ).read_text(encoding="utf-8")


def test_make_test_runs_lanes_of_stages_that_exist() -> None:
    lanes = [words_of("TEST_SOFTWARE"), words_of("TEST_HARDWARE")]
    waits = [stage.partition(":") for lane in lanes for stage in lane]
    stages = {name for name, _, _ in waits}
    assert stages <= targets()
    # Two lanes that install into one environment at a time break it.
    assert [lane[0].rpartition(":")[2] for lane in lanes] == ["setup", "setup"]
    software = {"test-rust-quick", "test-python-quick"}
    assert software | {"test-modules", "test-proofs", "test-lock-step"} <= stages


def test_what_make_test_leaves_out_exists_and_the_gate_runs_it() -> None:
    assert {"test-rust", "test-python"} <= set(words_of("CI_SOFTWARE"))
    crates = words_of("SLOW_CRATES")
    assert crates
    assert [c for c in crates if not (repository.ROOT / "crates" / c).is_dir()] == []
    files = words_of("SLOW_PYTHON")
    assert files
    tests = repository.ROOT / "python" / "tests"
    assert [name for name in files if not (tests / f"{name}.py").is_file()] == []


def test_what_is_chosen_of_the_hardware_exists_and_has_a_reason() -> None:
    rtl = repository.ROOT / "rtl"
    modules = words_of("TEST_MODULES") + words_of("GATE_MODULES")
    proofs = words_of("TEST_PROOFS") + words_of("GATE_MUTANTS")
    assert modules
    assert proofs
    assert [name for name in modules if not list((rtl / "tb" / name).glob("test_*.py"))] == []
    named = proofs + words_of("GATE_PROOFS_WITHOUT")
    assert [name for name in named if not (rtl / "formal" / name / "formal.toml").exists()] == []
    for name in modules + proofs:
        assert re.search(rf"^[A-Z_]+ \+?:?= {name} # \S", makefiles(), re.MULTILINE), name


def test_the_gate_has_a_proof_of_each_method_with_its_mutants() -> None:
    def method(module: str) -> str:
        text = (repository.ROOT / "rtl" / "formal" / module / "formal.toml").read_text("utf-8")
        table = tomllib.loads(text)
        return method(table["like"]) if "like" in table else str(table.get("method", "pdr"))

    formal = repository.ROOT / "rtl" / "formal"
    every = {method(path.parent.name) for path in formal.glob("*/formal.toml")}
    assert {method(module) for module in words_of("GATE_MUTANTS")} == every


def test_no_test_stands_where_none_is_looked_for() -> None:
    crates = repository.ROOT / "crates"
    tables = {
        manifest.parent: tomllib.loads(manifest.read_text(encoding="utf-8"))
        for manifest in crates.glob("*/Cargo.toml")
    }
    # Programs that a crate other than their sources' compiles.
    elsewhere = {
        (crate / test["path"]).resolve()
        for crate, table in tables.items()
        for test in table.get("test", [])
        if "path" in test
    }
    unseen = []
    for crate, table in tables.items():
        # Of a program beside a library only its own file is the program's.
        untested = {
            crate / target["path"]
            for target in table.get("bin", [])
            if not target.get("test", True)
        }
        if not table.get("lib", {}).get("test", True):
            untested.update((crate / "src").rglob("*.rs"))
        if crate / "src" / "lib.rs" not in elsewhere:
            unseen += [s for s in untested if "#[test]" in s.read_text(encoding="utf-8")]
        program = crate / "tests" / "it" / "main.rs"
        if program.exists() and not table["package"].get("autotests", True):
            unseen += [program] if program not in elsewhere else []
    assert elsewhere
    assert unseen == []


def test_every_target_for_users_has_a_line_of_help() -> None:
    listed = subprocess.run(
        ["make", "help"], cwd=repository.ROOT, check=True, capture_output=True, text=True
    ).stdout
    for target in ("demo", "test", "check", "lint", "bench", "bench-compare", "gen", "gen-check",
                   "long", "ci", "clean"):  # fmt: skip
        assert re.search(rf"^  make {target} +\S", listed, re.MULTILINE)
