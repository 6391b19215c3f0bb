// SPDX-License-Identifier: Apache-2.0
//! The numbers of a network of routers with bypass (`docs/design/0010-smart.md`), as their hardware needs them.

use crate::RtlError;
use noccl_net::Network;
use noccl_spec::{SmartMulticast, SmartPriority, SmartReduction, SmartRouter, SmartTree};
use schemars::JsonSchema;
use serde::Serialize;

/// Most tiles: those of the largest mesh that is compared with the simulator.
const MAX_TILES: u32 = 64;
/// Most hops in a cycle: links that a path may cover.
const MAX_HOPS: u32 = 8;
/// Bits that tell packets of an interface apart.
const PACKET_BITS: u32 = 8;

/// Numbers of one network of routers with bypass. Widths are in bits, and at least 1, since hardware has no empty vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SmartRtlConfig {
    /// Name of the network.
    pub network: String,
    /// Period of the clock, in picoseconds.
    pub clock_period_ps: u32,
    /// Columns of the mesh.
    pub mesh_width: u32,
    /// Rows of the mesh.
    pub mesh_height: u32,
    /// Bits of a column number.
    pub x_bits: u32,
    /// Bits of a row number.
    pub y_bits: u32,
    /// Most hops of a flit in a cycle, at most those of the longest line.
    pub hpc_max: u32,
    /// The same of a contribution to a bitwise reduction.
    pub bitwise_hpc_max: u32,
    /// The same of one to another reduction.
    pub arithmetic_hpc_max: u32,
    /// Cycles in which a path is set up.
    pub setup_cycles: u32,
    /// Does a flit that passes go before a local one?
    pub is_bypass_first: bool,
    /// Virtual channels of an input for unicasts.
    pub unicast_vcs: u32,
    /// The same for contributions to reductions.
    pub reduction_vcs: u32,
    /// The same for multicasts.
    pub multicast_vcs: u32,
    /// Flits of a virtual channel.
    pub vc_flits: u32,
    /// Bits of data of a flit.
    pub flit_bits: u32,
    /// Do routers fork multicasts?
    pub has_multicast: bool,
    /// Have their trees only branches that lead to destinations?
    pub is_pruned: bool,
    /// Do routers count contributions?
    pub has_table: bool,
    /// Reductions that they count at a time.
    pub table_entries: u32,
    /// Bits of a reduction's name.
    pub id_bits: u32,
    /// Bits of a packet's name.
    pub tag_bits: u32,
}

/// Bits of a number below `count`, one at least.
fn bits(count: u32) -> u32 {
    crate::config::bits(count.into()).max(1)
}

impl SmartRtlConfig {
    /// Numbers of a network whose routers have bypass; `None` for others.
    ///
    /// # Errors
    /// [`RtlError::Refused`] with the field that asks for something without hardware.
    pub fn of(network: &Network) -> Option<Result<Self, RtlError>> {
        let smart = network.spec().axi()?.router.smart.as_ref()?;
        Some(refuse(network, smart).map(|()| Self::new(network, smart)))
    }

    fn new(network: &Network, smart: &SmartRouter) -> Self {
        let mesh = &network.spec().mesh;
        let hpc_max = hops(network, smart);
        let [unicast_vcs, reduction_vcs, multicast_vcs] = smart.vcs_by_class();
        let (x_bits, y_bits) = (bits(mesh.width), bits(mesh.height));
        Self {
            network: network.spec().label(),
            clock_period_ps: crate::config::clock_period_ps(network.spec().clock_ghz),
            mesh_width: mesh.width,
            mesh_height: mesh.height,
            x_bits,
            y_bits,
            hpc_max,
            bitwise_hpc_max: smart.bitwise_hpc_max.min(hpc_max),
            arithmetic_hpc_max: smart.arithmetic_hpc_max.min(hpc_max),
            setup_cycles: smart.setup_cycles,
            is_bypass_first: smart.priority == SmartPriority::Bypass,
            unicast_vcs,
            reduction_vcs,
            multicast_vcs,
            vc_flits: smart.vc_flits,
            flit_bits: smart.flit_bits,
            has_multicast: smart.multicast != SmartMulticast::Unicasts,
            is_pruned: smart.is_pruned,
            has_table: smart.reduction == SmartReduction::Complete,
            table_entries: smart.reduction_table_entries,
            id_bits: bits(smart.reduction_table_entries),
            tag_bits: PACKET_BITS + x_bits + y_bits,
        }
    }
}

/// Most hops in a cycle: no path is longer than a line.
fn hops(network: &Network, smart: &SmartRouter) -> u32 {
    let mesh = &network.spec().mesh;
    let line = mesh.width.max(mesh.height) - 1;
    smart.hpc_max.min(line).max(1)
}

/// Refuses what the spec allows and the modules do not implement.
fn refuse(network: &Network, smart: &SmartRouter) -> Result<(), RtlError> {
    let refused = |field: &str, found: &str, accepted: &str| RtlError::Refused {
        field: field.to_owned(),
        found: found.to_owned(),
        accepted: format!("accepted: {accepted}"),
    };
    if smart.is_connected {
        let accepted = "false (wires between any two interfaces are a bound and cannot be built)";
        return Err(refused("router.smart.is_connected", "true", accepted));
    }
    if smart.tree != SmartTree::Shared {
        let found = format!("\"{}\"", smart.tree.name());
        return Err(refused("router.smart.tree", &found, "\"shared\""));
    }
    if smart.multicast == SmartMulticast::Complete {
        let accepted = "\"unicasts\", \"fork\", \"greedy\"";
        return Err(refused("router.smart.multicast", "\"complete\"", accepted));
    }
    let reduction = match smart.reduction {
        SmartReduction::None | SmartReduction::Complete => None,
        SmartReduction::Opportunistic => Some("\"opportunistic\""),
        SmartReduction::Greedy => Some("\"greedy\""),
    };
    if let Some(found) = reduction {
        let accepted = "\"none\", \"complete\"";
        return Err(refused("router.smart.reduction", found, accepted));
    }
    let mesh = &network.spec().mesh;
    if mesh.width * mesh.height > MAX_TILES {
        let found = format!("{} x {}", mesh.width, mesh.height);
        let accepted = format!("at most {MAX_TILES} tiles");
        return Err(refused("mesh", &found, &accepted));
    }
    let hpc_max = hops(network, smart);
    if hpc_max > MAX_HOPS {
        let accepted = format!("at most {MAX_HOPS}, or a mesh with shorter lines");
        let found = smart.hpc_max.to_string();
        return Err(refused("router.smart.hpc_max", &found, &accepted));
    }
    Ok(())
}
