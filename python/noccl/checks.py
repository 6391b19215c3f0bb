# SPDX-License-Identifier: Apache-2.0
"""The checker: what is proven about a schedule before anything runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from noccl import _native
from noccl.networks import network_of
from noccl.renamed import renamed_attribute
from noccl.results import Result, counted
from noccl.schedules import schedule_text

if TYPE_CHECKING:
    from noccl.networks import AnyNetwork
    from noccl.schedules import Schedule


@dataclass(frozen=True)
class StepReport:
    """All actions at one depth of a schedule.

    Attributes:
        actions: Actions at this depth.
        transfers: Transfers and in-network reductions among them that move at least one byte.
        bytes: Payload bytes that these send.
        max_link_transfers: Most of them on one link: 1 if the step is a round, 0 without any.
    """

    actions: int
    transfers: int
    bytes: int
    max_link_transfers: int


@dataclass(frozen=True, repr=False)
class CheckReport(Result):
    """What is proven about a schedule that passed the checker.

    Attributes:
        actions: Actions of the schedule.
        transfers: Transfers and in-network reductions that move at least one byte.
        bytes: Payload bytes sent: a multicast counts once, a reduction once per contributor.
        steps: Contention per step.
        fold_orders: Distinct fold orders of ranks in the outputs, e.g. `[0, 1, 2]`: from the left.
    """

    actions: int
    transfers: int
    bytes: int
    steps: tuple[StepReport, ...]
    fold_orders: tuple[str, ...]
    folds: ClassVar[property] = renamed_attribute("folds", "fold_orders")

    def _title(self) -> str:
        return f"proved: {counted(self.actions, 'action')}, {counted(len(self.steps), 'step')}"

    def _facts(self) -> dict[str, str]:
        crowded = max((step.max_link_transfers for step in self.steps), default=0)
        facts = {
            "transfers": f"{self.transfers:,}",
            "bytes sent": f"{self.bytes:,}",
            "most transfers on a link": f"{crowded} in one step",
        }
        return facts | ({"fold orders": "; ".join(self.fold_orders)} if self.fold_orders else {})

    def _row(self) -> dict[str, Any]:
        names = ("actions", "transfers", "bytes")
        return {name: getattr(self, name) for name in names} | {"steps": len(self.steps)}


def check(network: AnyNetwork, schedule: Schedule) -> CheckReport:
    """Proves what a schedule claims, without running it.

    >>> from noccl import load, make_schedule
    >>> network = load("collective_noc_4x4")
    >>> check(network, make_schedule(network, "reduce", num_bytes=64, group="row")).actions
    1

    Args:
        network: Network, or what `load` takes.
        schedule: Schedule.

    Raises:
        ScheduleError: The first thing that is wrong: form, a cycle of waits, a race, an unmet
            postcondition.
    """
    network = network_of(network)
    fields = json.loads(_native.check(network, schedule_text(schedule)))
    steps = (
        StepReport(
            step["actions"],
            step["transfers"],
            step["bytes"],
            max(
                (link["transfers"] for link in step["contended"]), default=min(1, step["transfers"])
            ),
        )
        for step in fields["steps"]
    )
    return CheckReport(
        actions=fields["actions"],
        transfers=fields["transfers"],
        bytes=fields["bytes"],
        steps=tuple(steps),
        fold_orders=tuple(fields["fold_orders"]),
    )
