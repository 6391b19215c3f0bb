// SPDX-License-Identifier: Apache-2.0
//! Routers with merge or reduction units: what contributions at FIFO heads do, and what the units offer.

use crate::block::{LANES, PORTS, RESULT};
use crate::flit::{Flit, FlitKind};
use crate::plane::{Context, PlaneState, next_port, route_of, slot_at};
use noccl_net::Coord;

impl PlaneState {
    /// Lets waiting heads merge, and offers results to their outputs.
    pub(crate) fn evaluate_units(&mut self, w: usize, context: &mut Context<'_>) {
        let mut routers = self.blocks[w].units();
        self.touch_units(w, routers);
        while routers != 0 {
            let lane = routers.trailing_zeros() as usize;
            routers &= routers - 1;
            self.evaluate_unit(w * LANES + lane, context);
        }
    }

    /// Reads what [`PlaneState::evaluate_unit`] will need of the routers of a block: on a large mesh nothing of it is in
    /// a cache, and reads that do not wait for each other are under way together.
    fn touch_units(&self, w: usize, routers: u64) {
        let mut sum = self.joins.touch(w, routers);
        for (port, heads) in self.blocks[w].join_heads.iter().enumerate() {
            let mut lanes = *heads;
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                sum ^= self.input[slot_at(w * LANES + lane, port)][0];
            }
        }
        std::hint::black_box(sum);
    }

    fn evaluate_unit(&mut self, r: usize, context: &mut Context<'_>) {
        let (w, lane, here) = (r / LANES, r % LANES, self.coord(r));
        let heads = self.blocks[w].waiting_heads(lane);
        let first = heads.trailing_zeros() as usize;
        self.joins.begin(r);
        let has_absorbed = if heads == 0 {
            false
        } else if self.input_head(r, first).kind == FlitKind::Reduce {
            self.fold_heads(r, here, heads, context)
        } else {
            self.merge_heads(r, here, heads, context)
        };
        self.offer_result(r, here, has_absorbed, context);
    }

    /// Responses or arrivals at heads: one transaction is served. Returns whether a head has left into the table.
    fn merge_heads(&mut self, r: usize, here: Coord, heads: u8, context: &Context<'_>) -> bool {
        let (w, lane) = (r / LANES, r % LANES);
        let head = |port| (heads >> port & 1 != 0).then(|| self.input_head(r, port));
        let flits: [Option<Flit>; PORTS] = std::array::from_fn(head);
        let Some(served) = self.joins.merge(r, here, &flits, context) else {
            return false;
        };
        let mut absorbed = served.group;
        if let Some(leaving) = served.leaving {
            let last = served.group.ilog2() as usize;
            absorbed &= !(1 << last);
            self.replace_head(r, last, leaving);
            self.request(r, last, 1 << next_port(here, leaving.dst));
        }
        for port in (0..PORTS).filter(|p| served.group >> p & 1 != 0) {
            self.blocks[w].popped[port] |= u64::from(absorbed >> port & 1) << lane;
            self.blocks[w].join_heads[port] &= !(1 << lane);
        }
        absorbed != 0
    }

    /// Operands of wide reductions at heads. Returns whether one has entered the store.
    fn fold_heads(&mut self, r: usize, here: Coord, heads: u8, context: &Context<'_>) -> bool {
        let (w, lane) = (r / LANES, r % LANES);
        let head = |port| (heads >> port & 1 != 0).then(|| self.input_head(r, port));
        let flits: [Option<Flit>; PORTS] = std::array::from_fn(head);
        let folded = self.joins.arrive(r, here, &flits, context);
        for (port, flit) in flits.iter().enumerate() {
            let bit = 1 << port;
            if folded.absorbed & bit != 0 {
                self.blocks[w].popped[port] |= 1 << lane;
                self.blocks[w].join_heads[port] &= !(1 << lane);
            } else if folded.forwarded & bit != 0
                && let Some(flit) = flit
            {
                let dst = route_of(*flit, context.trees);
                self.request(r, port, 1 << next_port(here, dst));
                self.blocks[w].join_heads[port] &= !(1 << lane);
            }
        }
        folded.absorbed != 0
    }

    /// The unit's oldest result requests its output. A unit that has taken something in stays busy.
    pub(crate) fn offer_result(
        &mut self,
        r: usize,
        here: Coord,
        has_absorbed: bool,
        context: &mut Context<'_>,
    ) {
        let offer = self.joins.offer(r, here, context);
        let block = &mut self.blocks[r / LANES];
        let bit = 1 << (r % LANES);
        block.unit_busy &= !bit;
        if offer.is_busy || has_absorbed {
            block.unit_busy |= bit;
        }
        if let Some(flit) = offer.result {
            let out = next_port(here, route_of(flit, context.trees));
            block.request(r % LANES, RESULT, 1 << out);
        }
    }
}
