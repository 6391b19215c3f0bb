// SPDX-License-Identifier: Apache-2.0
//! The published router (flow `peer_compatible`): wormholes, holding forks, joins at FIFO heads.
//!
//! Differences from the default, all from the authors' RTL (`docs/papers/S1.md`, "Published router"):
//! writes are worms of AW and W flits, and an output stays with one input until the worm's last flit;
//! a fork takes its outputs one by one and keeps them; contributions of a reduction wait at the heads of
//! the input FIFOs until all of them stand there; the merged flit goes first even over an output that a
//! worm holds. It can therefore deadlock, and it can split a worm: both are behaviour to reproduce.

use crate::flit::{Flit, FlitKind};
use crate::plane::{Context, PORTS, PlaneState, next_port, route_of};
use crate::txn::Trees;
use noccl_net::tree::{Cube, join_set};
use noccl_net::{Coord, Network};
use noccl_run::RunError;
use noccl_spec::RouterFlow;

/// Nobody holds the output.
const FREE: u8 = u8::MAX;

/// Extra registers of published routers.
#[derive(Debug)]
pub(crate) struct PeerState {
    /// Per router and output: input whose worm holds it.
    holder: Vec<[u8; PORTS]>,
    /// Per router and output: that worm's transaction, and since when it holds the output.
    held: Vec<[(u32, u64); PORTS]>,
    /// The cycle being evaluated.
    cycle: u64,
    /// Merged flits of this cycle: router, inputs that are consumed, output, flit.
    joined: Vec<(u32, u8, u8, Flit)>,
    /// Heads consumed by the wide reduction unit: router, inputs.
    reduced: Vec<(u32, u8)>,
}

impl PeerState {
    pub(crate) fn new(tiles: usize) -> Self {
        Self {
            holder: vec![[FREE; PORTS]; tiles],
            held: vec![[(0, 0); PORTS]; tiles],
            cycle: 0,
            joined: Vec::new(),
            reduced: Vec::new(),
        }
    }

    /// Input whose worm holds an output.
    pub(crate) fn holder(&self, r: usize, out: usize) -> Option<usize> {
        let holder = self.holder[r][out];
        (holder != FREE).then_some(holder as usize)
    }

    /// Transaction of the worm that holds an output, and since when, for diagnosis.
    pub(crate) fn held(&self, r: usize, out: usize) -> (u32, u64) {
        self.held[r][out]
    }

    pub(crate) fn clear(&mut self, cycle: u64) {
        self.cycle = cycle;
        self.joined.clear();
        self.reduced.clear();
    }

    /// A flit has passed from `input` to `out`: hold or release the output.
    pub(crate) fn passed(&mut self, r: usize, input: usize, out: usize, flit: Flit) {
        if self.holder[r][out] == FREE {
            self.held[r][out] = (flit.txn, self.cycle);
        }
        self.holder[r][out] = if flit.is_last() { FREE } else { input as u8 };
    }
}

impl PlaneState {
    /// Requests and arbitration of one published router. `peer` is taken out of `self` by the caller.
    pub(crate) fn evaluate_peer_router(
        &mut self,
        r: usize,
        peer: &mut PeerState,
        context: &mut Context<'_>,
    ) {
        let taken = self.join_heads(r, peer, context);
        let c = &self.control[r];
        let mut free = c.req_any & !c.out_full & !taken;
        while free != 0 {
            let out = free.trailing_zeros() as usize;
            free &= free - 1;
            let requests = c.req[out];
            let chosen = match peer.holder(r, out) {
                Some(input) if requests >> input & 1 != 0 => input as u32,
                Some(_) => continue,
                None => {
                    let after = requests & (0xfe_u8.wrapping_shl(u32::from(c.granted[out])));
                    if after != 0 { after } else { requests }.trailing_zeros()
                }
            };
            self.switch_moves
                .push((r as u32) << 6 | chosen << 3 | out as u32);
        }
    }

