# SPDX-License-Identifier: Apache-2.0
"""What all operations of a communicator rest on: its ranks, bytes to and from them, agreement.

Ranks must call the collectives of a communicator in the same order with arguments that fit. Each
call is compared with that of the first rank that came to it, without a message, so that a mistake
is reported with both call sites instead of as a deadlock later.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Self

from noccl.programs import constants
from noccl.programs.comm_state import CommState
from noccl.programs.constants import INTERNAL_TAG
from noccl.programs.failures import MpiError
from noccl.programs.handles import Copied
from noccl.programs.mpi_values import VALUES
from noccl.values import kind_of, shown_number

if TYPE_CHECKING:
    from noccl.programs.link import Link


_OBJECTS = "Python objects, whose lengths only their ranks know"
_LENGTHS = "blocks of ranks differ in length"


class Agreement:
    """One collective call of a communicator, as its ranks make it.

    Attributes:
        call: Name and arguments that must be the same.
        rank: Rank that came first.
        where: Its call site.
        notes: What ranks put down for each other, by rank.
    """

    __slots__ = ("call", "notes", "num_missing", "rank", "where")

    def __init__(self, call: tuple[Any, ...], rank: int, where: str, size: int) -> None:
        self.call: tuple[Any, ...] = call
        self.rank: int = rank
        self.where: str = where
        self.num_missing: int = size
        self.notes: dict[int, Any] = {}


_OF_A_COPY = ("_agreements", "_known", "_link", "_number", "_rank", "_size", "members")


class Endpoint(Copied):
    """A communicator as one of its ranks sees it.

    Attributes:
        members: Rank of the world of each rank.
    """

    __slots__ = ("_call", *_OF_A_COPY)
    ERROR_CLASS = VALUES["ERR_COMM"]
    _agreements: dict[int, Agreement]
    _call: tuple[Any, ...]
    _known: dict[Any, bool]
    _link: Link
    _number: int
    _rank: int
    _size: int
    _state: CommState
    members: tuple[int, ...]

    def __new__(cls, comm: Any = None, *_: Any, **__: Any) -> Self:
        """A copy of the same communicator; without one, a null communicator."""
        made = super().__new__(cls, comm)
        made._call = ()
        made._number = -1
        if comm:
            made._share(comm)
        return made

    def _share(self, comm: Endpoint) -> None:
        """Takes over the communicator of another object."""
        self._state = comm._state
        for name in _OF_A_COPY:
            setattr(self, name, getattr(comm, name))

    @classmethod
    def _made(cls, link: Link, number: int, rank: int, members: tuple[int, ...]) -> Self:
        """A communicator that the engine has just made."""
        made = Endpoint.__new__(cls)
        made._state = CommState()
        made._link = link
        made._number = number
        made._rank = rank
        made._size = len(members)
        made.members = members
        # The members stand for the rare engine that gives a number again.
        made._known = link.hub.shared.setdefault("supported", {})
        made._agreements = link.hub.shared.setdefault((number, members), {})
        return made

    def _agree(self, where: str, *call: Any) -> Agreement:
        """Compares this collective call with those of the other ranks.

        Args:
            where: Call site.
            call: Name, then names and values of the arguments that must be the same.

        Raises:
            ProgramError: Another rank makes another call.
        """
        state = self._state
        if state is None:
            raise self._is_null(f"{call[0]} at {where}")
        index = state.num_collectives
        state.num_collectives = index + 1
        self._call = call
        agreement = self._agreements.get(index)
        if agreement is None:
            agreement = Agreement(call, self._rank, where, self._size)
            self._agreements[index] = agreement
        elif agreement.call != call:
            raise MpiError(
                f"collective calls of {self._label()} differ: rank {agreement.rank} at "
                f"{agreement.where} calls {_shown(agreement.call)}, rank {self._rank} at {where} "
                f"calls {_shown(call)}; accepted: the same call with the same arguments in all",
                rank=self._link.rank,
            )
        agreement.num_missing -= 1
        if agreement.num_missing == 0:
            del self._agreements[index]
        return agreement

    @staticmethod
    def _is_null(call: str) -> MpiError:
        """The error of a call on a null communicator."""
        return MpiError(
            f"{call}: the communicator is COMM_NULL or has been freed; accepted: one whose rank "
            "calls",
            error_class=VALUES["ERR_COMM"],
        )

    def _label(self) -> str:
        return self._state.name or f"the communicator of ranks {list(self.members)}"

    def _by_engine(
        self, kind: str, size: int, root: int, name: str = "sum", element: str = "int8"
    ) -> bool:
        """Do the network's algorithms do this collective of so many bytes per rank?"""
        key = (self._number, kind, size, root, name, element)
        known = self._known
        found = known.get(key)
        if found is None:
            found = known[key] = self._link.session.supports(self._link.rank, *key)
        return found

    def _collective(
        self, kind: str, payload: bytes, root: int, name: str, element: str, where: str
    ) -> bytes:
        link = self._link
        link.session.collective(link.rank, self._number, kind, payload, root, name, element, where)
        data: bytes = link.block()
        return data

    def _compose(self) -> None:
        """The collective that has been called last is composed of messages: noted once."""
        call, self._call = self._call, ()
        if call and self._rank == 0:
            given = dict(zip(call[1::2], call[2::2], strict=True))
            reason = reason_of(call[0])
            has_length = reason not in {_OBJECTS, _LENGTHS}
            num_bytes = given.get("bytes", given.get("bytes of a block", 0)) if has_length else None
            if num_bytes and call[0].lower().endswith("reduce_scatter_block"):
                num_bytes //= self._size
            link = self._link
            link.session.note_composed(link.rank, self._number, call[0], num_bytes, reason)

    def _send_bytes(self, data: bytes, to: int, where: str) -> int:
        link = self._link
        return link.session.isend(link.rank, self._number, to, INTERNAL_TAG, data, False, where)

    def _receive_bytes(self, source: int, where: str) -> int:
        link = self._link
        return link.session.irecv(link.rank, self._number, source, INTERNAL_TAG, -1, where)

    def _all_of(self, requests: list[int], where: str) -> list[bytes | None]:
        """Waits for all; the bytes that each has received, None of sends."""
        link = self._link
        found: list[bytes | None] = [None] * len(requests)
        if requests:
            link.session.wait(link.rank, requests, True, where)
            for index, _, _, data in link.block():
                found[index] = data
        return found

    def _give(self, data: bytes, to: int, where: str) -> None:
        """Sends bytes of a composed collective."""
        self._all_of([self._send_bytes(data, to, where)], where)

    def _take(self, source: int, where: str) -> bytes:
        """Receives bytes of a composed collective."""
        return self._all_of([self._receive_bytes(source, where)], where)[0] or b""

    def _exchange(self, data: bytes, to: int, source: int, where: str) -> bytes:
        """Sends and receives bytes of a composed collective at the same time."""
        requests = [self._receive_bytes(source, where), self._send_bytes(data, to, where)]
        return self._all_of(requests, where)[0] or b""

    def _rank_of(self, name: str, value: Any) -> int:
        """A rank of this communicator.

        Raises:
            ProgramError: It is none.
        """
        try:
            rank = operator.index(value)
        except TypeError as error:
            raise MpiError(
                f"{name}: {type(value).__name__}; accepted: a rank", error_class=VALUES["ERR_RANK"]
            ) from error
        if not 0 <= rank < self._size:
            raise MpiError(
                f"{name} {shown_number(rank)}: no such rank; accepted: 0 to {self._size - 1}, and "
                "PROC_NULL where nothing is to be sent or received",
                error_class=VALUES["ERR_RANK"],
            )
        return rank

    def _root_of(self, value: Any) -> int:
        """A root; the check for ranks, with a message that fits."""
        return value if type(value) is int and 0 <= value < self._size else self._bad_root(value)

    def _bad_root(self, value: Any) -> int:
        try:
            return self._rank_of("root", value)
        except MpiError as error:
            found = shown_number(value) if isinstance(value, int) else kind_of(value)
            raise MpiError(
                f"root {found}: accepted: 0 to {self._size - 1}", error_class=VALUES["ERR_ROOT"]
            ) from error


