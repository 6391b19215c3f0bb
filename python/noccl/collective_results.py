# SPDX-License-Identifier: Apache-2.0
"""What a collective on the caller's data returns."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from noccl.errors import ArgumentError
from noccl.results import Result
from noccl.values import are_equal
from noccl.views import View

if TYPE_CHECKING:
    import numpy.typing as npt

    from noccl.mesh_drawing import MeshDrawing
    from noccl.notebook_html import Fragment
    from noccl.run_reports import RunReport
    from noccl.schedules import Schedule
    from noccl.tiles import Cluster

_OF_BLOCKS = frozenset({"all_gather", "reduce_scatter", "all_to_all", "scatter", "gather"})
"""Collectives whose sizes are those of a block."""


@dataclass(frozen=True, eq=False, repr=False)
class CollectiveResult(Result):
    """Outcome of one collective on the caller's data.

    Attributes:
        values: What the network delivered. Reduce: shape (num_elements,); gather: shape
            (num_members * num_elements,). All others: one row per member, in the order of
            `members`.
        members: The group in rank order.
        cycles: From the first participant's start to the last participant's end.
        energy_pj: Energy of the counted events; None of core tiles, which have no cost per event.
        schedule: The schedule that ran.
        report: Everything else that the run reports; `verified` says whether the values are those
            of the reference interpreter, byte by byte.
        mesh: What notebooks draw: the network, the group and the root.
        spec: The network's spec, TOML text.
    """

    values: npt.NDArray[Any]
    members: tuple[Cluster, ...]
    cycles: int
    energy_pj: float | None
    schedule: Schedule
    report: RunReport
    mesh: MeshDrawing | None = None
    spec: str | None = None

    def view(self) -> View:
        """The run as a page that plays it, as `noccl.view` of its network and schedule.

        Raises:
            ArgumentError: The result does not know its network: it was not made by a collective.
        """
        if self.spec is None:
            raise ArgumentError("spec: None; accepted: a result of noccl.all_reduce and the like")
        return View.of_schedule(self.spec, self.schedule)

    def __eq__(self, other: object) -> bool:
        """Are all fields equal, arrays by their elements?"""
        if not isinstance(other, CollectiveResult):
            return NotImplemented
        return all(are_equal(value, vars(other)[name]) for name, value in vars(self).items())

    __hash__: ClassVar[None] = None  # type: ignore[assignment] # An array has no hash.

    def _title(self) -> str:
        claim = json.loads(self.schedule.text)["collective"]
        size = f"{claim['bytes']:,} bytes" + " of a block" * (claim["kind"] in _OF_BLOCKS)
        return f"{claim['kind']} by {self.schedule.algorithm}, {size}, {len(self.members)} members"

    def _facts(self) -> dict[str, str]:
        shape = ", ".join(map(str, self.values.shape))
        return {**self.report._facts(), "values": f"{self.values.dtype}, shape ({shape})"}

    def _row(self) -> dict[str, Any]:
        claim = json.loads(self.schedule.text)["collective"]
        what = {
            "collective": claim["kind"],
            "algorithm": self.schedule.algorithm,
            "bytes": claim["bytes"],
            "num_participants": len(self.members),
        }
        return {**what, **self.report._row()}

    def _pictures(self) -> list[Fragment]:
        mesh = [] if self.mesh is None else [self.mesh.figure()]
        return [*mesh, *self.report._pictures()]
