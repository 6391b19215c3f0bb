// SPDX-License-Identifier: Apache-2.0
//! Routers that a flit passes without being latched, up to `hpc_max` of them in a cycle (S2): their table of the spec, and
//! what they ask of it.

use super::{Router, RouterRules, VariantField};
use crate::OutOfRange;
use crate::ranges::Table;
use crate::validate::Checked;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Routers that bypass several hops in a cycle, their multicasts and reductions (flow `smart`; S2 §II to §IV).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmartRouter {
    /// Are there wires of one cycle between any two interfaces in place of routers? A bound, for which most of what follows says nothing.
    #[serde(default)]
    pub is_connected: bool,
    /// Most hops of a flit in a cycle; 1 is a mesh whose routers are never bypassed.
    pub hpc_max: u32,
    /// Cycles in which a path is set up before it is traversed: allocation and requests in one, or in one each.
    pub setup_cycles: u32,
    /// Whose flit goes on where a local one and one that passes ask for the same link.
    pub priority: SmartPriority,
    /// How a packet reaches several destinations.
    pub multicast: SmartMulticast,
    /// Over which trees.
    pub tree: SmartTree,
    /// Does a tree have only the branches that lead to destinations? Else it spans the mesh, as published.
    pub is_pruned: bool,
    /// Cycles from one slot of broadcasts to the next (multicast `complete`).
    pub broadcast_interval_cycles: u32,
    /// Do slots begin when a corner has something to send, and not in fixed cycles? The interval is then the least one.
    pub has_slots_on_demand: bool,
    /// How contributions to a reduction are combined.
    pub reduction: SmartReduction,
    /// Which of those buffered a contribution joins where it is latched (reductions `opportunistic` and `greedy`).
    pub merge_scope: SmartMergeScope,
    /// Reductions that a router can count at a time (reduction `complete`).
    pub reduction_table_entries: u32,
    /// Most hops in a cycle of a contribution to a bitwise reduction, which is combined as it passes.
    pub bitwise_hpc_max: u32,
    /// The same of sums, least and greatest values.
    pub arithmetic_hpc_max: u32,
    /// Virtual channels of an input, per message class and order class.
    pub vcs: u32,
    /// Those of contributions to reductions. Absent: `vcs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction_vcs: Option<u32>,
    /// Those of multicasts, per order class. Absent: `vcs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multicast_vcs: Option<u32>,
    /// Flits of a virtual channel, at least those of the longest packet.
    pub vc_flits: u32,
    /// Bits of a flit.
    pub flit_bits: u32,
}

impl SmartRouter {
    /// Virtual channels of an input by message class: unicasts, contributions to reductions, multicasts of one order class.
    #[must_use]
    pub fn vcs_by_class(&self) -> [u32; 3] {
        [
            self.vcs,
            self.reduction_vcs.unwrap_or(self.vcs),
            self.multicast_vcs.unwrap_or(self.vcs),
        ]
    }
}

/// Whose flit goes on where a local one and one that passes ask for the same link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SmartPriority {
    /// The local one.
    Local,
    /// The one that passes; of several that from the router farthest away. In every 16th cycle the local one, so that none waits for ever.
    Bypass,
}

/// How a packet reaches several destinations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SmartMulticast {
    /// The source sends one packet to each.
    Unicasts,
    /// Routers fork it, and no router is bypassed.
    Fork,
    /// Routers fork it, and bypassed routers keep a copy.
    Greedy,
    /// It crosses the mesh in slots that all routers keep free for private trees, in one cycle per dimension.
    Complete,
}

/// Trees of multicasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SmartTree {
    /// The source's paths of XY routing.
    Shared,
    /// One tree from each corner of the mesh; a packet first goes to the nearest corner.
    Private,
    /// The shared tree where the source's router finds channels free on it, the private one else.
    ByLoad,
}

