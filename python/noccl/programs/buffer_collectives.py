# SPDX-License-Identifier: Apache-2.0
"""Collectives of buffers with blocks of equal length: the upper-case half of MPI's collectives.

Where the network's algorithms do one, it is one call of the engine; the rest is composed from
messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noccl.programs.buffer_forms import is_in_place
from noccl.programs.buffers import Buffer, read
from noccl.programs.composed import Composed
from noccl.programs.failures import ValueMpiError
from noccl.programs.link import call_site
from noccl.programs.operators import SUM, Op, chosen

if TYPE_CHECKING:
    from noccl.programs.datatypes import Datatype


# What the engine takes as operator and element where nothing is combined.
_NO_REDUCTION = ("sum", "int8")


def same(data: bytes) -> bytes:
    """The bytes themselves, for compositions of values that are bytes."""
    return data


class BufferCollectives(Composed):
    """`Barrier` to `Exscan`."""

    __slots__ = ()

    def Barrier(self) -> None:
        """Waits until every rank has come here."""
        where = call_site()
        self._agree(where, "Barrier")
        if self._by_engine("barrier", 0, 0):
            self._collective("barrier", b"", 0, *_NO_REDUCTION, where)
        else:
            self._tree_broadcast(
                self._tree_reduce(b"", lambda x, _: x, 0, same, same, where) or b"", 0, where
            )

    barrier = Barrier

    def Bcast(self, buf: Any, root: int = 0) -> None:
        """The root's buffer, in every rank."""
        where, root = call_site(), self._root_of(root)
        buffer = read(buf, "buf", writable=self._rank != root)
        self._agree(where, "Bcast", "root", root, "bytes", buffer.size)
        payload = buffer.take() if self._rank == root else bytes(buffer.size)
        if self._by_engine("multicast", buffer.size, root):
            data = self._collective("multicast", payload, root, *_NO_REDUCTION, where)
        else:
            data = self._tree_broadcast(payload, root, where)
        if self._rank != root:
            buffer.put(data)

    def Gather(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """The blocks of all ranks at the root, by rank."""
        where, root = call_site(), self._root_of(root)
        into = self._blocks(recvbuf, "recvbuf") if self._rank == root else None
        data = self._own_block(sendbuf, into)
        self._agree(where, "Gather", "root", root, "bytes of a block", len(data))
        self._fits(data, into)
        found = self._tree_gather(data, root, where)
        if into is not None and found is not None:
            self._put_all(into, found)

    def Scatter(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """A block of the root's buffer for each rank, by rank."""
        where, root = call_site(), self._root_of(root)
        source = read(sendbuf, "sendbuf", blocks=self._size) if self._rank == root else None
        into = None
        if not (source is not None and is_in_place(recvbuf)):
            into = read(recvbuf, "recvbuf", writable=True)
        length = into.size if into is not None else source.size if source is not None else 0
        self._agree(where, "Scatter", "root", root, "bytes of a block", length)
        blocks = None
        if source is not None:
            blocks = [
                source.part(index * source.count, source.count).take()
                for index in range(self._size)
            ]
            self._fits(blocks[0], into)
        data = self._tree_scatter(blocks, length, root, where)
        if into is not None:
            into.put(data)

    def Allgather(self, sendbuf: Any, recvbuf: Any) -> None:
        """The blocks of all ranks, in every rank."""
        where = call_site()
        into = self._blocks(recvbuf, "recvbuf")
        data = self._own_block(sendbuf, into)
        self._agree(where, "Allgather", "bytes of a block", len(data))
        self._fits(data, into)
        if self._by_engine("all_gather", len(data), 0):
            self._put_joined(into, self._collective("all_gather", data, 0, *_NO_REDUCTION, where))
        else:
            self._put_all(into, self._ring_all_gather(data, where))

    def Alltoall(self, sendbuf: Any, recvbuf: Any) -> None:
        """From each rank the block that it has for this one."""
        where = call_site()
        into = self._blocks(recvbuf, "recvbuf")
        source = into if is_in_place(sendbuf) else read(sendbuf, "sendbuf", blocks=self._size)
        self._agree(where, "Alltoall", "bytes of a block", source.size)
        self._fits(bytes(source.size), into)
        payload = source.part(0, source.count * self._size).take()
        if self._by_engine("all_to_all", len(payload), 0):
            found = self._collective("all_to_all", payload, 0, *_NO_REDUCTION, where)
            self._put_joined(into, found)
        else:
            self._put_all(into, self._pairwise_all_to_all(self._cut(payload), where))

    def Reduce(self, sendbuf: Any, recvbuf: Any, op: Op = SUM, root: int = 0) -> None:
        """The buffers of all ranks combined item by item, at the root."""
        where, root, op = call_site(), self._root_of(root), chosen(op)
        into = read(recvbuf, "recvbuf", writable=True) if self._rank == root else None
        source = into if into is not None and is_in_place(sendbuf) else read(sendbuf, "sendbuf")
        assert source is not None  # noqa: S101 - in place only where there is a receive buffer
        data, kind = source.take(), same_kind(source, into)
        self._agree(where, "Reduce", "op", op.name, "root", root, "bytes", len(data))
        self._fits(data, into)
        element = op.engine_element(kind)
        if element and self._by_engine("reduce", len(data), root, op.engine_name, element):
            found = self._collective("reduce", data, root, op.engine_name, element, where)
        else:
            found = self._reduce_bytes(data, kind, op, root, where) or b""
        if into is not None:
            into.put(found)

    def Allreduce(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:
        """The buffers of all ranks combined item by item, in every rank."""
        where = call_site()
        into = read(recvbuf, "recvbuf", writable=True)
        source = into if is_in_place(sendbuf) else read(sendbuf, "sendbuf")
        data, kind = source.take(), same_kind(source, into)
        op = chosen(op)
        self._agree(where, "Allreduce", "op", op.name, "bytes", len(data))
        self._fits(data, into)
        into.put(self._reduced_everywhere(data, kind, op, where))

    def Reduce_scatter_block(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:
        """The buffers of all ranks combined; each rank gets the block of its number."""
        where, op = call_site(), chosen(op)
        if is_in_place(sendbuf):
            into = self._blocks(recvbuf, "recvbuf")
            source = into
        else:
            into = read(recvbuf, "recvbuf", writable=True)
            source = read(sendbuf, "sendbuf", blocks=self._size)
        kind = same_kind(source, into)
        data = source.part(0, source.count * self._size).take()
        self._agree(where, "Reduce_scatter_block", "op", op.name, "bytes", len(data))
        self._fits(bytes(source.size), into)
        into.put(self._reduced_block(data, kind, op, where))

    def Scan(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:
        """The buffers of the ranks up to this one combined."""
        self._scan_of("Scan", sendbuf, recvbuf, chosen(op), is_exclusive=False)

    def Exscan(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:
        """The buffers of the ranks before this one combined; at rank 0 nothing is received."""
        self._scan_of("Exscan", sendbuf, recvbuf, chosen(op), is_exclusive=True)

    def _scan_of(
        self, name: str, sendbuf: Any, recvbuf: Any, op: Op, *, is_exclusive: bool
    ) -> None:
        where = call_site()
        into = read(recvbuf, "recvbuf", writable=True)
        source = into if is_in_place(sendbuf) else read(sendbuf, "sendbuf")
        data, kind = source.take(), same_kind(source, into)
        self._agree(where, name, "op", op.name, "bytes", len(data))
        self._fits(data, into)
        # An operator that is not defined here is noticed in a communicator of one rank too.
        op.combine(kind, data, data) if op.is_predefined else None
        found = self._doubling_scan(
            data,
            lambda x, y: op.combine(kind, x, y),
            same,
            same,
            where,
            is_exclusive=is_exclusive,
        )
        if found is not None:
            into.put(found)

    def _reduced_everywhere(self, data: bytes, kind: Datatype, op: Op, where: str) -> bytes:
        element = op.engine_element(kind)
        if element and self._by_engine("all_reduce", len(data), 0, op.engine_name, element):
            return self._collective("all_reduce", data, 0, op.engine_name, element, where)
        return self._tree_broadcast(self._reduce_bytes(data, kind, op, 0, where) or b"", 0, where)

    def _reduced_block(self, data: bytes, kind: Datatype, op: Op, where: str) -> bytes:
        element = op.engine_element(kind)
        if element and self._by_engine("reduce_scatter", len(data), 0, op.engine_name, element):
            return self._collective("reduce_scatter", data, 0, op.engine_name, element, where)
        length = len(data) // self._size
        found = self._reduce_bytes(data, kind, op, 0, where)
        return self._tree_scatter(None if found is None else self._cut(found), length, 0, where)

    def _cut(self, data: bytes) -> list[bytes]:
        """Blocks of equal length, one per rank."""
        length = len(data) // self._size
        return [data[length * index : length * (index + 1)] for index in range(self._size)]

    def _reduce_bytes(
        self, data: bytes, kind: Datatype, op: Op, root: int, where: str
    ) -> bytes | None:
        return self._tree_reduce(data, lambda x, y: op.combine(kind, x, y), root, same, same, where)

    def _blocks(self, spec: Any, name: str) -> Buffer:
        """The first of a receive buffer's blocks, one per rank."""
        return read(spec, name, writable=True, blocks=self._size)

    def _own_block(self, sendbuf: Any, into: Buffer | None) -> bytes:
        """What this rank gives: the send buffer, or in place its block of the receive buffer."""
        if into is not None and is_in_place(sendbuf):
            return into.part(self._rank * into.count, into.count).take()
        return read(sendbuf, "sendbuf").take()

    def _put_all(self, first: Buffer, blocks: list[bytes]) -> None:
        self._put_joined(first, b"".join(blocks))

    def _put_joined(self, first: Buffer, data: bytes) -> None:
        first.part(0, first.count * self._size).put(data)

    @staticmethod
    def _fits(data: bytes, into: Buffer | None) -> None:
        """Makes sure that a block fits what receives it.

        Raises:
            MpiError: The lengths differ.
        """
        if into is not None and len(data) != into.size:
            raise ValueMpiError(
                f"{len(data)} bytes are sent to where {into.size} are received; "
                "accepted: buffers of equal length"
            )


def same_kind(source: Buffer, into: Buffer | None) -> Datatype:
    """The datatype of a reduction.

    Raises:
        ValueMpiError: Another one is received.
    """
    if into is not None and source.datatype != into.datatype:
        raise ValueMpiError(
            f"a reduction of {source.datatype.label} into {into.datatype.label}; accepted: "
            "one datatype"
        )
    return source.datatype
