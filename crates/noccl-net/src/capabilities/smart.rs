// SPDX-License-Identifier: Apache-2.0
//! S2's routers: flits pass several of them in a cycle. Forks go on by output, contributions are counted in a table and hold no
//! channel, so waits close no circle (`docs/design/0010-smart.md`).

use super::{
    Carries, MessageCycles, MulticastTrees, Multicasts, Reduces, RouterCapabilities, TreeKind,
};
use crate::deadlock::{
    BarrierCounters, Buffers, Forks, Joins, Mechanism, OperandStore, OrderClasses, ReadData,
    ReductionUnit, Responses,
};
use crate::elaborate::field;
use crate::{Coord, NetError, Network};
use noccl_spec::{AxiTiles, Mesh, SmartMulticast, SmartReduction, SmartRouter, SmartTree};

pub(super) static ROUTERS: RouterCapabilities = capabilities(true);

/// Wires between any two interfaces in their place.
static WIRES: RouterCapabilities = capabilities(false);

const fn capabilities(has_links: bool) -> RouterCapabilities {
    RouterCapabilities {
        carries: Carries::Messages,
        multicasts: Multicasts::AnySet,
        has_links,
        reduces: Reduces::AllInputs,
        joins_several: true,
        adds_in_fixed_order: false,
        shares_results: false,
        computes_in_memories: false,
        is_deadlock_free: true,
        address_flits: 0,
        returns_own_copy: false,
        lets_others_between: true,
        asks_one_destination: false,
        is_sequential: false,
        no_hardware: Some("routers that carry messages have RTL of their own, noccl_smart_mesh"),
        mechanism: Mechanism {
            buffers: Buffers::Channels(OrderClasses::Three),
            forks: Forks::PerOutput,
            joins: Joins::SetAside,
            operand_store: OperandStore::ByWindow,
            barrier_counters: BarrierCounters::WithinLimit,
            read_data: ReadData::Reserved,
            responses: Responses::Reserved,
            reduction_unit: ReductionUnit::BehindStore,
            extra_turns: Vec::new(),
        },
    }
}

/// Tiles of a line that routers with bypass look along at once.
const MAX_LINE: u32 = 64;

/// Rules of routers of which flits pass several in a cycle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bypass<'a> {
    smart: &'a SmartRouter,
}

impl<'a> Bypass<'a> {
    /// Those of a spec, if its routers have bypass.
    pub(crate) const fn of(axi: &'a AxiTiles) -> Option<Self> {
        match &axi.router.smart {
            Some(smart) => Some(Self { smart }),
            None => None,
        }
    }

