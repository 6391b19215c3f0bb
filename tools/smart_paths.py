# SPDX-License-Identifier: Apache-2.0
"""The rows of `rtl/synth/smart_paths.toml`, and what was measured of them before."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import rtl_hop
import rtl_row
import rtl_sources
import rtl_synth_rows
import wire_model
from repository import ROOT

PATHS = rtl_sources.RTL / "synth" / "smart_paths.toml"
OUT = ROOT / "out" / "smart_timing"
SYNTHESIS = [*rtl_synth_rows.METHOD, ROOT / "tools" / "rtl_hop.py"]
ANALYSIS = [ROOT / "tools" / "rtl_row.py"]
CONFIGURATION = "smart_8x8"
KINDS = ("data", "control", "model")
# Numbers in which a path of which something is promised may differ from the preset: what the
# promise names, and bits that pass a router side by side.
PROMISED = {"HPC_MAX", "SETUP_CYCLES", "FLIT_BITS"}
_NUMBER = re.compile(r"localparam int unsigned (\w+) = (\d+);")


class PathError(Exception):
    """The file says something that cannot be measured."""


@dataclass(frozen=True)
class TimedPath:
    """A row of routers.

    Attributes:
        id: Name in options and files.
        title: Name in the table.
        kind: `data`: what flits cross; `control`: what sets up their paths;
            `model`: the module stands for routers and is none.
        module: Of one router.
        forward: Output port to the next router's input port.
        hops: Lengths of rows.
        backward: Output port to the input port of the router before.
        parameters: Of the module.
        package: Numbers that differ from those of the generated package.
        boxes: Modules that are left out, and with them all paths through them.
        passed_only: Registers at which no path begins in the first router (`rtl_hop`).
        is_balanced: Mapped by the recipe for sums.
        note: What the row leaves out besides `boxes` and `package`.
    """

    id: str
    title: str
    kind: str
    module: str
    forward: dict[str, str]
    hops: list[int]
    backward: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, int] = field(default_factory=dict)
    package: dict[str, int] = field(default_factory=dict)
    boxes: list[str] = field(default_factory=list)
    passed_only: list[str] = field(default_factory=list)
    is_balanced: bool = False
    note: str = ""

    @property
    def links(self) -> rtl_hop.Links:
        """How routers are wired."""
        return rtl_hop.Links(self.forward, self.backward)


@dataclass(frozen=True)
class Goal:
    """What is promised of a path.

    Attributes:
        text: In words.
        path: Of which.
        at_least: Hops at the clock of the technology.
    """

    text: str
    path: str
    at_least: int

    def line(self, lines: dict[str, wire_model.Line], technology: wire_model.Technology) -> str:
        """Goal, value and outcome; a goal whose path was not measured is missed."""
        if self.path not in lines:
            return f"- **FAIL**: {self.text}: not measured, of {self.at_least} hops"
        line = lines[self.path]
        hops = line.most_hops(technology)
        outcome = "pass" if hops >= self.at_least else "**FAIL**"
        clock = f"{self.at_least} hops at {line.clock_mhz(technology, self.at_least):.0f} MHz"
        parts = line.parts_text(technology, self.at_least)
        return f"- {outcome}: {self.text}: {hops} of {self.at_least} hops ({clock}: {parts})"


def paths(text: str) -> list[TimedPath]:
    """Reads the list of paths.

    Raises:
        PathError: A path has an unknown kind, no link, or rows of fewer than two lengths.
    """
    found = [TimedPath(**entry) for entry in tomllib.loads(text)["path"]]
    for path in found:
        if path.kind not in KINDS:
            raise PathError(f"{path.id}: kind {path.kind}; accepted: {', '.join(KINDS)}")
        if not path.forward:
            raise PathError(f"{path.id}: accepted: a port that leads to the next router")
        if len(set(path.hops)) < 2 or min(path.hops) < 1:  # noqa: PLR2004 - a line has two points.
            raise PathError(f"{path.id}: hops {path.hops}; accepted: two lengths from 1 on")
    return found


def goals(text: str) -> list[Goal]:
    """Reads the list of goals.

    Raises:
        PathError: A goal names no path, or one of other routers than the preset's.
    """
    known = {path.id: path for path in paths(text)}
    found = [Goal(**entry) for entry in tomllib.loads(text).get("goal", [])]
    for goal in found:
        if goal.path not in known:
            raise PathError(f"{goal.text}: no path {goal.path}")
        if other := known[goal.path].package.keys() - PROMISED:
            names = ", ".join(sorted(other))
            raise PathError(f"{goal.text}: accepted: a path with the {names} of {CONFIGURATION}")
    return found


def preset(package: str = rtl_sources.SMART_PACKAGE) -> dict[str, int]:
    """Numbers of a generated package as the preset has them."""
    text = rtl_sources.index(configuration=CONFIGURATION)[package].read_text(encoding="utf-8")
    return {name: int(value) for name, value in _NUMBER.findall(text)}


def sizes() -> str:
    """In words: routers of the preset."""
    number = preset()
    channels = [number[f"{name}_VCS"] for name in ("UNICAST", "REDUCTION", "MULTICAST")]
    of_a_class = " + ".join(map(str, channels)) if len(set(channels)) > 1 else f"{channels[0]}"
    return (
        f"{of_a_class} channels of {number['VC_FLITS']} flits per class, flits of "
        f"{number['FLIT_BITS']} bits, tags of {number['TAG_BITS']} bits, a table of "
        f"{number['TABLE_ENTRIES']} entries, paths of {number['HPC_MAX']} hops"
    )


def differences(path: TimedPath) -> list[str]:
    """Numbers of a path that are not the preset's, with those of the preset."""
    known = {**preset(rtl_sources.PACKAGE), **preset()}
    return [
        f"`{name}` {n}, not {known[name]}" for name, n in path.package.items() if n != known[name]
    ]


