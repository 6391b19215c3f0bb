// SPDX-License-Identifier: Apache-2.0
//! Global allocation and traversal: how far each granted flit goes in a cycle, and where it leaves copies.
//!
//! The flit is latched two cycles after its path has been found: it crosses the links in the next one.

use super::numbers::{MULTICAST, Numbers, PORTS, opposite, towards};
use super::packet::{Combining, PacketKind};
use super::plane::{Grant, Latched, SmartPlane};

/// From the cycle that finds a path to the one in which the flit asks for its next output.
const LATCH_CYCLES: u32 = 2;

/// A path while it is found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    grant: Grant,
    pub(super) tile: usize,
    pub(super) out: usize,
    /// Class of the channels behind the links.
    class: usize,
    is_first: bool,
    is_tree: bool,
    flits: u16,
    /// Most hops.
    pub(super) most: u32,
}

impl SmartPlane {
    /// Finds the paths of all grants.
    pub(super) fn traverse(&mut self) {
        let mut grants = std::mem::take(&mut self.grants);
        for grant in grants.drain(..) {
            let path = self.path(grant);
            let hops = if path.flits == 1 && !path.is_tree {
                self.fly_at_once(path)
            } else {
                self.fly_by_hop(path, |plane, at, hops| {
                    hops < path.most && plane.passes(path, at, hops)
                })
            };
            self.cross(path, hops);
        }
        self.grants = grants;
    }

    /// A grant whose request has won so many links, and so has nothing to end for on them.
    pub(super) fn traverse_won(&mut self, grant: Grant, won: u32) {
        let path = self.path(grant);
        if path.flits == 1 && !path.is_tree {
            if self.is_counted(path) || self.joins_in_flight(path) {
                self.gather_along(path, won, false);
            }
            self.arrive(path, won);
        } else {
            self.fly_by_hop(path, |_, _, hops| hops < won);
        }
        self.cross(path, won);
    }

    pub(super) fn path(&self, grant: Grant) -> Path {
        let from = grant.channel as usize;
        let (tile, out) = (self.n.input(from) / PORTS, usize::from(grant.out));
        let packet = &self.packets[grant.packet as usize];
        let here = self.n.class(self.n.channel_bit(from));
        let class = self.link_class(grant.packet, tile, here, out);
        let is_tree = match packet.kind {
            PacketKind::Unicast | PacketKind::Contribution => false,
            PacketKind::Tree => true,
            PacketKind::ToCorner => class != MULTICAST,
        };
        Path {
            grant,
            tile,
            out,
            class,
            is_first: grant.follow == 0,
            is_tree,
            flits: packet.flits,
            most: self.most_hops(grant.packet),
        }
    }

    /// Contributions that are combined in flight have a bound of their own.
    fn most_hops(&self, id: u32) -> u32 {
        let packet = &self.packets[id as usize];
        match packet.kind {
            PacketKind::Unicast | PacketKind::Tree | PacketKind::ToCorner => self.n.hpc_max,
            PacketKind::Contribution => {
                let reduction = &self.reductions[packet.of as usize];
                if reduction.id.is_some() || self.n.joins_in_flight {
                    reduction.hpc_max
                } else {
                    self.n.hpc_max
                }
            }
        }
    }

    /// Do routers count it?
    fn is_counted(&self, path: Path) -> bool {
        let packet = &self.packets[path.grant.packet as usize];
        packet.kind == PacketKind::Contribution && self.reductions[packet.of as usize].id.is_some()
    }

    /// Does it take along what it finds buffered?
    fn joins_in_flight(&self, path: Path) -> bool {
        let packet = &self.packets[path.grant.packet as usize];
        self.n.joins_in_flight && packet.kind == PacketKind::Contribution
    }

    /// A single flit that leaves no copy.
    #[inline]
    fn fly_at_once(&mut self, path: Path) -> u32 {
        let far = self.reach(path);
        let is_counted = self.is_counted(path);
        let hops = if is_counted || self.joins_in_flight(path) {
            self.gather_along(path, far, is_counted)
        } else {
            far
        };
        self.arrive(path, hops);
        hops
    }

    /// Hops to where it ends at the latest, which is the first bit of the line's masks.
    #[inline]
    fn reach(&self, path: Path) -> u32 {
        let Path {
            grant, tile, out, ..
        } = path;
        let here = self.channels.places[tile];
        let to = self.channels.places[self.packets[grant.packet as usize].target as usize];
        let wanted = if super::numbers::is_along_row(out) {
            here.x.abs_diff(to.x)
        } else {
            here.y.abs_diff(to.y)
        };
        let line = Numbers::line(here, out);
        let closed = self.channels.closed[(out * self.n.classes + path.class) * 64 + line];
        let blocked = self.barred[out * 64 + line] | closed;
        let ahead = blocked >> Numbers::bit(here, out) >> 1;
        u32::from(wanted)
            .min(path.most)
            .min(ahead.trailing_zeros() + 1)
    }

    /// A contribution takes along what it finds, and ends where others have still to come.
    fn gather_along(&mut self, path: Path, far: u32, may_end: bool) -> u32 {
        let of = self.packets[path.grant.packet as usize].of;
        let mut at = path.tile;
        for hops in 1..far {
            at = self.n.next(at, path.out);
            if may_end && !self.is_last_at(of, at) {
                return hops;
            }
            self.pass_contribution(path, at);
        }
        far
    }

    /// It is latched so many hops away.
    #[inline]
    fn arrive(&mut self, path: Path, hops: u32) {
        let end = self.n.along(path.tile, path.out, hops as usize);
        let outputs = self.outputs_at(path.grant.packet, end, path.class);
        self.keep(path, end, outputs);
    }