    /// What they can do.
    pub(super) const fn capabilities(self) -> &'static RouterCapabilities {
        if self.smart.is_connected {
            &WIRES
        } else {
            &ROUTERS
        }
    }

    /// What they ask of the mesh.
    pub(crate) fn check(self, mesh: &Mesh) -> Result<(), NetError> {
        for (name, side) in [("mesh.width", mesh.width), ("mesh.height", mesh.height)] {
            if side > MAX_LINE {
                let accepted = format!("must be at most {MAX_LINE} with router.smart");
                return Err(field(name, side, accepted));
            }
        }
        self.check_interval(mesh)?;
        match self.smart.tree {
            SmartTree::Private | SmartTree::ByLoad if mesh.width < 2 || mesh.height < 2 => {
                Err(field(
                    "router.smart.tree",
                    format!("\"{}\"", self.smart.tree.name()),
                    "must be \"shared\" on a line: a mesh without four corners has no private trees",
                ))
            }
            SmartTree::Private | SmartTree::ByLoad | SmartTree::Shared => Ok(()),
        }
    }

    fn check_interval(self, mesh: &Mesh) -> Result<(), NetError> {
        let smart = self.smart;
        let line = |side: u32| side.saturating_sub(1).div_ceil(smart.hpc_max);
        let slot_cycles = line(mesh.width) + line(mesh.height);
        let interval = smart.broadcast_interval_cycles;
        if smart.multicast != SmartMulticast::Complete || interval > slot_cycles {
            return Ok(());
        }
        let accepted = format!(
            "must be more than {slot_cycles}, the cycles of a slot on this mesh with router.smart.hpc_max = {}",
            smart.hpc_max
        );
        let name = "router.smart.broadcast_interval_cycles";
        Err(field(name, interval, accepted))
    }

    /// Over which trees multicasts run, if routers fork them.
    pub(crate) const fn multicast_trees(self) -> Option<MulticastTrees> {
        let kind = match (self.smart.multicast, self.smart.tree) {
            (SmartMulticast::Unicasts, _) => return None,
            (_, SmartTree::Shared) => TreeKind::Shared,
            (_, SmartTree::Private) => TreeKind::Private,
            (_, SmartTree::ByLoad) => TreeKind::ByLoad,
        };
        Some(MulticastTrees {
            kind,
            spans_mesh: !self.smart.is_pruned,
        })
    }

    /// Why there are none.
    pub(crate) fn no_multicast_tree() -> NetError {
        field(
            "router.smart.multicast",
            "\"unicasts\"",
            "sources send one packet to each destination; for trees fork, greedy or complete",
        )
    }

    /// Do routers combine contributions to a reduction at all?
    pub(crate) fn check_reduction(self) -> Result<(), NetError> {
        match self.smart.reduction {
            SmartReduction::None => Err(field(
                "router.smart.reduction",
                "\"none\"",
                "the root gets every contribution; for trees opportunistic, greedy or complete",
            )),
            SmartReduction::Opportunistic | SmartReduction::Greedy | SmartReduction::Complete => {
                Ok(())
            }
        }
    }

    /// Bytes of data in a flit. S2's flits are narrower than a beat: a message is several of them.
    pub(crate) const fn flit_bytes(self) -> u32 {
        self.smart.flit_bits / 8
    }

    /// Most flits of a packet, and the field that says so.
    pub(crate) const fn longest_packet_flits(self) -> (u32, &'static str) {
        (self.smart.vc_flits, "router.smart.vc_flits")
    }

    /// Cycles between interfaces and routers.
    pub(crate) const fn interface_cycles(self) -> u32 {
        if self.smart.is_connected {
            return 0;
        }
        2 + self.smart.setup_cycles
    }

    /// What messages that are alone take; a slot drives a path in each cycle.
    pub(crate) fn message_cycles(self) -> MessageCycles {
        if self.smart.is_connected {
            return MessageCycles::of_wires();
        }
        let path_cycles = 1 + self.smart.setup_cycles;
        let combining = |hpc_max: u32| match self.smart.reduction {
            SmartReduction::Complete => hpc_max.min(self.smart.hpc_max),
            SmartReduction::None | SmartReduction::Opportunistic | SmartReduction::Greedy => {
                self.smart.hpc_max
            }
        };
        MessageCycles {
            interface_cycles: self.interface_cycles(),
            path_cycles,
            is_serial: true,
            multicast_path_cycles: match self.smart.multicast {
                SmartMulticast::Complete => 1,
                SmartMulticast::Unicasts | SmartMulticast::Fork | SmartMulticast::Greedy => {
                    path_cycles
                }
            },
            hpc_max: self.smart.hpc_max,
            bitwise_hpc_max: combining(self.smart.bitwise_hpc_max),
            arithmetic_hpc_max: combining(self.smart.arithmetic_hpc_max),
        }
    }

    /// Cycles of a flit that is alone, from one interface to another.
    pub(crate) const fn idle_cycles(self, from: Coord, to: Coord) -> u32 {
        if self.smart.is_connected {
            return 1;
        }
        self.cycles(self.paths(from, to))
    }

    /// The same of a copy of a multicast ([`Network::idle_copy_cycles`]).
    pub(crate) fn idle_copy_cycles(self, network: &Network, source: Coord, to: Coord) -> u32 {
        match self.multicast_trees().map(|trees| trees.kind) {
            Some(TreeKind::Private) => {}
            Some(TreeKind::Shared | TreeKind::ByLoad) | None => {
                return self.idle_cycles(source, to);
            }
        }
        let corner = network.nearest_corner(source);
        let before = self.paths(source, corner);
        if self.smart.multicast == SmartMulticast::Complete {
            return self.cycles(before) + self.slot_cycles(network, corner, to);
        }
        self.cycles(before + self.paths(corner, to))
    }

    /// Paths of one cycle each from tile to tile, a dimension after the other.
    const fn paths(self, from: Coord, to: Coord) -> u32 {
        MessageCycles::paths(from, to, self.smart.hpc_max)
    }

    /// Cycles over so many paths, into the network and out of it (`docs/design/0010-smart.md`).
    const fn cycles(self, paths: u32) -> u32 {
        1 + (1 + self.smart.setup_cycles) * (paths + 1)
    }

    /// Cycles of a slot from a corner to a copy: one for each path. The second dimension begins in the cycle after the first one has gone
    /// on from the router, or come to its end.
    fn slot_cycles(self, network: &Network, corner: Coord, to: Coord) -> u32 {
        let (x, y) = (corner.x.abs_diff(to.x), corner.y.abs_diff(to.y));
        let (first, second, line) = if network.leaves_along_row(corner) {
            (x, y, network.width() - 1)
        } else {
            (y, x, network.height() - 1)
        };
        let (first, second, line) = (u32::from(first), u32::from(second), u32::from(line));
        let hpc_max = self.smart.hpc_max;
        let is_asked = self.smart.has_slots_on_demand && first + second > 0;
        let asked = u32::from(is_asked) * self.smart.setup_cycles;
        if second == 0 {
            return asked + first.div_ceil(hpc_max);
        }
        asked + (1 + first / hpc_max).min(line.div_ceil(hpc_max)) + second.div_ceil(hpc_max)
    }
}
