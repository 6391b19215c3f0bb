# SPDX-License-Identifier: Apache-2.0
"""What the session without a network knows of its ranks, messages and receives."""

from __future__ import annotations

from dataclasses import dataclass, field

from noccl.programs.constants import INTERNAL_TAG


@dataclass(eq=False)
class Sent:
    """A message: where it goes, what it holds, whose request ends when it has been met."""

    comm: int
    source: int
    tag: int
    data: bytes
    synchronous: int | None
    sender: int


@dataclass(eq=False)
class Posted:
    """A receive that no message has met yet."""

    number: int
    comm: int
    source: int
    tag: int
    max_bytes: int
    place: str

    def takes(self, sent: Sent) -> bool:
        return sent.comm == self.comm and fits(sent, self.source, self.tag)


def fits(sent: Sent, source: int, tag: int) -> bool:
    is_tag = sent.tag < INTERNAL_TAG if tag == -1 else sent.tag == tag
    return source in (-1, sent.source) and is_tag


@dataclass(eq=False)
class Rank:
    """What the session knows of a rank."""

    now: int = 0
    state: str = "runs"
    place: str = ""
    posted: list[Posted] = field(default_factory=list)
    arrived: list[Sent] = field(default_factory=list)
    # Requests: None while they go on, else source, tag, bytes.
    requests: dict[int, tuple[int, int, bytes | None] | None] = field(default_factory=dict)
    waits_for: list[int] = field(default_factory=list)
    needs_all: bool = False
    # Waits of tasks beside the rank's calls: their numbers and requests.
    beside: list[tuple[int, list[int]]] = field(default_factory=list)
    probes: tuple[int, int, int] | None = None
    calls: dict[int, int] = field(default_factory=dict)
    row: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            (
                *("finish_cycle", "compute_cycles", "send_cycles", "receive_cycles"),
                *("wait_cycles", "messages", "bytes", "memory_bytes"),
            ),
            0,
        )
    )
    blocked_at: int = 0
