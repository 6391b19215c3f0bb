// SPDX-License-Identifier: Apache-2.0
//! Routers with merge or reduction units: what contributions at FIFO heads do, and what the units offer.

use crate::kernel::bit_set::bits;
use crate::router::collective::context::Context;
use crate::router::collective::control::block::{LANES, PORTS, RESULT, slot_at};
use crate::router::collective::fork::route::{next_port, route_of};
use crate::router::collective::merge::table::MergeRegisters;
use crate::router::collective::plane::PlaneState;
use crate::transport::flit::{Flit, FlitKind};
use noccl_net::Coord;

impl PlaneState {
    /// Lets waiting heads merge, and offers results to their outputs.
    pub(crate) fn evaluate_units(&mut self, w: usize, context: &mut Context<'_>) {
        let routers = self.blocks[w].units();
        self.touch_units(w, routers);
        for lane in bits(routers) {
            self.evaluate_unit(w * LANES + lane, context);
        }
    }

    /// Reads what [`PlaneState::evaluate_unit`] will need of the routers of a block: on a large mesh nothing of it is in
    /// a cache, and reads that do not wait for each other are in flight together.
    fn touch_units(&self, w: usize, routers: u64) {
        let mut sum = self.joins.touch(w, routers);
        for (port, heads) in self.blocks[w].join_heads.iter().enumerate() {
            for lane in bits(*heads) {
                sum ^= self
                    .flits
                    .get(self.input[self.input_at(w * LANES + lane, port)])[0];
            }
        }
        std::hint::black_box(sum);
    }

    fn evaluate_unit(&mut self, r: usize, context: &mut Context<'_>) {
        let (w, lane, here) = (r / LANES, r % LANES, self.coord(r));
        let heads = self.blocks[w].waiting_heads(lane);
        self.joins.begin(r);
        let has_work = match bits(u64::from(heads)).next() {
            Some(_) if self.take_operands(r, heads, context) => true,
            Some(first) if self.input_head(r, first).kind == FlitKind::Reduce => {
                self.fold_heads(r, here, heads, context)
            }
            Some(_) | None => self.merge_heads(r, here, heads, context),
        };
        self.offer_result(r, here, has_work, context);
    }

    /// Responses or arrivals at heads: one transaction is served. Returns whether the table has to be looked at in the
    /// next cycle, as a head has left into it or something is in its registers.
    fn merge_heads(&mut self, r: usize, here: Coord, heads: u8, context: &Context<'_>) -> bool {
        let Some(registers) = self.joins.merge_registers(r).copied() else {
            if heads == 0 {
                return false;
            }
            let flits = self.flits_at(r, heads);
            let group = self.grant_heads(r, &flits);
            let (absorbed, forwarded) = self.decide(r, here, group, flits, context);
            self.let_go_on(r, here, forwarded);
            return absorbed != 0;
        };
        self.let_go_on(r, here, registers.forwarded);
        let flits = self.flits_at(r, registers.group);
        let (absorbed, forwarded) = self.decide(r, here, registers.group, flits, context);
        let group = self.grant_heads(r, &self.flits_at(r, heads));
        if let Some(registers) = self.joins.merge_registers(r) {
            *registers = MergeRegisters { group, forwarded };
        }
        group | absorbed | forwarded != 0
    }

    /// Heads of one transaction have their grant and wait no more. Returns their inputs.
    #[inline]
    fn grant_heads(&mut self, r: usize, heads: &[Option<Flit>; PORTS]) -> u8 {
        let group = self.joins.arbitrate(r, heads);
        let (w, lane) = (r / LANES, r % LANES);
        for port in (0..PORTS).filter(|p| group >> p & 1 != 0) {
            self.blocks[w].join_heads[port] &= !(1 << lane);
        }
        group
    }

