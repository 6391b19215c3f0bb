// SPDX-License-Identifier: Apache-2.0
//! At which mesh the published equations and the simulation part, because a hop costs four cycles and not one.

use super::grid::{GridPoint, Measured, Structure, closed_form, points};
use crate::{Error, Watch, load};
use noccl_model::published::{Extent, MulticastConstants, ReduceConstants};
use noccl_model::{Calibration, Constants};
use noccl_run::{Mode, RunConfig, Tally};
use noccl_sim::run_schedule;
use noccl_workload::CollectiveKind;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sides of the square meshes.
const SIDES: [u16; 4] = [4, 8, 16, 32];
const KIB: [u64; 2] = [1, 32];
/// From here on, equations and simulation count as parted.
pub const MARKED_DEVIATION: f64 = 0.05;

/// Published equations, our model and the simulator on one mesh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviationRow {
    /// Columns and rows of clusters.
    pub side: u16,
    /// Collective.
    pub collective: CollectiveKind,
    /// Payload.
    pub bytes: u64,
    /// Algorithm with its parameters: of each structure the fastest by our model.
    pub algorithm: String,
    /// Constants of the published equations: the paper's own (multicast), or ours for a row of 4 where the paper does not
    /// publish them (reduce).
    pub constants: String,
    /// Cycles of the published equations.
    pub published_cycles: f64,
    /// Cycles of our closed form.
    pub model_cycles: f64,
    /// Cycles of the simulator.
    pub simulated_cycles: u64,
    /// `published_cycles / simulated_cycles − 1`.
    pub published_error: f64,
    /// `model_cycles / simulated_cycles − 1`.
    pub model_error: f64,
}

/// Is there such a mesh? To be asked before anything runs.
pub(super) fn check_side(max_side: u16) -> Result<(), Error> {
    if SIDES.contains(&max_side) {
        return Ok(());
    }
    let accepted = "accepted: 4, 8, 16 or 32, the sides of the meshes that are compared";
    Err(Error::argument("--max-side", max_side, accepted))
}

/// Multicast and reduction over all clusters of square meshes, up to `max_side` clusters a side.
///
/// In-network reductions are left out: in two dimensions the published form doubles the row's time, because its routers
/// add two operands, and ours add three.
///
/// # Errors
/// [`Error::Model`] if the constants do not hold for the presets.
pub fn deviations(
    calibration: &Calibration,
    max_side: u16,
    watch: Watch<'_>,
) -> Result<Vec<DeviationRow>, Error> {
    let sides: Vec<u16> = SIDES.into_iter().filter(|s| *s <= max_side).collect();
    let tally = Tally::new(watch, sides.len() as u64);
    let mut out = Vec::new();
    for side in sides {
        let preset = format!("collective_noc_{side}x{side}");
        let loaded = load(&preset, &[])?.network;
        let network = Error::axi(&loaded, "transfers")?;
        let constants = &calibration.constants_for(network.spec())?;
        let mut chosen = Vec::new();
        for measured in [Measured::Multicast, Measured::Reduce] {
            for kib in KIB {
                let all = points(network, measured, (side, side), kib << 10)?;
                chosen.extend(fastest_of_each(all, constants));
            }
        }
        let rows: Vec<DeviationRow> = chosen
            .par_iter()
            .map(|point| {
                let config = RunConfig::new(Mode::Timing);
                let result = tally.run(|on_progress| {
                    run_schedule(&network, &point.schedule, &[], &[], &config, on_progress)
                })?;
                let simulated =
                    crate::compare::runtime_cycles(Some(&point.schedule), &result.actions);
                Ok(row(side, point, constants, simulated))
            })
            .collect::<Result<_, Error>>()?;
        out.extend(rows);
        tally.finish_unit()?;
    }
    Ok(out)
}

fn fastest_of_each(all: Vec<GridPoint>, constants: &Constants) -> Vec<GridPoint> {
    let mut best: Vec<(f64, GridPoint)> = Vec::new();
    for point in all {
        if point.measured == Measured::Reduce && point.structure == Structure::InNetwork {
            continue;
        }
        let cycles = closed_form(constants, &point);
        match best
            .iter_mut()
            .find(|(_, p)| p.structure == point.structure)
        {
            Some(known) if cycles < known.0 => *known = (cycles, point),
            Some(_) => {}
            None => best.push((cycles, point)),
        }
    }
    best.into_iter().map(|(_, point)| point).collect()
}

fn row(side: u16, point: &GridPoint, constants: &Constants, simulated_cycles: u64) -> DeviationRow {
    let published_cycles = published_form(constants, point);
    let model_cycles = closed_form(constants, point);
    let error = |cycles: f64| cycles / simulated_cycles.max(1) as f64 - 1.0;
    DeviationRow {
        side,
        collective: point.measured.kind(),
        bytes: point.bytes,
        algorithm: point.choice.to_string(),
        constants: match point.measured {
            Measured::Multicast | Measured::Barrier => "published".to_owned(),
            Measured::Reduce => "ours, row of 4".to_owned(),
        },
        published_cycles,
        model_cycles,
        simulated_cycles,
        published_error: error(published_cycles),
        model_error: error(model_cycles),
    }
}

fn published_form(constants: &Constants, point: &GridPoint) -> f64 {
    let (extent, chunks) = (point.extent, f64::from(point.choice.chunks));
    let beats = point.beats() as f64;
    let multicast = MulticastConstants::PUBLISHED;
    let reduce = row_of_4(constants);
    match (point.measured, point.structure) {
        (Measured::Multicast | Measured::Barrier, Structure::InNetwork) => {
            multicast.in_network_cycles(extent, beats)
        }
        (Measured::Multicast | Measured::Barrier, Structure::Tree) => {
            multicast.tree_cycles(extent, beats)
        }
        (Measured::Multicast | Measured::Barrier, Structure::Chain | Structure::Counter) => {
            multicast.pipelined_cycles(extent, beats, chunks)
        }
        (Measured::Reduce, Structure::InNetwork) => reduce.in_network_cycles(extent, beats),
        (Measured::Reduce, Structure::Tree) => reduce.tree_cycles(extent, beats, chunks),
        (Measured::Reduce, Structure::Chain | Structure::Counter) => {
            reduce.pipelined_cycles(extent, beats, chunks)
        }
    }
}

/// The published form with what our constants make of a row of 4: neighbours one hop apart, the counter at most three.
fn row_of_4(constants: &Constants) -> ReduceConstants {
    let hop = constants.hop_cycles;
    let sync_cycles =
        constants.issue_cycles + constants.wait_cycles + constants.barrier_alpha_cycles + 3.0 * hop;
    let row = Extent::row(4);
    ReduceConstants {
        transfer_alpha_cycles: constants.pull_alpha_cycles + hop,
        transfer_beta_cycles_per_beat: constants.beta_cycles_per_beat,
        compute_alpha_cycles: constants.compute_alpha_cycles,
        compute_beta_cycles_per_beat: constants.compute_beta_cycles_per_beat,
        tree_sync_cycles: sync_cycles,
        chain_sync_cycles: sync_cycles,
        in_network_alpha_cycles: constants.reduce_in_network_cycles(row, 0),
    }
}
