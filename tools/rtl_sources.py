# SPDX-License-Identifier: Apache-2.0
"""Which SystemVerilog files a module needs, in the order in which every tool reads them.

A file holds one module or package and bears its name, and all names begin with `noccl_`. So the
names that a file mentions are its dependencies, and no list has to be kept by hand.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import repository

RTL = repository.ROOT / "rtl"
INCLUDE = RTL / "include"
GENERATED = RTL / "gen"
PACKAGE = "noccl_cfg_pkg"
SMART_PACKAGE = "noccl_smart_cfg_pkg"
# Whose generated package is read where no other is asked for.
CONFIGURATION = "collective_noc_4x4"
CONFIGURATIONS = {PACKAGE: CONFIGURATION, SMART_PACKAGE: "smart_8x8"}

_NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_NAME = re.compile(r"\bnoccl_\w+")


class SourceError(Exception):
    """A file is missing, has two homes, or needs itself."""


def index(root: Path = RTL, configuration: str = CONFIGURATION) -> dict[str, Path]:
    """Maps module or package name to file; generated packages are those of one configuration.

    A package that this configuration does not have is that of `CONFIGURATIONS`.

    Raises:
        SourceError: Two files bear the same name.
    """
    found: dict[str, Path] = {}
    for path in sorted(root.rglob("*.sv")):
        if GENERATED in path.parents and path.parent.name != _home(path.stem, configuration):
            continue
        if path.stem in found:
            raise SourceError(f"{path}: the name is taken by {found[path.stem]}")
        found[path.stem] = path
    return found


def _home(package: str, configuration: str) -> str:
    """Folder of a generated package."""
    is_there = (GENERATED / configuration / f"{package}.sv").exists()
    return configuration if is_there else CONFIGURATIONS.get(package, configuration)


def package_with(
    numbers: Mapping[str, int | str], package: str = PACKAGE, configuration: str = CONFIGURATION
) -> str:
    """Text of a generated package with other values for some of its numbers; arrays as text.

    Raises:
        SourceError: The package has no such number.
    """
    text = index(configuration=configuration)[package].read_text(encoding="utf-8")
    for number, value in numbers.items():
        pattern = rf"\b({number}(?:\[\w+\])?) = [^;]+;"
        text, count = re.subn(pattern, rf"\g<1> = {value};", text)
        if count != 1:
            raise SourceError(f"{package} has no number {number}")
    return text


def with_numbers(
    sources: Iterable[Path],
    numbers: Mapping[str, int | str],
    out: Path,
    configuration: str = CONFIGURATION,
) -> list[Path]:
    """The sources with other numbers: their package lies below `out`, under the hash of its text.

    Raises:
        SourceError: The package has no such number, or not one of the packages is there.
    """
    sources = list(sources)
    if not numbers:
        return sources
    packages = [path.stem for path in sources if path.stem in CONFIGURATIONS]
    if len(packages) != 1:
        raise SourceError(f"numbers of one package; there are {packages}")
    name = packages[0]
    text = package_with(numbers, name, configuration)
    directory = out / f"numbers-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    directory.mkdir(parents=True, exist_ok=True)
    package = directory / f"{name}.sv"
    # Not again while somebody may read it.
    if not package.exists() or package.read_text(encoding="utf-8") != text:
        package.write_text(text, encoding="utf-8")
    return [package if path.stem == name else path for path in sources]


def code(text: str) -> str:
    """A file without its comments and strings; lines keep their numbers."""
    return _NOT_CODE.sub(lambda match: " " + "\n" * match[0].count("\n"), text)


def mentioned(text: str) -> set[str]:
    """Names of this project in the code of a file; comments and strings do not count."""
    return set(_NAME.findall(code(text)))


def closure(
    tops: Iterable[str], root: Path = RTL, configuration: str = CONFIGURATION
) -> list[Path]:
    """Files that the modules need, dependencies first.

    Raises:
        SourceError: No file of a top's name, or files need each other in a circle.
    """
    known = index(root, configuration)
    ordered: dict[str, Path] = {}
    open_names: list[str] = []

    def visit(name: str) -> None:
        if name in ordered:
            return
        if name in open_names:
            raise SourceError(f"need each other: {', '.join([*open_names, name])}")
        open_names.append(name)
        names = mentioned(known[name].read_text(encoding="utf-8")) - {name}
        for other in sorted(names & known.keys()):
            visit(other)
        open_names.pop()
        ordered[name] = known[name]

    for top in tops:
        if top not in known:
            raise SourceError(f"{top}: no {top}.sv below {root}")
        visit(top)
    return list(ordered.values())


if __name__ == "__main__":
    for top_name in sys.argv[1:]:
        print(top_name, *sorted(source.stem for source in closure([top_name])))
