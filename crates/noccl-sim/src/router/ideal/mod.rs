// SPDX-License-Identifier: Apache-2.0
//! An ideal crossbar in place of the routers of a plane (`docs/design/0009-ideal.md`).
//!
//! A flit that an interface sends in one cycle stands in front of every interface that it goes to in the next one. The
//! crossbar takes whatever comes; only the interfaces limit it, one flit per cycle and plane into and out of each. What
//! stands in front of an interface waits in an unlimited queue, in the order in which it came, of one cycle in the order of
//! the senders' tiles. Contributions wait in [`Gathered`] until all have come.
//!
//! Interfaces see a plane as they always do: they take flits from its Local outputs, two slots behind the queues.

mod gathered;

use crate::router::Direct;
use crate::router::behaviour::Behaviour;
use crate::router::collective::context::Context;
use crate::router::collective::control::block::LOCAL;
use crate::router::direct::DirectNetwork;
use crate::transport::flit::{Flit, FlitKind, MULTICAST, OWN_COPY, unpack};
use gathered::Gathered;
use noccl_net::capabilities::RouterCapabilities;
use noccl_net::{Coord, Network};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The interfaces are those of the default flow, which need no credits, as the crossbar has space for every operand.
pub(crate) const fn behaviour(can: &RouterCapabilities) -> Behaviour {
    Behaviour {
        has_credits: false,
        direct: Some(|network| Direct::Ideal(Box::new(Crossbar::new(network)))),
        ..crate::router::collective::behaviour(can)
    }
}

/// The crossbar of one plane.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Crossbar {
    height: usize,
    /// What interfaces have sent in the last cycle, with their tiles.
    sent: Vec<(u32, Flit)>,
    /// In front of each tile's interface.
    queues: Vec<VecDeque<Flit>>,
    /// Tiles whose queue is not empty.
    waiting: BTreeSet<u32>,
    /// Sums that are being added, by the cycle in which they are done.
    sums: BTreeMap<u64, Vec<Flit>>,
    gathered: Gathered,
    /// Flits that have entered each interface.
    entered: Vec<u32>,
}

impl Crossbar {
    pub(crate) fn new(network: &Network) -> Self {
        let tiles = network.num_tiles();
        Self {
            height: usize::from(network.height()),
            sent: Vec::new(),
            queues: vec![VecDeque::new(); tiles],
            waiting: BTreeSet::new(),
            sums: BTreeMap::new(),
            gathered: Gathered::default(),
            entered: vec![0; tiles],
        }
    }

    const fn tile_at(&self, at: Coord) -> usize {
        at.x as usize * self.height + at.y as usize
    }

    /// A contribution to a reduction. What needs no addition goes on at once.
    fn fold(&mut self, flit: Flit, context: &mut Context<'_>) -> Option<Flit> {
        let (sum, add_cycles) = self.gathered.fold(flit, context)?;
        if add_cycles == 0 {
            return Some(sum);
        }
        let done = self.sums.entry(context.cycle + u64::from(add_cycles));
        done.or_default().push(sum);
        None
    }

    /// One copy for every member, without the sender's if that has its own.
    fn copy(&mut self, flit: Flit, from: u32, context: &mut Context<'_>) {
        let has_own = flit.flags & OWN_COPY != 0;
        let mut copies = 0;
        for member in context.trees.set(flit.txn).members() {
            if !(has_own && member == unpack(from)) {
                self.queue(member, flit);
                copies += 1;
            }
        }
        if context.is_value && flit.kind == FlitKind::Write {
            context.pool.share(flit.payload, copies - 1);
        }
    }

    fn queue(&mut self, to: Coord, flit: Flit) {
        let tile = self.tile_at(to);
        self.queues[tile].push_back(flit);
        self.waiting.insert(tile as u32);
    }
}

impl DirectNetwork for Crossbar {
    fn send(&mut self, tile: usize, flit: Flit) {
        self.sent.push((tile as u32, flit));
    }

    /// Puts what was sent in the last cycle, and the sums that are done, in front of the interfaces.
    fn advance(&mut self, coords: &[u32], context: &mut Context<'_>) {
        let mut sent = std::mem::take(&mut self.sent);
        for (tile, flit) in sent.drain(..) {
            let ready = match flit.kind {
                FlitKind::CollectB | FlitKind::Barrier => self.gathered.count(flit, context.trees),
                FlitKind::Reduce => self.fold(flit, context),
                FlitKind::Write
                | FlitKind::WriteHead
                | FlitKind::ReadRequest
                | FlitKind::ReadData
                | FlitKind::Response
                | FlitKind::ReduceResponse
                | FlitKind::Atomic
                | FlitKind::ReduceHead
                | FlitKind::NarrowWrite
                | FlitKind::BarrierHead
                | FlitKind::Credit
                | FlitKind::Result => Some(flit),
            };
            match ready {
                Some(flit) if flit.flags & MULTICAST != 0 => {
                    self.copy(flit, coords[tile as usize], context);
                }
                Some(flit) => self.queue(unpack(flit.dst), flit),
                None => {}
            }
        }
        self.sent = sent;
        for sum in self.sums.remove(&context.cycle).into_iter().flatten() {
            self.queue(unpack(sum.dst), sum);
        }
    }

    fn waiting(&self) -> &BTreeSet<u32> {
        &self.waiting
    }

    fn take(&mut self, tile: u32) -> Option<Flit> {
        let queue = &mut self.queues[tile as usize];
        let flit = queue.pop_front()?;
        if queue.is_empty() {
            self.waiting.remove(&tile);
        }
        self.entered[tile as usize] += 1;
        Some(flit)
    }

    /// Tiles where a sum will be needed.
    fn due(&self) -> Vec<usize> {
        let sums = self.sums.values().flatten();
        sums.map(|sum| self.tile_at(unpack(sum.dst))).collect()
    }

    fn loads(&self) -> Vec<(usize, usize, u32)> {
        let loads = self.entered.iter().enumerate();
        let used = loads.filter(|(_, flits)| **flits > 0);
        used.map(|(tile, flits)| (tile, LOCAL, *flits)).collect()
    }

    fn added_elements(&self) -> u64 {
        self.gathered.added_elements
    }
}
