// SPDX-License-Identifier: Apache-2.0
//! What is accepted as a spec, and settings that have no effect.
//!
//! Without it a depth of zero or an address beyond the bus would surface as nonsense far away from
//! the line that caused it. Only form is checked here; whatever needs geometry (alignment, coverage,
//! overlap of address ranges) belongs to elaboration, which calls [`validate`] first, so that a spec
//! built in memory is held to the same rules as one read from a file. Ranges of numbers stand in [`ranges`].

mod torrent;

use crate::error::OutOfRange;
use crate::ranges::ranges;
use crate::{RouterFlow, Spec, TorrentMode, WideReductionKind};

pub(crate) type Checked = Result<(), OutOfRange>;

/// Checks every value against its range.
///
/// # Errors
/// The first field out of range, with what would be accepted.
pub fn validate(spec: &Spec) -> Result<(), OutOfRange> {
    if !is_file_name(&spec.name) {
        return Err(OutOfRange {
            field: "name".to_owned(),
            found: format!("{:?}", spec.name),
            accepted: "must be 1 to 64 letters, digits, '_', '-' or '.'".to_owned(),
        });
    }
    if spec.mesh.regions.is_empty() {
        return Err(OutOfRange {
            field: "mesh.regions".to_owned(),
            found: "[]".to_owned(),
            accepted: "needs one region of kind \"cluster\" and any number of kind \"memory\""
                .to_owned(),
        });
    }
    ranges(spec).iter().try_for_each(|range| range.check())?;
    reduction_unit(spec)?;
    if let Some(endpoint) = &spec.cluster.torrent {
        torrent::check(endpoint)?;
    }
    crate::validate_esp::esp(spec)
}

/// The published unit has two operands.
fn reduction_unit(spec: &Spec) -> Checked {
    let flow = spec.router.flow;
    match spec.router.wide_reduction.kind {
        WideReductionKind::TwoOperand => Ok(()),
        WideReductionKind::ThreeOperand => match flow {
            RouterFlow::NonBlocking => Ok(()),
            RouterFlow::PeerCompatible | RouterFlow::Esp => Err(OutOfRange {
                field: "router.wide_reduction.kind".to_owned(),
                found: "\"three_operand\"".to_owned(),
                accepted: format!(
                    "must be \"two_operand\" with router.flow = \"{}\" (the published unit has two operands)",
                    flow_name(flow)
                ),
            }),
        },
    }
}

/// Settings that are written down but change nothing, one sentence each; empty for most specs.
#[must_use]
pub fn warnings(spec: &Spec) -> Vec<String> {
    let mut found = Vec::new();
    let wide = &spec.router.wide_reduction;
    match spec.router.flow {
        RouterFlow::PeerCompatible | RouterFlow::Esp => {
            for (field, value) in [
                (
                    "router.merge_table_entries",
                    spec.router.merge_table_entries,
                ),
                ("router.wide_reduction.store_beats", wide.store_beats),
                ("router.wide_reduction.window_beats", wide.window_beats),
            ] {
                if value != 0 {
                    found.push(format!(
                        "{field} = {value} has no effect with router.flow = \"{}\"; write 0 there",
                        flow_name(spec.router.flow)
                    ));
                }
            }
        }
        RouterFlow::NonBlocking => {}
    }
    let ni = &spec.ni;
    let fitting = ni.burst_boundary_bytes / ni.wide_beat_bytes.max(1);
    if ni.max_burst_beats > fitting {
        found.push(format!(
            "ni.max_burst_beats = {} has no effect beyond {fitting}: bursts end at every multiple \
             of ni.burst_boundary_bytes = {}",
            ni.max_burst_beats, ni.burst_boundary_bytes
        ));
    }
    if let Some(endpoint) = &spec.cluster.torrent
        && endpoint.mode == TorrentMode::Published
        && endpoint.buffer_bursts != 0
    {
        found.push(format!(
            "cluster.torrent.buffer_bursts = {} has no effect with cluster.torrent.mode = \"published\"; \
             write 0 there",
            endpoint.buffer_bursts
        ));
    }
    found
}

fn is_file_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().any(|b| b != b'.')
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

pub(crate) const fn flow_name(flow: RouterFlow) -> &'static str {
    match flow {
        RouterFlow::NonBlocking => "non_blocking",
        RouterFlow::PeerCompatible => "peer_compatible",
        RouterFlow::Esp => "esp",
    }
}
