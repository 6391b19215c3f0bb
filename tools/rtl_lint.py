# SPDX-License-Identifier: Apache-2.0
"""Lints the SystemVerilog sources with three independent tools, and checks their layout.

Verilator judges each module as a top with its default parameters, slang all modules as tops in one
run with all its warnings, Verible the style and the layout. A module that holds a whole mesh is
looked at with the smallest one, the others with the numbers of a published network. Exceptions
stand in `rtl/lint`, each with its reason. A module that was clean is not given to Verilator again
until it or what it needs changes.

Usage: `rtl_lint.py [--fix | --quick]`; `--fix` corrects the layout and looks at layout and style
only; with `--quick` Verilator judges the hardware from its roots, the modules of `rtl/src` that no
other one there needs, and neither each module by itself nor benches.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import repository
import rtl_sources
import rtl_tools
from repository import Finding
from rtl_sources import INCLUDE, RTL

LINT = RTL / "lint"
SOURCES = RTL / "src"
# Hardware, not benches.
SYNTHESIZED = {SOURCES, INCLUDE, rtl_sources.GENERATED, RTL / "baselines"}
WAIVERS = LINT / "waivers.vlt"
VERIBLE_RULES = LINT / "verible.rules"
SLANG_OPTIONS = LINT / "slang.f"
SLANG = Path(__file__).with_name("rtl_slang.py")
COLUMNS = 100
# With hardware that others wrote; their tests elaborate them.
WITH_OTHERS = {RTL / "tb" / "references", RTL / "examples"}
# Empty files, named by all that made a module clean.
CLEAN = repository.ROOT / "out" / "lint"
# The smallest mesh of each kind: its configuration, and the numbers that are smaller still. The
# first one has a tile with a memory and one with a cluster.
SMALLEST_MESHES = {
    "noccl_mesh": ("collective_noc_2x2", {"MESH_WIDTH": 2, "MESH_HEIGHT": 1}),
    "noccl_smart_mesh": ("smart_2x2", {"MESH_HEIGHT": 1}),
}
RULES = (WAIVERS, SLANG_OPTIONS, SLANG, Path(__file__), repository.ROOT / "requirements/rtl.lock")

_MODULE = re.compile(r"^module\s", re.MULTILINE)
# A literal with an unknown digit, or a comparison that takes one for any; behind the quote of casts
# and patterns stand brackets.
_UNKNOWN = re.compile(r"'(?:s?[bodh]\s*[0-9a-fz?_]*)?x|\bcasex\b", re.IGNORECASE)
_PLACE = re.compile(r"(?P<file>[^\s:]+\.svh?):(?P<line>\d+)(?::[\d-]+)?: (?P<what>.*)")


def _run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)),
        cwd=repository.ROOT,
        env=rtl_tools.environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def findings_of(output: str, tool: str) -> Iterator[Finding]:
    """Finds the lines of a tool's output that name a place."""
    for line in output.splitlines():
        if match := _PLACE.search(line):
            what = line[: match.start()] + match["what"]
            yield Finding(f"{match['file']}:{match['line']}", f"{what} [{tool}]")


def _judged(run: subprocess.CompletedProcess[str], tool: str, where: str) -> Iterator[Finding]:
    """All findings of a run; if it failed without any, its last words are one."""
    output = run.stdout + run.stderr
    found = list(findings_of(output, tool))
    if not found and run.returncode != 0:
        found.append(Finding(where, f"{' '.join(output.split())[-400:]} [{tool}]"))
    yield from found


def format_command() -> list[str]:
    """The formatter with the project's layout."""
    return ["verible-verilog-format", f"--column_limit={COLUMNS}"]


def layout(paths: Iterable[Path]) -> Iterator[Finding]:
    """Finds files that the formatter would change."""
    for path in paths:
        run = _run(*format_command(), path)
        if run.returncode != 0:
            yield from _judged(run, "verible", str(path))
        elif run.stdout != repository.read(path):
            yield Finding(str(path), "layout: run make format-rtl [verible]")


def style(paths: Iterable[Path]) -> Iterator[Finding]:
    """Finds breaches of the style rules."""
    run = _run("verible-verilog-lint", f"--rules_config={VERIBLE_RULES}", *paths)
    yield from _judged(run, "verible", "rtl")


