// SPDX-License-Identifier: Apache-2.0
//! Ends of transactions, and the places at a NI that they make free.
//!
//! Where a limit was reached nobody can use a place in the cycle in which it becomes free: the hardware counts in registers.

use crate::machine::Machine;
use crate::machine::event::{Done, Event, InterfaceSlot};
use crate::transport::axi_response::OKAY;
use crate::transport::flit::Flit;
use crate::transport::transaction::{Owner, TxnKind};
use noccl_spec::Plane;

impl Machine<'_> {
    /// A member of a reduction, an all-reduce or a barrier has its response.
    pub(crate) fn close_member(&mut self, tile: usize, id: u32, resp: u8) {
        let txn = self.txns.get_mut(id);
        txn.open_members -= 1;
        let (owner, is_over, is_wide) = (txn.owner, txn.open_members == 0, txn.is_wide);
        self.checks.counters.error_responses += u64::from(resp != OKAY);
        self.record_completion(tile, id, resp);
        if is_wide {
            self.close_wide(tile, InterfaceSlot::Reduction);
        } else {
            self.close_narrow(tile);
        }
        self.done.push(Done::Member {
            owner,
            tile: tile as u32,
            resp,
        });
        if is_over {
            self.errors.forget(id);
            self.txns.close(id);
        }
    }

    /// A narrow transaction of this tile has its response: the next one may leave.
    fn close_narrow(&mut self, tile: usize) {
        let limit = self.network.axi().ni.max_narrow_outstanding;
        if self.interfaces.nis[tile].narrow_outstanding < limit
            || !self.behaviour.has_registered_limits
        {
            self.free(tile, InterfaceSlot::Narrow);
        } else {
            self.free_next(tile, InterfaceSlot::Narrow);
        }
    }

    /// A wide write or reduction of this tile has its response.
    fn close_wide(&mut self, tile: usize, place: InterfaceSlot) {
        let (ni, limits) = (&self.interfaces.nis[tile], &self.network.axi().ni);
        let has_space = ni.wide_outstanding < limits.max_wide_outstanding
            && ni.reductions_outstanding < limits.max_open_reductions;
        if has_space || !self.behaviour.has_registered_limits {
            self.free(tile, place);
        } else {
            self.free_next(tile, place);
        }
    }

    fn close_read(&mut self, tile: usize) {
        let limit = self.network.axi().ni.max_wide_outstanding;
        if self.interfaces.nis[tile].reads_outstanding < limit
            || !self.behaviour.has_registered_limits
        {
            self.free(tile, InterfaceSlot::WideRead);
        } else {
            self.free_next(tile, InterfaceSlot::WideRead);
        }
    }

    /// A place that becomes free at the end of this cycle: nobody can use it earlier.
    pub(crate) fn free_next(&mut self, tile: usize, place: InterfaceSlot) {
        let tile = tile as u32;
        let event = Event::Freed { tile, place };
        self.clock.schedule(self.clock.now() + 1, event);
    }

    pub(crate) fn free(&mut self, tile: usize, place: InterfaceSlot) {
        let ni = &mut self.interfaces.nis[tile];
        match place {
            InterfaceSlot::Wide => ni.wide_outstanding -= 1,
            InterfaceSlot::Reduction => {
                ni.wide_outstanding -= 1;
                ni.reductions_outstanding -= 1;
            }
            InterfaceSlot::WideRead => ni.reads_outstanding -= 1,
            InterfaceSlot::Narrow => ni.narrow_outstanding -= 1,
            InterfaceSlot::OwnFlit(is_wide) => ni.own_in_flight[usize::from(is_wide)] -= 1,
        }
        match place {
            InterfaceSlot::Wide | InterfaceSlot::Reduction => {
                self.open_operands(tile);
                self.refresh_plane(Plane::Wide, tile);
            }
            InterfaceSlot::WideRead | InterfaceSlot::Narrow | InterfaceSlot::OwnFlit(_) => {
                self.refresh_injecting(tile)
            }
        }
    }

    /// The initiator has its response: the transaction is over.
    pub(crate) fn finish(&mut self, tile: usize, flit: Flit) {
        let txn = *self.txns.get(flit.txn);
        let resp = txn.resp.max(flit.resp());
        self.record_completion(tile, flit.txn, resp);
        self.checks.counters.error_responses += u64::from(resp != OKAY);
        if txn.is_wide && txn.kind == TxnKind::WideWrite {
            self.close_wide(tile, InterfaceSlot::Wide);
        } else if txn.kind == TxnKind::WideRead {
            self.close_read(tile);
        } else if !txn.is_wide {
            self.close_narrow(tile);
        }
        if let Owner::Chain { lane, .. } = txn.owner {
            self.take_credit_of_chain(tile, lane, txn.target);
        }
        self.done.push(Done::Transaction {
            owner: txn.owner,
            tile: tile as u32,
            value: flit.payload,
            resp,
        });
        self.txns.close(flit.txn);
    }

    /// Leaves of a multicast's responses have come home.
    pub(crate) fn collect_responses(&mut self, tile: usize, flit: Flit) {
        let leaves = self.txns.trees.set(flit.txn).set.len();
        let txn = self.txns.get_mut(flit.txn);
        txn.arrived += flit.payload;
        txn.resp = txn.resp.max(flit.resp());
        if txn.arrived == leaves {
            self.finish(tile, flit);
        }
    }
}