    fn latch_later(&mut self, channel: usize, come: u16) {
        let channel = channel as u32;
        let due = self.due_in(LATCH_CYCLES);
        due.latched.push(Latched { channel, come });
    }

    /// Hop by hop: copies, and channels of longer packets.
    fn fly_by_hop(&mut self, path: Path, goes_on: impl Fn(&Self, usize, u32) -> bool) -> u32 {
        let (mut at, mut hops) = (path.tile, 0);
        loop {
            at = self.n.next(at, path.out);
            hops += 1;
            let passes = goes_on(self, at, hops);
            if path.is_first {
                self.reach_first(path, at, passes);
            } else {
                self.reach_later(path, at, hops, passes);
            }
            if passes {
                continue;
            }
            let from = path.grant.channel as usize;
            if path.flits > 1 && self.channels.held[from].packet == path.grant.packet {
                self.channels.held[from].follow[path.out] = hops as u8;
                self.channels.held[from].owned |= 1 << path.out;
            }
            return hops;
        }
    }

    /// Does a path go on at a tile?
    pub(super) fn passes(&self, path: Path, at: usize, hops: u32) -> bool {
        let Path {
            grant, out, class, ..
        } = path;
        let packet = &self.packets[grant.packet as usize];
        let places = &self.channels.places;
        let is_straight = if path.is_tree {
            self.trees[packet.of as usize].ports[at] >> out & 1 == 1
        } else {
            towards(places[at], places[packet.target as usize]) == out
        };
        let line = out * 64 + Numbers::line(places[at], out);
        if !is_straight || self.barred[line] >> Numbers::bit(places[at], out) & 1 == 1 {
            return false;
        }
        if !path.is_first {
            return hops < u32::from(grant.follow);
        }
        let is_open = self.channels.open[at * self.n.classes + class] >> out & 1 == 1;
        is_open && (!self.is_counted(path) || self.is_last_at(packet.of, at))
    }

    /// The first flit of a packet passes a tile or is latched there.
    fn reach_first(&mut self, path: Path, at: usize, passes: bool) {
        let Path {
            grant, out, class, ..
        } = path;
        let id = grant.packet;
        let mut outputs = 0;
        if !passes {
            outputs = self.outputs_at(id, at, class);
        } else if path.is_tree {
            outputs = self.outputs_at(id, at, class) & !(1 << out);
        }
        let is_kept = outputs != 0 || path.flits > 1 || !passes;
        if is_kept {
            self.keep(path, at, outputs);
        }
    }

    /// A packet takes a channel of a router on its path.
    #[inline]
    fn keep(&mut self, path: Path, at: usize, outputs: u8) {
        let id = path.grant.packet;
        self.packets[id as usize].holders += 1;
        let port = opposite(path.out);
        let channel = self.channels.take(&self.n, at, port, path.class);
        self.channels.hold(channel, id, outputs);
        self.latch_later(channel, 1);
    }

    /// A later flit: all routers up to where the one before was latched have a channel of the packet.
    fn reach_later(&mut self, path: Path, at: usize, hops: u32, passes: bool) {
        let Path { grant, out, .. } = path;
        let port = opposite(out);
        let channel = self.channels.find(&self.n, at, port, grant.packet);
        let channel = channel.expect("a packet owns channels until its tail");
        let follow = u32::from(grant.follow);
        if !passes && hops < follow {
            // It ends before the others: from here on the rest of the packet goes by itself.
            self.channels.held[channel].outputs |= 1 << out;
            self.channels.held[channel].owned |= 1 << out;
            self.channels.held[channel].next_flit[out] = grant.flit;
            self.channels.held[channel].follow[out] = (follow - hops) as u8;
        }
        self.latch_later(channel, grant.flit + 1);
    }

    /// A contribution takes along what a router has combined if it is the last one, or, greedily, one that is buffered there.
    fn pass_contribution(&mut self, path: Path, at: usize) {
        let packet = &self.packets[path.grant.packet as usize];
        let reduction = &self.reductions[packet.of as usize];
        if let Some(id) = reduction.id {
            let leaves = self
                .table
                .finish(at, id, path.grant.packet, reduction.combining);
            self.packets[path.grant.packet as usize].leaves += leaves;
        } else if self.n.joins_in_flight {
            self.take_along(path.grant.packet, at, path.out);
        }
    }

    pub(super) fn has_operand(&self, id: u32) -> bool {
        let packet = &self.packets[id as usize];
        packet.kind == PacketKind::Contribution
            && self.reductions[packet.of as usize].combining != Combining::Count
    }

    /// Links that are crossed in a cycle, each once.
    fn cross(&mut self, path: Path, hops: u32) {
        assert!(
            hops >= 1 && hops <= self.n.hpc_max,
            "a path is longer than a cycle"
        );
        let place = self.channels.places[path.tile];
        let (line, bit) = (
            Numbers::line(place, path.out),
            Numbers::bit(place, path.out),
        );
        let links = (u64::MAX >> (64 - hops)) << bit;
        if let Some(slots) = &self.slots {
            let driven = slots.links(self.cycle + 1, path.out, line);
            assert!(driven & links == 0, "a flit crosses a link of a slot");
        }
        let crossed = &mut self.crossed[path.out * 64 + line];
        assert!(*crossed & links == 0, "two flits cross one link in a cycle");
        *crossed |= links;
        let flit = (path.grant.packet, path.grant.flit);
        self.record_crossings((path.tile, path.out), hops, flit);
        self.loads.add(path.out, line, bit, hops);
        if path.grant.flit > 0 || self.has_operand(path.grant.packet) {
            self.loads.payload_hops += u64::from(hops);
        }
    }
}
