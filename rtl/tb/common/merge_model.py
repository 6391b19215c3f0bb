# SPDX-License-Identifier: Apache-2.0
"""What a merge table does in a cycle, written from its page and design notes 0001 and 0004."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from common.flits import PORTS, Coord, Join

# A timer counts eighths of the timeout.
TICKS_TO_GIVE_UP = 7
# Of a name that another transaction has.
RESP_SLVERR = 2


@dataclass(frozen=True)
class Contribution:
    """A flit that travels to the home: for how many leaves it stands, and their worst response."""

    join: Join
    tag: int
    count: int
    resp: int
    own_copy: bool = False

    @property
    def name(self) -> tuple[Coord, int]:
        """What only one transaction at a time may have."""
        return self.join.root, self.tag

    def is_same_transaction(self, other: Contribution) -> bool:
        """Do both belong to one transaction?"""
        return self.name == other.name and self.join == other.join

    def leaves(self, here: Coord) -> int:
        """Contributions that will come through a router."""
        own = self.own_copy and here == self.join.root
        return sum(map(len, self.join.inputs(here).values())) - own


@dataclass
class Entry:
    """Contributions that wait, or the memory of those that have left."""

    merged: Contribution
    is_timed: bool
    ticks: int = 0
    has_passed: bool = False


@dataclass
class Cycle:
    """What is visible in a cycle."""

    absorbed: set[int] = field(default_factory=set)
    forwarded: dict[int, Contribution] = field(default_factory=dict)
    result: Contribution | None = None


@dataclass
class Model:
    """The table of one router."""

    here: Coord
    num_entries: int
    timeout_cycles: int
    has_registers: bool = False
    entries: dict[int, Entry] = field(default_factory=dict)
    has_overflowed: bool = False
    last_served: int = 0
    settled: dict[int, Contribution] = field(default_factory=dict)
    # With registers: inputs that had their granted in the cycle before.
    group: list[int] = field(default_factory=list)
    result: tuple[int, Contribution] | None = None
    num_cycles: int = 0

    def step(self, heads: dict[int, Contribution], taken: set[int], *, is_ready: bool) -> Cycle:
        """One cycle with its heads; the forwarded heads and the result that are taken."""
        now = Cycle(forwarded=dict(self.settled), result=self.result and self.result[1])
        pending = [i for i in PORTS if i in heads and i not in {*self.settled, *self.group}]
        granted = self._granted(pending, heads) if pending else []
        group = self.group if self.has_registers else granted
        touched, leaving = self._decide(group, heads, now) if group else (None, {})
        if self.has_registers:
            self.group = granted
        else:
            now.forwarded |= leaving
        decided = now.forwarded | leaving
        self.settled = {i: c for i, c in decided.items() if i not in taken}
        due = self._due(touched)
        if self.result is not None:
            if is_ready:
                self.result = None
        elif due is not None:
            self.entries[due].has_passed = True
            self.result = (due, self.entries[due].merged)
        self.num_cycles += 1
        if self.num_cycles % (self.timeout_cycles // 8) == 0:
            for slot, entry in self.entries.items():
                entry.ticks += slot != touched
        return now

    def _granted(self, pending: list[int], heads: dict[int, Contribution]) -> list[int]:
        """Inputs with contributions to the transaction whose granted it is."""
        behind = [i for i in pending if i > self.last_served]
        lead = (behind or pending)[0]
        self.last_served = lead
        return [i for i in pending if heads[i].is_same_transaction(heads[lead])]

    def _decide(
        self, group: list[int], heads: dict[int, Contribution], now: Cycle
    ) -> tuple[int | None, dict[int, Contribution]]:
        """What becomes of heads of one transaction.

        Returns the slot that they have entered, and what goes on by which input.
        """
        first = heads[group[0]]
        slot = next(
            (s for s, e in self.entries.items() if e.merged.is_same_transaction(first)), None
        )
        parts = [heads[i] for i in group]
        merged = _sum(parts)
        if slot is None and self._is_in_use(first.name):
            merged = replace(merged, resp=merged.resp | RESP_SLVERR)
            parts = [merged]
        everything = merged if slot is None else _sum([self.entries[slot].merged, *parts])
        is_complete = everything.count == merged.leaves(self.here)
        has_passed = slot is not None and self.entries[slot].has_passed
        leaving = merged if has_passed else everything
        if slot is None and not is_complete:
            slot = self._free_slot(everything)
            goes_on = slot is None
        elif slot is not None:
            self.entries[slot].merged = everything
            self.entries[slot].ticks = 0
            goes_on = is_complete or has_passed
        else:
            goes_on = True
        if is_complete and slot is not None:
            del self.entries[slot]
        now.absorbed = set(group[:-1] if goes_on else group)
        return slot, {group[-1]: leaving} if goes_on else {}

    def _is_in_use(self, name: tuple[Coord, int]) -> bool:
        """Does another transaction wait under this name? What has passed may be over."""
        return any(e.merged.name == name and not e.has_passed for e in self.entries.values())

    def _free_slot(self, first: Contribution) -> int | None:
        pinned = set() if self.result is None else {self.result[0]}
        free = [s for s in range(self.num_entries) if s not in self.entries and s not in pinned]
        self.has_overflowed |= not free
        passed = [s for s in sorted(self.entries) if self.entries[s].has_passed]
        slot = next(iter([*free, *(s for s in passed if s not in pinned)]), None)
        if slot is not None:
            self.entries[slot] = Entry(first, self.has_overflowed)
        return slot

    def _due(self, touched: int | None) -> int | None:
        for slot in sorted(self.entries):
            entry = self.entries[slot]
            is_late = entry.is_timed and entry.ticks >= TICKS_TO_GIVE_UP
            if is_late and not entry.has_passed and slot != touched:
                return slot
        return None


def _sum(parts: list[Contribution]) -> Contribution:
    count = sum(part.count for part in parts)
    return replace(parts[-1], count=count, resp=max(part.resp for part in parts))
