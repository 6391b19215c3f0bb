// SPDX-License-Identifier: Apache-2.0
//! Multicasts over the static network: when each member has read the last word.
//!
//! A word leaves the FIFO of a router over all selected outputs at once. So the last one waits for the member that begins last, but for what the
//! FIFOs before it hold. With r the cycle in which a member's route is written and W words: up the tree from the leaves, the last word leaves the FIFO
//! of a member not before r + W − 1 − P (P words stand between router and core), and not before it leaves a child's FIFO less the F words
//! that stand there; then down the tree, a cycle later at each hop.

use super::Walk;
use super::core::Doing;
use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, LinkId, Port};
use noccl_spec::PlaneName;
use noccl_workload::{Rectangle, StaticMulticast};
use std::collections::BTreeMap;

/// A multicast that has begun: when routes are written, and how many members have not begun.
#[derive(Debug)]
pub(super) struct Stream {
    open: u32,
    ready: Vec<(u32, u64)>,
}

impl Stream {
    pub(super) const fn new(members: u32) -> Self {
        Self {
            open: members,
            ready: Vec::new(),
        }
    }
}

impl Walk<'_> {
    /// A member begins its share; its end, if it is the last one to begin.
    pub(super) fn join_stream(
        &mut self,
        action: u32,
        share: u32,
        tile: usize,
        now: u64,
    ) -> Option<u64> {
        let ready = now + u64::from(self.spec.route_cycles);
        let stream = self.streams[action as usize].as_mut()?;
        stream.ready.push((share, ready));
        stream.open -= 1;
        if stream.open > 0 {
            return None;
        }
        let stream = self.streams[action as usize].take()?;
        let sent = self.schedule.actions[action as usize]
            .kind
            .static_multicast()?;
        let mut own = None;
        for (share, end) in self.ends(sent, &stream.ready) {
            let other = self.program.instances.all[share].tile.idx();
            if other == tile {
                own = Some(end);
            } else if let Doing::Stream { end: known, .. } = &mut self.cores[other].doing {
                *known = Some(end.max(now));
                self.pause_reading(other, now);
                self.set_alarm(other);
            }
        }
        own
    }

    /// When each member's share ends.
    fn ends(&self, sent: &StaticMulticast, ready: &[(u32, u64)]) -> Vec<(u32, u64)> {
        let (network, routers) = (self.network, &self.tiles.router.static_network);
        let Some(root) = network.find(sent.source.tile) else {
            return Vec::new();
        };
        let root = network.coord(root);
        let place = |at: Coord| {
            usize::from(at.x - sent.set.x) * usize::from(sent.set.height)
                + usize::from(at.y - sent.set.y)
        };
        let fifo = u64::from(routers.input_fifo_flits);
        let mut order: Vec<Coord> = members(sent.set).collect();
        order.sort_by_key(|at| (at.x.abs_diff(root.x), at.y.abs_diff(root.y)));
        let serial = (self.stream_words(sent, root) - 1) * self.spec.written_word_cycles();
        let mut routes = vec![0; order.len()];
        for (share, cycle) in ready {
            let at = network.coord(self.program.instances.all[*share].tile);
            routes[place(at)] = *cycle;
        }
        let port = u64::from(routers.port_fifo_words);
        let mut leaves: Vec<u64> = routes
            .iter()
            .map(|r| (r + serial).saturating_sub(port))
            .collect();
        leaves[place(root)] = routes[place(root)] + serial + 1;
        for at in order.iter().rev().filter(|at| **at != root) {
            let (parent, own) = (place(towards(root, *at)), leaves[place(*at)]);
            leaves[parent] = leaves[parent].max(own.saturating_sub(fifo));
        }
        for at in order.iter().filter(|at| **at != root) {
            let above = leaves[place(towards(root, *at))] + 1;
            leaves[place(*at)] = leaves[place(*at)].max(above);
        }
        let ends = ready.iter().map(|(share, _)| {
            let at = network.coord(self.program.instances.all[*share].tile);
            let left = leaves[place(at)];
            let read = (routes[place(at)] + serial).max(left + 1) + self.spec.read_word_cycles();
            (*share, if at == root { left + 1 } else { read })
        });
        ends.collect()
    }
}

impl Walk<'_> {
    /// Words that travel, those that the root adds with them.
    fn stream_words(&self, sent: &StaticMulticast, root: Coord) -> u64 {
        let routers = &self.tiles.router.static_network;
        let words = sent.bytes.div_ceil(noccl_spec::WORD_BYTES.into());
        let hops = max_or_zero(members(sent.set).map(|at| root.hops_to(at)));
        let least = u64::from(routers.input_fifo_flits) * u64::from(hops) + 1;
        if routers.pads_streams {
            words.max(least)
        } else {
            words
        }
    }

    /// Links of the static network with their words, ascending by tile and port.
    pub(super) fn static_loads(&self) -> BTreeMap<LinkId, u64> {
        let mut loads = BTreeMap::new();
        for action in &self.schedule.actions {
            let sent = action.kind.static_multicast().filter(|sent| sent.bytes > 0);
            let found = sent.and_then(|sent| Some((sent, self.network.find(sent.source.tile)?)));
            let Some((sent, root)) = found else {
                continue;
            };
            let root = self.network.coord(root);
            let words = self.stream_words(sent, root);
            for at in members(sent.set).filter(|at| *at != root) {
                let from = towards(root, at);
                let link = LinkId::new(
                    PlaneName::Static,
                    self.network.tile_at(from),
                    port(from, at),
                );
                *loads.entry(link).or_insert(0) += words;
            }
        }
        loads
    }
}

/// Output towards a neighbour.
const fn port(from: Coord, to: Coord) -> Port {
    if to.x > from.x {
        Port::East
    } else if to.x < from.x {
        Port::West
    } else if to.y > from.y {
        Port::North
    } else {
        Port::South
    }
}

/// The member before one on the path from the root: over the root's column, then along the row (S4 §2).
fn towards(root: Coord, at: Coord) -> Coord {
    let step = |from: u16, to: u16| if to > from { from + 1 } else { from - 1 };
    if at.x == root.x {
        Coord::new(at.x, step(at.y, root.y))
    } else {
        Coord::new(step(at.x, root.x), at.y)
    }
}

fn members(set: Rectangle) -> impl Iterator<Item = Coord> {
    let columns = set.x..set.x + set.width;
    columns.flat_map(move |x| (set.y..set.y + set.height).map(move |y| Coord::new(x, y)))
}
