# SPDX-License-Identifier: Apache-2.0
"""Runs C programs of others here and in real MPI, and compares what they print.

python tools/public_programs.py FOLDER                      # each *.c below it that has a `main`
python tools/public_programs.py FOLDER --ranks 8 --only ring heat --csv results.csv
python tools/public_programs.py FOLDER --with util/mtest.c --include include

Lines that two runs in real MPI print differently, such as times, may have other numbers here. The
order of lines and the names of hosts do not count.
`FOLDER/PLACE/testlist.in`: lines `NAME RANKS [arg=ARGUMENT]...`, the first of each name.
"""

from __future__ import annotations

import argparse
import csv
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

TOOLS = Path(sys.executable).parent
MAIN = re.compile(r"^\s*(?:int\s+|void\s+)?main\s*\(", re.MULTILINE)
RANK = re.compile(r"^rank \d+: ", re.MULTILINE)
HOST = re.compile(rf"tile-\d+-\d+|{re.escape(socket.gethostname())}")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\binf\b|\bnan\b")
# Between the two runs in real MPI, so that what a program seeds by the time differs.
PAUSE_SECONDS = 1.1
# Of a reason, so that a line of the table is readable.
SHOWN = 100


@dataclass(frozen=True)
class Ended:
    """How a command ended; `code` is None where it took too long."""

    code: int | None
    output: str
    errors: str


@dataclass(frozen=True)
class Program:
    """A program and how it is run."""

    source: Path
    ranks: int
    arguments: list[str] = field(default_factory=list)


def ended(command: list[object], seconds: float, folder: Path) -> Ended:
    """Runs a command in a folder."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            timeout=seconds,
            cwd=folder,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return Ended(None, "", f"more than {seconds:g} s")
    texts = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
    return Ended(done.returncode, *texts)


def reason(of: Ended) -> str:
    """The line that says why a command has failed."""
    lines = [line.strip() for line in of.errors.splitlines() if line.strip()]
    told = [line for line in lines if re.search(r"\berror: .*[^:]$", line)]
    line = (told or lines or [f"exit status {of.code}"])[0]
    return re.sub(r"\S*/(\S+\.c:\d+)", r"\1", line.removeprefix("error: "))


def lines(output: str) -> Counter[str]:
    """What is compared of an output."""
    text = HOST.sub("HOST", output)
    return Counter(" ".join(line.split()) for line in text.splitlines() if line.strip())


def masked(all_lines: Counter[str]) -> Counter[str]:
    """Lines without their numbers."""
    found: Counter[str] = Counter()
    for line, times in all_lines.items():
        found[" ".join(NUMBER.sub("#", line).split())] += times
    return found


def compared(here: Counter[str], first: Counter[str], second: Counter[str]) -> str:
    """`same`, `same but times` or the first line that is missing here."""
    if here in (first, second):
        return "same"
    steady = first & second
    varying = masked(first - steady), masked(here - steady)
    missing = [*(steady - here), *(varying[0] - varying[1])]
    if not missing and varying[0] == varying[1]:
        return "same but times"
    return f"prints otherwise: {(missing or [*(varying[1] - varying[0])])[0]}"


class Runner:
    """Compiles and runs programs."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Takes what `parsed` has given."""
        self.options = options
        self.real = options.mpi
        self.others = [path.resolve() for path in options.others]
        self.includes = [word for path in options.include for word in ("-I", path.resolve())]

    def result(self, program: Program) -> tuple[str, str]:
        """What came of a program: in a word, and why."""
        with tempfile.TemporaryDirectory() as name:
            return self.result_in(program, Path(name))

    def result_in(self, program: Program, folder: Path) -> tuple[str, str]:
        """The same; the folder is for its files."""
        sources: list[object] = [program.source, *self.others]
        above: list[object] = ["-I", program.source.parent, *self.includes]
        options, source = self.options, program.source.parent
        real: list[object] = [self.real / "mpicc", "-O2", "-w", *above, *sources]
        if options.prints is None:
            made = ended([*real, "-o", folder / "real", "-lm"], options.seconds, source)
            if made.code != 0:
                return "not in real MPI", reason(made)
        elf = folder / "here.elf"
        build: list[object] = [options.noccl, "build", *sources, "-o", elf, "--calls", *above]
        made = ended(build, options.seconds, source)
        if made.code != 0:
            return "does not compile", reason(made)
        start: list[object] = [self.real / "mpiexec", "-n", program.ranks, folder / "real"]
        runs = [Ended(0, options.prints or "", "")] * 2
        if options.prints is None:
            runs = [ended([*start, *program.arguments], options.seconds, source)]
            time.sleep(PAUSE_SECONDS)
            runs.append(ended([*start, *program.arguments], options.seconds, source))
        for run in runs:
            if run.code != 0:
                return "not in real MPI", reason(run)
        words: list[object] = ["--ranks", program.ranks, "--spec", options.spec]
        words += ["--program-memory", options.memory, "--", *program.arguments]
        command: list[object] = [options.noccl, "run", "program", elf, *words]
        here = ended(command, options.seconds, source)
        if here.code != 0:
            return "fails", reason(here)
        outputs = (RANK.sub("", here.output), *(run.output for run in runs))
        if options.prints is not None:
            outputs = tuple(output.lower() for output in outputs)
        found = compared(*map(lines, outputs))
        return ("other output", found) if found.startswith("prints") else (found, "")