def reason_of(name: str) -> str:
    """Why a collective of this name is composed of messages."""
    if name.islower():
        return _OBJECTS
    kind = name.removeprefix("I").lower()
    if kind.endswith(("v", "w")) or kind == "reduce_scatter":
        return _LENGTHS
    if kind in {"gather", "scatter", "scan", "exscan"} or kind.startswith("neighbor"):
        return "always composed"
    if name.startswith("I"):
        return "no algorithm of the network does it concurrently with its ranks' other calls"
    return "no algorithm of the network takes this operator, type, length or group"


def tag_of(value: Any) -> int:
    """A tag that a rank may use.

    Raises:
        ProgramError: It is none.
    """
    try:
        tag = operator.index(value)
    except TypeError as error:
        raise MpiError(
            f"tag: {type(value).__name__}; accepted: a whole number",
            error_class=VALUES["ERR_TAG"],
        ) from error
    if not 0 <= tag <= constants.TAG_UB:
        raise MpiError(
            f"tag {tag}: accepted: 0 to {constants.TAG_UB}", error_class=VALUES["ERR_TAG"]
        )
    return tag


def _shown(call: tuple[Any, ...]) -> str:
    names, values = call[1::2], call[2::2]
    return f"{call[0]}({', '.join(f'{n}={v}' for n, v in zip(names, values, strict=True))})"
