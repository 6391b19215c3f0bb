// SPDX-License-Identifier: Apache-2.0
//! The paper's grid: chain, tree and in-network multicast and reduction over 1, 2 and 4 rows of 4 clusters, 1 to 32 KiB, every
//! chunk count worth trying; barriers over 2 to 16 clusters (S1 §4.2).

use crate::{CompareRequest, Error, Watch, format_bytes};
use noccl_coll::{Algorithm, Choice, Inner, choices};
use noccl_files::{MAX_TOML_BYTES, read_bounded};
use noccl_model::published::Extent;
use noccl_model::{
    CALIBRATION_FORMAT, Calibration, Constants, MulticastSource, calibration_runs, conditions, fit,
    held_out,
};
use noccl_net::capabilities::Reduces;
use noccl_net::{AxiNetwork, Network, TileSet, elaborate};
use noccl_run::{Mode, RunConfig, Tally};
use noccl_sim::run_schedule;
use noccl_spec::{Cluster, WideReductionKind};
use noccl_workload::{CollectiveKind, Schedule};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Rows of the grid.
pub(super) const ROWS: [u16; 3] = [1, 2, 4];
/// Payloads of the grid.
pub(super) const KIB: [u64; 6] = [1, 2, 4, 8, 16, 32];
/// Columns and rows of the grid's barriers: 2, 4, 8 and 16 clusters.
const BARRIERS: [(u16, u16); 4] = [(2, 1), (4, 1), (4, 2), (4, 4)];
const COLUMNS: u16 = 4;

/// What the paper measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measured {
    Multicast,
    Reduce,
    Barrier,
}

/// How it is done; each has a closed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Structure {
    Chain,
    Tree,
    InNetwork,
    Counter,
}

/// One point: what runs.
pub(super) struct GridPoint {
    pub(super) name: String,
    pub(super) measured: Measured,
    pub(super) structure: Structure,
    pub(super) extent: Extent,
    pub(super) bytes: u64,
    /// Bytes of a wide beat.
    beat_bytes: u64,
    /// Cycles of the FPUs for an addition of two beats.
    addition_cycles: u64,
    pub(super) choice: Choice,
    pub(super) schedule: Schedule,
}

impl GridPoint {
    /// Beats of the payload.
    pub(super) const fn beats(&self) -> u64 {
        self.bytes.div_ceil(self.beat_bytes)
    }
}

impl Measured {
    pub(super) const fn kind(self) -> CollectiveKind {
        match self {
            Measured::Multicast => CollectiveKind::Multicast,
            Measured::Reduce => CollectiveKind::Reduce,
            Measured::Barrier => CollectiveKind::Barrier,
        }
    }
}

/// Simulator and model at one point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelRow {
    /// Collective.
    pub collective: CollectiveKind,
    /// Columns of the group.
    pub columns: u32,
    /// Rows of the group.
    pub rows: u32,
    /// Payload.
    pub bytes: u64,
    /// Algorithm with its parameters.
    pub algorithm: String,
    /// Cycles of the simulator.
    pub simulated_cycles: u64,
    /// Cycles of the closed form.
    pub model_cycles: f64,
    /// `model_cycles / simulated_cycles − 1`.
    pub error: f64,
}

/// All points that fit onto the network.
pub(super) fn paper_grid(network: AxiNetwork<'_>) -> Result<Vec<GridPoint>, Error> {
    let height = network.cluster_height();
    let mut out = Vec::new();
    for rows in ROWS.into_iter().filter(|r| *r <= height) {
        for kib in KIB {
            for measured in [Measured::Multicast, Measured::Reduce] {
                out.extend(points(network, measured, (COLUMNS, rows), kib << 10)?);
            }
        }
    }
    for extent in BARRIERS.into_iter().filter(|(_, rows)| *rows <= height) {
        out.extend(points(network, Measured::Barrier, extent, 0)?);
    }
    Ok(out)
}

/// Every choice worth trying of one collective over a south-west rectangle that has a closed form.
pub(super) fn points(
    network: AxiNetwork<'_>,
    measured: Measured,
    (columns, rows): (u16, u16),
    bytes: u64,
) -> Result<Vec<GridPoint>, Error> {
    let group = TileSet::Rectangle {
        x: 0,
        y: 0,
        width: columns,
        height: rows,
    };
    let extent = Extent {
        columns: u32::from(columns),
        rows: u32::from(rows),
    };
    let (ni, cluster) = (&network.axi().ni, &network.axi().cluster);
    let request = CompareRequest::new(measured.kind(), group, vec![bytes]);
    let collective = crate::compare::collective_of(&network, &request, bytes)?;
    let known = choices(&network, &collective).into_iter();
    let formed = known.filter_map(|c| Some((c, structure(c, extent)?)));
    formed
        .map(|(choice, structure)| {
            let name = format!(
                "{} of {} over {columns}x{rows}, {choice}",
                crate::word(&measured.kind()),
                format_bytes(bytes)
            );
            Ok(GridPoint {
                name,
                measured,
                structure,
                extent,
                bytes,
                beat_bytes: ni.wide_beat(),
                addition_cycles: cluster.cycles_per_wide_addition(ni).into(),
                choice,
                schedule: noccl_coll::schedule(&network, &collective, choice)?,
            })
        })
        .collect()
}