def programs(folder: Path, ranks: int, only: list[str]) -> list[Program]:
    """The programs below a folder."""
    found = []
    lists: dict[Path, dict[str, list[str]]] = {}
    for source in sorted(folder.resolve().rglob("*.c")):
        text = source.read_text(errors="replace")
        if (only and source.stem not in only) or not MAIN.search(text):
            continue
        place = source.parent
        if place not in lists:
            path = place / "testlist.in"
            told = path.read_text().splitlines() if path.exists() else []
            words = [line.split() for line in reversed(told) if line.strip()]
            lists[place] = {line[0]: line[1:] for line in words if len(line) > 1}
        told_ranks, *rest = lists[place].get(source.stem, [str(ranks)])
        arguments = [word.removeprefix("arg=") for word in rest if word.startswith("arg=")]
        found.append(Program(source, int(told_ranks), arguments))
    return found


def parsed() -> argparse.Namespace:
    """The command's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--spec", default="collective_noc_4x4")
    parser.add_argument("--memory", default="64MiB", help="of each core")
    parser.add_argument("--only", nargs="*", default=[], help="names without .c")
    parser.add_argument("--with", dest="others", type=Path, nargs="*", default=[])
    parser.add_argument("--include", type=Path, nargs="*", default=[])
    parser.add_argument("--seconds", type=float, default=60, help="limit of each command")
    parser.add_argument("--noccl", type=Path, default=TOOLS / "noccl")
    parser.add_argument("--mpi", type=Path, default=TOOLS, help="folder of mpicc and mpiexec")
    parser.add_argument(
        "--prints",
        help="what each prints in real MPI, which is not run then; capitals do not count",
    )
    parser.add_argument("--csv", type=Path, help="write the table to this file")
    return parser.parse_args()


def main() -> None:
    """Runs the command."""
    options = parsed()
    runner = Runner(options)
    todo = programs(options.folder, options.ranks, options.only)
    totals: Counter[str] = Counter()
    rows = [("program", "ranks", "result", "reason")]
    with ThreadPoolExecutor(2) as pool:
        for program, (result, why) in zip(todo, pool.map(runner.result, todo), strict=True):
            name = str(program.source.relative_to(options.folder.resolve()))
            totals[result] += 1
            rows.append((name, str(program.ranks), result, why))
            print(f"{name:40} {program.ranks:3} {result:17} {why[:SHOWN]}", flush=True)
    print(", ".join(f"{name} {count}" for name, count in totals.most_common()))
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
