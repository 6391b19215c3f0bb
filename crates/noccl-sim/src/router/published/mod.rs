// SPDX-License-Identifier: Apache-2.0
//! The published router (flow `peer_compatible`): wormholes, holding forks, joins at FIFO heads.
//!
//! Differences from the default, all from the authors' RTL (`docs/papers/S1.md`, "Published router"):
//! writes are worms of AW and W flits, and an output stays with one input until the worm's last flit;
//! a fork takes its outputs one by one and keeps them; contributions of a reduction wait at the heads of
//! the input FIFOs until all of them stand there; the merged flit goes first even over an output that a
//! worm holds. It can therefore deadlock, and it can split a worm: both are behaviour to reproduce.

pub(crate) mod reduction;

use crate::fabric::flit::{Flit, FlitKind};
use crate::fabric::transaction::Trees;
use crate::router::collective::control_block::{LANES, PORTS, RESULT};
use crate::router::collective::plane::{Context, PlaneState, next_port, route_of};
use noccl_net::tree::{Cube, join_set};
use noccl_net::{Coord, Network};
use noccl_run::RunError;
use noccl_spec::RouterFlow;
use serde::{Deserialize, Serialize};

/// Extra registers of published routers, as bit planes per block.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PeerState {
    /// Per output and input: the input's worm holds the output.
    pub holds: Vec<[[u64; RESULT + 1]; PORTS]>,
    /// Outputs that a merged flit takes in this cycle.
    pub taken: Vec<[u64; PORTS]>,
    /// Merged flits of this cycle: router, output, flit.
    joined: Vec<(u32, u8, Flit)>,
    /// Per router and output: the holding worm's transaction, and since when it holds the output.
    held: Vec<[(u32, u64); PORTS]>,
    /// The cycle being evaluated.
    pub cycle: u64,
}

impl PeerState {
    pub(crate) fn new(tiles: usize) -> Self {
        let blocks = tiles.div_ceil(LANES);
        Self {
            holds: vec![[[0; RESULT + 1]; PORTS]; blocks],
            taken: vec![[0; PORTS]; blocks],
            joined: Vec::new(),
            held: vec![[(0, 0); PORTS]; tiles],
            cycle: 0,
        }
    }

    /// Input whose worm holds an output.
    pub(crate) fn holder(&self, r: usize, out: usize) -> Option<usize> {
        let holds = &self.holds[r / LANES][out];
        (0..=RESULT).find(|i| holds[*i] >> (r % LANES) & 1 != 0)
    }

    /// Transaction of the worm that holds an output, and since when, for diagnosis.
    pub(crate) fn held(&self, r: usize, out: usize) -> (u32, u64) {
        self.held[r][out]
    }

    /// A flit has passed from `input` to `out`: hold or release the output.
    pub(crate) fn passed(&mut self, w: usize, lane: usize, input: usize, out: usize, flit: Flit) {
        let holds = &mut self.holds[w][out];
        if holds.iter().all(|h| h >> lane & 1 == 0) {
            self.held[w * LANES + lane][out] = (flit.txn, self.cycle);
        }
        holds.iter_mut().for_each(|h| *h &= !(1 << lane));
        holds[input] |= u64::from(!flit.is_last()) << lane;
    }
}

impl PlaneState {
    /// Joins at the heads of the routers of a block. `peer` is taken out of `self` by the caller.
    pub(crate) fn evaluate_peer_units(
        &mut self,
        w: usize,
        peer: &mut PeerState,
        context: &mut Context<'_>,
    ) {
        peer.taken[w] = [0; PORTS];
        let mut routers = self.blocks[w].units();
        while routers != 0 {
            let lane = routers.trailing_zeros() as usize;
            routers &= routers - 1;
            let taken = self.join_heads(w * LANES + lane, peer, context);
            for (out, lanes) in peer.taken[w].iter_mut().enumerate() {
                *lanes |= u64::from(taken >> out & 1) << lane;
            }
        }
    }

    /// Merges contributions whose siblings all stand at FIFO heads. Returns the outputs used.
    fn join_heads(&mut self, r: usize, peer: &mut PeerState, context: &mut Context<'_>) -> u8 {
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
            if !self.siblings_stand(r, expected, flit) {
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
                peer.joined.push((r as u32, out as u8, merged));
            }
        }
        self.offer_result(r, here, reduces, context);
        self.consume(r, consumed);
        taken
    }

    /// Do the heads of all `expected` inputs belong to the same transaction, kind and beat?
    fn siblings_stand(&self, r: usize, expected: u8, flit: Flit) -> bool {
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
        let resp = heads().map(Flit::resp).max().unwrap_or(0);
        Flit { payload, ..flit }.with_resp(resp)
    }

    /// The merges of this cycle enter their output FIFOs.
    pub(crate) fn commit_joined(&mut self, peer: &mut PeerState) {
        for (r, out, flit) in peer.joined.drain(..) {
            self.push_output(r as usize, out as usize, flit);
        }
    }

    /// Heads that have been merged leave their inputs.
    fn consume(&mut self, r: usize, inputs: u8) {
        let block = &mut self.blocks[r / LANES];
        for p in (0..PORTS).filter(|p| inputs >> p & 1 != 0) {
            block.join_heads[p] &= !(1 << (r % LANES));
            block.popped[p] |= 1 << (r % LANES);
        }
    }

    /// Inputs whose contribution a waiting head still misses, for diagnosis.
    pub(crate) fn missing_siblings(&self, r: usize, input: usize, trees: &Trees) -> u8 {
        let flit = self.input_head(r, input);
        let tree = trees.tree(flit.txn);
        let expected = join_set(self.coord(r), tree.set, tree.root);
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
