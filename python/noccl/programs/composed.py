# SPDX-License-Identifier: Apache-2.0
"""Collectives composed from messages, where the network's algorithms do not do them.

Blocks of different lengths, operators that the engine does not have, Python objects. Trees are
binomial, all-to-all forms are rings and pairwise exchanges. Reductions combine neighbouring ranges
of ranks, the lower one left, so that an operator need not commute; their order is that of mpi4py's
own, so floating-point results are the same to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from noccl.programs.endpoint import Endpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Dump = Callable[[Any], bytes]
    Load = Callable[[bytes], Any]

Value = TypeVar("Value")


class Composed(Endpoint):
    """Algorithms over the bytes of a communicator's ranks."""

    __slots__ = ()

    def _tree_broadcast(self, data: bytes, root: int, where: str) -> bytes:
        """Broadcast over a binomial tree; every rank returns the root's bytes."""
        self._compose()
        size, own = self._size, (self._rank - root) % self._size
        step = 1
        while step < size and not own & step:
            step <<= 1
        if own:
            data = self._take((own - step + root) % size, where)
        sends = []
        step >>= 1
        while step:
            if own + step < size:
                sends.append(self._send_bytes(data, (own + step + root) % size, where))
            step >>= 1
        self._all_of(sends, where)
        return data

    def _direct_gather(self, data: bytes, root: int, where: str) -> list[bytes] | None:
        """Gather of blocks of any length, straight to the root; None elsewhere."""
        self._compose()
        if self._rank != root:
            self._give(data, root, where)
            return None
        others = [rank for rank in range(self._size) if rank != root]
        found = self._all_of([self._receive_bytes(rank, where) for rank in others], where)
        blocks = dict(zip(others, found, strict=True))
        return [data if rank == root else blocks[rank] or b"" for rank in range(self._size)]

    def _tree_gather(self, data: bytes, root: int, where: str) -> list[bytes] | None:
        """Gather of blocks of equal length over a binomial tree; None but at the root."""
        self._compose()
        size, length, own = self._size, len(data), (self._rank - root) % self._size
        step = 1
        while step < size:
            if own & step:
                self._give(data, (own - step + root) % size, where)
                return None
            if own + step < size:
                data += self._take((own + step + root) % size, where)
            step <<= 1
        blocks = [data[length * index : length * (index + 1)] for index in range(size)]
        return [blocks[(rank - root) % size] for rank in range(size)]

    def _direct_scatter(self, blocks: Sequence[bytes] | None, root: int, where: str) -> bytes:
        """Scatter of blocks of any length, straight from the root."""
        self._compose()
        if blocks is None:
            return self._take(root, where)
        others = [rank for rank in range(self._size) if rank != root]
        self._all_of([self._send_bytes(blocks[rank], rank, where) for rank in others], where)
        return blocks[root]

    def _tree_scatter(
        self, blocks: Sequence[bytes] | None, length: int, root: int, where: str
    ) -> bytes:
        """Scatter of blocks of equal length over a binomial tree."""
        self._compose()
        size, own = self._size, (self._rank - root) % self._size
        step = 1
        while step < size and not own & step:
            step <<= 1
        if blocks is not None:
            data = b"".join(blocks[(rank + root) % size] for rank in range(size))
        else:
            data = self._take((own - step + root) % size, where)
        sends = []
        step >>= 1
        while step:
            if own + step < size:
                part = data[length * step : length * 2 * step]
                sends.append(self._send_bytes(part, (own + step + root) % size, where))
            step >>= 1
        self._all_of(sends, where)
        return data[:length]

    def _ring_all_gather(self, data: bytes, where: str) -> list[bytes]:
        """All-gather of blocks of any length over a ring."""
        self._compose()
        size, rank = self._size, self._rank
        blocks = [b""] * size
        blocks[rank] = data
        for step in range(size - 1):
            sent, came = (rank - step) % size, (rank - step - 1) % size
            blocks[came] = self._exchange(blocks[sent], (rank + 1) % size, (rank - 1) % size, where)
        return blocks

    def _pairwise_all_to_all(self, blocks: Sequence[bytes], where: str) -> list[bytes]:
        """All-to-all of blocks of any length by pairwise exchanges."""
        self._compose()
        size, rank = self._size, self._rank
        found = [b""] * size
        found[rank] = bytes(blocks[rank])
        for step in range(1, size):
            to, source = (rank + step) % size, (rank - step) % size
            found[source] = self._exchange(blocks[to], to, source, where)
        return found

    def _tree_reduce(
        self,
        value: Value,
        combine: Callable[[Value, Value], Value],
        root: int,
        dump: Dump,
        load: Load,
        where: str,
    ) -> Value | None:
        """Reduction over a binomial tree to rank 0, then to the root; None elsewhere."""
        self._compose()
        size, rank = self._size, self._rank
        step = 1
        while step < size:
            if rank & step:
                self._give(dump(value), rank - step, where)
                break
            if rank + step < size:
                value = combine(value, load(self._take(rank + step, where)))
            step <<= 1
        if root != 0:
            if rank == 0:
                self._give(dump(value), root, where)
            elif rank == root:
                value = load(self._take(0, where))
        return value if rank == root else None

    def _doubling_scan(
        self,
        value: Value,
        combine: Callable[[Value, Value], Value],
        dump: Dump,
        load: Load,
        where: str,
        *,
        is_exclusive: bool,
    ) -> Value | None:
        """Prefix reduction by recursive doubling; None at rank 0 if its own value is left out."""
        self._compose()
        rank = self._rank
        result: Value | None = None if is_exclusive else value
        partial = value
        step = 1
        while step < self._size:
            other = rank ^ step
            if other < self._size:
                came = load(self._exchange(dump(partial), other, other, where))
                if rank > other:
                    partial = combine(came, partial)
                    result = came if result is None else combine(came, result)
                else:
                    partial = combine(partial, came)
            step <<= 1
        return result
