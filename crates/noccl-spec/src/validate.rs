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
use crate::{AxiTiles, Spec, Tiles, TorrentMode, router};

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
    check_regions(spec)?;
    ranges(spec).iter().try_for_each(|range| range.check())?;
    match &spec.tiles {
        Tiles::Axi(axi) => check_axi(axi),
        Tiles::Cores(_) => Ok(()),
    }
}

/// Regions have addresses, so they are there with AXI and not else.
fn check_regions(spec: &Spec) -> Checked {
    let accepted = match (&spec.tiles, spec.mesh.regions.len()) {
        (Tiles::Axi(_), 0) => {
            "needs one region of kind \"cluster\" and any number of kind \"memory\""
        }
        (Tiles::Cores(_), 1..) => "must be absent with core tiles, which stand on the whole mesh",
        (Tiles::Axi(_), 1..) | (Tiles::Cores(_), 0) => return Ok(()),
    };
    Err(OutOfRange {
        field: "mesh.regions".to_owned(),
        found: match spec.mesh.regions.len() {
            0 => "[]".to_owned(),
            regions => format!("{regions} regions"),
        },
        accepted: accepted.to_owned(),
    })
}

fn check_axi(axi: &AxiTiles) -> Checked {
    router::check_unit(&axi.router)?;
    router::check_smart(&axi.router)?;
    if let Some(endpoint) = &axi.cluster.torrent {
        torrent::check(endpoint)?;
    }
    router::check_tables(axi)?;
    router::check_bypass(axi)
}

/// Settings that are written down but change nothing, one sentence each; empty for most specs.
#[must_use]
pub fn warnings(spec: &Spec) -> Vec<String> {
    match &spec.tiles {
        Tiles::Axi(axi) => axi_warnings(axi),
        Tiles::Cores(cores) => cores.warnings(),
    }
}

fn axi_warnings(axi: &AxiTiles) -> Vec<String> {
    let mut found = router::idle_sizes(&axi.router);
    let ni = &axi.ni;
    let fitting = ni.burst_boundary_bytes / ni.wide_beat_bytes.max(1);
    if ni.max_burst_beats > fitting {
        found.push(format!(
            "ni.max_burst_beats = {} has no effect beyond {fitting}: bursts end at every multiple \
             of ni.burst_boundary_bytes = {}",
            ni.max_burst_beats, ni.burst_boundary_bytes
        ));
    }
    if let Some(endpoint) = &axi.cluster.torrent
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
