# SPDX-License-Identifier: Apache-2.0
"""Collectives between two groups of ranks, composed of messages.

Blocks go straight from rank to rank; what is combined or is the same for a whole group goes through
the first rank of each group.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from noccl.programs.buffers import read, read_blocks
from noccl.programs.constants import INTERNAL_TAG, PROC_NULL, ROOT
from noccl.programs.endpoint import Endpoint
from noccl.programs.failures import MpiError, refuse
from noccl.programs.link import call_site
from noccl.programs.mpi_values import VALUES
from noccl.programs.operators import SUM, Op, chosen
from noccl.programs.requests import Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class InterCollectives(Endpoint):
    """The methods; `root` is ROOT in the rank, PROC_NULL in others of its group, else its rank."""

    __slots__ = ()

    def Barrier(self) -> None:
        """Waits until every rank of both groups has come here."""
        where, local = call_site(), self._remote.local
        local.Barrier()
        if local.rank == 0:
            self._swap({0: b""}, [0], where)
        local.Barrier()

    barrier = Barrier

    def Bcast(self, buf: Any, root: int = 0) -> None:
        """The root's buffer, in every rank of the other group."""
        where, is_sender = call_site(), root in {ROOT, PROC_NULL}
        buffer = None if root == PROC_NULL else read(buf, "buf", writable=not is_sender)
        found = self._from_root(buffer.take() if root == ROOT and buffer else b"", root, where)
        if buffer is not None and not is_sender:
            buffer.put(found)

    def Gather(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """The blocks of the other group at the root, by rank."""
        where = call_site()
        if root == ROOT:
            into = read(recvbuf, "recvbuf", writable=True, blocks=self._peers)
            self._put_blocks(into, self._swap({}, range(self._peers), where))
        elif root != PROC_NULL:
            self._swap({self._checked(root): read(sendbuf, "sendbuf").take()}, [], where)

    def Gatherv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """The buffers of the other group at the root, each to its place."""
        where = call_site()
        if root == ROOT:
            into = read_blocks(recvbuf, "recvbuf", self._peers, writable=True)
            _put_each(into, self._swap({}, range(self._peers), where))
        elif root != PROC_NULL:
            self._swap({self._checked(root): read(sendbuf, "sendbuf").take()}, [], where)

    def Scatter(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """A block of the root's buffer for each rank of the other group."""
        where = call_site()
        if root == ROOT:
            source = read(sendbuf, "sendbuf", blocks=self._peers)
            self._swap(self._cut_blocks(source), [], where)
        elif root != PROC_NULL:
            into = read(recvbuf, "recvbuf", writable=True)
            into.put(self._swap({}, [self._checked(root)], where)[0])

    def Scatterv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """A part of the root's buffer for each rank of the other group."""
        where = call_site()
        if root == ROOT:
            source = read_blocks(sendbuf, "sendbuf", self._peers)
            self._swap({rank: block.take() for rank, block in enumerate(source)}, [], where)
        elif root != PROC_NULL:
            into = read(recvbuf, "recvbuf", writable=True)
            into.put(self._swap({}, [self._checked(root)], where)[0])

    def Allgather(self, sendbuf: Any, recvbuf: Any) -> None:
        """The blocks of the other group, in every rank."""
        into = read(recvbuf, "recvbuf", writable=True, blocks=self._peers)
        data = read(sendbuf, "sendbuf").take()
        self._put_blocks(into, self._each(lambda _: data, call_site()))

    def Allgatherv(self, sendbuf: Any, recvbuf: Any) -> None:
        """The buffers of the other group, in every rank, each to its place."""
        into = read_blocks(recvbuf, "recvbuf", self._peers, writable=True)
        data = read(sendbuf, "sendbuf").take()
        _put_each(into, self._each(lambda _: data, call_site()))

    def Alltoall(self, sendbuf: Any, recvbuf: Any) -> None:
        """From each rank of the other group the block that it has for this one."""
        into = read(recvbuf, "recvbuf", writable=True, blocks=self._peers)
        blocks = self._cut_blocks(read(sendbuf, "sendbuf", blocks=self._peers))
        self._put_blocks(into, self._each(blocks.__getitem__, call_site()))

    def Alltoallv(self, sendbuf: Any, recvbuf: Any) -> None:
        """From each rank of the other group the part that it has for this one."""
        into = read_blocks(recvbuf, "recvbuf", self._peers, writable=True)
        source = read_blocks(sendbuf, "sendbuf", self._peers)
        _put_each(into, self._each(lambda rank: source[rank].take(), call_site()))

    def Alltoallw(self, sendbuf: Any, recvbuf: Any) -> None:
        """The same with a datatype per rank, displacements in bytes."""
        local = self._remote.local
        into = local._blocks_of_kinds(recvbuf, "recvbuf", self._peers, writable=True)
        source = local._blocks_of_kinds(sendbuf, "sendbuf", self._peers)
        _put_each(into, self._each(lambda rank: source[rank].take(), call_site()))

    def Reduce(self, sendbuf: Any, recvbuf: Any, op: Op = SUM, root: int = 0) -> None:
        """The buffers of the other group combined item by item, at the root."""
        where, local = call_site(), self._remote.local
        if root == ROOT:
            into = read(recvbuf, "recvbuf", writable=True)
            into.put(self._swap({}, [0], where)[0])
        elif root != PROC_NULL:
            source = read(sendbuf, "sendbuf")
            found = local._reduce_bytes(source.take(), source.datatype, chosen(op), 0, where)
            if local.rank == 0:
                self._swap({self._checked(root): found or b""}, [], where)

    def Allreduce(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:
        """The buffers of the other group combined item by item, in every rank."""
        where, local = call_site(), self._remote.local
        into, source = read(recvbuf, "recvbuf", writable=True), read(sendbuf, "sendbuf")
        found = local._reduce_bytes(source.take(), source.datatype, chosen(op), 0, where)
        if local.rank == 0:
            found = self._swap({0: found or b""}, [0], where)[0]
        into.put(local._tree_broadcast(found or b"", 0, where))

    def Reduce_scatter(self, *_: Any, **__: Any) -> None:
        """Is refused."""
        refuse("Intercomm.Reduce_scatter", "no algorithm", "Reduce and Scatter")

    Reduce_scatter_block = Reduce_scatter

    def _begin(self, name: str, *_: Any) -> Request:
        return refuse(f"Intercomm.I{name.lower()}", "two groups have blocking calls", name)

    def _again(self, name: str, *_: Any) -> Any:
        return refuse(f"Intercomm.{name}_init", "two groups have blocking calls", name)

    # ------------------------------------------------------------------ objects

    def bcast(self, obj: Any, root: int = 0) -> Any:
        """The root's object, in every rank of the other group."""
        data = self._from_root(_dump(obj) if root == ROOT else b"", root, call_site())
        return pickle.loads(data) if data else None  # noqa: S301 - the program's own

    def gather(self, sendobj: Any, root: int = 0) -> list[Any] | None:
        """The objects of the other group at the root."""
        where = call_site()
        if root == ROOT:
            return _loaded(self._swap({}, range(self._peers), where))
        if root != PROC_NULL:
            self._swap({self._checked(root): _dump(sendobj)}, [], where)
        return None

    def scatter(self, sendobj: Any, root: int = 0) -> Any:
        """One of the root's objects for each rank of the other group."""
        where = call_site()
        if root == ROOT:
            self._swap(dict(enumerate(map(_dump, self._objects(sendobj)))), [], where)
        if root in {ROOT, PROC_NULL}:
            return None
        return _loaded(self._swap({}, [self._checked(root)], where))[0]

    def allgather(self, sendobj: Any) -> list[Any]:
        """The objects of the other group, in every rank."""
        return self._all_of_remote(sendobj, call_site())

    def alltoall(self, sendobj: Any) -> list[Any]:
        """From each rank of the other group the object that it has for this one."""
        given = [_dump(one) for one in self._objects(sendobj)]
        return _loaded(self._each(given.__getitem__, call_site()))

    def reduce(self, sendobj: Any, op: Any = SUM, root: int = 0) -> Any:
        """The objects of the other group combined, at the root."""
        where, local = call_site(), self._remote.local
        if root == ROOT:
            return _loaded(self._swap({}, [0], where))[0]
        if root != PROC_NULL:
            found = local.reduce(sendobj, op, 0)
            if local.rank == 0:
                self._swap({self._checked(root): _dump(found)}, [], where)
        return None

    def allreduce(self, sendobj: Any, op: Any = SUM) -> Any:
        """The objects of the other group combined, in every rank."""
        where, local = call_site(), self._remote.local
        found = local.reduce(sendobj, op, 0)
        if local.rank == 0:
            found = _loaded(self._swap({0: _dump(found)}, [0], where))[0]
        return local.bcast(found, 0)

    # ------------------------------------------------------------------ what they rest on

    @property
    def _remote(self) -> Any:
        raise NotImplementedError

    @property
    def _peers(self) -> int:
        return len(self._remote.members)

    def _all_of_remote(self, obj: Any, where: str) -> list[Any]:
        data = _dump(obj)
        return _loaded(self._each(lambda _: data, where))

    def _each(self, data_for: Any, where: str) -> list[bytes]:
        """A block for each rank of the other group, and theirs."""
        ranks = range(self._peers)
        return self._swap({rank: data_for(rank) for rank in ranks}, ranks, where)

    def _from_root(self, data: bytes, root: int, where: str) -> bytes:
        """What the root gives, in the ranks of the other group."""
        local = self._remote.local
        if root == ROOT:
            self._swap({0: data}, [], where)
        if root in {ROOT, PROC_NULL}:
            return b""
        root = self._checked(root)
        found = self._swap({}, [root], where)[0] if local.rank == 0 else b""
        return local._tree_broadcast(found, 0, where)  # type: ignore[no-any-return]

    def _swap(self, given: dict[int, bytes], sources: Iterable[int], where: str) -> list[bytes]:
        """Sends bytes to ranks of the other group; what ranks of it have sent."""
        self._link.check()
        requests = [self._receive_bytes(source, where) for source in sources]
        count = len(requests)
        for rank, data in given.items():
            number = self._send_engine(data, rank, INTERNAL_TAG, where, is_synchronous=False)
            requests.append(number)
        return [data or b"" for data in self._all_of(requests, where)[:count]]

    def _send_engine(
        self, data: bytes, to: int, tag: int, where: str, *, is_synchronous: bool
    ) -> int:
        raise NotImplementedError

    def _checked(self, root: int) -> int:
        if not 0 <= root < self._peers:
            raise MpiError(
                f"root {root}: accepted: 0 to {self._peers - 1}, ROOT, PROC_NULL",
                error_class=VALUES["ERR_ROOT"],
            )
        return root

    def _objects(self, values: Any) -> list[Any]:
        found = [None] * self._peers if values is None else list(values)
        if len(found) != self._peers:
            raise ValueError(f"expecting {self._peers} items, got {len(found)}")
        return found

    def _cut_blocks(self, first: Any) -> dict[int, bytes]:
        count = first.count
        return {rank: first.part(rank * count, count).take() for rank in range(self._peers)}

    def _put_blocks(self, first: Any, blocks: list[bytes]) -> None:
        first.part(0, first.count * self._peers).put(b"".join(blocks))


def _put_each(into: Sequence[Any], blocks: list[bytes]) -> None:
    for block, data in zip(into, blocks, strict=True):
        block.put(data)


def _dump(obj: Any) -> bytes:
    return pickle.dumps(obj, pickle.HIGHEST_PROTOCOL)


def _loaded(blocks: list[bytes]) -> list[Any]:
    return [pickle.loads(block) for block in blocks]  # noqa: S301 - the program's own
