// SPDX-License-Identifier: Apache-2.0
//! Global allocation and traversal: how far each granted flit goes in a cycle, and where it leaves copies.
//!
//! The flit is latched two cycles after its path has been found: it crosses the links in the next one.

use super::numbers::{MULTICAST, Numbers, PORTS, opposite, towards};
use super::packet::{Combining, Kind};
use super::plane::{Grant, Latched, Plane};

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

impl Plane {
    /// Finds the paths of all grants.
    pub(super) fn traverse(&mut self) {
        let mut grants = std::mem::take(&mut self.grants);
        for grant in grants.drain(..) {
            let path = self.path(grant);
            let hops = if self.leaves_nothing(path) {
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

    /// A grant whose request has won so many links.
    pub(super) fn traverse_won(&mut self, grant: Grant, won: u32) {
        let path = self.path(grant);
        if self.leaves_nothing(path) {
            self.arrive(path, won);
        } else {
            self.fly_by_hop(path, |_, _, hops| hops < won);
        }
        self.cross(path, won);
    }

    /// A single flit that leaves and takes nothing where it passes.
    #[inline]
    fn leaves_nothing(&self, path: Path) -> bool {
        path.flits == 1 && !path.is_tree && !self.is_counted(path) && !self.joins_in_flight(path)
    }

    pub(super) fn path(&self, grant: Grant) -> Path {
        let (input, channel) = (
            grant.channel as usize / self.n.channels(),
            grant.channel as usize % self.n.channels(),
        );
        let (tile, out) = (input / PORTS, usize::from(grant.out));
        let packet = &self.packets[grant.packet as usize];
        let class = self.link_class(grant.packet, tile, channel / self.n.vcs, out);
        let is_tree = match packet.kind {
            Kind::Unicast | Kind::Contribution => false,
            Kind::Tree => true,
            Kind::ToCorner => class != MULTICAST,
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
            Kind::Unicast | Kind::Tree | Kind::ToCorner => self.n.hpc_max,
            Kind::Contribution => {
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
        packet.kind == Kind::Contribution && self.reductions[packet.of as usize].id.is_some()
    }

    /// Does it take along what it finds buffered?
    fn joins_in_flight(&self, path: Path) -> bool {
        let packet = &self.packets[path.grant.packet as usize];
        self.n.joins_in_flight && packet.kind == Kind::Contribution
    }

    /// A single flit that leaves no copy: the end is the first bit of the line's masks.
    #[inline]
    fn fly_at_once(&mut self, path: Path) -> u32 {
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
        let hops = u32::from(wanted)
            .min(path.most)
            .min(ahead.trailing_zeros() + 1);
        self.arrive(path, hops);
        hops
    }

    /// It is latched so many hops away.
    #[inline]
    fn arrive(&mut self, path: Path, hops: u32) {
        let Path {
            grant, tile, out, ..
        } = path;
        let far = hops as usize;
        let end = match out {
            0 => tile + far,
            1 => tile + far * self.n.height as usize,
            2 => tile - far,
            _ => tile - far * self.n.height as usize,
        };
        let channel = if hops == 1 {
            grant.taken as usize
        } else {
            self.channels.give_back(&self.n, grant.taken as usize);
            self.channels.take(&self.n, end, opposite(out), path.class)
        };
        let outputs = self.outputs_at(grant.packet, end, path.class);
        self.channels.hold(channel, grant.packet, outputs);
        self.latch_later(channel, 1);
    }

    fn latch_later(&mut self, channel: usize, come: u16) {
        let channel = channel as u32;
        let due = self.due_in(LATCH_CYCLES);
        due.latched.push(Latched { channel, come });
    }

    /// Hop by hop: copies, channels of longer packets, contributions that are combined.
    fn fly_by_hop(&mut self, path: Path, goes_on: impl Fn(&Self, usize, u32) -> bool) -> u32 {
        let (mut at, mut hops) = (path.tile, 0);
        loop {
            at = self.n.next(at, path.out);
            hops += 1;
            let passes = goes_on(self, at, hops);
            if path.is_first {
                self.reach_first(path, at, hops, passes);
            } else {
                self.reach_later(path, at, hops, passes);
            }
            if passes {
                self.pass_contribution(path, at);
                continue;
            }
            let from = path.grant.channel as usize;
            if path.flits > 1 && self.channels.packet[from] == path.grant.packet {
                self.channels.follow[from][path.out] = hops as u8;
                self.channels.owned[from] |= 1 << path.out;
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
    fn reach_first(&mut self, path: Path, at: usize, hops: u32, passes: bool) {
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
        if !is_kept {
            if hops == 1 {
                self.channels.give_back(&self.n, grant.taken as usize);
                self.let_go_taken(id);
            }
            return;
        }
        let channel = if hops == 1 {
            grant.taken as usize
        } else {
            self.packets[id as usize].holders += 1;
            self.channels.take(&self.n, at, opposite(out), class)
        };
        self.channels.hold(channel, id, outputs);
        self.latch_later(channel, 1);
    }

    /// The neighbour's channel is not needed. The packet goes on, so it has another holder or gets one further on.
    fn let_go_taken(&mut self, id: u32) {
        self.packets[id as usize].holders -= 1;
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
            self.channels.outputs[channel] |= 1 << out;
            self.channels.owned[channel] |= 1 << out;
            self.channels.next_flit[channel][out] = grant.flit;
            self.channels.follow[channel][out] = (follow - hops) as u8;
        }
        self.latch_later(channel, grant.flit + 1);
    }

    /// A contribution takes along what a router has combined if it is the last one, or, greedily, one that is buffered there.
    fn pass_contribution(&mut self, path: Path, at: usize) {
        let packet = self.packets[path.grant.packet as usize];
        if packet.kind != Kind::Contribution {
            return;
        }
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

    fn has_operand(&self, path: Path) -> bool {
        let packet = &self.packets[path.grant.packet as usize];
        packet.kind == Kind::Contribution
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
        self.loads.add(path.out, line, bit, hops);
        if path.grant.flit > 0 || self.has_operand(path) {
            self.loads.payload_hops += u64::from(hops);
        }
    }
}