def unknown_values(paths: Iterable[Path]) -> Iterator[Finding]:
    """Finds unknown values in what is synthesized: simulation and gates differ in them."""
    for path in paths:
        if not SYNTHESIZED.isdisjoint((repository.ROOT / path).parents):
            code = rtl_sources.code(repository.read(path))
            for number, line in enumerate(code.splitlines(), start=1):
                if _UNKNOWN.search(line):
                    yield Finding(f"{path}:{number}", "an unknown value; give a defined one [x]")


def needed_by(module: Path) -> list[Path]:
    """What a module needs; a whole mesh is the smallest, since time goes by its routers."""
    needed = rtl_sources.closure([module.stem])
    for path in needed:
        if path.stem in SMALLEST_MESHES:
            configuration, numbers = SMALLEST_MESHES[path.stem]
            needed = rtl_sources.closure([module.stem], configuration=configuration)
            return rtl_sources.with_numbers(needed, numbers, CLEAN, configuration)
    return needed


def slang(tops: Iterable[Path]) -> Iterator[Finding]:
    """Elaborates modules and what they need, with all warnings."""
    names = [path.stem for path in tops]
    options = ["-F", str(SLANG_OPTIONS), f"-I{INCLUDE}", *(f"--top={name}" for name in names)]
    run = _run(sys.executable, SLANG, *options, *rtl_sources.closure(names))
    yield from _judged(run, "slang", "rtl")


def verilator(module: Path) -> Iterator[Finding]:
    """Lints a module as the top."""
    needed = needed_by(module)
    options = ["--lint-only", "-Wall", "--timing", f"-I{INCLUDE}", "--top-module", module.stem]
    yield from _judged(_run("verilator", *options, WAIVERS, *needed), "verilator", str(module))


def modules(paths: Iterable[Path]) -> list[Path]:
    """Those files that hold a module, not a package, and need nothing of others."""
    own = (path for path in paths if WITH_OTHERS.isdisjoint((repository.ROOT / path).parents))
    return [path for path in own if _MODULE.search(repository.read(path))]


def roots(paths: Iterable[Path]) -> list[Path]:
    """Modules of the hardware that no other one there needs."""
    hardware = [path for path in paths if SOURCES in (repository.ROOT / path).parents]
    needs = {path: {p.stem for p in rtl_sources.closure([path.stem])} for path in hardware}
    inside = set().union(*(names - {path.stem} for path, names in needs.items()))
    return [path for path in hardware if path.stem not in inside]


def mark(module: Path) -> Path:
    """The file that says that a module is clean, as it is now."""
    texts = [*needed_by(module), *sorted(INCLUDE.glob("*.svh")), *RULES]
    content = "\0".join(path.read_text(encoding="utf-8") for path in texts)
    return CLEAN / f"{module.stem}-{hashlib.sha256(content.encode()).hexdigest()[:16]}"


def lint(paths: list[Path], *, is_quick: bool = False) -> Iterator[Finding]:
    """All findings, each once."""
    tops = modules(path for path in paths if path.suffix == ".sv")
    found = dict.fromkeys([*unknown_values(paths), *layout(paths), *style(paths), *slang(tops)])
    for module in roots(tops) if is_quick else tops:
        clean = mark(module)
        if clean.exists():
            continue
        here = list(verilator(module))
        found.update(dict.fromkeys(here))
        if not here:
            clean.parent.mkdir(parents=True, exist_ok=True)
            clean.touch()
    yield from found


def sources() -> list[Path]:
    """SystemVerilog files of the repository."""
    return [path for path in repository.files() if path.suffix in {".sv", ".svh"}]


def fix(paths: list[Path]) -> Iterator[Finding]:
    """Corrects the layout; yields what is left of layout and style."""
    run = _run(*format_command(), "--inplace", *paths)
    yield from _judged(run, "verible", "rtl")
    yield from style(paths)


def parse() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--fix", action="store_true", help="correct the layout; no elaboration")
    kinds.add_argument("--quick", action="store_true", help="Verilator: the roots of the hardware")
    return parser.parse_args()


def main() -> None:
    """Prints the findings; fails if there are any."""
    arguments = parse()
    look = fix if arguments.fix else functools.partial(lint, is_quick=arguments.quick)
    repository.main("rtl lint", lambda: look(sources()))


if __name__ == "__main__":
    main()