impl SmartTree {
    /// As a spec has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Private => "private",
            Self::ByLoad => "by_load",
        }
    }
}

/// How contributions to a reduction are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SmartReduction {
    /// Not at all: the root gets all of them.
    None,
    /// Where one finds another one buffered.
    Opportunistic,
    /// The same, and with priority `bypass` one that passes takes along one that is buffered; with `local` as `opportunistic`.
    Greedy,
    /// At every router, which counts those that have not come yet: the root gets one.
    Complete,
}

/// Which contributions of a reduction meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SmartMergeScope {
    /// Those buffered in one router.
    Router,
    /// Those buffered at one input port.
    InputPort,
    /// Those buffered in one router, and the one that waits in the network interface of its tile.
    Interface,
}

pub(super) struct Smart;

impl RouterRules for Smart {
    fn name(&self) -> &'static str {
        "smart"
    }

    fn ranges(&self, router: &Router, table: &mut Table) {
        table.only("router.input_fifo_flits", router.input_fifo_flits, 0);
        table.only("router.output_fifo_flits", router.output_fifo_flits, 0);
        table.any(
            "router.merge_table_entries",
            router.merge_table_entries,
            0..=256,
        );
        table.only("router.merge_cycles", router.merge_cycles, 1);
        for (field, cycles) in super::links::fields(&router.link_cycles) {
            table.only(&field, cycles, 1);
        }
        table.no_wide_reduction(router);
    }

    fn reduces_three(&self) -> bool {
        false
    }

    fn has_stores(&self) -> bool {
        false
    }

    fn own_tables(&self) -> &'static [&'static str] {
        &["router.smart"]
    }

    fn takes_torrent(&self) -> bool {
        false
    }

    fn own_flits(&self) -> Option<&'static str> {
        Some(" with router.smart (its flits have router.smart.flit_bits)")
    }

    fn variants(&self) -> &'static [VariantField] {
        VARIANTS
    }
}

/// Few channels and entries, so that they run out; paths of one hop, which forks need; slots as close as they can be and far apart.
const VARIANTS: &[VariantField] = &[
    ("router.smart.is_connected", &["false", "true"]),
    ("router.smart.priority", &["local", "bypass"]),
    ("router.smart.hpc_max", &["1", "1", "2", "3", "8"]),
    ("router.smart.setup_cycles", &["1", "2"]),
    (
        "router.smart.multicast",
        &["unicasts", "fork", "greedy", "complete"],
    ),
    ("router.smart.tree", &["shared", "private", "by_load"]),
    ("router.smart.is_pruned", &["false", "true"]),
    (
        "router.smart.broadcast_interval_cycles",
        &["3", "5", "9", "15", "40"],
    ),
    ("router.smart.has_slots_on_demand", &["false", "true"]),
    (
        "router.smart.reduction",
        &["none", "opportunistic", "greedy", "complete", "complete"],
    ),
    (
        "router.smart.merge_scope",
        &["router", "input_port", "interface"],
    ),
    (
        "router.smart.reduction_table_entries",
        &["1", "2", "7", "64"],
    ),
    ("router.smart.bitwise_hpc_max", &["1", "4", "8"]),
    ("router.smart.arithmetic_hpc_max", &["1", "2", "8"]),
    ("router.smart.vcs", &["1", "1", "2", "4"]),
    ("router.smart.reduction_vcs", &["1", "2", "3", "8"]),
    ("router.smart.multicast_vcs", &["1", "2", "3", "8"]),
    ("router.smart.vc_flits", &["2", "3", "5", "9"]),
    ("router.smart.flit_bits", &["64", "128", "512"]),
];

/// Most virtual channels of a message class.
const MAX_VCS: u32 = 16;
/// The same with private trees, whose multicasts have three order classes.
const MAX_VCS_OF_PRIVATE_TREES: u32 = 8;