    /// What becomes of a group: inputs whose heads leave into the table, and the one whose head goes on for all.
    fn decide(
        &mut self,
        r: usize,
        here: Coord,
        group: u8,
        mut heads: [Option<Flit>; PORTS],
        context: &Context<'_>,
    ) -> (u8, u8) {
        for port in (0..PORTS).filter(|p| group >> p & 1 == 0) {
            heads[port] = None;
        }
        let leaving = self.joins.merge(r, here, &heads, context);
        // 0: no input goes on unless one flit does for all.
        let forwarded = leaving.map_or(0, |flit| {
            let last = group.ilog2() as usize;
            self.replace_head(r, last, flit);
            1 << last
        });
        let absorbed = group & !forwarded;
        for port in (0..PORTS).filter(|p| absorbed >> p & 1 != 0) {
            self.absorb_head(r, port);
        }
        (absorbed, forwarded)
    }

    /// A head that goes on, if any, asks for its output.
    fn let_go_on(&mut self, r: usize, here: Coord, forwarded: u8) {
        if forwarded != 0 {
            let port = forwarded.ilog2() as usize;
            let dst = self.input_head(r, port).dst;
            self.request(r, port, 1 << next_port(here, dst));
        }
    }

    /// Flits at heads of a set of inputs.
    fn flits_at(&self, r: usize, inputs: u8) -> [Option<Flit>; PORTS] {
        std::array::from_fn(|port| (inputs >> port & 1 != 0).then(|| self.input_head(r, port)))
    }

    /// What [`PlaneState::fold_heads`] does with heads that are all operands of the only reduction at the router, as in most cycles:
    /// without the questions of beginnings. Returns whether they are; they have then entered the store.
    #[inline]
    fn take_operands(&mut self, r: usize, heads: u8, context: &Context<'_>) -> bool {
        let (w, lane) = (r / LANES, r % LANES);
        let Some((unit, txn)) = self.joins.takes_only(r) else {
            return false;
        };
        let (block, input, flits) = (&mut self.blocks[w], &self.input, &mut self.flits);
        let in_head = block.in_head;
        let entry = |port: usize| input[slot_at(r, port, (in_head[port] >> lane & 1) as usize)];
        let ports = || bits(u64::from(heads));
        if !ports().all(|port| Flit::is_operand_of(flits.get(entry(port)), txn)) {
            return false;
        }
        let operands = ports().map(|port| (port, Flit::from_packed(flits.get(entry(port)))));
        unit.take(0, operands, context.is_value, context.cycle);
        for port in ports() {
            block.popped[port] |= 1 << lane;
            block.join_heads[port] &= !(1 << lane);
            flits.release_later(entry(port));
        }
        true
    }

    /// Operands of wide reductions at heads. Returns whether one has entered the store.
    fn fold_heads(&mut self, r: usize, here: Coord, heads: u8, context: &Context<'_>) -> bool {
        let (w, lane) = (r / LANES, r % LANES);
        let flits = self.flits_at(r, heads);
        let accepted = self.joins.arrive(r, here, &flits, context);
        for (port, flit) in flits.iter().enumerate() {
            let bit = 1 << port;
            if accepted.absorbed & bit != 0 {
                self.absorb_head(r, port);
                self.blocks[w].join_heads[port] &= !(1 << lane);
            } else if accepted.forwarded & bit != 0
                && let Some(flit) = flit
            {
                let dst = route_of(*flit, context.trees);
                self.request(r, port, 1 << next_port(here, dst));
                self.blocks[w].join_heads[port] &= !(1 << lane);
            }
        }
        accepted.absorbed != 0
    }

    /// The unit's oldest result requests its output. A unit with work for the next cycle stays busy.
    pub(crate) fn offer_result(
        &mut self,
        r: usize,
        here: Coord,
        has_work: bool,
        context: &mut Context<'_>,
    ) {
        let offer = self.joins.offer(r, here, context);
        let block = &mut self.blocks[r / LANES];
        let bit = 1 << (r % LANES);
        block.unit_busy &= !bit;
        if offer.is_busy || has_work {
            block.unit_busy |= bit;
        }
        if let Some(flit) = offer.result {
            let out = next_port(here, route_of(flit, context.trees));
            block.request(r % LANES, RESULT, 1 << out);
        }
    }
}
