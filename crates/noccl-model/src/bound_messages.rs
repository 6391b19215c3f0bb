// SPDX-License-Identifier: Apache-2.0
//! Lower bounds where interfaces exchange messages over routers that flits pass without being latched
//! (`docs/design/0010-smart.md`).
//!
//! With H = `hpc_max`, s = `setup_cycles` and dx, dy hops, P = ⌈dx/H⌉ + ⌈dy/H⌉ paths lie between two tiles. A message that is alone takes
//! a + b P cycles from interface to interface: a = 2 + s of them into the network and out of it, and b = 1 + s for each path. The least
//! that a copy of a multicast takes for a path is c = b, or one cycle where all routers keep a slot free for it. An
//! interface sends what a message causes in the cycle after it. n flits of payload, without heads.
//!
//! - *Multicast*: n - 1, and a copy at the farthest member, a + c P: a destination of a delivery waits for no acknowledgement.
//! - *Reduce*: n - 1, and as the root tells all members when it has the result (only the network adds here): (a + b P') + 1 + (a + c P), or
//!   over a relay (2 a + b P') + 1 + 1 + (a + c). P' are the paths of contributions, which may be shorter where routers combine what passes.
//! - *Barrier*: of the two members that are farthest apart, each must hear of the other: a + c P', with the larger H of copies and arrivals.
//! - *All-reduce*: n - 1 and a + c P between the members that are farthest apart.
//! - *Scatter*, *gather*: n - 1 of a block, and a + c P between the root and its farthest member; or all flits of the root's port, as with
//!   blocks. *Scan*: as all-reduce. *Custom*: the flits of the busiest port.
//! - *Blocks*: the same of the n flits of one block. Or all flits of the busiest port or cut, of which the last one goes
//!   over one path at least: their number - 1 + (a + c).
//!
//! Over wires between any two interfaces a is one cycle and paths take none; flits that leave an interface together count as one.
//!
//! Data never come sooner over relays, as paths of their messages together are not fewer, and each message takes a. So the bounds hold for
//! every algorithm that moves a contributor's flits by one kind of message, as those of transactions do.

use crate::bound_class::{BoundClass, Port, Span};
use noccl_net::capabilities::MessageCycles;
use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, Network, TileId};
use noccl_workload::{Collective, Operator};

/// Messages of a collective.
pub(crate) struct Messages<'n> {
    pub network: &'n Network,
    pub of: MessageCycles,
    /// Flits of its payload, or of a block.
    pub beats: u64,
}

impl Messages<'_> {
    /// Of a collective in which something has to leave a tile, with so many flits at the busiest port or cut.
    pub(crate) fn lower_bound(
        &self,
        collective: &Collective,
        members: &[TileId],
        root: TileId,
        payload: u64,
    ) -> u64 {
        let places: Vec<Coord> = members.iter().map(|m| self.network.coord(*m)).collect();
        let root = self.network.coord(root);
        let (behind, payload) = if self.of.is_serial {
            (self.beats.saturating_sub(1), payload)
        } else {
            (0, 0)
        };
        let farthest =
            |cycles: &dyn Fn(Coord) -> u64| max_or_zero(places.iter().map(|at| cycles(*at)));
        let class = BoundClass::of(collective.kind);
        let path = match class.span {
            Span::Root if collective.kind.reduces() => {
                let hpc_max = self.combining_hpc_max(collective.operator);
                farthest(&|at| self.reduced(at, root, hpc_max))
            }
            Span::Root => farthest(&|at| self.copied(at, root)),
            Span::Members => self.exchanged(&places, self.of.hpc_max),
            Span::Defined => 0,
        };
        let last = payload.saturating_sub(1) + self.copy(1);
        match class.port {
            Port::Nothing => {
                let hpc_max = self.of.hpc_max.max(self.of.bitwise_hpc_max);
                self.exchanged(&places, hpc_max.max(self.of.arithmetic_hpc_max))
            }
            Port::Payload => behind + path,
            Port::OfRoot | Port::Blocks => last.max(behind + path),
            Port::Defined => last,
        }
    }

    /// One flit to a member.
    fn copied(&self, member: Coord, root: Coord) -> u64 {
        self.copy(self.paths(member, root))
    }

    /// One flit from a member, and the notice of the result.
    fn reduced(&self, member: Coord, root: Coord, hpc_max: u32) -> u64 {
        let to_root = self.message(MessageCycles::paths(member, root, hpc_max));
        let direct = to_root + 1 + self.copy(self.paths(member, root));
        direct.min(to_root + self.message(0) + 2 + self.copy(1))
    }

    /// One flit between two of the members that are farthest apart, over paths of so many hops.
    fn exchanged(&self, members: &[Coord], hpc_max: u32) -> u64 {
        let key = |sign: i32| move |at: &&Coord| i32::from(at.x) + sign * i32::from(at.y);
        let along = |sign: i32| {
            let low = members.iter().min_by_key(key(sign))?;
            let high = members.iter().max_by_key(key(sign))?;
            Some(MessageCycles::paths(*low, *high, hpc_max))
        };
        let paths = max_or_zero([along(1), along(-1)].into_iter().flatten());
        self.copy(paths)
    }

    const fn combining_hpc_max(&self, operator: Operator) -> u32 {
        if operator.is_bitwise() {
            self.of.bitwise_hpc_max
        } else {
            self.of.arithmetic_hpc_max
        }
    }

    fn paths(&self, from: Coord, to: Coord) -> u32 {
        MessageCycles::paths(from, to, self.of.hpc_max)
    }

    fn message(&self, paths: u32) -> u64 {
        u64::from(self.of.interface_cycles + self.of.path_cycles * paths)
    }

    /// The least of a message to several.
    fn copy(&self, paths: u32) -> u64 {
        u64::from(self.of.interface_cycles + self.of.multicast_path_cycles * paths)
    }
}