/// Ranges of the table of their own, of whatever routers it stands beside.
pub(super) fn own_ranges(smart: &SmartRouter, table: &mut Table) {
    let mut any =
        |name: &str, found: u32, range| table.any(format!("router.smart.{name}"), found, range);
    any("hpc_max", smart.hpc_max, 1..=64);
    any("setup_cycles", smart.setup_cycles, 1..=2);
    any(
        "reduction_table_entries",
        smart.reduction_table_entries,
        1..=4096,
    );
    any("bitwise_hpc_max", smart.bitwise_hpc_max, 1..=64);
    any("arithmetic_hpc_max", smart.arithmetic_hpc_max, 1..=64);
    any(
        "broadcast_interval_cycles",
        smart.broadcast_interval_cycles,
        3..=64,
    );
    any("vcs", smart.vcs, 1..=MAX_VCS.into());
    let by_class = [
        ("reduction_vcs", smart.reduction_vcs),
        ("multicast_vcs", smart.multicast_vcs),
    ];
    for (name, vcs) in by_class {
        if let Some(vcs) = vcs {
            any(name, vcs, 1..=MAX_VCS.into());
        }
    }
    any("vc_flits", smart.vc_flits, 1..=64);
    table.power_of_two("router.smart.flit_bits", smart.flit_bits, 64..=1024);
}

/// Without routers nothing forks or combines between interfaces.
fn check_connected(smart: &SmartRouter) -> Checked {
    let refused = |name: &str, found: &dyn fmt::Debug, accepted: &str| {
        Err(OutOfRange {
            field: format!("router.smart.{name}"),
            found: format!("\"{found:?}\"").to_lowercase(),
            accepted: format!("must be \"{accepted}\" with router.smart.is_connected"),
        })
    };
    if smart.multicast != SmartMulticast::Unicasts {
        return refused("multicast", &smart.multicast, "unicasts");
    }
    if smart.reduction != SmartReduction::None {
        return refused("reduction", &smart.reduction, "none");
    }
    Ok(())
}

/// An input has at most 64 virtual channels, a power of two per class.
fn check_channels(smart: &SmartRouter) -> Checked {
    let fields = ["vcs", "reduction_vcs", "multicast_vcs"];
    let mut classes = fields.into_iter().zip(smart.vcs_by_class());
    match classes.find(|(_, vcs)| *vcs > MAX_VCS_OF_PRIVATE_TREES) {
        Some((name, vcs)) if smart.tree != SmartTree::Shared => Err(OutOfRange {
            field: format!("router.smart.{name}"),
            found: vcs.to_string(),
            accepted: format!(
                "must be 1 to {MAX_VCS_OF_PRIVATE_TREES} with router.smart.tree = \"{}\", whose multicasts have \
                 three order classes; up to {MAX_VCS} with \"shared\"",
                smart.tree.name()
            ),
        }),
        Some(_) | None => Ok(()),
    }
}

/// Forks without bypass are those of a router that no flit passes, and slots belong to private trees.
pub(super) fn check(smart: &SmartRouter) -> Checked {
    if smart.is_connected {
        return check_connected(smart);
    }
    check_channels(smart)?;
    match smart.multicast {
        SmartMulticast::Fork if smart.hpc_max != 1 => Err(OutOfRange {
            field: "router.smart.hpc_max".to_owned(),
            found: smart.hpc_max.to_string(),
            accepted:
                "must be 1 with router.smart.multicast = \"fork\"; with bypass it is \"greedy\""
                    .to_owned(),
        }),
        SmartMulticast::Complete if smart.tree != SmartTree::Private => Err(OutOfRange {
            field: "router.smart.tree".to_owned(),
            found: format!("\"{}\"", smart.tree.name()),
            accepted: "must be \"private\" with router.smart.multicast = \"complete\"".to_owned(),
        }),
        SmartMulticast::Fork
        | SmartMulticast::Unicasts
        | SmartMulticast::Greedy
        | SmartMulticast::Complete => Ok(()),
    }
}
