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

use crate::router::behaviour::Behaviour;
use crate::router::collective::context::Context;
use crate::router::collective::control::block::{LANES, LOCAL};
use crate::router::collective::plane::PlaneState;
use crate::transport::flit::{Flit, FlitKind, MULTICAST, OWN_COPY, unpack};
use gathered::Gathered;
use noccl_net::Coord;
use noccl_net::capabilities::RouterCapabilities;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The interfaces are those of the default flow, which need no credits, as the crossbar has space for every operand.
pub(crate) const fn behaviour(can: &RouterCapabilities) -> Behaviour {
    Behaviour {
        has_credits: false,
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
    pub(crate) fn new(tiles: usize, height: u16) -> Self {
        Self {
            height: usize::from(height),
            sent: Vec::new(),
            queues: vec![VecDeque::new(); tiles],
            waiting: BTreeSet::new(),
            sums: BTreeMap::new(),
            gathered: Gathered::default(),
            entered: vec![0; tiles],
        }
    }

    /// An interface sends a flit.
    pub(crate) fn send(&mut self, tile: usize, flit: Flit) {
        self.sent.push((tile as u32, flit));
    }

    /// Flits that have entered each interface that any has entered: tile, Local, flits.
    pub(crate) fn loads(&self) -> Vec<(usize, usize, u32)> {
        let loads = self.entered.iter().enumerate();
        let used = loads.filter(|(_, flits)| **flits > 0);
        used.map(|(tile, flits)| (tile, LOCAL, *flits)).collect()
    }

    /// Element operations so far, for energy.
    pub(crate) const fn added_elements(&self) -> u64 {
        self.gathered.added_elements
    }

    const fn tile_at(&self, at: Coord) -> usize {
        at.x as usize * self.height + at.y as usize
    }

    /// Puts what was sent in the last cycle, and the sums that are done, in front of the interfaces.
    fn distribute(&mut self, coords: &[u32], context: &mut Context<'_>) {
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

    /// The next flit for an interface.
    fn next(&mut self, tile: u32) -> Option<Flit> {
        let queue = &mut self.queues[tile as usize];
        let flit = queue.pop_front()?;
        if queue.is_empty() {
            self.waiting.remove(&tile);
        }
        self.entered[tile as usize] += 1;
        Some(flit)
    }

    /// Tiles where a sum will be needed.
    fn summing(&self) -> impl Iterator<Item = usize> + '_ {
        let sums = self.sums.values().flatten();
        sums.map(|sum| self.tile_at(unpack(sum.dst)))
    }
}

impl PlaneState {
    /// A cycle of the crossbar, if there is one: one flit to each interface. A plane is idle as long as none of its blocks is
    /// active, so those stay so where something waits or will come.
    pub(crate) fn cross(&mut self, context: &mut Context<'_>) {
        let Some(mut crossbar) = self.joins.crossbar.take() else {
            return;
        };
        crossbar.distribute(&self.coords, context);
        let able = crossbar.waiting.iter().copied();
        let able: Vec<u32> = able
            .filter(|tile| !self.is_full(*tile as usize, false, LOCAL))
            .collect();
        for tile in able {
            if let Some(flit) = crossbar.next(tile) {
                self.push_output(tile as usize, LOCAL, flit);
                self.flit_hops += 1;
            }
        }
        for tile in crossbar.summing() {
            self.active.insert(tile / LANES);
        }
        self.joins.crossbar = Some(crossbar);
        self.offer_local();
    }

    /// All Local outputs with a flit offer it: one list, in ascending order, whatever the partitions are.
    fn offer_local(&mut self) {
        for partition in &mut self.partitions {
            partition.offering.clear();
        }
        for w in 0..self.blocks.len() {
            if self.local_offers(w) != 0 {
                self.active.insert(w);
                if let Some(first) = self.partitions.first_mut() {
                    first.offering.push(w as u32);
                }
            }
        }
    }
}
