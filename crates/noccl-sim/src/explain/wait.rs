// SPDX-License-Identifier: Apache-2.0
//! Why a flit stands still in a cycle: what stands in its path, at the end of the chain of full FIFOs before it.
//!
//! Looked at after injection, before the registers change: whoever could have moved in this cycle has.

use crate::machine::Machine;
use crate::router::collective::control::block::{LOCAL, PORTS};
use crate::router::collective::fork::route::{next_port, route_of};
use crate::router::collective::plane::PlaneState;
use crate::transport::flit::{Flit, MULTICAST};
use noccl_net::tree::join_set;
use noccl_net::{LinkId, Port, TileId};
use noccl_run::{Cause, Resource};
use noccl_spec::Plane;

/// A cause and who has it.
pub(super) type Blame = (Cause, Option<Resource>);

/// A FIFO of a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fifo {
    pub router: usize,
    pub is_input: bool,
    pub port: usize,
}

impl Machine<'_> {
    /// What blocks the head of a FIFO, or something before it on its path; `None` if nothing is blocked in this cycle.
    ///
    /// A FIFO that is full at the start of a cycle may not be at its end, so the chain is followed through FIFOs with space too: what
    /// has blocked the last one moves upstream as an empty slot, one FIFO per cycle.
    pub(super) fn blame(&self, plane: Plane, from: Fifo) -> Option<Blame> {
        let state = &self.mesh.planes[plane.idx()];
        let (mut at, mut last) = (from, None);
        // Every router of a path has two FIFOs.
        for _ in 0..4 * (self.network.width() + self.network.height()) {
            if !at.is_input {
                if at.port == LOCAL {
                    let tile = TileId(at.router as u32);
                    let port = (Cause::MemoryPort, Some(Resource::MemoryPort(tile)));
                    return state.is_full(at.router, false, LOCAL).then_some(port);
                }
                let (router, port) = self.behind(at.router, at.port);
                at = Fifo {
                    router,
                    is_input: true,
                    port,
                };
                continue;
            }
            let head = state.fifo(at.router, true, at.port).next();
            if let Some(head) = head {
                if let Some(blame) = self.at_input(plane, state, at, head) {
                    return Some(blame);
                }
                last = Some(head);
            }
            let port = self.output_of(state, at, last?)?;
            at = Fifo {
                is_input: false,
                port,
                ..at
            };
        }
        None
    }

    /// The output that the head of an input takes, or that a packet which has passed takes here; `None` behind a fork.
    fn output_of(&self, state: &PlaneState, at: Fifo, flit: Flit) -> Option<usize> {
        let wanted = state.wants(at.router, at.port);
        let outputs = || (0..PORTS).filter(move |out| wanted >> out & 1 != 0);
        let is_full = |out: &usize| state.is_full(at.router, false, *out);
        let asked = outputs().find(is_full).or_else(|| outputs().next());
        let is_fork = flit.flags & MULTICAST != 0;
        let trees = &self.interfaces.txns.trees;
        let here = self.network.coord(TileId(at.router as u32));
        asked.or_else(|| (!is_fork).then(|| next_port(here, route_of(flit, trees))))
    }

    /// What keeps the head of an input, if anything does at this router: a request that stands after the arbitration has lost it, or its
    /// output had no space.
    fn at_input(&self, plane: Plane, state: &PlaneState, at: Fifo, head: Flit) -> Option<Blame> {
        let (r, tile) = (at.router, TileId(at.router as u32));
        if state.is_joining(r, at.port) {
            return Some(self.at_merge_point(state, at));
        }
        let wanted = state.wants(r, at.port);
        let home = |flit: Flit| self.interfaces.txns.get(flit.txn).home;
        for out in (0..PORTS).filter(|out| wanted >> out & 1 != 0) {
            if out == LOCAL {
                return Some((Cause::MemoryPort, Some(Resource::MemoryPort(tile))));
            }
            let holder = state.published.as_ref().and_then(|p| p.holder(r, out));
            let is_held = holder.is_some_and(|holder| holder != at.port);
            let newest = state.fifo(r, false, out).last();
            if is_held || newest.is_some_and(|flit| home(flit) != home(head)) {
                let link = LinkId::new(plane, tile, Port::ALL[out]);
                return Some((Cause::Arbitration, Some(Resource::Link(link))));
            }
        }
        None
    }

    /// A contribution at the head of an input stays there.
    fn at_merge_point(&self, state: &PlaneState, at: Fifo) -> Blame {
        let (r, tile) = (at.router, TileId(at.router as u32));
        let trees = &self.interfaces.txns.trees;
        let unit = (Cause::Addition, Some(Resource::ReductionUnit(tile)));
        let members = (Cause::Contributions, Some(Resource::MergePoint(tile)));
        if state.published.is_some() {
            let is_missing = state.missing_contributions(r, at.port, trees) != 0;
            return if is_missing { members } else { unit };
        }
        let head = state.fifo(r, true, at.port).next();
        let is_wide = head.is_some_and(|flit| self.interfaces.txns.get(flit.txn).is_wide);
        if is_wide { unit } else { members }
    }

    /// Why operands of a transaction wait at a router; `None` if none do.
    pub(super) fn merge_blame(&self, plane: Plane, r: usize, txn: u32) -> Option<Blame> {
        let state = &self.mesh.planes[plane.idx()];
        let tile = TileId(r as u32);
        let members = (Cause::Contributions, Some(Resource::MergePoint(tile)));
        let unit = (Cause::Addition, Some(Resource::ReductionUnit(tile)));
        let mut waiting = state.joins.waiting_at(r).filter(|w| w.txn == txn);
        let oldest = waiting.next()?;
        if plane != Plane::Wide {
            return Some(members);
        }
        let trees = &self.interfaces.txns.trees;
        let (tree, here) = (trees.tree(txn), self.network.coord(tile));
        let is_missing = if oldest.have == 0 {
            !state.joins.missing_senders(r, here, txn, trees).is_empty()
        } else {
            let local = u8::from(tree.is_shared && here == tree.root) << LOCAL;
            join_set(here, tree.set, tree.root) & !oldest.have & !local != 0
        };
        Some(if is_missing { members } else { unit })
    }

    /// Router and input behind an output.
    pub(super) fn behind(&self, r: usize, out: usize) -> (usize, usize) {
        let network = self.network;
        let port = Port::ALL[out];
        let next = network.neighbour(network.coord(TileId(r as u32)), port);
        // An output at the edge has no flits.
        let next = next.map_or(r, |at| network.tile_at(at).idx());
        (next, port.opposite().idx())
    }
}