    /// Merges contributions whose siblings all stand at FIFO heads. Returns the outputs used.
    fn join_heads(&mut self, r: usize, peer: &mut PeerState, context: &mut Context<'_>) -> u8 {
        let here = Coord::new(self.control[r].x, self.control[r].y);
        let mut taken = 0;
        let mut consumed = 0;
        let mut unit_is_free = true;
        for port in 0..PORTS {
            if self.control[r].join_heads & !consumed & 1 << port == 0 {
                continue;
            }
            let flit = self.input_head(r, port);
            let tree = context.trees.tree(flit.txn);
            let expected = join_set(here, tree.set, tree.root);
            if expected.count_ones() == 1 {
                self.control[r].join_heads &= !(1 << port);
                self.request(r, port, 1 << next_port(here, route_of(flit, context.trees)));
                continue;
            }
            if !self.siblings_stand(r, expected, flit) {
                continue;
            }
            if flit.kind == FlitKind::Reduce {
                if unit_is_free {
                    unit_is_free = false;
                    consumed |= expected;
                    peer.reduced.push((r as u32, expected));
                    let operands = self.operands(r, expected);
                    self.joins.issue(r, here, flit, operands, context);
                }
                continue;
            }
            let out = next_port(here, route_of(flit, context.trees));
            let pipeline_drains = flit.kind == FlitKind::ReduceHead && self.joins.has_results(r);
            if (self.control[r].out_full | taken) >> out & 1 == 0 && !pipeline_drains {
                taken |= 1 << out;
                consumed |= expected;
                let merged = self.merged(r, expected, flit);
                peer.joined.push((r as u32, expected, out as u8, merged));
            }
        }
        self.offer_result(r, here, context);
        taken
    }

    /// Do the heads of all `expected` inputs belong to the same transaction, kind and beat?
    fn siblings_stand(&self, r: usize, expected: u8, flit: Flit) -> bool {
        (0..PORTS).filter(|p| expected >> p & 1 != 0).all(|p| {
            let head = self.input_head(r, p);
            let is_there = self.control[r].join_heads >> p & 1 != 0;
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
        let resp = heads().map(Flit::resp).max().unwrap_or(0);
        Flit { payload, ..flit }.with_resp(resp)
    }

    /// Applies the merges of this cycle.
    pub(crate) fn commit_peer(&mut self, peer: &mut PeerState, context: &mut Context<'_>) {
        for (r, inputs, out, flit) in &peer.joined {
            self.push_output(*r as usize, *out as usize, *flit);
            self.consume(*r as usize, *inputs, context);
        }
        for (r, inputs) in &peer.reduced {
            self.control[*r as usize].unit_busy = true;
            self.consume(*r as usize, *inputs, context);
        }
    }

    fn consume(&mut self, r: usize, inputs: u8, context: &mut Context<'_>) {
        for p in (0..PORTS).filter(|p| inputs >> p & 1 != 0) {
            self.control[r].join_heads &= !(1 << p);
            self.pop_input(r, p, context);
        }
    }

    /// Inputs whose contribution a waiting head still misses, for diagnosis.
    pub(crate) fn missing_siblings(&self, r: usize, input: usize, trees: &Trees) -> u8 {
        let c = &self.control[r];
        let flit = self.input_head(r, input);
        let tree = trees.tree(flit.txn);
        let expected = join_set(Coord::new(c.x, c.y), tree.set, tree.root);
        (0..PORTS)
            .filter(|p| expected >> p & 1 != 0 && !self.siblings_stand(r, 1 << p, flit))
            .fold(0, |m, p| m | 1 << p)
    }
}

/// Refuses reductions that the published unit cannot do: it folds two operands, and a router of this
/// tree would have to fold three (an assertion fires in the released RTL).
pub(crate) fn refuse_three_operands(
    network: &Network,
    what: String,
    group: Cube,
    root: Coord,
) -> Result<(), RunError> {
    if network.spec().router.flow != RouterFlow::PeerCompatible {
        return Ok(());
    }
    let (min, max) = group.bounds();
    let columns = min.x.min(root.x)..=max.x.max(root.x);
    for at in
        columns.flat_map(|x| (min.y.min(root.y)..=max.y.max(root.y)).map(move |y| Coord::new(x, y)))
    {
        let operands = join_set(at, group, root).count_ones();
        if operands > 2 {
            return Err(RunError::Refused {
                backend: "sim",
                what,
                reason: format!(
                    "router {at} would have to fold {operands} operands and peer_compatible folds two; \
                     reduce rows first, then the column, or use flow = \"non_blocking\""
                ),
            });
        }
    }
    Ok(())
}
