# SPDX-License-Identifier: Apache-2.0
"""Synchronization of windows: when accesses begin, and when they have been carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noccl.programs.failures import MpiError
from noccl.programs.handles import Copied
from noccl.programs.link import call_site
from noccl.programs.mpi_values import VALUES
from noccl.programs.requests import Request
from noccl.programs.waiting import wait_for
from noccl.programs.window_messages import COMPLETE, POST, UNLOCK, tag_of
from noccl.programs.window_state import WinState, out_of_order

if TYPE_CHECKING:
    from noccl.programs.groups import Group

_EXCLUSIVE, _SHARED = VALUES["LOCK_EXCLUSIVE"], VALUES["LOCK_SHARED"]
_NOCHECK, _NOSUCCEED = VALUES["MODE_NOCHECK"], VALUES["MODE_NOSUCCEED"]


class Epochs(Copied):
    """Fences, locks, and accesses between groups."""

    __slots__ = ()
    ERROR_CLASS = VALUES["ERR_WIN"]

    def _window(self, call: str) -> WinState:
        state: WinState = self._alive(call)
        return state

    def _idle(self, call: str) -> WinState:
        """The window, whose rank has neither locked nor started nor posted."""
        state = self._window(call)
        if state.locks or state.lock_all is not None:
            raise out_of_order(call, "ranks are locked", "after Unlock, Unlock_all")
        if state.started is not None or state.posted is not None:
            raise out_of_order(call, "Start or Post has begun accesses", "after Complete, Wait")
        return state

    # ------------------------------------------------------------------ all ranks

    def Fence(self, assertion: int = 0) -> None:
        """Ends the accesses of all ranks, and begins others."""
        state, where = self._idle("Fence"), call_site()
        state.comm._agree(where, "Win.Fence")
        state.complete(state.reached(), where)
        state.comm.Barrier()
        state.num_fences += 1
        state.is_fenced = not assertion & _NOSUCCEED

    # ------------------------------------------------------------------ locks

    def Lock(self, rank: int, lock_type: int = _EXCLUSIVE, assertion: int = 0) -> None:
        """Begins accesses to a rank: alone, or with others that have a shared lock."""
        state, where = self._window("Lock"), call_site()
        if lock_type not in {_EXCLUSIVE, _SHARED}:
            raise MpiError(
                f"Win.Lock: type {lock_type}; accepted: LOCK_EXCLUSIVE, LOCK_SHARED",
                error_class=VALUES["ERR_LOCKTYPE"],
            )
        if rank == VALUES["PROC_NULL"]:
            return
        rank = state.comm._rank_of("rank", rank)
        if rank in state.locks or state.lock_all is not None:
            raise out_of_order("Lock", f"rank {rank} is locked already", "after Unlock")
        if not assertion & _NOCHECK:
            state.acquire(rank, lock_type, where)
        state.locks[rank] = not assertion & _NOCHECK

    def Unlock(self, rank: int) -> None:
        """Ends the accesses to a rank: they have been carried out."""
        state, where = self._window("Unlock"), call_site()
        if rank == VALUES["PROC_NULL"]:
            return
        if rank not in state.locks:
            raise out_of_order("Unlock", f"rank {rank} is not locked", "after Lock of it")
        if state.locks[rank]:
            self._release([rank], where)
        else:
            state.complete([rank], where)
        del state.locks[rank]

    def Lock_all(self, assertion: int = 0) -> None:
        """Begins accesses to all ranks; each is locked when the first access to it is called."""
        state, where = self._window("Lock_all"), call_site()
        if state.locks or state.lock_all is not None:
            raise out_of_order("Lock_all", "ranks are locked already", "after Unlock, Unlock_all")
        state.lock_all = set()
        if assertion & _NOCHECK:
            state.locks = dict.fromkeys(range(state.comm._size), False)
            return
        # What the rank itself loads and stores has the lock too.
        state.enter(state.comm._rank, "Lock_all", where)

    def Unlock_all(self) -> None:
        """Ends the accesses to all ranks."""
        state, where = self._window("Unlock_all"), call_site()
        if state.lock_all is None:
            raise out_of_order("Unlock_all", "nothing is locked", "after Lock_all")
        state.complete(set(state.reached()) - state.lock_all, where)
        self._release(sorted(state.lock_all), where)
        state.lock_all, state.locks = None, {}

    def _release(self, ranks: list[int], where: str) -> None:
        state = self._window("Unlock")
        requests = state.taken(ranks)
        for rank in ranks:
            requests += state.ask(rank, state.access(UNLOCK), where, is_open=False)
        wait_for(requests, is_all=True)

    def _locked(self, call: str) -> WinState:
        state = self._window(call)
        if not state.locks and state.lock_all is None:
            raise out_of_order(call, "nothing is locked", "between Lock and Unlock")
        return state

    def Flush(self, rank: int) -> None:
        """Waits until the accesses to a rank have been carried out."""
        self._locked("Flush").complete([rank], call_site())

    def Flush_all(self) -> None:
        """Waits until all accesses have been carried out."""
        state = self._locked("Flush_all")
        state.complete(state.reached(), call_site())

    def Flush_local(self, rank: int) -> None:
        """Waits until the buffers of the accesses to a rank may be used."""
        wait_for(self._locked("Flush_local").taken([rank]), is_all=True)

    def Flush_local_all(self) -> None:
        """Waits until the buffers of all accesses may be used."""
        state = self._locked("Flush_local_all")
        wait_for(state.taken(state.reached()), is_all=True)

    def Sync(self) -> None:
        """Does nothing: a rank and the others access the same bytes."""
        self._window("Sync")

    # ------------------------------------------------------------------ groups

    def Post(self, group: Group, assertion: int = 0) -> None:
        """Begins the accesses of a group's ranks to this one."""
        state, where = self._window("Post"), call_site()
        if state.posted is not None:
            raise out_of_order("Post", "it has been called already", "after Wait")
        link = state.comm._link
        link.check()
        session, tag = link.session, tag_of(state.comm._number, POST)
        ranks = [state.rank_of(world) for world in group.members]
        state.posted, state.num_posted = [], len(ranks)
        for world in group.members:
            if world != link.rank and not assertion & _NOCHECK:
                number = session.isend(link.rank, session.world, world, tag, b"", False, where)
                state.posted.append(Request(link, number))

    def Start(self, group: Group, assertion: int = 0) -> None:
        """Begins accesses to a group's ranks; an access waits for the `Post` of its rank."""
        state, where = self._window("Start"), call_site()
        if state.started is not None:
            raise out_of_order("Start", "it has been called already", "after Complete")
        link = state.comm._link
        link.check()
        session, tag = link.session, tag_of(state.comm._number, POST)
        state.started = {state.rank_of(world): [] for world in group.members}
        for world in group.members:
            if world != link.rank and not assertion & _NOCHECK:
                number = session.irecv(link.rank, session.world, world, tag, -1, where)
                state.started[state.rank_of(world)].append(Request(link, number))

    def Complete(self) -> None:
        """Ends the accesses that `Start` has begun."""
        state, where = self._window("Complete"), call_site()
        if state.started is None:
            raise out_of_order("Complete", "no accesses have begun", "after Start")
        requests = [request for posts in state.started.values() for request in posts]
        wait_for(requests, is_all=True)
        requests = state.taken(state.started)
        for rank in state.started:
            requests += state.ask(rank, state.access(COMPLETE), where, is_open=False)
            # `Wait` of the rank comes after its writes.
            state.forget(rank)
        wait_for(requests, is_all=True)
        state.started = None

    def Wait(self) -> bool:
        """Waits until the ranks that `Post` has named have ended their accesses."""
        state, where = self._posted("Wait"), call_site()
        link = state.comm._link
        link.check()
        session = link.session
        task = session.begin_task(link.rank, "Win.Wait", where)
        state.exposed.when_complete(state.num_posted, lambda: session.end_task(task))
        session.wait(link.rank, [task], True, where)
        link.block()
        self._end_post()
        return True

    def Test(self) -> bool:
        """Have the ranks that `Post` has named ended their accesses?"""
        state = self._posted("Test")
        if state.exposed.num_completes < state.num_posted:
            state.comm._link.poll()
        if state.exposed.num_completes < state.num_posted:
            return False
        self._end_post()
        return True

    def _posted(self, call: str) -> WinState:
        state = self._window(call)
        if state.posted is None:
            raise out_of_order(call, "no accesses have begun", "after Post")
        return state

    def _end_post(self) -> None:
        state = self._window("Wait")
        wait_for(state.posted or [], is_all=True)
        state.exposed.num_completes -= state.num_posted
        state.posted = None
