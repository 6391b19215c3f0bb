# SPDX-License-Identifier: Apache-2.0
"""Persistent sends and collectives: `Ssend_init`, `Allreduce_init` and the like.

A persistent collective begins as the non-blocking one of its name does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noccl.programs.background import BackgroundCollectives
from noccl.programs.buffered import BufferedSends
from noccl.programs.link import call_site
from noccl.programs.operators import SUM, Op
from noccl.programs.point_to_point import data_of
from noccl.programs.prequests import Prequest

if TYPE_CHECKING:
    from collections.abc import Sequence


class Persistent(BufferedSends, BackgroundCollectives):
    """The methods; `info` has no effect."""

    __slots__ = ()

    def Bsend_init(self, buf: Any, dest: int, tag: int = 0) -> Prequest:
        """A buffered send that can begin many times."""
        return Prequest.of(self._link, lambda: self._buffer(data_of(buf, dest), dest, tag))

    def Ssend_init(self, buf: Any, dest: int, tag: int = 0) -> Prequest:
        """A synchronous send that can begin many times."""
        return Prequest.of(
            self._link,
            lambda: self._begin_send(
                data_of(buf, dest), dest, tag, call_site(), is_synchronous=True
            ),
        )

    def Rsend_init(self, buf: Any, dest: int, tag: int = 0) -> Prequest:
        """A send, to a receive that has begun, that can begin many times."""
        return self.Send_init(buf, dest, tag)

    def _again(self, name: str, *args: Any) -> Prequest:
        """The collective of this blocking name, which can begin many times."""
        return Prequest.of(self._link, lambda: self._begin(name, *args)._number)

    def Barrier_init(self, info: object = None) -> Prequest:  # noqa: ARG002 - mpi4py's
        """Is over when every rank has come here."""
        return self._again("Barrier")

    def Bcast_init(self, buf: Any, root: int = 0, info: object = None) -> Prequest:  # noqa: ARG002
        """The root's buffer, in every rank."""
        return self._again("Bcast", buf, root)

    def Gather_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        root: int = 0,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """The blocks of all ranks at the root, by rank."""
        return self._again("Gather", sendbuf, recvbuf, root)

    def Gatherv_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        root: int = 0,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """The buffers of all ranks at the root, each to its place."""
        return self._again("Gatherv", sendbuf, recvbuf, root)

    def Scatter_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        root: int = 0,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """A block of the root's buffer for each rank, by rank."""
        return self._again("Scatter", sendbuf, recvbuf, root)

    def Scatterv_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        root: int = 0,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """A part of the root's buffer for each rank."""
        return self._again("Scatterv", sendbuf, recvbuf, root)

    def Allgather_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """The blocks of all ranks, in every rank."""
        return self._again("Allgather", sendbuf, recvbuf)

    def Allgatherv_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """The buffers of all ranks, in every rank, each to its place."""
        return self._again("Allgatherv", sendbuf, recvbuf)

    def Alltoall_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """From each rank the block that it has for this one."""
        return self._again("Alltoall", sendbuf, recvbuf)

    def Alltoallv_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """From each rank the part that it has for this one."""
        return self._again("Alltoallv", sendbuf, recvbuf)

    def Alltoallw_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """The same with a datatype per rank, displacements in bytes."""
        return self._again("Alltoallw", sendbuf, recvbuf)

    def Reduce_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        op: Op = SUM,
        root: int = 0,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """The buffers of all ranks combined item by item, at the root."""
        return self._again("Reduce", sendbuf, recvbuf, op, root)

    def Allreduce_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        op: Op = SUM,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """The buffers of all ranks combined item by item, in every rank."""
        return self._again("Allreduce", sendbuf, recvbuf, op)

    def Reduce_scatter_block_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        op: Op = SUM,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """The buffers of all ranks combined; each rank gets the block of its number."""
        return self._again("Reduce_scatter_block", sendbuf, recvbuf, op)

    def Reduce_scatter_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        recvcounts: Sequence[int] | None = None,
        op: Op = SUM,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """The same, as many items per rank as its count says."""
        return self._again("Reduce_scatter", sendbuf, recvbuf, recvcounts, op)

    def Scan_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        op: Op = SUM,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """The buffers of the ranks up to this one combined."""
        return self._again("Scan", sendbuf, recvbuf, op)

    def Exscan_init(
        self,
        sendbuf: Any,
        recvbuf: Any,
        op: Op = SUM,
        info: object = None,  # noqa: ARG002
    ) -> Prequest:
        """The buffers of the ranks before this one combined."""
        return self._again("Exscan", sendbuf, recvbuf, op)
