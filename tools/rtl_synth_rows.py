# SPDX-License-Identifier: Apache-2.0
"""The rows of `rtl/synth/modules.toml` and their measurement."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import rtl_area
import rtl_sources
import rtl_timing
from repository import ROOT

ROWS = rtl_sources.RTL / "synth" / "modules.toml"
OUT = ROOT / "out" / "synth"
# One per input of a router.
NUM_BANKS = 5
METHOD = [ROOT / "tools" / name for name in ("rtl_area.py", "rtl_timing.py")]
LOCKS = [ROOT / "requirements" / "rtl.lock", ROOT / "requirements" / "debian.toml"]


def _operand_store(number: Mapping[str, int]) -> int:
    flows = 1 << (number["REDUCTION_FLOWS"] - 1).bit_length()
    return NUM_BANKS * number["MAX_WINDOW_BEATS"] * flows * number["WIDE_BITS"]


def _dma_buffer(number: Mapping[str, int]) -> int:
    # A line and the mark of a failed read.
    return number["DMA_BUFFER_BEATS"] * (number["WIDE_BITS"] + 1)


# Tables: tiles of S1 with their endpoints, routers with bypass.
GROUPS = ("tiles", "bypass")

# Bits of the memories, by the numbers of a generated package.
MEMORIES = {"operand_store": _operand_store, "dma_buffer": _dma_buffer}


class RowError(Exception):
    """A row of the file says nothing that can be measured."""


@dataclass(frozen=True)
class Row:
    """What is measured, and what it is compared with.

    Attributes:
        id: Name in options and JSON.
        title: Name in the table.
        group: In whose table it stands, of `GROUPS`.
        top: Module; none for a row that other rows make up, and for a memory.
        memory: A memory of the generated package, one plain flip-flop a bit: `operand_store` or
            `dma_buffer`.
        parameters: Values of its parameters.
        configuration: Whose generated package is read.
        package: Numbers that differ from those of the generated package.
        path_parameters: Those that differ where the critical path is looked for.
        is_timed: Is the critical path looked for?
        plus: Rows that it adds.
        minus: Rows that it subtracts.
        baseline: Row of which the increase is shown.
        published_kge: The published design's area in this flow.
        published_baseline_kge: That of its baseline.
        paper: The paper's increase in words.
    """

    id: str
    title: str
    group: str = "tiles"
    top: str | None = None
    memory: str | None = None
    parameters: dict[str, int] = field(default_factory=dict)
    configuration: str = rtl_sources.CONFIGURATION
    package: dict[str, int] = field(default_factory=dict)
    path_parameters: dict[str, int] = field(default_factory=dict)
    is_timed: bool = True
    plus: list[str] = field(default_factory=list)
    minus: list[str] = field(default_factory=list)
    baseline: str | None = None
    published_kge: float | None = None
    published_baseline_kge: float | None = None
    paper: str = ""

    @property
    def needs(self) -> list[str]:
        """Rows without which it says nothing."""
        return [*self.plus, *self.minus, *([self.baseline] if self.baseline else [])]


@dataclass(frozen=True)
class Result:
    """Area and critical path of a row.

    Attributes:
        area: Weights.
        timing: The critical path; none if it was not asked for or there are no registers.
    """

    area: rtl_area.Area
    timing: rtl_timing.CriticalPath | None


def rows(text: str) -> list[Row]:
    """Reads the list of rows.

    Raises:
        RowError: A row has not one of module, memory and parts, or names what does not exist.
    """
    found = [Row(**entry) for entry in tomllib.loads(text)["row"]]
    names = {row.id for row in found}
    for row in found:
        if [row.top is None, row.memory is None, not row.plus].count(False) != 1:
            raise RowError(f"{row.id}: accepted: either a module, a memory or rows to add")
        if row.group not in GROUPS:
            raise RowError(f"{row.id}: no group {row.group}; accepted: {', '.join(GROUPS)}")
        if row.memory is not None and row.memory not in MEMORIES:
            raise RowError(f"{row.id}: no memory {row.memory}; accepted: {', '.join(MEMORIES)}")
        if unknown := set(row.needs) - names:
            raise RowError(f"{row.id}: no row {', '.join(sorted(unknown))}")
    return found


def closed(wanted: set[str], known: Mapping[str, Row]) -> set[str]:
    """The rows with all that they need."""
    while more := {name for row in wanted for name in known[row].needs} - wanted:
        wanted = wanted | more
    return wanted


def _directory(row: Row) -> tuple[Path, list[Path]]:
    """Where a module's results are kept, and the sources that they hold for."""
    top = row.top or ""
    sources = rtl_sources.closure([top], configuration=row.configuration)
    sources = rtl_sources.with_numbers(sources, row.package, OUT, row.configuration)
    texts = [*sources, *sorted(rtl_sources.INCLUDE.glob("*.svh")), *METHOD, *LOCKS]
    parts = [top, repr(row.parameters), repr(row.path_parameters)]
    parts += [path.read_text(encoding="utf-8") for path in texts]
    return OUT / f"{row.id}-{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:12]}", sources


