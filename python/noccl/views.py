# SPDX-License-Identifier: Apache-2.0
"""Runs as pages in which the mesh plays, cycle by cycle: in a notebook, or as one HTML file.

The page is part of the extension module, with the simulator as WebAssembly in it: it asks for
nothing on the network and needs no server. Notebooks show it in a frame of its own origin, so that
its scripts reach nothing of the notebook.
"""

from __future__ import annotations

import html
import json
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from noccl import _native
from noccl.errors import ArgumentError
from noccl.files import write_file
from noccl.networks import network_of, presets
from noccl.runs import native_progress
from noccl.schedules import Schedule, schedule_text
from noccl.sizes import size
from noccl.tiles import group_text, tile_text
from noccl.values import request_text, several, text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from noccl.networks import AnyNetwork
    from noccl.runs import OnProgress
    from noccl.tiles import AnyGroup, AnyTile

_MOST_RUNS = 2
_FRAME_PIXELS = 760


@dataclass(frozen=True, repr=False)
class View:
    """One run, or two at the same cycle, as a page; notebooks show it as the value of a cell.

    Attributes:
        runs: The recorded runs, JSON texts of `formats/view.schema.json`.
        recordings: Recordings, JSON texts of `formats/recording.schema.json`.
    """

    runs: tuple[str, ...]
    recordings: tuple[str, ...] = ()

    @staticmethod
    def of_schedule(spec: str, schedule: Schedule) -> View:
        """The run of a schedule on the network of a spec, TOML text."""
        request = request_text(**_network_fields(spec))
        return View((_native.view(request, schedule_text(schedule), None),))

    def to_html(self) -> str:
        """The page: one HTML file that needs no network.

        Raises:
            FileError: This package was built without the page.
        """
        return _native.live_page(list(self.runs), list(self.recordings))

    def save(self, path: Path | str) -> None:
        """Writes the page, as `noccl view -o` does.

        Raises:
            FileError: The file cannot be written, or this package was built without the page.
        """
        write_file(path, self.to_html().encode())

    def _repr_html_(self) -> str:
        """The page in a frame, as IPython asks for it: about 2 MB in the file of a notebook."""
        return (
            f'<iframe srcdoc="{html.escape(self.to_html())}" sandbox="allow-scripts allow-forms" '
            f'title="{html.escape(repr(self))}" '
            f'style="width: 100%; height: {_FRAME_PIXELS}px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        runs = (json.loads(run) for run in (*self.runs, *self.recordings))
        return f"View: {', '.join(map(_summary, runs))}"


def view(
    network: AnyNetwork,
    *what: str | Schedule,
    num_bytes: int | str = "32KiB",
    group: AnyGroup = "all",
    root: AnyTile | None = None,
    algorithms: str | Sequence[str] = "auto",
    operator: str = "sum",
    element: str = "fp64",
    on_progress: OnProgress | None = None,
) -> View:
    """Runs a collective or schedules, and shows flits on the mesh and actions over time.

    >>> from noccl import load
    >>> view(load("collective_noc_4x4"), "reduce", num_bytes="1KiB", algorithms="in_network")
    View: in_network 89 cycles

    Args:
        network: Network, or what `load` takes.
        what: A collective, or one schedule or two. Of schedules the arguments up to `element` say
            nothing; they run on random inputs, like those of `run`.
        num_bytes: Payload per participant.
        group: Participants.
        root: Root; None for the paper's choice.
        algorithms: One or two: `auto` or names; without parameters the fastest of a range is
            searched.
        operator: `sum`, `min`, `max`, `and` or `or`.
        element: Element type.
        on_progress: Called now and then; returning False ends the call.

    Raises:
        ArgumentError: An argument is outside what is accepted.
        AlgorithmError: The algorithm does not do this.
        ScheduleError: The checker refuses the schedule. One that may deadlock runs, and its page
            says who waits for whom.
    """
    network = network_of(network)
    request = _network_fields(network.to_toml(), network.overrides)
    calls: list[tuple[dict[str, Any], str | None]]
    schedules = [one for one in what if isinstance(one, Schedule)]
    if what and len(schedules) == len(what):
        calls = [(request, schedule_text(schedule)) for schedule in schedules]
    elif len(what) == 1:
        fields = {
            "collective": text("what", what[0]),
            "bytes": str(size("num_bytes", num_bytes)),
            "group": group_text(group),
            "root": "" if root is None else tile_text(root),
            "operator": text("operator", operator),
            "element": text("element", element),
        }
        names = [text("algorithms", name) for name in several("algorithms", algorithms)]
        calls = [({**request, **fields, "algorithm": name}, None) for name in names]
    else:
        raise ArgumentError("what: accepted: the name of a collective, one schedule or two")
    if not 1 <= len(calls) <= _MOST_RUNS:
        raise ArgumentError(f"{len(calls)} runs; accepted: one or two, at the same cycle")
    progress = native_progress(on_progress)
    return View(tuple(_native.view(request_text(**one), of, progress) for one, of in calls))


def _network_fields(spec: str, overrides: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """The network as a preset with overrides, or as the text of its spec: a page has no files."""
    name = tomllib.loads(spec)["name"]
    if name in presets() and _native.load(name, list(overrides)).to_toml() == spec:
        return {"network": name, "overrides": [f"{key}={value}" for key, value in overrides]}
    return {"network": spec, "overrides": []}


def _summary(run: dict[str, Any]) -> str:
    cycles = run["cycles"]
    return f"{run.get('algorithm') or run['workload']} " + (
        "given up" if cycles is None else f"{cycles:,} cycles"
    )