/// The paper's algorithms. In two dimensions it goes dimension by dimension; a snake through all clusters, or a
/// tree over them, is ours alone.
fn structure(choice: Choice, extent: Extent) -> Option<Structure> {
    let chunks = choice.chunks;
    let forms = if extent.rows > 1 && extent.columns > 1 {
        [
            (Choice::row_column(Inner::Chain, chunks), Structure::Chain),
            (Choice::row_column(Inner::Tree, chunks), Structure::Tree),
        ]
    } else {
        [
            (Choice::new(Algorithm::Chain, chunks), Structure::Chain),
            (Choice::new(Algorithm::Tree, chunks), Structure::Tree),
        ]
    };
    let always = [
        (Choice::new(Algorithm::InNetwork, 1), Structure::InNetwork),
        (Choice::new(Algorithm::Counter, 1), Structure::Counter),
    ];
    let mut all = forms.into_iter().chain(always);
    all.find(|(form, _)| *form == choice).map(|(_, s)| s)
}

/// The closed form of a point, in our model.
pub(super) fn closed_form(constants: &Constants, point: &GridPoint) -> f64 {
    let (extent, chunks) = (point.extent, point.choice.chunks);
    // Cores reduce at a pace per 64 bytes.
    let units_per_beat = point.beat_bytes as f64 / Cluster::COMPUTE_BEAT_BYTES as f64;
    let constants = &Constants {
        compute_beta_cycles_per_beat: units_per_beat * constants.compute_beta_cycles_per_beat,
        ..*constants
    };
    let beats = point.beats();
    let source = MulticastSource::Outside { hops: 1 };
    match (point.measured, point.structure) {
        (Measured::Multicast, Structure::InNetwork) => {
            constants.multicast_in_network_cycles(extent, beats, source)
        }
        (Measured::Multicast, Structure::Tree) => {
            constants.multicast_tree_cycles(extent, beats, source)
        }
        (Measured::Multicast, Structure::Chain | Structure::Counter) => {
            constants.multicast_chain_cycles(extent, beats, chunks, source)
        }
        (Measured::Reduce, Structure::InNetwork) => {
            let paced = 1 + beats.saturating_sub(1) * point.addition_cycles;
            constants.reduce_in_network_cycles(extent, paced)
        }
        (Measured::Reduce, Structure::Tree) => constants.reduce_tree_cycles(extent, beats, chunks),
        (Measured::Reduce, Structure::Chain | Structure::Counter) => {
            constants.reduce_chain_cycles(extent, beats, chunks)
        }
        (Measured::Barrier, Structure::InNetwork) => {
            constants.barrier_cycles(extent.columns + extent.rows - 2)
        }
        (Measured::Barrier, Structure::Chain | Structure::Tree | Structure::Counter) => {
            constants.counter_barrier_cycles(extent)
        }
    }
}

/// Simulator and closed form at every point of the paper's grid.
///
/// # Errors
/// [`Error::Model`] if the constants do not hold for this network.
pub fn model_rows(
    network: &Network,
    calibration: &Calibration,
    watch: Watch<'_>,
) -> Result<Vec<ModelRow>, Error> {
    let constants = &calibration.constants_for(network.spec())?;
    let grid = paper_grid(Error::axi(network, "closed forms of transfers")?)?;
    let tally = Tally::new(watch, grid.len() as u64);
    grid.par_iter()
        .map(|point| {
            let simulated = simulated_cycles(network, &point.schedule, &tally)?;
            let model_cycles = closed_form(constants, point);
            Ok(ModelRow {
                collective: point.measured.kind(),
                columns: point.extent.columns,
                rows: point.extent.rows,
                bytes: point.bytes,
                algorithm: point.choice.to_string(),
                simulated_cycles: simulated,
                model_cycles,
                error: model_cycles / simulated.max(1) as f64 - 1.0,
            })
        })
        .collect()
}

// Constants of the model from simulator runs.

