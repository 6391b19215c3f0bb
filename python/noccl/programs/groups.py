# SPDX-License-Identifier: Apache-2.0
"""Groups: ordered sets of ranks of the world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from noccl.programs import constants
from noccl.programs.failures import MpiError
from noccl.programs.handles import Copied
from noccl.programs.mpi_values import VALUES

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Members:
    """What all copies of a group share."""

    __slots__ = ("members", "own")

    def __init__(self, members: tuple[int, ...], own: int) -> None:
        self.members = members
        self.own = own


class Group(Copied):
    """Ranks of the world in an order."""

    __slots__ = ()
    ERROR_CLASS = VALUES["ERR_GROUP"]

    @classmethod
    def of(cls, members: tuple[int, ...], own: int = -1) -> Self:
        """The group of ranks of the world, as one of them sees it."""
        made = cls()
        made._state = _Members(members, own)
        return made

    @property
    def members(self) -> tuple[int, ...]:
        """Rank of the world of each rank."""
        members: tuple[int, ...] = self._alive("Get_size").members
        return members

    @property
    def _own(self) -> int:
        own: int = self._alive("Get_rank").own
        return own

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Group) or not (self and other):
            return super().__eq__(other)
        return self.members == other.members

    __hash__ = None  # type: ignore[assignment]

    def _is_predefined(self) -> bool:
        return self._state is NAMED["GROUP_EMPTY"]._state

    def Get_size(self) -> int:
        """Number of ranks."""
        return len(self.members)

    def Get_rank(self) -> int:
        """Number of this rank in the group, UNDEFINED if it is not in it."""
        if self._own in self.members:
            return self.members.index(self._own)
        return constants.UNDEFINED

    size: property = property(Get_size)
    rank: property = property(Get_rank)

    def Dup(self) -> Group:
        """A group of the same ranks."""
        return Group.of(self.members, self._own)

    def Incl(self, ranks: Sequence[int]) -> Group:
        """The given ranks in the given order."""
        return Group.of(tuple(self._member(rank) for rank in ranks), self._own)

    def Excl(self, ranks: Sequence[int]) -> Group:
        """All but the given ranks."""
        left_out = set(self.Incl(ranks).members)
        return Group.of(tuple(m for m in self.members if m not in left_out), self._own)

    def Range_incl(self, ranks: Sequence[tuple[int, int, int]]) -> Group:
        """Ranges of (first, last, step)."""
        return self.Incl(_ranges(ranks))

    def Range_excl(self, ranks: Sequence[tuple[int, int, int]]) -> Group:
        """All but ranges of (first, last, step)."""
        return self.Excl(_ranges(ranks))

    def Translate_ranks(
        self, ranks: Sequence[int] | None = None, group: Group | None = None
    ) -> list[int]:
        """Numbers of these ranks, or of all, in another group: UNDEFINED where they are not in it.

        Without a group: their numbers in the world, as mpi4py has it.
        """
        place = {member: member for member in self.members}
        if group is not None:
            place = {member: rank for rank, member in enumerate(group.members)}
        return [
            rank if rank == constants.PROC_NULL
            else place.get(self._member(rank), constants.UNDEFINED)
            for rank in (range(len(self.members)) if ranks is None else ranks)
        ]  # fmt: skip

    def _member(self, rank: int) -> int:
        """The rank of the world with this number here.

        Raises:
            MpiError: There is no such rank.
        """
        if not 0 <= rank < len(self.members):
            raise MpiError(
                f"rank {rank}: accepted: 0 to {len(self.members) - 1}",
                error_class=VALUES["ERR_RANK"],
            )
        return self.members[rank]

    @classmethod
    def Union(cls, group1: Group, group2: Group) -> Group:
        """The ranks of the first, then those of the second that are not in it."""
        more = tuple(m for m in group2.members if m not in group1.members)
        return cls.of(group1.members + more, group1._own)

    @classmethod
    def Intersection(cls, group1: Group, group2: Group) -> Group:
        """The ranks of the first that are in the second."""
        return cls.of(tuple(m for m in group1.members if m in group2.members), group1._own)

    @classmethod
    def Difference(cls, group1: Group, group2: Group) -> Group:
        """The ranks of the first that are not in the second."""
        return cls.of(tuple(m for m in group1.members if m not in group2.members), group1._own)

    Intersect = Intersection

    @classmethod
    def Create_from_session_pset(cls, session: Any, pset_name: str) -> Group:
        """The ranks of a named set of a session."""
        found: Group = session.Create_group(pset_name)
        return found

    def Compare(self, group: Group) -> int:
        """IDENT, SIMILAR or UNEQUAL."""
        if self.members == group.members:
            return constants.IDENT
        alike = sorted(self.members) == sorted(group.members)
        return constants.SIMILAR if alike else constants.UNEQUAL

    def Free(self) -> None:
        """Ends the group."""
        if self._is_predefined():
            return
        self._alive("Free")
        self._forget()


NAMED = {"GROUP_EMPTY": Group.of(()), "GROUP_NULL": Group()}
"""The predefined groups by name."""


def _ranges(ranks: Sequence[tuple[int, int, int]]) -> list[int]:
    found: list[int] = []
    for first, last, step in ranks:
        found += range(first, last + (1 if step > 0 else -1), step)
    return found
