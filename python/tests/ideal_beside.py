# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: A002, PLR0917 - the arguments are the engine's
"""The session without a network: what it can do, and what goes on beside the calls of ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.ideal_values import ELEMENTS, OPERATORS

if TYPE_CHECKING:
    from tests.ideal_ranks import Rank


class Beside:
    """Tasks of ranks, all of messages; times are not kept."""

    ranks: list[Rank]
    members: list[tuple[int, ...]]
    cycle: int
    ready: list[tuple[int, Any]]
    spans: list[tuple[int, int, int, str, str]]

    def __init__(self) -> None:
        self.groups: dict[tuple[int, ...], tuple[list[int], dict[int, int]]] = {}

    def group(self, rank: int, ranks: list[int], place: str) -> int:
        del place
        made, calls = self.groups.setdefault(tuple(ranks), ([], {}))
        call = calls[rank] = calls.get(rank, -1) + 1
        if call == len(made):
            made.append(len(self.members))
            self.members.append(tuple(ranks))
        return made[call]

    def _request(self, owner: Rank) -> int:
        raise NotImplementedError

    def _finished(self, owner: Rank, requests: list[int], *, needs_all: bool) -> Any:
        raise NotImplementedError

    def _look(self, rank: int, now: int) -> None:
        raise NotImplementedError

    def _at(self, cycle: int, action: Callable[[int], None]) -> None:
        raise NotImplementedError

    def _look_beside(self, owner: Rank) -> None:
        """Responses to waits of tasks that are over."""
        for wait in list(owner.beside):
            found = self._finished(owner, wait[1], needs_all=True)
            if found is not None:
                owner.beside.remove(wait)
                self.ready.append((-1 - wait[0], found))

    def supports(
        self, _: int, comm: int, kind: str, bytes: int, root: int, operator: str, element: str
    ) -> bool:
        is_bitwise_float = operator in ("and", "or") and element.startswith("fp")
        return operator in OPERATORS and element in ELEMENTS and not is_bitwise_float

    def supports_nonblocking(self, *_: object) -> bool:
        return False

    def note_composed(self, *_: object) -> None:
        pass

    def icollective(self, *_: object, **__: object) -> int:
        raise NotImplementedError

    def begin_task(self, rank: int, name: str, place: str) -> int:
        return self._request(self.ranks[rank])

    def end_task(self, task: int) -> None:
        (number,) = (i for i, rank in enumerate(self.ranks) if task in rank.requests)
        self.ranks[number].requests[task] = (-1, -1, None)
        self._at(self.cycle, lambda now: self._look(number, now))

    def wait_in_task(self, rank: int, requests: Sequence[int], token: int, place: str) -> None:
        self.ranks[rank].beside.append((token, list(requests)))
        self._at(self.cycle, lambda now: self._look(rank, now))

    def record_times(self) -> None:
        raise NotImplementedError

    def record_run(self) -> None:
        raise NotImplementedError

    def recording(self, workload: str) -> str:
        raise NotImplementedError

    def record_messages(self) -> None:
        raise NotImplementedError

    def messages(self, source: str) -> str:
        raise NotImplementedError

    def trace_events(self) -> str:
        raise NotImplementedError

    def timeline(self) -> tuple[list[bytes], list[str]]:
        names = [name for span in self.spans for name in span[3:]]
        rows = [(*span[:3], 2 * row, 2 * row + 1) for row, span in enumerate(self.spans)]
        columns = zip(*rows, strict=True) if rows else [()] * 5
        kinds = ("<u4", "<u8", "<u8", "<u4", "<u4")
        return [
            np.array(column, kind).tobytes() for column, kind in zip(columns, kinds, strict=True)
        ], names
