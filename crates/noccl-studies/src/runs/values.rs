// SPDX-License-Identifier: Apache-2.0
//! Runs on the caller's own bytes.

use crate::runs::Session;
use crate::{Error, Verified, root_name};
use noccl_net::Network;
use noccl_run::{LinkLoad, MAX_VALUE_BYTES, MemoryImage, Mode, RunConfig, RunResult, Tally, Watch};
use noccl_spec::PlaneName;
use noccl_workload::{Place, Schedule, interpret};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Runs a schedule on the caller's own inputs and returns the requested memory beside the timing.
///
/// # Errors
/// [`Error::Check`] if the checker refuses the schedule, [`Error::Argument`] for places outside the memories, [`Error::Run`] if the
/// run cannot finish.
pub fn run_values(
    network: &Network,
    schedule: &Schedule,
    inputs: &[MemoryImage],
    outputs: &[(Place, u64)],
    config: &RunConfig,
    watch: Watch<'_>,
) -> Result<RunResult, Error> {
    noccl_workload::check(network, schedule)?;
    check_values(network, inputs, outputs)?;
    let mut session = Session::<RunResult>::begin(None)?;
    Tally::run_actions(watch, |on_progress| {
        session.simulate(network, schedule, inputs, outputs, config, on_progress)
    })
}

/// Compares what a run has left at the requested places with what the reference interpreter leaves there. Of a run that moved no bytes
/// nothing is compared.
///
/// # Errors
/// As [`run_values`].
pub fn verify_values(
    network: &Network,
    schedule: &Schedule,
    inputs: &[MemoryImage],
    (result, mode): (&RunResult, Mode),
) -> Result<Verified, Error> {
    if mode == Mode::Timing {
        return Ok(Verified::NotChecked);
    }
    let place = |image: &MemoryImage| Place {
        tile: image.tile,
        offset: image.offset,
    };
    let given: Vec<(Place, &[u8])> = inputs
        .iter()
        .map(|image| (place(image), image.bytes.as_slice()))
        .collect();
    let memories = interpret(network, schedule, &given)?;
    let is_right = |image: &MemoryImage| {
        memories
            .read(place(image), image.bytes.len() as u64)
            .as_ref()
            == Some(&image.bytes)
    };
    Ok(Verified::compared(result.memory.iter().all(is_right)))
}

/// Are the caller's inputs and outputs in the memories, and small enough for the host?
fn check_values(
    network: &Network,
    inputs: &[MemoryImage],
    outputs: &[(Place, u64)],
) -> Result<(), Error> {
    let of_input = |i: &MemoryImage| ("inputs", i.tile, i.offset, i.bytes.len() as u64);
    let of_output = |(at, bytes): &(Place, u64)| ("outputs", at.tile, at.offset, *bytes);
    let all = inputs.iter().map(of_input);
    let mut total_bytes = 0_u64;
    for (name, tile, offset, bytes) in all.chain(outputs.iter().map(of_output)) {
        let found = || format!("{bytes} bytes from {offset} in {tile}");
        let Some(id) = network.find(tile) else {
            return Err(Error::argument(
                name,
                found(),
                "accepted: tiles of the network",
            ));
        };
        let (field, memory_bytes) = (network.memory_field(id), network.memory_bytes(id));
        if offset
            .checked_add(bytes)
            .is_none_or(|end| end > memory_bytes)
        {
            let accepted =
                format!("accepted: ranges inside its memory ({field} = {memory_bytes} bytes)");
            return Err(Error::argument(name, found(), accepted));
        }
        total_bytes = total_bytes.saturating_add(bytes);
    }
    if total_bytes <= MAX_VALUE_BYTES {
        return Ok(());
    }
    let accepted = format!("accepted: at most {MAX_VALUE_BYTES} bytes together");
    Err(Error::argument("inputs and outputs", total_bytes, accepted))
}

// Link loads as results carry them.

/// Flits over one directed router-to-router link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkFlits {
    /// Plane of the link.
    pub plane: PlaneName,
    /// Mesh coordinate of the router that drives it: x, y.
    pub from: [u16; 2],
    /// Mesh coordinate of the router at its other end: x, y.
    pub to: [u16; 2],
    /// Tile of the router that drives it: `X,Y` of a cluster, or `mem:N`; empty in files of older versions.
    #[serde(default)]
    pub from_tile: String,
    /// Tile of the router at its other end, likewise.
    #[serde(default)]
    pub to_tile: String,
    /// Flits in the whole run.
    pub flits: u64,
}

impl LinkFlits {
    /// As users read it, by tiles as `--root` names them: `wide mem:0->0,0`. A link of an older file, which does not
    /// name its tiles, says that its coordinates are the mesh's.
    #[must_use]
    pub fn name(&self) -> String {
        let plane = self.plane.name();
        let ([x0, y0], [x1, y1]) = (self.from, self.to);
        if self.from_tile.is_empty() || self.to_tile.is_empty() {
            return format!("{plane} mesh ({x0},{y0})->({x1},{y1})");
        }
        format!("{plane} {}->{}", self.from_tile, self.to_tile)
    }
}

/// Loads with coordinates and names of tiles instead of ids, in the order of the run's result.
#[must_use]
pub fn link_flits(network: &Network, loads: &[LinkLoad]) -> Vec<LinkFlits> {
    loads
        .iter()
        .filter_map(|load| {
            let from = network.coord(load.link.tile);
            let to = network.neighbour(from, load.link.port)?;
            Some(LinkFlits {
                plane: load.link.plane,
                from: [from.x, from.y],
                to: [to.x, to.y],
                from_tile: root_name(network.tile_ref(load.link.tile)),
                to_tile: root_name(network.tile_ref(network.tile_at(to))),
                flits: load.flits,
            })
        })
        .collect()
}

/// The link with most flits; the first of them in id order if several have as many.
#[must_use]
pub fn busiest(network: &Network, loads: &[LinkLoad]) -> Option<LinkFlits> {
    let most = loads.iter().map(|l| l.flits).max()?;
    let link = loads
        .iter()
        .filter(|l| l.flits == most)
        .min_by_key(|l| l.link)?;
    link_flits(network, std::slice::from_ref(link)).pop()
}
