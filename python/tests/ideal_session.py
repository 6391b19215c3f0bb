# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: A002, PLR0917 - the arguments are the engine's
"""A session without a network, for tests of the Python half of programs.

Same calls as the engine's, same meaning of messages and collectives; but a message takes a fixed
number of cycles, whatever its length and path, and a collective ends for all ranks a fixed number
of cycles after the last one has called. Events are handled in the order of time, then of creation.
"""

from __future__ import annotations

import functools
import heapq
import json
from collections.abc import Callable, Sequence
from typing import Any

from noccl.errors import ProgramError
from noccl.programs.session import Finished
from tests.ideal_beside import Beside
from tests.ideal_ranks import Posted, Rank, Sent, fits
from tests.ideal_values import combined

MESSAGE_CYCLES = 100
COLLECTIVE_CYCLES = 200
POLL_CYCLES = 10


class IdealSession(Beside):
    """See the module."""

    world = 0
    clock_ghz = 1.0

    def __init__(self, ranks: int, *, max_cycles: int | None = None) -> None:
        super().__init__()
        self.ranks = [Rank() for _ in range(ranks)]
        self.members: list[tuple[int, ...]] = [tuple(range(ranks))]
        self.max_cycles = max_cycles
        self.events: list[tuple[int, int, Callable[[int], None]]] = []
        self.ready: list[tuple[int, Any]] = []
        self.meetings: dict[tuple[int, int], list[tuple[int, tuple[Any, ...], bytes]]] = {}
        self.spans: list[tuple[int, int, int, str, str]] = []
        self.num_events = 0
        self.cycle = 0
        self.num_requests = 0
        self.failed: str | None = None

    # ------------------------------------------------------------------ requests

    def alone(self, rank: int) -> int:
        self.members.append((rank,))
        return len(self.members) - 1

    def isend(
        self,
        rank: int,
        comm: int,
        destination: int,
        tag: int,
        data: bytes,
        synchronous: bool,
        place: str,
    ) -> int:
        assert isinstance(data, bytes)
        assert tag >= 0
        sender = self.ranks[rank]
        number = self._request(sender)
        if not synchronous:
            sender.requests[number] = (-1, -1, None)
        own = self.members[comm].index(rank)
        sent = Sent(comm, own, tag, data, number if synchronous else None, rank)
        to = self.members[comm][destination]
        start = max(sender.now, self.cycle)
        self._at(start + MESSAGE_CYCLES, lambda now: self._arrive(to, sent, now))
        sender.row["messages"] += 1
        sender.row["bytes"] += len(data)
        return number

    def irecv(self, rank: int, comm: int, source: int, tag: int, max_bytes: int, place: str) -> int:
        receiver = self.ranks[rank]
        posted = Posted(self._request(receiver), comm, source, tag, max_bytes, place)
        for sent in receiver.arrived:
            if posted.takes(sent):
                receiver.arrived.remove(sent)
                self._meet(receiver, posted, sent, receiver.now)
                return posted.number
        receiver.posted.append(posted)
        return posted.number

    def _request(self, owner: Rank) -> int:
        self.num_requests += 1
        owner.requests[self.num_requests] = None
        return self.num_requests

    def _arrive(self, rank: int, sent: Sent, now: int) -> None:
        receiver = self.ranks[rank]
        probe = receiver.probes
        if probe and sent.comm == probe[0] and fits(sent, *probe[1:]):
            receiver.probes = None
            self._wake(rank, (sent.source, sent.tag, len(sent.data)), now)
        for posted in receiver.posted:
            if posted.takes(sent):
                receiver.posted.remove(posted)
                self._meet(receiver, posted, sent, now)
                self._look(rank, now)
                return
        receiver.arrived.append(sent)

    def _meet(self, receiver: Rank, posted: Posted, sent: Sent, now: int) -> None:
        if 0 <= posted.max_bytes < len(sent.data):
            raise ProgramError(
                f"message of {len(sent.data)} bytes from rank {sent.sender} is longer than the "
                f"{posted.max_bytes} bytes received at {posted.place}"
            )
        receiver.requests[posted.number] = (sent.source, sent.tag, sent.data)
        if sent.synchronous is not None:
            number, sender = sent.synchronous, sent.sender

            def end(now: int) -> None:
                self.ranks[sender].requests[number] = (-1, -1, None)
                self._look(sender, now)

            self._at(now + MESSAGE_CYCLES, end)

    def iprobe(
        self, rank: int, comm: int, source: int, tag: int, place: str
    ) -> tuple[int, int, int] | None:
        for sent in self.ranks[rank].arrived:
            if sent.comm == comm and fits(sent, source, tag):
                return sent.source, sent.tag, len(sent.data)
        return None

    def is_over(self, request: int) -> bool:
        (outcome,) = (r.requests[request] for r in self.ranks if request in r.requests)
        return outcome is not None

    def _finished(
        self, owner: Rank, requests: list[int], *, needs_all: bool
    ) -> list[Finished] | None:
        over = [(i, number) for i, number in enumerate(requests) if owner.requests[number]]
        if len(over) < (len(requests) if needs_all else 1):
            return None
        found = []
        for index, number in over:
            outcome = owner.requests.pop(number)
            assert outcome is not None
            found.append((index, *outcome))
        return found

    def cancel(self, rank: int, request: int) -> bool:
        owner = self.ranks[rank]
        if not any(posted.number == request for posted in owner.posted):
            return False
        owner.posted = [posted for posted in owner.posted if posted.number != request]
        del owner.requests[request]
        return True

    def now(self, rank: int) -> int:
        return self.ranks[rank].now

    # ------------------------------------------------------------------ blocking calls

    def _block(self, rank: int, state: str, place: str = "") -> Rank:
        owner = self.ranks[rank]
        assert owner.state == "runs", f"rank {rank} {owner.state}"
        owner.state, owner.place, owner.blocked_at = state, place, owner.now
        return owner

    def wait(self, rank: int, requests: Sequence[int], all: bool, place: str) -> None:
        owner = self._block(rank, "waits", place)
        owner.waits_for, owner.needs_all = list(requests), all
        self._at(owner.now, lambda now: self._look(rank, now))

    def _look(self, rank: int, now: int) -> None:
        owner = self.ranks[rank]
        self._look_beside(owner)
        if owner.state == "waits" and owner.waits_for:
            found = self._finished(owner, owner.waits_for, needs_all=owner.needs_all)
            if found is not None:
                owner.waits_for = []
                owner.row["wait_cycles"] += now - owner.blocked_at
                self._wake(rank, found, now)

    def poll(self, rank: int, cycles: int | None, place: str) -> None:
        owner = self._block(rank, "polls", place)
        cycles = POLL_CYCLES if cycles is None else cycles
        self._at(owner.now + cycles, lambda now: self._wake(rank, None, now))

    def compute(self, rank: int, cycles: int, place: str) -> None:
        owner = self._block(rank, "computes", place)
        owner.row["compute_cycles"] += cycles
        self._at(owner.now + cycles, lambda now: self._wake(rank, None, now))

    def probe(self, rank: int, comm: int, source: int, tag: int, place: str) -> None:
        owner = self._block(rank, "probes", place)
        found = self.iprobe(rank, comm, source, tag, place)
        if found is None:
            owner.probes = (comm, source, tag)
        else:
            self._at(owner.now, lambda now: self._wake(rank, found, now))

    def collective(
        self,
        rank: int,
        comm: int,
        kind: str,
        payload: bytes,
        root: int,
        operator: str,
        element: str,
        place: str,
    ) -> None:
        assert isinstance(payload, bytes)
        self._come(rank, comm, (kind, root, operator, element, len(payload)), payload, place)

    def split(self, rank: int, comm: int, color: int, key: int, place: str) -> None:
        self._come(rank, comm, ("split",), repr((color, key)).encode(), place)

    def _come(
        self, rank: int, comm: int, call: tuple[Any, ...], payload: bytes, place: str
    ) -> None:
        owner = self._block(rank, f"calls {call[0]}", place)
        index = owner.calls.get(comm, 0)
        owner.calls[comm] = index + 1
        meeting = self.meetings.setdefault((comm, index), [])
        if meeting and meeting[0][1] != call:
            other = self.ranks[meeting[0][0]].place
            raise ProgramError(f"collectives differ: {meeting[0][1]} at {other}, {call} at {place}")
        meeting.append((rank, call, payload))
        if len(meeting) < len(self.members[comm]):
            return
        order = {member: place for place, member in enumerate(self.members[comm])}
        meeting.sort(key=lambda one: order[one[0]])
        payloads = [one[2] for one in meeting]
        responses = self._split(comm, payloads) if call == ("split",) else combined(call, payloads)
        end = max(self.ranks[one[0]].now for one in meeting) + COLLECTIVE_CYCLES
        for (member, _, _), response in zip(meeting, responses, strict=True):
            self._at(end, functools.partial(self._wake, member, response))

    def _split(self, comm: int, payloads: list[bytes]) -> list[tuple[int, int, int]]:
        wishes = [eval(payload) for payload in payloads]
        responses = [(-1, -1, 0)] * len(wishes)
        for color in sorted({color for color, _ in wishes if color >= 0}):
            ranks = [rank for rank, wish in enumerate(wishes) if wish[0] == color]
            ranks.sort(key=lambda rank: (wishes[rank][1], rank))
            self.members.append(tuple(self.members[comm][rank] for rank in ranks))
            for place, rank in enumerate(ranks):
                responses[rank] = (len(self.members) - 1, place, len(ranks))
        return responses

    # ------------------------------------------------------------------ time

    def finish(self, rank: int) -> None:
        self.ranks[rank].state = "is over"
        self.ranks[rank].row["finish_cycle"] = self.ranks[rank].now

    def fail(self, rank: int, message: str) -> None:
        self.failed = message

    def _at(self, cycle: int, action: Callable[[int], None]) -> None:
        self.num_events += 1
        heapq.heappush(self.events, (cycle, self.num_events, action))

    def _wake(self, rank: int, response: Any, now: int) -> None:
        owner = self.ranks[rank]
        if now > owner.blocked_at:
            self.spans.append((rank, owner.blocked_at, now, owner.state, owner.place))
        owner.state, owner.now = "runs", now
        self.ready.append((rank, response))

    def advance(self) -> list[tuple[int, Any]]:
        while not self.ready and self.events:
            self.cycle = cycle = self.events[0][0]
            if self.max_cycles is not None and cycle > self.max_cycles:
                raise ProgramError(f"more than {self.max_cycles} cycles")
            while self.events and self.events[0][0] == cycle:
                heapq.heappop(self.events)[2](cycle)
        found, self.ready = sorted(self.ready, key=lambda one: one[0]), []
        stuck = [index for index, rank in enumerate(self.ranks) if rank.state != "is over"]
        if not found and stuck:
            said = ", ".join(
                f"rank {index} {self.ranks[index].state} at {self.ranks[index].place}"
                for index in stuck
            )
            raise ProgramError(f"nobody can go on: {said}")
        return found

    def report(self) -> str:
        rows = [rank.row | {"rank": number} for number, rank in enumerate(self.ranks)]
        return json.dumps(
            {
                "cycles": max(row["finish_cycle"] for row in rows),
                "ranks": rows,
                "flit_hops": 0,
                "collectives": [],
            }
        )
