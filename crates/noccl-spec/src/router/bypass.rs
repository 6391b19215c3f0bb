// SPDX-License-Identifier: Apache-2.0
//! Bypass beside the FIFOs of routers that never block: how many routers a flit passes in a cycle.

use super::{Router, links};
use crate::ranges::{Form, Table};
use crate::validate::Checked;
use crate::{AxiTiles, Mesh, OutOfRange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Flits go on in flight through routers that could let them pass by ordinary moves (`docs/design/0012-bypass.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RouterBypass {
    /// Most links that a flit crosses in one cycle, 1 to those of the mesh's longest line; with 1 no router is passed.
    pub hpc_max: u32,
    /// Cycles from the switch to the links, 1 or 2. With 2 each output has another register stage.
    pub setup_cycles: u32,
}

const HPC_MAX: &str = "router.bypass.hpc_max";

/// Ranges of the table, of whatever routers it stands beside. A path ends at the edge of the mesh.
pub(super) fn own_ranges(bypass: &RouterBypass, mesh: &Mesh, table: &mut Table) {
    let longest = longest_line_links(mesh);
    let because = format!(
        " (the longest line of a mesh of {}x{} tiles has {longest} links)",
        mesh.width, mesh.height
    );
    let (found, ends) = (bypass.hpc_max, 1..=u64::from(longest));
    table.push(HPC_MAX, found, ends, Form::Any, because);
    table.any("router.bypass.setup_cycles", bypass.setup_cycles, 1..=2);
}

/// Links of the longest row or column; at least one, so that every mesh has a number that is accepted.
fn longest_line_links(mesh: &Mesh) -> u32 {
    mesh.width.max(mesh.height).saturating_sub(1).max(1)
}

/// What has no form in flight yet: registers of merge tables, links with stages of their own, endpoints whose forms count hops.
pub(super) fn check(axi: &AxiTiles) -> Checked {
    let Router {
        bypass,
        merge_cycles,
        link_cycles,
        flow,
        ..
    } = &axi.router;
    if bypass.is_none() {
        return Ok(());
    }
    let rules = flow.rules();
    if !rules.may_have_bypass() {
        return refused(
            "router.bypass",
            "a table",
            format!("must be absent with router.flow = \"{}\"", rules.name()),
        );
    }
    if *merge_cycles != 1 {
        return refused("router.merge_cycles", merge_cycles, with_bypass(1));
    }
    for (field, cycles) in links::fields(link_cycles) {
        if cycles != 1 {
            return refused(&field, cycles, with_bypass(1));
        }
    }
    if axi.cluster.torrent.is_some() {
        let accepted = "must be absent with router.bypass".to_owned();
        return refused("cluster.torrent", "a table", accepted);
    }
    Ok(())
}

fn with_bypass(accepted: u32) -> String {
    format!("must be {accepted} with router.bypass")
}

fn refused(field: &str, found: impl ToString, accepted: String) -> Checked {
    Err(OutOfRange {
        field: field.to_owned(),
        found: found.to_string(),
        accepted,
    })
}