/// Fits the model's constants to this network and checks them on the paper's grid, which the fit does not see.
///
/// `command` is what the user typed; it is kept in the file.
///
/// # Errors
/// [`Error::Model`] for a network of published routers or one that is too small, or runs that do not determine a constant.
///
/// ```
/// let network = noccl_studies::load("collective_noc_4x4", &[])?.network;
/// let calibration = noccl_studies::calibrate(&network, "an example", noccl_studies::Watch::quiet())?;
/// assert!(calibration.held_out.max_error < 0.05);
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn calibrate(network: &Network, command: &str, watch: Watch<'_>) -> Result<Calibration, Error> {
    let axi = check_routers(network)?;
    let measured_on = telling(network)?;
    let runs = calibration_runs(check_routers(&measured_on)?)?;
    let grid = paper_grid(axi)?;
    let tally = Tally::new(watch, (runs.len() + grid.len()) as u64);
    let measured: Vec<u64> = runs
        .par_iter()
        .map(|run| simulated_cycles(&measured_on, &run.schedule, &tally))
        .collect::<Result<_, _>>()?;
    let (constants, fitted) = fit(&runs, &measured)?;
    let others: Vec<(String, f64, u64)> = grid
        .par_iter()
        .map(|point: &GridPoint| {
            let predicted = noccl_model::predict_with(network, &point.schedule, &constants)?;
            let simulated = simulated_cycles(network, &point.schedule, &tally)?;
            Ok((point.name.clone(), predicted.cycles, simulated))
        })
        .collect::<Result<_, Error>>()?;
    Ok(Calibration {
        format: CALIBRATION_FORMAT,
        command: command.to_owned(),
        network: network.spec().label(),
        conditions: conditions(network.spec()),
        constants,
        runs: fitted,
        held_out: held_out(&others)?,
    })
}

/// Only routers that carry transactions over links, and reduce and multicast over any set, tell all constants apart.
fn check_routers(network: &Network) -> Result<AxiNetwork<'_>, Error> {
    let routers = network.routers();
    let tells = routers.has_links && routers.carries_transactions();
    let axi = network.as_axi();
    axi.filter(|_| tells && routers.reduces == Reduces::AllInputs)
        .ok_or_else(|| {
            let flow = network.spec().flow_name().to_owned();
            noccl_model::ModelError::OtherRouters { flow }.into()
        })
}

/// The network on which cut and addition can be told apart: in units of two operands each addition is a pass with a cut of its
/// own, so that runs show their sum only. The constants are those of the parts, which both kinds of units have.
fn telling(network: &Network) -> Result<Network, Error> {
    let mut spec = network.spec().clone();
    if network.routers().reduces == Reduces::AllInputs
        && let Some(axi) = spec.axi_mut()
    {
        axi.router.wide_reduction.kind = WideReductionKind::ThreeOperand;
    }
    Ok(elaborate(&spec)?)
}

/// Cycles of a schedule in timing mode, as `compare` counts them; proved by the checker first.
pub(super) fn simulated_cycles(
    network: &Network,
    schedule: &Schedule,
    tally: &Tally<'_>,
) -> Result<u64, Error> {
    noccl_workload::check(network, schedule)?;
    let config = RunConfig::new(Mode::Timing);
    let result =
        tally.run(|on_progress| run_schedule(network, schedule, &[], &[], &config, on_progress))?;
    tally.finish_unit()?;
    Ok(crate::compare::runtime_cycles(
        Some(schedule),
        &result.actions,
    ))
}

/// Reads a calibration file.
///
/// # Errors
/// [`Error::File`], or [`Error::Model`] with what the reader saw.
pub fn read_calibration(path: &Path) -> Result<Calibration, Error> {
    let text = read_bounded(path, MAX_TOML_BYTES)?;
    Ok(Calibration::read(&path.display().to_string(), &text)?)
}

/// The text of a calibration file.
///
/// # Errors
/// [`Error::Model`] if a value has no form in TOML.
pub fn calibration_text(calibration: &Calibration) -> Result<String, Error> {
    let head =
        "# SPDX-License-Identifier: Apache-2.0\n# Written by `noccl calibrate`; never by hand.\n";
    Ok(head.to_owned() + &calibration.to_toml()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;
    use noccl_model::predict_with;

    #[test]
    fn closed_forms_equal_the_prediction_of_their_schedules() {
        let calibration = Calibration::shipped().unwrap();
        for preset in ["collective_noc_4x4", "collective_noc_8x8"] {
            let network = load(preset, &[]).unwrap().network;
            let constants = &calibration.constants_for(network.spec()).unwrap();
            let width = network.cluster_width();
            for rows in [1, 2, width] {
                for measured in [Measured::Multicast, Measured::Reduce, Measured::Barrier] {
                    for point in
                        points(network.as_axi().unwrap(), measured, (width, rows), 4096).unwrap()
                    {
                        let form = closed_form(constants, &point);
                        let general = predict_with(&network, &point.schedule, constants).unwrap();
                        assert!(
                            (form - general.cycles).abs() < 1e-6,
                            "{preset}, {}: {form}, {}",
                            point.name,
                            general.cycles
                        );
                    }
                }
            }
        }
    }
}
