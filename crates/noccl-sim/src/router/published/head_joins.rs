// SPDX-License-Identifier: Apache-2.0
//! Contributions that wait at the heads of the input FIFOs until all of them stand there.

use super::packets::PublishedPackets;
use crate::router::collective::context::Context;
use crate::router::collective::control::block::{LANES, PORTS};
use crate::router::collective::fork::route::{next_port, route_of};
use crate::router::collective::plane::PlaneState;
use crate::transport::flit::{Flit, FlitKind};
use crate::transport::transaction::Trees;
use noccl_net::counts::max_or_zero;
use noccl_net::tree::join_set;

impl PlaneState {
    /// Joins at the heads of the routers of a block. `packets` is taken out of `self` by the caller.
    pub(crate) fn evaluate_published_units(
        &mut self,
        w: usize,
        packets: &mut PublishedPackets,
        context: &mut Context<'_>,
    ) {
        packets.taken[w] = [0; PORTS];
        let mut routers = self.blocks[w].units();
        while routers != 0 {
            let lane = routers.trailing_zeros() as usize;
            routers &= routers - 1;
            let taken = self.join_heads(w * LANES + lane, packets, context);
            for (out, lanes) in packets.taken[w].iter_mut().enumerate() {
                *lanes |= u64::from(taken >> out & 1) << lane;
            }
        }
    }

    /// Merges contributions that all stand at FIFO heads. Returns the outputs used.
    fn join_heads(
        &mut self,
        r: usize,
        packets: &mut PublishedPackets,
        context: &mut Context<'_>,
    ) -> u8 {
        let (w, lane, here) = (r / LANES, r % LANES, self.coord(r));
        let full = (0..PORTS).fold(0, |set, o| {
            set | ((self.blocks[w].out_full[o] >> lane & 1) as u8) << o
        });
        let mut taken = 0;
        let mut consumed = 0;
        let mut reduces = false;
        for port in 0..PORTS {
            if self.blocks[w].waiting_heads(lane) & !consumed & 1 << port == 0 {
                continue;
            }
            let flit = self.input_head(r, port);
            let tree = context.trees.tree(flit.txn);
            let expected = join_set(here, tree.set, tree.root);
            if expected.count_ones() == 1 {
                self.blocks[w].join_heads[port] &= !(1 << lane);
                self.request(r, port, 1 << next_port(here, route_of(flit, context.trees)));
                continue;
            }
            if !self.all_at_heads(r, expected, flit) {
                continue;
            }
            if flit.kind == FlitKind::Reduce {
                if !reduces {
                    reduces = true;
                    consumed |= expected;
                    let operands = self.operands(r, expected);
                    self.joins.issue(r, here, flit, operands, context);
                }
                continue;
            }
            let out = next_port(here, route_of(flit, context.trees));
            let pipeline_drains = flit.kind == FlitKind::ReduceHead && self.joins.has_results(r);
            if (full | taken) >> out & 1 == 0 && !pipeline_drains {
                taken |= 1 << out;
                consumed |= expected;
                let merged = self.merged(r, expected, flit);
                packets.joined.push((r as u32, out as u8, merged));
            }
        }
        self.offer_result(r, here, reduces, context);
        self.consume(r, consumed);
        taken
    }

    /// Do the heads of all `expected` inputs belong to the same transaction, kind and beat?
    fn all_at_heads(&self, r: usize, expected: u8, flit: Flit) -> bool {
        (0..PORTS).filter(|p| expected >> p & 1 != 0).all(|p| {
            let head = self.input_head(r, p);
            let is_there = self.blocks[r / LANES].join_heads[p] >> (r % LANES) & 1 != 0;
            is_there && head.txn == flit.txn && head.kind == flit.kind && head.beat == flit.beat
        })
    }

    fn operands(&self, r: usize, expected: u8) -> [u32; PORTS] {
        let mut slots = [0; PORTS];
        for p in (0..PORTS).filter(|p| expected >> p & 1 != 0) {
            slots[p] = self.input_head(r, p).payload;
        }
        slots
    }

    /// One flit for all: leaves add up, the worst response wins.
    fn merged(&self, r: usize, expected: u8, flit: Flit) -> Flit {
        let heads = || {
            (0..PORTS)
                .filter(|p| expected >> p & 1 != 0)
                .map(|p| self.input_head(r, p))
        };
        let payload = heads().map(|f| f.payload).sum();
        let resp = max_or_zero(heads().map(Flit::resp));
        Flit { payload, ..flit }.with_resp(resp)
    }

    /// The merges of this cycle enter their output FIFOs.
    pub(crate) fn commit_joined(&mut self, packets: &mut PublishedPackets) {
        for (r, out, flit) in packets.joined.drain(..) {
            self.push_output(r as usize, out as usize, flit);
        }
    }

    /// Heads that have been merged leave their inputs.
    fn consume(&mut self, r: usize, inputs: u8) {
        for p in (0..PORTS).filter(|p| inputs >> p & 1 != 0) {
            self.blocks[r / LANES].join_heads[p] &= !(1 << (r % LANES));
            self.absorb_head(r, p);
        }
    }

    /// Inputs whose contribution a waiting head still misses, for diagnosis.
    pub(crate) fn missing_contributions(&self, r: usize, input: usize, trees: &Trees) -> u8 {
        let flit = self.input_head(r, input);
        let tree = trees.tree(flit.txn);
        let expected = join_set(self.coord(r), tree.set, tree.root);
        (0..PORTS)
            .filter(|p| expected >> p & 1 != 0 && !self.all_at_heads(r, 1 << p, flit))
            .fold(0, |m, p| m | 1 << p)
    }
}