def _hash(parts: Iterable[str], files: Iterable[Path]) -> str:
    texts = [*parts, *(file.read_text(encoding="utf-8") for file in files)]
    return hashlib.sha256("|".join(texts).encode()).hexdigest()[:12]


def _hop(path: TimedPath) -> tuple[rtl_hop.Hop, Path]:
    """The module, and where its netlist is kept."""
    sources = rtl_sources.closure([path.module], configuration=CONFIGURATION)
    sources = rtl_sources.with_numbers(sources, path.package, OUT, CONFIGURATION)
    hop = rtl_hop.Hop(
        path.module,
        path.parameters,
        sources,
        path.links,
        path.boxes,
        path.passed_only,
        path.is_balanced,
    )
    files = [*sources, *sorted(rtl_sources.INCLUDE.glob("*.svh")), *SYNTHESIS]
    parts = [path.module, repr(path.parameters), repr(path.links), repr(path.boxes)]
    parts.append(repr(path.is_balanced))
    return hop, OUT / f"netlist-{_hash(parts, [*files, *rtl_synth_rows.LOCKS])}"


def _directory(path: TimedPath, netlist: Path) -> Path:
    """Where a row's results are kept."""
    parts = [netlist.name, repr(path.hops), repr(path.passed_only)]
    return OUT / f"{path.id}-{_hash(parts, ANALYSIS)}"


def hashes(known: Iterable[TimedPath]) -> dict[str, str]:
    """Of each row the hash of all that determines it."""
    return {path.id: _directory(path, _hop(path)[1]).name.rpartition("-")[2] for path in known}


def kept(path: TimedPath) -> rtl_row.Row | None:
    """What was measured before for the sources as they are; none if nothing was."""
    file = _directory(path, _hop(path)[1]) / "row.json"
    if not file.exists():
        return None
    entry = json.loads(file.read_text(encoding="utf-8"))
    entry["paths"] = [rtl_row.RowPath(**found) for found in entry["paths"]]
    return rtl_row.Row(**entry)


def measure(path: TimedPath) -> rtl_row.Row:
    """Measures a row, or reads what was measured before.

    Raises:
        rtl_row.RowError: The module has no such ports, or no path goes through a row.
        rtl_timing.TimingError: The analyser says nothing that can be read.
        rtl_yosys.YosysError: Yosys refuses the sources.
    """
    if (row := kept(path)) is not None:
        return row
    hop, netlist = _hop(path)
    if not (netlist / "netlist.v").exists():
        rtl_hop.synthesize(hop, netlist)
    directory = _directory(path, netlist)
    row = rtl_row.measure(hop, path.hops, netlist, directory)
    text = json.dumps(dataclasses.asdict(row))
    (directory / "row.json").write_text(text, encoding="utf-8")
    return row


def line(path: TimedPath, row: rtl_row.Row) -> wire_model.Line:
    """Time over hops. Of flits only what crosses links: all else in a router is of its control."""
    inside_fo4 = 0.0 if path.kind == "data" else row.inside_fo4
    wires = max(found.wires - found.hops for found in row.paths)
    points = [(found.hops, found.fo4) for found in row.paths]
    return wire_model.fit(points, inside_fo4, wires)
