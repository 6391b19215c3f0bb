# SPDX-License-Identifier: Apache-2.0
"""What surrounds a merge point of wide reductions: senders with windows, the next merge point.

Written from design notes 0001 and 0004. It knows what must come out, not when.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

from common import flits
from common.flits import LOCAL, Coord, Join

SLVERR = 2
# How an operand differs from the others: marked further up, or to be found out here.
DIFFERENCES = ("mark", "operator", "element", "strobe")
WORD = (1 << 64) - 1


def window(hops: int) -> int:
    """Beats that may be in flight over a distance."""
    c = flits.constants()
    farther = max(hops - 1, 0) * c["WINDOW_BEATS_PER_HOP"]
    return min(c["WINDOW_BEATS"] + farther, c["MAX_WINDOW_BEATS"])


def hops(a: Coord, b: Coord) -> int:
    """Links between two routers."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def combine(operands: list[int]) -> int:
    """The bench's arithmetic, which is neither commutative nor associative."""
    total = operands[0]
    for operand in operands[1:]:
        total = (3 * total + operand) & WORD
    return total


@dataclass
class Flow:
    """One reduction burst at the merge point, from all sides."""

    join: Join
    tag: int
    beats: int
    line: int
    disagrees: int | None
    here: Coord
    rng: random.Random
    sent: dict[int, int] = field(default_factory=dict)
    credits: dict[int, int] = field(default_factory=dict)
    data: dict[int, list[int]] = field(default_factory=dict)
    num_left: int = 0
    num_credited: int = 0
    how: str = ""
    first: int | None = None

    def __post_init__(self) -> None:
        self.how = self.rng.choice(DIFFERENCES)
        for port in self.join.inputs(self.here):
            self.sent[port] = 0
            self.credits[port] = window(hops(self.here, self.join.contributor(self.here, port)))
            self.data[port] = [self.rng.getrandbits(64) for _ in range(self.beats)]
        ahead = self.join.next_merge(self.here)
        self.ahead_window = None if ahead is None else window(hops(self.here, ahead))

    @property
    def name(self) -> tuple[Coord, int]:
        """Root and tag."""
        return self.join.root, self.tag

    def may_send(self, port: int) -> bool:
        """Is there a beat, and a credit for it?"""
        return port in self.sent and self.sent[port] < self.beats and self.credits[port] > 0

    def differs(self, port: int | None, how: str) -> bool:
        """Does the operand of an input differ so?"""
        return self.disagrees is not None and (self.disagrees, self.how) == (port, how)

    def is_whole(self, port: int) -> bool:
        """Does it enable its whole line?"""
        return not self.differs(port, "strobe")

    def header(self, beat: int, src: Coord, port: int | None, *, is_marked: bool) -> int:
        """Header of an operand of an input, or of a sum whose first operand is from there."""
        fields = {
            **self.join.fields(),
            "kind": 1,
            "src_x": src[0],
            "src_y": src[1],
            "tag": self.tag,
            "resp": SLVERR * is_marked,
            "line": self.line + beat,
            "left": self.beats - 1 - beat,
            "operator": (self.tag + self.differs(port, "operator")) % 5,
            "element": (self.tag + self.differs(port, "element")) % 10,
        }
        return flits.pack("wide", fields)

    def operand(self, port: int) -> tuple[int, int]:
        """Header and data of the next operand of an input."""
        beat = self.sent[port]
        src = self.join.contributor(self.here, port)
        header = self.header(beat, src, port, is_marked=self.differs(port, "mark"))
        return header, self.data[port][beat]

    def send(self, port: int) -> None:
        """The operand has entered the router."""
        self.sent[port] += 1
        self.credits[port] -= 1
        # Of a flow's first operands only one comes in a cycle.
        self.first = port if self.first is None else self.first

    def take_sum(self, header: int, data: int) -> None:
        """A sum leaves the merge point: is it the right one?"""
        beat = self.num_left
        self.num_left += 1
        is_marked = self.disagrees is not None
        assert header == self.header(beat, self.here, self.first, is_marked=is_marked)
        assert data == combine([self.data[port][beat] for port in sorted(self.data)])
        if self.ahead_window is not None:
            assert self.num_left - self.num_credited <= self.ahead_window, "window exceeded"

    def has_pending_credit(self) -> bool:
        """Does the next merge point return a batch of credits, having reduced all that has left?"""
        if self.ahead_window is None:
            return False
        batch = flits.constants()["CREDIT_BEATS"]
        is_reduced = self.num_left - self.num_credited >= batch
        return is_reduced and self.num_credited + self.ahead_window < self.beats

    def needs(self, port: int) -> bool:
        """Has the sender of an input more to send than it has credits for?"""
        return self.beats - self.sent[port] > self.credits[port]

    def is_over(self) -> bool:
        """All sums have left."""
        return self.num_left == self.beats


def is_local_only(join: Join, here: Coord) -> bool:
    """Nobody but the tile itself contributes."""
    return set(join.inputs(here)) == {LOCAL}


@dataclass
class Unary:
    """Operands that meet no other contributions here: they go on as they are."""

    header: int
    data: int


Head = tuple[Flow | Unary, int, int]
Queue = deque[Head]