def hashes(known: Iterable[Row], group: str) -> dict[str, str]:
    """Of each row of a group that is no sum of others, the hash of all that determines it."""
    found = {}
    for row in known:
        if row.group == group and row.top is not None:
            found[row.id] = _directory(row)[0].name.rpartition("-")[2]
        elif row.group == group and row.memory is not None:
            found[row.id] = hashlib.sha256(repr(memory(row)).encode()).hexdigest()[:12]
    return found


def kept(row: Row) -> Result | None:
    """What was measured before for the sources as they are; none if nothing was."""
    directory, _ = _directory(row)
    area_file, timing_file = directory / "ge.json", directory / "timing.json"
    if not area_file.exists():
        return None
    area = rtl_area.Area(**json.loads(area_file.read_text(encoding="utf-8")))
    timing = json.loads(timing_file.read_text("utf-8")) if timing_file.exists() else None
    return Result(area, rtl_timing.CriticalPath(**timing) if timing else None)


def measure(row: Row, with_timing: bool) -> Result:
    """Measures a module, or reads what was measured before.

    Raises:
        rtl_area.AreaError: Something has no weight.
        rtl_timing.TimingError: The analyser says nothing that can be read.
        rtl_yosys.YosysError: Yosys refuses the sources.
    """
    top = row.top or ""
    directory, sources = _directory(row)
    area_file, timing_file = directory / "ge.json", directory / "timing.json"
    if not area_file.exists():
        area = rtl_area.measure(top, row.parameters, sources, directory)
        area_file.write_text(json.dumps(dataclasses.asdict(area)), encoding="utf-8")
    area = rtl_area.Area(**json.loads(area_file.read_text(encoding="utf-8")))
    if with_timing and row.is_timed and not timing_file.exists():
        timing = None
        if area.num_flip_flops > 0:
            parameters = row.parameters | row.path_parameters
            timing = rtl_timing.measure(top, parameters, sources, directory)
        text = json.dumps(None if timing is None else dataclasses.asdict(timing))
        timing_file.write_text(text, encoding="utf-8")
    result = kept(row)
    if result is None:
        raise RowError(f"{row.id}: {directory} is gone")
    return result if with_timing else Result(result.area, None)


def memory(row: Row) -> Result:
    """Counts a memory as plain flip-flops, without the logic that reads it."""
    package = rtl_sources.index()["noccl_cfg_pkg"].read_text(encoding="utf-8")
    number = {name: int(value) for name, value in re.findall(r"(\w+) = (\d+);", package)}
    bits = MEMORIES[row.memory or ""](number)
    return Result(rtl_area.Area(0.0, bits * rtl_area.PLAIN_FLIP_FLOP, bits), None)


def combine(row: Row, results: Mapping[str, Result]) -> Result:
    """Adds and subtracts the areas of other rows."""
    signed = [(1, results[name].area) for name in row.plus]
    signed += [(-1, results[name].area) for name in row.minus]
    area = rtl_area.Area(
        sum(sign * area.logic_ge for sign, area in signed),
        sum(sign * area.flip_flop_ge for sign, area in signed),
        sum(sign * area.num_flip_flops for sign, area in signed),
    )
    return Result(area, None)
