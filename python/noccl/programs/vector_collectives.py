# SPDX-License-Identifier: Apache-2.0
"""Collectives of buffers with a length per rank: `Gatherv` to `Reduce_scatter`.

Composed from messages. Which lengths belong together is known to two ranks each, so a mismatch is
found when the message arrives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noccl.programs.buffer_collectives import BufferCollectives, same_kind
from noccl.programs.buffer_forms import is_in_place
from noccl.programs.buffers import Buffer, memory, read, read_blocks
from noccl.programs.constants import BOTTOM
from noccl.programs.failures import MpiError, ValueMpiError
from noccl.programs.foreign_memory import at_addresses
from noccl.programs.link import call_site
from noccl.programs.operators import SUM, Op, chosen

if TYPE_CHECKING:
    from collections.abc import Sequence


class VectorCollectives(BufferCollectives):
    """Collectives with counts and displacements."""

    __slots__ = ()

    def Gatherv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """The buffers of all ranks at the root, each to its place."""
        where, root = call_site(), self._root_of(root)
        into = None
        if self._rank == root:
            into = read_blocks(recvbuf, "recvbuf", self._size, writable=True)
        source = into[root] if into and is_in_place(sendbuf) else read(sendbuf, "sendbuf")
        self._agree(where, "Gatherv", "root", root)
        found = self._direct_gather(source.take(), root, where)
        if into is not None and found is not None:
            self._put_each(into, found)

    def Scatterv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """A part of the root's buffer for each rank."""
        where, root = call_site(), self._root_of(root)
        source = read_blocks(sendbuf, "sendbuf", self._size) if self._rank == root else None
        into = None
        if not (source is not None and is_in_place(recvbuf)):
            into = read(recvbuf, "recvbuf", writable=True)
        self._agree(where, "Scatterv", "root", root)
        blocks = None if source is None else [block.take() for block in source]
        data = self._direct_scatter(blocks, root, where)
        if into is not None:
            self._put(into, data, root)

    def Allgatherv(self, sendbuf: Any, recvbuf: Any) -> None:
        """The buffers of all ranks, in every rank, each to its place."""
        where = call_site()
        into = read_blocks(recvbuf, "recvbuf", self._size, writable=True)
        source = into[self._rank] if is_in_place(sendbuf) else read(sendbuf, "sendbuf")
        self._agree(where, "Allgatherv", "bytes", sum(block.size for block in into))
        self._put_each(into, self._ring_all_gather(source.take(), where))

    def Alltoallv(self, sendbuf: Any, recvbuf: Any) -> None:
        """From each rank the part that it has for this one."""
        where = call_site()
        into = read_blocks(recvbuf, "recvbuf", self._size, writable=True)
        source = into if is_in_place(sendbuf) else read_blocks(sendbuf, "sendbuf", self._size)
        self._agree(where, "Alltoallv")
        self._put_each(into, self._pairwise_all_to_all([block.take() for block in source], where))

    def Alltoallw(self, sendbuf: Any, recvbuf: Any) -> None:
        """The same with a datatype per rank, displacements in bytes."""
        where = call_site()
        into = self._blocks_of_kinds(recvbuf, "recvbuf", self._size, writable=True)
        source = (
            into if is_in_place(sendbuf) else self._blocks_of_kinds(sendbuf, "sendbuf", self._size)
        )
        self._agree(where, "Alltoallw")
        self._put_each(into, self._pairwise_all_to_all([block.take() for block in source], where))

    def Reduce_scatter(
        self,
        sendbuf: Any,
        recvbuf: Any,
        recvcounts: Sequence[int] | None = None,
        op: Op = SUM,
    ) -> None:
        """The buffers of all ranks combined; each rank gets as many items as its count says."""
        where, op, rank = call_site(), chosen(op), self._rank
        into = read(recvbuf, "recvbuf", writable=True)
        source = into if is_in_place(sendbuf) else read(sendbuf, "sendbuf")
        counts = self._counts(recvcounts, source, into, where)
        kind = same_kind(source, into)
        received = sum(counts) if source is into else counts[rank]
        if (source.count, into.count) != (sum(counts), received):
            raise ValueMpiError(
                f"Reduce_scatter: {source.count} items are sent and {into.count} received, "
                f"recvcounts {list(counts)}; accepted: their sum, and that of this rank"
            )
        data = source.part(0, sum(counts)).take()
        self._agree(where, "Reduce_scatter", "op", op.name, "counts", counts, "bytes", len(data))
        if len(set(counts)) == 1:
            block = self._reduced_block(data, kind, op, where)
        else:
            ends = [sum(counts[: index + 1]) * kind.size for index in range(self._size)]
            found = self._reduce_bytes(data, kind, op, 0, where)
            blocks = None
            if found is not None:
                blocks = [
                    found[end - count * kind.size : end]
                    for end, count in zip(ends, counts, strict=True)
                ]
            block = self._direct_scatter(blocks, 0, where)
        self._put(into, block, rank)

    def _counts(
        self, recvcounts: Sequence[int] | None, source: Buffer, into: Buffer, where: str
    ) -> tuple[int, ...]:
        if recvcounts is None:
            if source is into:
                raise ValueMpiError("Reduce_scatter in place: recvcounts is needed")
            found = self._ring_all_gather(into.count.to_bytes(8, "little"), where)
            return tuple(int.from_bytes(data, "little") for data in found)
        if len(recvcounts) != self._size:
            raise ValueMpiError(
                f"recvcounts: {len(recvcounts)}; accepted: {self._size}, one per rank"
            )
        return tuple(int(count) for count in recvcounts)

    def _blocks_of_kinds(
        self, spec: Any, name: str, ranks: int, *, writable: bool = False
    ) -> list[Buffer]:
        if not isinstance(spec, (list, tuple)) or len(spec) not in (2, 3, 4):
            raise ValueMpiError(f"{name}: accepted: [data, counts, displacements, datatypes]")
        data, kinds = spec[0], spec[-1]
        counts: Any = None
        displacements: Any = None
        if len(spec) == 3:  # noqa: PLR2004 - counts and displacements as a pair
            counts, displacements = spec[1] if isinstance(spec[1], tuple) else (spec[1], None)
        elif len(spec) == 4:  # noqa: PLR2004 - all of them
            counts, displacements = spec[1], spec[2]
        if data is BOTTOM and (counts is None or displacements is None):
            raise ValueMpiError(f"{name}: BOTTOM; accepted: with counts and displacements")
        counts = [1] * ranks if counts is None else counts
        displacements = [0] * ranks if displacements is None else displacements
        if not len(counts) == len(displacements) == len(kinds) == ranks:
            raise ValueMpiError(f"{name}: accepted: a count, a displacement, a datatype per rank")
        found = []
        if data is BOTTOM:
            rows = zip(kinds, counts, displacements, strict=True)
            return [at_addresses(kind, count, start) for kind, count, start in rows]
        raw, _ = memory(data, name, writable=writable)
        for index in range(ranks):
            block = Buffer(raw, displacements[index], counts[index], kinds[index])
            if counts[index]:
                block.check(name)
            found.append(block)
        return found

    def _put_each(self, into: list[Buffer], blocks: list[bytes]) -> None:
        for rank, (block, data) in enumerate(zip(into, blocks, strict=True)):
            self._put(block, data, rank)

    def _put(self, into: Buffer, data: bytes, rank: int) -> None:
        if len(data) > into.size:
            raise MpiError(
                f"rank {rank} sends {len(data)} bytes to where {into.size} are received; "
                "accepted: the length that the sender gives, or a larger one"
            )
        into.put(data)
